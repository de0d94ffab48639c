(** Marks of the first so many tokens of a set, the largest of a number first; and which numbers are whole. *)
From Coq Require Import Bool.
From Simspec Require Export defined.

(** ** Definitions *)

(** Of the places that are available, one where a function is largest: the others stand lower than the lowest of all. *)
Definition lowest_less (lo hi : Z) (f : Z -> R) : R := f (least_at lo hi f) - 1.
Definition best_of (lo hi : Z) (f : Z -> R) (available : Z -> bool) : Z :=
  largest_at lo hi (fun k => if available k then f k else lowest_less lo hi f).
(** The first n places of a set, the largest of a function first: one after the other is taken, as long as one is left. *)
Fixpoint first_places (lo hi : Z) (f : Z -> R) (set : Z -> bool) (n : nat) (k : Z) : bool :=
  match n with
  | O => false
  | S fewer =>
      let taken := first_places lo hi f set fewer in
      taken k || (set k && (if Z.eq_dec k (best_of lo hi f (fun m => set m && negb (taken m))%bool) then true else false))%bool
  end.
(** Their mark; n is the whole part of a number, and none where that is below 0. *)
Definition ranked (lo hi : Z) (f : Z -> R) (u : Z -> R) (n : R) (k : Z) : bool :=
  first_places lo hi f (fun m => above_0 (u m)) (Z.to_nat (Int_part n)) k.

(** ** What they meet *)

Lemma first_places_set lo hi f set n k : first_places lo hi f set n k = true -> set k = true.
Proof.
  induction n as [|n IH]; simpl; [discriminate|]. intro H. apply orb_prop in H. destruct H as [H|H]; [auto|].
  apply andb_prop in H. tauto.
Qed.

Lemma best_available lo hi f available k : (lo <= k <= hi)%Z -> available k = true ->
  available (best_of lo hi f available) = true /\ f k <= f (best_of lo hi f available).
Proof.
  intros R A. set (g := fun m => if available m then f m else lowest_less lo hi f).
  pose proof (largest_most lo hi g k R) as M. fold (best_of lo hi f available) in M |- *.
  assert (E : best_of lo hi f available = largest_at lo hi g) by reflexivity. rewrite <- E in M.
  unfold g in M. rewrite A in M. destruct (available (best_of lo hi f available)); [split; [reflexivity | exact M]|].
  pose proof (least_least lo hi f k R). unfold lowest_less in M. lra.
Qed.

Lemma first_places_order lo hi f set n x y : (lo <= x <= hi)%Z -> (lo <= y <= hi)%Z ->
  first_places lo hi f set n x = true -> set y = true -> first_places lo hi f set n y = false -> f y <= f x.
Proof.
  intros X Y. induction n as [|n IH]; simpl; [discriminate|]. intros H U N.
  apply orb_false_elim in N. destruct N as [N _]. apply orb_prop in H. destruct H as [H|H]; [auto|].
  apply andb_prop in H. destruct H as [_ H].
  destruct (Z.eq_dec x (best_of lo hi f (fun m => set m && negb (first_places lo hi f set n m))%bool)) as [E|]; [|discriminate].
  rewrite E. apply best_available; [exact Y|]. rewrite U, N. reflexivity.
Qed.

Lemma Sum_marked_nonneg lo hi b : 0 <= Sum lo hi (fun k => marked (b k)).
Proof. apply Sum_nonneg. intros. apply marked_nonneg. Qed.

Lemma Sum_marked_empty lo hi (b : Z -> bool) : (forall k, (lo <= k <= hi)%Z -> b k = false) -> Sum lo hi (fun k => marked (b k)) = 0.
Proof. intro H. rewrite <- (Sum_zero lo hi). apply Sum_ext. intros k K. rewrite (H k K). reflexivity. Qed.

Lemma first_places_total lo hi f set n : (lo <= hi)%Z ->
  Sum lo hi (fun k => marked (first_places lo hi f set n k)) = Rmin (INR n) (Sum lo hi (fun k => marked (set k))).
Proof.
  intro R. set (U := Sum lo hi (fun k => marked (set k))). assert (P : 0 <= U) by apply Sum_marked_nonneg.
  induction n as [|n IH].
  - rewrite Sum_marked_empty by reflexivity. simpl. symmetry. apply Rmin_left. exact P.
  - set (taken := first_places lo hi f set n) in *. set (available := fun m => (set m && negb (taken m))%bool).
    set (best := best_of lo hi f available).
    assert (B : (lo <= best <= hi)%Z) by (apply largest_range; exact R).
    assert (step : forall k, marked (first_places lo hi f set (S n) k) = marked (taken k) + (if available best then delta k best else 0)).
    { intro k. simpl. fold taken. change (best_of lo hi f (fun m => (set m && negb (taken m))%bool)) with best.
      unfold delta. destruct (Z.eq_dec k best) as [->|N].
      - unfold available. pose proof (first_places_set lo hi f set n best) as T. fold taken in T.
        destruct (taken best), (set best); simpl; unfold marked; lra.
      - destruct (taken k), (set k), (available best); simpl; unfold marked; lra. }
    rewrite (Sum_ext lo hi _ _ (fun k _ => step k)), Sum_plus, IH, S_INR. clear step.
    destruct (available best) eqn:A.
    + rewrite (Sum_delta lo hi best B). assert (L : Rmin (INR n) U + 1 <= U).
      { rewrite <- IH. rewrite <- (Sum_delta lo hi best B), <- Sum_plus. apply Sum_le. intros k _. unfold delta.
        pose proof (first_places_set lo hi f set n k) as T. fold taken in T. unfold available in A.
        destruct (Z.eq_dec k best) as [->|].
        - apply andb_prop in A. destruct A as [-> A]. apply negb_true_iff in A. rewrite A. unfold marked. lra.
        - destruct (taken k), (set k); unfold marked; first [lra | discriminate (T eq_refl)]. }
      unfold Rmin in *. destruct (Rle_dec (INR n) U), (Rle_dec (INR n + 1) U); lra.
    + rewrite Sum_zero. assert (E : Rmin (INR n) U = U).
      { rewrite <- IH. apply Sum_ext. intros k K. destruct (available k) eqn:F.
        - pose proof (best_available lo hi f available k K F) as [G _]. fold best in G. congruence.
        - unfold available in F. pose proof (first_places_set lo hi f set n k) as T. fold taken in T.
          destruct (taken k), (set k); first [reflexivity | discriminate (T eq_refl) | discriminate F]. }
      rewrite E. unfold Rmin in *. destruct (Rle_dec (INR n) U), (Rle_dec (INR n + 1) U); lra.
Qed.

(** A number is whole where it is that of an integer. *)
Definition is_whole (r : R) : Prop := exists z, r = IZR z.
Lemma whole_IZR z : is_whole (IZR z). Proof. exists z. reflexivity. Qed.
Lemma whole_plus a b : is_whole a -> is_whole b -> is_whole (a + b).
Proof. intros [x ->] [y ->]. exists (x + y)%Z. symmetry. apply plus_IZR. Qed.
Lemma whole_mult a b : is_whole a -> is_whole b -> is_whole (a * b).
Proof. intros [x ->] [y ->]. exists (x * y)%Z. symmetry. apply mult_IZR. Qed.
Lemma whole_opp a : is_whole a -> is_whole (- a).
Proof. intros [x ->]. exists (- x)%Z. symmetry. apply opp_IZR. Qed.
Lemma whole_marked_is b : is_whole (marked b).
Proof. destruct b; [exists 1%Z | exists 0%Z]; reflexivity. Qed.
Lemma whole_mark_of r : r ^ 2 = r -> is_whole r.
Proof. intro H. destruct (mark_cases H) as [-> | ->]; [exists 0%Z | exists 1%Z]; reflexivity. Qed.
Lemma whole_Sum lo hi f : (forall k, (lo <= k <= hi)%Z -> is_whole (f k)) -> is_whole (Sum lo hi f).
Proof.
  destruct (Z_lt_le_dec hi lo) as [H|H]; [rewrite Sum_none by exact H; intros _; exists 0%Z; reflexivity|].
  enough (G : forall m, (lo - 1 <= m)%Z -> (m <= hi)%Z -> (forall k, (lo <= k <= hi)%Z -> is_whole (f k)) -> is_whole (Sum lo m f))
    by (apply G; lia).
  apply (Sum_ind (fun m => (m <= hi)%Z -> (forall k, (lo <= k <= hi)%Z -> is_whole (f k)) -> is_whole (Sum lo m f))).
  - intros _ _. rewrite Sum_none by lia. exists 0%Z. reflexivity.
  - intros m M IH L F. rewrite Sum_last by exact M. apply whole_plus; [apply IH; [lia | exact F] | apply F; lia].
Qed.

Lemma whole_between a b : is_whole a -> is_whole b -> a < b + 1 -> a <= b.
Proof. intros [x ->] [y ->] H. apply IZR_le. rewrite <- plus_IZR in H. apply lt_IZR in H. lia. Qed.

Lemma marked_of u : u = 0 \/ u = 1 -> marked (above_0 u) = u.
Proof. intros [-> | ->]; unfold above_0, marked; destruct (Rlt_le_dec _ _); lra. Qed.

Lemma Int_part_IZR z : Int_part (IZR z) = z.
Proof.
  pose proof (base_Int_part (IZR z)) as [L H]. apply le_IZR in L.
  assert (z < Int_part (IZR z) + 1)%Z by (apply lt_IZR; rewrite plus_IZR; lra). lia.
Qed.

Lemma ranked_total lo hi f u n : (lo <= hi)%Z -> is_whole n -> (forall k, (lo <= k <= hi)%Z -> u k = 0 \/ u k = 1) ->
  Sum lo hi (fun k => marked (ranked lo hi f u n k)) = Rmin (Rmax 0 n) (Sum lo hi u).
Proof.
  intros R [z ->] M. unfold ranked. rewrite first_places_total by exact R. f_equal.
  - rewrite Int_part_IZR, INR_IZR_INZ. unfold Rmax. destruct (Rle_dec 0 (IZR z)) as [H|H].
    + apply le_IZR in H. rewrite Z2Nat.id by exact H. reflexivity.
    + assert (z < 0)%Z by (apply lt_IZR; lra). destruct z; try lia; reflexivity.
  - apply Sum_ext. intros k K. apply marked_of, M, K.
Qed.

Lemma ranked_set lo hi f u n k : u k = 0 \/ u k = 1 -> marked (ranked lo hi f u n k) <= u k.
Proof.
  intro M. destruct (ranked lo hi f u n k) eqn:E; unfold marked; [|destruct M as [-> | ->]; lra].
  apply first_places_set in E. unfold above_0 in E. destruct (Rlt_le_dec 0 (u k)); [|discriminate]. destruct M; lra.
Qed.

Lemma ranked_order lo hi f u n x y : (lo <= x <= hi)%Z -> (lo <= y <= hi)%Z -> u y = 0 \/ u y = 1 ->
  0 <= (u y - marked (ranked lo hi f u n y)) * (f x - f y) * marked (ranked lo hi f u n x).
Proof.
  intros X Y M. destruct (ranked lo hi f u n x) eqn:E; unfold marked; [|lra].
  pose proof (ranked_set lo hi f u n y M) as S. destruct (ranked lo hi f u n y) eqn:F; unfold marked in *.
  - destruct M as [Z | O]; [lra | rewrite O; lra].
  - destruct M as [Z | O]; [rewrite Z; lra|]. rewrite O.
    enough (f y <= f x) by lra. apply (first_places_order lo hi f (fun m => above_0 (u m)) (Z.to_nat (Int_part n))); try assumption.
    cbv beta. rewrite O. unfold above_0. destruct (Rlt_le_dec 0 1); [reflexivity | lra].
Qed.

Lemma whole_marked_IZR b : IZR (whole_marked b) = marked b.
Proof. destruct b; reflexivity. Qed.

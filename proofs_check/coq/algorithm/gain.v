(** RDK: where moving a draft makes it accepted more often, and by how much. *)

Require Import Reals Lra Lia List Arith.
Require Import laws lossless rdk dobrushin.
Open Scope R_scope.

Section Gain.

Variable V : nat.
Variables p q : nat -> R.
Variable shared : nat -> bool.
Variable M : nat -> nat -> R.
Hypothesis target_law : law V p.
Hypothesis draft_law : law V q.
Hypothesis some_mass : 0 < sum V (on_shared shared q).
Hypothesis rows : row_stochastic V M.

Let d : nat -> R := restricted V shared q.
Let r : nat -> R := image V d M.

Lemma d_law : law V d.
Proof. now apply restricted_law. Qed.

Lemma acceptance_r : acceptance V p (output (moved V d M)) = overlap V p r.
Proof.
  unfold acceptance. rewrite sd_acceptance by (easy || (apply moved_law; [apply d_law | easy])).
  apply sum_ext. intros j L. now rewrite moved_output.
Qed.

Lemma acceptance_d : acceptance V p d = overlap V p d.
Proof. unfold acceptance. apply sd_acceptance; [easy | apply d_law]. Qed.

(** RDK is kept at least as often as TLI where M moves no more of any token than its drafter kernel:
    q'_i (1 - M_ii) <= (q'_i - p_i)₊. *)
Theorem rdk_never_worse_corrected : (forall i, (i < V)%nat -> d i * (1 - M i i) <= Rmax 0 (d i - p i)) ->
  acceptance V p d <= acceptance V p (output (moved V d M)).
Proof.
  intros K. rewrite acceptance_r, acceptance_d. destruct d_law as [N _]. apply sum_le. intros j L.
  apply Rmin_glb; [apply Rmin_l|]. apply (Rle_trans _ (d j * M j j)).
  - specialize (K j L). unfold Rmin, Rmax in *. destruct (Rle_dec (p j) (d j)), (Rle_dec 0 (d j - p j)); lra.
  - unfold r, image. apply (sum_term V (fun i => d i * M i j)); [|easy]. intros i I.
    apply Rmult_le_pos; [now apply N | now apply (law_nonneg V), L; apply rows].
Qed.

(** What RDK gains on TLI: Σ min((p_j - q'_j)₊, (r_j - q'_j)₊) - Σ ((q'_j - r_j)₊ - (q'_j - p_j)₊)₊ with r = Mᵀq'; so it is no
    worse exactly where what reaches tokens in want is at least what is taken beyond the drafter kernel. *)
Theorem rdk_never_worse_sharp :
  let gained := sum V (fun j => Rmin (Rmax 0 (p j - d j)) (Rmax 0 (r j - d j))) in
  let lost := sum V (fun j => Rmax 0 (Rmax 0 (d j - r j) - Rmax 0 (d j - p j))) in
  acceptance V p (output (moved V d M)) - acceptance V p d = gained - lost /\
  (acceptance V p d <= acceptance V p (output (moved V d M)) <-> lost <= gained).
Proof.
  intros gained lost. assert (E : acceptance V p (output (moved V d M)) - acceptance V p d = gained - lost).
  { rewrite acceptance_r, acceptance_d. unfold overlap, gained, lost. rewrite <- !sum_minus. apply sum_ext. intros j _.
    destruct (Rle_lt_dec (r j) (d j)), (Rle_lt_dec (p j) (d j)), (Rle_lt_dec (p j) (r j));
      repeat first [rewrite (Rmax_right 0 (p j - d j)) by lra | rewrite (Rmax_left 0 (p j - d j)) by lra];
      repeat first [rewrite (Rmax_right 0 (r j - d j)) by lra | rewrite (Rmax_left 0 (r j - d j)) by lra];
      repeat first [rewrite (Rmax_right 0 (d j - r j)) by lra | rewrite (Rmax_left 0 (d j - r j)) by lra];
      repeat first [rewrite (Rmax_right 0 (d j - p j)) by lra | rewrite (Rmax_left 0 (d j - p j)) by lra];
      unfold Rmin, Rmax; repeat match goal with |- context [Rle_dec ?a ?b] => destruct (Rle_dec a b) end; lra. }
  split; [exact E|]. split; intros; lra.
Qed.

End Gain.

(** Two tokens that are exchanged, and numbers on them. *)
Definition exchange (i j : nat) : R := if Nat.eqb i j then 0 else 1.
Definition two (a : R) (x : nat) : R := if Nat.eqb x 0 then a else 1 - a.

(** Where M = N exchanges two tokens, p = (a, 1 - a), q' = (b, 1 - b), π = (½, ½) and ½ <= a <= b <= 1, both inequalities of
    Theorem 5.1 and both of its sharper form are equalities, with c = 1, ε = ‖Mᵀp - p‖₁ and δ = ‖p - π‖₁. *)
Theorem rdk_worst_case_sharp_attained a b : / 2 <= a -> a <= b -> b <= 1 ->
  let p := two a in let q' := two b in let pi := two (/ 2) in
  let epsilon := norm1 2 (fun j => image 2 p exchange j - p j) in let delta := norm1 2 (fun i => p i - pi i) in
  law 2 p /\ law 2 q' /\ row_stochastic 2 exchange /\ (forall j, (j < 2)%nat -> image 2 pi exchange j = pi j) /\
  dobrushin 2 exchange = 1 /\
  norm1 2 (fun j => image 2 q' exchange j - p j) = norm1 2 (fun i => q' i - p i) + epsilon /\
  norm1 2 (fun j => image 2 q' exchange j - p j) = norm1 2 (fun i => q' i - p i) + 2 * delta /\
  norm1 2 (fun j => image 2 q' exchange j - p j) = dobrushin 2 exchange * norm1 2 (fun i => q' i - p i) + epsilon /\
  epsilon = (1 + dobrushin 2 exchange) * delta.
Proof.
  intros A B C. cbv zeta.
  assert (S : row_stochastic 2 exchange).
  { intros [|[|i]] I; [| |lia]; split; try (intros x _; unfold exchange; destruct (Nat.eqb _ x); lra); unfold exchange; simpl; ring. }
  assert (D : dobrushin 2 exchange = 1).
  { apply Rle_antisym; [now apply dobrushin_le_1|]. pose proof (dobrushin_rows 2 exchange 0 1 ltac:(lia) ltac:(lia)) as T.
    unfold tv, exchange at 1 2 in T. simpl in T. rewrite Rminus_0_l, Rminus_0_r, Rabs_Ropp, Rabs_R1 in T. lra. }
  assert (L : forall t, 0 <= t <= 1 -> law 2 (two t)).
  { intros t T. split; [intros x _; unfold two; destruct (Nat.eqb x 0); lra | unfold two; simpl; ring]. }
  rewrite D. split; [apply L; lra|]. split; [apply L; lra|]. split; [exact S|]. split; [|split; [easy|]].
  - intros [|[|j]] J; [| |lia]; unfold image, two, exchange; simpl; field.
  - unfold norm1, image, two, exchange. cbn [sum Nat.eqb].
    assert (E1 : Rabs (0 + b * 0 + (1 - b) * 1 - a) = a + b - 1) by (rewrite Rabs_left1; lra).
    assert (E2 : Rabs (0 + b * 1 + (1 - b) * 0 - (1 - a)) = a + b - 1) by (rewrite Rabs_pos_eq; lra).
    assert (E3 : Rabs (b - a) = b - a) by (rewrite Rabs_pos_eq; lra).
    assert (E4 : Rabs (1 - b - (1 - a)) = b - a) by (rewrite Rabs_left1; lra).
    assert (E5 : Rabs (0 + a * 0 + (1 - a) * 1 - a) = 2 * a - 1) by (rewrite Rabs_left1; lra).
    assert (E6 : Rabs (0 + a * 1 + (1 - a) * 0 - (1 - a)) = 2 * a - 1) by (rewrite Rabs_pos_eq; lra).
    assert (E7 : Rabs (a - / 2) = a - / 2) by (rewrite Rabs_pos_eq; lra).
    assert (E8 : Rabs (1 - a - (1 - / 2)) = a - / 2) by (rewrite Rabs_left1; lra).
    rewrite E1, E2, E3, E4, E5, E6, E7, E8. repeat split; lra.
Qed.

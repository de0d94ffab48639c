(** Drafts of a second token that do not know the first: which law of theirs is accepted most often. *)

Require Import Reals Lra Lia List Arith Bool.
Require Import laws lossless dobrushin.
Import ListNotations.
Open Scope R_scope.

Section Second.

(** First tokens have the law a; after x the target's second token has the law P x. *)
Variables N V : nat.
Variable a : nat -> R.
Variable P : nat -> nat -> R.
Hypothesis first_law : law N a.
Hypothesis second_law : forall x, (x < N)%nat -> law V (P x).

(** How often a draft of law q for the second token is kept. *)
Definition second_acceptance (q : nat -> R) : R :=
  expect (draw N a) (fun x => expect (draw V q) (fun y => chance (coin (Rmin 1 (P x y / q y))) (fun kept => kept))).

(** The probability that the target has more of a token than so much, and that it has no less. *)
Definition has_more (y : nat) (m : R) : R := chance (draw N a) (fun x => if Rlt_dec m (P x y) then true else false).
Definition has_no_less (y : nat) (m : R) : R := chance (draw N a) (fun x => if Rle_dec m (P x y) then true else false).

(** The law of the second token alone. *)
Definition marginal (y : nat) : R := sum N (fun x => a x * P x y).

Lemma second_overlap q : law V q -> second_acceptance q = sum N (fun x => a x * overlap V (P x) q).
Proof.
  intros Q. unfold second_acceptance. rewrite expect_draw. apply sum_ext. intros x L. f_equal. now apply sd_acceptance; [apply second_law|].
Qed.

Lemma marginal_law : law V marginal.
Proof.
  split.
  - intros y L. apply sum_nonneg. intros x X. apply Rmult_le_pos; [now apply (law_nonneg N) | now apply (law_nonneg V _ y (second_law x X))].
  - unfold marginal. rewrite sum_swap. destruct first_law as [_ One]. rewrite <- One. apply sum_ext. intros x X.
    rewrite sum_scale. destruct (second_law x X) as [_ ->]. ring.
Qed.

(** A law q of the second token is accepted at least as often as any other if for some λ it has Pr(P(y|X) > q(y)) <= λ for every token, and
    λ <= Pr(P(y|X) >= q(y)) for each that it uses. *)
Theorem parallel_marginal_best_corrected q lambda : law V q ->
  (forall y, (y < V)%nat -> has_more y (q y) <= lambda) ->
  (forall y, (y < V)%nat -> 0 < q y -> lambda <= has_no_less y (q y)) ->
  forall rival, law V rival -> second_acceptance rival <= second_acceptance q.
Proof.
  intros Q More NoLess r R. rewrite !second_overlap by easy.
  assert (E : forall l, sum N (fun x => a x * overlap V (P x) l) = sum V (fun y => sum N (fun x => a x * Rmin (P x y) (l y)))).
  { intros l. unfold overlap. rewrite sum_swap. apply sum_ext. intros x _. now rewrite sum_scale. }
  rewrite !E. apply (Rle_trans _ (sum V (fun y => sum N (fun x => a x * Rmin (P x y) (q y)) + lambda * (r y - q y)))).
  2: { rewrite sum_plus, sum_scale, sum_minus. destruct Q as [_ ->], R as [_ ->]. lra. }
  apply sum_le. intros y L. specialize (More y L). specialize (NoLess y L). unfold has_more, has_no_less, chance in *. rewrite expect_draw in *.
  pose proof (law_nonneg V r y R L) as RY. pose proof (law_nonneg V q y Q L) as QY. destruct (Rle_dec (q y) (r y)) as [H|H].
  - apply (Rle_trans _ (sum N (fun x => a x * Rmin (P x y) (q y) + (r y - q y) * (a x * indicator (if Rlt_dec (q y) (P x y) then true else false))))).
    + apply sum_le. intros x X. pose proof (law_nonneg N a x first_law X). unfold indicator, Rmin.
      destruct (Rlt_dec (q y) (P x y)), (Rle_dec (P x y) (r y)), (Rle_dec (P x y) (q y)); nra.
    + rewrite sum_plus, sum_scale. apply Rplus_le_compat_l. rewrite (Rmult_comm lambda). apply Rmult_le_compat_l; lra.
  - specialize (NoLess ltac:(lra)).
    apply (Rle_trans _ (sum N (fun x => a x * Rmin (P x y) (q y) - (q y - r y) * (a x * indicator (if Rle_dec (q y) (P x y) then true else false))))).
    + apply sum_le. intros x X. pose proof (law_nonneg N a x first_law X). unfold indicator, Rmin.
      destruct (Rle_dec (q y) (P x y)), (Rle_dec (P x y) (r y)), (Rle_dec (P x y) (q y)); nra.
    + rewrite sum_minus, sum_scale.
      assert ((q y - r y) * lambda <= (q y - r y) * sum N (fun x => a x * indicator (if Rle_dec (q y) (P x y) then true else false)))
        by (apply Rmult_le_compat_l; lra). lra.
Qed.

(** A mass t that is moved from the token z to the token y. *)
Definition moved (q : nat -> R) (z y : nat) (t : R) (x : nat) : R := q x + (if Nat.eqb x y then t else 0) - (if Nat.eqb x z then t else 0).

Lemma moved_law q z y t : law V q -> (z < V)%nat -> (y < V)%nat -> z <> y -> 0 <= t <= q z -> law V (moved q z y t).
Proof.
  intros [QN One] Z Y D T. split.
  - intros x X. specialize (QN x X). unfold moved. destruct (Nat.eqb_spec x y), (Nat.eqb_spec x z); subst; lra || easy.
  - unfold moved. rewrite sum_minus, sum_plus, (sum_point V (fun _ => t) y Y), (sum_point V (fun _ => t) z Z), One. ring.
Qed.

(** It passes no mass that the target gives y or z. *)
Definition passes_none (q : nat -> R) (z y : nat) (t : R) : Prop := forall x, (x < N)%nat ->
  (P x y <= q y \/ q y + t <= P x y) /\ (q z <= P x z \/ P x z <= q z - t).

Lemma move_change q z y t : law V q -> (z < V)%nat -> (y < V)%nat -> z <> y -> 0 <= t <= q z -> passes_none q z y t ->
  second_acceptance (moved q z y t) - second_acceptance q = t * (has_more y (q y) - has_no_less z (q z)).
Proof.
  intros Q Z Y D T None. rewrite !second_overlap by (easy || now apply moved_law). unfold has_more, has_no_less, chance. rewrite !expect_draw.
  rewrite Rmult_minus_distr_l, <- !sum_scale, <- !sum_minus. apply sum_ext. intros x X. destruct (None x X) as [NY NZ].
  replace (a x * overlap V (P x) (moved q z y t) - a x * overlap V (P x) q)
    with (a x * (overlap V (P x) (moved q z y t) - overlap V (P x) q)) by ring.
  assert (E : overlap V (P x) (moved q z y t) - overlap V (P x) q
    = (Rmin (P x y) (q y + t) - Rmin (P x y) (q y)) + (Rmin (P x z) (q z - t) - Rmin (P x z) (q z))).
  { unfold overlap. rewrite <- sum_minus, <- (sum_point V (fun w => Rmin (P x w) (q w + t) - Rmin (P x w) (q w)) y Y).
    rewrite <- (sum_point V (fun w => Rmin (P x w) (q w - t) - Rmin (P x w) (q w)) z Z), <- sum_plus. apply sum_ext. intros w _. unfold moved.
    destruct (Nat.eqb_spec w y) as [Ey|Ny], (Nat.eqb_spec w z) as [Ez|Nz]; subst; [easy | | |].
    - replace (q y + t - 0) with (q y + t) by ring. ring.
    - replace (q z + 0 - t) with (q z - t) by ring. ring.
    - replace (q w + 0 - 0) with (q w) by ring. ring. }
  assert (A : Rmin (P x y) (q y + t) - Rmin (P x y) (q y) = t * (if Rlt_dec (q y) (P x y) then 1 else 0)).
  { unfold Rmin. destruct NY; destruct (Rle_dec (P x y) (q y + t)), (Rle_dec (P x y) (q y)), (Rlt_dec (q y) (P x y)); lra. }
  assert (B : Rmin (P x z) (q z - t) - Rmin (P x z) (q z) = - t * (if Rle_dec (q z) (P x z) then 1 else 0)).
  { unfold Rmin. destruct NZ; destruct (Rle_dec (P x z) (q z - t)), (Rle_dec (P x z) (q z)), (Rle_dec (q z) (P x z)); lra. }
  rewrite E, A, B. unfold indicator. destruct (Rlt_dec (q y) (P x y)), (Rle_dec (q z) (P x z)); ring.
Qed.

Lemma small_step (g : nat -> R) n : exists t, 0 < t /\ forall x, (x < n)%nat -> 0 < g x -> t <= g x.
Proof.
  induction n as [|n [t [T H]]]; [exists 1; split; [lra | intros; lia]|]. destruct (Rlt_dec 0 (g n)) as [G|G].
  - exists (Rmin t (g n)). split; [now apply Rmin_glb_lt|]. intros x L P0. destruct (Nat.eq_dec x n) as [->|]; [apply Rmin_r|].
    eapply Rle_trans; [apply Rmin_l | apply H; [lia | easy]].
  - exists t. split; [easy|]. intros x L P0. destruct (Nat.eq_dec x n) as [->|]; [easy | apply H; [lia | easy]].
Qed.

Lemma more_no_less y m : has_more y m <= has_no_less y m.
Proof.
  unfold has_more, has_no_less, chance. rewrite !expect_draw. apply sum_le. intros x X. apply Rmult_le_compat_l; [now apply (law_nonneg N)|].
  unfold indicator. destruct (Rlt_dec m (P x y)), (Rle_dec m (P x y)); lra.
Qed.

(** A small mass t moved from the token z to the token y changes the acceptance of q by t [Pr(P(y|X) > q(y)) - Pr(P(z|X) >= q(z))]: so a
    best law has a λ between all of the first and all of the second, q(z) > 0. *)
Theorem parallel_marginal_best_sharp q : law V q ->
  (forall z y t, (z < V)%nat -> (y < V)%nat -> z <> y -> 0 <= t <= q z -> passes_none q z y t ->
    second_acceptance (moved q z y t) - second_acceptance q = t * (has_more y (q y) - has_no_less z (q z))) /\
  (forall z y, (z < V)%nat -> (y < V)%nat -> z <> y -> 0 < q z -> exists t, 0 < t <= q z /\ passes_none q z y t) /\
  ((forall rival, law V rival -> second_acceptance rival <= second_acceptance q) ->
    exists lambda, (forall y, (y < V)%nat -> has_more y (q y) <= lambda) /\
      (forall z, (z < V)%nat -> 0 < q z -> lambda <= has_no_less z (q z))).
Proof.
  intros Q. split; [intros; now apply move_change|].
  assert (Small : forall z y, (z < V)%nat -> (y < V)%nat -> z <> y -> 0 < q z -> exists t, 0 < t <= q z /\ passes_none q z y t).
  { intros z y Z Y D QZ. destruct (small_step (fun x => P x y - q y) N) as [t [T H]]. destruct (small_step (fun x => q z - P x z) N) as [u [U G]].
    exists (Rmin (q z) (Rmin t u)). split; [split; [repeat apply Rmin_glb_lt; easy | apply Rmin_l]|]. intros x X.
    pose proof (Rmin_r (q z) (Rmin t u)). pose proof (Rmin_l t u). pose proof (Rmin_r t u). split.
    - destruct (Rle_dec (P x y) (q y)) as [A|A]; [now left | right]. specialize (H x X ltac:(lra)). lra.
    - destruct (Rle_dec (q z) (P x z)) as [A|A]; [now left | right]. specialize (G x X ltac:(lra)). lra. }
  split; [exact Small|]. intros Best.
  assert (Order : forall z y, (z < V)%nat -> (y < V)%nat -> 0 < q z -> has_more y (q y) <= has_no_less z (q z)).
  { intros z y Z Y QZ. destruct (Nat.eq_dec z y) as [->|D]; [apply more_no_less|]. destruct (Small z y Z Y D QZ) as [t [T None]].
    pose proof (move_change q z y t Q Z Y D ltac:(lra) None) as C. pose proof (Best (moved q z y t) (moved_law q z y t Q Z Y D ltac:(lra))).
    destruct (Rle_dec (has_more y (q y)) (has_no_less z (q z))) as [|W]; [easy|]. exfalso.
    assert (0 < t * (has_more y (q y) - has_no_less z (q z))) by (apply Rmult_lt_0_compat; lra). lra. }
  assert (Most : forall n, (n <= V)%nat -> exists lambda, (forall y, (y < n)%nat -> has_more y (q y) <= lambda) /\
    (forall z, (z < V)%nat -> 0 < q z -> lambda <= has_no_less z (q z))).
  { induction n as [|n IH]; intros L.
    - exists 0. split; [intros; lia|]. intros z Z _. unfold has_no_less, chance. rewrite expect_draw. apply sum_nonneg. intros x X.
      apply Rmult_le_pos; [now apply (law_nonneg N)|]. unfold indicator. destruct (Rle_dec (q z) (P x z)); lra.
    - destruct IH as [l [A B]]; [lia|]. exists (Rmax l (has_more n (q n))). split.
      + intros y Y. destruct (Nat.eq_dec y n) as [->|]; [apply Rmax_r | eapply Rle_trans; [apply A; lia | apply Rmax_l]].
      + intros z Z QZ. apply Rmax_lub; [now apply B | apply Order; easy || lia]. }
  exact (Most V (Nat.le_refl V)).
Qed.

Lemma rejection q : law V q -> 1 - second_acceptance q = sum N (fun x => a x * tv V (P x) q).
Proof.
  intros Q. rewrite second_overlap by easy. destruct first_law as [_ One]. rewrite <- One at 1. rewrite <- sum_minus. apply sum_ext. intros x X.
  rewrite (overlap_tv V (P x) q (second_law x X) Q), tv_sym. ring.
Qed.

Lemma marginal_tv q : tv V marginal q <= sum N (fun x => a x * tv V (P x) q).
Proof.
  unfold tv. rewrite (sum_ext N _ (fun x => / 2 * (a x * sum V (fun y => Rabs (P x y - q y))))) by (intros; ring). rewrite sum_scale.
  apply Rmult_le_compat_l; [lra|]. rewrite (sum_ext N _ (fun x => sum V (fun y => a x * Rabs (P x y - q y)))) by (intros; now rewrite sum_scale).
  rewrite sum_swap. apply sum_le. intros y L. unfold marginal.
  replace (sum N (fun x => a x * P x y) - q y) with (sum N (fun x => a x * (P x y - q y))).
  - eapply Rle_trans; [apply sum_abs|]. apply sum_le. intros x X. rewrite Rabs_mult, (Rabs_pos_eq (a x)); [lra | now apply (law_nonneg N)].
  - rewrite (sum_ext N _ (fun x => a x * P x y - a x * q y)) by (intros; ring). rewrite sum_minus, sum_scale_right.
    destruct first_law as [_ ->]. ring.
Qed.

Lemma marginal_twice q : law V q -> 1 - second_acceptance marginal <= 2 * (1 - second_acceptance q).
Proof.
  intros Q. rewrite !rejection by (easy || apply marginal_law). pose proof (marginal_tv q) as M.
  apply (Rle_trans _ (sum N (fun x => a x * tv V (P x) q + a x * tv V marginal q))).
  - apply sum_le. intros x X. rewrite <- Rmult_plus_distr_l. apply Rmult_le_compat_l; [now apply (law_nonneg N)|].
    rewrite (tv_sym V marginal q). apply tv_triangle.
  - rewrite sum_plus, sum_scale_right. destruct first_law as [_ ->]. lra.
Qed.

End Second.

(** The marginal's rejection is at most twice that of any law q for the second token; 2 is the least constant. *)
Theorem parallel_marginal_half :
  (forall N V a P q, law N a -> (forall x, (x < N)%nat -> law V (P x)) -> law V q ->
    1 - second_acceptance N V a P (marginal N a P) <= 2 * (1 - second_acceptance N V a P q)) /\
  forall c, c < 2 -> exists N V a P q, law N a /\ (forall x, (x < N)%nat -> law V (P x)) /\ law V q /\
    c * (1 - second_acceptance N V a P q) < 1 - second_acceptance N V a P (marginal N a P).
Proof.
  split; [intros; now apply marginal_twice|]. intros c C. set (e := Rmin (/ 2) ((2 - c) / 4)).
  assert (E : 0 < e <= / 2) by (unfold e; split; [apply Rmin_glb_lt; lra | apply Rmin_l]).
  assert (E' : e <= (2 - c) / 4) by apply Rmin_r.
  set (a := fun x => if Nat.eqb x 0 then 1 - e else e). set (P := fun x y => if Nat.eqb x y then 1 else 0).
  assert (A : law 2 a) by (split; [intros [|[|x]] _; unfold a; simpl; lra | unfold a; simpl; lra]).
  assert (PL : forall x, (x < 2)%nat -> law 2 (P x)).
  { intros [|[|x]] L; [| |lia]; (split; [intros [|[|y]] _; unfold P; simpl; lra | unfold P; simpl; lra]). }
  exists 2%nat, 2%nat, a, P, (P 0%nat). split; [exact A|]. split; [exact PL|]. split; [apply PL; lia|].
  rewrite !rejection by (easy || (apply PL; lia) || now apply marginal_law).
  assert (M : marginal 2 a P 0%nat = 1 - e /\ marginal 2 a P 1%nat = e) by (unfold marginal, a, P; simpl; lra). destruct M as [M0 M1].
  unfold tv. cbn [sum]. rewrite M0, M1. unfold a, P. simpl.
  replace (1 - (1 - e)) with e by ring. replace (0 - (1 - e)) with (- (1 - e)) by ring. replace (0 - e) with (- e) by ring.
  replace (1 - 1) with 0 by ring. replace (0 - 0) with 0 by ring. replace (0 - 1) with (- (1)) by ring. replace (1 - 0) with 1 by ring.
  rewrite !Rabs_Ropp, Rabs_R0, Rabs_R1, (Rabs_pos_eq e), (Rabs_pos_eq (1 - e)) by lra. nra.
Qed.

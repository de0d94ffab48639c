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

(** RDK beside a static mixture: fixed masses put outside the shared vocabulary, the best of them filled to one level. *)

Require Import Reals Lra Lia List Arith Bool.
Require Import laws lossless rdk.
Import ListNotations.
Open Scope R_scope.

Section Masses.

(** Contexts with their law; after each a target law, and a draft that is on the shared tokens alone. *)
Variables C V : nat.
Variable pi : nat -> R.
Variables p d : nat -> nat -> R.
Variable shared : nat -> bool.
Hypothesis contexts : law C pi.
Hypothesis target_law : forall c, (c < C)%nat -> law V (p c).
Hypothesis draft_law : forall c, (c < C)%nat -> law V (d c).
Hypothesis inside : forall c x, (c < C)%nat -> (x < V)%nat -> shared x = false -> d c x = 0.

(** Fixed masses outside the shared tokens, no more than one in all; the draft beside them, (1 - w) q' + a with w their sum. *)
Definition total (m : nat -> R) : R := sum V (fun x => if shared x then 0 else m x).
Definition are_masses (m : nat -> R) : Prop := (forall x, (x < V)%nat -> shared x = false -> 0 <= m x) /\ total m <= 1.
Definition beside (m : nat -> R) (c x : nat) : R := (1 - total m) * d c x + if shared x then 0 else m x.

(** Mean acceptance over the contexts. *)
Definition mean_acceptance (m : nat -> R) : R := expect (draw C pi) (fun c => acceptance V (p c) (beside m c)).

(** How likely a context's target has more of a token than so much, or no less; the draft's mass, on average, on shared tokens of which
    the target wants more than a share of it, or no less. *)
Definition wants_more (x : nat) (m : R) : R := chance (draw C pi) (fun c => if Rlt_dec m (p c x) then true else false).
Definition wants_no_less (x : nat) (m : R) : R := chance (draw C pi) (fun c => if Rle_dec m (p c x) then true else false).
Definition wanted (s : R) : R :=
  expect (draw C pi) (fun c => sum V (fun x => if shared x then if Rlt_dec (s * d c x) (p c x) then d c x else 0 else 0)).
Definition wanted_or_equal (s : R) : R :=
  expect (draw C pi) (fun c => sum V (fun x => if shared x then if Rle_dec (s * d c x) (p c x) then d c x else 0 else 0)).

Lemma beside_law m c : are_masses m -> (c < C)%nat -> law V (beside m c).
Proof.
  intros [N W] L. destruct (draft_law c L) as [D One]. split.
  - intros x X. unfold beside. specialize (D x X). assert (0 <= (1 - total m) * d c x) by (apply Rmult_le_pos; lra).
    destruct (shared x) eqn:E; [lra|]. specialize (N x X E). lra.
  - unfold beside. rewrite sum_plus, sum_scale, One. fold (total m). ring.
Qed.

Lemma mean_overlap m : are_masses m -> mean_acceptance m = sum C (fun c => pi c * overlap V (p c) (beside m c)).
Proof.
  intros M. unfold mean_acceptance. rewrite expect_draw. apply sum_ext. intros c L. f_equal. unfold acceptance.
  apply sd_acceptance; [now apply target_law | now apply beside_law].
Qed.

Lemma outside_gain m b lambda x : are_masses m -> are_masses b -> (x < V)%nat -> shared x = false ->
  wants_more x (m x) <= lambda -> (0 < m x -> lambda <= wants_no_less x (m x)) ->
  sum C (fun c => pi c * (Rmin (p c x) (b x) - Rmin (p c x) (m x))) <= lambda * (b x - m x).
Proof.
  intros [NM _] [NB _] X E More NoLess. specialize (NM x X E). specialize (NB x X E). unfold wants_more, wants_no_less, chance in *.
  rewrite expect_draw in More. destruct (Rle_dec (m x) (b x)) as [H|H].
  - apply (Rle_trans _ (sum C (fun c => (b x - m x) * (pi c * indicator (if Rlt_dec (m x) (p c x) then true else false))))).
    + apply sum_le. intros c L. pose proof (law_nonneg C pi c contexts L). unfold indicator, Rmin.
      destruct (Rlt_dec (m x) (p c x)), (Rle_dec (p c x) (b x)), (Rle_dec (p c x) (m x)); nra.
    + rewrite sum_scale, (Rmult_comm lambda). apply Rmult_le_compat_l; lra.
  - specialize (NoLess ltac:(lra)). rewrite expect_draw in NoLess.
    apply (Rle_trans _ (sum C (fun c => - (m x - b x) * (pi c * indicator (if Rle_dec (m x) (p c x) then true else false))))).
    + apply sum_le. intros c L. pose proof (law_nonneg C pi c contexts L). unfold indicator, Rmin.
      destruct (Rle_dec (m x) (p c x)), (Rle_dec (p c x) (b x)), (Rle_dec (p c x) (m x)); nra.
    + rewrite sum_scale.
      assert ((m x - b x) * lambda <= (m x - b x) * sum C (fun c => pi c * indicator (if Rle_dec (m x) (p c x) then true else false)))
        by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma shared_gain s s' lambda : (s < s' -> wanted s <= lambda) -> lambda <= wanted_or_equal s ->
  sum C (fun c => pi c * sum V (fun x => if shared x then Rmin (p c x) (s' * d c x) - Rmin (p c x) (s * d c x) else 0)) <= lambda * (s' - s).
Proof.
  intros Less More. unfold wanted, wanted_or_equal in *. rewrite expect_draw in More. destruct (Rlt_dec s s') as [H|H].
  - specialize (Less H). rewrite expect_draw in Less.
    apply (Rle_trans _ (sum C (fun c => (s' - s) * (pi c * sum V (fun x => if shared x then if Rlt_dec (s * d c x) (p c x) then d c x else 0 else 0))))).
    + apply sum_le. intros c L. pose proof (law_nonneg C pi c contexts L) as P.
      replace ((s' - s) * (pi c * sum V (fun x => if shared x then if Rlt_dec (s * d c x) (p c x) then d c x else 0 else 0)))
        with (pi c * sum V (fun x => (s' - s) * (if shared x then if Rlt_dec (s * d c x) (p c x) then d c x else 0 else 0)))
        by (rewrite sum_scale; ring).
      apply Rmult_le_compat_l; [easy|]. apply sum_le. intros x X. pose proof (law_nonneg V (d c) x (draft_law c L) X).
      destruct (shared x); [|lra]. assert (s * d c x <= s' * d c x) by nra. unfold Rmin.
      destruct (Rlt_dec (s * d c x) (p c x)), (Rle_dec (p c x) (s' * d c x)), (Rle_dec (p c x) (s * d c x)); lra.
    + rewrite sum_scale, (Rmult_comm lambda). apply Rmult_le_compat_l; lra.
  - apply (Rle_trans _ (sum C (fun c => - (s - s') * (pi c * sum V (fun x => if shared x then if Rle_dec (s * d c x) (p c x) then d c x else 0 else 0))))).
    + apply sum_le. intros c L. pose proof (law_nonneg C pi c contexts L) as P.
      replace (- (s - s') * (pi c * sum V (fun x => if shared x then if Rle_dec (s * d c x) (p c x) then d c x else 0 else 0)))
        with (pi c * sum V (fun x => - (s - s') * (if shared x then if Rle_dec (s * d c x) (p c x) then d c x else 0 else 0)))
        by (rewrite sum_scale; ring).
      apply Rmult_le_compat_l; [easy|]. apply sum_le. intros x X. pose proof (law_nonneg V (d c) x (draft_law c L) X).
      destruct (shared x); [|lra]. assert (s' * d c x <= s * d c x) by nra. unfold Rmin.
      destruct (Rle_dec (s * d c x) (p c x)), (Rle_dec (p c x) (s' * d c x)), (Rle_dec (p c x) (s * d c x)); lra.
    + rewrite sum_scale. set (w := sum C _) in *. assert ((s - s') * lambda <= (s - s') * w) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(** Draft from (1 - w) q' + a with fixed masses a_x outside the shared tokens I and w = Σ a_x: no other masses b have a higher mean
    acceptance over the contexts than masses a for which there is a level λ with Pr(p_x > a_x) <= λ for x outside I,
    λ <= Pr(p_x >= a_x) where a_x > 0, and E q'{x in I: (1 - w) q'_x < p_x} <= λ <= E q'{x in I: (1 - w) q'_x <= p_x}, the left one
    only for w > 0. *)
Theorem rdk_static_mixture a lambda : are_masses a ->
  (forall x, (x < V)%nat -> shared x = false -> wants_more x (a x) <= lambda) ->
  (forall x, (x < V)%nat -> shared x = false -> 0 < a x -> lambda <= wants_no_less x (a x)) ->
  (0 < total a -> wanted (1 - total a) <= lambda) -> lambda <= wanted_or_equal (1 - total a) ->
  forall b, are_masses b -> mean_acceptance b <= mean_acceptance a.
Proof.
  intros A More NoLess Left Right b B. rewrite !mean_overlap by easy. apply Rminus_le. rewrite <- sum_minus.
  rewrite (sum_ext C _ (fun c => pi c * sum V (fun x => if shared x then Rmin (p c x) ((1 - total b) * d c x) - Rmin (p c x) ((1 - total a) * d c x) else 0)
    + sum V (fun x => if shared x then 0 else pi c * (Rmin (p c x) (b x) - Rmin (p c x) (a x))))).
  - rewrite sum_plus, sum_swap.
    assert (I : sum C (fun c => pi c * sum V (fun x => if shared x then Rmin (p c x) ((1 - total b) * d c x) - Rmin (p c x) ((1 - total a) * d c x) else 0))
      <= lambda * ((1 - total b) - (1 - total a))).
    { apply shared_gain; [|exact Right]. intros H. apply Left. destruct B as [NB _].
      assert (0 <= total b); [|lra]. apply sum_nonneg. intros x X. destruct (shared x) eqn:E; [lra | now apply NB]. }
    assert (O : sum V (fun x => sum C (fun c => if shared x then 0 else pi c * (Rmin (p c x) (b x) - Rmin (p c x) (a x)))) <= lambda * (total b - total a)).
    { unfold total. rewrite <- sum_minus, <- sum_scale. apply sum_le. intros x X. destruct (shared x) eqn:E; [rewrite sum_zero; lra|].
      apply outside_gain; auto. }
    lra.
  - intros c L. unfold overlap. rewrite <- Rmult_minus_distr_l, <- sum_minus. rewrite <- !sum_scale, <- sum_plus. apply sum_ext. intros x X.
    unfold beside. destruct (shared x) eqn:E; [rewrite !Rplus_0_r; ring|]. rewrite (inside c x L X E), !Rmult_0_r, !Rplus_0_l. ring.
Qed.

End Masses.

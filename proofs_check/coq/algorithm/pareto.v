(** Static ensembles against all rules of one step. *)

Require Import Reals Lra Lia List Arith.
Require Import laws lossless ears dobrushin relaxed.
Open Scope R_scope.

Section Pareto.

Variable V : nat.
Variables p q : nat -> R.
Hypothesis target_law : law V p.
Hypothesis draft_law : law V q.

(** A rule keeps a draft with a probability of its own, and draws from a law that may depend on the draft after a rejection. *)
Variable a : nat -> R.
Variable replacement : nat -> nat -> R.
Hypothesis a_range : forall x, (x < V)%nat -> 0 <= a x <= 1.
Hypothesis replacement_law : forall x, (x < V)%nat -> law V (replacement x).

(** No rule accepts more often than the static ensemble of the same total variation of the output from the target. *)
Theorem relaxed_ensemble_pareto_best w : 0 <= w <= 1 ->
  tv V (output (rule V q a replacement)) p = tv V (output (step V (ensemble w p q) q)) p ->
  ears.acceptance V q a
    <= expect (draw V q) (fun x => chance (coin (Rmin 1 (ensemble w p q x / q x))) (fun kept => kept)).
Proof.
  intros W Same. destruct (relaxed_ensemble_law V w p q W target_law draft_law) as [Out Acc]. rewrite Acc.
  pose proof (ears_best_tradeoff V p q target_law draft_law a replacement a_range replacement_law) as B.
  eapply Rle_trans; [exact B|]. rewrite Same, overlap_tv by easy.
  assert (E : tv V (output (step V (ensemble w p q) q)) p = (1 - w) * tv V q p).
  { unfold tv. rewrite <- Rmult_assoc, (Rmult_comm (1 - w)), Rmult_assoc. f_equal. rewrite <- sum_scale. apply sum_ext.
    intros x L. rewrite Out by exact L. replace (w * p x + (1 - w) * q x - p x) with ((1 - w) * (q x - p x)) by ring.
    rewrite Rabs_mult, (Rabs_pos_eq (1 - w)) by lra. easy. }
  rewrite E, !(tv_sym V q p). lra.
Qed.

(** How far a number is from what is between two others. *)
Definition beside (o low high : R) : R := Rmax 0 (o - high) + Rmax 0 (low - o).

(** What a rule with kept mass k and output law o accepts is less than α_SD + TV(o, p) by Σ (min(o, q) - k) and the distances of o
    from [min(p, q), max(p, q)]; no summand is negative, so that none is lacking exactly where k = min(o, q) and o is between p
    and q at every token. *)
Theorem relaxed_ensemble_pareto_unique_corrected :
  let o := output (rule V q a replacement) in let k := kept q a in
  overlap V p q + tv V o p - ears.acceptance V q a
    = sum V (fun x => Rmin (o x) (q x) - k x) + sum V (fun x => beside (o x) (Rmin (p x) (q x)) (Rmax (p x) (q x))) /\
  (forall x, (x < V)%nat -> 0 <= Rmin (o x) (q x) - k x) /\
  (overlap V p q + tv V o p = ears.acceptance V q a <->
    forall x, (x < V)%nat -> k x = Rmin (o x) (q x) /\ Rmin (p x) (q x) <= o x <= Rmax (p x) (q x)).
Proof.
  intros o k.
  assert (E : overlap V p q + tv V o p - ears.acceptance V q a
    = sum V (fun x => Rmin (o x) (q x) - k x) + sum V (fun x => beside (o x) (Rmin (p x) (q x)) (Rmax (p x) (q x)))).
  { unfold o. rewrite tv_positive by (now apply (output_total V p q)). fold o.
    unfold overlap, ears.acceptance. rewrite expect_draw, <- !sum_plus, <- sum_minus. apply sum_ext. intros x _.
    change (q x * a x) with (k x). unfold beside, Rmin, Rmax.
    repeat match goal with |- context [Rle_dec ?u ?v] => destruct (Rle_dec u v) end; lra. }
  assert (Kept : forall x, (x < V)%nat -> 0 <= Rmin (o x) (q x) - k x).
  { intros x L. assert (k x <= Rmin (o x) (q x)); [|lra]. apply Rmin_glb; [|now apply (kept_le V q a)].
    unfold o. rewrite rule_output by exact L. fold (k x). assert (0 <= replaced V q a replacement x); [|fold k; lra].
    apply sum_nonneg. intros y Y. apply Rmult_le_pos; [apply Rmult_le_pos|].
    - now apply (law_nonneg V).
    - specialize (a_range y Y). lra.
    - now apply (law_nonneg V), L; apply replacement_law. }
  assert (Beside : forall x, 0 <= beside (o x) (Rmin (p x) (q x)) (Rmax (p x) (q x))).
  { intros x. unfold beside. pose proof (Rmax_l 0 (o x - Rmax (p x) (q x))). pose proof (Rmax_l 0 (Rmin (p x) (q x) - o x)). lra. }
  split; [exact E|]. split; [exact Kept|].
  assert (Z : overlap V p q + tv V o p = ears.acceptance V q a <->
    sum V (fun x => Rmin (o x) (q x) - k x + beside (o x) (Rmin (p x) (q x)) (Rmax (p x) (q x))) = 0).
  { rewrite sum_plus, <- E. lra. }
  rewrite Z. split.
  - intros S x L. pose proof (sum_zero_terms V _ (fun y Y => Rplus_le_le_0_compat _ _ (Kept y Y) (Beside y)) S x L) as T.
    cbv beta in T. specialize (Kept x L). specialize (Beside x). split; [lra|]. unfold beside in *.
    pose proof (Rmax_r 0 (o x - Rmax (p x) (q x))). pose proof (Rmax_r 0 (Rmin (p x) (q x) - o x)).
    pose proof (Rmax_l 0 (o x - Rmax (p x) (q x))). pose proof (Rmax_l 0 (Rmin (p x) (q x) - o x)). lra.
  - intros H. rewrite (sum_ext V _ (fun _ => 0)); [apply sum_zero|]. intros x L. destruct (H x L) as [Kx [A B]].
    unfold beside. rewrite !Rmax_left by lra. lra.
Qed.

End Pareto.

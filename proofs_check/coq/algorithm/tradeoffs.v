(** How often a rule of one step refuses a draft and how far from the target it emits; one threshold for two tests; a certain draft. *)

Require Import Reals Lra Lia List Arith Bool.
Require Import laws lossless ears rdk dobrushin relaxed sqs dropped.
Import ListNotations.
Open Scope R_scope.

Section Tradeoff.

Variable V : nat.
Variables p q : nat -> R.
Hypothesis target_law : law V p.
Hypothesis draft_law : law V q.

(** A rule keeps a draft with probability a, the mass k = q a <= q of it, and else draws from a residual: the least total variation
    of what it emits from the target, over all residuals. *)
Definition is_share (a : nat -> R) : Prop := forall x, (x < V)%nat -> 0 <= a x <= 1.
Definition is_least_tv (a : nat -> R) (v : R) : Prop :=
  (forall r, law V r -> v <= tv V (output (rule V q a (fun _ => r))) p) /\
  exists r, law V r /\ tv V (output (rule V q a (fun _ => r))) p = v.
Definition rejects (a : nat -> R) : R := 1 - ears.acceptance V q a.

Lemma lacking a : is_share a -> rejects a + unavoidable V p q a = sum V (fun x => Rmax 0 (p x - kept q a x)).
Proof.
  intros A. pose proof (missing_mass V p q a target_law) as M. unfold kept_mass in M. rewrite M. unfold rejects, refused, ears.acceptance.
  rewrite expect_draw. easy.
Qed.

Lemma least_tv a : is_share a -> is_least_tv a (unavoidable V p q a).
Proof.
  intros A. destruct (relaxed_optimal_residual V p q a target_law draft_law A) as [Lower Attained]. split; [exact Lower|].
  pose proof (refused_nonneg V q a draft_law A) as F. pose proof (unavoidable_nonneg V p q a) as U.
  pose proof (missing_mass V p q a target_law) as M.
  destruct (Rlt_dec 0 (sum V (fun y => Rmax 0 (p y - kept_mass q a y)))) as [P|N].
  - exists (best_residual V p q a). split; [|exact Attained]. split.
    + intros x _. unfold best_residual. apply Rmult_le_pos; [apply Rmax_l | left; now apply Rinv_0_lt_compat].
    + unfold best_residual, Rdiv. rewrite sum_scale_right. apply Rinv_r. lra.
  - exists p. split; [easy|]. assert (Z : refused V q a = 0) by lra. rewrite <- Attained. apply tv_ext. intros y Y.
    rewrite !(rule_with V q a draft_law) by easy. rewrite Z. ring.
Qed.

Lemma least_tv_once a v w : is_least_tv a v -> is_least_tv a w -> v = w.
Proof. intros [L [r [R <-]]] [L' [r' [R' <-]]]. apply Rle_antisym; auto. Qed.

(** The probability of a rejection and the least TV(output, p) have the sum TV(p, q) for every kept mass l with
    min(p, q) <= l <= q, and no smaller one for any k <= q. *)
Theorem relaxed_tradeoff a : is_share a -> exists v, is_least_tv a v /\ tv V p q <= rejects a + v /\
  ((forall x, (x < V)%nat -> Rmin (p x) (q x) <= kept q a x) -> rejects a + v = tv V p q).
Proof.
  intros A. exists (unavoidable V p q a). split; [now apply least_tv|]. rewrite lacking by easy.
  assert (T : tv V p q = sum V (fun x => Rmax 0 (p x - q x))) by (apply tv_positive; destruct draft_law as [_ ->]; apply target_law).
  rewrite T. split.
  - apply sum_le. intros x L. pose proof (kept_le V q a draft_law A x L) as K. unfold kept_mass in K. unfold Rmax.
    destruct (Rle_dec 0 (p x - q x)), (Rle_dec 0 (p x - kept q a x)); lra.
  - intros All. apply sum_ext. intros x L. pose proof (kept_le V q a draft_law A x L) as K. unfold kept_mass in K. specialize (All x L).
    unfold Rmin in All. destruct (Rle_dec (p x) (q x)); [rewrite !Rmax_left; lra | f_equal; lra].
Qed.

(** min(p, q), and the share min(1, ε/(1 - α)) of the rest of q. *)
Definition spent_share (epsilon : R) : R := if Rlt_dec (overlap V p q) 1 then Rmin 1 (epsilon / (1 - overlap V p q)) else 1.
Definition spent (epsilon : R) (x : nat) : R := Rmin (p x) (q x) + spent_share epsilon * Rmax 0 (q x - p x).
Definition spending (epsilon : R) (x : nat) : R := Rmin 1 (p x / q x) + spent_share epsilon * (1 - Rmin 1 (p x / q x)).

Lemma overlap_most : overlap V p q <= 1.
Proof. destruct target_law as [_ <-]. apply sum_le. intros. apply Rmin_l. Qed.

Lemma spent_share_range epsilon : 0 <= epsilon -> 0 <= spent_share epsilon <= 1.
Proof.
  intros E. unfold spent_share. destruct (Rlt_dec (overlap V p q) 1); [|lra]. split; [|apply Rmin_l]. apply Rmin_glb; [lra|].
  apply Rmult_le_pos; [easy | left; apply Rinv_0_lt_compat; lra].
Qed.

Lemma ratio_range x : (x < V)%nat -> 0 <= Rmin 1 (p x / q x) <= 1.
Proof.
  intros L. destruct (law_nonneg V q x draft_law L) as [Q|<-]; [apply keep_range; [now apply (law_nonneg V) | easy]|].
  unfold Rdiv. rewrite Rinv_0, Rmult_0_r, Rmin_right; lra.
Qed.

Lemma spending_share epsilon : 0 <= epsilon -> is_share (spending epsilon).
Proof.
  intros E x L. pose proof (ratio_range x L) as A. pose proof (spent_share_range epsilon E) as S. unfold spending.
  assert (0 <= spent_share epsilon * (1 - Rmin 1 (p x / q x))) by (apply Rmult_le_pos; lra).
  assert (spent_share epsilon * (1 - Rmin 1 (p x / q x)) <= 1 * (1 - Rmin 1 (p x / q x))) by (apply Rmult_le_compat_r; lra). lra.
Qed.

Lemma spending_mass epsilon x : (x < V)%nat -> kept q (spending epsilon) x = spent epsilon x.
Proof.
  intros L. unfold kept, spending, spent. pose proof (keep_mass (p x) (q x) (law_nonneg V p x target_law L) (law_nonneg V q x draft_law L)) as K.
  rewrite <- K. assert (E : Rmax 0 (q x - p x) = q x - Rmin (p x) (q x)).
  { unfold Rmin, Rmax. destruct (Rle_dec (p x) (q x)), (Rle_dec 0 (q x - p x)); lra. }
  rewrite E, <- K. ring.
Qed.

Lemma rest_mass : sum V (fun x => Rmax 0 (q x - p x)) = 1 - overlap V p q.
Proof.
  unfold overlap. destruct draft_law as [_ One]. rewrite <- One, <- sum_minus. apply sum_ext. intros x _.
  unfold Rmin, Rmax. destruct (Rle_dec (p x) (q x)), (Rle_dec 0 (q x - p x)); lra.
Qed.

Lemma spent_pays epsilon : 0 <= epsilon -> spent_share epsilon * (1 - overlap V p q) = Rmin (1 - overlap V p q) epsilon.
Proof.
  intros E. pose proof overlap_most as M. unfold spent_share. destruct (Rlt_dec (overlap V p q) 1) as [L|L].
  - set (c := 1 - overlap V p q) in *. assert (P : 0 < c) by (unfold c; lra). unfold Rmin.
    assert (D : epsilon / c * c = epsilon) by (field; lra).
    destruct (Rle_dec 1 (epsilon / c)) as [A|A], (Rle_dec c epsilon) as [B|B]; try lra.
    + exfalso. apply B. rewrite <- D. rewrite <- (Rmult_1_l c) at 1. apply Rmult_le_compat_r; lra.
    + exfalso. apply A. apply (Rmult_le_reg_r c); lra.
  - rewrite Rmin_left; lra.
Qed.

(** The best acceptance at total variation ε is min(1, α + ε): no kept mass k <= q with a residual at that distance accepts more, and
    min(p, q) with the share min(1, ε/(1 - α)) of (q - p)₊ accepts so much and is no farther from p. *)
Theorem relaxed_tradeoff_best epsilon : 0 <= epsilon ->
  (forall a r, is_share a -> law V r -> tv V (output (rule V q a (fun _ => r))) p <= epsilon ->
    ears.acceptance V q a <= Rmin 1 (overlap V p q + epsilon)) /\
  exists a r, is_share a /\ law V r /\ (forall x, (x < V)%nat -> kept q a x = spent epsilon x) /\
    ears.acceptance V q a = Rmin 1 (overlap V p q + epsilon) /\ tv V (output (rule V q a (fun _ => r))) p <= epsilon.
Proof.
  intros E. split.
  - intros a r A R T. apply Rmin_glb.
    + unfold ears.acceptance. rewrite expect_draw. destruct draft_law as [N One]. rewrite <- One. apply sum_le. intros x L.
      specialize (N x L). specialize (A x L). rewrite <- (Rmult_1_r (q x)) at 2. apply Rmult_le_compat_l; lra.
    + pose proof (ears_best_tradeoff V p q target_law draft_law a (fun _ => r) A (fun _ _ => R)). lra.
  - pose proof (spending_share epsilon E) as S. destruct (least_tv (spending epsilon) S) as [_ [r [R T]]].
    exists (spending epsilon), r. split; [easy|]. split; [easy|]. split; [intros x L; now apply spending_mass|].
    pose proof overlap_most as M. pose proof (spent_pays epsilon E) as P. split.
    + unfold ears.acceptance. rewrite expect_draw. change (sum V (fun x => q x * spending epsilon x)) with (sum V (kept q (spending epsilon))).
      rewrite (sum_ext V _ (spent epsilon)) by (intros; now apply spending_mass). unfold spent. rewrite sum_plus, sum_scale, rest_mass, P.
      change (sum V (fun x => Rmin (p x) (q x))) with (overlap V p q).
      unfold Rmin. destruct (Rle_dec (1 - overlap V p q) epsilon), (Rle_dec 1 (overlap V p q + epsilon)); lra.
    + rewrite T. unfold unavoidable. rewrite (sum_ext V _ (fun x => spent_share epsilon * Rmax 0 (q x - p x))).
      * rewrite sum_scale, rest_mass, P. apply Rmin_r.
      * intros x L. unfold kept_mass. rewrite spending_mass by easy. unfold spent. pose proof (spent_share_range epsilon E) as B.
        destruct (Rle_dec (p x) (q x)).
        -- rewrite Rmin_left, (Rmax_right 0 (q x - p x)) by lra. assert (0 <= spent_share epsilon * (q x - p x)) by (apply Rmult_le_pos; lra).
           rewrite Rmax_right; lra.
        -- rewrite Rmin_right, (Rmax_left 0 (q x - p x)) by lra. rewrite Rmult_0_r. apply Rmax_left. lra.
Qed.

(** * One threshold *)

(** A coin that is uniform between 0 and 1 passes a test with probability v: it does below v, and above it does not. *)
Definition passes_with_probability (test : R -> bool) (v : R) : Prop :=
  0 <= v <= 1 /\ forall u, 0 <= u <= 1 -> (u < v -> test u = true) /\ (v < u -> test u = false).

(** R = p/q; “first checks standard condition R ≥ U, then checks R ≥ U - Tolerance for borderline cases”, on the same coin. *)
Definition standard_test (x : nat) (u : R) : bool := if Rle_dec u (p x / q x) then true else false.
Definition pardon_test (t : R) (x : nat) (u : R) : bool := if Rle_dec (u - t) (p x / q x) then true else false.
Definition accepted (t : R) (x : nat) (u : R) : bool := if standard_test x u then true else pardon_test t x u.

(** The two paths together accept a drafted token with probability min(1, p/q + t), t = β (1 - max p), where both tests use the same
    coin; so does the rule that keeps it with that probability. *)
Theorem ears_single_threshold beta x : 0 <= beta -> (x < V)%nat -> 0 < q x ->
  let t := beta * (1 - largest V p) in
  passes_with_probability (accepted t x) (Rmin 1 (p x / q x + t)) /\
  kept q (passes p q (tolerance V p beta)) x / q x = Rmin 1 (p x / q x + t).
Proof.
  intros B L Q t. assert (T : 0 <= t) by now apply (tolerance_nonneg V p target_law).
  assert (P : 0 <= p x / q x) by (apply Rmult_le_pos; [now apply (law_nonneg V) | left; now apply Rinv_0_lt_compat]). split.
  - split; [split; [apply Rmin_glb; lra | apply Rmin_l]|]. intros u U. unfold accepted, standard_test, pardon_test. split; intros H.
    + pose proof (Rmin_r 1 (p x / q x + t)). destruct (Rle_dec u (p x / q x)); [easy|]. destruct (Rle_dec (u - t) (p x / q x)); [easy | lra].
    + assert (p x / q x + t < u).
      { unfold Rmin in H. destruct (Rle_dec 1 (p x / q x + t)); lra. }
      destruct (Rle_dec u (p x / q x)); [lra|]. destruct (Rle_dec (u - t) (p x / q x)); [lra | easy].
  - unfold kept, passes. change (tolerance V p beta) with t. field. lra.
Qed.

(** * A certain draft *)

(** The rule that is told that the draft was certain; and exact match, which draws from the target and accepts where that is the
    draft.  What is emitted, and whether the draft is accepted. *)
Definition told_certain (a : nat) : program (nat * bool) :=
  kept <- coin (Rmin 1 (p a / one_hot a a)) ;;
  if kept then ret (a, true) else (y <- draw V (residual V p (one_hot a)) ;; ret (y, false)).
Definition exact_match (a : nat) : program (nat * bool) := y <- draw V p ;; ret (y, Nat.eqb y a).

(** Of the draft a = argmax q the rule that is told it was certain and exact match both accept with probability p(a), and both emit
    with law p. *)
Theorem folk_one_hot_vs_match_corrected a : (a < V)%nat -> (forall x, (x < V)%nat -> q x <= q a) ->
  keeps (told_certain a) = p a /\ keeps (exact_match a) = p a /\
  (forall y, (y < V)%nat -> emits (told_certain a) y = p y) /\ (forall y, (y < V)%nat -> emits (exact_match a) y = p y).
Proof.
  intros L _. assert (One : one_hot a a = 1) by (unfold one_hot; now rewrite Nat.eqb_refl).
  assert (H : law V (one_hot a)).
  { split; [intros y _; unfold one_hot; destruct (Nat.eqb y a); lra | apply (sum_point V (fun _ => 1) a L)]. }
  assert (A : Rmin 1 (p a / one_hot a a) = p a).
  { rewrite One. unfold Rdiv. rewrite Rinv_1, Rmult_1_r. apply Rmin_right. now apply (law_le_1 V). }
  split; [|split; [|split]].
  - unfold keeps, chance, told_certain. rewrite expect_bind, expect_coin, expect_ret, expect_bind, expect_draw, A.
    rewrite (sum_ext V _ (fun _ => 0)), sum_zero by (intros; rewrite expect_ret; unfold indicator; simpl; ring). unfold indicator. simpl. ring.
  - unfold keeps, chance, exact_match. rewrite expect_bind, expect_draw, <- (sum_point V p a L). apply sum_ext. intros y _.
    rewrite expect_ret. unfold indicator. simpl. destruct (Nat.eqb y a); ring.
  - apply (emits_law V). intros g. unfold told_certain. rewrite expect_bind, expect_coin, expect_ret, expect_bind, expect_draw.
    rewrite <- (step_value V p (one_hot a) g target_law H). symmetry.
    rewrite (sum_ext V (fun x => one_hot a x * _) (fun x => if Nat.eqb x a then Rmin 1 (p x / one_hot a x) * g x
      + (1 - Rmin 1 (p x / one_hot a x)) * sum V (fun y => residual V p (one_hot a) y * g y) else 0)).
    + rewrite sum_point by easy. simpl fst. f_equal. f_equal. apply sum_ext. intros y _. now rewrite expect_ret.
    + intros x _. unfold one_hot at 1. destruct (Nat.eqb x a); ring.
  - apply (emits_law V). intros g. unfold exact_match. rewrite expect_bind, expect_draw. apply sum_ext. intros y _. now rewrite expect_ret.
Qed.

End Tradeoff.

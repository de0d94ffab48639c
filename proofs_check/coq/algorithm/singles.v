(** One step more: noise in what is reported, overshoot, shared drafts, processors and masks, and rules of folklore. *)

Require Import Reals Lra Lia List Arith Bool.
Require Import laws lossless several ears rdk dobrushin relaxed sqs dropped certain block blocks.
Import ListNotations.
Open Scope R_scope.

(** * A law that is reported of tokens of another *)

Section Reported.

Variable V : nat.
Variables p reported : nat -> R.
Hypothesis target_law : law V p.
Hypothesis reported_law : law V reported.

(** How likely a token is to be accepted that has no reported mass. *)
Variable unreported : nat -> R.
Hypothesis chances : forall x, (x < V)%nat -> 0 <= unreported x <= 1.

(** A token is kept with min(1, p/r), r the reported law; else a token of (p - r)₊, or of p where nothing is left. *)
Definition accept (x : nat) : R := if Rlt_dec 0 (reported x) then Rmin 1 (p x / reported x) else unreported x.
Definition redrawn : nat -> R := made_law V (excess p reported) p.
Definition tested_by_reported (drawn : program nat) : program nat :=
  x <- drawn ;; (kept <- coin (accept x) ;; if kept then ret x else draw V redrawn).

Definition onwards (x y : nat) : R := accept x * (if Nat.eqb x y then 1 else 0) + (1 - accept x) * redrawn y.

Lemma redrawn_law : law V redrawn.
Proof. apply made_law_law; [intros; apply Rmax_l | exact target_law]. Qed.

Lemma accept_range x : (x < V)%nat -> 0 <= accept x <= 1.
Proof.
  intros L. unfold accept. destruct (Rlt_dec 0 (reported x)); [apply keep_range; [now apply (law_nonneg V) | easy] | now apply chances].
Qed.

Lemma onwards_law : row_stochastic V onwards.
Proof.
  intros x L. pose proof (accept_range x L) as A. destruct redrawn_law as [N One]. split.
  - intros y Y. specialize (N y Y). unfold onwards.
    apply Rplus_le_le_0_compat; apply Rmult_le_pos; try lra. destruct (Nat.eqb x y); lra.
  - unfold onwards. rewrite sum_plus, !sum_scale, One.
    rewrite (sum_ext V (fun y => if Nat.eqb x y then 1 else 0) (fun y => if Nat.eqb y x then 1 else 0))
      by (intros y _; now rewrite (Nat.eqb_sym x y)).
    rewrite (sum_point V (fun _ => 1)) by easy. ring.
Qed.

(** A token with reported mass that can be refused leaves something to draw. *)
Lemma refused_redrawn x y : (x < V)%nat -> 0 < reported x -> (1 - accept x) * redrawn y = (1 - accept x) * residual V p reported y.
Proof.
  intros L D. unfold redrawn, made_law. destruct (Rlt_dec 0 (sum V (excess p reported))) as [P|P]; [easy|].
  assert (Z : sum V (excess p reported) = 0).
  { assert (0 <= sum V (excess p reported)) by (apply sum_nonneg; intros; apply Rmax_l). lra. }
  assert (accept x = 1) as ->; [|ring]. unfold accept. destruct (Rlt_dec 0 (reported x)); [|easy]. now apply (kept_without_excess V p reported).
Qed.

Lemma onwards_mean y : (y < V)%nat -> image V reported onwards y = p y.
Proof.
  intros L. pose proof (step_value V p reported (fun z => if Nat.eqb z y then 1 else 0) target_law reported_law) as E.
  rewrite (sum_ext V (fun z => p z * _) (fun z => if Nat.eqb z y then p z else 0)), sum_point in E
    by (easy || (intros z _; destruct (Nat.eqb z y); ring)).
  rewrite (sum_ext V (fun z => residual V p reported z * _) (fun z => if Nat.eqb z y then residual V p reported z else 0)), sum_point in E
    by (easy || (intros z _; destruct (Nat.eqb z y); ring)).
  rewrite <- E. apply sum_ext. intros x X. unfold onwards. destruct (Rlt_dec 0 (reported x)) as [D|D].
  - rewrite (refused_redrawn x y X D). unfold accept. destruct (Rlt_dec 0 (reported x)); [ring | easy].
  - pose proof (law_nonneg V _ x reported_law X). replace (reported x) with 0 by lra. ring.
Qed.

Lemma reported_output drawn u : (forall f, expect drawn f = sum V (fun x => u x * f x)) ->
  forall y, (y < V)%nat -> output (tested_by_reported drawn) y = image V u onwards y.
Proof.
  intros D. apply (output_expect V _ (fun y => image V u onwards y)). intros f. unfold tested_by_reported. rewrite expect_bind, D.
  rewrite (sum_ext V _ (fun x => sum V (fun y => u x * onwards x y * f y))).
  - rewrite sum_swap. apply sum_ext. intros y _. unfold image. now rewrite <- sum_scale_right.
  - intros x L. rewrite expect_bind, expect_coin, expect_ret, expect_draw. unfold onwards.
    rewrite (sum_ext V (fun y => u x * _ * f y) (fun y => u x * accept x * (if Nat.eqb y x then f y else 0)
      + u x * (1 - accept x) * (redrawn y * f y)))
      by (intros y _; rewrite (Nat.eqb_sym x y); destruct (Nat.eqb y x); ring).
    rewrite sum_plus, !sum_scale, sum_point by easy. ring.
Qed.

Lemma reported_bias drawn u : law V u -> (forall f, expect drawn f = sum V (fun x => u x * f x)) ->
  tv V (output (tested_by_reported drawn)) p <= tv V u reported.
Proof.
  intros U D. unfold tv. apply Rmult_le_compat_l; [lra|].
  rewrite (sum_ext V _ (fun y => Rabs (image V u onwards y - image V reported onwards y))).
  - apply non_expansive, onwards_law.
  - intros y L. now rewrite (reported_output drawn u D), onwards_mean.
Qed.

End Reported.

(** With drafts drawn from q and q̂ in the test and the residual, the bias is at most TV(q, q̂); a token that is drawn and has q̂ = 0 is
    accepted. *)
Theorem numerics_draft_noise V p q q_hat : law V p -> law V q -> law V q_hat ->
  tv V (output (tested_by_reported V p q_hat (fun _ => 1) (draw V q))) p <= tv V q q_hat.
Proof. intros P Q H. apply (reported_bias V p q_hat P H (fun _ => 1)); [intros; lra | easy | intros; apply expect_draw]. Qed.

(** With p̂ in the test and in the residual the output law is p̂ itself, whatever the draft: the bias is TV(p, p̂). *)
Theorem numerics_output V p p_hat q : law V p -> law V p_hat -> law V q ->
  (forall y, (y < V)%nat -> output (step V p_hat q) y = p_hat y) /\ tv V (output (step V p_hat q)) p = tv V p p_hat.
Proof.
  intros P H Q. assert (E := sd_lossless_step V p_hat q H Q). split; [exact E|]. rewrite tv_sym. unfold tv. f_equal. apply sum_ext.
  intros y L. now rewrite E.
Qed.

(** q is verified by m, and the tokens that m emits by p with q reported: the output is within TV(m, q) of p, however often a token is
    accepted that has no mass under q. *)
Theorem cascade_told_draft_corrected V p m q unreported : law V p -> law V m -> law V q ->
  (forall x, (x < V)%nat -> 0 <= unreported x <= 1) -> tv V (output (tested_by_reported V p q unreported (step V m q))) p <= tv V m q.
Proof. intros P M Q C. apply (reported_bias V p q P Q unreported C); [easy | intros f; now apply step_expect]. Qed.

(** A draft of q is verified by m, and the token that m emits by p: this last stage keeps Σ min(m, p) of what it is given, whatever q. *)
Theorem cascade_last_stage V p m q : law V p -> law V m -> law V q ->
  expect (step V m q) (fun z => chance (coin (Rmin 1 (p z / m z))) (fun kept => kept)) = overlap V m p.
Proof.
  intros P M Q. rewrite step_expect by easy. unfold overlap. apply sum_ext. intros x L. unfold chance. rewrite expect_coin. simpl.
  rewrite (Rmin_comm (m x)), <- (keep_mass (p x) (m x)) by now apply (law_nonneg V). ring.
Qed.

(** * EARS, and rules with an overshoot *)

Section Bounds.

Variable V : nat.
Variables p q : nat -> R.
Hypothesis target_law : law V p.
Hypothesis draft_law : law V q.

(** EARS with the residual after a rejection: TV(output, p) <= β (1 - max p). *)
Theorem ears_bias_bound_residual beta : 0 <= beta -> tv V (output (ears V p q beta)) p <= beta * (1 - largest V p).
Proof.
  intros B. destruct (ears_bias_residual V p q target_law draft_law beta B) as [-> _].
  change (beta * (1 - largest V p)) with (tolerance V p beta).
  pose proof (tolerance_nonneg V p target_law beta B) as T. apply (Rle_trans _ (sum V (fun x => tolerance V p beta * q x))).
  - apply sum_le. intros x _. apply Rmin_r.
  - rewrite sum_scale. destruct draft_law as [_ ->]. lra.
Qed.

(** EARS with the residual after a rejection: TV(output, p) <= min(TV(p, q), t q{q > p}), t = β (1 - max p). *)
Theorem ears_bias_bound_residual_sharp beta : 0 <= beta -> let t := beta * (1 - largest V p) in
  tv V (output (ears V p q beta)) p <= Rmin (tv V p q) (t * sum V (fun x => if Rlt_dec (p x) (q x) then q x else 0)).
Proof.
  intros B t. destruct (ears_bias_residual V p q target_law draft_law beta B) as [-> _]. change (tolerance V p beta) with t.
  assert (T : 0 <= t) by exact (tolerance_nonneg V p target_law beta B). apply Rmin_glb.
  - rewrite tv_sym, tv_positive by (destruct draft_law as [_ ->]; symmetry; apply target_law). apply sum_le. intros x _. apply Rmin_l.
  - rewrite <- sum_scale. apply sum_le. intros x L. pose proof (law_nonneg V q x draft_law L). unfold gain.
    destruct (Rlt_dec (p x) (q x)); [apply Rmin_r|]. rewrite (Rmax_left 0 (q x - p x)) by lra.
    pose proof (Rmin_l 0 (t * q x)). lra.
Qed.

(** A rule that accepts mass k <= c p token by token, c >= 1, and draws from norm((p - k)₊) after a rejection has an output at total
    variation at most (1 - 1/c) Σ k <= 1 - 1/c from p. *)
Theorem process_overshoot a c : (forall x, (x < V)%nat -> 0 <= a x <= 1) -> 1 <= c ->
  (forall x, (x < V)%nat -> kept q a x <= c * p x) ->
  tv V (output (rule V q a (fun _ => best_residual V p q a))) p <= (1 - 1 / c) * sum V (kept q a) /\
  (1 - 1 / c) * sum V (kept q a) <= 1 - 1 / c.
Proof.
  intros A C K. assert (I : 0 < 1 / c <= 1).
  { unfold Rdiv. rewrite Rmult_1_l. split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
  destruct (relaxed_optimal_residual V p q a target_law draft_law A) as [_ ->]. split.
  - unfold unavoidable. rewrite <- sum_scale. apply sum_le. intros x L. unfold kept_mass. specialize (K x L). specialize (A x L).
    assert (0 <= kept q a x) by (apply Rmult_le_pos; [now apply (law_nonneg V) | lra]).
    assert (0 <= (1 - 1 / c) * kept q a x) by (apply Rmult_le_pos; lra). apply Rmax_lub; [easy|].
    assert (1 / c * kept q a x <= p x); [|lra]. apply (Rmult_le_reg_l c); [lra|].
    replace (c * (1 / c * kept q a x)) with (kept q a x) by (field; lra). lra.
  - pose proof (refused_nonneg V q a draft_law A) as R. unfold refused, kept_mass in R.
    rewrite <- (Rmult_1_r (1 - 1 / c)) at 2. apply Rmult_le_compat_l; lra.
Qed.

(** With a fresh draw from p after a rejection the total variation of a rule that accepts mass k <= c p is at most K (1 - K/c),
    K = Σ k. *)
Theorem process_overshoot_fresh a c : (forall x, (x < V)%nat -> 0 <= a x <= 1) -> 1 <= c ->
  (forall x, (x < V)%nat -> kept q a x <= c * p x) -> let K := sum V (kept q a) in
  tv V (output (rule V q a (fun _ => p))) p <= K * (1 - K / c).
Proof.
  intros A C KP K. assert (N : forall x, (x < V)%nat -> 0 <= kept q a x).
  { intros x L. specialize (A x L). apply Rmult_le_pos; [now apply (law_nonneg V) | lra]. }
  assert (K0 : 0 <= K) by (apply sum_nonneg; exact N).
  assert (K1 : K <= 1) by (pose proof (refused_nonneg V q a draft_law A) as R; unfold refused, kept_mass in R; fold K in R; lra).
  rewrite tv_positive by (apply (output_total V p q target_law draft_law); easy).
  replace (K * (1 - K / c)) with (sum V (fun x => (1 - K / c) * kept q a x)) by (rewrite sum_scale; fold K; ring).
  assert (B : 0 <= 1 - K / c).
  { assert (K / c <= 1); [|lra]. apply (Rmult_le_reg_r c); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  apply sum_le. intros x L. rewrite (rule_with V q a draft_law p x L). unfold kept_mass, refused, kept_mass. fold K.
  specialize (N x L). specialize (KP x L). apply Rmax_lub; [now apply Rmult_le_pos|].
  assert (K / c * kept q a x <= K * p x); [|lra].
  replace (K * p x) with (K / c * (c * p x)) by (field; lra). apply Rmult_le_compat_l; [|easy].
  apply Rmult_le_pos; [easy | left; apply Rinv_0_lt_compat; lra].
Qed.

(** Also keeping a draft that equals a sample of the target: kept are min(p, q), and of what the ratio refuses the part that the sample
    repeats; else a token is drawn from (p - q)₊, made a law.  As one coin, and with the sample. *)
Definition or_same (x : nat) : R := Rmin 1 (p x / q x) + (1 - Rmin 1 (p x / q x)) * p x.

Definition test_or_same : program nat :=
  x <- draw V q ;; (sample <- draw V p ;; (kept <- coin (Rmin 1 (p x / q x)) ;;
  if (kept || Nat.eqb sample x)%bool then ret x else draw V (residual V p q))).

Lemma test_or_same_is y : output test_or_same y = output (rule V q or_same (fun _ => residual V p q)) y.
Proof.
  unfold output, chance, test_or_same, rule. rewrite !expect_bind, !expect_draw. apply sum_ext. intros x L. f_equal.
  set (f := fun z => indicator (Nat.eqb z y)). set (c := Rmin 1 (p x / q x)). set (r := expect (draw V (residual V p q)) f).
  rewrite expect_bind, expect_draw, (sum_ext V _ (fun z => (c * f x + (1 - c) * r) * p z + (if Nat.eqb z x then p z * ((1 - c) * (f x - r)) else 0))).
  - rewrite sum_plus, sum_scale, (sum_point V (fun z => p z * _)) by easy. destruct target_law as [_ ->].
    rewrite expect_bind, expect_coin, expect_ret. fold r. unfold or_same. fold c. ring.
  - intros z _. rewrite expect_bind, expect_coin. cbn [orb]. destruct (Nat.eqb z x); rewrite ?expect_ret; fold r; ring.
Qed.

(** Keeping a draft that passes the ratio test or equals a sample of the target, and else drawing from norm((p - q)₊): the output law is
    Σ p (q - p)₊ away from p in total variation. *)
Theorem folk_same_token_or_corrected : tv V (output test_or_same) p = sum V (fun x => p x * Rmax 0 (q x - p x)).
Proof.
  replace (tv V (output test_or_same) p) with (tv V (output (rule V q or_same (fun _ => residual V p q))) p)
    by (unfold tv; f_equal; apply sum_ext; intros y _; now rewrite test_or_same_is).
  set (g := fun x => p x * Rmax 0 (q x - p x)). set (E := sum V (excess p q)).
  assert (K : forall x, (x < V)%nat -> kept q or_same x = Rmin (p x) (q x) + g x).
  { intros x L. unfold kept, or_same, g. pose proof (keep_mass (p x) (q x) (law_nonneg V p x target_law L) (law_nonneg V q x draft_law L)) as M.
    assert (D : Rmax 0 (q x - p x) = q x - Rmin (p x) (q x)).
    { unfold Rmin, Rmax. destruct (Rle_dec (p x) (q x)), (Rle_dec 0 (q x - p x)); lra. }
    rewrite D, <- M. ring. }
  assert (F : refused V q or_same = E - sum V g).
  { unfold refused, kept_mass. rewrite (sum_ext V _ _ K), sum_plus. change (sum V (fun x => Rmin (p x) (q x))) with (overlap V p q).
    unfold E. rewrite <- (refused_is_excess V p q target_law draft_law). ring. }
  assert (O : forall y, (y < V)%nat -> output (rule V q or_same (fun _ => residual V p q)) y = p y + g y - sum V g * residual V p q y).
  { intros y L. rewrite (rule_with V q or_same draft_law) by easy. unfold kept_mass. rewrite K, F by easy.
    assert (D : E * residual V p q y = excess p q y).
    { unfold residual. fold E. destruct (Req_dec E 0) as [Z|N]; [|field; easy].
      rewrite Z, (sum_zero_terms V (excess p q)); [ring | intros; apply Rmax_l | exact Z | easy]. }
    pose proof (min_excess p q y). lra. }
  assert (G : 0 <= sum V g).
  { apply sum_nonneg. intros x L. apply Rmult_le_pos; [now apply (law_nonneg V) | apply Rmax_l]. }
  rewrite tv_positive.
  - apply sum_ext. intros y L. rewrite O by easy. pose proof (residual_nonneg V p q y) as N. pose proof (law_nonneg V p y target_law L) as P.
    assert (0 <= sum V g * residual V p q y) by now apply Rmult_le_pos.
    destruct (Rle_dec (p y) (q y)) as [Below|Above].
    + assert (residual V p q y = 0) as -> by (unfold residual, excess; rewrite Rmax_left by lra; unfold Rdiv; ring).
      rewrite Rmult_0_r, Rmax_right; [fold (g y); ring|]. unfold g. assert (0 <= p y * Rmax 0 (q y - p y)) by (apply Rmult_le_pos; [easy | apply Rmax_l]). lra.
    + assert (g y = 0) as Z by (unfold g; rewrite Rmax_left by lra; ring). rewrite Z.
      apply Rmax_left. lra.
  - rewrite (sum_ext V _ _ O), sum_minus, sum_plus, sum_scale. destruct target_law as [P0 P1]. rewrite P1.
    destruct (Req_dec E 0) as [Z|N].
    + assert (sum V g = 0) as ->; [|ring]. rewrite (sum_ext V g (fun _ => 0)), sum_zero; [easy|]. intros x L. unfold g.
      assert (X : excess q p x = 0).
      { apply (sum_zero_terms V (excess q p)); [intros; apply Rmax_l | | easy].
        rewrite <- (excess_both V p q (conj P0 P1) draft_law). exact Z. }
      unfold excess in X. rewrite X. ring.
    + unfold residual, Rdiv. rewrite sum_scale_right. fold E. rewrite Rinv_r by easy. ring.
Qed.

(** * Drafts and samples that match *)

(** “Accept iff equal”: a draft that equals the target's sample is emitted, else a fresh draw. *)
Definition match_or_fresh : program nat := x <- draw V q ;; (y <- draw V p ;; if Nat.eqb x y then ret y else draw V p).
(** Exact match: the target's sample is emitted, and accepted where it is the draft. *)
Definition sampled_match : program (nat * bool) := x <- draw V q ;; (y <- draw V p ;; ret (y, Nat.eqb x y)).

Lemma match_or_fresh_output y : (y < V)%nat -> output match_or_fresh y = p y * (1 + q y - sum V (fun x => p x * q x)).
Proof.
  apply (output_expect V _ (fun y => p y * (1 + q y - sum V (fun x => p x * q x)))). intros f. unfold match_or_fresh.
  set (m := sum V (fun y => p y * f y)). rewrite expect_bind, expect_draw.
  rewrite (sum_ext V _ (fun x => q x * m + (p x * q x * f x - p x * q x * m))).
  - rewrite sum_plus, sum_minus, !sum_scale_right. destruct draft_law as [_ ->]. unfold m.
    rewrite (sum_ext V (fun y => p y * (1 + q y - sum V (fun x => p x * q x)) * f y)
      (fun y => (p y * f y + p y * q y * f y) - sum V (fun x => p x * q x) * (p y * f y))) by (intros; ring).
    rewrite sum_minus, sum_plus, sum_scale. ring.
  - intros x L. rewrite expect_bind, expect_draw.
    rewrite (sum_ext V _ (fun z => p z * m + (if Nat.eqb z x then p z * f z - p z * m else 0))).
    + rewrite sum_plus, sum_scale_right, sum_point by easy. destruct target_law as [_ ->]. ring.
    + intros z _. rewrite (Nat.eqb_sym x z). destruct (Nat.eqb z x); [rewrite expect_ret | rewrite expect_draw; fold m]; ring.
Qed.

End Bounds.

(** “Accept iff equal” biases the output towards common modes when a fresh draw follows a mismatch: the output law is
    p(x) (1 + q(x) - Σ p q), which is not p for p = q = (3/4, 1/4), by a total variation of 3/32. *)
Theorem folk_match_bias_fresh :
  (forall V p q, law V p -> law V q -> forall y, (y < V)%nat ->
    output (match_or_fresh V p q) y = p y * (1 + q y - sum V (fun x => p x * q x))) /\
  let p x := if Nat.eqb x 0 then 3 / 4 else 1 / 4 in law 2 p /\ tv 2 (output (match_or_fresh 2 p p)) p = 3 / 32.
Proof.
  split; [intros; now apply match_or_fresh_output|]. intros p. assert (P : law 2 p).
  { split; [intros [|[|x]] _; unfold p; simpl; lra | unfold p; simpl; field]. }
  split; [exact P|]. unfold tv. cbn [sum]. rewrite !(match_or_fresh_output 2 p p P P) by lia. cbn [sum]. unfold p. simpl.
  unfold Rabs. destruct (Rcase_abs _), (Rcase_abs _); lra.
Qed.

(** p = q: exact match accepts with Σ p², the ratio rule with 1. *)
Theorem folk_sampled_match_price V p : law V p ->
  keeps (sampled_match V p p) = sum V (fun x => p x * p x) /\
  expect (draw V p) (fun x => chance (coin (Rmin 1 (p x / p x))) (fun kept => kept)) = 1.
Proof.
  intros P. split.
  - unfold keeps, chance, sampled_match. rewrite expect_bind, expect_draw. apply sum_ext. intros x L. f_equal.
    rewrite expect_bind, expect_draw, <- (sum_point V p x L). apply sum_ext. intros y _. rewrite expect_ret. unfold indicator. simpl.
    rewrite (Nat.eqb_sym x y). destruct (Nat.eqb y x); ring.
  - rewrite sd_acceptance by easy. destruct P as [_ One]. unfold overlap. rewrite <- One. apply sum_ext. intros x _. apply Rmin_left. lra.
Qed.

(** After the ratio test on the full q, drawing from norm((p - q(x) [. = x])₊): the output law is p if q is a point mass: then (p - q)₊
    is p without the drafted token. *)
Theorem folk_residual_at_x_corrected V p q a : law V p -> (a < V)%nat -> (forall x, (x < V)%nat -> q x = if Nat.eqb x a then 1 else 0) ->
  let at_x x y := if Nat.eqb y x then q x else 0 in
  (forall y, (y < V)%nat -> output (x <- draw V q ;; (kept <- coin (Rmin 1 (p x / q x)) ;;
    if kept then ret x else draw V (residual V p (at_x x)))) y = p y) /\
  forall y, (y < V)%nat -> excess p q y = if Nat.eqb y a then 0 else p y.
Proof.
  intros P L Q at_x. assert (QL : law V q).
  { split; [intros x X; rewrite (Q x X); destruct (Nat.eqb x a); lra|]. rewrite (sum_ext V q _ Q). apply (sum_point V (fun _ => 1) a L). }
  split.
  2: { intros y Y. pose proof (law_nonneg V p y P Y). pose proof (law_le_1 V p y P Y). unfold excess. rewrite (Q y Y).
       destruct (Nat.eqb y a); [apply Rmax_left; lra | rewrite Rmax_right; lra]. }
  apply (output_expect V _ p). intros f. rewrite expect_bind, expect_draw. rewrite <- (step_value V p q f P QL). apply sum_ext.
  intros x X. destruct (Nat.eq_dec x a) as [->|N].
  - f_equal. rewrite expect_bind, expect_coin, expect_ret, expect_draw. f_equal. f_equal. apply sum_ext. intros y Y. f_equal.
    assert (E : forall z, (z < V)%nat -> excess p (at_x a) z = excess p q z).
    { intros z Z. unfold excess, at_x. rewrite (Q z Z), (Q a L), Nat.eqb_refl. now destruct (Nat.eqb z a). }
    unfold residual. rewrite E by easy. f_equal. now apply sum_ext.
  - rewrite (Q x X). destruct (Nat.eqb_spec x a); [easy | ring].
Qed.

(** * Samples that share drafts *)

(** One draft, verified twice with coins of their own: both tokens, and whether each is the accepted draft. *)
Definition verdict_of (V : nat) (p q : nat -> R) (x : nat) : program (nat * bool) :=
  kept <- coin (Rmin 1 (p x / q x)) ;; if kept then ret (x, true) else (y <- draw V (residual V p q) ;; ret (y, false)).
Definition two_samples (V : nat) (p q : nat -> R) : program ((nat * bool) * (nat * bool)) :=
  x <- draw V q ;; (o <- verdict_of V p q x ;; (o' <- verdict_of V p q x ;; ret (o, o'))).

Lemma verdict_value V p q x f : expect (verdict_of V p q x) f = Rmin 1 (p x / q x) * f (x, true)
  + (1 - Rmin 1 (p x / q x)) * sum V (fun y => residual V p q y * f (y, false)).
Proof.
  unfold verdict_of. rewrite expect_bind, expect_coin, expect_ret, expect_bind, expect_draw. do 2 f_equal. apply sum_ext. intros y _.
  now rewrite expect_ret.
Qed.

Lemma verdict_sure V p q x : law V p -> law V q -> (x < V)%nat -> 0 < q x -> expect (verdict_of V p q x) (fun _ => 1) = 1.
Proof.
  intros P Q L D. rewrite verdict_value. destruct (Req_dec (sum V (excess p q)) 0) as [Z|N].
  - rewrite (kept_without_excess V p q) by easy. ring.
  - rewrite (sum_ext V _ (residual V p q)) by (intros; ring). unfold residual, Rdiv. rewrite sum_scale_right, Rinv_r by easy. ring.
Qed.

(** One draft, verified n times with coins of their own. *)
Fixpoint repeated {A} (n : nat) (d : program A) : program (list A) :=
  match n with O => ret [] | S m => o <- d ;; (os <- repeated m d ;; ret (o :: os)) end.
Definition samples (V : nat) (p q : nat -> R) (n : nat) : program (list (nat * bool)) := x <- draw V q ;; repeated n (verdict_of V p q x).

Lemma repeated_sure {A} (d : program A) n : expect d (fun _ => 1) = 1 -> expect (repeated n d) (fun _ => 1) = 1.
Proof.
  intros One. induction n as [|n IH]; [simpl; ring|]. cbn [repeated].
  rewrite expect_bind, (expect_ext _ _ (fun _ => 1)); [exact One|]. intros o.
  rewrite expect_bind, (expect_ext _ _ (fun _ => 1)); [exact IH | intros os; now rewrite expect_ret].
Qed.

Lemma repeated_each {A} (d : program A) f default : expect d (fun _ => 1) = 1 -> forall n i, (i < n)%nat ->
  expect (repeated n d) (fun os => f (nth i os default)) = expect d f.
Proof.
  intros One. induction n as [|n IH]; intros i L; [lia|]. cbn [repeated]. rewrite expect_bind. destruct i as [|i].
  - apply expect_ext. intros o. rewrite expect_bind, (expect_ext _ _ (fun _ => f o)) by (intros; now rewrite expect_ret).
    rewrite expect_const, repeated_sure by easy. ring.
  - rewrite (expect_ext _ _ (fun _ => expect d f)); [rewrite expect_const, One; ring|]. intros o. rewrite expect_bind, <- (IH i) by lia.
    apply expect_ext. intros os. now rewrite expect_ret.
Qed.

(** Drafts that have mass, one after the other. *)
Fixpoint possible (V : nat) (draft : list nat -> nat -> R) (text xs : list nat) : Prop :=
  match xs with [] => True | x :: more => (x < V)%nat /\ 0 < draft text x /\ possible V draft (x :: text) more end.

Lemma drafts_possible V draft : (forall text, law V (draft text)) -> forall gamma text made f g,
  (forall xs, possible V draft text xs -> f xs = g xs) ->
  expect (drafts V draft never gamma text made) f = expect (drafts V draft never gamma text made) g.
Proof.
  intros D. induction gamma as [|gamma IH]; intros text made f g Same; [simpl; rewrite Same by easy; ring|].
  cbn [drafts never]. rewrite !expect_bind, !expect_draw. apply sum_ext. intros x X.
  destruct (law_nonneg V _ x (D text) X) as [P|<-]; [f_equal | ring]. rewrite !expect_bind. apply IH. intros xs Xs. rewrite !expect_ret.
  apply Same. simpl. auto.
Qed.

Lemma verify_possible V target draft : (forall text, law V (target text)) -> (forall text, law V (draft text)) -> forall xs text,
  possible V draft text xs -> expect (verify V target draft text xs) (fun _ => 1) = 1.
Proof.
  intros P Q. induction xs as [|x xs IH]; intros text Xs.
  - cbn [verify]. rewrite expect_bind, expect_draw. destruct (P text) as [_ One]. transitivity (sum V (target text)); [|exact One].
    apply sum_ext. intros y _. rewrite expect_ret. ring.
  - destruct Xs as [X [D More]]. rewrite verify_cons, IH by easy.
    destruct (Req_dec (sum V (excess (target text) (draft text))) 0) as [Z|N].
    + rewrite (kept_without_excess V (target text) (draft text)) by easy. ring.
    + rewrite (sum_ext V _ (residual V (target text) (draft text))) by (intros; ring).
      unfold residual, Rdiv. rewrite sum_scale_right, Rinv_r by easy. ring.
Qed.

(** Samples of one request that share drafts, each tested with uniforms of its own: each of any number has the law of the target, token by
    token, and where a call makes γ drafts: what each emits, followed by the target alone, is a text of the target. *)
Theorem process_shared_drafts_text V n i : (i < n)%nat ->
  (forall p q, law V p -> law V q -> forall y, (y < V)%nat ->
    chance (samples V p q n) (fun os => Nat.eqb (fst (nth i os (0%nat, false))) y) = p y) /\
  forall target draft gamma text m test, (forall text, law V (target text)) -> (forall text, law V (draft text)) ->
    chance (xs <- drafts V draft never gamma text [] ;; (yss <- repeated n (verify V target draft text xs) ;;
      let ys := nth i yss [] in sample V target (m - length ys) (extended m ys text))) test
    = chance (sample V target m text) test.
Proof.
  intros I. split.
  2: { intros target draft gamma text m test P Q. unfold chance. set (f := fun a => indicator (test a)).
       rewrite <- (rest_none V target f m text), <- (round_value V target draft never P Q gamma f m text []), expect_bind.
       apply drafts_possible; [exact Q|]. intros xs Xs. rewrite expect_bind.
       apply (repeated_each _ (rest V target f m text) [] (verify_possible V target draft P Q xs text Xs) n i I). }
  intros p q P Q y L.
  assert (Point : sum V (fun x => p x * indicator (Nat.eqb x y)) = p y).
  { rewrite <- (sum_point V p y L). apply sum_ext. intros x _. unfold indicator. destruct (Nat.eqb x y); ring. }
  rewrite <- Point, <- (step_value V p q (fun x => indicator (Nat.eqb x y)) P Q). unfold chance, samples. rewrite expect_bind, expect_draw.
  apply sum_ext. intros x X. destruct (law_nonneg V q x Q X) as [D|<-]; [f_equal | ring].
  rewrite (repeated_each _ (fun o => indicator (Nat.eqb (fst o) y)) _ (verdict_sure V p q x P Q X D) n i I). now rewrite verdict_value.
Qed.

(** Both of two samples accept the shared draft with probability Σ min(p, q)²/q >= α², α = Σ min(p, q): never less often than
    independent ones. *)
Theorem process_shared_drafts_batch_corrected V p q : law V p -> law V q ->
  chance (two_samples V p q) (fun o => snd (fst o) && snd (snd o)) = sum V (fun x => Rmin (p x) (q x) * Rmin (p x) (q x) / q x) /\
  overlap V p q * overlap V p q <= chance (two_samples V p q) (fun o => snd (fst o) && snd (snd o)).
Proof.
  intros P Q.
  assert (E : chance (two_samples V p q) (fun o => snd (fst o) && snd (snd o))
    = sum V (fun x => q x * (Rmin 1 (p x / q x) * Rmin 1 (p x / q x)))).
  { unfold chance, two_samples. rewrite expect_bind, expect_draw. apply sum_ext. intros x L. f_equal.
    rewrite expect_bind, (expect_ext _ _ (fun o => indicator (snd o) * Rmin 1 (p x / q x))).
    - rewrite verdict_value. unfold indicator. simpl. rewrite (sum_ext V _ (fun _ => 0)), sum_zero by (intros; ring). ring.
    - intros [y b]. rewrite expect_bind, (expect_ext _ _ (fun o' => indicator (b && snd o'))) by (intros; now rewrite expect_ret).
      rewrite verdict_value. unfold indicator. simpl. rewrite andb_false_r, andb_true_r.
      rewrite (sum_ext V _ (fun _ => 0)), sum_zero by (intros; ring). destruct b; ring. }
  split.
  - rewrite E. apply sum_ext. intros x L. pose proof (keep_mass (p x) (q x) (law_nonneg V p x P L) (law_nonneg V q x Q L)) as M.
    destruct (law_nonneg V q x Q L) as [D|D]; [rewrite <- M; field; lra | rewrite <- D; unfold Rdiv; rewrite Rinv_0; ring].
  - rewrite E. set (a := fun x => Rmin 1 (p x / q x)). set (alpha := overlap V p q).
    assert (A : sum V (fun x => q x * a x) = alpha).
    { apply sum_ext. intros x L. apply keep_mass; now apply (law_nonneg V). }
    assert (S : 0 <= sum V (fun x => q x * ((a x - alpha) * (a x - alpha)))).
    { apply sum_nonneg. intros x L. apply Rmult_le_pos; [now apply (law_nonneg V) | apply Rle_0_sqr]. }
    rewrite (sum_ext V _ (fun x => q x * (a x * a x) - 2 * alpha * (q x * a x) + alpha * alpha * q x)) in S by (intros; ring).
    rewrite sum_plus, sum_minus, !sum_scale, A in S. destruct Q as [_ One]. rewrite One in S.
    change (alpha * alpha <= sum V (fun x => q x * (a x * a x))). lra.
Qed.

(** * Processors and masks *)

(** A processor F(prefix, p) that sees the text with the drafted tokens at every position leaves the text to the processed target,
    whatever is done to the draft. *)
Theorem process_prefix V (processor : list nat -> (nat -> R) -> nat -> R) target draft gamma T test :
  let processed text := processor text (target text) in
  (forall text, law V (processed text)) -> (forall text, law V (draft text)) ->
  chance (speculate V draft never (verify V processed draft) T gamma T []) test = chance (sample V processed T []) test.
Proof. intros processed P Q. now apply sd_lossless. Qed.

(** The draft on the allowed tokens, made a law; uniform on them where it has nothing there. *)
Definition masked (V : nat) (mask : nat -> bool) (q : nat -> R) (x : nat) : R :=
  if Rlt_dec 0 (sum V (on_kept q mask)) then on_kept q mask x / sum V (on_kept q mask)
  else (if mask x then 1 else 0) / sum V (fun y => if mask y then 1 else 0).

Lemma masked_law V mask q : law V q -> (exists x, (x < V)%nat /\ mask x = true) -> law V (masked V mask q).
Proof.
  intros [N _] [x [L M]]. unfold masked. destruct (Rlt_dec 0 (sum V (on_kept q mask))) as [S|S].
  - split; [|unfold Rdiv; rewrite sum_scale_right; apply Rinv_r; lra]. intros y Y. specialize (N y Y).
    apply Rmult_le_pos; [unfold on_kept; destruct (mask y); lra | left; now apply Rinv_0_lt_compat].
  - assert (P : 0 < sum V (fun y => if mask y then 1 else 0)).
    { pose proof (sum_term V (fun y => if mask y then 1 else 0) x ltac:(intros y _; cbv beta; destruct (mask y); lra) L) as T.
      cbv beta in T. rewrite M in T. lra. }
    split; [|unfold Rdiv; rewrite sum_scale_right; apply Rinv_r; lra]. intros y Y.
    apply Rmult_le_pos; [destruct (mask y); lra | left; now apply Rinv_0_lt_compat].
Qed.

(** Masking only the draft by a grammar leaves the text lossless for the unmasked target: drafts of q on the allowed tokens,
    renormalised and reported so, emit p. *)
Theorem process_mask_draft V target draft (allowed : list nat -> nat -> bool) gamma T test :
  (forall text, law V (target text)) -> (forall text, law V (draft text)) -> (forall text, exists x, (x < V)%nat /\ allowed text x = true) ->
  let grammar text := masked V (allowed text) (draft text) in
  (forall text y, (y < V)%nat -> output (step V (target text) (grammar text)) y = target text y) /\
  chance (speculate V grammar never (verify V target grammar) T gamma T []) test = chance (sample V target T []) test.
Proof.
  intros P Q Some grammar. assert (G : forall text, law V (grammar text)) by (intros; now apply masked_law). split.
  - intros text y. now apply sd_lossless_step.
  - now apply sd_lossless.
Qed.

(** * One draft a call *)

(** For γ = 1 block and token verification make the same decisions: each token is kept, and drawn after a rejection, equally often. *)
Theorem folk_block_gamma_two_corrected V target draft text : (forall t, law V (target t)) -> (forall t, law V (draft t)) ->
  let kept x ys := match ys with [z; _] => Nat.eqb z x | _ => false end in
  let drawn y ys := match ys with [z] => Nat.eqb z y | _ => false end in
  (forall x, chance (block_call V target draft 1 text) (kept x) = chance (token_call V target draft 1 text) (kept x)) /\
  (forall y, chance (block_call V target draft 1 text) (drawn y) = chance (token_call V target draft 1 text) (drawn y)).
Proof. intros P Q kept drawn. split; intros; now apply block_gamma_one. Qed.

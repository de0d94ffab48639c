(** EARS and its like: what acceptance costs in total variation, and what the tolerance β does. *)

Require Import Reals Lra Lia List Arith.
Require Import laws lossless rdk dobrushin relaxed ears.
Import ListNotations.
Open Scope R_scope.

Lemma minus_nonneg a b : a <= b -> 0 <= b - a.
Proof. lra. Qed.

Section Frontier.

Variable V : nat.
Variables p q : nat -> R.
Hypothesis target_law : law V p.
Hypothesis draft_law : law V q.

Notation acceptance := (ears.acceptance V q).

(** What a rule keeps beyond speculative decoding. *)
Definition beyond (a : nat -> R) (x : nat) : R := kept q a x - Rmin (p x) (q x).

Lemma acceptance_is a : acceptance a = overlap V p q + sum V (beyond a).
Proof. unfold ears.acceptance, overlap, beyond. rewrite expect_draw, <- sum_plus. apply sum_ext. intros x _. unfold kept. ring. Qed.

Section Rule.

Variable a : nat -> R.
Hypothesis a_range : forall x, (x < V)%nat -> 0 <= a x <= 1.
Hypothesis keeps_all : forall x, (x < V)%nat -> Rmin (p x) (q x) <= kept q a x.

Lemma kept_at_most x : (x < V)%nat -> kept q a x <= q x.
Proof. intros L. now apply (kept_le V q a). Qed.

Lemma beyond_range x : (x < V)%nat -> 0 <= beyond a x <= Rmax 0 (q x - p x).
Proof.
  intros L. pose proof (keeps_all x L) as K. pose proof (kept_at_most x L) as M. unfold beyond. split; [lra|].
  unfold Rmin, Rmax. destruct (Rle_dec (p x) (q x)), (Rle_dec 0 (q x - p x)); lra.
Qed.

Lemma refused_is : refused V q a = sum V (excess p q) - sum V (beyond a).
Proof.
  rewrite <- (refused_is_excess V p q) by easy. unfold refused, kept_mass.
  pose proof (acceptance_is a) as A. unfold ears.acceptance in A. rewrite expect_draw in A. unfold kept. lra.
Qed.

Lemma output_total_of r : sum V (fun x => kept_mass q a x + refused V q a * r x) = sum V p ->
  sum V (output (rule V q a (fun _ => r))) = sum V p.
Proof. intros <-. apply sum_ext. intros x L. now apply rule_with. Qed.

Lemma residual_bias : tv V (output (rule V q a (fun _ => residual V p q))) p = sum V (beyond a).
Proof.
  set (E := sum V (excess p q)). set (G := sum V (beyond a)).
  assert (G0 : 0 <= G) by (apply sum_nonneg; intros; now apply beyond_range).
  assert (GE : G <= E).
  { unfold E. rewrite excess_both by easy. apply sum_le. intros x L. now apply beyond_range. }
  assert (R : forall x, (x < V)%nat -> refused V q a * residual V p q x = excess p q x - G * residual V p q x).
  { intros x L. rewrite refused_is. fold E. fold G. assert (X : E * residual V p q x = excess p q x).
    { unfold residual. fold E. destruct (Req_dec E 0) as [Z|N]; [|field; easy].
      rewrite Z, (sum_zero_terms V (excess p q)); [ring | intros; apply Rmax_l | easy | easy]. }
    lra. }
  assert (S : sum V (residual V p q) * E = E).
  { unfold residual, Rdiv. rewrite sum_scale_right. fold E. destruct (Req_dec E 0) as [Z|N]; [rewrite Z; ring | field; easy]. }
  rewrite tv_positive.
  - apply sum_ext. intros x L. rewrite rule_with, R by easy. pose proof (beyond_range x L) as B.
    pose proof (residual_nonneg V p q x) as N. unfold kept_mass.
    assert (P : 0 <= G * residual V p q x) by now apply Rmult_le_pos.
    assert (K : kept q a x = Rmin (p x) (q x) + beyond a x) by (unfold beyond; ring).
    pose proof (min_excess p q x) as M. destruct (Rle_lt_dec (p x) (q x)) as [C|C].
    + assert (Z : excess p q x = 0) by (unfold excess; apply Rmax_left; lra).
      assert (residual V p q x = 0) as -> by (unfold residual; rewrite Z; unfold Rdiv; ring).
      rewrite Rmax_right; lra.
    + rewrite (Rmax_left 0 (q x - p x)) in B by lra. rewrite Rmax_left; lra.
  - apply output_total_of. rewrite (sum_ext V _ (fun x => Rmin (p x) (q x) + beyond a x + (excess p q x - G * residual V p q x))).
    + rewrite sum_plus, sum_plus, sum_minus, sum_scale. fold (overlap V p q). fold G. fold E.
      pose proof (refused_is_excess V p q target_law draft_law) as X. fold E in X. destruct target_law as [_ One].
      assert (GR : G * sum V (residual V p q) = G).
      { destruct (Req_dec E 0) as [Z|N]; [assert (G = 0) as -> by lra; ring|].
        assert (sum V (residual V p q) = 1) as ->; [|ring]. apply (Rmult_eq_reg_r E); [lra | exact N]. }
      lra.
    + intros x L. rewrite R by easy. unfold kept_mass, beyond. ring.
Qed.

(** Every rule that keeps what speculative decoding keeps, min(p, q) <= k <= q, and draws from its residual after a rejection,
    differs from the target in total variation by exactly the acceptance that it gains. *)
Theorem ears_best_tradeoff_attained :
  tv V (output (rule V q a (fun _ => residual V p q))) p = acceptance a - overlap V p q.
Proof. rewrite residual_bias, acceptance_is. ring. Qed.

Lemma accepted_most : acceptance a <= 1.
Proof.
  unfold ears.acceptance. rewrite expect_draw. destruct draft_law as [_ One]. rewrite <- One. apply sum_le. intros x L.
  now apply kept_at_most.
Qed.

Lemma fresh_bias : tv V (output (rule V q a (fun _ => p))) p
  = sum V (beyond a) + sum V (fun x => Rmax 0 (Rmin (p x) (q x) - acceptance a * p x)).
Proof.
  pose proof accepted_most as K. destruct target_law as [N One].
  assert (F : refused V q a = 1 - acceptance a) by (unfold refused, ears.acceptance; now rewrite expect_draw).
  rewrite tv_positive, <- sum_plus.
  - apply sum_ext. intros x L. rewrite rule_with, F by easy. pose proof (beyond_range x L) as B. specialize (N x L).
    assert (E : kept_mass q a x = Rmin (p x) (q x) + beyond a x) by (unfold kept_mass, beyond; ring). rewrite E.
    replace (Rmin (p x) (q x) + beyond a x + (1 - acceptance a) * p x - p x)
      with (beyond a x + (Rmin (p x) (q x) - acceptance a * p x)) by ring.
    destruct (Rle_lt_dec (p x) (q x)) as [C|C].
    + rewrite (Rmin_left (p x) (q x)) by easy. assert (0 <= p x - acceptance a * p x) by nra. rewrite !Rmax_right; lra.
    + rewrite (Rmax_left 0 (q x - p x)) in B by lra. assert (beyond a x = 0) as -> by lra. now rewrite !Rplus_0_l.
  - apply output_total_of. rewrite sum_plus, sum_scale, One, F. unfold kept_mass, kept, ears.acceptance. rewrite expect_draw. ring.
Qed.

(** No residual law repairs such a rule: whichever follows a rejection, the total variation is at least the acceptance gained. *)
Lemma any_residual r : law V r -> acceptance a - overlap V p q <= tv V (output (rule V q a (fun _ => r))) p.
Proof.
  intros R. pose proof (ears_best_tradeoff V p q target_law draft_law a (fun _ => r) a_range (fun _ _ => R)). lra.
Qed.

End Rule.

(** For any rule with kept mass k and any residual law the total variation is at least Σ (k - p)₊, which the residual in
    proportion to (p - k)₊ attains; some residual makes the rule lossless if and only if k <= p. *)
Theorem ears_fidelity_repairable a : (forall x, (x < V)%nat -> 0 <= a x <= 1) ->
  (forall r, law V r -> sum V (fun x => Rmax 0 (kept q a x - p x)) <= tv V (output (rule V q a (fun _ => r))) p) /\
  tv V (output (rule V q a (fun _ => best_residual V p q a))) p = sum V (fun x => Rmax 0 (kept q a x - p x)) /\
  ((exists r, law V r /\ forall y, (y < V)%nat -> output (rule V q a (fun _ => r)) y = p y)
    <-> forall x, (x < V)%nat -> kept q a x <= p x).
Proof.
  intros A. destruct (relaxed_optimal_residual V p q a target_law draft_law A) as [L B].
  split; [exact L|]. split; [exact B|]. split.
  - intros [r [R O]] x X. rewrite <- (O x X), rule_with by easy. unfold kept_mass.
    pose proof (refused_nonneg V q a draft_law A). assert (0 <= refused V q a * r x); [|lra].
    apply Rmult_le_pos; [easy | now apply (law_nonneg V r)].
  - intros K. assert (Z : unavoidable V p q a = 0).
    { unfold unavoidable. transitivity (sum V (fun _ => 0)); [apply sum_ext | apply sum_zero]. intros x X. apply Rmax_left.
      specialize (K x X). unfold kept_mass. lra. }
    pose proof (missing_mass V p q a target_law) as M. rewrite Z, Rplus_0_r in M.
    assert (Y : forall y, (y < V)%nat -> Rmax 0 (p y - kept_mass q a y) = p y - kept_mass q a y)
      by (intros y L'; apply Rmax_right; specialize (K y L'); unfold kept_mass; lra).
    destruct (Req_dec (refused V q a) 0) as [F|F].
    + exists p. split; [easy|]. intros y Y'. rewrite rule_with, F by easy.
      rewrite F in M. pose proof (sum_zero_terms V _ (fun x _ => Rmax_l 0 _) M y Y') as S. simpl in S.
      rewrite Y in S by easy. lra.
    + pose proof (refused_nonneg V q a draft_law A) as P. exists (best_residual V p q a). split.
      * split; [|unfold best_residual, Rdiv; rewrite sum_scale_right, M; now apply Rinv_r].
        intros x X. apply Rmult_le_pos; [apply Rmax_l|]. rewrite M. left. apply Rinv_0_lt_compat. lra.
      * intros y Y'. rewrite rule_with by easy. unfold best_residual. rewrite M, Y by easy. field. exact F.
Qed.

(** * EARS *)

Notation passing beta := (passes p q (tolerance V p beta)).

Lemma passing_range beta x : 0 <= beta -> (x < V)%nat -> 0 <= passing beta x <= 1.
Proof.
  intros B L. pose proof (tolerance_nonneg V p target_law beta B) as T. split; [|apply Rmin_l]. apply Rmin_glb; [lra|].
  assert (0 <= p x / q x); [|lra]. pose proof (law_nonneg V p x target_law L) as P. pose proof (law_nonneg V q x draft_law L) as Q.
  destruct Q as [Q|Q]; [apply Rmult_le_pos; [easy | left; now apply Rinv_0_lt_compat] |].
  rewrite <- Q. unfold Rdiv. rewrite Rinv_0. lra.
Qed.

Lemma passing_gain beta x : 0 <= beta -> (x < V)%nat -> beyond (passing beta) x = gain p q (tolerance V p beta) x.
Proof.
  intros B L. unfold beyond. rewrite (kept_gain V p q) by (easy || now apply tolerance_nonneg). ring.
Qed.

Lemma passing_keeps beta x : 0 <= beta -> (x < V)%nat -> Rmin (p x) (q x) <= kept q (passing beta) x.
Proof.
  intros B L. pose proof (passing_gain beta x B L) as G. unfold beyond in G.
  pose proof (gain_nonneg V p q draft_law (tolerance V p beta) x (tolerance_nonneg V p target_law beta B) L). lra.
Qed.

Lemma gain_grows beta beta' : 0 <= beta <= beta' ->
  forall x, (x < V)%nat -> gain p q (tolerance V p beta) x <= gain p q (tolerance V p beta') x.
Proof.
  intros [B C] x L. pose proof (law_nonneg V q x draft_law L) as Q.
  pose proof (tolerance_nonneg V p target_law 1 ltac:(lra)) as U. unfold gain, tolerance in *.
  apply Rle_min_compat_l, Rmult_le_compat_r; [easy | apply Rmult_le_compat_r; lra].
Qed.

(** Acceptance, and the total variation of the output, do not fall as β rises; with the residual after a rejection. *)
Theorem ears_beta_tradeoff_residual beta beta' : 0 <= beta <= beta' ->
  acceptance (passing beta) <= acceptance (passing beta') /\
  tv V (output (ears V p q beta)) p <= tv V (output (ears V p q beta')) p.
Proof.
  intros B. assert (S : sum V (gain p q (tolerance V p beta)) <= sum V (gain p q (tolerance V p beta')))
    by (apply sum_le; intros; now apply gain_grows).
  destruct (ears_bias_residual V p q target_law draft_law beta ltac:(lra)) as [E F].
  destruct (ears_bias_residual V p q target_law draft_law beta' ltac:(lra)) as [E' F']. rewrite E, E'. split; lra.
Qed.

(** With a fresh draw from the target after a rejection: TV(output, p) = G + Σ (min(p, q) - κ p)₊, G the acceptance gained,
    κ = α_SD + G the acceptance. *)
Theorem ears_bias_fresh beta : 0 <= beta ->
  let G := sum V (gain p q (tolerance V p beta)) in
  acceptance (passing beta) = overlap V p q + G /\
  tv V (output (rule V q (passing beta) (fun _ => p))) p
    = G + sum V (fun x => Rmax 0 (Rmin (p x) (q x) - acceptance (passing beta) * p x)).
Proof.
  intros B G. assert (E : sum V (beyond (passing beta)) = G) by (apply sum_ext; intros; now apply passing_gain).
  split; [rewrite acceptance_is, E; ring|].
  rewrite fresh_bias, E; [easy | intros; now apply passing_range | intros; now apply passing_keeps].
Qed.

(** Acceptance, and the total variation of the output, do not fall as β rises; with a fresh draw after a rejection. *)
Theorem ears_beta_tradeoff_fresh beta beta' : 0 <= beta <= beta' ->
  acceptance (passing beta) <= acceptance (passing beta') /\
  tv V (output (rule V q (passing beta) (fun _ => p))) p <= tv V (output (rule V q (passing beta') (fun _ => p))) p.
Proof.
  intros B. assert (S : sum V (gain p q (tolerance V p beta)) <= sum V (gain p q (tolerance V p beta')))
    by (apply sum_le; intros; now apply gain_grows).
  destruct (ears_bias_fresh beta ltac:(lra)) as [A E]. destruct (ears_bias_fresh beta' ltac:(lra)) as [A' E'].
  split; [lra|]. rewrite E, E'. set (k := acceptance (passing beta)) in *. set (k' := acceptance (passing beta')) in *.
  assert (D : sum V (fun x => Rmax 0 (Rmin (p x) (q x) - k * p x))
    <= sum V (fun x => Rmax 0 (Rmin (p x) (q x) - k' * p x)) + (k' - k) * sum V p).
  { rewrite <- sum_scale, <- sum_plus. apply sum_le. intros x L. pose proof (law_nonneg V p x target_law L) as P.
    assert (0 <= (k' - k) * p x) by (apply Rmult_le_pos; lra). unfold Rmax.
    destruct (Rle_dec 0 (Rmin (p x) (q x) - k * p x)), (Rle_dec 0 (Rmin (p x) (q x) - k' * p x)); lra. }
  destruct target_law as [_ One]. rewrite One in D. lra.
Qed.

(** No way to go on after a rejection repairs EARS: for every residual law TV(output, p) >= α_EARS - α_SD. *)
Theorem ears_fidelity_any_residual beta r : 0 <= beta -> law V r ->
  acceptance (passing beta) - overlap V p q <= tv V (output (rule V q (passing beta) (fun _ => r))) p.
Proof. intros B R. apply any_residual; [intros; now apply passing_range | exact R]. Qed.

Lemma tv_none o : tv V o p = 0 <-> forall y, (y < V)%nat -> o y = p y.
Proof.
  unfold tv. split.
  - intros Z y L. assert (S : sum V (fun x => Rabs (o x - p x)) = 0) by lra.
    pose proof (sum_zero_terms V _ (fun x _ => Rabs_pos _) S y L) as A. simpl in A. unfold Rabs in A.
    destruct (Rcase_abs (o y - p y)); lra.
  - intros E. rewrite (sum_ext V _ (fun _ => 0)), sum_zero; [ring|]. intros x L. rewrite E, Rminus_diag_eq by easy. apply Rabs_R0.
Qed.

Lemma no_gain t : 0 <= t -> (sum V (gain p q t) = 0 <-> t = 0 \/ forall y, (y < V)%nat -> q y = p y).
Proof.
  intros T. split.
  - intros Z. destruct (Req_dec t 0) as [E|N]; [now left|]. right.
    assert (B : forall y, (y < V)%nat -> q y <= p y).
    { intros y L. pose proof (sum_zero_terms V _ (fun x X => gain_nonneg V p q draft_law t x T X) Z y L) as G. simpl in G.
      unfold gain in G. destruct (Rle_lt_dec (q y) (p y)) as [C|C]; [exact C|]. exfalso.
      pose proof (law_nonneg V p y target_law L). rewrite (Rmax_right 0 (q y - p y)) in G by lra.
      assert (0 < t * q y) by (apply Rmult_lt_0_compat; lra). unfold Rmin in G. destruct (Rle_dec (q y - p y) (t * q y)); lra. }
    intros y L.
    assert (S : sum V (fun x => p x - q x) = 0) by (rewrite sum_minus; destruct target_law as [_ ->], draft_law as [_ ->]; ring).
    pose proof (sum_zero_terms V (fun x => p x - q x) (fun x X => minus_nonneg _ _ (B x X)) S y L) as D. simpl in D. lra.
  - intros [->|E]; transitivity (sum V (fun _ => 0)); try apply sum_zero; apply sum_ext; intros x L; unfold gain.
    + rewrite Rmult_0_l. apply Rmin_right, Rmax_l.
    + rewrite E, Rminus_diag_eq, Rmax_left by lra || easy. apply Rmin_left.
      apply Rmult_le_pos; [easy | rewrite <- E by easy; now apply (law_nonneg V q)].
Qed.

(** With the residual after a rejection EARS emits the target's law if and only if β (1 - max p) = 0 or q = p. *)
Theorem ears_fidelity_residual_corrected beta : 0 <= beta ->
  (forall y, (y < V)%nat -> output (ears V p q beta) y = p y)
  <-> beta * (1 - largest V p) = 0 \/ forall y, (y < V)%nat -> q y = p y.
Proof.
  intros B. rewrite <- tv_none. destruct (ears_bias_residual V p q target_law draft_law beta B) as [-> _].
  apply (no_gain (tolerance V p beta)). now apply tolerance_nonneg.
Qed.

(** The draft is in proportion to the target where that has mass. *)
Definition proportional : Prop := exists c, forall y, (y < V)%nat -> 0 < p y -> q y = c * p y.

Lemma fresh_free : sum V (fun x => Rmax 0 (Rmin (p x) (q x) - overlap V p q * p x)) = 0 <-> proportional.
Proof.
  destruct target_law as [PN POne]. destruct draft_law as [QN QOne]. set (al := overlap V p q). split.
  - intros Z. exists al. assert (LE : forall y, (y < V)%nat -> Rmin (p y) (q y) <= al * p y).
    { intros y L. pose proof (sum_zero_terms V _ (fun x _ => Rmax_l 0 _) Z y L) as A. simpl in A.
      pose proof (Rmax_r 0 (Rmin (p y) (q y) - al * p y)). lra. }
    assert (EQ : forall y, (y < V)%nat -> Rmin (p y) (q y) = al * p y).
    { intros y L. assert (S : sum V (fun x => al * p x - Rmin (p x) (q x)) = 0).
      { rewrite sum_minus, sum_scale, POne. fold (overlap V p q). fold al. ring. }
      pose proof (sum_zero_terms V (fun x => al * p x - Rmin (p x) (q x)) (fun x X => minus_nonneg _ _ (LE x X)) S y L) as D.
      simpl in D. lra. }
    intros y L P. specialize (EQ y L). destruct (Rle_lt_dec (q y) (p y)) as [C|C].
    + now rewrite Rmin_right in EQ.
    + (* then α is 1, and so q is p *) exfalso. rewrite Rmin_left in EQ by lra.
      assert (A1 : al = 1) by (apply (Rmult_eq_reg_r (p y)); lra).
      assert (S : sum V (fun x => q x - Rmin (p x) (q x)) = 0).
      { rewrite sum_minus, QOne. fold (overlap V p q). fold al. lra. }
      assert (H : forall x, (x < V)%nat -> 0 <= q x - Rmin (p x) (q x)) by (intros; apply minus_nonneg, Rmin_r).
      pose proof (sum_zero_terms V _ H S y L) as D. simpl in D. rewrite Rmin_left in D; lra.
  - intros [c C]. assert (E : forall y, (y < V)%nat -> Rmin (p y) (q y) = Rmin 1 c * p y).
    { intros y L. destruct (PN y L) as [P|P].
      - rewrite (C y L P). destruct (Rle_lt_dec 1 c) as [D|D].
        + rewrite (Rmin_left 1 c), Rmin_left by nra. ring.
        + rewrite (Rmin_right 1 c), Rmin_right by nra. ring.
      - rewrite <- P, Rmult_0_r. apply Rmin_left. now apply QN. }
    assert (A : al = Rmin 1 c).
    { unfold al, overlap. rewrite (sum_ext V _ (fun y => Rmin 1 c * p y)) by exact E. rewrite sum_scale, POne. ring. }
    transitivity (sum V (fun _ => 0)); [apply sum_ext | apply sum_zero]. intros y L. rewrite E, A, Rminus_diag_eq by easy.
    apply Rmax_left. lra.
Qed.

(** With a fresh draw after a rejection, β = 0 gives the target's law if and only if q is proportional to p on the support of p. *)
Theorem ears_beta_zero_fresh_corrected :
  (forall y, (y < V)%nat -> output (rule V q (passing 0) (fun _ => p)) y = p y) <-> proportional.
Proof.
  rewrite <- tv_none, <- fresh_free. destruct (ears_bias_fresh 0 ltac:(lra)) as [A ->].
  assert (Z : sum V (gain p q (tolerance V p 0)) = 0)
    by (apply no_gain; unfold tolerance; [lra | left; ring]).
  rewrite A, Z, Rplus_0_l, Rplus_0_r. easy.
Qed.

(** With a fresh draw after a rejection EARS emits the target's law if and only if q = p, or β (1 - max p) = 0 and q is
    proportional to p on the support of p. *)
Theorem ears_fidelity_fresh_corrected beta : 0 <= beta ->
  (forall y, (y < V)%nat -> output (rule V q (passing beta) (fun _ => p)) y = p y)
  <-> (forall y, (y < V)%nat -> q y = p y) \/ (beta * (1 - largest V p) = 0 /\ proportional).
Proof.
  intros B. rewrite <- tv_none. destruct (ears_bias_fresh beta B) as [A ->].
  pose proof (tolerance_nonneg V p target_law beta B) as T.
  set (G := sum V (gain p q (tolerance V p beta))) in *.
  set (F := sum V (fun x => Rmax 0 (Rmin (p x) (q x) - acceptance (passing beta) * p x))).
  assert (G0 : 0 <= G) by (apply sum_nonneg; intros; now apply (gain_nonneg V p q)).
  assert (F0 : 0 <= F) by (apply sum_nonneg; intros; apply Rmax_l).
  split.
  - intros Z. assert (GZ : G = 0) by lra. pose proof (proj1 (no_gain _ T) GZ) as [Y|Y]; [right | now left].
    split; [exact Y|]. apply fresh_free. unfold F in *. rewrite A, GZ, Rplus_0_r in *. lra.
  - intros [E|[Z P]].
    + assert (GZ : G = 0) by exact (proj2 (no_gain _ T) (or_intror E)). rewrite GZ, Rplus_0_l. unfold F. rewrite A, GZ, Rplus_0_r.
      apply fresh_free. exists 1. intros y L _. rewrite E by easy. ring.
    + assert (GZ : G = 0) by exact (proj2 (no_gain _ T) (or_introl Z)). rewrite GZ, Rplus_0_l. unfold F. rewrite A, GZ, Rplus_0_r.
      now apply fresh_free.
Qed.

(** For every pair of laws and all weights of acceptance and total variation no β is better than the better of 0 and any larger
    one; with the residual after a rejection. *)
Theorem ears_beta_optimal_corrected speed fidelity share beta : 0 <= beta -> 0 <= share <= 1 ->
  let objective b := speed * acceptance (passing b) - fidelity * tv V (output (ears V p q b)) p in
  objective (share * beta) <= Rmax (objective 0) (objective beta).
Proof.
  intros B S objective. assert (C : 0 <= share * beta <= beta) by (split; nra).
  assert (O : forall b, 0 <= b -> objective b = speed * overlap V p q + (speed - fidelity) * sum V (gain p q (tolerance V p b))).
  { intros b P. unfold objective. destruct (ears_bias_residual V p q target_law draft_law b P) as [-> E].
    replace (acceptance (passing b)) with (overlap V p q + sum V (gain p q (tolerance V p b))) by lra. ring. }
  rewrite !O by lra.
  assert (G : forall b b', 0 <= b <= b' -> sum V (gain p q (tolerance V p b)) <= sum V (gain p q (tolerance V p b')))
    by (intros b b' P; apply sum_le; intros; now apply gain_grows).
  pose proof (G 0 (share * beta) ltac:(lra)). pose proof (G (share * beta) beta ltac:(lra)).
  destruct (Rle_lt_dec 0 (speed - fidelity)) as [D|D];
    [eapply Rle_trans; [|apply Rmax_r] | eapply Rle_trans; [|apply Rmax_l]]; apply Rplus_le_compat_l; nra.
Qed.

(** What EARS takes off the threshold is β U with U = 1 - max p; where one token has probability one, its test is that of
    speculative decoding. *)
Theorem ears_certain_target beta : (exists y, (y < V)%nat /\ p y = 1) ->
  tolerance V p beta = 0 /\ forall x, passing beta x = Rmin 1 (p x / q x).
Proof.
  intros [y [L One]]. assert (T : tolerance V p beta = 0).
  { unfold tolerance. assert (A : largest V p = 1); [|rewrite A; ring]. apply Rle_antisym.
    - apply largest_le; [lra | intros; now apply (law_le_1 V)].
    - rewrite <- One. clear -L. induction V as [|n IH]; [lia|]. simpl. destruct (Nat.eq_dec y n) as [->|N]; [apply Rmax_r|].
      eapply Rle_trans; [apply IH; lia | apply Rmax_l]. }
  split; [exact T|]. intros x. unfold passes. now rewrite T, Rplus_0_r.
Qed.

(** A draft x with p_x = 0 is kept with probability min(1, β (1 - max p)). *)
Theorem ears_support_corrected beta x : p x = 0 -> passing beta x = Rmin 1 (beta * (1 - largest V p)).
Proof. intros Z. unfold passes, tolerance, Rdiv. now rewrite Z, Rmult_0_l, Rplus_0_l. Qed.

(** Lenience keeps min(q, p/ℓ): with the residual it emits no token with p_x = 0, and the total variation of its output is
    exactly the acceptance that it gains. *)
Theorem ears_support_lenience l : 0 < l <= 1 ->
  let lenient x := Rmin 1 (p x / l / q x) in
  (forall y, (y < V)%nat -> p y = 0 -> output (rule V q lenient (fun _ => residual V p q)) y = 0) /\
  tv V (output (rule V q lenient (fun _ => residual V p q))) p = acceptance lenient - overlap V p q.
Proof.
  intros S lenient. destruct target_law as [PN _]. destruct draft_law as [QN _].
  assert (I : 1 <= / l) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
  assert (N : forall x, (x < V)%nat -> 0 <= p x / l).
  { intros x L. apply Rmult_le_pos; [now apply PN | lra]. }
  assert (K : forall x, (x < V)%nat -> kept q lenient x = Rmin (p x / l) (q x)).
  { intros x L. unfold kept, lenient. now apply keep_mass; [apply N | apply QN]. }
  assert (R : forall x, (x < V)%nat -> 0 <= lenient x <= 1).
  { intros x L. split; [|apply Rmin_l]. apply Rmin_glb; [lra|]. specialize (N x L). destruct (QN x L) as [Q|Q].
    - apply Rmult_le_pos; [easy | left; now apply Rinv_0_lt_compat].
    - rewrite <- Q. unfold Rdiv at 1. rewrite Rinv_0. lra. }
  split.
  - intros y L Z. rewrite rule_with by easy. unfold kept_mass. rewrite K, Z by easy. unfold residual, excess, Rdiv.
    rewrite Z. specialize (QN y L). rewrite (Rmax_left 0 (0 - q y)), Rmin_left by lra. ring.
  - apply ears_best_tradeoff_attained; [exact R|]. intros x L. rewrite K by easy. specialize (PN x L).
    assert (p x <= p x / l) by (unfold Rdiv; nra). unfold Rmin. destruct (Rle_dec (p x) (q x)), (Rle_dec (p x / l) (q x)); lra.
Qed.

End Frontier.

(** Where the target is k times as uncertain, k times as much is taken off the threshold. *)
Theorem ears_threshold_proportional V p p' beta k : 1 - largest V p' = k * (1 - largest V p) ->
  tolerance V p' beta = k * tolerance V p beta.
Proof. intros E. unfold tolerance. rewrite E. ring. Qed.

(** For any two signals, tolerances that may depend on the context, and any contexts with any weights: mean acceptance differs by
    exactly what the mean total variation differs; with the residual after a rejection. *)
Theorem ears_other_uncertainty_corrected V C (weight : nat -> R) (p q : nat -> nat -> R) (t t' : nat -> R) :
  (forall c, law V (p c)) -> (forall c, law V (q c)) -> (forall c, 0 <= t c) -> (forall c, 0 <= t' c) ->
  let accepted s := sum C (fun c => weight c * acceptance V (q c) (passes (p c) (q c) (s c))) in
  let biased s := sum C (fun c => weight c
    * tv V (output (rule V (q c) (passes (p c) (q c) (s c)) (fun _ => residual V (p c) (q c)))) (p c)) in
  accepted t - accepted t' = biased t - biased t'.
Proof.
  intros P Q T T' accepted biased. unfold accepted, biased. rewrite <- !sum_minus. apply sum_ext. intros c _.
  assert (E : forall s, 0 <= s -> tv V (output (rule V (q c) (passes (p c) (q c) s) (fun _ => residual V (p c) (q c)))) (p c)
    = acceptance V (q c) (passes (p c) (q c) s) - overlap V (p c) (q c)).
  { intros s S. apply ears_best_tradeoff_attained; try easy.
    - intros x L. split; [|apply Rmin_l]. apply Rmin_glb; [lra|]. assert (0 <= p c x / q c x); [|lra].
      pose proof (law_nonneg V _ x (P c) L) as A. destruct (law_nonneg V _ x (Q c) L) as [B|B].
      + apply Rmult_le_pos; [easy | left; now apply Rinv_0_lt_compat].
      + rewrite <- B. unfold Rdiv. rewrite Rinv_0. lra.
    - intros x L. rewrite (kept_gain V (p c) (q c)) by easy.
      pose proof (gain_nonneg V (p c) (q c) (Q c) s x S L). lra. }
  rewrite !E by easy. ring.
Qed.

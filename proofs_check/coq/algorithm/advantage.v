(** RDK: the target that no draft loses on, and why a likelier token outside of the draft is an advantage. *)

Require Import Reals Lra Lia List Arith.
Require Import laws lossless rdk dobrushin slopes softmax curvature taylor kernel gain normal gaussian.
Open Scope R_scope.

(** For M of Eq. 2 with symmetric affinities, W = exp(Ω/τ) and row sums s_i: every law has ½ Σ W_ij (p_i/s_i - p_j/s_j)² =
    Σ_j (p_j/s_j)(p_j - (Mᵀp)_j), and Mᵀp = p if and only if p is in proportion to s. *)
Theorem rdk_stationary_target V Omega tau p : (0 < V)%nat -> (forall i j, Omega i j = Omega j i) -> law V p ->
  let W i j := exp (Omega i j / tau) in
  let s i := sum V (W i) in
  / 2 * sum V (fun i => sum V (fun j => W i j * Rsqr (p i / s i - p j / s j)))
    = sum V (fun j => p j / s j * (p j - image V p (affinity V Omega tau) j)) /\
  ((forall j, (j < V)%nat -> image V p (affinity V Omega tau) j = p j)
    <-> exists c, forall i, (i < V)%nat -> p i = c * s i).
Proof.
  intros L Sym P W s. assert (S0 : forall i, 0 < s i) by (intros; now apply weights_positive).
  set (a := fun i => p i / s i). assert (A : forall i, p i = a i * s i) by (intros; unfold a; field; pose proof (S0 i); lra).
  assert (Image : forall j, image V p (affinity V Omega tau) j = sum V (fun i => a i * W i j)).
  { intros j. apply sum_ext. intros i _. change (p i * (W i j / s i) = p i / s i * W i j). unfold Rdiv. ring. }
  assert (WS : forall i j, W i j = W j i) by (intros; unfold W; now rewrite Sym).
  assert (E : / 2 * sum V (fun i => sum V (fun j => W i j * Rsqr (a i - a j)))
    = sum V (fun j => a j * (p j - image V p (affinity V Omega tau) j))).
  { rewrite (sum_ext V (fun i => sum V (fun j => W i j * Rsqr (a i - a j)))
      (fun i => a i * a i * s i + sum V (fun j => a j * a j * W i j) - 2 * (a i * sum V (fun j => W i j * a j)))).
    2: { intros i _. unfold s. rewrite <- !sum_scale, <- sum_plus, <- sum_minus. apply sum_ext. intros j _. unfold Rsqr. ring. }
    rewrite sum_minus, sum_plus, sum_scale, (sum_swap V V (fun i j => a j * a j * W i j)).
    rewrite (sum_ext V (fun j => sum V (fun i => a j * a j * W i j)) (fun j => a j * a j * s j)).
    2: { intros j _. rewrite sum_scale. f_equal. apply sum_ext. intros i _. apply WS. }
    rewrite (sum_ext V (fun j => a j * (p j - image V p (affinity V Omega tau) j))
      (fun j => a j * a j * s j - a j * sum V (fun i => W j i * a i))).
    2: { intros j _. rewrite Image, (A j). unfold Rminus at 1. rewrite Rmult_plus_distr_l.
         rewrite (sum_ext V (fun i => a i * W i j) (fun i => W j i * a i)) by (intros; rewrite (WS j); ring). ring. }
    rewrite sum_minus. lra. }
  split; [exact E|]. split.
  - intros Fixed. assert (Z : sum V (fun i => sum V (fun j => W i j * Rsqr (a i - a j))) = 0).
    { assert (R : sum V (fun j => a j * (p j - image V p (affinity V Omega tau) j)) = 0).
      { transitivity (sum V (fun _ => 0)); [apply sum_ext | apply sum_zero]. intros j J. rewrite Fixed by exact J. ring. }
      lra. }
    assert (N : forall i j, 0 <= W i j * Rsqr (a i - a j))
      by (intros; apply Rmult_le_pos; [left; apply exp_pos | apply Rle_0_sqr]).
    exists (a 0%nat). intros i I. rewrite A. f_equal.
    pose proof (sum_zero_terms V _ (fun x _ => sum_nonneg V _ (fun y _ => N x y)) Z i I) as Row. simpl in Row.
    pose proof (sum_zero_terms V _ (fun y _ => N i y) Row 0%nat L) as T. simpl in T.
    apply Rmult_integral in T. destruct T as [T|T]; [pose proof (exp_pos (Omega i 0%nat / tau)); unfold W in T; lra|].
    apply Rsqr_0_uniq in T. lra.
  - intros [c C] j J. rewrite Image. rewrite (sum_ext V _ (fun i => c * W j i)).
    + rewrite sum_scale. symmetry. now apply C.
    + intros i I. unfold a. rewrite (C i I), (WS i j). field. pose proof (S0 i). lra.
Qed.

(** Once logits are drawn: where z_a >= z_b, and M takes mass from b only and leaves q'_b M_bb >= ½. *)
Lemma likelier_outside V z q shared M a b : (a < V)%nat -> (b < V)%nat -> a <> b -> law V q ->
  0 < sum V (on_shared shared q) -> row_stochastic V M -> z b <= z a ->
  let p := softmax V z in let d := restricted V shared q in
  (forall i, (i < V)%nat -> i <> b -> d i * (1 - M i i) = 0) -> / 2 <= d b * M b b ->
  acceptance V p d <= acceptance V p (output (moved V d M)).
Proof.
  intros A B AB Q Some S Z p d Only Half. assert (L : (0 < V)%nat) by lia. pose proof (softmax_law V z L) as P. fold p in P.
  apply rdk_never_worse_corrected; try easy. intros i I. fold d. destruct (Nat.eq_dec i b) as [->|N]; [|rewrite Only by easy; apply Rmax_l].
  assert (Pb : p b <= / 2).
  { assert (O : p b <= p a).
    { unfold p, softmax. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, weights_positive, L | now apply exp_le]. }
    destruct P as [N One].
    assert (T : sum V (fun x => (if Nat.eqb x a then p x else 0) + (if Nat.eqb x b then p x else 0)) <= sum V p).
    { apply sum_le. intros x X. specialize (N x X). destruct (Nat.eqb_spec x a), (Nat.eqb_spec x b); try lra.
      exfalso. apply AB. congruence. }
    rewrite sum_plus, (sum_point V p a A), (sum_point V p b B), One in T. lra. }
  eapply Rle_trans; [|apply Rmax_r]. lra.
Qed.

Section Gaussian.

Variable Outcome : Type.
Variable probability : (Outcome -> Prop) -> R.
Variable Phi : R -> R.
Hypothesis measure : is_probability Outcome probability.
Hypothesis normal_law : cumulative Phi.

(** Theorem 5.3, corrected: where z_a and z_b are jointly normal of any correlation, μ_a - 3σ_a >= μ_b + 3σ_b, and M takes mass
    from b only and leaves q'_b M_bb >= ½, RDK is kept at least as often as TLI with probability Φ(3) = 99.865 % at least. *)
Theorem rdk_gaussian_advantage_corrected V (z : Outcome -> nat -> R) mu_a mu_b sigma_a sigma_b rho q shared M a b :
  0 <= sigma_a -> 0 <= sigma_b -> -1 <= rho <= 1 -> mu_b + 3 * sigma_b <= mu_a - 3 * sigma_a ->
  jointly_normal Outcome probability Phi (fun w => z w a) (fun w => z w b) mu_a mu_b sigma_a sigma_b rho ->
  (a < V)%nat -> (b < V)%nat -> a <> b -> law V q -> 0 < sum V (on_shared shared q) -> row_stochastic V M ->
  let d := restricted V shared q in
  (forall i, (i < V)%nat -> i <> b -> d i * (1 - M i i) = 0) -> / 2 <= d b * M b b ->
  Rabs (Phi 3 - 0.99865) <= 0.000005 /\
  Phi 3 <= probability (fun w =>
    acceptance V (softmax V (z w)) d <= acceptance V (softmax V (z w)) (output (moved V d M))).
Proof.
  intros SA SB Rho Apart Joint A B AB Q Some S d Only Half.
  pose proof (cumulative_3 Phi normal_law) as Three. split; [apply Rabs_le; lra|].
  assert (Wins : forall w, z w b <= z w a ->
    acceptance V (softmax V (z w)) d <= acceptance V (softmax V (z w)) (output (moved V d M)))
    by (intros w Z; now apply (likelier_outside V (z w) q shared M a b)).
  destruct measure as [One [Monotone _]]. specialize (Joint (-1) 1).
  set (variance := -1 * -1 * sigma_a * sigma_a + 1 * 1 * sigma_b * sigma_b + 2 * -1 * 1 * rho * sigma_a * sigma_b) in Joint.
  assert (E : variance = sigma_a * sigma_a + sigma_b * sigma_b - 2 * rho * sigma_a * sigma_b) by (unfold variance; ring).
  assert (Most : sqrt variance <= sigma_a + sigma_b).
  { rewrite <- (sqrt_square (sigma_a + sigma_b)) by lra. apply sqrt_le_1_alt.
    assert (0 <= (1 + rho) * (2 * (sigma_a * sigma_b))) by (apply Rmult_le_pos; nra). rewrite E. lra. }
  destruct Joint as [Normal Certain]. destruct (sqrt_pos variance) as [Pos|Zero].
  - apply (Rle_trans _ (probability (fun w => -1 * z w a + 1 * z w b <= 0))).
    + rewrite (Normal Pos 0). set (x := (0 - (-1 * mu_a + 1 * mu_b)) / sqrt variance).
      assert (X : 3 <= x).
      { unfold x. apply (Rmult_le_reg_r (sqrt variance)); [exact Pos|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
      pose proof (cumulative_grows Phi normal_law 3 x X). lra.
    + apply Monotone. intros w Z. apply Wins. lra.
  - apply (Rle_trans _ 1); [lra|]. rewrite <- (Certain (eq_sym Zero)). apply Monotone. intros w Z. apply Wins. lra.
Qed.

(** The same against pruning without redistribution, Σ_I min(p, q). *)
Theorem rdk_gaussian_advantage_vanilla_corrected V (z : Outcome -> nat -> R) mu_a mu_b sigma_a sigma_b rho q shared M a b :
  0 <= sigma_a -> 0 <= sigma_b -> -1 <= rho <= 1 -> mu_b + 3 * sigma_b <= mu_a - 3 * sigma_a ->
  jointly_normal Outcome probability Phi (fun w => z w a) (fun w => z w b) mu_a mu_b sigma_a sigma_b rho ->
  (a < V)%nat -> (b < V)%nat -> a <> b -> law V q -> 0 < sum V (on_shared shared q) -> row_stochastic V M ->
  let d := restricted V shared q in
  (forall i, (i < V)%nat -> i <> b -> d i * (1 - M i i) = 0) -> / 2 <= d b * M b b ->
  Rabs (Phi 3 - 0.99865) <= 0.000005 /\
  Phi 3 <= probability (fun w =>
    unredistributed V (softmax V (z w)) q shared <= acceptance V (softmax V (z w)) (output (moved V d M))).
Proof.
  intros SA SB Rho Apart Joint A B AB Q Some S d Only Half.
  destruct (rdk_gaussian_advantage_corrected V z mu_a mu_b sigma_a sigma_b rho q shared M a b) as [Three L]; try easy.
  split; [exact Three|]. eapply Rle_trans; [exact L|].
  destruct measure as [_ [Monotone _]]. apply Monotone. intros w W. eapply Rle_trans; [|exact W].
  apply rdk_tli_vs_none; [apply softmax_law; lia | exact Q | exact Some].
Qed.

End Gaussian.

(** The two paths on which EARS accepts a draft: the laws of their tokens, and how far from the target they are. *)

Require Import Reals Lra Lia List Arith Bool.
Require Import laws lossless slopes ears.
Import ListNotations.
Open Scope R_scope.

(** * The logarithm, from the reals' completeness alone *)

Lemma exp_above v : 0 <= v -> 1 + v <= exp v.
Proof.
  intros V0. assert (M : exp 0 - 0 <= exp v - v).
  { apply (monotone (fun t => exp t - t) (fun t => exp t - 1)); [exact V0 | |].
    - intros t _. apply (derivable_pt_lim_minus exp id); [apply derivable_pt_lim_exp | apply derivable_pt_lim_id].
    - intros t T. assert (exp 0 <= exp t) by (apply exp_le; lra). rewrite exp_0 in *. lra. }
  rewrite exp_0 in M. lra.
Qed.

Lemma exp_once x y : exp x = exp y -> x = y.
Proof.
  assert (H : forall a b, exp a = exp b -> ~ a < b).
  { intros a b E L. pose proof (exp_above (b - a) ltac:(lra)) as A. pose proof (exp_pos a) as P.
    replace b with ((b - a) + a) in E by ring. rewrite exp_plus in E. nra. }
  intros E. pose proof (H x y E). pose proof (H y x (eq_sym E)). lra.
Qed.

Lemma logarithm_exists x : 0 < x -> { t | exp t = x }.
Proof.
  intros P. assert (I : 0 < / x) by now apply Rinv_0_lt_compat.
  destruct (IVT (fun t => exp t - x) (- / x) x) as [t [_ T]].
  - apply continuity_minus; [apply derivable_continuous, derivable_exp | apply continuity_const; now intros a b].
  - lra.
  - pose proof (exp_above (/ x) ltac:(lra)) as A. rewrite exp_Ropp.
    assert (B : / exp (/ x) <= / (1 + / x)) by (apply Rinv_le_contravar; lra).
    assert (C : / (1 + / x) < x); [|lra]. apply (Rmult_lt_reg_r (1 + / x)); [lra|]. rewrite Rinv_l by lra.
    rewrite Rmult_plus_distr_l, Rinv_r; lra.
  - pose proof (exp_above x ltac:(lra)). lra.
  - exists t. lra.
Qed.

(** The number whose exponential is x, of x > 0. *)
Definition logarithm (x : R) : R := match Rlt_dec 0 x with left P => proj1_sig (logarithm_exists x P) | right _ => 0 end.

Lemma exp_logarithm x : 0 < x -> exp (logarithm x) = x.
Proof. intros P. unfold logarithm. destruct (Rlt_dec 0 x) as [Q|]; [|easy]. now destruct (logarithm_exists x Q). Qed.

Lemma logarithm_1 : logarithm 1 = 0.
Proof. apply exp_once. rewrite exp_logarithm, exp_0; lra. Qed.

Lemma logarithm_mult x y : 0 < x -> 0 < y -> logarithm (x * y) = logarithm x + logarithm y.
Proof.
  intros X Y. apply exp_once. rewrite exp_plus, !exp_logarithm; try easy. now apply Rmult_lt_0_compat.
Qed.

Lemma logarithm_inverse x : 0 < x -> logarithm (/ x) = - logarithm x.
Proof.
  intros X. apply exp_once. rewrite exp_Ropp, !exp_logarithm; try easy. now apply Rinv_0_lt_compat.
Qed.

(** * Divergence *)

(** Kullback-Leibler divergence of a law a from p, where p has mass wherever a has; elsewhere it is infinite. *)
Definition divergence (V : nat) (a p : nat -> R) : R :=
  sum V (fun x => if Rlt_dec 0 (a x) then a x * logarithm (a x / p x) else 0).
Definition is_infinite (V : nat) (a p : nat -> R) : Prop := exists x, (x < V)%nat /\ 0 < a x /\ p x = 0.

Section Paths.

Variable V : nat.
Variables p q : nat -> R.
Hypothesis target_law : law V p.
Hypothesis draft_law : law V q.

Inductive path := Standard | Pardon | Refused.

(** A draft and one uniform: accepted by the first test where the uniform is at most p/q, by the second where it is more than
    p/q and at most p/q + t. *)
Definition two_tests (t : R) : program (nat * path) :=
  x <- draw V q ;;
  [(Rmin 1 (p x / q x), (x, Standard)); (passes p q t x - Rmin 1 (p x / q x), (x, Pardon)); (1 - passes p q t x, (x, Refused))].

Definition is_on (way : path) (o : nat * path) : bool :=
  match way, snd o with Standard, Standard => true | Pardon, Pardon => true | Refused, Refused => true | _, _ => false end.

(** The law of a token, given the path on which it is accepted. *)
Definition given (t : R) (way : path) (y : nat) : R :=
  chance (two_tests t) (fun o => is_on way o && Nat.eqb (fst o) y) / chance (two_tests t) (is_on way).

Lemma tests_value t f : expect (two_tests t) f = sum V (fun x => q x * (Rmin 1 (p x / q x) * f (x, Standard)
  + (passes p q t x - Rmin 1 (p x / q x)) * f (x, Pardon) + (1 - passes p q t x) * f (x, Refused))).
Proof. unfold two_tests. rewrite expect_bind, expect_draw. apply sum_ext. intros x _. simpl. ring. Qed.

Lemma standard_mass x : (x < V)%nat -> q x * Rmin 1 (p x / q x) = Rmin (p x) (q x).
Proof. intros L. apply keep_mass; now apply (law_nonneg V). Qed.

Lemma pardon_mass t x : 0 <= t -> (x < V)%nat -> q x * (passes p q t x - Rmin 1 (p x / q x)) = gain p q t x.
Proof.
  intros T L. pose proof (kept_gain V p q target_law draft_law t x T L) as K. unfold kept in K.
  rewrite Rmult_minus_distr_l, K, standard_mass by exact L. ring.
Qed.

Lemma given_standard t y : (y < V)%nat -> given t Standard y = Rmin (p y) (q y) / overlap V p q.
Proof.
  intros L. unfold given, chance. rewrite !tests_value. f_equal.
  - rewrite <- (sum_point V (fun x => Rmin (p x) (q x)) y L). apply sum_ext. intros x X. unfold is_on, indicator. simpl.
    rewrite <- (standard_mass x X). destruct (Nat.eqb x y); ring.
  - apply sum_ext. intros x X. unfold is_on, indicator. simpl. rewrite <- (standard_mass x X). ring.
Qed.

Lemma given_pardon t y : 0 <= t -> (y < V)%nat -> given t Pardon y = gain p q t y / sum V (gain p q t).
Proof.
  intros T L. unfold given, chance. rewrite !tests_value. f_equal.
  - rewrite <- (sum_point V (gain p q t) y L). apply sum_ext. intros x X. unfold is_on, indicator. simpl.
    rewrite <- (pardon_mass t x T X). destruct (Nat.eqb x y); ring.
  - apply sum_ext. intros x X. unfold is_on, indicator. simpl. rewrite <- (pardon_mass t x T X). ring.
Qed.

(** Of masses m that are normalised by their sum M. *)
Lemma divergence_of m M : 0 < M -> sum V m = M -> (forall x, (x < V)%nat -> 0 <= m x) ->
  (forall x, (x < V)%nat -> 0 < m x -> 0 < p x) ->
  divergence V (fun x => m x / M) p = - logarithm M + / M * sum V (fun x => if Rlt_dec 0 (m x) then m x * logarithm (m x / p x) else 0).
Proof.
  intros P S N F. transitivity (sum V (fun x => m x * (- logarithm M / M) + / M * (if Rlt_dec 0 (m x) then m x * logarithm (m x / p x) else 0))).
  - apply sum_ext. intros x L. assert (I : 0 < / M) by now apply Rinv_0_lt_compat.
    destruct (Rlt_dec 0 (m x)) as [A|A].
    + specialize (F x L A). assert (Q : 0 < m x / M) by (apply Rmult_lt_0_compat; easy).
      destruct (Rlt_dec 0 (m x / M)); [|easy].
      assert (PI : 0 < / p x) by now apply Rinv_0_lt_compat.
      replace (m x / M / p x) with (m x / p x * / M) by (field; lra).
      rewrite logarithm_mult, logarithm_inverse by (try easy; apply Rmult_lt_0_compat; easy). field. lra.
    + assert (Z : m x = 0) by (specialize (N x L); lra). rewrite Z. destruct (Rlt_dec 0 (0 / M)) as [C|C]; [|ring].
      unfold Rdiv in C. lra.
  - rewrite sum_plus, sum_scale_right, S, sum_scale. field. lra.
Qed.

Lemma divergence_ext a b : (forall x, (x < V)%nat -> a x = b x) -> divergence V a p = divergence V b p.
Proof. intros H. apply sum_ext. intros x L. now rewrite H. Qed.

(** A token accepted on the standard path has the law min(p, q)/α, at -log α - 1/α Σ_{q < p} q log(p/q) from the target; one
    accepted on the pardon path has the law g/G, g = min((q - p)₊, t q), at -log G + 1/G Σ g log min(q/p - 1, t q/p), infinite
    exactly where a token with p = 0 can be pardoned. *)
Theorem ears_two_paths beta : 0 <= beta ->
  let t := tolerance V p beta in let alpha := overlap V p q in let g := gain p q t in let G := sum V g in
  (0 < alpha -> (forall y, (y < V)%nat -> given t Standard y = Rmin (p y) (q y) / alpha) /\
    ~ is_infinite V (given t Standard) p /\
    divergence V (given t Standard) p
      = - logarithm alpha - / alpha * sum V (fun x => if Rlt_dec (q x) (p x) then q x * logarithm (p x / q x) else 0)) /\
  (0 < G -> (forall y, (y < V)%nat -> given t Pardon y = g y / G) /\
    (is_infinite V (given t Pardon) p <-> exists x, (x < V)%nat /\ p x = 0 /\ 0 < q x /\ 0 < t) /\
    (~ is_infinite V (given t Pardon) p ->
      divergence V (given t Pardon) p
        = - logarithm G + / G * sum V (fun x => g x * logarithm (Rmin (q x / p x - 1) (t * q x / p x))))).
Proof.
  intros B t alpha g G. assert (T : 0 <= t) by now apply tolerance_nonneg. split; intros P.
  - assert (Law : forall y, (y < V)%nat -> given t Standard y = Rmin (p y) (q y) / alpha)
      by (intros; now apply given_standard). split; [exact Law|].
    assert (I : 0 < / alpha) by now apply Rinv_0_lt_compat.
    assert (F : forall x, (x < V)%nat -> 0 < Rmin (p x) (q x) -> 0 < p x)
      by (intros x _ H; pose proof (Rmin_l (p x) (q x)); lra). split.
    + intros [x [L [A Z]]]. rewrite Law in A by exact L.
      assert (Rmin (p x) (q x) <= 0) by (rewrite <- Z; apply Rmin_l). unfold Rdiv in A. nra.
    + rewrite (divergence_ext _ (fun x => Rmin (p x) (q x) / alpha) Law).
      rewrite (divergence_of (fun x => Rmin (p x) (q x)) alpha P eq_refl); [| |exact F].
      * unfold Rminus. f_equal. rewrite <- Ropp_mult_distr_r_reverse. f_equal.
        rewrite <- (Rmult_1_l (sum V (fun x => if Rlt_dec (q x) (p x) then q x * logarithm (p x / q x) else 0))).
        rewrite Ropp_mult_distr_l, <- sum_scale.
        apply sum_ext. intros x L. pose proof (law_nonneg V q x draft_law L) as Q. pose proof (law_nonneg V p x target_law L) as PX.
        destruct (Rlt_dec (q x) (p x)) as [A|A].
        -- rewrite Rmin_right by lra. destruct (Rlt_dec 0 (q x)) as [D|D].
           ++ replace (q x / p x) with (/ (p x / q x)) by (field; lra).
              rewrite logarithm_inverse by (apply Rdiv_lt_0_compat; lra). ring.
           ++ assert (Z : q x = 0) by lra. rewrite Z. ring.
        -- rewrite Rmin_left by lra. destruct (Rlt_dec 0 (p x)) as [D|D]; [|ring].
           unfold Rdiv. rewrite Rinv_r, logarithm_1 by lra. ring.
      * intros x L. apply Rmin_glb; now apply (law_nonneg V).
  - assert (Law : forall y, (y < V)%nat -> given t Pardon y = g y / G) by (intros; now apply given_pardon).
    split; [exact Law|]. assert (I : 0 < / G) by now apply Rinv_0_lt_compat.
    assert (N : forall x, (x < V)%nat -> 0 <= g x) by (intros; now apply (gain_nonneg V p q draft_law)).
    assert (Some : is_infinite V (given t Pardon) p <-> exists x, (x < V)%nat /\ 0 < g x /\ p x = 0).
    { split; intros [x [L [A Z]]]; exists x; (split; [exact L|]; split; [|exact Z]).
      - rewrite Law in A by exact L. specialize (N x L). destruct N as [N|N]; [exact N|]. rewrite <- N in A. unfold Rdiv in A. lra.
      - rewrite Law by exact L. now apply Rmult_lt_0_compat. }
    split; [|intros Finite].
    + rewrite Some. split; intros [x H]; exists x.
      * destruct H as [L [A Z]]. unfold g, gain in A. pose proof (Rmin_l (Rmax 0 (q x - p x)) (t * q x)) as A1.
        pose proof (Rmin_r (Rmax 0 (q x - p x)) (t * q x)) as A2. pose proof (law_nonneg V q x draft_law L) as Q.
        split; [exact L|]. split; [exact Z|]. assert (0 < t * q x) by lra. split; nra.
      * destruct H as [L [Z [Q T0]]]. split; [exact L|]. split; [|exact Z]. unfold g, gain.
        apply Rmin_glb_lt; [|now apply Rmult_lt_0_compat]. eapply Rlt_le_trans; [|apply Rmax_r]. lra.
    + assert (F : forall x, (x < V)%nat -> 0 < g x -> 0 < p x).
      { intros x L A. destruct (law_nonneg V p x target_law L) as [PX|PX]; [exact PX|]. exfalso. apply Finite, Some. now exists x. }
      rewrite (divergence_ext _ (fun x => g x / G) Law). rewrite (divergence_of g G P eq_refl N F). do 2 f_equal.
      apply sum_ext. intros x L. destruct (Rlt_dec 0 (g x)) as [A|A].
      * specialize (F x L A). do 2 f_equal. assert (E : g x = Rmin (q x - p x) (t * q x)).
        { unfold g, gain in *. pose proof (Rmin_l (Rmax 0 (q x - p x)) (t * q x)). f_equal. apply Rmax_right.
          unfold Rmax in *. destruct (Rle_dec 0 (q x - p x)); lra. }
        assert (IP : 0 < / p x) by now apply Rinv_0_lt_compat. rewrite E. unfold Rdiv.
        replace (q x * / p x - 1) with ((q x - p x) * / p x) by (field; lra). unfold Rmin.
        destruct (Rle_dec (q x - p x) (t * q x)), (Rle_dec ((q x - p x) * / p x) (t * q x * / p x)); try easy; nra.
      * assert (Z : g x = 0) by (specialize (N x L); lra). rewrite Z. ring.
Qed.

End Paths.

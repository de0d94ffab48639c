(** RDK: how far the linear-time forms of the draft are from the exact one. *)

Require Import Reals Lra Lia List Arith.
Require Import laws lossless rdk dobrushin slopes softmax curvature.
Open Scope R_scope.

(** * The forms *)

(** The largest and the least of n numbers, one at least. *)
Fixpoint highest (n : nat) (f : nat -> R) : R := match n with O => f O | S m => Rmax (highest m f) (f m) end.
Fixpoint lowest (n : nat) (f : nat -> R) : R := match n with O => f O | S m => Rmin (lowest m f) (f m) end.
Definition range (n : nat) (f : nat -> R) : R := highest n f - lowest n f.

Lemma in_range n f x : (x < n)%nat -> lowest n f <= f x <= highest n f.
Proof.
  induction n as [|n IH]; intros L; [lia|]. simpl. destruct (Nat.eq_dec x n) as [->|N]; [split; [apply Rmin_r | apply Rmax_r]|].
  destruct IH as [A B]; [lia|]. pose proof (Rmin_l (lowest n f) (f n)). pose proof (Rmax_l (highest n f) (f n)). lra.
Qed.

(** Eq. 2: a row is the softmax of its affinities over the temperature. *)
Definition affinity (V : nat) (Omega : nat -> nat -> R) (tau : R) (i : nat) : nat -> R := softmax V (fun j => Omega i j / tau).

(** What a draft is to first order, for any affinities: 1/V [1 + (u - ū)/τ], u = Ωᵀq', ū its mean over the vocabulary. *)
Definition first_order (V : nat) (q : nat -> R) (Omega : nat -> nat -> R) (tau : R) (j : nat) : R :=
  / INR V * (1 + (image V q Omega j - sum V (image V q Omega) / INR V) / tau).

(** The exponential form: the softmax of s/τ π. *)
Definition exponential (V : nat) (s tau : R) (pi : nat -> R) : nat -> R := softmax V (fun j => s / tau * pi j).

Section Forms.

Variable V : nat.
Hypothesis some_token : (0 < V)%nat.
Variable q : nat -> R.
Hypothesis q_law : law V q.

Lemma tokens : 0 < INR V.
Proof. now apply lt_0_INR. Qed.

Lemma sum_ones : sum V (fun _ => 1) = INR V.
Proof. clear. induction V as [|n IH]; [easy | cbn [sum]; rewrite IH, S_INR; ring]. Qed.

Lemma softmax_ext a b : (forall x, (x < V)%nat -> a x = b x) -> forall x, (x < V)%nat -> softmax V a x = softmax V b x.
Proof.
  intros E x L. unfold softmax. rewrite E by easy. f_equal. apply sum_ext. intros y Y. now rewrite E.
Qed.

Lemma softmax_flat x : softmax V (fun _ => 0) x = / INR V.
Proof.
  unfold softmax. rewrite exp_0, sum_ones. pose proof tokens. field. lra.
Qed.

Lemma norm1_ext x y : (forall j, (j < V)%nat -> x j = y j) -> norm1 V x = norm1 V y.
Proof. intros E. apply sum_ext. intros j L. now rewrite E. Qed.

(** A mean of rows is off by at most the mean of what they are off. *)
Lemma mean_off (r : nat -> nat -> R) : norm1 V (image V q r) <= sum V (fun i => q i * norm1 V (r i)).
Proof.
  unfold norm1, image. apply (Rle_trans _ (sum V (fun j => sum V (fun i => q i * Rabs (r i j))))).
  - apply sum_le. intros j _. eapply Rle_trans; [apply sum_abs|]. right. apply sum_ext. intros i L.
    rewrite Rabs_mult, (Rabs_pos_eq (q i)); [easy | now apply (law_nonneg V)].
  - right. rewrite sum_swap. apply sum_ext. intros i _. now rewrite sum_scale.
Qed.

(** A row's softmax and its first order about the logits a. *)
Definition row_off (a u : nat -> R) (j : nat) : R :=
  softmax V (fun y => a y + u y) j - softmax V a j - softmax V a j * (u j - sum V (fun y => softmax V a y * u y)).

Lemma row_bound a u : norm1 V (row_off a u) <= kappa / 2 * (range V u * range V u).
Proof.
  eapply Rle_trans; [|apply (first_order_off V some_token a u (lowest V u) (highest V u)); intros; now apply in_range].
  right. apply norm1_ext. intros j L. unfold row_off.
  assert (O : forall y, (y < V)%nat -> softmax V (fun y => a y + 1 * u y) y = softmax V (fun y => a y + u y) y)
    by (apply softmax_ext; intros; ring).
  assert (Z : forall y, (y < V)%nat -> softmax V (fun y => a y + 0 * u y) y = softmax V a y)
    by (apply softmax_ext; intros; ring).
  rewrite O, Z by easy. f_equal. f_equal. f_equal. apply sum_ext. intros y Y. now rewrite Z.
Qed.

Lemma range_scale c u : range V (fun y => c * u y) * range V (fun y => c * u y) = c * c * (range V u * range V u).
Proof.
  unfold range. clear some_token q_law. destruct (Rle_lt_dec 0 c) as [C|C].
  - assert (E : highest V (fun y => c * u y) = c * highest V u /\ lowest V (fun y => c * u y) = c * lowest V u).
    { induction V as [|n [IH JH]]; [easy|]. simpl. rewrite IH, JH, RmaxRmult, Rmin_comm by easy. split; [easy|].
      rewrite Rmin_comm. unfold Rmin. destruct (Rle_dec (lowest n u) (u n)), (Rle_dec (c * lowest n u) (c * u n)); nra. }
    destruct E as [-> ->]. ring.
  - assert (E : highest V (fun y => c * u y) = c * lowest V u /\ lowest V (fun y => c * u y) = c * highest V u).
    { induction V as [|n [IH JH]]; [easy|]. simpl. rewrite IH, JH. split.
      - unfold Rmin, Rmax. destruct (Rle_dec (lowest n u) (u n)), (Rle_dec (c * lowest n u) (c * u n)); nra.
      - unfold Rmin, Rmax. destruct (Rle_dec (highest n u) (u n)), (Rle_dec (c * highest n u) (c * u n)); nra. }
    destruct E as [-> ->]. ring.
Qed.

(** About equal logits. *)
Lemma flat_row u j : (j < V)%nat ->
  row_off (fun _ => 0) u j = softmax V u j - / INR V * (1 + (u j - sum V u / INR V)).
Proof.
  intros L. unfold row_off. rewrite softmax_flat.
  rewrite (sum_ext V (fun y => softmax V (fun _ => 0) y * u y) (fun y => / INR V * u y)) by (intros; now rewrite softmax_flat).
  rewrite sum_scale, (softmax_ext (fun y => 0 + u y) u) by (easy || intros; ring). unfold Rdiv. ring.
Qed.

Variable tau : R.
Hypothesis tau_positive : 0 < tau.

Lemma general_off Omega :
  norm1 V (fun j => first_order V q Omega tau j - image V q (affinity V Omega tau) j)
  <= kappa / 2 * sum V (fun i => q i * (range V (Omega i) * range V (Omega i))) / (tau * tau).
Proof.
  set (r := fun i => row_off (fun _ => 0) (fun j => Omega i j / tau)).
  assert (E : norm1 V (fun j => first_order V q Omega tau j - image V q (affinity V Omega tau) j) = norm1 V (image V q r)).
  { apply sum_ext. intros j L. rewrite <- Rabs_Ropp. f_equal. change (image V q r j) with (sum V (fun i => q i * r i j)).
    rewrite (sum_ext V (fun i => q i * r i j) (fun i => q i * affinity V Omega tau i j
      - (/ INR V * q i + (/ INR V * / tau) * (q i * Omega i j) - (/ INR V * / tau * / INR V) * (q i * sum V (Omega i))))).
    - rewrite sum_minus, sum_minus, sum_plus, !sum_scale. destruct q_law as [_ One]. rewrite One.
      assert (S : sum V (image V q Omega) = sum V (fun i => q i * sum V (Omega i))).
      { unfold image. rewrite sum_swap. apply sum_ext. intros i _. now rewrite sum_scale. }
      unfold first_order. rewrite S. unfold image, Rdiv. ring.
    - intros i _. unfold r. rewrite flat_row by easy. unfold affinity.
      rewrite (sum_ext V (fun j => Omega i j / tau) (fun j => Omega i j * / tau)), sum_scale_right by (intros; easy).
      unfold Rdiv. ring. }
  rewrite E. eapply Rle_trans; [apply mean_off|].
  replace (kappa / 2 * sum V (fun i => q i * (range V (Omega i) * range V (Omega i))) / (tau * tau))
    with (sum V (fun i => (q i * (range V (Omega i) * range V (Omega i))) * (kappa / 2 * / (tau * tau))))
    by (rewrite sum_scale_right; field; lra).
  apply sum_le. intros i L. rewrite Rmult_assoc. apply Rmult_le_compat_l; [now apply (law_nonneg V)|].
  eapply Rle_trans; [apply row_bound|]. right.
  assert (X : range V (fun j => Omega i j / tau) = range V (fun j => / tau * Omega i j)).
  { unfold range. clear. f_equal; induction V; simpl; try rewrite IHn; unfold Rdiv; rewrite Rmult_comm; try easy. }
  rewrite X, range_scale. field. lra.
Qed.

Lemma quarter : kappa / 2 <= / 4.
Proof. pose proof kappa_range. lra. Qed.

Lemma weaker c x : 0 <= x -> kappa / 2 * x / (tau * tau) + c <= / 4 * x / (tau * tau) + c.
Proof.
  intros X. apply Rplus_le_compat_r. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; nra|].
  apply Rmult_le_compat_r; [easy | apply quarter].
Qed.

End Forms.

Lemma norm1_nonneg V x : 0 <= norm1 V x.
Proof. apply sum_nonneg. intros. apply Rabs_pos. Qed.

(** For every Ω the first-order form satisfies ‖r̂ - Mᵀq'‖₁ <= C/τ² with C = (√3/18) Σ q'_i (max_j Ω_ij - min_j Ω_ij)². *)
Theorem rdk_taylor_order_general_sharp V q Omega tau : (0 < V)%nat -> law V q -> 0 < tau ->
  norm1 V (fun j => first_order V q Omega tau j - image V q (affinity V Omega tau) j)
  <= sqrt 3 / 18 * sum V (fun i => q i * Rsqr (range V (Omega i))) / Rsqr tau.
Proof.
  intros L Q T. replace (sqrt 3 / 18) with (kappa / 2) by (unfold kappa; field). now apply general_off.
Qed.

(** For every Ω the first-order form satisfies ‖r̂ - Mᵀq'‖₁ <= C/τ² with C = ¼ Σ q'_i (max_j Ω_ij - min_j Ω_ij)². *)
Theorem rdk_taylor_order_general V q Omega tau : (0 < V)%nat -> law V q -> 0 < tau ->
  norm1 V (fun j => first_order V q Omega tau j - image V q (affinity V Omega tau) j)
  <= / 4 * sum V (fun i => q i * Rsqr (range V (Omega i))) / Rsqr tau.
Proof.
  intros L Q T. eapply Rle_trans; [now apply (general_off V L q Q tau T)|].
  rewrite <- (Rplus_0_r (/ 4 * _ / _)), <- (Rplus_0_r (kappa / 2 * _ / _)). apply (weaker tau T).
  apply sum_nonneg. intros i I. apply Rmult_le_pos; [now apply (law_nonneg V) | apply Rle_0_sqr].
Qed.

Section Variants.

Variable V : nat.
Variables p q c : nat -> R.
Variable tau : R.
Hypothesis some_token : (0 < V)%nat.
Hypothesis target_law : law V p.
Hypothesis draft_law : law V q.
Hypothesis tau_positive : 0 < tau.

Let s : R := score V q c.
Let rho : R := range V p.

(** How far a form of the draft is from the exact one, Mᵀq'. *)
Definition error (Omega : nat -> nat -> R) (form : nat -> R) : R :=
  norm1 V (fun j => form j - image V q (affinity V Omega tau) j).

(** What the normalised form is off the affine one by, at most, times τ². *)
Definition normalising : R := Rsqr s * norm1 V (fun j => p j - / INR V) / Rsqr (INR V).

Lemma normalised_off : 0 <= s ->
  norm1 V (fun j => normalised V s tau p j - affine V s tau p j) <= normalising / Rsqr tau.
Proof.
  intros S. pose proof (tokens V some_token) as N.
  assert (X : 0 <= s / tau) by (apply Rmult_le_pos; [easy | left; now apply Rinv_0_lt_compat]).
  destruct target_law as [_ One].
  set (x := s / tau) in *. set (n := INR V) in *.
  rewrite (norm1_ext V _ (fun j => - (x * x / (n * (n + x))) * (p j - / n))).
  2: { intros j _. unfold normalised, affine. fold x. fold n.
       rewrite sum_plus, sum_scale, One, sum_ones. fold n. field. split; lra. }
  assert (K : 0 <= x * x / (n * (n + x))).
  { apply Rmult_le_pos; [nra | left; apply Rinv_0_lt_compat; nra]. }
  unfold norm1. rewrite (sum_ext V _ (fun j => x * x / (n * (n + x)) * Rabs (p j - / n))).
  2: { intros j _. rewrite Rabs_mult, Rabs_Ropp, (Rabs_pos_eq _ K). easy. }
  rewrite sum_scale. unfold normalising. fold n. pose proof (norm1_nonneg V (fun j => p j - / n)) as P. unfold norm1 in *.
  set (d := sum V (fun j => Rabs (p j - / n))) in *.
  replace (Rsqr s * d / Rsqr n / Rsqr tau) with (x * x * d / (n * n)) by (unfold Rsqr, x; field; split; lra).
  replace (x * x / (n * (n + x)) * d) with (x * x * d * / (n * (n + x))) by (field; split; lra).
  apply Rmult_le_compat_l; [apply Rmult_le_pos; nra|]. apply Rinv_le_contravar; nra.
Qed.

(** Of rows that are softmax(c_i p/τ) the exponential form is the first order about s. *)
Lemma exponential_off : norm1 V (fun j => exponential V s tau p j
    - image V q (affinity V (fun i j => c i * p j) tau) j)
  <= kappa / 2 * (Rsqr rho * sum V (fun i => q i * Rsqr (c i - s))) / (tau * tau).
Proof.
  set (a := fun j => s / tau * p j). set (u := fun i j => (c i - s) / tau * p j).
  set (r := fun i => row_off V a (u i)). destruct draft_law as [QN QOne].
  assert (E : norm1 V (fun j => exponential V s tau p j - image V q (affinity V (fun i j => c i * p j) tau) j)
    = norm1 V (image V q r)).
  { apply sum_ext. intros j L. rewrite <- Rabs_Ropp. f_equal. change (image V q r j) with (sum V (fun i => q i * r i j)).
    set (m := sum V (fun y => softmax V a y * p y)).
    rewrite (sum_ext V (fun i => q i * r i j) (fun i => q i * affinity V (fun i j => c i * p j) tau i j
      - softmax V a j * q i - (softmax V a j * (p j - m) * / tau) * (q i * c i - s * q i))).
    - rewrite sum_minus, sum_minus, !sum_scale, sum_minus, sum_scale, QOne.
      change (sum V (fun i => q i * c i)) with s. unfold exponential, image. fold a. ring.
    - intros i I. unfold r, row_off, u.
      rewrite (sum_ext V (fun y => softmax V a y * ((c i - s) / tau * p y)) (fun y => (c i - s) / tau * (softmax V a y * p y)))
        by (intros; ring).
      rewrite sum_scale. fold m. unfold affinity.
      rewrite (softmax_ext V (fun y => a y + (c i - s) / tau * p y) (fun k => c i * p k / tau))
        by (easy || (intros; unfold a; field; lra)).
      unfold Rdiv. ring. }
  rewrite E. eapply Rle_trans; [now apply mean_off|].
  replace (kappa / 2 * (Rsqr rho * sum V (fun i => q i * Rsqr (c i - s))) / (tau * tau))
    with (sum V (fun i => q i * Rsqr (c i - s) * (kappa / 2 * Rsqr rho * / (tau * tau))))
    by (rewrite sum_scale_right; field; lra).
  apply sum_le. intros i I. rewrite Rmult_assoc. apply Rmult_le_compat_l; [now apply QN|].
  eapply Rle_trans; [now apply row_bound|]. right. unfold u. rewrite range_scale. unfold rho, Rsqr. field. lra.
Qed.

Lemma affine_is_first_order Omega : (forall i j, (i < V)%nat -> (j < V)%nat -> Omega i j = c i * p j) ->
  forall j, (j < V)%nat -> first_order V q Omega tau j = affine V s tau p j.
Proof.
  intros R. pose proof (tokens V some_token) as N. destruct target_law as [_ One].
  assert (I : forall j, (j < V)%nat -> image V q Omega j = s * p j).
  { intros j L. unfold image, s, score. rewrite <- sum_scale_right. apply sum_ext. intros i I. rewrite R by easy. ring. }
  intros j L. unfold first_order, affine. rewrite I by easy. rewrite (sum_ext V _ (fun j => s * p j)) by exact I.
  rewrite sum_scale, One. field. split; lra.
Qed.

Lemma rank_one_affinity Omega : (forall i j, (i < V)%nat -> (j < V)%nat -> Omega i j = c i * p j) ->
  forall j, (j < V)%nat -> image V q (affinity V Omega tau) j = image V q (affinity V (fun i j => c i * p j) tau) j.
Proof.
  intros R j L. apply sum_ext. intros i I. f_equal. unfold affinity. apply softmax_ext; [|easy]. intros k K. now rewrite R.
Qed.

Lemma affine_off Omega : (forall i j, (i < V)%nat -> (j < V)%nat -> Omega i j = c i * p j) ->
  error Omega (affine V s tau p) <= kappa / 2 * (Rsqr rho * sum V (fun i => q i * Rsqr (c i))) / (tau * tau).
Proof.
  intros R. unfold error. rewrite (norm1_ext V _ (fun j => first_order V q (fun i j => c i * p j) tau j
    - image V q (affinity V (fun i j => c i * p j) tau) j)).
  2: { intros j L. rewrite affine_is_first_order by easy. now rewrite (rank_one_affinity Omega R j L). }
  eapply Rle_trans; [now apply general_off|]. right. f_equal. f_equal. rewrite <- sum_scale. apply sum_ext.
  intros i _. rewrite range_scale. unfold rho, Rsqr. ring.
Qed.

Lemma apart x y z : norm1 V (fun j => x j - z j) <= norm1 V (fun j => x j - y j) + norm1 V (fun j => y j - z j).
Proof. apply norm1_triangle. Qed.

(** All three forms, with a factor k that serves √3/18 and ¼. *)
Lemma rank_one_off k Omega : kappa / 2 <= k -> 0 <= s ->
  (forall i j, (i < V)%nat -> (j < V)%nat -> Omega i j = c i * p j) ->
  error Omega (affine V s tau p) <= k * Rsqr rho * sum V (fun i => q i * Rsqr (c i)) / Rsqr tau /\
  error Omega (normalised V s tau p) <= (k * Rsqr rho * sum V (fun i => q i * Rsqr (c i)) + normalising) / Rsqr tau /\
  error Omega (exponential V s tau p) <= k * Rsqr rho * sum V (fun i => q i * Rsqr (c i - s)) / Rsqr tau.
Proof.
  intros K S Rank.
  assert (T : 0 <= / Rsqr tau) by (left; apply Rinv_0_lt_compat; unfold Rsqr; nra).
  assert (W : forall d, kappa / 2 * (Rsqr rho * sum V (fun i => q i * Rsqr (d i))) / (tau * tau)
    <= k * Rsqr rho * sum V (fun i => q i * Rsqr (d i)) / Rsqr tau).
  { intros d. rewrite (Rmult_assoc k). apply Rmult_le_compat_r; [exact T|]. apply Rmult_le_compat_r; [|easy].
    apply Rmult_le_pos; [apply Rle_0_sqr|]. apply sum_nonneg. intros i I. apply Rmult_le_pos; [|apply Rle_0_sqr].
    now apply (law_nonneg V). }
  assert (A : error Omega (affine V s tau p) <= k * Rsqr rho * sum V (fun i => q i * Rsqr (c i)) / Rsqr tau)
    by (eapply Rle_trans; [now apply affine_off | apply W]).
  split; [exact A|]. split.
  - eapply Rle_trans; [apply (apart _ (affine V s tau p))|]. pose proof (normalised_off S) as B.
    unfold error in A. unfold Rdiv in *. rewrite Rmult_plus_distr_r. lra.
  - unfold error. rewrite (norm1_ext V _ (fun j => exponential V s tau p j
      - image V q (affinity V (fun i j => c i * p j) tau) j)).
    + eapply Rle_trans; [now apply exponential_off | apply (W (fun i => c i - s))].
    + intros j L. now rewrite (rank_one_affinity Omega Rank j L).
Qed.

(** If Ω_ij = c_i p_j and s >= 0, ‖r̂ - Mᵀq'‖₁ <= C/τ² for the affine, the normalised and the exponential form, with
    C = ¼ ρ² Σ q'_i c_i², plus s² ‖p - 1/V‖₁/V² (normalised), ¼ ρ² Σ q'_i (c_i - s)² (exponential), ρ = max p - min p. *)
Theorem rdk_taylor_order Omega : (forall i j, (i < V)%nat -> (j < V)%nat -> Omega i j = c i * p j) -> 0 <= s ->
  error Omega (affine V s tau p) <= / 4 * Rsqr rho * sum V (fun i => q i * Rsqr (c i)) / Rsqr tau /\
  error Omega (normalised V s tau p) <= (/ 4 * Rsqr rho * sum V (fun i => q i * Rsqr (c i)) + normalising) / Rsqr tau /\
  error Omega (exponential V s tau p) <= / 4 * Rsqr rho * sum V (fun i => q i * Rsqr (c i - s)) / Rsqr tau.
Proof. intros R S. apply rank_one_off; [apply quarter | easy | easy]. Qed.

(** The same with √3/18 in place of ¼. *)
Theorem rdk_taylor_order_sharp Omega : (forall i j, (i < V)%nat -> (j < V)%nat -> Omega i j = c i * p j) -> 0 <= s ->
  error Omega (affine V s tau p) <= sqrt 3 / 18 * Rsqr rho * sum V (fun i => q i * Rsqr (c i)) / Rsqr tau /\
  error Omega (normalised V s tau p)
    <= (sqrt 3 / 18 * Rsqr rho * sum V (fun i => q i * Rsqr (c i)) + normalising) / Rsqr tau /\
  error Omega (exponential V s tau p) <= sqrt 3 / 18 * Rsqr rho * sum V (fun i => q i * Rsqr (c i - s)) / Rsqr tau.
Proof. intros R S. apply rank_one_off; [unfold kappa; lra | easy | easy]. Qed.

(** The coefficient of 1/τ: 1/V ‖u - ū - s (p - 1/V)‖₁ with u = Ωᵀq' and ū its mean. *)
Definition coefficient (Omega : nat -> nat -> R) : R :=
  / INR V * norm1 V (fun j => image V q Omega j - sum V (image V q Omega) / INR V - s * (p j - / INR V)).

Lemma norm_change x y z : Rabs (norm1 V (fun j => x j - z j) - norm1 V (fun j => x j - y j)) <= norm1 V (fun j => y j - z j).
Proof.
  pose proof (apart x y z) as A. pose proof (apart x z y) as B.
  assert (E : norm1 V (fun j => z j - y j) = norm1 V (fun j => y j - z j)) by (apply sum_ext; intros; apply Rabs_minus_sym).
  rewrite E in B. apply Rabs_le. lra.
Qed.

Lemma coefficient_off Omega form extra : norm1 V (fun j => form j - affine V s tau p j) <= extra / Rsqr tau ->
  Rabs (error Omega form - coefficient Omega / tau)
  <= (/ 4 * sum V (fun i => q i * Rsqr (range V (Omega i))) + extra) / Rsqr tau.
Proof.
  intros F. pose proof (tokens V some_token) as N.
  pose proof (rdk_taylor_order_general V q Omega tau some_token draft_law tau_positive) as G.
  assert (C : coefficient Omega / tau = norm1 V (fun j => affine V s tau p j - first_order V q Omega tau j)).
  { unfold coefficient. replace (/ INR V * norm1 V _ / tau) with (/ (INR V * tau) * norm1 V (fun j => image V q Omega j
      - sum V (image V q Omega) / INR V - s * (p j - / INR V))) by (field; split; lra).
    unfold norm1. rewrite <- sum_scale. apply sum_ext. intros j _.
    rewrite <- (Rabs_pos_eq (/ (INR V * tau))) by (left; apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra).
    rewrite <- Rabs_mult, <- Rabs_Ropp. f_equal. unfold affine, first_order. field. split; lra. }
  rewrite C. unfold error.
  set (M := image V q (affinity V Omega tau)) in *. set (f := first_order V q Omega tau) in *. set (a := affine V s tau p) in *.
  pose proof (norm_change form f M) as A.
  assert (B : Rabs (norm1 V (fun j => form j - f j) - norm1 V (fun j => a j - f j)) <= extra / Rsqr tau).
  { eapply Rle_trans; [|exact F]. pose proof (apart form a f). pose proof (apart a form f).
    assert (E : norm1 V (fun j => a j - form j) = norm1 V (fun j => form j - a j))
      by (apply sum_ext; intros; apply Rabs_minus_sym).
    apply Rabs_le. lra. }
  replace (norm1 V (fun j => form j - M j) - norm1 V (fun j => a j - f j))
    with ((norm1 V (fun j => form j - M j) - norm1 V (fun j => form j - f j))
      + (norm1 V (fun j => form j - f j) - norm1 V (fun j => a j - f j))) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. unfold Rdiv in *. rewrite Rmult_plus_distr_r. lra.
Qed.

(** For every Ω, c and p with s >= 0 the error of each of the three forms differs from 1/(τV) ‖u - ū - s (p - 1/V)‖₁ by at most
    C/τ², C = ¼ Σ q'_i range(Ω_i)², plus 0 (affine), s² ‖p - 1/V‖₁/V² (normalised), ¼ s² ρ² (exponential). *)
Theorem rdk_taylor_order_approximate_corrected Omega : 0 <= s ->
  let C := / 4 * sum V (fun i => q i * Rsqr (range V (Omega i))) in
  Rabs (error Omega (affine V s tau p) - coefficient Omega / tau) <= C / Rsqr tau /\
  Rabs (error Omega (normalised V s tau p) - coefficient Omega / tau) <= (C + normalising) / Rsqr tau /\
  Rabs (error Omega (exponential V s tau p) - coefficient Omega / tau) <= (C + / 4 * Rsqr s * Rsqr rho) / Rsqr tau.
Proof.
  intros S C. unfold C. split; [|split; apply coefficient_off].
  - rewrite <- (Rplus_0_r (/ 4 * sum V _)). apply coefficient_off.
    rewrite (norm1_ext V _ (fun _ => 0)) by (intros; ring). unfold norm1. rewrite (sum_ext V _ (fun _ => 0)), sum_zero.
    + unfold Rdiv. lra.
    + intros. apply Rabs_R0.
  - now apply normalised_off.
  - pose proof (tokens V some_token) as N. destruct target_law as [_ One].
    rewrite (norm1_ext V _ (row_off V (fun _ => 0) (fun j => s / tau * p j))).
    + eapply Rle_trans; [now apply row_bound|]. rewrite range_scale. fold rho.
      replace (/ 4 * Rsqr s * Rsqr rho / Rsqr tau) with (/ 4 * (s / tau * (s / tau) * (rho * rho)))
        by (unfold Rsqr; field; lra).
      apply Rmult_le_compat_r; [|apply quarter]. apply Rmult_le_pos; apply Rle_0_sqr.
    + intros j L. rewrite flat_row by easy. unfold exponential, affine. rewrite sum_scale, One. f_equal. field. split; lra.
Qed.

End Variants.

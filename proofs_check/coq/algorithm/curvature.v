(** The softmax along a line of logits: its derivatives, and how far it is from its first order. *)

Require Import Reals Lra Lia List Arith.
Require Import laws lossless rdk dobrushin slopes softmax.
Open Scope R_scope.

(** * Spread: the mean of |(X - μ)² - σ²| on an interval *)

(** √3/9, by its square. *)
Definition kappa : R := sqrt 3 / 9.

Lemma kappa_square : 27 * (kappa * kappa) = 1.
Proof. unfold kappa. pose proof (sqrt_sqrt 3 ltac:(lra)). nra. Qed.

Lemma kappa_range : 0.192 < kappa < 0.193.
Proof.
  assert (P : 0 <= kappa) by (unfold kappa; pose proof (sqrt_pos 3); lra). pose proof kappa_square. split; nra.
Qed.

Section Spread.

Variable V : nat.
Variables p u e : nat -> R.
Hypothesis p_law : law V p.
Hypothesis centred : sum V (fun x => p x * u x) = 0.
Hypothesis signs : forall x, (x < V)%nat -> -1 <= e x <= 1.

Let s : R := sum V (fun x => p x * (u x * u x)).
Let signed : R := sum V (fun x => p x * (e x * (u x * u x - s))).

Lemma spread_nonneg : 0 <= s.
Proof.
  apply sum_nonneg. intros x L. apply Rmult_le_pos; [now apply (law_nonneg V)|]. apply Rle_0_sqr.
Qed.

(** A bound on each term by a quadratic is one on their mean. *)
Lemma quadratic_mean c0 c1 c2 :
  (forall x, (x < V)%nat -> e x * (u x * u x - s) <= c0 + c1 * u x + c2 * (u x * u x)) -> signed <= c0 + c2 * s.
Proof.
  intros H. destruct p_law as [N One].
  apply (Rle_trans _ (sum V (fun x => c0 * p x + c1 * (p x * u x) + c2 * (p x * (u x * u x))))).
  - apply sum_le. intros x L. specialize (N x L). specialize (H x L).
    apply (Rmult_le_compat_l (p x)) in H; [|easy]. lra.
  - rewrite !sum_plus, !sum_scale, One, centred. fold s. lra.
Qed.

Lemma one_sided m n : 0 <= m <= n -> (forall x, (x < V)%nat -> - m <= u x <= n) -> signed <= kappa * ((m + n) * (m + n)).
Proof.
  intros [M0 MN] H. pose proof spread_nonneg as S0. pose proof kappa_range as K.
  assert (SM : s <= m * n).
  { destruct p_law as [N One].
    assert (A : 0 <= sum V (fun x => p x * ((u x + m) * (n - u x)))).
    { apply sum_nonneg. intros x L. specialize (N x L). specialize (H x L). apply Rmult_le_pos; [easy|].
      apply Rmult_le_pos; lra. }
    rewrite (sum_ext V _ (fun x => (n - m) * (p x * u x) + m * n * p x - p x * (u x * u x))) in A by (intros; ring).
    rewrite sum_minus, sum_plus, !sum_scale, One, centred in A. fold s in A. lra. }
  assert (SN : s <= n * n) by nra.
  destruct (Req_dec n 0) as [Z|NZ].
  { assert (s = 0) by nra. apply (Rle_trans _ (0 + 0 * s)); [apply (quadratic_mean 0 0 0)|].
    - intros x L. specialize (H x L). assert (u x = 0) as -> by lra. nra.
    - assert (0 <= (m + n) * (m + n)) by nra. nra. }
  assert (N0 : 0 < n) by lra.
  destruct (Rle_lt_dec s (m * m)) as [C|C].
  - (* the chord *)
    set (y := s / (n * n)). assert (Y : s = y * (n * n)) by (unfold y; field; lra).
    assert (NN : 0 < n * n) by nra.
    assert (Y0 : 0 <= y) by (apply Rmult_le_pos; [easy | left; now apply Rinv_0_lt_compat]).
    apply (Rle_trans _ (s + (1 - 2 * y) * s)).
    + apply (quadratic_mean s 0 (1 - 2 * y)). intros x L. pose proof (signs x L). specialize (H x L).
      assert (U : u x * u x <= n * n) by nra.
      replace (s + 0 * u x + (1 - 2 * y) * (u x * u x)) with (u x * u x - s + 2 * (y * (n * n - u x * u x)))
        by (rewrite Y; ring).
      set (v := u x * u x) in *. assert (0 <= v) by (unfold v; nra).
      assert (0 <= y * (n * n - v)) by (apply Rmult_le_pos; lra).
      destruct (Rle_lt_dec s v); [nra|].
      assert (Y1 : y <= 1) by nra.
      assert (s - v <= y * (n * n - v)) by (rewrite Y; nra). nra.
    + replace (s + (1 - 2 * y) * s) with (2 * y * (1 - y) * (n * n)) by (rewrite Y; ring).
      set (r := m / n). assert (R : m = r * n) by (unfold r; field; lra).
      assert (R0 : 0 <= r) by (apply Rmult_le_pos; [easy | left; now apply Rinv_0_lt_compat]).
      assert (R1 : r <= 1) by nra. assert (YR : y <= r * r) by nra.
      replace (kappa * ((m + n) * (m + n))) with (kappa * ((1 + r) * (1 + r)) * (n * n)) by (rewrite R; ring).
      apply Rmult_le_compat_r; [lra|].
      assert (T : 2 * y * (1 - y) <= 0.192 * ((1 + r) * (1 + r))); [|nra].
      destruct (Rle_lt_dec (r * r) (/ 2)).
      * assert (2 * y * (1 - y) <= 2 * (r * r) * (1 - r * r)) by nra.
        assert (2 * (r * r) * (1 - r * r) <= 0.192 * ((1 + r) * (1 + r))); [|lra].
        assert (0 <= (r - 0.62) * (r - 0.62) * (r + 0.24)) by (apply Rmult_le_pos; [apply Rle_0_sqr | lra]).
        assert (X : 2 * (r * r) * (1 - r) <= 0.192 * (1 + r)) by nra.
        apply (Rmult_le_compat_r (1 + r)) in X; [lra | lra].
      * pose proof (Rle_0_sqr (1 - 2 * y)) as X. unfold Rsqr in X.
        destruct (Rle_lt_dec r 0.7) as [L|L]; [exfalso; nra|]. nra.
  - (* the parabola *)
    set (D := n * n + s). assert (D0 : 0 < D) by (unfold D; nra). set (E := (n * n - s) / (D * D)).
    assert (E0 : 0 <= E) by (apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; nra]).
    apply (Rle_trans _ (s + 2 * E * (s * s) + (2 * E * (n * n) - 1) * s)).
    + apply (quadratic_mean _ (4 * E * n * s)). intros x L. pose proof (signs x L) as G. specialize (H x L).
      set (v := u x) in *.
      replace (s + 2 * E * (s * s) + 4 * E * n * s * v + (2 * E * (n * n) - 1) * (v * v))
        with (v * v - s + 2 * (s - v * v + E * ((v * n + s) * (v * n + s)))) by ring.
      assert (F : 0 <= s - v * v + E * ((v * n + s) * (v * n + s))).
      { replace (s - v * v + E * ((v * n + s) * (v * n + s)))
          with (((n - v) * s * ((3 * (n * n) + s) * v + n * (n * n + 3 * s))) * / (D * D)).
        2: { unfold E, D. field. unfold D in D0. lra. }
        apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat; nra]. apply Rmult_le_pos; [apply Rmult_le_pos; lra|].
        assert (0 <= (3 * (n * n) + s) * - m + n * (n * n + 3 * s)); [|nra].
        replace ((3 * (n * n) + s) * - m + n * (n * n + 3 * s)) with (n * (n * n) - 3 * (n * n) * m + s * (3 * n - m)) by ring.
        assert (m * m * (3 * n - m) <= s * (3 * n - m)) by (apply Rmult_le_compat_r; lra).
        assert (0 <= (n - m) * ((n - m) * (n - m))) by (apply Rmult_le_pos; nra). nra. }
      assert (Q : 0 <= E * ((v * n + s) * (v * n + s))) by (apply Rmult_le_pos; [easy | apply Rle_0_sqr]).
      destruct (Rle_lt_dec s (v * v)); nra.
    + replace (s + 2 * E * (s * s) + (2 * E * (n * n) - 1) * s) with (2 * s * (n * n - s) / D)
        by (unfold E, D; field; unfold D in D0; lra).
      set (z := (n * n - s) / D). assert (Z0 : 0 <= z) by (apply Rmult_le_pos; [lra | left; now apply Rinv_0_lt_compat]).
      assert (W : z - z * z * z <= 2 * kappa).
      { pose proof kappa_square as KK.
        assert (0 <= (z - 3 * kappa) * (z - 3 * kappa) * (z + 6 * kappa)) by (apply Rmult_le_pos; [apply Rle_0_sqr | lra]).
        replace ((z - 3 * kappa) * (z - 3 * kappa) * (z + 6 * kappa))
          with (z * z * z - 27 * (kappa * kappa) * z + 2 * (27 * (kappa * kappa)) * kappa) in * by ring.
        rewrite KK in *. lra. }
      assert (ZE : 2 * s * (n * n - s) / D * (n * n) = (z - z * z * z) / 2 * (D * D))
        by (unfold z, D; field; unfold D in D0; lra).
      assert (DN : D * D <= n * n * ((m + n) * (m + n))).
      { assert (D <= n * (m + n)) by (unfold D; nra). assert (0 <= n * (m + n)) by nra. nra. }
      assert (NN : 0 < n * n) by nra. apply (Rmult_le_reg_r (n * n)); [easy|]. rewrite ZE.
      assert (0 <= D * D) by nra. nra.
Qed.

End Spread.

(** For a law and numbers between lo and hi with mean μ and variance σ²: Σ p e ((u - μ)² - σ²) <= (√3/9) (hi - lo)², whatever the
    signs e. *)
Lemma spread_bound V p u e lo hi : law V p -> (forall x, (x < V)%nat -> lo <= u x <= hi) ->
  (forall x, (x < V)%nat -> -1 <= e x <= 1) ->
  let mu := sum V (fun x => p x * u x) in
  let s := sum V (fun x => p x * ((u x - mu) * (u x - mu))) in
  sum V (fun x => p x * (e x * ((u x - mu) * (u x - mu) - s))) <= kappa * ((hi - lo) * (hi - lo)).
Proof.
  intros P H G mu s. destruct P as [N One].
  assert (C : sum V (fun x => p x * (u x - mu)) = 0).
  { rewrite (sum_ext V _ (fun x => p x * u x - mu * p x)) by (intros; ring). rewrite sum_minus, sum_scale, One. fold mu. ring. }
  assert (LM : lo <= mu).
  { rewrite <- (Rmult_1_r lo), <- One, <- sum_scale. apply sum_le. intros x L. specialize (N x L). specialize (H x L). nra. }
  assert (MH : mu <= hi).
  { rewrite <- (Rmult_1_r hi), <- One, <- sum_scale. apply sum_le. intros x L. specialize (N x L). specialize (H x L). nra. }
  destruct (Rle_lt_dec (mu - lo) (hi - mu)) as [L|L].
  - replace (hi - lo) with ((mu - lo) + (hi - mu)) by ring.
    apply (one_sided V p (fun x => u x - mu) e (conj N One) C G (mu - lo) (hi - mu)); [lra|].
    intros x X. specialize (H x X). lra.
  - replace (hi - lo) with ((hi - mu) + (mu - lo)) by ring.
    assert (C' : sum V (fun x => p x * (mu - u x)) = 0).
    { rewrite (sum_ext V _ (fun x => -1 * (p x * (u x - mu)))) by (intros; ring). rewrite sum_scale, C. ring. }
    pose proof (one_sided V p (fun x => mu - u x) e (conj N One) C' G (hi - mu) (mu - lo) ltac:(lra)) as B.
    simpl in B. assert (S : sum V (fun x => p x * ((mu - u x) * (mu - u x))) = s) by (apply sum_ext; intros; ring).
    rewrite S in B. eapply Rle_trans; [|apply B; intros x X; specialize (H x X); lra].
    right. apply sum_ext. intros x _. ring.
Qed.

(** * Derivatives *)

Lemma derive_eq f t l l' : derivable_pt_lim f t l -> l = l' -> derivable_pt_lim f t l'.
Proof. now intros D <-. Qed.

Lemma sum_derive n (f f' : nat -> R -> R) t : (forall x, (x < n)%nat -> derivable_pt_lim (f x) t (f' x t)) ->
  derivable_pt_lim (fun t => sum n (fun x => f x t)) t (sum n (fun x => f' x t)).
Proof.
  induction n as [|n IH]; intros H; [apply derivable_pt_lim_const|]. cbn [sum].
  apply (derivable_pt_lim_plus (fun t => sum n (fun x => f x t)) (f n)); [apply IH; intros; apply H; lia | apply H; lia].
Qed.

Lemma scale_derive c f t l : derivable_pt_lim f t l -> derivable_pt_lim (fun t => c * f t) t (c * l).
Proof. intros D. now apply (derivable_pt_lim_scal f c). Qed.

Lemma line_derive a u t : derivable_pt_lim (fun t => a + t * u) t u.
Proof.
  eapply derive_eq; [apply (derivable_pt_lim_plus (fun _ => a) (fun t => t * u));
    [apply derivable_pt_lim_const | apply (derivable_pt_lim_mult id (fun _ => u)); [apply derivable_pt_lim_id |
     apply derivable_pt_lim_const]]|]. unfold id. ring.
Qed.

Lemma exp_line_derive a u t : derivable_pt_lim (fun t => exp (a + t * u)) t (exp (a + t * u) * u).
Proof. apply (derivable_pt_lim_comp (fun t => a + t * u) exp); [apply line_derive | apply derivable_pt_lim_exp]. Qed.

(** Where the second derivative is at most c, the function is above its tangent by at most c/2 after a step of one. *)
Lemma second_order g g1 g2 c : (forall t, 0 <= t <= 1 -> derivable_pt_lim g t (g1 t)) ->
  (forall t, 0 <= t <= 1 -> derivable_pt_lim g1 t (g2 t)) -> (forall t, 0 <= t <= 1 -> g2 t <= c) ->
  g 1 - g 0 - g1 0 <= c / 2.
Proof.
  intros D1 D2 B.
  assert (S : forall t, 0 <= t <= 1 -> g1 t - g1 0 <= c * t).
  { intros t T. assert (M : (fun r => c * r - g1 r) 0 <= (fun r => c * r - g1 r) t); [|simpl in M; lra].
    apply (monotone (fun r => c * r - g1 r) (fun r => c - g2 r) 0 t); [lra | |].
    - intros r X. apply (derivable_pt_lim_minus (fun r => c * r) g1); [|apply D2; lra].
      eapply derive_eq; [apply (scale_derive c id), derivable_pt_lim_id | ring].
    - intros r X. specialize (B r). lra. }
  assert (M : (fun t => c / 2 * (t * t) + g1 0 * t - g t) 0 <= (fun t => c / 2 * (t * t) + g1 0 * t - g t) 1);
    [|simpl in M; lra].
  apply (monotone (fun t => c / 2 * (t * t) + g1 0 * t - g t) (fun t => c / 2 * (1 * t + t * 1) + g1 0 * 1 - g1 t) 0 1);
    [lra | |].
  - intros t T. apply (derivable_pt_lim_minus (fun t => c / 2 * (t * t) + g1 0 * t) g); [|now apply D1].
    apply (derivable_pt_lim_plus (fun t => c / 2 * (t * t)) (fun t => g1 0 * t)).
    + apply (scale_derive (c / 2) (fun t => t * t)). apply (derivable_pt_lim_mult id id); apply derivable_pt_lim_id.
    + apply (scale_derive (g1 0) id), derivable_pt_lim_id.
  - intros t T. specialize (S t T). lra.
Qed.

(** * The softmax along a line *)

Section Line.

Variable V : nat.
Hypothesis some_token : (0 < V)%nat.
Variables a u : nat -> R.

Let path (t : R) : nat -> R := softmax V (fun y => a y + t * u y).
Let mean (t : R) : R := sum V (fun y => path t y * u y).
Let spread (t : R) : R := sum V (fun y => path t y * ((u y - mean t) * (u y - mean t))).

Lemma path_law t : law V (path t).
Proof. now apply softmax_law. Qed.

Lemma path_derive x t : derivable_pt_lim (fun t => path t x) t (path t x * (u x - mean t)).
Proof.
  pose proof (weights_positive V (fun y => a y + t * u y) some_token) as P.
  eapply derive_eq.
  - apply (derivable_pt_lim_div (fun t => exp (a x + t * u x)) (fun t => sum V (fun y => exp (a y + t * u y)))).
    + apply exp_line_derive.
    + apply (sum_derive V (fun y t => exp (a y + t * u y)) (fun y t => exp (a y + t * u y) * u y)).
      intros. apply exp_line_derive.
    + lra.
  - unfold mean, path, softmax.
    rewrite (sum_ext V (fun y => exp (a y + t * u y) / _ * u y)
      (fun y => exp (a y + t * u y) * u y * / sum V (fun y => exp (a y + t * u y)))) by (intros; unfold Rdiv; ring).
    rewrite sum_scale_right. unfold Rsqr. field. lra.
Qed.

Lemma mean_derive t : derivable_pt_lim mean t (spread t).
Proof.
  eapply derive_eq.
  - apply (sum_derive V (fun y t => path t y * u y) (fun y t => path t y * (u y - mean t) * u y)). intros x _.
    eapply derive_eq.
    + apply (derivable_pt_lim_mult (fun t => path t x) (fun _ => u x)); [apply path_derive | apply derivable_pt_lim_const].
    + simpl. ring.
  - unfold spread. destruct (path_law t) as [_ One].
    rewrite (sum_ext V (fun y => path t y * ((u y - mean t) * (u y - mean t)))
      (fun y => path t y * (u y - mean t) * u y - (mean t * (path t y * u y) - mean t * mean t * path t y))) by (intros; ring).
    rewrite sum_minus, sum_minus, !sum_scale, One. fold (mean t). ring.
Qed.

Lemma slope_derive x t : derivable_pt_lim (fun t => path t x * (u x - mean t)) t
  (path t x * ((u x - mean t) * (u x - mean t) - spread t)).
Proof.
  eapply derive_eq.
  - apply (derivable_pt_lim_mult (fun t => path t x) (fun t => u x - mean t)); [apply path_derive|].
    apply (derivable_pt_lim_minus (fun _ => u x) mean); [apply derivable_pt_lim_const | apply mean_derive].
  - simpl. ring.
Qed.

(** A step from the logits a to a + u: the softmax is off its first order by at most (√3/18) (max u - min u)² in ℓ1 norm. *)
Lemma first_order_off lo hi : (forall x, (x < V)%nat -> lo <= u x <= hi) ->
  norm1 V (fun x => path 1 x - path 0 x - path 0 x * (u x - mean 0)) <= kappa / 2 * ((hi - lo) * (hi - lo)).
Proof.
  intros H. set (r := fun x => path 1 x - path 0 x - path 0 x * (u x - mean 0)).
  set (e := fun x => if Rle_dec 0 (r x) then 1 else -1).
  assert (E : norm1 V r = (fun t => sum V (fun x => e x * path t x)) 1 - (fun t => sum V (fun x => e x * path t x)) 0
    - (fun t => sum V (fun x => e x * (path t x * (u x - mean t)))) 0).
  { simpl. rewrite <- !sum_minus. apply sum_ext. intros x _. rewrite <- !Rmult_minus_distr_l. fold (r x). unfold e.
    destruct (Rle_dec 0 (r x)); [rewrite Rabs_pos_eq | rewrite Rabs_left]; lra. }
  rewrite E. replace (kappa / 2 * ((hi - lo) * (hi - lo))) with (kappa * ((hi - lo) * (hi - lo)) / 2) by field.
  apply (second_order (fun t => sum V (fun x => e x * path t x)) (fun t => sum V (fun x => e x * (path t x * (u x - mean t))))
    (fun t => sum V (fun x => e x * (path t x * ((u x - mean t) * (u x - mean t) - spread t))))).
  - intros t _. apply (sum_derive V (fun x t => e x * path t x) (fun x t => e x * (path t x * (u x - mean t)))).
    intros x _. apply (scale_derive (e x) (fun t => path t x)), path_derive.
  - intros t _. apply (sum_derive V (fun x t => e x * (path t x * (u x - mean t)))
      (fun x t => e x * (path t x * ((u x - mean t) * (u x - mean t) - spread t)))).
    intros x _. apply (scale_derive (e x) (fun t => path t x * (u x - mean t))), slope_derive.
  - intros t _. eapply Rle_trans; [|apply (spread_bound V (path t) u e lo hi (path_law t) H)].
    + right. apply sum_ext. intros x _. fold (mean t). fold (spread t). ring.
    + intros x _. unfold e. destruct (Rle_dec 0 (r x)); lra.
Qed.

End Line.

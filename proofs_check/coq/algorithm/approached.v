(** RDK: how near its first-order forms come to the bound of Theorem 5.4, on targets and affinities of two levels. *)

Require Import Reals Lra Lia List Arith Psatz.
Require Import laws lossless rdk dobrushin slopes softmax curvature taylor best.
Open Scope R_scope.

(** The share at which the bound is met in the limit. *)
Definition best_share : R := (1 - / sqrt 3) / 2.

Lemma root_3 : 0 < sqrt 3 /\ sqrt 3 * sqrt 3 = 3 /\ 1.732 <= sqrt 3 <= 1.733.
Proof.
  assert (P : 0 < sqrt 3) by (apply sqrt_lt_R0; lra). assert (S : sqrt 3 * sqrt 3 = 3) by (apply sqrt_sqrt; lra).
  repeat split; try easy; nra.
Qed.

(** w (1 - w)(1 - 2w), by the distance of w from that share. *)
Lemma skew_between w : 0 <= w <= 1 -> let d := w - best_share in
  sqrt 3 / 18 - 3 * (d * d) <= w * (1 - w) * (1 - 2 * w) <= sqrt 3 / 18.
Proof.
  intros W d. destruct root_3 as [P [S B]].
  assert (I : / sqrt 3 = sqrt 3 / 3) by (rewrite <- S at 3; field; lra).
  assert (D : w = d + (1 - sqrt 3 / 3) / 2) by (unfold d, best_share; rewrite I; ring).
  assert (E : w * (1 - w) * (1 - 2 * w) = sqrt 3 / 18 + d * d * (2 * d - sqrt 3)).
  { rewrite D. set (r := sqrt 3) in *. replace (r / 18) with (r * (r * r) / 54) by (rewrite S; field).
    assert (C : d * d * (2 * d - r) = d * d * (2 * d) - d * d * r) by ring.
    replace ((d + (1 - r / 3) / 2) * (1 - (d + (1 - r / 3) / 2)) * (1 - 2 * (d + (1 - r / 3) / 2)))
      with (r * (3 - r * r / 3) / 36 + d * ((r * r) / 6 - / 2) + d * d * (2 * d - r)) by field.
    rewrite S. field. }
  assert (Dr : - 0.22 <= d <= 0.8) by lra. pose proof (Rle_0_sqr d) as Q. unfold Rsqr in Q. rewrite E. split; nra.
Qed.

Lemma sinh_above s : 0 <= s -> 2 * s <= exp s - exp (- s).
Proof.
  intros L. assert (M : exp 0 - exp (- 0) - 2 * 0 <= exp s - exp (- s) - 2 * s).
  { apply (monotone (fun v => exp v - exp (- v) - 2 * v) (fun v => exp v - exp (- v) * -1 - 2 * 1)); [exact L | |].
    - intros v _. apply (derivable_pt_lim_minus (fun v => exp v - exp (- v)) (fun v => 2 * v)).
      + apply (derivable_pt_lim_minus exp (fun v => exp (- v))); [apply derivable_pt_lim_exp|].
        apply (derivable_pt_lim_comp Ropp exp v (-1)); [|apply derivable_pt_lim_exp].
        exact (derivable_pt_lim_opp id v 1 (derivable_pt_lim_id v)).
      + apply (derivable_pt_lim_scal id), derivable_pt_lim_id.
    - intros v _. pose proof (exp_pos v) as P. pose proof (exp_pos (- v)) as N.
      assert (One : exp v * exp (- v) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
      pose proof (Rle_0_sqr (exp v - exp (- v))) as Q. unfold Rsqr in Q. nra. }
  rewrite Ropp_0, exp_0 in M. lra.
Qed.

Lemma cosh_above t : 0 <= t -> t * t <= exp t + exp (- t) - 2.
Proof.
  intros T. pose proof (sinh_above (t / 2) ltac:(lra)) as S.
  assert (A : exp t = exp (t / 2) * exp (t / 2)) by (rewrite <- exp_plus; f_equal; field).
  assert (B : exp (- t) = exp (- (t / 2)) * exp (- (t / 2))) by (rewrite <- exp_plus; f_equal; field).
  assert (One : exp (t / 2) * exp (- (t / 2)) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  rewrite A, B. set (x := exp (t / 2)) in *. set (y := exp (- (t / 2))) in *. nra.
Qed.

(** Twice what the share w of the upper level changes by on average, where their logits rise and fall by t. *)
Definition shifted_share (w t : R) : R := w * exp t / (w * exp t + (1 - w)).

Lemma share_change w t : 0 < w < 1 -> 0 <= t -> let d := w - best_share in
  (sqrt 3 / 18 - 3 * (d * d) - t / 24) * (t * t) <= Rabs (shifted_share w t + shifted_share w (- t) - 2 * w).
Proof.
  intros W T d. destruct root_3 as [P [S B]]. destruct (skew_between w ltac:(lra)) as [Low High]. fold d in Low.
  set (f := w * (1 - w) * (1 - 2 * w)) in *. set (k := w * (1 - w)). pose proof (cosh_above t T) as H.
  set (h := exp t + exp (- t) - 2) in *. assert (K : 0 < k <= / 4).
  { unfold k. pose proof (Rle_0_sqr (w - / 2)) as Q. unfold Rsqr in Q. split; nra. }
  assert (One : exp t * exp (- t) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  pose proof (exp_pos t) as X. pose proof (exp_pos (- t)) as Y. pose proof (Rle_0_sqr t) as Q. unfold Rsqr in Q.
  assert (E : shifted_share w t + shifted_share w (- t) - 2 * w = f * (h / (1 + k * h))).
  { unfold shifted_share. set (x := exp t) in *. set (y := exp (- t)) in *.
    assert (YE : y = / x) by (apply (Rmult_eq_reg_l x); [rewrite One; field; lra | lra]).
    assert (0 < w * x) by (apply Rmult_lt_0_compat; lra). assert (0 < (1 - w) * x) by (apply Rmult_lt_0_compat; lra).
    unfold f, k, h. rewrite YE. field. repeat split; try lra.
    - assert (0 <= w * (1 - w) * ((x - 1) * (x - 1))); [|nra].
      apply Rmult_le_pos; [fold k; lra | pose proof (Rle_0_sqr (x - 1)) as Z; exact Z]. }
  rewrite E. assert (T24 : 0 <= t / 24 * (t * t)) by (apply Rmult_le_pos; lra).
  destruct (Rle_lt_dec f 0) as [N|N].
  - eapply Rle_trans; [|apply Rabs_pos]. nra.
  - assert (Hk : 0 < 1 + k * h) by nra.
    assert (R1 : t * t * / (1 + t * t / 4) <= h / (1 + k * h)).
    { apply (Rmult_le_reg_r ((1 + t * t / 4) * (1 + k * h))); [apply Rmult_lt_0_compat; lra|].
      replace (t * t * / (1 + t * t / 4) * ((1 + t * t / 4) * (1 + k * h))) with (t * t * (1 + k * h)) by (field; lra).
      replace (h / (1 + k * h) * ((1 + t * t / 4) * (1 + k * h))) with (h * (1 + t * t / 4)) by (field; lra).
      assert (0 <= h * (t * t) * (/ 4 - k)) by (apply Rmult_le_pos; [apply Rmult_le_pos; lra | lra]). nra. }
    assert (R2 : f - t / 24 <= f * / (1 + t * t / 4)).
    { apply (Rmult_le_reg_r (1 + t * t / 4)); [lra|]. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
      assert (A : f * (t * t / 4) <= t / 24 * (1 + t * t / 4)); [|lra].
      pose proof (Rle_0_sqr (t - 2)) as Z. unfold Rsqr in Z.
      assert (AM : t * t / 4 <= t / 4 * (1 + t * t / 4)) by nra.
      apply (Rle_trans _ (f * (t / 4 * (1 + t * t / 4)))); [apply Rmult_le_compat_l; lra|].
      assert (F : f <= / 6) by lra. assert (0 <= t / 4 * (1 + t * t / 4)) by (apply Rmult_le_pos; lra). nra. }
    apply (Rle_trans _ (f * (t * t * / (1 + t * t / 4)))).
    + replace (f * (t * t * / (1 + t * t / 4))) with (f * / (1 + t * t / 4) * (t * t)) by ring.
      apply Rmult_le_compat_r; lra.
    + eapply Rle_trans; [apply Rmult_le_compat_l; [lra | exact R1]|]. apply Rle_abs.
Qed.

Section Levels.

Variables m n : nat.
Hypothesis some_upper : (0 < m)%nat.
Hypothesis some_lower : (0 < n)%nat.

Notation VV := (m + n)%nat.
Notation upper_share := (INR m / INR (m + n)).

(** One value on the first m of m + n tokens, another on the rest. *)
Definition two_levels (high low : R) (j : nat) : R := if Nat.ltb j m then high else low.

Lemma sizes_positive : 0 < INR m /\ 0 < INR n /\ INR (m + n) = INR m + INR n.
Proof. rewrite plus_INR. repeat split; now apply lt_0_INR. Qed.

Lemma sum_levels high low : sum VV (two_levels high low) = INR m * high + INR n * low.
Proof.
  unfold two_levels. rewrite (sum_split VV m) by lia.
  rewrite (sum_ext VV (fun x => if Nat.ltb x m then if Nat.ltb x m then high else low else 0)
    (fun x => if Nat.ltb x m then high else 0)) by (intros x _; now destruct (Nat.ltb x m)).
  rewrite (sum_ext VV (fun x => if Nat.ltb x m then 0 else if Nat.ltb x m then high else low)
    (fun x => if Nat.ltb x m then 0 else low)) by (intros x _; now destruct (Nat.ltb x m)).
  rewrite (sum_below VV m (fun _ => high)), (sum_from VV m low) by lia.
  assert (E : forall k c, sum k (fun _ => c) = INR k * c)
    by (induction k as [|k IH]; intros c; [simpl; ring | cbn [sum]; rewrite IH, S_INR; ring]).
  rewrite E, plus_INR. ring.
Qed.

Lemma sum_of_levels f high low : (forall j, (j < VV)%nat -> f j = two_levels high low j) -> sum VV f = INR m * high + INR n * low.
Proof. intros H. rewrite <- sum_levels. now apply sum_ext. Qed.

(** The softmax of logits with a step of t. *)
Lemma softmax_levels z t c : (forall j, (j < VV)%nat -> z j = two_levels t 0 j + c) -> forall j, (j < VV)%nat ->
  softmax VV z j = two_levels (exp t) 1 j / (INR m * exp t + INR n).
Proof.
  intros H j J. destruct sizes_positive as [M [N _]]. pose proof (exp_pos t) as T. pose proof (exp_pos c) as C.
  assert (0 < INR m * exp t) by now apply Rmult_lt_0_compat.
  assert (E : forall x, (x < VV)%nat -> exp (z x) = two_levels (exp t * exp c) (exp c) x).
  { intros x X. rewrite H by exact X. rewrite exp_plus. unfold two_levels. destruct (Nat.ltb x m); [easy|].
    now rewrite exp_0, Rmult_1_l. }
  unfold softmax. rewrite (sum_of_levels _ _ _ E), E by exact J.
  replace (INR m * (exp t * exp c) + INR n * exp c) with ((INR m * exp t + INR n) * exp c) by ring.
  unfold two_levels. destruct (Nat.ltb j m); field; lra.
Qed.

(** Half of the draft on a token whose row rises by t on the upper level, half on one whose row falls: the flat law is off what
    they make by what their share changes by. *)
Lemma flat_off q Omega tau a b t form : (a < VV)%nat -> (b < VV)%nat -> a <> b -> 0 <= t ->
  (forall i, q i = (if Nat.eqb i a then / 2 else 0) + (if Nat.eqb i b then / 2 else 0)) ->
  (exists c, forall j, (j < VV)%nat -> Omega a j / tau = two_levels t 0 j + c) ->
  (exists c, forall j, (j < VV)%nat -> Omega b j / tau = two_levels (- t) 0 j + c) ->
  (forall j, (j < VV)%nat -> form j = / INR VV) ->
  let d := upper_share - best_share in
  (sqrt 3 / 18 - 3 * (d * d) - t / 24) * (t * t) <= norm1 VV (fun j => form j - image VV q (affinity VV Omega tau) j).
Proof.
  intros A B AB T Q [ca RA] [cb RB] Form d. destruct sizes_positive as [M [N Total]].
  assert (W : 0 < upper_share < 1).
  { split; [apply Rdiv_lt_0_compat; lra|]. apply (Rmult_lt_reg_r (INR VV)); [lra|].
    replace (upper_share * INR VV) with (INR m) by (field; lra). lra. }
  eapply Rle_trans; [apply (share_change upper_share t W T)|].
  set (x := exp t). set (y := exp (- t)). pose proof (exp_pos t) as X. pose proof (exp_pos (- t)) as Y. fold x in X. fold y in Y.
  assert (MX : 0 < INR m * x) by now apply Rmult_lt_0_compat. assert (MY : 0 < INR m * y) by now apply Rmult_lt_0_compat.
  assert (Image : forall j, (j < VV)%nat -> image VV q (affinity VV Omega tau) j
    = two_levels (/ 2 * (x / (INR m * x + INR n) + y / (INR m * y + INR n)))
        (/ 2 * (/ (INR m * x + INR n) + / (INR m * y + INR n))) j).
  { intros j J. unfold image.
    rewrite (sum_ext VV _ (fun i => (if Nat.eqb i a then / 2 * affinity VV Omega tau i j else 0)
      + (if Nat.eqb i b then / 2 * affinity VV Omega tau i j else 0)))
      by (intros i _; rewrite Q; destruct (Nat.eqb i a), (Nat.eqb i b); ring).
    rewrite sum_plus, (sum_point VV (fun i => / 2 * affinity VV Omega tau i j) a A),
      (sum_point VV (fun i => / 2 * affinity VV Omega tau i j) b B).
    unfold affinity. rewrite (softmax_levels _ t ca RA j J), (softmax_levels _ (- t) cb RB j J).
    fold x. fold y. unfold two_levels. destruct (Nat.ltb j m); field; lra. }
  set (u := / INR VV - / 2 * (x / (INR m * x + INR n) + y / (INR m * y + INR n))).
  set (v := / INR VV - / 2 * (/ (INR m * x + INR n) + / (INR m * y + INR n))).
  assert (Norm : norm1 VV (fun j => form j - image VV q (affinity VV Omega tau) j) = INR m * Rabs u + INR n * Rabs v).
  { apply sum_of_levels. intros j J. rewrite Form, Image by exact J. unfold u, v, two_levels. now destruct (Nat.ltb j m). }
  rewrite Norm.
  assert (Change : shifted_share upper_share t + shifted_share upper_share (- t) - 2 * upper_share = - 2 * (INR m * u)).
  { unfold shifted_share, u. fold x. fold y. rewrite Total. field. repeat split; lra. }
  assert (Same : INR n * v = - (INR m * u)) by (unfold u, v; rewrite Total; field; lra).
  assert (Nv : INR n * Rabs v = INR m * Rabs u).
  { rewrite <- (Rabs_pos_eq (INR n)) at 1 by lra. rewrite <- (Rabs_pos_eq (INR m)) at 1 by lra.
    rewrite <- !Rabs_mult, Same. apply Rabs_Ropp. }
  rewrite Change, Nv, Rabs_mult. rewrite (Rabs_mult (INR m)), (Rabs_pos_eq (INR m)) by lra.
  replace (Rabs (- 2)) with 2 by (unfold Rabs; destruct Rcase_abs; lra). right. ring.
Qed.

(** p uniform on m of m + n tokens, half of q' on a token with c = m and half on one with c = -m: each of the three forms is off
    Algorithm 1 by (√3/18 - 3(m/(m + n) - ŵ)² - 1/(24τ)) ρ² Σ q' c²/τ² at least, ŵ = (1 - 1/√3)/2. *)
Theorem rdk_taylor_order_sharp_approached c a b tau : (a < VV)%nat -> (b < VV)%nat -> a <> b -> 0 < tau ->
  c a = INR m -> c b = - INR m ->
  let p := two_levels (/ INR m) 0 in
  let q i := (if Nat.eqb i a then / 2 else 0) + (if Nat.eqb i b then / 2 else 0) in
  let Omega i j := c i * p j in
  let s := score VV q c in
  let d := upper_share - best_share in
  let least := (sqrt 3 / 18 - 3 * (d * d) - 1 / (24 * tau))
    * (Rsqr (range VV p) * sum VV (fun i => q i * Rsqr (c i))) / Rsqr tau in
  least <= error VV q tau Omega (affine VV s tau p) /\ least <= error VV q tau Omega (normalised VV s tau p) /\
  least <= error VV q tau Omega (exponential VV s tau p).
Proof.
  intros A B AB T CA CB p q Omega s d least. destruct sizes_positive as [M [N Total]].
  assert (Point : forall f, sum VV (fun i => q i * f i) = / 2 * f a + / 2 * f b).
  { intros f. rewrite (sum_ext VV _ (fun i => (if Nat.eqb i a then / 2 * f i else 0) + (if Nat.eqb i b then / 2 * f i else 0)))
      by (intros i _; unfold q; destruct (Nat.eqb i a), (Nat.eqb i b); ring).
    rewrite sum_plus, (sum_point VV (fun i => / 2 * f i) a A), (sum_point VV (fun i => / 2 * f i) b B). easy. }
  assert (S : s = 0) by (unfold s, score; rewrite Point, CA, CB; ring).
  assert (One : Rsqr (range VV p) * sum VV (fun i => q i * Rsqr (c i)) = 1).
  { rewrite Point, CA, CB. assert (IM : 0 < / INR m) by now apply Rinv_0_lt_compat.
    assert (R : range VV p = / INR m).
    { unfold range. assert (Up : highest VV p = / INR m).
      { apply Rle_antisym.
        - assert (H : forall k, highest k p <= / INR m); [|apply H]. induction k as [|k IH]; simpl.
          + unfold p, two_levels. destruct (Nat.ltb 0 m); lra.
          + apply Rmax_lub; [exact IH|]. unfold p, two_levels. destruct (Nat.ltb k m); lra.
        - pose proof (in_range VV p 0%nat ltac:(lia)) as [_ I]. unfold p at 1, two_levels in I.
          destruct (Nat.ltb_spec 0 m); [exact I | lia]. }
      assert (Down : lowest VV p = 0).
      { apply Rle_antisym.
        - pose proof (in_range VV p m ltac:(lia)) as [I _]. unfold p at 2, two_levels in I.
          destruct (Nat.ltb_spec m m); [lia | exact I].
        - assert (H : forall k, 0 <= lowest k p); [|apply H]. induction k as [|k IH]; simpl.
          + unfold p, two_levels. destruct (Nat.ltb 0 m); lra.
          + apply Rmin_glb; [exact IH|]. unfold p, two_levels. destruct (Nat.ltb k m); lra. }
      rewrite Up, Down. ring. }
    rewrite R. unfold Rsqr. field. lra. }
  assert (Least : least = (sqrt 3 / 18 - 3 * (d * d) - (/ tau) / 24) * (/ tau * / tau)).
  { unfold least. rewrite One. unfold Rsqr. field. lra. }
  assert (IT : 0 <= / tau) by (left; now apply Rinv_0_lt_compat).
  assert (Off : forall form, (forall j, (j < VV)%nat -> form j = / INR VV) -> least <= error VV q tau Omega form).
  { intros form F. rewrite Least. apply (flat_off q Omega tau a b (/ tau) form); try easy.
    - exists 0. intros j _. unfold Omega, p, two_levels. rewrite CA. destruct (Nat.ltb j m); field; lra.
    - exists 0. intros j _. unfold Omega, p, two_levels. rewrite CB. destruct (Nat.ltb j m); field; lra. }
  rewrite S. repeat split; apply Off; intros j J.
  - unfold affine. field. rewrite Total. lra.
  - unfold normalised. rewrite (sum_ext VV _ (fun _ => 1)) by (intros; unfold Rdiv; ring).
    assert (E : forall k, sum k (fun _ => 1) = INR k) by (induction k as [|k IH]; [easy | cbn [sum]; rewrite IH, S_INR; ring]).
    rewrite E. field. rewrite Total. lra.
  - unfold exponential, softmax. rewrite (sum_ext VV (fun y => exp (0 / tau * p y)) (fun _ => 1))
      by (intros; unfold Rdiv; rewrite !Rmult_0_l; apply exp_0).
    assert (E : forall k, sum k (fun _ => 1) = INR k) by (induction k as [|k IH]; [easy | cbn [sum]; rewrite IH, S_INR; ring]).
    rewrite E. unfold Rdiv. rewrite !Rmult_0_l, exp_0. ring.
Qed.

(** Ω = u uᵀ, u = 1 on m tokens and -1 on n, half of q' on one of each: the first-order form is off Algorithm 1 by
    (√3/18 - 3(m/(m + n) - ŵ)² - t/24) Σ q'_i (max Ω_i - min Ω_i)²/τ² at least, t = 2/τ. *)
Theorem rdk_taylor_order_general_sharp_approached a b tau : (a < m)%nat -> (m <= b)%nat -> (b < VV)%nat -> 0 < tau ->
  let u := two_levels 1 (-1) in
  let q i := (if Nat.eqb i a then / 2 else 0) + (if Nat.eqb i b then / 2 else 0) in
  let Omega i j := u i * u j in
  let d := upper_share - best_share in
  (sqrt 3 / 18 - 3 * (d * d) - (2 / tau) / 24) * sum VV (fun i => q i * Rsqr (range VV (Omega i))) / Rsqr tau
    <= error VV q tau Omega (first_order VV q Omega tau).
Proof.
  intros A B BV T u q Omega d. destruct sizes_positive as [M [N Total]]. assert (AV : (a < VV)%nat) by lia.
  assert (UA : u a = 1) by (unfold u, two_levels; destruct (Nat.ltb_spec a m); [easy | lia]).
  assert (UB : u b = -1) by (unfold u, two_levels; destruct (Nat.ltb_spec b m); [lia | easy]).
  assert (Point : forall f, sum VV (fun i => q i * f i) = / 2 * f a + / 2 * f b).
  { intros f. rewrite (sum_ext VV _ (fun i => (if Nat.eqb i a then / 2 * f i else 0) + (if Nat.eqb i b then / 2 * f i else 0)))
      by (intros i _; unfold q; destruct (Nat.eqb i a), (Nat.eqb i b); ring).
    rewrite sum_plus, (sum_point VV (fun i => / 2 * f i) a AV), (sum_point VV (fun i => / 2 * f i) b BV). easy. }
  assert (Range : forall i, u i = 1 \/ u i = -1 -> range VV (Omega i) = 2).
  { intros i I. assert (Bounds : forall k, highest k (Omega i) <= 1 /\ -1 <= lowest k (Omega i)).
    { assert (O : forall j, -1 <= Omega i j <= 1)
        by (intros j; unfold Omega; unfold u at 2 4, two_levels; destruct I as [-> | ->], (Nat.ltb j m); lra).
      induction k as [|k [IH1 IH2]]; simpl; [split; apply O|].
      split; [apply Rmax_lub; [exact IH1 | apply O] | apply Rmin_glb; [exact IH2 | apply O]]. }
    destruct (Bounds VV) as [Hi Lo]. unfold range.
    assert (Ea : Omega i a = u i) by (unfold Omega; rewrite UA; ring). assert (Eb : Omega i b = - u i) by (unfold Omega; rewrite UB; ring).
    pose proof (in_range VV (Omega i) a AV) as Ra. pose proof (in_range VV (Omega i) b BV) as Rb. rewrite Ea in Ra. rewrite Eb in Rb.
    destruct I as [I|I]; rewrite I in *; lra. }
  rewrite Point, (Range a), (Range b) by (rewrite ?UA, ?UB; lra).
  assert (IT : 0 < / tau) by now apply Rinv_0_lt_compat.
  assert (E : (sqrt 3 / 18 - 3 * (d * d) - 2 / tau / 24) * (/ 2 * Rsqr 2 + / 2 * Rsqr 2) / Rsqr tau
    = (sqrt 3 / 18 - 3 * (d * d) - (2 / tau) / 24) * (2 / tau * (2 / tau))) by (unfold Rsqr; field; lra).
  rewrite E. apply (flat_off q Omega tau a b (2 / tau)); try easy; [lia | lra | | |].
  - exists (- / tau). intros j _. unfold Omega. rewrite UA. unfold u, two_levels. destruct (Nat.ltb j m); field; lra.
  - exists (/ tau). intros j _. unfold Omega. rewrite UB. unfold u, two_levels. destruct (Nat.ltb j m); field; lra.
  - intros j _. assert (Z : forall j, image VV q Omega j = 0).
    { intros k. unfold image. rewrite (Point (fun i => Omega i k)). unfold Omega. rewrite UA, UB. ring. }
    unfold first_order. rewrite (sum_ext VV _ (fun _ => 0)) by (intros; apply Z). rewrite sum_zero, Z. field. rewrite Total. lra.
Qed.

End Levels.

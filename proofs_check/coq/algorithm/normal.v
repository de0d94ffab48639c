(** The standard normal law: its cumulative probability Φ, that there is one, and between which numbers Φ(3) is. *)

Require Import Reals Lra Lia Arith.
Require Import laws slopes.
Open Scope R_scope.

(** √(2π) times the density. *)
Definition bell (t : R) : R := exp (- (t * t / 2)).

(** Φ: half at 0, and exp(-x²/2)/√(2π) is its derivative. *)
Definition cumulative (Phi : R -> R) : Prop := Phi 0 = / 2 /\ forall x, derivable_pt_lim Phi x (bell x / sqrt (2 * PI)).

Lemma square_half t : 0 <= t * t / 2.
Proof. pose proof (Rle_0_sqr t) as S. unfold Rsqr in S. lra. Qed.

Lemma bell_range t : 0 < bell t <= 1.
Proof.
  unfold bell. split; [apply exp_pos|]. rewrite <- exp_0. apply exp_le. pose proof (square_half t). lra.
Qed.

(** * Series *)

(** 1, -1, 1/2, -1/6, …: coefficients of exp(-u). *)
Fixpoint exp_coefficient (k : nat) : R := match k with O => 1 | S j => - exp_coefficient j / INR (S j) end.

Definition partial (n : nat) (u : R) : R := sum (S n) (fun k => exp_coefficient k * u ^ k).

Lemma partial_derivative n u : derivable_pt_lim (partial (S n)) u (- partial n u).
Proof.
  assert (Term : forall k, derivable_pt_lim (fun v => exp_coefficient (S k) * v ^ S k) u (- (exp_coefficient k * u ^ k))).
  { intros k. replace (- (exp_coefficient k * u ^ k)) with (exp_coefficient (S k) * (INR (S k) * u ^ k)).
    - apply (derivable_pt_lim_scal (fun v => v ^ S k)). apply (derivable_pt_lim_pow u (S k)).
    - cbn [exp_coefficient]. field. apply not_0_INR. easy. }
  induction n as [|n IH].
  - replace (- partial 0 u) with (0 + - (exp_coefficient 0 * u ^ 0)) by (unfold partial; simpl; ring).
    apply (derivable_pt_lim_plus (partial 0) (fun v => exp_coefficient 1 * v ^ 1)); [|apply Term].
    intros epsilon P. exists (mkposreal 1 Rlt_0_1). intros h N _. unfold partial. simpl.
    replace ((0 + 1 * 1 - (0 + 1 * 1)) / h - 0) with 0 by (field; exact N). now rewrite Rabs_R0.
  - replace (- partial (S n) u) with (- partial n u + - (exp_coefficient (S n) * u ^ S n)) by (unfold partial; cbn [sum]; ring).
    exact (derivable_pt_lim_plus (partial (S n)) (fun v => exp_coefficient (S (S n)) * v ^ S (S n)) u _ _ IH (Term (S n))).
Qed.

Lemma partial_0 n : partial n 0 = 1.
Proof.
  unfold partial. induction n as [|n IH]; [simpl; ring|].
  change (sum (S n) (fun k => exp_coefficient k * 0 ^ k) + exp_coefficient (S n) * 0 ^ S n = 1). rewrite IH. simpl. ring.
Qed.

Lemma opposite_derivative t : derivable_pt_lim Ropp t (-1).
Proof. exact (derivable_pt_lim_opp id t 1 (derivable_pt_lim_id t)). Qed.

(** The partial sums are above and below exp(-u) in turn. *)
Lemma partial_alternates n u : 0 <= u -> 0 <= (-1) ^ n * (partial n u - exp (- u)).
Proof.
  revert u. induction n as [|n IH]; intros u U.
  - unfold partial. simpl. assert (exp (- u) <= exp 0) by (apply exp_le; lra). rewrite exp_0 in *. lra.
  - assert (M : (-1) ^ S n * (partial (S n) 0 - exp (- 0)) <= (-1) ^ S n * (partial (S n) u - exp (- u))).
    { apply (monotone (fun v => (-1) ^ S n * (partial (S n) v - exp (- v))) (fun v => (-1) ^ n * (partial n v - exp (- v))));
        [exact U | |].
      - intros v _. replace ((-1) ^ n * (partial n v - exp (- v))) with ((-1) ^ S n * (- partial n v - exp (- v) * -1))
          by (simpl; ring).
        apply (derivable_pt_lim_scal (fun t => partial (S n) t - exp (- t))).
        apply (derivable_pt_lim_minus (partial (S n)) (fun t => exp (- t))); [apply partial_derivative|].
        apply (derivable_pt_lim_comp Ropp exp v (-1)); [apply opposite_derivative | apply derivable_pt_lim_exp].
      - intros v V. apply IH. lra. }
    rewrite partial_0, Ropp_0, exp_0 in M. lra.
Qed.

(** The integral of the partial sum at u = t²/2. *)
Definition bell_term (x : R) (k : nat) : R := exp_coefficient k * (/ 2) ^ k * / INR (2 * k + 1) * x ^ (2 * k + 1).
Definition series (n : nat) (x : R) : R := sum (S n) (bell_term x).

Lemma series_derivative n x : derivable_pt_lim (series n) x (partial n (x * x / 2)).
Proof.
  assert (Term : forall k, derivable_pt_lim (fun y => bell_term y k) x (exp_coefficient k * (x * x / 2) ^ k)).
  { intros k. replace (exp_coefficient k * (x * x / 2) ^ k)
      with (exp_coefficient k * (/ 2) ^ k * / INR (2 * k + 1) * (INR (2 * k + 1) * x ^ pred (2 * k + 1))).
    - apply (derivable_pt_lim_scal (fun y => y ^ (2 * k + 1))). apply derivable_pt_lim_pow.
    - replace (pred (2 * k + 1)) with (2 * k)%nat by lia. unfold Rdiv. rewrite pow_mult, !Rpow_mult_distr.
      replace (x ^ 2) with (x * x) by ring. rewrite Rpow_mult_distr. field. apply not_0_INR. lia. }
  unfold series, partial. induction (S n) as [|m IH]; [apply (derivable_pt_lim_const 0)|].
  exact (derivable_pt_lim_plus _ (fun y => bell_term y m) x _ _ IH (Term m)).
Qed.

Lemma series_0 n : series n 0 = 0.
Proof.
  unfold series. rewrite (sum_ext (S n) _ (fun _ => 0)), sum_zero; [easy|]. intros k _. unfold bell_term. rewrite pow_i by lia. ring.
Qed.

Lemma partial_above n t : bell t <= partial (2 * n) (t * t / 2).
Proof.
  pose proof (partial_alternates (2 * n) (t * t / 2) (square_half t)) as P. rewrite pow_1_even in P. unfold bell. lra.
Qed.

Lemma partial_below n t : partial (S (2 * n)) (t * t / 2) <= bell t.
Proof.
  pose proof (partial_alternates (S (2 * n)) (t * t / 2) (square_half t)) as P. rewrite pow_1_odd in P. unfold bell. lra.
Qed.

(** * What is known of any Φ *)

(** π and √(2π), from the series of the cosine. *)
Lemma cosine_term a i : cos_term a i = (-1) ^ i * (exp_coefficient (2 * i) * a ^ (2 * i)).
Proof.
  assert (F : forall k, exp_coefficient k * INR (fact k) = (-1) ^ k).
  { induction k as [|k IH]; [simpl; ring|]. cbn [exp_coefficient]. rewrite fact_simpl, mult_INR.
    replace (- exp_coefficient k / INR (S k) * (INR (S k) * INR (fact k))) with (- (exp_coefficient k * INR (fact k)))
      by (field; now apply not_0_INR). rewrite IH. simpl. ring. }
  unfold cos_term. specialize (F (2 * i)%nat). rewrite pow_1_even in F. f_equal.
  pose proof (INR_fact_neq_0 (2 * i)). unfold Rdiv. rewrite Rmult_comm. f_equal.
  apply (Rmult_eq_reg_r (INR (fact (2 * i)))); [|easy]. rewrite F, Rinv_l; easy.
Qed.

Lemma cosine_falls x y : 0 <= x -> x <= y -> y <= 2 -> cos y <= cos x.
Proof.
  intros X L Y. assert (M : - cos x <= - cos y); [|lra].
  apply (monotone (fun t => - cos t) (fun t => sin t)); [exact L | |].
  - intros t _. rewrite <- (Ropp_involutive (sin t)). apply (derivable_pt_lim_opp cos), derivable_pt_lim_cos.
  - intros t T. pose proof (pre_sin_bound t 0 ltac:(lra) ltac:(lra)) as [B _]. simpl in B.
    unfold sin_approx, sin_term in B. simpl in B. assert (0 <= t - t * t * t / 6); [|lra].
    replace (t - t * t * t / 6) with (t * (1 - t * t / 6)) by field. apply Rmult_le_pos; nra.
Qed.

Lemma cosine_half_pi : cos (PI / 2) = 0 /\ 7 / 8 <= PI / 2 <= 7 / 4.
Proof.
  unfold PI, PI2. destruct PI_2_aux as [z [Z C]]. simpl. replace (2 * z / 2) with z by field. split; lra.
Qed.

Lemma pi_range : 3.141592 <= PI <= 3.1415929.
Proof.
  destruct cosine_half_pi as [C B].
  assert (Low : 0 < cos 1.570796).
  { eapply Rlt_le_trans; [|apply (pre_cos_bound 1.570796 3); lra]. unfold cos_approx. simpl (2 * 3 + 1)%nat. cbn [sum_f_R0].
    rewrite !cosine_term. cbn [Nat.mul Nat.add exp_coefficient INR pow]. lra. }
  assert (High : cos 1.57079645 < 0).
  { eapply Rle_lt_trans; [apply (pre_cos_bound 1.57079645 3); lra|]. unfold cos_approx. simpl (2 * (3 + 1))%nat. cbn [sum_f_R0].
    rewrite !cosine_term. cbn [Nat.mul Nat.add exp_coefficient INR pow]. lra. }
  split.
  - destruct (Rle_lt_dec 3.141592 PI) as [L|L]; [exact L|].
    pose proof (cosine_falls (PI / 2) 1.570796 ltac:(lra) ltac:(lra) ltac:(lra)). lra.
  - destruct (Rle_lt_dec PI 3.1415929) as [L|L]; [exact L|].
    pose proof (cosine_falls 1.57079645 (PI / 2) ltac:(lra) ltac:(lra) ltac:(lra)). lra.
Qed.

Lemma root_range : 2.506628 <= sqrt (2 * PI) <= 2.5066284.
Proof.
  pose proof pi_range. split; [rewrite <- (sqrt_square 2.506628) by lra | rewrite <- (sqrt_square 2.5066284) by lra];
    apply sqrt_le_1_alt; lra.
Qed.

Section Cumulative.

Variable Phi : R -> R.
Hypothesis normal : cumulative Phi.

Let root := sqrt (2 * PI).

Lemma scaled_derivative t : derivable_pt_lim (fun x => root * Phi x) t (bell t).
Proof.
  replace (bell t) with (root * (bell t / root)); [apply (derivable_pt_lim_scal Phi); now apply normal|].
  field. unfold root. pose proof root_range. lra.
Qed.

Lemma grows_more a b F f : a <= b -> (forall t, a <= t <= b -> derivable_pt_lim F t (f t)) ->
  (forall t, a <= t <= b -> f t <= bell t) -> F b - F a <= root * (Phi b - Phi a).
Proof.
  intros L D Le. assert (M : root * Phi a - F a <= root * Phi b - F b); [|lra].
  apply (monotone (fun x => root * Phi x - F x) (fun x => bell x - f x)); [exact L | |].
  - intros t T. apply (derivable_pt_lim_minus (fun x => root * Phi x) F); [apply scaled_derivative | now apply D].
  - intros t T. specialize (Le t T). lra.
Qed.

Lemma grows_less a b F f : a <= b -> (forall t, a <= t <= b -> derivable_pt_lim F t (f t)) ->
  (forall t, a <= t <= b -> bell t <= f t) -> root * (Phi b - Phi a) <= F b - F a.
Proof.
  intros L D Le. assert (M : F a - root * Phi a <= F b - root * Phi b); [|lra].
  apply (monotone (fun x => F x - root * Phi x) (fun x => f x - bell x)); [exact L | |].
  - intros t T. apply (derivable_pt_lim_minus F (fun x => root * Phi x)); [now apply D | apply scaled_derivative].
  - intros t T. specialize (Le t T). lra.
Qed.

(** Φ does not fall, and grows no faster than its argument. *)
Lemma cumulative_grows x y : x <= y -> 0 <= Phi y - Phi x <= y - x.
Proof.
  intros L. pose proof root_range as Root. fold root in Root.
  assert (A : 0 <= root * (Phi y - Phi x)).
  { replace 0 with (fct_cte 0 y - fct_cte 0 x) by (unfold fct_cte; ring).
    apply (grows_more x y (fct_cte 0) (fun _ => 0)); [exact L | intros; apply derivable_pt_lim_const |].
    intros t _. pose proof (bell_range t). lra. }
  assert (B : root * (Phi y - Phi x) <= y - x).
  { apply (grows_less x y id (fun _ => 1)); [exact L | intros; apply derivable_pt_lim_id |]. intros t _. apply bell_range. }
  assert (C : 0 <= Phi y - Phi x) by nra. split; [exact C | nra].
Qed.

Lemma cumulative_opposite x : Phi (- x) = 1 - Phi x.
Proof.
  assert (H : forall a b, a <= b -> Phi (- a) + Phi a = Phi (- b) + Phi b).
  { assert (D : forall t, derivable_pt_lim (fun y => Phi (- y) + Phi y) t 0).
    { intros t. replace 0 with (bell (- t) / sqrt (2 * PI) * -1 + bell t / sqrt (2 * PI)).
      - apply (derivable_pt_lim_plus (fun y => Phi (- y)) Phi); [|apply normal].
        apply (derivable_pt_lim_comp Ropp Phi t (-1)); [apply opposite_derivative | apply normal].
      - unfold bell. replace (- t * - t) with (t * t) by ring. unfold Rdiv. ring. }
    intros a b L. apply Rle_antisym.
    - apply (monotone (fun y => Phi (- y) + Phi y) (fun _ => 0)); [exact L | intros; apply D | intros; lra].
    - assert (M : - (Phi (- a) + Phi a) <= - (Phi (- b) + Phi b)); [|lra].
      apply (monotone (fun y => - (Phi (- y) + Phi y)) (fun _ => - 0)); [exact L | | intros; lra].
      intros t _. apply (derivable_pt_lim_opp (fun y => Phi (- y) + Phi y)), D. }
  destruct normal as [Z _]. assert (Phi (- x) + Phi x = Phi (- 0) + Phi 0).
  { destruct (Rle_dec x 0); [now apply H | symmetry; apply H; lra]. }
  rewrite Ropp_0, Z in *. lra.
Qed.

(** Φ(3) = 99.865 %, to seven digits. *)
Lemma cumulative_3 : 0.99865007 <= Phi 3 <= 0.9986502.
Proof.
  destruct normal as [Z _]. pose proof root_range as Root. fold root in Root.
  assert (L : 1.24993043 <= root * (Phi 3 - Phi 0)).
  { eapply Rle_trans; [|apply (grows_more 0 3 (series (S (2 * 10))) _ ltac:(lra) (fun t _ => series_derivative _ t))].
    - rewrite series_0. unfold series, bell_term. cbn [sum exp_coefficient Nat.mul Nat.add INR pow]. lra.
    - intros t _. apply partial_below. }
  assert (U : root * (Phi 3 - Phi 0) <= 1.24993045).
  { eapply Rle_trans; [apply (grows_less 0 3 (series (2 * 11)) _ ltac:(lra) (fun t _ => series_derivative _ t))|].
    - intros t _. apply partial_above.
    - rewrite series_0. unfold series, bell_term. cbn [sum exp_coefficient Nat.mul Nat.add INR pow]. lra. }
  rewrite Z in *. split; nra.
Qed.

End Cumulative.

(** * There is such a Φ *)

Lemma series_converges x : { l : R | forall epsilon, 0 < epsilon -> exists N, forall n, (N <= n)%nat ->
  Rabs (series n x - l) < epsilon }.
Proof.
  set (c := fun k => exp_coefficient k * (/ 2) ^ k * / INR (2 * k + 1)).
  assert (Size : forall k, INR (2 * k + 1) <> 0) by (intros; apply not_0_INR; lia).
  assert (NZ : forall k, c k <> 0).
  { intros k. unfold c. apply Rmult_integral_contrapositive_currified; [|now apply Rinv_neq_0_compat].
    apply Rmult_integral_contrapositive_currified; [|apply pow_nonzero; lra].
    induction k as [|k IH]; [simpl; lra|]. cbn [exp_coefficient]. unfold Rdiv.
    apply Rmult_integral_contrapositive_currified; [lra | apply Rinv_neq_0_compat, not_0_INR; lia]. }
  assert (Small : forall k, Rabs (c (S k) / c k) <= / INR (S k)).
  { intros k. assert (P : 0 < INR (S k)) by (apply lt_0_INR; lia).
    assert (Q : 0 < INR (2 * k + 1)) by (apply lt_0_INR; lia). assert (Q' : 0 < INR (2 * S k + 1)) by (apply lt_0_INR; lia).
    assert (L : INR (2 * k + 1) <= INR (2 * S k + 1)) by (apply le_INR; lia).
    replace (c (S k) / c k) with (- (/ INR (S k) * (/ 2 * (INR (2 * k + 1) / INR (2 * S k + 1))))).
    2: { specialize (NZ k). unfold c in *. cbn [exp_coefficient pow].
         assert (exp_coefficient k <> 0) by (intros Z; apply NZ; rewrite Z; ring).
         assert ((/ 2) ^ k <> 0) by (apply pow_nonzero; lra).
         set (d := INR (S k)) in *. set (e := INR (2 * k + 1)) in *. set (f := INR (2 * S k + 1)) in *.
         field. repeat split; lra. }
    rewrite Rabs_Ropp, Rabs_right.
    - rewrite <- (Rmult_1_r (/ INR (S k))) at 2. apply Rmult_le_compat_l; [left; now apply Rinv_0_lt_compat|].
      assert (INR (2 * k + 1) / INR (2 * S k + 1) <= 1); [|lra].
      apply (Rmult_le_reg_r (INR (2 * S k + 1))); [easy|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
    - apply Rle_ge, Rmult_le_pos; [left; now apply Rinv_0_lt_compat|]. apply Rmult_le_pos; [lra|].
      left. apply Rmult_lt_0_compat; [easy | now apply Rinv_0_lt_compat]. }
  assert (Ratio : Un_cv (fun n => Rabs (c (S n) / c n)) 0).
  { intros epsilon P. destruct (archimed_cor1 epsilon P) as [N [L Z]]. exists N. intros n G.
    unfold R_dist. rewrite Rminus_0_r, Rabs_Rabsolu. eapply Rle_lt_trans; [apply Small|].
    eapply Rle_lt_trans; [|exact L]. apply Rinv_le_contravar; [now apply lt_0_INR | apply le_INR; lia]. }
  destruct (Alembert_C3 c (x * x) NZ Ratio) as [l L]. exists (x * l). intros epsilon P.
  assert (P' : 0 < epsilon / (Rabs x + 1)) by (pose proof (Rabs_pos x); apply Rdiv_lt_0_compat; lra).
  destruct (L _ P') as [N H]. exists N. intros n G. specialize (H n G). unfold R_dist in H.
  assert (E : series n x = x * sum_f_R0 (fun k => c k * (x * x) ^ k) n).
  { unfold series. clear. induction n as [|n IH].
    - unfold c, bell_term. simpl. field.
    - cbn [sum_f_R0]. rewrite Rmult_plus_distr_l, <- IH.
      change (sum (S (S n)) (bell_term x)) with (sum (S n) (bell_term x) + bell_term x (S n)). f_equal.
      unfold bell_term, c. replace (x * x) with (x ^ 2) by ring. rewrite <- pow_mult.
      replace (2 * S n + 1)%nat with (S (2 * S n)) by lia. cbn [pow]. ring. }
  rewrite E, <- Rmult_minus_distr_l, Rabs_mult. pose proof (Rabs_pos x) as X.
  apply (Rle_lt_trans _ ((Rabs x + 1) * Rabs (sum_f_R0 (fun k => c k * (x * x) ^ k) n - l))).
  - apply Rmult_le_compat_r; [apply Rabs_pos | lra].
  - replace epsilon with ((Rabs x + 1) * (epsilon / (Rabs x + 1))) by (field; lra).
    apply Rmult_lt_compat_l; [lra | exact H].
Qed.

(** ∫₀ˣ exp(-t²/2) dt. *)
Definition area (x : R) : R := proj1_sig (series_converges x).

Lemma area_near x epsilon : 0 < epsilon -> exists N, forall n, (N <= n)%nat -> Rabs (series n x - area x) < epsilon.
Proof. unfold area. destruct (series_converges x) as [l L]. apply L. Qed.

(** What bounds the integrand from below and from above on [x, y], times y - x, bounds the integral. *)
Lemma area_between x y low high : x <= y -> (forall t, x <= t <= y -> low <= bell t <= high) ->
  low * (y - x) <= area y - area x <= high * (y - x).
Proof.
  intros L B.
  assert (Line : forall c t, derivable_pt_lim (fun v => c * v) t c).
  { intros c t. pose proof (derivable_pt_lim_scal id c t 1 (derivable_pt_lim_id t)) as D. now rewrite Rmult_1_r in D. }
  assert (Low : forall n, low * y - low * x <= series (2 * n) y - series (2 * n) x).
  { intros n. assert (M : series (2 * n) x - low * x <= series (2 * n) y - low * y); [|lra].
    apply (monotone (fun v => series (2 * n) v - low * v) (fun v => partial (2 * n) (v * v / 2) - low)); [exact L | |].
    - intros t _. apply (derivable_pt_lim_minus (series (2 * n)) (fun v => low * v)); [apply series_derivative | apply Line].
    - intros t T. specialize (B t T). pose proof (partial_above n t). lra. }
  assert (High : forall n, series (S (2 * n)) y - series (S (2 * n)) x <= high * y - high * x).
  { intros n. assert (M : high * x - series (S (2 * n)) x <= high * y - series (S (2 * n)) y); [|lra].
    apply (monotone (fun v => high * v - series (S (2 * n)) v) (fun v => high - partial (S (2 * n)) (v * v / 2)));
      [exact L | |].
    - intros t _. apply (derivable_pt_lim_minus (fun v => high * v) (series (S (2 * n))));
        [apply Line | apply series_derivative].
    - intros t T. specialize (B t T). pose proof (partial_below n t). lra. }
  split; apply Rnot_lt_le; intros F.
  - set (e := (low * (y - x) - (area y - area x)) / 2). assert (P : 0 < e) by (unfold e; lra).
    destruct (area_near x e P) as [N H], (area_near y e P) as [N' H']. specialize (H (2 * (N + N'))%nat ltac:(lia)).
    specialize (H' (2 * (N + N'))%nat ltac:(lia)). specialize (Low (N + N')%nat).
    apply Rabs_def2 in H. apply Rabs_def2 in H'. unfold e in *. lra.
  - set (e := (area y - area x - high * (y - x)) / 2). assert (P : 0 < e) by (unfold e; lra).
    destruct (area_near x e P) as [N H], (area_near y e P) as [N' H']. specialize (H (S (2 * (N + N')))%nat ltac:(lia)).
    specialize (H' (S (2 * (N + N')))%nat ltac:(lia)). specialize (High (N + N')%nat).
    apply Rabs_def2 in H. apply Rabs_def2 in H'. unfold e in *. lra.
Qed.

Lemma area_derivative x : derivable_pt_lim area x (bell x).
Proof.
  intros epsilon P. assert (C : continuity_pt bell x).
  { apply derivable_continuous_pt. unfold bell. reg. }
  destruct (C (epsilon / 2) ltac:(lra)) as [delta [D Near]]. simpl in Near. unfold R_dist in Near.
  exists (mkposreal delta D). intros h N H. simpl in H.
  assert (B : forall t, Rabs (t - x) < delta -> bell x - epsilon / 2 <= bell t <= bell x + epsilon / 2).
  { intros t T. destruct (Req_dec x t) as [<-|X]; [lra|].
    specialize (Near t (conj (conj I X) T)). apply Rabs_def2 in Near. lra. }
  assert (G : h * (bell x - epsilon / 2) <= area (x + h) - area x <= h * (bell x + epsilon / 2) \/
    h * (bell x + epsilon / 2) <= area (x + h) - area x <= h * (bell x - epsilon / 2)).
  { apply Rabs_def2 in H. destruct (Rle_dec 0 h) as [Up|Down]; [left | right].
    - pose proof (area_between x (x + h) (bell x - epsilon / 2) (bell x + epsilon / 2) ltac:(lra)) as A.
      assert (A' := A ltac:(intros t T; apply B, Rabs_def1; lra)). lra.
    - pose proof (area_between (x + h) x (bell x - epsilon / 2) (bell x + epsilon / 2) ltac:(lra)) as A.
      assert (A' := A ltac:(intros t T; apply B, Rabs_def1; lra)). lra. }
  set (d := area (x + h) - area x) in *. assert (E : d = d / h * h) by (field; exact N). set (s := d / h) in *.
  assert (Hh : h < 0 \/ 0 < h) by lra. apply Rabs_def1; destruct Hh, G; nra.
Qed.

Lemma area_0 : area 0 = 0.
Proof.
  destruct (Req_dec (area 0) 0) as [E|N]; [exact E|]. destruct (area_near 0 (Rabs (area 0))) as [M H].
  - now apply Rabs_pos_lt.
  - specialize (H M (le_n M)). rewrite series_0, Rminus_0_l, Rabs_Ropp in H. lra.
Qed.

Lemma cumulative_exists : cumulative (fun x => / 2 + / sqrt (2 * PI) * area x).
Proof.
  split; [rewrite area_0; ring|]. intros x.
  replace (bell x / sqrt (2 * PI)) with (0 + / sqrt (2 * PI) * bell x) by (unfold Rdiv; ring).
  apply (derivable_pt_lim_plus (fun _ => / 2) (fun t => / sqrt (2 * PI) * area t)); [apply derivable_pt_lim_const|].
  apply (derivable_pt_lim_scal area), area_derivative.
Qed.

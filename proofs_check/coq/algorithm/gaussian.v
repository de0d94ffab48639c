(** Normal variables under a probability: RDK's two events. *)

Require Import Reals Lra Lia Arith.
Require Import laws slopes normal.
Open Scope R_scope.

Section Gaussian.

Variable Outcome : Type.
Variable probability : (Outcome -> Prop) -> R.

(** What is supposed of a probability: it is one of what is certain, no larger of less, and of two that exclude each other the
    sum. *)
Definition is_probability : Prop :=
  probability (fun _ => True) = 1 /\
  (forall A B : Outcome -> Prop, (forall w, A w -> B w) -> probability A <= probability B) /\
  (forall A B : Outcome -> Prop, (forall w, ~ (A w /\ B w)) ->
    probability (fun w => A w \/ B w) = probability A + probability B).

Variable Phi : R -> R.

(** A normal variable, by its mean and its deviation; certain where that is 0. *)
Definition normal (X : Outcome -> R) (mean deviation : R) : Prop :=
  (0 < deviation -> forall t, probability (fun w => X w <= t) = Phi ((t - mean) / deviation)) /\
  (deviation = 0 -> probability (fun w => X w = mean) = 1).

(** Two variables of which every linear combination is normal, by their means, deviations and correlation. *)
Definition jointly_normal (X Y : Outcome -> R) (mean_x mean_y sigma_x sigma_y rho : R) : Prop :=
  forall c d, normal (fun w => c * X w + d * Y w) (c * mean_x + d * mean_y)
    (sqrt (c * c * sigma_x * sigma_x + d * d * sigma_y * sigma_y + 2 * c * d * rho * sigma_x * sigma_y)).

(** Events about one variable and events about the other, that each lies between two numbers, are independent. *)
Definition independent_pair (X Y : Outcome -> R) : Prop := forall low high low' high',
  probability (fun w => low <= X w <= high /\ low' <= Y w <= high')
    = probability (fun w => low <= X w <= high) * probability (fun w => low' <= Y w <= high').

Hypothesis measure : is_probability.
Hypothesis normal_law : cumulative Phi.

Lemma opposite (A : Outcome -> Prop) : (forall w, A w \/ ~ A w) -> probability (fun w => ~ A w) = 1 - probability A.
Proof.
  intros D. destruct measure as [One [Monotone Additive]]. pose proof (Additive A (fun w => ~ A w) ltac:(tauto)) as S.
  assert (T : probability (fun _ => True) <= probability (fun w => A w \/ ~ A w)) by (apply Monotone; intros; apply D).
  assert (T' : probability (fun w => A w \/ ~ A w) <= probability (fun _ => True)) by now apply Monotone. lra.
Qed.

Lemma either (A B : Outcome -> Prop) : (forall w, A w \/ ~ A w) ->
  probability (fun w => A w \/ B w) <= probability A + probability B.
Proof.
  intros D. destruct measure as [One [Monotone Additive]].
  apply (Rle_trans _ (probability (fun w => A w \/ (B w /\ ~ A w)))).
  - apply Monotone. intros w. specialize (D w). tauto.
  - rewrite (Additive A (fun w => B w /\ ~ A w)) by tauto. apply Rplus_le_compat_l, Monotone. tauto.
Qed.

Lemma both (A B : Outcome -> Prop) : (forall w, A w \/ ~ A w) -> (forall w, B w \/ ~ B w) ->
  probability A + probability B - 1 <= probability (fun w => A w /\ B w).
Proof.
  intros D D'. assert (N : forall w, (A w /\ B w) \/ ~ (A w /\ B w)) by (intros w; specialize (D w); specialize (D' w); tauto).
  pose proof (opposite _ N) as O. pose proof (opposite _ D) as OA. pose proof (opposite _ D') as OB.
  assert (L : probability (fun w => ~ (A w /\ B w)) <= probability (fun w => ~ A w \/ ~ B w)).
  { destruct measure as [_ [Monotone _]]. apply Monotone. intros w. specialize (D w). tauto. }
  pose proof (either (fun w => ~ A w) (fun w => ~ B w) ltac:(intros w; specialize (D w); tauto)). lra.
Qed.

Lemma no_larger (x y : R) : x <= y \/ ~ x <= y.
Proof. destruct (Rle_dec x y); tauto. Qed.

Lemma within_decided (X : Outcome -> R) low high w : low <= X w <= high \/ ~ low <= X w <= high.
Proof. destruct (no_larger low (X w)), (no_larger (X w) high); tauto. Qed.

(** Below a number, the number left out or not. *)
Lemma strictly_below X mean deviation t : 0 < deviation -> normal X mean deviation ->
  probability (fun w => ~ t <= X w) = Phi ((t - mean) / deviation).
Proof.
  intros P [N _]. specialize (N P). destruct measure as [_ [Monotone _]]. apply Rle_antisym.
  - rewrite <- N. apply Monotone. intros w W. lra.
  - apply Rnot_lt_le. intros F. set (gap := Phi ((t - mean) / deviation) - probability (fun w => ~ t <= X w)).
    assert (G : 0 < gap) by (unfold gap; lra). set (s := t - deviation * (gap / 2)).
    assert (S : s < t) by (unfold s; pose proof (Rmult_lt_0_compat deviation (gap / 2) P ltac:(lra)); lra).
    assert (L : probability (fun w => X w <= s) <= probability (fun w => ~ t <= X w)) by (apply Monotone; intros w W; lra).
    rewrite N in L. assert (E : (t - mean) / deviation - (s - mean) / deviation = gap / 2) by (unfold s; field; lra).
    pose proof (cumulative_grows Phi normal_law ((s - mean) / deviation) ((t - mean) / deviation) ltac:(lra)).
    unfold gap in *. lra.
Qed.

(** Within t deviations of the mean: 2Φ(t) - 1. *)
Lemma within X mean deviation t : 0 < deviation -> 0 <= t -> normal X mean deviation ->
  probability (fun w => mean - t * deviation <= X w <= mean + t * deviation) = 2 * Phi t - 1.
Proof.
  intros P T N. pose proof (strictly_below X mean deviation (mean - t * deviation) P N) as Below. destruct N as [N _].
  specialize (N P (mean + t * deviation)). destruct measure as [_ [Monotone Additive]].
  assert (TD : 0 <= t * deviation) by (apply Rmult_le_pos; lra).
  replace ((mean + t * deviation - mean) / deviation) with t in N by (field; lra).
  replace ((mean - t * deviation - mean) / deviation) with (- t) in Below by (field; lra).
  rewrite cumulative_opposite in Below by exact normal_law.
  pose proof (Additive (fun w => ~ mean - t * deviation <= X w)
    (fun w => mean - t * deviation <= X w <= mean + t * deviation) ltac:(intros; tauto)) as S.
  rewrite Below in S. rewrite <- N in *.
  assert (E : probability (fun w => X w <= mean + t * deviation)
    = probability (fun w => ~ mean - t * deviation <= X w \/ mean - t * deviation <= X w <= mean + t * deviation)).
  { apply Rle_antisym; apply Monotone; intros w W; destruct (no_larger (mean - t * deviation) (X w)); lra || tauto. }
  rewrite <- E in S. lra.
Qed.

Lemma within_three X mean deviation : 0 <= deviation -> normal X mean deviation ->
  0.9973001 <= probability (fun w => mean - 3 * deviation <= X w <= mean + 3 * deviation).
Proof.
  intros [P|Z] N; pose proof (cumulative_3 Phi normal_law).
  - rewrite (within X mean deviation 3 P ltac:(lra) N). lra.
  - destruct N as [_ C]. specialize (C (eq_sym Z)). rewrite <- Z. destruct measure as [_ [Monotone _]].
    apply (Rle_trans _ (probability (fun w => X w = mean))); [rewrite C; lra|]. apply Monotone. intros w ->. lra.
Qed.

Lemma distance_between x mean size : Rabs (x - mean) <= size <-> mean - size <= x <= mean + size.
Proof. split; intros H; [unfold Rabs in H; destruct Rcase_abs in H; lra | apply Rabs_le; lra]. Qed.

(** Two normal logits, however they depend on each other, are both within three deviations of their means with probability
    99.46 % at least. *)
Theorem rdk_two_events (z_a z_b : Outcome -> R) mu_a mu_b sigma_a sigma_b : 0 <= sigma_a -> 0 <= sigma_b ->
  normal z_a mu_a sigma_a -> normal z_b mu_b sigma_b ->
  0.9946 <= probability (fun w => Rabs (z_a w - mu_a) <= 3 * sigma_a /\ Rabs (z_b w - mu_b) <= 3 * sigma_b).
Proof.
  intros A B NA NB. pose proof (within_three z_a mu_a sigma_a A NA). pose proof (within_three z_b mu_b sigma_b B NB).
  pose proof (both (fun w => mu_a - 3 * sigma_a <= z_a w <= mu_a + 3 * sigma_a)
    (fun w => mu_b - 3 * sigma_b <= z_b w <= mu_b + 3 * sigma_b) ltac:(intros; apply (within_decided z_a))
    ltac:(intros; apply (within_decided z_b))) as L.
  destruct measure as [_ [Monotone _]]. eapply Rle_trans; [|apply Monotone; intros w W; rewrite !distance_between; exact W]. lra.
Qed.

(** The error function: 0 at 0, and 2/√π exp(-x²) is its derivative. *)
Definition error_function (erf : R -> R) : Prop :=
  erf 0 = 0 /\ forall x, derivable_pt_lim erf x (2 / sqrt PI * exp (- (x * x))).

Lemma error_of_cumulative erf t : error_function erf -> 0 <= t -> erf (t / sqrt 2) = 2 * Phi t - 1.
Proof.
  intros [Z D] T. assert (P2 : 0 < sqrt 2) by (apply sqrt_lt_R0; lra).
  assert (PP : 0 < sqrt PI) by (apply sqrt_lt_R0, PI_RGT_0).
  assert (Difference : forall s, derivable_pt_lim (fun x => erf (x / sqrt 2) - 2 * Phi x) s 0).
  { intros s. replace 0 with (2 / sqrt PI * exp (- (s / sqrt 2 * (s / sqrt 2))) * / sqrt 2 - 2 * (bell s / sqrt (2 * PI))).
    - apply (derivable_pt_lim_minus (fun x => erf (x / sqrt 2)) (fun x => 2 * Phi x)).
      + apply (derivable_pt_lim_comp (fun x => x / sqrt 2) erf); [|apply D].
        pose proof (derivable_pt_lim_scal id (/ sqrt 2) s 1 (derivable_pt_lim_id s)) as L. rewrite Rmult_1_r in L.
        intros epsilon E. destruct (L epsilon E) as [delta H]. exists delta. intros h N S. specialize (H h N S).
        unfold mult_real_fct, id in H. unfold Rdiv. rewrite !(Rmult_comm _ (/ sqrt 2)). exact H.
      + apply (derivable_pt_lim_scal Phi). apply normal_law.
    - unfold bell. replace (s / sqrt 2 * (s / sqrt 2)) with (s * s / 2).
      + rewrite sqrt_mult by (try lra; left; apply PI_RGT_0). field. lra.
      + rewrite <- (sqrt_sqrt 2) at 1 by lra. field. lra. }
  destruct normal_law as [H _].
  assert (E : erf (0 / sqrt 2) - 2 * Phi 0 = erf (t / sqrt 2) - 2 * Phi t).
  { apply Rle_antisym.
    - apply (monotone (fun x => erf (x / sqrt 2) - 2 * Phi x) (fun _ => 0)); [exact T | intros; apply Difference | intros; lra].
    - assert (M : - (erf (0 / sqrt 2) - 2 * Phi 0) <= - (erf (t / sqrt 2) - 2 * Phi t)); [|lra].
      apply (monotone (fun x => - (erf (x / sqrt 2) - 2 * Phi x)) (fun _ => - 0)); [exact T | | intros; lra].
      intros s _. apply (derivable_pt_lim_opp (fun x => erf (x / sqrt 2) - 2 * Phi x)), Difference. }
  replace (0 / sqrt 2) with 0 in E by (unfold Rdiv; ring). rewrite Z, H in E. lra.
Qed.

(** Independent normal logits are both within t deviations with probability erf(t/√2)², for every t >= 0; at t = 3 it is
    0.994608. *)
Theorem rdk_two_events_sharp_attained erf (z_a z_b : Outcome -> R) mu_a mu_b sigma_a sigma_b : error_function erf ->
  0 < sigma_a -> 0 < sigma_b -> normal z_a mu_a sigma_a -> normal z_b mu_b sigma_b -> independent_pair z_a z_b ->
  (forall t, 0 <= t ->
    probability (fun w => Rabs (z_a w - mu_a) <= t * sigma_a /\ Rabs (z_b w - mu_b) <= t * sigma_b)
      = Rsqr (erf (t / sqrt 2))) /\
  Rabs (Rsqr (erf (3 / sqrt 2)) - 0.994608) <= 0.0000005.
Proof.
  intros F A B NA NB Independent. split.
  - intros t T. rewrite (error_of_cumulative erf t F T). unfold Rsqr.
    rewrite <- (within z_a mu_a sigma_a t A T NA) at 1. rewrite <- (within z_b mu_b sigma_b t B T NB). rewrite <- Independent.
    destruct measure as [_ [Monotone _]]. apply Rle_antisym; apply Monotone; intros w W; rewrite !distance_between in *; exact W.
  - rewrite (error_of_cumulative erf 3 F) by lra. pose proof (cumulative_3 Phi normal_law). unfold Rsqr. apply Rabs_le. nra.
Qed.

End Gaussian.

(** That numbers lie between their fractions: what is false of them in [logarithms] is false of the reals. *)

Require Import vocabulary logarithms.
Require Import Reals Qreals Lra Lia.

Open Scope R_scope.

Fixpoint value (a : real) : R :=
  match a with
  | Num a => Q2R a
  | Exp a => exp (Q2R a)
  | Ln a => ln (Q2R a)
  | Plus a b => value a + value b
  | Minus a b => value a - value b
  | Times a b => value a * value b
  end.

(** * Fractions *)

Lemma reduced a : Q2R (Qred a) = Q2R a.
Proof. apply Qeq_eqR, Qred_correct. Qed.

Lemma real_plus a b : Q2R (plus a b) = Q2R a + Q2R b.
Proof. unfold plus. now rewrite reduced, Q2R_plus. Qed.

Lemma real_minus a b : Q2R (minus a b) = Q2R a - Q2R b.
Proof. unfold minus. now rewrite reduced, Q2R_minus. Qed.

Lemma real_times a b : Q2R (times a b) = Q2R a * Q2R b.
Proof. unfold times. now rewrite reduced, Q2R_mult. Qed.

Lemma real_over a b : Q2R b <> 0 -> Q2R (over a b) = Q2R a / Q2R b.
Proof. intros N. unfold over. rewrite reduced, Q2R_div; [easy|]. intros E. apply N. rewrite (Qeq_eqR _ _ E). apply RMicromega.Q2R_0. Qed.

Lemma real_at_most a b : at_most a b = true <-> Q2R a <= Q2R b.
Proof. unfold at_most. rewrite Qle_bool_iff. split; [apply Qle_Rle | apply Rle_Qle]. Qed.

Lemma real_below a b : below a b = true <-> Q2R a < Q2R b.
Proof.
  unfold below. rewrite Bool.negb_true_iff. destruct (Qle_bool b a) eqn:E.
  - apply Qle_bool_iff, Qle_Rle in E. split; [discriminate | lra].
  - split; [intros _|reflexivity]. apply Rnot_le_lt. intros L. apply real_at_most in L. unfold at_most in L. congruence.
Qed.

Lemma real_min a b : Q2R (min a b) <= Q2R a /\ Q2R (min a b) <= Q2R b.
Proof.
  unfold min. destruct (at_most a b) eqn:E; [apply real_at_most in E; lra|].
  split; [|lra]. apply Rlt_le, Rnot_le_lt. intros L. apply real_at_most in L. congruence.
Qed.

Lemma real_max a b : Q2R a <= Q2R (max a b) /\ Q2R b <= Q2R (max a b).
Proof.
  unfold max. destruct (at_most a b) eqn:E; [apply real_at_most in E; lra|].
  split; [lra|]. apply Rlt_le, Rnot_le_lt. intros L. apply real_at_most in L. congruence.
Qed.

Lemma both_of (a b l h : Q) : Some (a, b) = Some (l, h) -> a = l /\ b = h.
Proof. now intros [= -> ->]. Qed.

(** * Exponentials and logarithms *)

Lemma real_grain n : Q2R (Qmake n grain) = IZR n / IZR (Zpos grain).
Proof. reflexivity. Qed.

Lemma grain_positive : 0 < IZR (Zpos grain).
Proof. now apply IZR_lt. Qed.

Lemma rounded_below a : (Zpos grain * rounded a <= a)%Z.
Proof. unfold rounded. rewrite Z.shiftr_div_pow2 by easy. now apply Z.mul_div_le. Qed.

Lemma rounded_positive a : (0 <= a)%Z -> (0 <= rounded a)%Z.
Proof. intros P. now apply Z.shiftr_nonneg. Qed.

Lemma squared_below n : forall a y, (0 <= a)%Z -> IZR a / IZR (Zpos grain) <= exp y ->
  IZR (squared n a) / IZR (Zpos grain) <= exp (2 ^ n * y).
Proof.
  induction n; intros a y P B; [simpl; now rewrite Rmult_1_l|].
  pose proof grain_positive as G. change (squared (S n) a) with (squared n (rounded (a * a))).
  replace (2 ^ S n * y) with (2 ^ n * (y + y)) by (simpl; ring).
  apply IHn; [now apply rounded_positive, Z.mul_nonneg_nonneg|].
  rewrite exp_plus. apply Rle_trans with (IZR a / IZR (Zpos grain) * (IZR a / IZR (Zpos grain))).
  - apply Rmult_le_reg_r with (IZR (Zpos grain) * IZR (Zpos grain)); [now apply Rmult_lt_0_compat|].
    replace (IZR a / IZR (Zpos grain) * (IZR a / IZR (Zpos grain)) * (IZR (Zpos grain) * IZR (Zpos grain)))
      with (IZR a * IZR a) by (field; lra).
    replace (IZR (rounded (a * a)) / IZR (Zpos grain) * (IZR (Zpos grain) * IZR (Zpos grain)))
      with (IZR (Zpos grain) * IZR (rounded (a * a))) by (field; lra).
    rewrite <- !mult_IZR. apply IZR_le, rounded_below.
  - assert (0 <= IZR a / IZR (Zpos grain)) by
      (apply Rmult_le_pos; [now apply IZR_le | now apply Rlt_le, Rinv_0_lt_compat]).
    apply Rmult_le_compat; lra.
Qed.

Lemma floor_below a : IZR (Qfloor a) <= Q2R a.
Proof.
  replace (IZR (Qfloor a)) with (Q2R (inject_Z (Qfloor a))) by (unfold Q2R; simpl; field).
  apply Qle_Rle, Qfloor_le.
Qed.

Lemma real_whole n : Q2R (inject_Z n) = IZR n.
Proof. unfold Q2R. simpl. field. Qed.

Lemma step_real x n g : (0 < n)%Z -> Q2R ((1 + x / inject_Z n) * inject_Z g)%Q = (1 + Q2R x / IZR n) * IZR g.
Proof.
  intros P. rewrite Q2R_mult, Q2R_plus, Q2R_div, !real_whole.
  - now replace (Q2R 1) with 1 by (unfold Q2R; simpl; field).
  - unfold Qeq. simpl. lia.
Qed.

Lemma steps_real : IZR (2 ^ Z.of_nat squarings) = 2 ^ squarings.
Proof. now rewrite pow_IZR. Qed.

Lemma below_exp_below x : Q2R (below_exp x) <= exp (Q2R x).
Proof.
  unfold below_exp. rewrite real_grain.
  assert (N : 2 ^ squarings <> 0) by (apply pow_nonzero; lra).
  replace (exp (Q2R x)) with (exp (2 ^ squarings * (Q2R x / 2 ^ squarings))) by (f_equal; field; easy).
  pose proof grain_positive as G. apply squared_below; [apply Z.le_max_l|]. unfold first_step.
  apply Rmult_le_reg_r with (IZR (Zpos grain)); [easy|]. unfold Rdiv at 1.
  rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. match goal with |- IZR (Z.max 0 ?n) <= _ => destruct (Z.max_dec 0 n) as [E|E]; rewrite E end.
  - apply Rmult_le_pos; [apply Rlt_le, exp_pos | lra].
  - eapply Rle_trans; [apply floor_below|]. rewrite step_real, steps_real by now apply Z.pow_pos_nonneg.
    apply Rmult_le_compat_r; [lra|]. apply exp_ineq1_le.
Qed.

Lemma at_least_inverse_above a : 0 < Q2R a -> / Q2R a <= Q2R (at_least_inverse a).
Proof.
  destruct a as [n d]. unfold at_least_inverse. intros P. rewrite real_grain. unfold Q2R in *. simpl Qnum in *. simpl Qden in *.
  pose proof grain_positive as G. assert (D : 0 < IZR (Zpos d)) by now apply IZR_lt.
  assert (N : 0 < IZR n).
  { apply Rmult_lt_reg_r with (/ IZR (Zpos d)); [now apply Rinv_0_lt_compat|]. now rewrite Rmult_0_l. }
  assert (Z : (0 < n)%Z) by now apply lt_IZR.
  pose proof (Z.mul_succ_div_gt (Zpos grain * Zpos d) n Z) as M. apply IZR_lt in M. rewrite !mult_IZR in M.
  rewrite Rinv_mult, Rinv_inv. apply Rmult_le_reg_r with (IZR n * IZR (Zpos grain)); [now apply Rmult_lt_0_compat|].
  replace (/ IZR n * IZR (Zpos d) * (IZR n * IZR (Zpos grain))) with (IZR (Zpos grain) * IZR (Zpos d)) by (field; lra).
  unfold Z.succ in M. unfold Rdiv. remember (IZR (Zpos grain * Zpos d / n + 1)) as k.
  replace (k * / IZR (Zpos grain) * (IZR n * IZR (Zpos grain))) with (IZR n * k) by (field; lra). lra.
Qed.

Opaque below_exp guess spare at_least_inverse.

Lemma above_exp_above x h : above_exp x = Some h -> exp (Q2R x) <= Q2R h.
Proof.
  unfold above_exp. destruct (below 0 (below_exp (- x))) eqn:E; [|discriminate]. intros [= <-].
  apply real_below in E. rewrite RMicromega.Q2R_0 in E.
  pose proof (below_exp_below (- x)) as B. rewrite Q2R_opp, exp_Ropp in B. pose proof (exp_pos (Q2R x)).
  apply Rle_trans with (/ Q2R (below_exp (- x))); [|now apply at_least_inverse_above].
  rewrite <- (Rinv_inv (exp (Q2R x))). now apply Rinv_le_contravar.
Qed.

Opaque above_exp.

Lemma exp_enclosed x l h : exp_between x = Some (l, h) -> Q2R l <= exp (Q2R x) <= Q2R h.
Proof.
  unfold exp_between. destruct (above_exp x) as [a|] eqn:E; [|discriminate]. intros H. apply both_of in H as [<- <-].
  split; [apply below_exp_below | now apply above_exp_above].
Qed.

Lemma exp_order x y : exp x <= exp y -> x <= y.
Proof. intros H. apply Rnot_lt_le. intros L. apply exp_increasing in L. lra. Qed.

Lemma ln_enclosed x l h : ln_between x = Some (l, h) -> Q2R l <= ln (Q2R x) <= Q2R h.
Proof.
  unfold ln_between. destruct (above_exp (minus (guess x) spare)) as [a|] eqn:L; [|discriminate].
  destruct (below 0 x && at_most a x && at_most x (below_exp (plus (guess x) spare)))%bool eqn:E; [|discriminate].
  intros I. apply both_of in I as [<- <-]. apply andb_prop in E as [E U]. apply andb_prop in E as [P D].
  apply real_below in P. rewrite RMicromega.Q2R_0 in P. apply real_at_most in U, D. apply above_exp_above in L.
  pose proof (below_exp_below (plus (guess x) spare)). split; apply exp_order; rewrite exp_ln by exact P; lra.
Qed.

(** * Any number *)

Lemma product_enclosed a b c d x y : a <= x <= b -> c <= y <= d ->
  forall l h, l <= a * c -> l <= a * d -> l <= b * c -> l <= b * d ->
  a * c <= h -> a * d <= h -> b * c <= h -> b * d <= h -> l <= x * y <= h.
Proof. intros. destruct (Rle_dec 0 y), (Rle_dec 0 a), (Rle_dec 0 b), (Rle_dec 0 c), (Rle_dec 0 d); split; nra. Qed.

(** A number with fractions lies between them. *)
Theorem enclosed a : forall l h, enclosure a = Some (l, h) -> Q2R l <= value a <= Q2R h.
Proof.
  induction a as [a|a|a|a IHa b IHb|a IHa b IHb|a IHa b IHb]; intros l h H; simpl in *.
  - apply both_of in H as [<- <-]. lra.
  - now apply exp_enclosed.
  - now apply ln_enclosed.
  - destruct (enclosure a) as [[]|], (enclosure b) as [[]|]; try discriminate. apply both_of in H as [<- <-]. rewrite !real_plus.
    specialize (IHa _ _ eq_refl). specialize (IHb _ _ eq_refl). simpl. lra.
  - destruct (enclosure a) as [[]|], (enclosure b) as [[]|]; try discriminate. apply both_of in H as [<- <-]. rewrite !real_minus.
    specialize (IHa _ _ eq_refl). specialize (IHb _ _ eq_refl). simpl. lra.
  - destruct (enclosure a) as [[p q]|], (enclosure b) as [[r s]|]; try discriminate. apply both_of in H as [<- <-].
    specialize (IHa _ _ eq_refl). specialize (IHb _ _ eq_refl). simpl.
    pose proof (real_min (min (times p r) (times p s)) (min (times q r) (times q s))).
    pose proof (real_min (times p r) (times p s)). pose proof (real_min (times q r) (times q s)).
    pose proof (real_max (max (times p r) (times p s)) (max (times q r) (times q s))).
    pose proof (real_max (times p r) (times p s)). pose proof (real_max (times q r) (times q s)).
    rewrite !real_times in *. apply (product_enclosed (Q2R p) (Q2R q) (Q2R r) (Q2R s)); lra.
Qed.

Lemma certainly_above a b : perhaps_at_most (enclosure a) (enclosure b) = false -> value b < value a.
Proof.
  unfold perhaps_at_most. destruct (enclosure a) as [[p q]|] eqn:A, (enclosure b) as [[r s]|] eqn:B; try discriminate.
  apply enclosed in A, B. simpl. intros H. apply Rnot_le_lt. intros L.
  assert (at_most p s = true) by (apply real_at_most; lra). congruence.
Qed.

(** What may not be at most another number is above it. *)
Theorem above a b : may_be_at_most a b = false -> value b < value a.
Proof. apply certainly_above. Qed.

(** What may not be equal is not. *)
Theorem unequal a b : may_be_equal a b = false -> value a <> value b.
Proof. unfold may_be_equal. intros H E. apply Bool.andb_false_iff in H as [H|H]; apply certainly_above in H; lra. Qed.

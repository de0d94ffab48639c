(** What is computed over fractions, or over enclosures, is so of the real numbers: a lemma for each operation of statements, and
    a tactic that takes a statement apart by them. *)
Require Import Reals Qreals Qabs Qround Lra Lia.
Require vocabulary logarithms enclosed.
From Simspec Require prelude rational enclosures.
Open Scope R_scope.

(** * Fractions *)

Lemma of_add a b x y : Q2R a = x -> Q2R b = y -> Q2R (rational.add a b) = x + y.
Proof. intros <- <-. unfold rational.add. now rewrite enclosed.reduced, Q2R_plus. Qed.
Lemma of_sub a b x y : Q2R a = x -> Q2R b = y -> Q2R (rational.sub a b) = x - y.
Proof. intros <- <-. unfold rational.sub. now rewrite enclosed.reduced, Q2R_minus. Qed.
Lemma of_mul a b x y : Q2R a = x -> Q2R b = y -> Q2R (rational.mul a b) = x * y.
Proof. intros <- <-. unfold rational.mul. now rewrite enclosed.reduced, Q2R_mult. Qed.
Lemma of_opp a x : Q2R a = x -> Q2R (Qopp a) = - x.
Proof. intros <-. apply Q2R_opp. Qed.
Lemma of_zero a : Q2R a = 0 -> Qeq a 0.
Proof. intros Z. apply eqR_Qeq. rewrite Z. now rewrite RMicromega.Q2R_0. Qed.
(** The inverse of 0 is 0 here and there. *)
Lemma of_inverse a : Q2R (Qinv a) = / Q2R a.
Proof.
  destruct (Req_dec (Q2R a) 0) as [Z|N].
  - rewrite Z, Rinv_0. apply of_zero in Z. destruct a as [n d]. unfold Qeq in Z. simpl in Z.
    replace n with 0%Z by lia. unfold Qinv. simpl. apply RMicromega.Q2R_0.
  - apply Q2R_inv. intros Z. apply N. rewrite (Qeq_eqR _ _ Z). apply RMicromega.Q2R_0.
Qed.
Lemma of_inv a x : Q2R a = x -> Q2R (rational.inv a) = / x.
Proof. intros <-. unfold rational.inv. now rewrite enclosed.reduced, of_inverse. Qed.
Lemma of_div a b x y : Q2R a = x -> Q2R b = y -> Q2R (rational.div a b) = x / y.
Proof. intros <- <-. unfold rational.div, Qdiv, Rdiv. now rewrite enclosed.reduced, Q2R_mult, of_inverse. Qed.
Lemma of_power a x n : Q2R a = x -> Q2R (rational.power a n) = x ^ n.
Proof. intros <-. induction n; simpl; [apply RMicromega.Q2R_1 | now apply of_mul]. Qed.
Lemma of_pw a x n : Q2R a = x -> Q2R (rational.pw a n) = prelude.pw x n.
Proof. apply of_power. Qed.
Lemma of_whole n : Q2R (rational.IZR n) = IZR n.
Proof. apply enclosed.real_whole. Qed.
Lemma of_least a b x y : Q2R a = x -> Q2R b = y -> Q2R (rational.Rmin a b) = Rmin x y.
Proof.
  intros <- <-. unfold rational.Rmin. destruct (Qle_bool a b) eqn:E.
  - apply Qle_bool_iff, Qle_Rle in E. now rewrite Rmin_left.
  - rewrite Rmin_right; [easy|]. apply Rnot_lt_le. intros L. apply Rlt_le, Rle_Qle, Qle_bool_iff in L. congruence.
Qed.
Lemma of_greatest a b x y : Q2R a = x -> Q2R b = y -> Q2R (rational.Rmax a b) = Rmax x y.
Proof.
  intros <- <-. unfold rational.Rmax. destruct (Qle_bool a b) eqn:E.
  - apply Qle_bool_iff, Qle_Rle in E. now rewrite Rmax_right.
  - rewrite Rmax_left; [easy|]. apply Rnot_lt_le. intros L. apply Rlt_le, Rle_Qle, Qle_bool_iff in L. congruence.
Qed.
Lemma of_size a x : Q2R a = x -> Q2R (rational.Rabs a) = Rabs x.
Proof.
  intros <-. unfold rational.Rabs. destruct (Qlt_le_dec a 0) as [N|P].
  - rewrite (Qeq_eqR _ _ (Qabs_neg a (Qlt_le_weak _ _ N))), Q2R_opp. apply Qlt_Rlt in N.
    rewrite RMicromega.Q2R_0 in N. now rewrite Rabs_left.
  - rewrite (Qeq_eqR _ _ (Qabs_pos a P)). apply Qle_Rle in P. rewrite RMicromega.Q2R_0 in P. rewrite Rabs_right; lra.
Qed.
Lemma of_floor a x : Q2R a = x -> Q2R (rational.IZR (rational.Int_part a)) = IZR (Int_part x).
Proof.
  intros <-. rewrite of_whole. f_equal. unfold rational.Int_part, Int_part.
  pose proof (Qfloor_le a) as L. pose proof (Qlt_floor a) as U. apply Qle_Rle in L. apply Qlt_Rlt in U.
  rewrite enclosed.real_whole in L, U. rewrite <- (tech_up (Q2R a) (Qfloor a + 1)); [lia | exact U |].
  rewrite plus_IZR. lra.
Qed.
Lemma of_delta a b : Q2R (rational.delta a b) = prelude.delta a b.
Proof. unfold rational.delta, prelude.delta. destruct (Z.eq_dec a b); [apply RMicromega.Q2R_1 | apply RMicromega.Q2R_0]. Qed.
Lemma of_sum lo hi f g : (forall k, Q2R (f k) = g k) -> Q2R (rational.Sum lo hi f) = prelude.Sum lo hi g.
Proof.
  intros same. unfold rational.Sum, prelude.Sum. induction (Z.to_nat (hi - lo + 1)); simpl; [apply RMicromega.Q2R_0|].
  now apply of_add.
Qed.
Lemma of_number n d x : IZR n * / IZR (Zpos d) = x -> Q2R (Qmake n d) = x.
Proof. easy. Qed.

(** A side over fractions is that side of the real numbers, at arrays and numbers that are fractions. *)
Ltac of_fractions := intros; cbv beta; lazymatch goal with
  | |- Q2R (rational.add _ _) = _ => apply of_add; of_fractions
  | |- Q2R (rational.sub _ _) = _ => apply of_sub; of_fractions
  | |- Q2R (rational.mul _ _) = _ => apply of_mul; of_fractions
  | |- Q2R (rational.div _ _) = _ => apply of_div; of_fractions
  | |- Q2R (rational.inv _) = _ => apply of_inv; of_fractions
  | |- Q2R (Qopp _) = _ => apply of_opp; of_fractions
  | |- Q2R (rational.power _ _) = _ => apply of_power; of_fractions
  | |- Q2R (rational.pw _ _) = _ => apply of_pw; of_fractions
  | |- Q2R (rational.IZR (rational.Int_part _)) = _ => apply of_floor; of_fractions
  | |- Q2R (rational.IZR _) = _ => apply of_whole
  | |- Q2R (rational.Rmin _ _) = _ => apply of_least; of_fractions
  | |- Q2R (rational.Rmax _ _) = _ => apply of_greatest; of_fractions
  | |- Q2R (rational.Rabs _) = _ => apply of_size; of_fractions
  | |- Q2R (rational.delta _ _) = _ => apply of_delta
  | |- Q2R (rational.Sum _ _ _) = _ => apply of_sum; of_fractions
  | |- Q2R (Qmake _ _) = _ => apply of_number; lra
  | |- _ => solve [match goal with H : _ |- _ => apply H; of_fractions end] end.

(** * Enclosures *)

Definition inside (x : R) (e : enclosures.num) : Prop :=
  match e with enclosures.Between l h => Q2R l <= x <= Q2R h | enclosures.Unknown => True end.

Lemma unit_positive : 0 < IZR (Zpos enclosures.unit).
Proof. now apply IZR_lt. Qed.
Lemma in_units n : Q2R (Qmake n enclosures.unit) = IZR n / IZR (Zpos enclosures.unit).
Proof. reflexivity. Qed.
Opaque enclosures.unit.
Lemma down_below a : Q2R (enclosures.down a) <= Q2R a.
Proof.
  unfold enclosures.down. destruct (Pos.leb _ _); [lra|]. rewrite enclosed.reduced, in_units.
  pose proof unit_positive as P. apply Rmult_le_reg_r with (IZR (Zpos enclosures.unit)); [easy|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  eapply Rle_trans; [apply enclosed.floor_below|]. rewrite Q2R_mult, enclosed.real_whole. lra.
Qed.
Lemma up_above a : Q2R a <= Q2R (enclosures.up a).
Proof. unfold enclosures.up. rewrite Q2R_opp. pose proof (down_below (- a)) as D. rewrite Q2R_opp in D. lra. Qed.
Lemma in_wide l h x : Q2R l <= x <= Q2R h -> inside x (enclosures.wide l h).
Proof. intros. simpl. pose proof (down_below l). pose proof (up_above h). lra. Qed.
Opaque enclosures.wide logarithms.exp_between logarithms.ln_between.

Lemma in_add x y a b : inside x a -> inside y b -> inside (x + y) (enclosures.add a b).
Proof. destruct a, b; simpl; try easy. intros. apply in_wide. rewrite !enclosed.real_plus. lra. Qed.
Lemma in_opp x a : inside x a -> inside (- x) (enclosures.opp a).
Proof. destruct a; simpl; try easy. intros. rewrite !Q2R_opp. lra. Qed.
Lemma in_sub x y a b : inside x a -> inside y b -> inside (x - y) (enclosures.sub a b).
Proof. intros. now apply in_add, in_opp. Qed.
Lemma in_mul x y a b : inside x a -> inside y b -> inside (x * y) (enclosures.mul a b).
Proof.
  destruct a as [p q|], b as [r s|]; simpl; try easy. intros. apply in_wide.
  pose proof (enclosed.real_min (vocabulary.min (vocabulary.times p r) (vocabulary.times p s))
    (vocabulary.min (vocabulary.times q r) (vocabulary.times q s))).
  pose proof (enclosed.real_min (vocabulary.times p r) (vocabulary.times p s)).
  pose proof (enclosed.real_min (vocabulary.times q r) (vocabulary.times q s)).
  pose proof (enclosed.real_max (vocabulary.max (vocabulary.times p r) (vocabulary.times p s))
    (vocabulary.max (vocabulary.times q r) (vocabulary.times q s))).
  pose proof (enclosed.real_max (vocabulary.times p r) (vocabulary.times p s)).
  pose proof (enclosed.real_max (vocabulary.times q r) (vocabulary.times q s)).
  rewrite !enclosed.real_times in *. apply (enclosed.product_enclosed (Q2R p) (Q2R q) (Q2R r) (Q2R s)); lra.
Qed.
Lemma in_inv x a : inside x a -> inside (/ x) (enclosures.inv a).
Proof.
  destruct a as [l h|]; simpl; try easy. intros I. destruct (vocabulary.below 0 l || vocabulary.below h 0)%bool eqn:E; [|easy].
  apply in_wide. apply Bool.orb_prop in E. rewrite !enclosed.real_below, RMicromega.Q2R_0 in E.
  rewrite !enclosed.real_over, RMicromega.Q2R_1 by lra. unfold Rdiv. rewrite !Rmult_1_l. destruct E.
  - split; apply Rinv_le_contravar; lra.
  - assert (forall u v, u <= v -> v < 0 -> / v <= / u) as C.
    { intros u v U N. apply Ropp_le_cancel. rewrite <- !Rinv_opp. apply Rinv_le_contravar; lra. }
    split; apply C; lra.
Qed.
Lemma in_div x y a b : inside x a -> inside y b -> inside (x / y) (enclosures.div a b).
Proof. intros. now apply in_mul, in_inv. Qed.
Lemma in_point a : inside (Q2R a) (enclosures.point a).
Proof. simpl. lra. Qed.
Lemma in_number n d x : IZR n * / IZR (Zpos d) = x -> inside x (enclosures.point (Qmake n d)).
Proof. intros <-. apply in_point. Qed.
Lemma in_power x a n : inside x a -> inside (x ^ n) (enclosures.power a n).
Proof. intros. induction n; [simpl; rewrite RMicromega.Q2R_1; lra | now apply in_mul]. Qed.
Lemma in_pw x a n : inside x a -> inside (prelude.pw x n) (enclosures.pw a n).
Proof. apply in_power. Qed.
Lemma in_whole n : inside (IZR n) (enclosures.IZR n).
Proof. simpl. rewrite enclosed.real_whole. lra. Qed.

Lemma in_exp x a : inside x a -> inside (exp x) (enclosures.exp a).
Proof.
  destruct a as [l h|]; [|intros _; exact I]. cbn [inside enclosures.exp]. intros N.
  destruct (logarithms.exp_between l) as [[m n]|] eqn:L; [|exact I]. destruct (logarithms.exp_between h) as [[i j]|] eqn:H; [|exact I].
  apply in_wide. apply enclosed.exp_enclosed in L, H.
  assert (forall u v, u <= v -> exp u <= exp v) as G.
  { intros u v U. destruct (Rle_lt_or_eq_dec _ _ U) as [S|<-]; [apply Rlt_le, exp_increasing, S | lra]. }
  pose proof (G (Q2R l) x). pose proof (G x (Q2R h)). lra.
Qed.
Lemma in_ln x a : inside x a -> inside (ln x) (enclosures.ln a).
Proof.
  destruct a as [l h|]; [|intros _; exact I]. cbn [inside enclosures.ln]. intros N. destruct (vocabulary.below 0 l) eqn:P; [|exact I].
  apply enclosed.real_below in P. rewrite RMicromega.Q2R_0 in P.
  destruct (logarithms.ln_between l) as [[m n]|] eqn:L; [|exact I]. destruct (logarithms.ln_between h) as [[i j]|] eqn:H; [|exact I].
  apply in_wide. apply enclosed.ln_enclosed in L, H.
  assert (forall u v, 0 < u -> u <= v -> ln u <= ln v) as G.
  { intros u v M U. destruct (Rle_lt_or_eq_dec _ _ U) as [S|<-]; [apply Rlt_le, ln_increasing; easy | lra]. }
  pose proof (G (Q2R l) x). pose proof (G x (Q2R h)). lra.
Qed.
Lemma in_Rpower x y a b : inside x a -> inside y b -> inside (Rpower x y) (enclosures.Rpower a b).
Proof. intros. now apply in_exp, in_mul, in_ln. Qed.

Lemma units_squared a :
  Q2R (a * inject_Z (Zpos enclosures.unit * Zpos enclosures.unit))%Q
  = Q2R a * (IZR (Zpos enclosures.unit) * IZR (Zpos enclosures.unit)).
Proof. now rewrite Q2R_mult, enclosed.real_whole, mult_IZR. Qed.
Lemma root_below_root a : 0 <= Q2R a -> Q2R (enclosures.root_below a) <= sqrt (Q2R a).
Proof.
  intros P. unfold enclosures.root_below. rewrite in_units. pose proof unit_positive as U.
  set (n := Qfloor _). assert (F : IZR n <= Q2R a * (IZR (Zpos enclosures.unit) * IZR (Zpos enclosures.unit))).
  { rewrite <- units_squared. apply enclosed.floor_below. }
  destruct (Z_lt_le_dec n 0) as [N|N].
  - rewrite (Z.sqrt_neg n N). unfold Rdiv. rewrite Rmult_0_l. apply sqrt_pos.
  - pose proof (Z.sqrt_spec n N) as [S _]. pose proof (Z.sqrt_nonneg n) as Q. apply IZR_le in S, Q. rewrite mult_IZR in S.
    apply Rsqr_incr_0_var; [|apply sqrt_pos]. rewrite Rsqr_sqrt by easy. unfold Rsqr, Rdiv.
    apply Rmult_le_reg_r with (IZR (Zpos enclosures.unit) * IZR (Zpos enclosures.unit)); [now apply Rmult_lt_0_compat|].
    eapply Rle_trans; [|exact F]. eapply Rle_trans; [|exact S]. right. field. lra.
Qed.
Lemma root_above_root a : 0 <= Q2R a -> sqrt (Q2R a) <= Q2R (enclosures.root_above a).
Proof.
  intros P. unfold enclosures.root_above, enclosures.root_below. rewrite enclosed.real_plus, !in_units.
  pose proof unit_positive as U. set (b := (a * inject_Z (Zpos enclosures.unit * Zpos enclosures.unit))%Q).
  set (u := IZR (Zpos enclosures.unit)) in *. assert (B : Q2R b = Q2R a * (u * u)) by apply units_squared.
  assert (N : (0 <= Qfloor b)%Z).
  { change 0%Z with (Qfloor 0). apply Qfloor_resp_le, Rle_Qle. rewrite RMicromega.Q2R_0, B.
    apply Rmult_le_pos; [easy|]. apply Rmult_le_pos; lra. }
  pose proof (Qlt_floor b) as F. apply Qlt_Rlt in F. rewrite enclosed.real_whole in F.
  pose proof (Z.sqrt_spec _ N) as [_ S]. pose proof (Z.sqrt_nonneg (Qfloor b)) as Q.
  assert (G : (Qfloor b + 1 <= Z.succ (Z.sqrt (Qfloor b)) * Z.succ (Z.sqrt (Qfloor b)))%Z) by lia.
  apply IZR_le in G, Q. rewrite mult_IZR in G. unfold Z.succ in G. rewrite (plus_IZR (Z.sqrt _)) in G.
  set (s := IZR (Z.sqrt (Qfloor b))) in *. apply Rsqr_incr_0_var.
  - rewrite Rsqr_sqrt by easy. unfold Rsqr, Rdiv. apply Rmult_le_reg_r with (u * u); [now apply Rmult_lt_0_compat|].
    replace ((s * / u + 1 * / u) * (s * / u + 1 * / u) * (u * u)) with ((s + 1) * (s + 1)) by (field; lra). lra.
  - replace (s / u + 1 / u) with ((s + 1) * / u) by (field; lra).
    apply Rmult_le_pos; [lra | now apply Rlt_le, Rinv_0_lt_compat].
Qed.
Opaque enclosures.root_below enclosures.root_above.
Lemma in_sqrt x a : inside x a -> inside (sqrt x) (enclosures.sqrt a).
Proof.
  destruct a as [l h|]; simpl; try easy. intros I. destruct (vocabulary.at_most 0 l) eqn:P; [|easy].
  apply enclosed.real_at_most in P. rewrite RMicromega.Q2R_0 in P. apply in_wide.
  pose proof (root_below_root l P). assert (N : 0 <= Q2R h) by lra. pose proof (root_above_root h N).
  assert (sqrt (Q2R l) <= sqrt x) by (apply sqrt_le_1; lra). assert (sqrt x <= sqrt (Q2R h)) by (apply sqrt_le_1; lra). lra.
Qed.

Lemma in_least x y a b : inside x a -> inside y b -> inside (Rmin x y) (enclosures.Rmin a b).
Proof.
  destruct a as [l h|], b as [m i|]; simpl; try easy. intros. pose proof (enclosed.real_min l m). split.
  - apply Rmin_glb; lra.
  - pose proof (Rmin_l x y). pose proof (Rmin_r x y). unfold vocabulary.min. destruct (vocabulary.at_most h i); lra.
Qed.
Lemma in_greatest x y a b : inside x a -> inside y b -> inside (Rmax x y) (enclosures.Rmax a b).
Proof.
  destruct a as [l h|], b as [m i|]; simpl; try easy. intros. pose proof (enclosed.real_max h i). split.
  - pose proof (Rmax_l x y). pose proof (Rmax_r x y). unfold vocabulary.max. destruct (vocabulary.at_most l m); lra.
  - apply Rmax_lub; lra.
Qed.
Lemma in_size x a : inside x a -> inside (Rabs x) (enclosures.Rabs a).
Proof.
  intros I. assert (E : Rabs x = Rmax x (- x)).
  { destruct (Rle_lt_dec 0 x); [rewrite Rabs_right, Rmax_left by lra | rewrite Rabs_left, Rmax_right by lra]; easy. }
  rewrite E. now apply in_greatest, in_opp.
Qed.
Lemma in_delta a b : inside (prelude.delta a b) (enclosures.delta a b).
Proof.
  unfold enclosures.delta, prelude.delta. destruct (Z.eq_dec a b); simpl; rewrite ?RMicromega.Q2R_0, ?RMicromega.Q2R_1; lra.
Qed.
Lemma in_sum lo hi f g : (forall k, inside (f k) (g k)) -> inside (prelude.Sum lo hi f) (enclosures.Sum lo hi g).
Proof.
  intros each. unfold enclosures.Sum, prelude.Sum. induction (Z.to_nat (hi - lo + 1)); simpl.
  - rewrite RMicromega.Q2R_0. lra.
  - now apply in_add.
Qed.

(** A side of the real numbers is inside that side over enclosures, at arrays and numbers that are inside of theirs. *)
Ltac inside_enclosures := intros; cbv beta; lazymatch goal with
  | |- inside _ (enclosures.add _ _) => apply in_add; inside_enclosures
  | |- inside _ (enclosures.sub _ _) => apply in_sub; inside_enclosures
  | |- inside _ (enclosures.mul _ _) => apply in_mul; inside_enclosures
  | |- inside _ (enclosures.div _ _) => apply in_div; inside_enclosures
  | |- inside _ (enclosures.inv _) => apply in_inv; inside_enclosures
  | |- inside _ (enclosures.opp _) => apply in_opp; inside_enclosures
  | |- inside _ (enclosures.power _ _) => apply in_power; inside_enclosures
  | |- inside _ (enclosures.pw _ _) => apply in_pw; inside_enclosures
  | |- inside _ (enclosures.exp _) => apply in_exp; inside_enclosures
  | |- inside _ (enclosures.ln _) => apply in_ln; inside_enclosures
  | |- inside _ (enclosures.Rpower _ _) => apply in_Rpower; inside_enclosures
  | |- inside _ (enclosures.sqrt _) => apply in_sqrt; inside_enclosures
  | |- inside _ (enclosures.IZR _) => apply in_whole
  | |- inside _ (enclosures.Rmin _ _) => apply in_least; inside_enclosures
  | |- inside _ (enclosures.Rmax _ _) => apply in_greatest; inside_enclosures
  | |- inside _ (enclosures.Rabs _) => apply in_size; inside_enclosures
  | |- inside _ (enclosures.delta _ _) => apply in_delta
  | |- inside _ (enclosures.Sum _ _ _) => apply in_sum; inside_enclosures
  | |- inside _ (enclosures.point (Qmake _ _)) => apply in_number; lra
  | |- _ => solve [match goal with H : _ |- _ => apply H; inside_enclosures end] end.

(** Finite sums over ranges of integers, extrema, powers and signs of real numbers; tactics for the steps of a derivation. *)
From Coq Require Export Reals ZArith Lia Lra Psatz.
Open Scope R_scope.

(** What stands in for the proof of a step that no tactic here finds; each use is printed and counted. *)
Axiom admitted : forall statement : Prop, statement.

(** ** Sums over [lo], [lo + 1], ..., [hi] *)

Fixpoint terms (f : Z -> R) (lo : Z) (n : nat) : R :=
  match n with O => 0 | S m => terms f lo m + f (lo + Z.of_nat m)%Z end.

Definition Sum (lo hi : Z) (f : Z -> R) : R := terms f lo (Z.to_nat (hi - lo + 1)).

Lemma Sum_ind (P : Z -> Prop) (lo : Z) :
  P (lo - 1)%Z -> (forall h, (lo - 1 <= h)%Z -> P h -> P (h + 1)%Z) -> forall hi, (lo - 1 <= hi)%Z -> P hi.
Proof.
  intros base step hi range. replace hi with (lo - 1 + (hi - lo + 1))%Z by lia.
  assert (H : (0 <= hi - lo + 1)%Z) by lia. revert H. generalize (hi - lo + 1)%Z as n. clear range.
  apply (natlike_ind (fun n => P (lo - 1 + n)%Z)).
  - replace (lo - 1 + 0)%Z with (lo - 1)%Z by lia. exact base.
  - intros n Hn IH. replace (lo - 1 + Z.succ n)%Z with (lo - 1 + n + 1)%Z by lia. apply step; [lia | exact IH].
Qed.

Lemma Sum_none lo hi f : (hi < lo)%Z -> Sum lo hi f = 0.
Proof. intro H. unfold Sum. replace (Z.to_nat (hi - lo + 1)) with 0%nat by lia. reflexivity. Qed.

Lemma Sum_last lo hi f : (lo - 1 <= hi)%Z -> Sum lo (hi + 1) f = Sum lo hi f + f (hi + 1)%Z.
Proof.
  intro H. unfold Sum. replace (Z.to_nat (hi + 1 - lo + 1)) with (S (Z.to_nat (hi - lo + 1))) by lia.
  cbn [terms]. rewrite Z2Nat.id by lia. do 2 f_equal. lia.
Qed.

Lemma Sum_ext lo hi f g : (forall k, (lo <= k <= hi)%Z -> f k = g k) -> Sum lo hi f = Sum lo hi g.
Proof.
  destruct (Z_lt_le_dec hi (lo - 1)) as [outside | inside]; [rewrite !(Sum_none lo hi) by lia; reflexivity |].
  revert hi inside. apply (Sum_ind (fun hi => (forall k, (lo <= k <= hi)%Z -> f k = g k) -> Sum lo hi f = Sum lo hi g)).
  - intros _. rewrite !Sum_none by lia. reflexivity.
  - intros h Hh IH same. rewrite !Sum_last by lia. rewrite IH by (intros; apply same; lia). rewrite same by lia. reflexivity.
Qed.

Lemma Sum_le lo hi f g : (forall k, (lo <= k <= hi)%Z -> f k <= g k) -> Sum lo hi f <= Sum lo hi g.
Proof.
  destruct (Z_lt_le_dec hi (lo - 1)) as [outside | inside]; [rewrite !(Sum_none lo hi) by lia; lra |].
  revert hi inside. apply (Sum_ind (fun hi => (forall k, (lo <= k <= hi)%Z -> f k <= g k) -> Sum lo hi f <= Sum lo hi g)).
  - intros _. rewrite !Sum_none by lia. lra.
  - intros h Hh IH less. rewrite !Sum_last by lia. apply Rplus_le_compat; [apply IH; intros; apply less; lia | apply less; lia].
Qed.

Lemma Sum_lt lo hi f g : (lo <= hi)%Z -> (forall k, (lo <= k <= hi)%Z -> f k < g k) -> Sum lo hi f < Sum lo hi g.
Proof.
  intros some less. replace hi with (hi - 1 + 1)%Z by lia. rewrite !Sum_last by lia. apply Rplus_le_lt_compat.
  - apply Sum_le. intros k Hk. apply Rlt_le, less. lia.
  - apply less. lia.
Qed.

Lemma Sum_plus lo hi f g : Sum lo hi (fun k => f k + g k) = Sum lo hi f + Sum lo hi g.
Proof. unfold Sum. induction (Z.to_nat (hi - lo + 1)); cbn [terms]; [lra | rewrite IHn; lra]. Qed.

Lemma Sum_scal lo hi c f : Sum lo hi (fun k => c * f k) = c * Sum lo hi f.
Proof. unfold Sum. induction (Z.to_nat (hi - lo + 1)); cbn [terms]; [lra | rewrite IHn; lra]. Qed.

Lemma Sum_const lo hi c : (lo - 1 <= hi)%Z -> Sum lo hi (fun _ => c) = IZR (hi - lo + 1) * c.
Proof.
  intro H. unfold Sum. rewrite <- (Z2Nat.id (hi - lo + 1)) at 2 by lia.
  induction (Z.to_nat (hi - lo + 1)) as [|n IH]; cbn [terms]; [simpl; lra |].
  rewrite IH, Nat2Z.inj_succ, <- Z.add_1_r, plus_IZR. lra.
Qed.

Lemma Sum_zero lo hi : Sum lo hi (fun _ => 0) = 0.
Proof. unfold Sum. induction (Z.to_nat (hi - lo + 1)); cbn [terms]; lra. Qed.

Lemma terms_plus f g lo n : terms (fun k => f k + g k) lo n = terms f lo n + terms g lo n.
Proof. induction n; cbn [terms]; [lra | rewrite IHn; lra]. Qed.

Lemma Sum_exchange lo hi lo' hi' (f : Z -> Z -> R) :
  Sum lo hi (fun k => Sum lo' hi' (f k)) = Sum lo' hi' (fun m => Sum lo hi (fun k => f k m)).
Proof.
  unfold Sum. generalize (Z.to_nat (hi - lo + 1)) as n. generalize (Z.to_nat (hi' - lo' + 1)) as m. intros m n.
  induction n as [|n IH]; cbn [terms].
  - induction m as [|m IHm]; cbn [terms]; [reflexivity | rewrite <- IHm; lra].
  - rewrite IH. symmetry. apply terms_plus.
Qed.

Lemma Sum_nonneg lo hi f : (forall k, (lo <= k <= hi)%Z -> 0 <= f k) -> 0 <= Sum lo hi f.
Proof. intro H. rewrite <- (Sum_zero lo hi). apply Sum_le. exact H. Qed.

Lemma Sum_pos lo hi f : (lo <= hi)%Z -> (forall k, (lo <= k <= hi)%Z -> 0 < f k) -> 0 < Sum lo hi f.
Proof. intros some H. rewrite <- (Sum_zero lo hi). apply Sum_lt; assumption. Qed.

Lemma Sum_term lo hi f k : (forall m, (lo <= m <= hi)%Z -> 0 <= f m) -> (lo <= k <= hi)%Z -> f k <= Sum lo hi f.
Proof.
  intros pos [low high]. revert hi high pos.
  enough (E : forall hi, (lo - 1 <= hi)%Z -> (k <= hi)%Z -> (forall m, (lo <= m <= hi)%Z -> 0 <= f m) -> f k <= Sum lo hi f)
    by (intros hi high pos; apply E; [lia | exact high | exact pos]).
  apply (Sum_ind (fun hi => (k <= hi)%Z -> (forall m, (lo <= m <= hi)%Z -> 0 <= f m) -> f k <= Sum lo hi f)); [lia |].
  intros h Hh IH high pos. rewrite Sum_last by lia. destruct (Z.eq_dec k (h + 1)) as [-> | other].
  - assert (0 <= Sum lo h f) by (apply Sum_nonneg; intros; apply pos; lia). lra.
  - assert (f k <= Sum lo h f) by (apply IH; [lia | intros; apply pos; lia]).
    assert (0 <= f (h + 1)%Z) by (apply pos; lia). lra.
Qed.

(** ** Where the largest and the least of finitely many numbers is *)

Fixpoint among (f : Z -> R) (lo : Z) (n : nat) : Z :=
  match n with
  | O => lo
  | S m => let k := among f lo m in if Rle_lt_dec (f (lo + Z.of_nat m)%Z) (f k) then k else (lo + Z.of_nat m)%Z
  end.
Definition largest_at (lo hi : Z) (f : Z -> R) : Z := among f lo (Z.to_nat (hi - lo + 1)).
Definition least_at (lo hi : Z) (f : Z -> R) : Z := largest_at lo hi (fun k => - f k).

Lemma among_range f lo n : (0 < n)%nat -> (lo <= among f lo n < lo + Z.of_nat n)%Z.
Proof.
  induction n as [|n IH]; [lia |]. intros _. cbn [among].
  destruct (Rle_lt_dec _ _); [| lia]. destruct n; [simpl; lia |]. assert (0 < S n)%nat by lia. specialize (IH H). lia.
Qed.

Lemma among_most f lo n k : (lo <= k < lo + Z.of_nat n)%Z -> f k <= f (among f lo n).
Proof.
  induction n as [|n IH]; [lia |]. intro range. cbn [among].
  destruct (Rle_lt_dec (f (lo + Z.of_nat n)%Z) (f (among f lo n))) as [less | more];
    (destruct (Z.eq_dec k (lo + Z.of_nat n)) as [-> | other]; [lra |]);
    assert (f k <= f (among f lo n)) by (apply IH; lia); lra.
Qed.

Lemma largest_range lo hi f : (lo <= hi)%Z -> (lo <= largest_at lo hi f <= hi)%Z.
Proof. intro H. unfold largest_at. pose proof (among_range f lo (Z.to_nat (hi - lo + 1))). lia. Qed.
Lemma largest_most lo hi f k : (lo <= k <= hi)%Z -> f k <= f (largest_at lo hi f).
Proof. intro H. unfold largest_at. apply among_most. lia. Qed.
Lemma least_range lo hi f : (lo <= hi)%Z -> (lo <= least_at lo hi f <= hi)%Z.
Proof. apply largest_range. Qed.
Lemma least_least lo hi f k : (lo <= k <= hi)%Z -> f (least_at lo hi f) <= f k.
Proof. intro H. pose proof (largest_most lo hi (fun k => - f k) k H) as E. cbn beta in E. unfold least_at. lra. Qed.

(** ** Powers with a whole exponent, signs, and equal numbers *)

Definition pw (b : R) (n : Z) : R := b ^ Z.to_nat n.
Lemma pw_zero b : pw b 0 = 1.
Proof. reflexivity. Qed.
Lemma pw_next b n : (0 <= n)%Z -> pw b (n + 1) = pw b n * b.
Proof. intro H. unfold pw. replace (Z.to_nat (n + 1)) with (S (Z.to_nat n)) by lia. simpl. ring. Qed.
Lemma pw_nonneg b n : 0 <= b -> 0 <= pw b n.
Proof. apply pow_le. Qed.
Lemma pw_pos b n : 0 < b -> 0 < pw b n.
Proof. apply pow_lt. Qed.

Definition sign_of (v : R) : R := if Rle_lt_dec 0 v then 1 else -1.
Lemma sign_most v : sign_of v <= 1.
Proof. unfold sign_of. destruct (Rle_lt_dec 0 v); lra. Qed.
Lemma sign_least v : sign_of v >= -1.
Proof. unfold sign_of. destruct (Rle_lt_dec 0 v); lra. Qed.
Lemma sign_times v : sign_of v * v = Rabs v.
Proof. unfold sign_of. destruct (Rle_lt_dec 0 v); [rewrite Rabs_pos_eq | rewrite Rabs_left]; lra. Qed.

Definition delta (a b : Z) : R := if Z.eq_dec a b then 1 else 0.
Lemma delta_nonneg a b : 0 <= delta a b.
Proof. unfold delta. destruct (Z.eq_dec a b); lra. Qed.

(** ** Tactics *)

(** Integers inside real numbers, one by one. *)
Ltac whole := rewrite ?plus_IZR, ?minus_IZR, ?mult_IZR, ?opp_IZR in *.
Ltac powers := rewrite ?pw_zero in *; repeat match goal with
  | |- context [pw ?b (?n + 1)] => rewrite (pw_next b n) by lia
  | H : context [pw ?b (?n + 1)] |- _ => rewrite (pw_next b n) in H by lia
  end.

(** Each minimum, maximum and absolute value, by cases. *)
Ltac split_goal := match goal with
  | |- context [Rmin ?a ?b] => destruct (Rle_lt_dec a b); [rewrite (Rmin_left a b) in * by lra | rewrite (Rmin_right a b) in * by lra]
  | |- context [Rmax ?a ?b] => destruct (Rle_lt_dec a b); [rewrite (Rmax_right a b) in * by lra | rewrite (Rmax_left a b) in * by lra]
  | |- context [Rabs ?a] => destruct (Rle_lt_dec 0 a); [rewrite (Rabs_pos_eq a) in * by lra | rewrite (Rabs_left a) in * by lra]
  | H : context [Rmin ?a ?b] |- _ => destruct (Rle_lt_dec a b); [rewrite (Rmin_left a b) in * by lra | rewrite (Rmin_right a b) in * by lra]
  | H : context [Rmax ?a ?b] |- _ => destruct (Rle_lt_dec a b); [rewrite (Rmax_right a b) in * by lra | rewrite (Rmax_left a b) in * by lra]
  | H : context [Rabs ?a] |- _ => destruct (Rle_lt_dec 0 a); [rewrite (Rabs_pos_eq a) in * by lra | rewrite (Rabs_left a) in * by lra]
  end.

(** Signs that are seen: of products, quotients, sums, powers, of what is known. *)
Ltac whole_sign := match goal with H : forall _, _ |- _ => solve [apply H; lia | edestruct H; [.. | lia]; lia | eapply Z.lt_le_trans; [| apply H]; lia] end.
Ltac positive := first
  [ assumption | lra
  | match goal with
    | |- 0 <= ?a * ?a => apply Rle_0_sqr
    | |- 0 <= ?a * ?b => apply Rmult_le_pos; positive
    | |- 0 < ?a * ?b => apply Rmult_lt_0_compat; positive
    | |- 0 <= ?a + ?b => apply Rplus_le_le_0_compat; positive
    | |- 0 < ?a + ?b => first [apply Rplus_lt_le_0_compat; positive | apply Rplus_le_lt_0_compat; positive]
    | |- 0 < / ?a => apply Rinv_0_lt_compat; positive
    | |- 0 <= / ?a => apply Rlt_le, Rinv_0_lt_compat; positive
    | |- 0 < ?a / ?b => unfold Rdiv; positive
    | |- 0 <= ?a / ?b => unfold Rdiv; positive
    | |- 0 < ?a ^ _ => apply pow_lt; positive
    | |- 0 <= ?a ^ 2 => apply pow2_ge_0
    | |- 0 <= ?a ^ _ => apply pow_le; positive
    | |- 0 < pw _ _ => apply pw_pos; positive
    | |- 0 <= pw _ _ => apply pw_nonneg; positive
    | |- 0 < exp _ => apply exp_pos
    | |- 0 <= exp _ => apply Rlt_le, exp_pos
    | |- 0 < sqrt _ => apply sqrt_lt_R0; positive
    | |- 0 <= sqrt _ => apply sqrt_pos
    | |- 0 <= delta _ _ => apply delta_nonneg
    | |- 0 <= Rabs _ => apply Rabs_pos
    | |- 0 <= Sum _ _ _ => apply Sum_nonneg; intros; cbv beta; positive
    | |- 0 < Sum _ _ _ => apply Sum_pos; [lia | intros; cbv beta; positive]
    | |- 0 <= Rmax ?a 0 => apply Rmax_r
    | |- 0 <= Rmax 0 ?a => apply Rmax_l
    | |- 0 <= Rmin _ _ => apply Rmin_glb; positive
    | |- 0 < Rmin _ _ => apply Rmin_pos; positive
    | |- 0 <= Rmax ?a ?b => first [apply Rle_trans with a; [positive | apply Rmax_l] | apply Rle_trans with b; [positive | apply Rmax_r]]
    | |- 0 < Rmax ?a ?b => first [apply Rlt_le_trans with a; [positive | apply Rmax_l] | apply Rlt_le_trans with b; [positive | apply Rmax_r]]
    | |- 0 <= IZR _ => apply IZR_le; first [lia | whole_sign]
    | |- 0 < IZR _ => apply IZR_lt; first [lia | whole_sign]
    | H : forall _, _ |- 0 <= ?f _ => apply H; lia
    | H : forall _, _ |- 0 < ?f _ => apply H; lia
    | |- 0 <= _ => apply Rlt_le; positive
    | |- ?a >= 0 => apply Rle_ge; positive
    | |- 0 <= ?a ^ 3 => apply pow_le; positive
    | |- ?a > 0 => apply Rlt_gt; positive
    end ].

(** A relation with its denominators multiplied through, and back. *)
Lemma clear_eq l r t d : l - r = t / d -> 0 < d -> l = r -> t = 0.
Proof. intros E D H. replace t with ((l - r) * d) by (rewrite E; field; lra). subst l. ring. Qed.
Lemma clear_le l r t d : l - r = t / d -> 0 < d -> l <= r -> t <= 0.
Proof. intros E D H. replace t with ((l - r) * d) by (rewrite E; field; lra). nra. Qed.
Lemma clear_ge l r t d : l - r = t / d -> 0 < d -> l >= r -> t >= 0.
Proof. intros E D H. replace t with ((l - r) * d) by (rewrite E; field; lra). nra. Qed.
Lemma clear_lt l r t d : l - r = t / d -> 0 < d -> l < r -> t < 0.
Proof. intros E D H. replace t with ((l - r) * d) by (rewrite E; field; lra). nra. Qed.
Lemma clear_gt l r t d : l - r = t / d -> 0 < d -> l > r -> t > 0.
Proof. intros E D H. replace t with ((l - r) * d) by (rewrite E; field; lra). nra. Qed.
Lemma back_eq t d l r : l - r = t / d -> 0 < d -> t = 0 -> l = r.
Proof. intros E D H. apply Rminus_diag_uniq. rewrite E, H. field. lra. Qed.
Lemma back_ge t d l r : l - r = t / d -> 0 < d -> t >= 0 -> l >= r.
Proof. intros E D H. enough (0 <= l - r) by lra. rewrite E. apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat, D]. Qed.
Lemma back_gt t d l r : l - r = t / d -> 0 < d -> t > 0 -> l > r.
Proof. intros E D H. enough (0 < l - r) by lra. rewrite E. apply Rmult_lt_0_compat; [lra | apply Rinv_0_lt_compat, D]. Qed.
Lemma back_le t d l r : l - r = t / d -> 0 < d -> t <= 0 -> l <= r.
Proof. intros E D H. apply Rge_le. apply (back_ge (- t) d); [unfold Rdiv in *; lra | exact D | lra]. Qed.
Lemma back_lt t d l r : l - r = t / d -> 0 < d -> t < 0 -> l < r.
Proof. intros E D H. apply Rgt_lt. apply (back_gt (- t) d); [unfold Rdiv in *; lra | exact D | lra]. Qed.

Lemma Rge_minus l r : l - r >= 0 -> l >= r.
Proof. lra. Qed.

Ltac nonzero := repeat split; first [assumption | lra | apply Rgt_not_eq, Rlt_gt; positive | nra].
Ltac by_field := first [ring | field; nonzero | unfold Rdiv; field; nonzero].

(** A product that is zero has a factor that is. *)
Ltac split_zero := match goal with
  | H : ?a * ?b = 0 |- _ => destruct (Rmult_integral a b H); clear H
  | H : 0 = ?a * ?b |- _ => destruct (Rmult_integral a b (eq_sym H)); clear H
  end.

Lemma ge_by t l r : l - r = t -> 0 <= t -> l >= r.
Proof. lra. Qed.
Lemma gt_by t l r : l - r = t -> 0 < t -> l > r.
Proof. lra. Qed.
Lemma le_by t l r : r - l = t -> 0 <= t -> l <= r.
Proof. lra. Qed.
Lemma lt_by t l r : r - l = t -> 0 < t -> l < r.
Proof. lra. Qed.

(** An expression that is no polynomial is a number of its own. *)
Ltac abstracted e v := try (let E := fresh in remember e as v eqn:E in *; clear E).

Ltac zeros := repeat match goal with
  | H : ?v = 0 |- _ => is_var v; subst v
  | H : ?v + -1 * ?w = 0 |- _ => is_var v; is_var w; assert (v = w) by lra; subst v
  | H : -1 * ?w + ?v = 0 |- _ => is_var v; is_var w; assert (v = w) by lra; subst v
  end.

Lemma times c {l r : R} : l = r -> c * l = c * r.
Proof. intros ->. reflexivity. Qed.

(** Cases of a minimum, a maximum and an absolute value; signs of differences. *)
Lemma min_cases a b : (b >= a /\ Rmin a b = a) \/ (a >= b /\ Rmin a b = b).
Proof. destruct (Rle_lt_dec a b); [left; split; [lra | apply Rmin_left; lra] | right; split; [lra | apply Rmin_right; lra]]. Qed.
Lemma max_cases a b : (a >= b /\ Rmax a b = a) \/ (b >= a /\ Rmax a b = b).
Proof. destruct (Rle_lt_dec a b); [right; split; [lra | apply Rmax_right; lra] | left; split; [lra | apply Rmax_left; lra]]. Qed.
Lemma abs_cases a : (a >= 0 /\ Rabs a = a) \/ (- a >= 0 /\ Rabs a = - a).
Proof. destruct (Rle_lt_dec 0 a); [left; split; [lra | apply Rabs_pos_eq; lra] | right; split; [lra | apply Rabs_left; lra]]. Qed.
Lemma nn_ge {l r : R} : l >= r -> 0 <= l - r.
Proof. lra. Qed.
Lemma nn_le {l r : R} : l <= r -> 0 <= r - l.
Proof. lra. Qed.
Lemma ps_gt {l r : R} : l > r -> 0 < l - r.
Proof. lra. Qed.
Lemma ps_lt {l r : R} : l < r -> 0 < r - l.
Proof. lra. Qed.

(** What arithmetic settles. *)
Ltac polynomial := first
  [lra | by_field | solve [timeout 5 positive] | solve [timeout 5 nra]
  | solve [repeat split_zero; zeros; first [lra | timeout 5 nra]]].
Ltac arithmetic := first
  [ lra | by_field | solve [timeout 5 positive] | solve [apply Rge_minus; timeout 5 positive]
  | solve [repeat split_goal; polynomial] ].

(** A product in front of a sum goes inside; two sides that are sums in one order or the other. *)
Ltac push := repeat match goal with
  | |- context [?c * Sum ?lo ?hi ?f] => rewrite <- (Sum_scal lo hi c f)
  | |- context [Sum ?lo ?hi ?f * ?c] => rewrite (Rmult_comm (Sum lo hi f) c)
  end.
Ltac by_merging := cbv beta; first
  [ reflexivity | solve [by_field]
  | solve [push; apply Sum_ext; intros; by_merging]
  | solve [push; rewrite Sum_exchange; apply Sum_ext; intros; by_merging]
  | solve [etransitivity; [apply Sum_ext; intros; cbv beta; push; reflexivity | ]; rewrite Sum_exchange; apply Sum_ext; intros; by_merging]
  | solve [match goal with |- ?c * _ = _ * ?d => rewrite (Rmult_assoc c) end; by_merging] ].
(** Both sides hold the same minima, maxima, absolute values and functions, of what is equal. *)
Ltac same_parts := cbv beta; repeat match goal with
  | |- ?l = ?r => match l with
      | context [Rabs ?a] => match r with context [Rabs ?b] =>
          tryif constr_eq a b then fail else replace (Rabs a) with (Rabs b) by first [f_equal; by_field | rewrite <- Rabs_Ropp; f_equal; by_field] end
      | context [Rmin ?a ?c] => match r with context [Rmin ?b ?d] =>
          tryif (constr_eq a b; constr_eq c d) then fail else
          replace (Rmin a c) with (Rmin b d) by first [f_equal; by_field | rewrite (Rmin_comm a c); f_equal; by_field] end
      | context [Rmax ?a ?c] => match r with context [Rmax ?b ?d] =>
          tryif (constr_eq a b; constr_eq c d) then fail else
          replace (Rmax a c) with (Rmax b d) by first [f_equal; by_field | rewrite (Rmax_comm a c); f_equal; by_field] end
      | context [exp ?a] => match r with context [exp ?b] =>
          tryif constr_eq a b then fail else replace (exp a) with (exp b) by (f_equal; by_field) end
      | context [ln ?a] => match r with context [ln ?b] =>
          tryif constr_eq a b then fail else replace (ln a) with (ln b) by (f_equal; by_field) end
      | context [sqrt ?a] => match r with context [sqrt ?b] =>
          tryif constr_eq a b then fail else replace (sqrt a) with (sqrt b) by (f_equal; by_field) end
      | context [Sum ?i ?k ?f] => match r with context [Sum ?i ?k ?g] =>
          tryif constr_eq f g then fail else
          replace (Sum i k f) with (Sum i k g) by (apply Sum_ext; intros; cbv beta; first [by_field | same_parts; by_field]) end
      end
  end.
Ltac by_parts := first [by_field | solve [same_parts; by_field]].
Ltac by_expansion := first [ by_parts | by_merging | solve [repeat rewrite Sum_plus; repeat rewrite Sum_scal; by_field] ].

(** Logarithms of products, exponentials of sums, roots. *)
Ltac exps := rewrite <- ?exp_plus; first [reflexivity | f_equal; by_field | transitivity (exp 0); [f_equal; by_field | apply exp_0]].
Ltac logs := repeat first [rewrite ln_mult by positive | rewrite ln_Rinv by positive | rewrite ln_exp | rewrite ln_1]; same_parts; by_field.
Ltac root := apply sqrt_sqrt; positive.

(** The conditions at which a lemma is used. *)
Ltac side := first [assumption | lia | positive | lra | solve [intros; first [assumption | lia | lra | eauto]] | solve [whole; lra]].

Lemma sides_eq {l r l' r' : R} : l' = l -> r' = r -> l' = r' -> l = r.
Proof. intros -> ->. exact (fun H => H). Qed.
Lemma sides_le {l r l' r' : R} : l' = l -> r' = r -> l' <= r' -> l <= r.
Proof. intros -> ->. exact (fun H => H). Qed.
Lemma sides_ge {l r l' r' : R} : l' = l -> r' = r -> l' >= r' -> l >= r.
Proof. intros -> ->. exact (fun H => H). Qed.
Lemma sides_lt {l r l' r' : R} : l' = l -> r' = r -> l' < r' -> l < r.
Proof. intros -> ->. exact (fun H => H). Qed.
Lemma sides_gt {l r l' r' : R} : l' = l -> r' = r -> l' > r' -> l > r.
Proof. intros -> ->. exact (fun H => H). Qed.

(** Places that are the same whole number are written alike. *)
Ltac same_places G := repeat match goal with
  | |- context [?f ?i] => match type of i with Z => match type of G with context [f ?j] =>
      tryif constr_eq i j then fail else replace i with j by lia end end
  end.
(** A statement that another becomes at values of its names. *)
Ltac becomes G := first
  [ exact G | solve [same_places G; first [exact G | lra]]
  | solve [first [eapply sides_eq | eapply sides_le | eapply sides_ge | eapply sides_lt | eapply sides_gt]; [| | exact G]; by_parts] | solve [whole; powers; cbv beta in *; lra] | solve [whole; powers; arithmetic] ].

Ltac positive_or := first [positive | solve [timeout 5 nra] | solve [repeat split_goal; timeout 5 nra]].
Ltac numbers := fail.

Lemma plus_sides lo hi f g a b : Sum lo hi f = a -> Sum lo hi g = b -> Sum lo hi (fun k => f k + g k) = a + b.
Proof. intros <- <-. apply Sum_plus. Qed.
Lemma scal_side lo hi c f g : (forall k, (lo <= k <= hi)%Z -> g k = c * f k) -> Sum lo hi g = c * Sum lo hi f.
Proof. intro H. rewrite <- Sum_scal. apply Sum_ext. exact H. Qed.
Ltac sum_const hi := first [rewrite Sum_const by lia | assert (0 <= hi)%Z by whole_sign; rewrite Sum_const by lia]; replace (hi - 1 + 1)%Z with hi by lia; whole; by_field.

(** ** Derivatives: rules for functions as they are written, and what a derivative that is not negative shows *)

Lemma D_id x : derivable_pt_lim (fun t => t) x 1.
Proof. exact (derivable_pt_lim_id x). Qed.
Lemma D_const c x : derivable_pt_lim (fun _ => c) x 0.
Proof. exact (derivable_pt_lim_const c x). Qed.
Lemma D_plus f g x a b : derivable_pt_lim f x a -> derivable_pt_lim g x b -> derivable_pt_lim (fun t => f t + g t) x (a + b).
Proof. exact (derivable_pt_lim_plus f g x a b). Qed.
Lemma D_mult f g x a b :
  derivable_pt_lim f x a -> derivable_pt_lim g x b -> derivable_pt_lim (fun t => f t * g t) x (a * g x + f x * b).
Proof. exact (derivable_pt_lim_mult f g x a b). Qed.
Lemma D_opp f x a : derivable_pt_lim f x a -> derivable_pt_lim (fun t => - f t) x (- a).
Proof. exact (derivable_pt_lim_opp f x a). Qed.
Lemma D_exp f x a : derivable_pt_lim f x a -> derivable_pt_lim (fun t => exp (f t)) x (exp (f x) * a).
Proof. intro H. exact (derivable_pt_lim_comp f exp x a (exp (f x)) H (derivable_pt_lim_exp (f x))). Qed.
Lemma D_ln f x a : derivable_pt_lim f x a -> 0 < f x -> derivable_pt_lim (fun t => ln (f t)) x (/ f x * a).
Proof. intros H P. exact (derivable_pt_lim_comp f ln x a (/ f x) H (derivable_pt_lim_ln (f x) P)). Qed.
Lemma D_sqrt f x a : derivable_pt_lim f x a -> 0 < f x -> derivable_pt_lim (fun t => sqrt (f t)) x (/ (2 * sqrt (f x)) * a).
Proof. intros H P. exact (derivable_pt_lim_comp f sqrt x a _ H (derivable_pt_lim_sqrt (f x) P)). Qed.
Lemma D_pow n f x a : derivable_pt_lim f x a -> derivable_pt_lim (fun t => f t ^ n) x (INR n * f x ^ pred n * a).
Proof. intro H. exact (derivable_pt_lim_comp f (fun y => y ^ n) x a _ H (derivable_pt_lim_pow (f x) n)). Qed.
Lemma D_inv f x a : derivable_pt_lim f x a -> f x <> 0 -> derivable_pt_lim (fun t => / f t) x (- a / (f x * f x)).
Proof.
  intros H P. pose proof (derivable_pt_lim_div (fun _ => 1) f x 0 a (D_const 1 x) H P) as E.
  replace (- a / (f x * f x)) with ((0 * f x - a * 1) / Rsqr (f x)) by (unfold Rsqr; field; exact P).
  intros e He. destruct (E e He) as [d Hd]. exists d. intros h Hh small. specialize (Hd h Hh small).
  unfold div_fct in Hd. replace (/ f (x + h) - / f x) with (1 / f (x + h) - 1 / f x) by (unfold Rdiv; ring). exact Hd.
Qed.
Lemma D_sum lo hi (f : R -> Z -> R) (d : Z -> R) x :
  (forall k, (lo <= k <= hi)%Z -> derivable_pt_lim (fun t => f t k) x (d k)) ->
  derivable_pt_lim (fun t => Sum lo hi (f t)) x (Sum lo hi d).
Proof.
  intro H. unfold Sum. assert (E : forall k, (lo <= k < lo + Z.of_nat (Z.to_nat (hi - lo + 1)))%Z -> derivable_pt_lim (fun t => f t k) x (d k)).
  { intros k range. apply H. lia. }
  revert E. clear H. induction (Z.to_nat (hi - lo + 1)) as [|n IH]; intro E; cbn [terms].
  - exact (D_const 0 x).
  - apply (D_plus (fun t => terms (f t) lo n) (fun t => f t (lo + Z.of_nat n)%Z)); [apply IH; intros; apply E; lia | apply E; lia].
Qed.
Lemma D_is f x a b : derivable_pt_lim f x a -> a = b -> derivable_pt_lim f x b.
Proof. intros H <-. exact H. Qed.

Lemma grows (f d : R -> R) a b : a <= b ->
  (forall t, a <= t <= b -> derivable_pt_lim f t (d t)) -> (forall t, a <= t <= b -> 0 <= d t) -> f a <= f b.
Proof.
  intros [less | ->] D P; [| right; reflexivity].
  destruct (MVT_cor2 f d a b less D) as [c [E range]].
  assert (0 <= d c) by (apply P; lra). assert (0 <= d c * (b - a)) by (apply Rmult_le_pos; lra). lra.
Qed.

Ltac in_domain := first [assumption | lra | positive | solve [apply Rgt_not_eq, Rlt_gt; positive] | solve [timeout 3 nra]].
Ltac derivative := lazymatch goal with
  | |- derivable_pt_lim (fun t => t) _ _ => apply D_id
  | |- derivable_pt_lim (fun _ => ?c) _ _ => apply (D_const c)
  | |- derivable_pt_lim (fun t => @?f t + @?g t) _ _ => eapply (D_plus f g); derivative
  | |- derivable_pt_lim (fun t => @?f t * @?g t) _ _ => eapply (D_mult f g); derivative
  | |- derivable_pt_lim (fun t => - @?f t) _ _ => eapply (D_opp f); derivative
  | |- derivable_pt_lim (fun t => exp (@?f t)) _ _ => eapply (D_exp f); derivative
  | |- derivable_pt_lim (fun t => ln (@?f t)) _ _ => eapply (D_ln f); [derivative | cbv beta; in_domain]
  | |- derivable_pt_lim (fun t => sqrt (@?f t)) _ _ => eapply (D_sqrt f); [derivative | cbv beta; in_domain]
  | |- derivable_pt_lim (fun t => (@?f t) ^ ?n) _ _ => eapply (D_pow n f); derivative
  | |- derivable_pt_lim (fun t => / @?f t) _ _ => eapply (D_inv f); [derivative | cbv beta; in_domain]
  | |- derivable_pt_lim (fun t => Sum ?lo ?hi (@?f t)) _ _ =>
      eapply (D_sum lo hi f); let k := fresh "k" in intros k ?; cbv beta; derivative
  end.
Ltac between := first [assumption | lia | lra | positive | solve [timeout 3 nra]].
Ltac at_start := cbv beta; repeat match goal with |- context [exp ?a] => tryif constr_eq a 0 then fail else replace a with 0 by ring end;
  rewrite ?exp_0, ?ln_1; by_parts.
Ltac by_exponents := cbv beta; simpl INR; simpl pred; by_field.

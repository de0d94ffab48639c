(** Greedy trees: how far a law must be from the target before the target's first token is not among its m likeliest. *)

Require Import Reals Lra Lia List Arith Bool.
Require Import laws lossless slopes several ears paths certificates.
Open Scope R_scope.

(** The best bound in the margin δ and the number m of branches. *)
Definition margin_of_branches (m : nat) (delta : R) : R :=
  (weighted (1 + INR m * delta) 1 + INR m * weighted (1 - delta) 1) / (INR m + 1).

Lemma weighted_line p q L : 0 <= p -> 0 <= q -> (0 < p -> 0 < q) -> p * L + (p - q * exp L) <= weighted p q.
Proof.
  intros P Q F. pose proof (exp_pos L) as E. destruct P as [P|<-].
  - specialize (F P). pose proof (weighted_tangent p (p / exp L) q ltac:(lra) ltac:(now apply Rdiv_lt_0_compat) (fun _ => F)) as T.
    unfold weighted at 1 in T. destruct (Rlt_dec 0 p); [|lra]. replace (p / (p / exp L)) with (exp L) in T by (field; lra).
    assert (logarithm (exp L) = L) as EL by (apply exp_once; now apply exp_logarithm). rewrite EL in T.
    replace (p * (1 - q / (p / exp L))) with (p - q * exp L) in T by (field; lra). exact T.
  - unfold weighted. destruct (Rlt_dec 0 0); [lra|]. assert (0 <= q * exp L) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma logarithm_below t : 0 < t -> logarithm t <= t - 1.
Proof. intros P. pose proof (exp_tangent (logarithm t)) as T. rewrite exp_logarithm in T by easy. lra. Qed.

Section Missed.

Variable V : nat.
Variables p q : nat -> R.
Variables a m : nat.
Variable delta : R.
Variable others : nat -> bool.
Hypothesis target_law : law V p.
Hypothesis q_law : law V q.
Hypothesis finite : ~ is_infinite V p q.
Hypothesis inside : (a < V)%nat.
Hypothesis some_branch : (0 < m)%nat.

(** Every other token has of p the margin less than a at least; m others have as much of q as a, or more. *)
Hypothesis margin : 0 <= delta <= 1 /\ forall x, (x < V)%nat -> x <> a -> p x <= p a - delta.
Hypothesis number : sum V (fun x => if others x then 1 else 0) = INR m.
Hypothesis apart : others a = false.
Hypothesis no_less : forall x, (x < V)%nat -> others x = true -> q a <= q x.

Definition mass_of (l : nat -> R) : R := sum V (fun x => if others x then l x else 0).
Definition rest_of (l : nat -> R) : R := 1 - l a - mass_of l.

Lemma branches_positive : 1 <= INR m.
Proof. apply (le_INR 1). lia. Qed.

Lemma split_sum f : sum V f = f a + mass_of f + sum V (fun x => if (Nat.eqb x a || others x)%bool then 0 else f x).
Proof.
  unfold mass_of. rewrite <- (sum_point V f a inside), <- !sum_plus. apply sum_ext. intros x _.
  destruct (Nat.eqb_spec x a) as [->|D]; [rewrite apart; simpl; ring|]. destruct (others x); simpl; ring.
Qed.

Lemma target_there x : (x < V)%nat -> 0 < p x -> 0 < q x.
Proof.
  intros L P. destruct (law_nonneg V q x q_law L) as [|Z]; [easy|]. exfalso. apply finite. exists x. auto.
Qed.

Lemma drafted_mass : INR m * q a <= mass_of q.
Proof.
  rewrite <- number, <- sum_scale_right. apply sum_le. intros x L. destruct (others x) eqn:E; [|lra]. rewrite Rmult_1_l. now apply no_less.
Qed.

Lemma missed_mass : mass_of p <= INR m * (p a - delta).
Proof.
  rewrite <- number, <- sum_scale_right. apply sum_le. intros x L. destruct (others x) eqn:E; [|lra]. rewrite Rmult_1_l.
  apply margin; [easy|]. intros ->. congruence.
Qed.

Lemma rest_nonneg l : law V l -> 0 <= rest_of l.
Proof.
  intros [N One]. unfold rest_of. rewrite (split_sum l) in One.
  assert (0 <= sum V (fun x => if (Nat.eqb x a || others x)%bool then 0 else l x)); [|lra].
  apply sum_nonneg. intros x L. specialize (N x L). destruct (Nat.eqb x a || others x)%bool; lra.
Qed.

Lemma missed_bound_inside : delta < 1 -> margin_of_branches m delta <= divergence V p q.
Proof.
  intros D1. destruct margin as [D0 Less]. pose proof branches_positive as M. set (T := 1 + INR m * delta). set (T' := 1 - delta).
  assert (PT : 0 < T) by (unfold T; nra). assert (PT' : 0 < T') by (unfold T'; lra).
  set (LA := logarithm T). set (LB := logarithm T'). set (LC := (LA + INR m * LB) / (INR m + 1)).
  assert (LC0 : LC <= 0).
  { unfold LC. pose proof (logarithm_below T PT) as A. pose proof (logarithm_below T' PT') as B. fold LA in A. fold LB in B.
    apply (Rmult_le_reg_r (INR m + 1)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_0_l by lra. unfold T, T' in *. nra. }
  assert (EC : exp LC <= 1) by (rewrite <- exp_0; now apply exp_le).
  set (L := fun x => if Nat.eqb x a then LA else if others x then LB else LC).
  apply (Rle_trans _ (sum V (fun x => p x * L x + (p x - q x * exp (L x))))).
  2: { rewrite divergence_weighted. apply sum_le. intros x X.
       apply weighted_line; [now apply (law_nonneg V) | now apply (law_nonneg V) | now apply target_there]. }
  assert (Parts : forall l u v w, sum V (fun x => l x * (if Nat.eqb x a then u else if others x then v else w))
      = l a * u + mass_of l * v + (sum V l - l a - mass_of l) * w).
  { intros l u v w. rewrite split_sum. rewrite Nat.eqb_refl. unfold mass_of at 1.
    rewrite (sum_ext V (fun x => if others x then l x * _ else 0) (fun x => (if others x then l x else 0) * v)).
    - rewrite sum_scale_right. fold (mass_of l). rewrite (split_sum l).
      rewrite (sum_ext V (fun x => if (Nat.eqb x a || others x)%bool then 0 else l x * _)
        (fun x => (if (Nat.eqb x a || others x)%bool then 0 else l x) * w)).
      + rewrite sum_scale_right. ring.
      + intros x _. destruct (Nat.eqb x a), (others x); simpl; ring.
    - intros x _. destruct (others x) eqn:E; [|ring]. destruct (Nat.eqb_spec x a) as [->|]; [congruence | ring]. }
  rewrite sum_plus, sum_minus. unfold L at 1. rewrite (Parts p).
  rewrite (sum_ext V (fun x => q x * exp (L x)) (fun x => q x * (if Nat.eqb x a then T else if others x then T' else exp LC))).
  2: { intros x _. unfold L. destruct (Nat.eqb x a); [unfold LA; now rewrite exp_logarithm|].
       destruct (others x); [unfold LB; now rewrite exp_logarithm | easy]. }
  rewrite (Parts q). pose proof (rest_nonneg p target_law) as RP. pose proof (rest_nonneg q q_law) as RQ.
  destruct target_law as [_ P1], q_law as [_ Q1]. rewrite P1, Q1. fold (rest_of p) (rest_of q).
  pose proof drafted_mass as DM. pose proof missed_mass as MM. pose proof (law_nonneg V q a q_law inside) as QA.
  assert (Slack : q a * T + mass_of q * T' + rest_of q * exp LC <= 1).
  { assert (rest_of q * exp LC <= rest_of q * 1) by (apply Rmult_le_compat_l; easy). unfold rest_of in *. unfold T, T'. nra. }
  assert (Order : LB <= LA) by (apply logarithm_monotone; [easy | unfold T, T'; nra]).
  set (A := p a + rest_of p / (INR m + 1)).
  assert (Value : p a * LA + mass_of p * LB + rest_of p * LC = LB + A * (LA - LB)).
  { unfold A, LC. unfold rest_of. field. lra. }
  assert (High : T / (INR m + 1) <= A).
  { unfold A. apply (Rmult_le_reg_r (INR m + 1)); [lra|].
    replace (T / (INR m + 1) * (INR m + 1)) with T by (field; lra).
    replace ((p a + rest_of p / (INR m + 1)) * (INR m + 1)) with (p a * (INR m + 1) + rest_of p) by (field; lra). unfold rest_of, T. lra. }
  assert (Goal : margin_of_branches m delta = LB + T / (INR m + 1) * (LA - LB)).
  { unfold margin_of_branches, weighted. fold T T'. destruct (Rlt_dec 0 T); [|easy]. destruct (Rlt_dec 0 T'); [|easy].
    unfold Rdiv. rewrite Rinv_1, !Rmult_1_r. fold LA LB. unfold T, T'. field. lra. }
  rewrite Goal, Value. assert (T / (INR m + 1) * (LA - LB) <= A * (LA - LB)) by (apply Rmult_le_compat_r; lra). lra.
Qed.

Lemma missed_bound_end : delta = 1 -> margin_of_branches m delta <= divergence V p q.
Proof.
  intros D1. destruct margin as [D0 Less]. pose proof branches_positive as M. pose proof (law_le_1 V p a target_law inside) as PA1.
  assert (Zero : forall x, (x < V)%nat -> x <> a -> p x = 0).
  { intros x L N. specialize (Less x L N). pose proof (law_nonneg V p x target_law L). lra. }
  assert (PA : p a = 1).
  { destruct target_law as [_ One]. transitivity (sum V p); [|exact One]. rewrite <- (sum_point V p a inside). apply sum_ext. intros x L.
    destruct (Nat.eqb_spec x a) as [|N]; [easy | symmetry; now apply Zero]. }
  assert (E : divergence V p q = weighted 1 (q a)).
  { rewrite divergence_weighted. transitivity (weighted (p a) (q a)); [|now rewrite PA].
    rewrite <- (sum_point V (fun x => weighted (p x) (q x)) a inside). apply sum_ext. intros x L.
    destruct (Nat.eqb_spec x a) as [|N]; [easy|]. rewrite (Zero x L N). unfold weighted. destruct (Rlt_dec 0 0); lra. }
  pose proof (target_there a inside ltac:(lra)) as QA. pose proof drafted_mass as DM. pose proof (rest_nonneg q q_law) as RQ. unfold rest_of in RQ.
  rewrite E, D1. unfold margin_of_branches, weighted. destruct (Rlt_dec 0 (1 + INR m * 1)); [|lra]. destruct (Rlt_dec 0 (1 - 1)); [lra|].
  destruct (Rlt_dec 0 1); [|lra]. replace ((1 + INR m * 1) / 1) with (INR m + 1) by field.
  replace (((1 + INR m * 1) * logarithm (INR m + 1) + INR m * 0) / (INR m + 1)) with (logarithm (INR m + 1)) by (field; lra).
  rewrite Rmult_1_l. apply logarithm_monotone; [lra|]. apply (Rmult_le_reg_r (q a)); [easy|]. unfold Rdiv. rewrite Rmult_1_l, Rinv_l by lra. nra.
Qed.

Lemma missed_bound : margin_of_branches m delta <= divergence V p q.
Proof. destruct (Rlt_dec delta 1); [now apply missed_bound_inside | apply missed_bound_end; destruct margin; lra]. Qed.

End Missed.

(** With the margin δ alone and V > m: KL(p ‖ q) < [(1 + mδ) log(1 + mδ) + m (1 - δ) log(1 - δ)]/(m + 1) certifies that the target's first
    token is among the drafter's m likeliest: of any m others one has less of q.  This is the best constant in δ and m: attained by m + 1
    tokens. *)
Theorem greedy_tree_margin m : (0 < m)%nat ->
  (forall V p q a delta, (m < V)%nat -> law V p -> law V q -> ~ is_infinite V p q -> (a < V)%nat ->
    0 <= delta <= 1 -> (forall x, (x < V)%nat -> x <> a -> p x <= p a - delta) -> divergence V p q < margin_of_branches m delta ->
    forall others : nat -> bool, sum V (fun x => if others x then 1 else 0) = INR m -> others a = false ->
      exists x, (x < V)%nat /\ others x = true /\ q x < q a) /\
  (forall delta, 0 <= delta <= 1 -> exists p q, law (S m) p /\ law (S m) q /\ ~ is_infinite (S m) p q /\
    (forall x, (x < S m)%nat -> x <> 0%nat -> p x = p 0%nat - delta /\ q 0%nat <= q x) /\ divergence (S m) p q = margin_of_branches m delta).
Proof.
  intros M0. split.
  - intros V p q a delta _ P Q F A D Less K others Number Apart.
    assert (E : (exists x, (x < V)%nat /\ others x = true /\ q x < q a) \/ forall x, (x < V)%nat -> others x = true -> q a <= q x).
    { clear. induction V as [|n IH]; [right; intros; lia|].
      destruct IH as [[x [L H]]|N]; [left; exists x; split; [lia | easy]|].
      destruct (others n) eqn:O.
      - destruct (Rlt_dec (q n) (q a)) as [B|B]; [left; exists n; auto|]. right. intros x L E.
        destruct (Nat.eq_dec x n) as [->|]; [lra | apply N; [lia | easy]].
      - right. intros x L E. destruct (Nat.eq_dec x n) as [->|]; [congruence | apply N; [lia | easy]]. }
    destruct E as [E|E]; [exact E|]. exfalso.
    pose proof (missed_bound V p q a m delta others P Q F A M0 (conj D Less) Number Apart E). lra.
  - intros delta D. assert (M : 1 <= INR m) by (apply (le_INR 1); lia).
    exists (fun x => if Nat.eqb x 0 then (1 + INR m * delta) / (INR m + 1) else (1 - delta) / (INR m + 1)), (fun _ => / (INR m + 1)).
    assert (I : 0 < / (INR m + 1)) by (apply Rinv_0_lt_compat; lra).
    assert (Sum : forall u v, sum (S m) (fun x => if Nat.eqb x 0 then u else v) = u + INR m * v).
    { intros u v. assert (G : forall n, sum (S n) (fun x => if Nat.eqb x 0 then u else v) = u + INR n * v).
      { induction n as [|n IH]; [simpl; ring|]. change (sum (S (S n)) (fun x => if Nat.eqb x 0 then u else v))
          with (sum (S n) (fun x => if Nat.eqb x 0 then u else v) + v). rewrite IH, S_INR. ring. }
      apply G. }
    assert (N : 0 <= 1 + INR m * delta) by nra.
    split; [split|split; [split|split; [|split]]].
    + intros x _. destruct (Nat.eqb x 0); apply Rmult_le_pos; lra.
    + rewrite Sum. field. lra.
    + intros; lra.
    + rewrite sum_constant, S_INR. field. lra.
    + intros [x [_ [_ Z]]]. lra.
    + intros [|x] _ Ne; [easy|]. simpl. split; [field; lra | lra].
    + rewrite divergence_weighted.
      rewrite (sum_ext (S m) _ (fun x => if Nat.eqb x 0 then weighted ((1 + INR m * delta) / (INR m + 1)) (/ (INR m + 1))
        else weighted ((1 - delta) / (INR m + 1)) (/ (INR m + 1)))) by (intros x _; now destruct (Nat.eqb x 0)).
      assert (Scale : forall t, 0 <= t -> weighted (t / (INR m + 1)) (/ (INR m + 1)) = weighted t 1 / (INR m + 1)).
      { intros t [T|<-].
        - unfold weighted. destruct (Rlt_dec 0 t); [|lra].
          destruct (Rlt_dec 0 (t / (INR m + 1))) as [|H]; [|exfalso; apply H; now apply Rmult_lt_0_compat].
          replace (t / (INR m + 1) / / (INR m + 1)) with (t / 1) by (field; lra). field. lra.
        - unfold weighted, Rdiv. rewrite Rmult_0_l. destruct (Rlt_dec 0 0); [lra | ring]. }
      rewrite Sum, !Scale by lra. unfold margin_of_branches. field. lra.
Qed.

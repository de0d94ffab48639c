(** Successes of independent tries, as programs that toss coins, and bounds of their law that are computed with whole numbers.

    Bounds are relative to the mass of one outcome: from it the others follow one by one, each rounded down and up, and as all
    masses add up to one nothing is lost. *)

Require Import Reals Lra Lia List Arith ZArith.
Require Import laws.
Import ListNotations.
Open Scope R_scope.

(** * The law of successes *)

(** How many of n tries succeed, each with probability u. *)
Fixpoint successes (n : nat) (u : R) : program nat :=
  match n with
  | O => ret O
  | S m => x <- coin u ;; (k <- successes m u ;; ret (if x then S k else k))
  end.

Lemma successes_step n u f :
  expect (successes (S n) u) f = u * expect (successes n u) (fun k => f (S k)) + (1 - u) * expect (successes n u) f.
Proof.
  cbn [successes]. rewrite expect_bind, expect_coin, !expect_bind.
  f_equal; f_equal; apply expect_ext; intros k; now rewrite expect_ret.
Qed.

Lemma successes_le n u f g : 0 <= u <= 1 -> (forall k, f k <= g k) -> expect (successes n u) f <= expect (successes n u) g.
Proof.
  intros U. revert f g. induction n as [|n IH]; intros f g L; [simpl; specialize (L O); lra|].
  rewrite !successes_step. apply Rplus_le_compat; apply Rmult_le_compat_l; try lra; apply IH; auto.
Qed.

(** What rises with the number of successes is expected to be more where each is more likely. *)
Lemma successes_rise n u v f : 0 <= u -> u <= v -> v <= 1 -> (forall k, f k <= f (S k)) ->
  expect (successes n u) f <= expect (successes n v) f.
Proof.
  intros U L H. revert f. induction n as [|n IH]; intros f F; [simpl; lra|].
  rewrite !successes_step.
  assert (A := IH _ F). assert (B := IH (fun k => f (S k)) (fun k => F (S k))). cbv beta in B.
  assert (D : expect (successes n v) f <= expect (successes n v) (fun k => f (S k))) by (apply successes_le; [lra | easy]).
  assert (0 <= (v - u) * (expect (successes n v) (fun k => f (S k)) - expect (successes n v) f)) by (apply Rmult_le_pos; lra).
  assert (0 <= u * (expect (successes n v) (fun k => f (S k)) - expect (successes n u) (fun k => f (S k))))
    by (apply Rmult_le_pos; lra).
  assert (0 <= (1 - u) * (expect (successes n v) f - expect (successes n u) f)) by (apply Rmult_le_pos; lra).
  lra.
Qed.

Lemma successes_one n u : expect (successes n u) (fun _ => 1) = 1.
Proof. induction n as [|n IH]; [simpl; lra|]. rewrite successes_step, IH. lra. Qed.

(** The probability of k successes. *)
Fixpoint success_mass (n : nat) (u : R) (k : nat) : R :=
  match n, k with
  | O, O => 1
  | O, S _ => 0
  | S m, O => (1 - u) * success_mass m u O
  | S m, S j => u * success_mass m u j + (1 - u) * success_mass m u (S j)
  end.

Lemma success_mass_nonneg n u k : 0 <= u <= 1 -> 0 <= success_mass n u k.
Proof.
  intros U. revert k. induction n as [|n IH]; intros [|k]; simpl; try lra.
  - apply Rmult_le_pos; [lra | easy].
  - apply Rplus_le_le_0_compat; apply Rmult_le_pos; try lra; apply IH.
Qed.

Lemma mass_above n u k : (n < k)%nat -> success_mass n u k = 0.
Proof.
  revert k. induction n as [|n IH]; intros [|k] L; try lia; [easy|].
  simpl. rewrite !IH by lia. ring.
Qed.

Lemma sum_shift n f : sum (S n) f = f O + sum n (fun k => f (S k)).
Proof. induction n as [|n IH]; [simpl; lra|]. change (sum (S n) f + f (S n) = f O + (sum n (fun k => f (S k)) + f (S n))). lra.
  Qed.

Lemma successes_sum n u f : expect (successes n u) f = sum (S n) (fun k => success_mass n u k * f k).
Proof.
  revert f. induction n as [|n IH]; intros f; [simpl; lra|].
  rewrite successes_step, !IH, (sum_shift (S n)).
  rewrite (sum_ext (S n) (fun k => success_mass (S n) u (S k) * f (S k))
    (fun k => u * (success_mass n u k * f (S k)) + (1 - u) * (success_mass n u (S k) * f (S k)))) by (intros k _; simpl; ring).
  rewrite sum_plus, !sum_scale.
  assert (E : sum (S n) (fun k => success_mass n u k * f k) = success_mass n u O * f O + sum (S n) (fun k => success_mass n u
    (S k) * f (S k))).
  { rewrite <- (sum_shift (S n) (fun k => success_mass n u k * f k)). change (sum (S (S n)) (fun k => success_mass n u k * f k))
      with (sum (S n) (fun k => success_mass n u k * f k) + success_mass n u (S n) * f (S n)).
    rewrite (mass_above n u (S n)) by lia. ring. }
  rewrite E. simpl. ring.
Qed.

(** From the probability of k successes follows that of one more. *)
Lemma mass_next n u k : success_mass n u (S k) * ((INR k + 1) * (1 - u)) = success_mass n u k * ((INR n - INR k) * u).
Proof.
  revert k. induction n as [|n IH]; intros k.
  - destruct k; simpl; ring.
  - assert (A := IH k). rewrite S_INR. destruct k as [|j].
    + change (success_mass (S n) u 1) with (u * success_mass n u 0 + (1 - u) * success_mass n u 1).
      change (success_mass (S n) u 0) with ((1 - u) * success_mass n u 0).
      transitivity ((1 - u) * (success_mass n u 1 * ((INR 0 + 1) * (1 - u))) + u * (1 - u) * success_mass n u 0 * (INR 0 + 1));
        [ring|].
      rewrite A. simpl (INR 0). ring.
    + assert (B := IH j). rewrite !S_INR in *.
      change (success_mass (S n) u (S (S j))) with (u * success_mass n u (S j) + (1 - u) * success_mass n u (S (S j))).
      change (success_mass (S n) u (S j)) with (u * success_mass n u j + (1 - u) * success_mass n u (S j)).
      transitivity ((1 - u) * (success_mass n u (S (S j)) * ((INR j + 1 + 1) * (1 - u))) + u * (1 - u) * (INR j + 2) *
        success_mass n u (S j));
        [ring|]. rewrite A.
      transitivity (u * (success_mass n u j * ((INR n - INR j) * u)) + u * (1 - u) * (INR n - INR j) * success_mass n u (S j));
        [|ring].
      rewrite <- B. ring.
Qed.

(** * Bounds in whole numbers *)

Definition bound_scale : Z := 2 ^ 36.

(** What is known of the outcome to which one goes, from what is known of the one from which: the lower bound is rounded down;
    where masses fall, the upper one stays above it by as much as before, and one. *)
Definition next_bounds (above below : Z) (bounds : Z * Z) : Z * Z :=
  let (low, high) := bounds in
  let down := (low * above / below)%Z in
  (down, if (above <=? below)%Z then (down + (high - low) + 1)%Z else (high * above / below + 1)%Z).

Definition bounds_mass (t x : R) (bounds : Z * Z) : Prop :=
  (0 <= fst bounds <= snd bounds)%Z /\ IZR (fst bounds) * t <= x <= IZR (snd bounds) * t.

Lemma bounded_next t x y above below bounds : 0 <= t -> (0 <= above)%Z -> (0 < below)%Z ->
  y * IZR below = x * IZR above -> bounds_mass t x bounds -> bounds_mass t y (next_bounds above below bounds).
Proof.
  destruct bounds as [low high]. unfold bounds_mass, next_bounds. cbn [fst snd]. intros T A B E [[P Q] [L H]].
  assert (A' := IZR_le _ _ A). assert (B' := IZR_lt _ _ B).
  assert (N : (0 <= low * above / below)%Z) by (apply Z.div_pos; [apply Z.mul_nonneg_nonneg|]; easy).
  assert (D := Z.mul_div_le (low * above) below B). assert (O := Z.mul_succ_div_gt (low * above) below B).
  assert (U := Z.mul_succ_div_gt (high * above) below B).
  assert (M : (low * above / below <= high * above / below)%Z)
    by (apply Z.div_le_mono; [easy | apply Z.mul_le_mono_nonneg_r; easy]).
  split; [destruct (above <=? below)%Z; lia|].
  apply (Rmult_le_compat_r (IZR above)) in L; [|easy]. apply (Rmult_le_compat_r (IZR above)) in H; [|easy].
  apply IZR_le in D. apply Z.lt_le_incl, IZR_le in O, U. rewrite !mult_IZR in D, O, U. rewrite succ_IZR in O, U.
  apply (Rmult_le_compat_r t) in D, O, U; [|easy | easy | easy].
  split; apply (Rmult_le_reg_r (IZR below)); try easy; rewrite E; [lra|].
  destruct (Z.leb_spec above below) as [F|F].
  - apply IZR_le in F, Q. assert (G : 0 <= (IZR high - IZR low) * (IZR below - IZR above) * t)
      by (apply Rmult_le_pos; [apply Rmult_le_pos; lra | easy]).
    rewrite !plus_IZR, minus_IZR. lra.
  - rewrite plus_IZR. lra.
Qed.

(** The outcomes from the k-th on have masses within these bounds. *)
Fixpoint masses_within (t : R) (k : nat) (bounds : list (Z * Z)) (w : nat -> R) : Prop :=
  match bounds with
  | [] => True
  | b :: more => bounds_mass t (w k) b /\ masses_within t (S k) more w
  end.

Section Law.

Variable n : nat.
Variables a d : Z.
Hypothesis range : (0 < a <= d)%Z.

Definition success_rate : R := IZR a / IZR d.

(** Bounds of the outcomes after the k-th, and of those before it. *)
Fixpoint bounds_after (steps : nat) (k : Z) (bounds : Z * Z) : list (Z * Z) :=
  match steps with
  | O => []
  | S m =>
      let bounds' := next_bounds ((Z.of_nat n - k) * a) ((k + 1) * (d - a)) bounds in
      bounds' :: bounds_after m (k + 1) bounds'
  end.

Fixpoint bounds_before (k : nat) (bounds : Z * Z) (known : list (Z * Z)) : list (Z * Z) :=
  match k with
  | O => known
  | S m =>
      let bounds' := next_bounds (Z.of_nat (S m) * (d - a)) ((Z.of_nat n - Z.of_nat m) * a) bounds in
      bounds_before m bounds' (bounds' :: known)
  end.

Definition mode_of_law : nat := Z.to_nat (Z.min (Z.of_nat n) ((Z.of_nat n + 1) * a / d)).

Definition bounds_table : list (Z * Z) :=
  bounds_before mode_of_law (bound_scale, bound_scale) ((bound_scale, bound_scale) :: bounds_after (n - mode_of_law) (Z.of_nat
    mode_of_law) (bound_scale, bound_scale)).

(** The probability of k successes, in the scale of the bounds. *)
Definition scaled_mass (k : nat) : R := IZR bound_scale * success_mass n success_rate k.

Lemma success_rate_range : 0 < success_rate <= 1.
Proof.
  unfold success_rate. destruct range as [A D]. assert (0 < d)%Z as P by lia. apply IZR_lt in A, P. apply IZR_le in D.
  split; [now apply Rdiv_lt_0_compat|]. apply (Rmult_le_reg_r (IZR d)); [easy|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma mass_next_whole k :
  success_mass n success_rate (S k) * IZR ((Z.of_nat k + 1) * (d - a)) = success_mass n success_rate k * IZR ((Z.of_nat n -
    Z.of_nat k) * a).
Proof.
  assert (D : IZR d <> 0) by (destruct range; apply not_0_IZR; lia).
  rewrite !mult_IZR, plus_IZR, !minus_IZR, <- !INR_IZR_INZ.
  assert (E := mass_next n success_rate k).
  replace (IZR d - IZR a) with ((1 - success_rate) * IZR d) by (unfold success_rate; field; easy).
  replace (IZR a) with (success_rate * IZR d) by (unfold success_rate; field; easy).
  transitivity (success_mass n success_rate (S k) * ((INR k + 1) * (1 - success_rate)) * IZR d); [ring|]. rewrite E. ring.
Qed.

Lemma after_bounded t steps k bounds : 0 <= t -> (a < d)%Z \/ steps = O -> (k + steps <= n)%nat ->
  bounds_mass t (scaled_mass k) bounds -> masses_within t (S k) (bounds_after steps (Z.of_nat k) bounds) scaled_mass.
Proof.
  intros T. revert k bounds. induction steps as [|m IH]; intros k bounds O L B; [easy|].
  destruct O as [O|O]; [|easy]. cbn [bounds_after masses_within].
  match goal with |- ?one /\ _ => assert (Here : one) end.
  { eapply bounded_next; [easy | | | | exact B]; [apply Z.mul_nonneg_nonneg; lia | apply Z.mul_pos_pos; lia|].
    unfold scaled_mass. rewrite !Rmult_assoc. f_equal. apply mass_next_whole. }
  split; [exact Here|]. replace (Z.of_nat k + 1)%Z with (Z.of_nat (S k)) in * by lia.
  apply IH; [now left | lia | exact Here].
Qed.

Lemma before_bounded t k bounds known : 0 <= t -> (k <= n)%nat ->
  bounds_mass t (scaled_mass k) bounds -> masses_within t k known scaled_mass -> masses_within t 0 (bounds_before k bounds
    known) scaled_mass.
Proof.
  intros T. revert bounds known. induction k as [|m IH]; intros bounds known L B K; [easy|].
  cbn [bounds_before].
  match goal with |- masses_within _ _ (bounds_before _ ?b _) _ => assert (Here : bounds_mass t (scaled_mass m) b) end.
  { eapply bounded_next; [easy | | | | exact B]; [apply Z.mul_nonneg_nonneg; lia | apply Z.mul_pos_pos; lia|].
    unfold scaled_mass. rewrite !Rmult_assoc. f_equal. symmetry. replace (Z.of_nat (S m)) with (Z.of_nat m + 1)%Z by lia. apply
      mass_next_whole. }
  apply IH; [lia | exact Here | split; [exact Here | exact K]].
Qed.

Lemma likely_range : (mode_of_law <= n)%nat /\ ((a < d)%Z \/ (n - mode_of_law = 0)%nat).
Proof.
  unfold mode_of_law. split; [lia|]. destruct range as [A D]. destruct (Z.eq_dec a d) as [->|N]; [right | left; lia].
  rewrite Z.div_mul by lia. lia.
Qed.

Lemma table_bounded : exists t, 0 <= t /\ masses_within t 0 bounds_table scaled_mass.
Proof.
  destruct likely_range as [L O]. exists (success_mass n success_rate mode_of_law).
  assert (T : 0 <= success_mass n success_rate mode_of_law) by (apply success_mass_nonneg; pose proof success_rate_range; lra).
  assert (B : bounds_mass (success_mass n success_rate mode_of_law) (scaled_mass mode_of_law) (bound_scale, bound_scale)).
  { unfold bounds_mass, scaled_mass. cbn [fst snd]. split; [easy | lra]. }
  split; [easy|]. apply before_bounded; [easy | easy | easy|]. split; [easy|].
  now apply after_bounded; [| |lia|].
Qed.

Lemma after_length steps k bounds : length (bounds_after steps k bounds) = steps.
Proof. revert k bounds. induction steps as [|m IH]; intros k bounds; [easy|]. cbn [bounds_after length]. now rewrite IH. Qed.

Lemma before_length k bounds known : length (bounds_before k bounds known) = (k + length known)%nat.
Proof. revert bounds known. induction k as [|m IH]; intros bounds known; [easy|]. cbn [bounds_before]. rewrite IH. simpl. lia.
  Qed.

Lemma table_length : length bounds_table = S n.
Proof. unfold bounds_table. rewrite before_length. cbn [length]. rewrite after_length. pose proof likely_range. lia. Qed.

End Law.

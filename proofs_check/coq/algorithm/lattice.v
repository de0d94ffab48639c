(** SQS' lattice: a law over K kept tokens is rounded to multiples of 1/ℓ, tokens with the largest remainders up. *)

Require Import Reals Lra Lia List Arith ZArith.
Require Import laws.
Import ListNotations.
Open Scope R_scope.

(** The first of the tokens below n, among those that are free, where f is largest. *)
Fixpoint argmax (n : nat) (f : nat -> R) (free : nat -> bool) : option nat :=
  match n with
  | O => None
  | S m =>
      match argmax m f free with
      | Some x => if free m then if Rle_dec (f m) (f x) then Some x else Some m else Some x
      | None => if free m then Some m else None
      end
  end.

Lemma argmax_spec n f free : match argmax n f free with
  | Some x => (x < n)%nat /\ free x = true /\ forall y, (y < n)%nat -> free y = true -> f y <= f x
  | None => forall y, (y < n)%nat -> free y = false
  end.
Proof.
  induction n as [|n IH]; simpl; [intros; lia|].
  destruct (argmax n f free) as [x|]; destruct (free n) eqn:E.
  - destruct IH as [A [B C]]. destruct (Rle_dec (f n) (f x)).
    + repeat split; [lia | easy |]. intros y L F. destruct (Nat.eq_dec y n) as [->|]; [easy | apply C; [lia | easy]].
    + repeat split; [lia | easy |]. intros y L F. destruct (Nat.eq_dec y n) as [->|]; [lra|].
      assert (f y <= f x) by (apply C; [lia | easy]). lra.
  - destruct IH as [A [B C]]. repeat split; [lia | easy |]. intros y L F.
    destruct (Nat.eq_dec y n) as [->|]; [congruence | apply C; [lia | easy]].
  - repeat split; [lia | easy |]. intros y L F. destruct (Nat.eq_dec y n) as [->|]; [lra|].
    rewrite IH in F by lia. easy.
  - intros y L. destruct (Nat.eq_dec y n) as [->|]; [easy | apply IH; lia].
Qed.

(** The m tokens with the largest f, chosen one after the other. *)
Fixpoint chosen (n : nat) (f : nat -> R) (m : nat) (x : nat) : bool :=
  match m with
  | O => false
  | S k => chosen n f k x || match argmax n f (fun y => negb (chosen n f k y)) with Some y => Nat.eqb x y | None => false end
  end.

Definition count (n : nat) (b : nat -> bool) : R := sum n (fun x => if b x then 1 else 0).

Lemma count_complement n b : count n b + count n (fun x => negb (b x)) = INR n.
Proof.
  induction n; unfold count in *; simpl sum; [simpl; lra|]. rewrite S_INR. destruct (b n); simpl; lra.
Qed.

Lemma chosen_count n f m : (m <= n)%nat -> count n (chosen n f m) = INR m.
Proof.
  induction m as [|m IH]; intros L.
  - unfold count. simpl. now rewrite sum_zero.
  - simpl chosen. pose proof (argmax_spec n f (fun y => negb (chosen n f m y))) as A.
    assert (C : count n (chosen n f m) = INR m) by (apply IH; lia).
    destruct (argmax n f (fun y => negb (chosen n f m y))) as [x|].
    + destruct A as [X [F _]]. rewrite S_INR, <- C. unfold count.
      rewrite (sum_ext n _ (fun y => (if chosen n f m y then 1 else 0) + (if Nat.eqb y x then 1 else 0))).
      * now rewrite sum_plus, (sum_point n (fun _ => 1)).
      * intros y _. destruct (Nat.eqb_spec y x) as [->|]; [destruct (chosen n f m x); [easy|] | destruct (chosen n f m y)];
          simpl; lra.
    + exfalso. assert (INR n = INR m); [|apply INR_eq in H; lia]. rewrite <- C, <- (count_complement n (chosen n f m)).
      unfold count at 2. rewrite (sum_ext n (fun x => if negb (chosen n f m x) then 1 else 0) (fun _ => 0)), sum_zero; [lra|].
      intros y Ly. now rewrite A.
Qed.

Lemma chosen_largest n f m x y : (x < n)%nat -> (y < n)%nat -> chosen n f m x = true -> chosen n f m y = false -> f y <= f x.
Proof.
  revert x y. induction m as [|m IH]; intros x y X Y; simpl; [easy|].
  pose proof (argmax_spec n f (fun y => negb (chosen n f m y))) as A.
  destruct (argmax n f (fun y => negb (chosen n f m y))) as [z|].
  - destruct A as [_ [F A]]. destruct (chosen n f m x) eqn:CX, (chosen n f m y) eqn:CY; simpl; intros H G; try easy.
    + now apply IH.
    + apply Nat.eqb_eq in H as ->. apply A; [easy | now rewrite CY].
  - rewrite !Bool.orb_false_r. now apply IH.
Qed.

Section Lattice.

Variable K : nat.      (* tokens kept *)
Variable l : nat.      (* the resolution ℓ *)
Variable q : nat -> R. (* the law over the kept tokens *)
Hypothesis q_law : law K q.
Hypothesis l_positive : (0 < l)%nat.

Definition floor (x : R) : R := IZR (Int_part x).
Definition remainder (x : nat) : R := INR l * q x - floor (INR l * q x).

(** How many units are left after rounding down; the tokens with the largest remainders get one each. *)
Definition units : nat := Z.to_nat (Int_part (sum K remainder)).
Definition counts (x : nat) : R := floor (INR l * q x) + (if chosen K remainder units x then 1 else 0).
Definition rounded (x : nat) : R := counts x / INR l.

Lemma remainder_range x : 0 <= remainder x < 1.
Proof. unfold remainder, floor. pose proof (base_Int_part (INR l * q x)). lra. Qed.

Lemma l_pos : 0 < INR l.
Proof. now apply lt_0_INR. Qed.

Lemma sum_integer n f : exists z, sum n (fun x => floor (f x)) = IZR z.
Proof.
  induction n as [|n [z IH]]; simpl; [now exists 0%Z|]. exists (z + Int_part (f n))%Z. rewrite plus_IZR, IH. easy.
Qed.

Lemma whole_part z : Int_part (IZR z) = z.
Proof.
  pose proof (base_Int_part (IZR z)) as [A B]. apply le_IZR in A.
  assert (C : IZR (z - 1) < IZR (Int_part (IZR z))) by (rewrite (minus_IZR z 1); lra).
  apply lt_IZR in C. lia.
Qed.

Lemma units_sum : sum K remainder = INR units.
Proof.
  assert (N : 0 <= sum K remainder) by (apply sum_nonneg; intros; apply remainder_range).
  destruct (sum_integer K (fun x => INR l * q x)) as [z Z].
  assert (E : sum K remainder = IZR (Z.of_nat l - z)).
  { unfold remainder. rewrite sum_minus, sum_scale, Z, minus_IZR, <- INR_IZR_INZ. destruct q_law as [_ ->]. ring. }
  unfold units. rewrite E in *. apply le_IZR in N.
  rewrite whole_part, INR_IZR_INZ, Z2Nat.id by easy. easy.
Qed.

Lemma units_le_l : (units <= l)%nat.
Proof.
  apply INR_le. rewrite <- units_sum. rewrite <- (Rmult_1_r (INR l)). destruct q_law as [N S]. rewrite <- S, <- sum_scale.
  apply sum_le. intros x L. unfold remainder.
  assert (0 <= INR l * q x) by (apply Rmult_le_pos; [apply pos_INR | now apply N]).
  assert (0 <= floor (INR l * q x)); [|lra]. unfold floor. apply IZR_le.
  pose proof (base_Int_part (INR l * q x)) as [_ B].
  assert (IZR (-1) < IZR (Int_part (INR l * q x))) as C by (simpl; lra). apply lt_IZR in C. lia.
Qed.

Lemma units_le_K : (units <= K)%nat.
Proof.
  apply INR_le. rewrite <- units_sum. apply (Rle_trans _ (count K (fun _ => true))).
  - apply sum_le. intros x _. pose proof (remainder_range x). lra.
  - pose proof (count_complement K (fun _ => true)) as H. unfold count in *. simpl in H. rewrite sum_zero in H. lra.
Qed.

(** Counts are whole numbers that sum to ℓ. *)
Lemma counts_sum : sum K counts = INR l.
Proof.
  unfold counts. rewrite sum_plus. change (sum K (fun x => if chosen K remainder units x then 1 else 0))
    with (count K (chosen K remainder units)).
  rewrite chosen_count by apply units_le_K. rewrite <- units_sum, <- sum_plus.
  rewrite (sum_ext K _ (fun x => INR l * q x)) by (intros; unfold remainder; ring).
  rewrite sum_scale. destruct q_law as [_ ->]. ring.
Qed.

(** What the chosen ones lack, and that it is no more than the mean would. *)
Definition lack : R := sum K (fun x => if chosen K remainder units x then 1 - remainder x else 0).

Lemma lack_le : INR K * lack <= INR units * (INR K - INR units).
Proof.
  set (up := chosen K remainder units).
  set (a := sum K (fun x => if up x then remainder x else 0)).
  set (b := sum K (fun x => if up x then 0 else remainder x)).
  assert (AB : a + b = INR units).
  { rewrite <- units_sum. unfold a, b. rewrite <- sum_plus. apply sum_ext. intros x _. destruct (up x); lra. }
  assert (C : count K up = INR units) by (apply chosen_count, units_le_K).
  assert (D : count K (fun x => negb (up x)) = INR K - INR units) by (pose proof (count_complement K up); lra).
  assert (L : lack = INR units - a).
  { rewrite <- C. unfold lack, a, count. rewrite <- sum_minus. apply sum_ext. intros x _. fold up. destruct (up x); lra. }
  assert (P : 0 <= sum K (fun x => sum K (fun y => if up x then if up y then 0 else remainder x - remainder y else 0))).
  { apply sum_nonneg. intros x X. apply sum_nonneg. intros y Y. destruct (up x) eqn:UX; [|lra].
    destruct (up y) eqn:UY; [lra|]. pose proof (chosen_largest K remainder units x y X Y UX UY). lra. }
  assert (E : sum K (fun x => sum K (fun y => if up x then if up y then 0 else remainder x - remainder y else 0))
      = (INR K - INR units) * a - INR units * b).
  { transitivity (count K (fun x => negb (up x)) * a - count K up * b); [|rewrite C, D; ring]. unfold count.
    rewrite (sum_ext K _ (fun x => sum K (fun y => if negb (up y) then 1 else 0) * (if up x then remainder x else 0)
      - (if up x then 1 else 0) * b)).
    - now rewrite sum_minus, sum_scale, sum_scale_right.
    - intros x _. unfold b. rewrite <- sum_scale_right, <- sum_scale, <- sum_minus. apply sum_ext. intros y _.
      destruct (up x), (up y); simpl; lra. }
  rewrite E in P. rewrite L. assert (b = INR units - a) as B by lra. rewrite B in P. lra.
Qed.

Lemma tv_lack : tv K q rounded = lack / INR l.
Proof.
  pose proof l_pos.
  rewrite tv_sym, tv_positive.
  - unfold lack, Rdiv. rewrite <- sum_scale_right. apply sum_ext. intros x _. pose proof (remainder_range x) as [A B].
    unfold rounded, counts. destruct (chosen K remainder units x).
    + rewrite Rmax_right; unfold remainder in *; [field; lra|].
      apply (Rmult_le_reg_l (INR l)); [easy|]. field_simplify; lra.
    + rewrite Rmax_left; [lra|]. unfold remainder in *. apply (Rmult_le_reg_l (INR l)); [easy|]. field_simplify; lra.
  - unfold rounded, Rdiv. rewrite sum_scale_right, counts_sum. destruct q_law as [_ ->]. field. lra.
Qed.

Lemma K_pos : 0 < INR K.
Proof. destruct K; [|apply lt_0_INR; lia]. destruct q_law as [_ S]. simpl in S. lra. Qed.

(** The largest distance: m (K - m)/(K ℓ) with m = min(ℓ, ⌊K/2⌋). *)
Definition middle : nat := Nat.min l (K / 2).
Definition largest_distance : R := INR middle * (INR K - INR middle) / (INR K * INR l).

Lemma middle_largest : INR units * (INR K - INR units) <= INR middle * (INR K - INR middle).
Proof.
  assert (P : 0 <= (INR middle - INR units) * (INR K - INR middle - INR units)); [|lra].
  pose proof units_le_l. pose proof (Nat.div_mod_eq K 2). pose proof (Nat.mod_upper_bound K 2 (Nat.neq_succ_0 1)).
  assert ((units <= middle /\ units + middle <= K) \/ (middle <= units /\ K <= units + middle))%nat
    as [[A B]|[A B]] by (unfold middle; lia); apply le_INR in A, B; rewrite plus_INR in B.
  - apply Rmult_le_pos; lra.
  - replace ((INR middle - INR units) * (INR K - INR middle - INR units))
      with ((INR units - INR middle) * (INR units + INR middle - INR K)) by ring.
    apply Rmult_le_pos; lra.
Qed.

Lemma largest_distance_bounds : tv K q rounded <= largest_distance.
Proof.
  pose proof l_pos as L. pose proof K_pos as P. rewrite tv_lack. unfold largest_distance.
  replace (INR middle * (INR K - INR middle) / (INR K * INR l))
    with (INR middle * (INR K - INR middle) / INR K * / INR l) by (field; lra).
  apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
  apply (Rmult_le_reg_l (INR K)); [easy|].
  replace (INR K * (INR middle * (INR K - INR middle) / INR K)) with (INR middle * (INR K - INR middle)) by (field; lra).
  eapply Rle_trans; [apply lack_le | apply middle_largest].
Qed.

(** Rounding a law over K tokens to multiples of 1/ℓ, down, and up where the remainders are largest, moves it by at most
    K/(4ℓ) in total variation. *)
Theorem sqs_lattice : tv K q rounded <= INR K / (4 * INR l).
Proof.
  rewrite tv_lack. pose proof l_pos as L. pose proof lack_le as B.
  pose proof K_pos.
  assert (INR K * lack <= INR K * (INR K / 4)).
  { eapply Rle_trans; [apply B|]. pose proof (Rle_0_sqr (INR K / 2 - INR units)) as S. unfold Rsqr in S. lra. }
  apply Rmult_le_reg_l in H0; [|easy].
  replace (INR K / (4 * INR l)) with (INR K / 4 * / INR l) by (field; lra).
  apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat | easy].
Qed.

End Lattice.

(** * A law at the largest distance: every remainder is m/K *)

Definition even_law (K l : nat) (x : nat) : R :=
  (INR (middle K l) / INR K + (if Nat.eqb x 0 then INR l - INR (middle K l) else 0)) / INR l.

Lemma whole_part_of r z : IZR z <= r < IZR z + 1 -> Int_part r = z.
Proof.
  intros [A B]. pose proof (base_Int_part r) as [C D].
  assert (E : IZR (Int_part r) < IZR (z + 1)) by (rewrite plus_IZR; lra).
  assert (F : IZR z < IZR (Int_part r + 1)) by (rewrite plus_IZR; lra). apply lt_IZR in E, F. lia.
Qed.

Section Attained.

Variables K l : nat.
Hypothesis K_some : (0 < K)%nat.
Hypothesis l_some : (0 < l)%nat.

Let m := middle K l.

Lemma m_bounds : (m <= l /\ 2 * m <= K /\ m < K)%nat.
Proof. unfold m, middle. pose proof (Nat.div_mod_eq K 2). lia. Qed.

Lemma share_range : 0 <= INR m / INR K < 1.
Proof.
  destruct m_bounds as [_ [_ B]]. apply lt_INR in B. assert (0 < INR K) by now apply lt_0_INR. pose proof (pos_INR m).
  split; [apply Rmult_le_pos; [easy | left; now apply Rinv_0_lt_compat]|].
  apply (Rmult_lt_reg_l (INR K)); [easy|]. replace (INR K * (INR m / INR K)) with (INR m) by (field; lra). lra.
Qed.

Lemma even_law_is_law : law K (even_law K l).
Proof.
  destruct m_bounds as [A _]. apply le_INR in A. assert (0 < INR l) by now apply lt_0_INR.
  assert (0 < INR K) by now apply lt_0_INR. pose proof share_range.
  split.
  - intros x _. unfold even_law. fold m. apply Rmult_le_pos; [destruct (Nat.eqb x 0); lra | left; now apply Rinv_0_lt_compat].
  - unfold even_law. fold m. unfold Rdiv at 1. rewrite sum_scale_right, sum_plus, sum_constant.
    rewrite (sum_point K (fun _ => INR l - INR m) 0) by easy. field. lra.
Qed.

Lemma even_remainder x : remainder l (even_law K l) x = INR m / INR K.
Proof.
  destruct m_bounds as [A _]. assert (0 < INR l) by now apply lt_0_INR. assert (0 < INR K) by now apply lt_0_INR.
  unfold remainder. assert (E : INR l * even_law K l x = INR m / INR K + (if Nat.eqb x 0 then INR l - INR m else 0)).
  { unfold even_law. fold m. field. lra. }
  rewrite E. unfold floor. pose proof share_range. destruct (Nat.eqb x 0).
  - rewrite (whole_part_of _ (Z.of_nat (l - m))); rewrite <- INR_IZR_INZ, minus_INR by easy; lra.
  - rewrite (whole_part_of _ 0); simpl; lra.
Qed.

Lemma even_distance : tv K (even_law K l) (rounded K l (even_law K l)) = largest_distance K l.
Proof.
  assert (L : 0 < INR l) by now apply lt_0_INR. assert (P : 0 < INR K) by now apply lt_0_INR.
  assert (U : INR (units K l (even_law K l)) = INR m).
  { rewrite <- (units_sum K l (even_law K l) even_law_is_law l_some).
    rewrite (sum_ext K _ (fun _ => INR m / INR K)) by (intros; apply even_remainder). rewrite sum_constant. field. lra. }
  rewrite (tv_lack K l (even_law K l) even_law_is_law l_some). unfold lack, largest_distance. fold m.
  rewrite (sum_ext K _ (fun x => (1 - INR m / INR K) *
    (if chosen K (remainder l (even_law K l)) (units K l (even_law K l)) x then 1 else 0))).
  - rewrite sum_scale. change (sum K _) with (count K (chosen K (remainder l (even_law K l)) (units K l (even_law K l)))).
    rewrite chosen_count by apply (units_le_K K l (even_law K l) even_law_is_law l_some). rewrite U. field. lra.
  - intros x _. rewrite even_remainder. destruct (chosen K _ _ x); lra.
Qed.

Lemma largest_distance_range : largest_distance K l <= 1 - 1 / INR K.
Proof.
  assert (L : 0 < INR l) by now apply lt_0_INR. assert (P : 1 <= INR K) by now apply (le_INR 1).
  destruct m_bounds as [A [_ B]]. apply le_INR in A. unfold largest_distance. fold m.
  apply (Rmult_le_reg_l (INR K * INR l)); [apply Rmult_lt_0_compat; lra|].
  replace (INR K * INR l * (INR m * (INR K - INR m) / (INR K * INR l))) with (INR m * (INR K - INR m)) by (field; lra).
  replace (INR K * INR l * (1 - 1 / INR K)) with (INR l * (INR K - 1)) by (field; lra).
  destruct (Nat.eq_dec m 0) as [Z|N].
  - rewrite Z. simpl. assert (0 <= INR l * (INR K - 1)) by (apply Rmult_le_pos; lra). lra.
  - assert (1 <= INR m) by (apply (le_INR 1); lia). apply lt_INR in B.
    apply Rmult_le_compat; lra.
Qed.

End Attained.

(** Rounded so, a law over K tokens moves by at most m (K - m)/(K ℓ) in total variation, with m the
    smaller of ℓ and ⌊K/2⌋: attained for every K and ℓ, and never above 1 - 1/K. *)
Theorem sqs_lattice_sharp K l : (0 < K)%nat -> (0 < l)%nat ->
  (forall q, law K q -> tv K q (rounded K l q) <= largest_distance K l) /\
  (exists q, law K q /\ tv K q (rounded K l q) = largest_distance K l) /\
  largest_distance K l <= 1 - 1 / INR K.
Proof.
  intros Ks Ls. repeat split.
  - intros q Q. now apply largest_distance_bounds.
  - exists (even_law K l). split; [now apply even_law_is_law | now apply even_distance].
  - now apply largest_distance_range.
Qed.

(** SQS: counts of the lattice point to which a law is rounded: between the scaled masses, rounded down and up. *)

Require Import Reals Lra Lia List Arith ZArith.
Require Import laws lattice.
Import ListNotations.
Open Scope R_scope.

Definition ceiling (x : R) : R := - floor (- x).

Lemma floor_le_ceiling x : floor x <= ceiling x.
Proof. unfold floor, ceiling, floor. pose proof (base_Int_part x). pose proof (base_Int_part (- x)). lra. Qed.

Lemma floor_nonneg x : 0 <= x -> 0 <= floor x.
Proof.
  intros H. unfold floor. apply IZR_le. pose proof (base_Int_part x) as [_ B].
  assert (C : IZR (-1) < IZR (Int_part x)) by (simpl; lra). apply lt_IZR in C. lia.
Qed.

Lemma ceiling_above x : floor x < x -> ceiling x = floor x + 1.
Proof.
  intros H. unfold ceiling, floor in *. pose proof (base_Int_part x) as [_ B].
  rewrite (whole_part_of (- x) (- Int_part x - 1)); rewrite minus_IZR, opp_IZR; lra.
Qed.

Lemma some_not n (b : nat -> bool) : 0 < count n (fun x => negb (b x)) -> exists x, (x < n)%nat /\ b x = false.
Proof.
  unfold count. induction n as [|n IH]; cbn [sum]; intros D; [lra|].
  destruct (b n) eqn:E; [|now exists n; split; [lia|]]. destruct IH as [x [X F]]; [simpl in D; lra|].
  exists x. split; [lia | easy].
Qed.

Section Counts.

Variables K l : nat.
Variable q : nat -> R.
Hypothesis q_law : law K q.
Hypothesis l_positive : (0 < l)%nat.

Notation up := (chosen K (remainder l q) (units K l q)).

Lemma scaled_nonneg x : (x < K)%nat -> 0 <= INR l * q x.
Proof. intros L. apply Rmult_le_pos; [apply pos_INR | now apply (law_nonneg K)]. Qed.

Lemma counts_nonneg x : (x < K)%nat -> 0 <= counts K l q x.
Proof. intros L. unfold counts. pose proof (floor_nonneg _ (scaled_nonneg x L)). destruct (up x); lra. Qed.

Lemma counts_whole x : exists z, counts K l q x = IZR z.
Proof.
  unfold counts, floor. destruct (up x); [exists (Int_part (INR l * q x) + 1)%Z; now rewrite plus_IZR|].
  exists (Int_part (INR l * q x)). ring.
Qed.

Lemma up_count : count K up = INR (units K l q).
Proof. apply chosen_count, (units_le_K K l q q_law l_positive). Qed.

(** Who is rounded up was not a whole number. *)
Lemma up_remainder x : (x < K)%nat -> up x = true -> 0 < remainder l q x.
Proof.
  intros X C. destruct (remainder_range l q x) as [[A|A] B]; [easy|]. exfalso.
  assert (U : forall y, (y < K)%nat -> up y = false -> remainder l q y = 0).
  { intros y Y F. pose proof (chosen_largest K (remainder l q) (units K l q) x y X Y C F).
    pose proof (remainder_range l q y). lra. }
  assert (E : sum K (fun y => if up y then 1 - remainder l q y else 0) = 0).
  { transitivity (count K up - sum K (remainder l q)).
    - unfold count. rewrite <- sum_minus. apply sum_ext. intros y Y. destruct (up y) eqn:F; [ring | rewrite U by easy; ring].
    - rewrite (units_sum K l q q_law l_positive), up_count. ring. }
  assert (N : forall y, (y < K)%nat -> 0 <= if up y then 1 - remainder l q y else 0).
  { intros y _. pose proof (remainder_range l q y). destruct (up y); lra. }
  pose proof (sum_zero_terms K _ N E x X) as Z. simpl in Z. rewrite C in Z. lra.
Qed.

Lemma counts_between x : (x < K)%nat -> floor (INR l * q x) <= counts K l q x <= ceiling (INR l * q x).
Proof.
  intros X. pose proof (floor_le_ceiling (INR l * q x)) as F. unfold counts. destruct (up x) eqn:C; [|lra].
  pose proof (up_remainder x X C) as R. unfold remainder in R. rewrite ceiling_above; lra.
Qed.

Definition is_positive (x : nat) : bool := if Rlt_dec 0 (counts K l q x) then true else false.

(** Counts are between the scaled masses ℓ q̃ rounded down and rounded up, and not negative: a kept token with q̃ >= 1/ℓ has a
    positive count, and at most min(K, ℓ) tokens have one. *)
Theorem sqs_positive_counts_corrected :
  (forall x, (x < K)%nat -> floor (INR l * q x) <= counts K l q x <= ceiling (INR l * q x) /\ 0 <= counts K l q x) /\
  (forall x, (x < K)%nat -> 1 / INR l <= q x -> 0 < counts K l q x) /\
  count K is_positive <= INR (Nat.min K l).
Proof.
  assert (P : 0 < INR l) by now apply lt_0_INR. split; [|split].
  - intros x X. split; [now apply counts_between | now apply counts_nonneg].
  - intros x X H. pose proof (counts_between x X) as [A _]. assert (1 <= floor (INR l * q x)); [|lra].
    assert (1 <= INR l * q x).
    { apply (Rmult_le_compat_l (INR l)) in H; [|lra]. replace (INR l * (1 / INR l)) with 1 in H by (field; lra). lra. }
    unfold floor. pose proof (base_Int_part (INR l * q x)) as [_ B]. apply (IZR_le 1).
    assert (C : IZR 0 < IZR (Int_part (INR l * q x))) by (simpl; lra). apply lt_IZR in C. lia.
  - assert (A : count K is_positive <= INR K).
    { pose proof (count_complement K is_positive) as C. assert (0 <= count K (fun x => negb (is_positive x))); [|lra].
      apply sum_nonneg. intros x _. destruct (negb (is_positive x)); lra. }
    assert (B : count K is_positive <= INR l).
    { rewrite <- (counts_sum K l q q_law l_positive). apply sum_le. intros x X. unfold is_positive.
      destruct (Rlt_dec 0 (counts K l q x)) as [G|G]; [|now apply counts_nonneg].
      destruct (counts_whole x) as [z E]. rewrite E in *. apply (IZR_le 1). apply (lt_IZR 0) in G. lia. }
    destruct (Nat.min_spec K l) as [[_ ->]|[_ ->]]; easy.
Qed.

Lemma all_positive : (forall x, (x < K)%nat -> (1 - 1 / INR K) / INR l < q x) -> forall x, (x < K)%nat -> 0 < counts K l q x.
Proof.
  intros H x X. assert (P : 0 < INR l) by now apply lt_0_INR. assert (KP : 0 < INR K) by (apply lt_0_INR; lia).
  pose proof (counts_nonneg x X) as N. destruct N as [N|N]; [easy|]. exfalso.
  assert (S : forall y, (y < K)%nat -> 1 - 1 / INR K < INR l * q y).
  { intros y Y. pose proof (H y Y) as G. apply (Rmult_lt_compat_l (INR l)) in G; [|easy].
    replace (INR l * ((1 - 1 / INR K) / INR l)) with (1 - 1 / INR K) in G by (field; lra). easy. }
  unfold counts in N. pose proof (floor_nonneg _ (scaled_nonneg x X)) as F. destruct (up x) eqn:C; [lra|].
  assert (R : remainder l q x = INR l * q x) by (unfold remainder; lra).
  assert (U : INR (units K l q) * (1 - 1 / INR K) + (1 - 1 / INR K) < INR (units K l q)).
  { rewrite <- (units_sum K l q q_law l_positive) at 2. rewrite <- up_count. unfold count. rewrite <- sum_scale_right.
    apply (Rlt_le_trans _ (sum K (fun y => (if up y then 1 else 0) * (1 - 1 / INR K)
      + (if Nat.eqb y x then remainder l q y else 0)))).
    - rewrite sum_plus, (sum_point K (remainder l q) x X). pose proof (S x X). lra.
    - apply sum_le. intros y Y. pose proof (remainder_range l q y). destruct (Nat.eqb_spec y x) as [->|D].
      + rewrite C. lra.
      + destruct (up y) eqn:G; [|lra].
        pose proof (chosen_largest K (remainder l q) (units K l q) y x Y X G C). pose proof (S x X). lra. }
  assert (V : (units K l q < K)%nat).
  { apply INR_lt. rewrite <- up_count. pose proof (count_complement K up) as M.
    assert (1 <= count K (fun y => negb (up y))); [|lra]. unfold count.
    eapply Rle_trans; [|apply (sum_term K (fun y => if negb (up y) then 1 else 0) x); [|easy]].
    - rewrite C. simpl. lra.
    - intros y _. destruct (negb (up y)); lra. }
  assert (W : INR (units K l q) + 1 <= INR K) by (rewrite <- S_INR; now apply le_INR).
  assert (Z : INR (units K l q) * (1 / INR K) + 1 / INR K <= 1).
  { replace 1 with (INR K * (1 / INR K)) at 3 by (field; lra). rewrite <- (Rmult_1_l (1 / INR K)) at 2.
    rewrite <- Rmult_plus_distr_r. apply Rmult_le_compat_r; [|easy]. left. apply Rdiv_lt_0_compat; lra. }
  lra.
Qed.

End Counts.

(** All counts are positive when every kept token has q̃ > (1 - 1/K)/ℓ; the constant cannot be lowered: for every K >= 2 there
    are a resolution and a law over K tokens, all with q̃ = (1 - 1/K)/ℓ, of which one has the count 0. *)
Theorem sqs_positive_counts_sharp K : (2 <= K)%nat ->
  (forall l q, (0 < l)%nat -> law K q -> (forall x, (x < K)%nat -> (1 - 1 / INR K) / INR l < q x) ->
    forall x, (x < K)%nat -> 0 < counts K l q x) /\
  (exists l q, (0 < l)%nat /\ law K q /\ (forall x, (x < K)%nat -> q x = (1 - 1 / INR K) / INR l) /\
    exists x, (x < K)%nat /\ counts K l q x = 0).
Proof.
  intros K2. split; [intros l q L Q H; now apply all_positive|].
  assert (P : 0 < INR K) by (apply lt_0_INR; lia). assert (M : INR (K - 1) = INR K - 1) by (rewrite minus_INR by lia; easy).
  assert (M0 : 0 < INR K - 1) by (rewrite <- M; apply lt_0_INR; lia).
  set (q := fun _ : nat => / INR K). exists (K - 1)%nat, q.
  assert (L : (0 < K - 1)%nat) by lia.
  assert (Q : law K q).
  { split; [intros; left; now apply Rinv_0_lt_compat|]. unfold q. rewrite sum_constant. field. lra. }
  split; [easy|]. split; [easy|]. split; [intros x _; unfold q; rewrite M; field; split; lra|].
  assert (F : forall x, (x < K)%nat -> floor (INR (K - 1) * q x) = 0).
  { intros x _. unfold floor. rewrite (whole_part_of _ 0); [easy|]. rewrite M. unfold q. split.
    - apply Rmult_le_pos; [lra | left; now apply Rinv_0_lt_compat].
    - apply (Rmult_lt_reg_r (INR K)); [easy|]. rewrite Rmult_assoc, Rinv_l by lra. simpl. lra. }
  assert (U : exists x, (x < K)%nat /\ chosen K (remainder (K - 1) q) (units K (K - 1) q) x = false).
  { destruct (Nat.eq_dec (units K (K - 1) q) K) as [E|N].
    - exfalso. pose proof (units_le_l K (K - 1) q Q) as B. lia.
    - pose proof (up_count K (K - 1) q Q L) as C. set (up := chosen K (remainder (K - 1) q) (units K (K - 1) q)) in *.
      pose proof (units_le_K K (K - 1) q Q L) as B. pose proof (count_complement K up) as S.
      assert (D : 0 < count K (fun x => negb (up x))).
      { rewrite C in S. assert (INR (units K (K - 1) q) < INR K) by (apply lt_INR; lia). lra. }
      now apply some_not in D. }
  destruct U as [x [X C]]. exists x. split; [easy|]. unfold counts. rewrite C, F by easy. ring.
Qed.

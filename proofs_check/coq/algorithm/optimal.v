(** SQS: the lattice point to which a law is rounded is a nearest one, in three norms at once; so dense rounding is never farther
    from a law than cutting it to some tokens first. *)

Require Import Reals Lra Lia List Arith ZArith.
Require Import laws lossless sqs lattice rejections distortion positive dobrushin.
Import ListNotations.
Open Scope R_scope.

(** A step of k units, of which r would be right: beyond one unit if r is above a level t, and beyond none if it is below. *)
Lemma step_cases (k : Z) : IZR k <= 0 \/ 1 <= IZR k.
Proof. destruct (Z_le_gt_dec k 0) as [H|H]; [left; now apply (IZR_le k 0) | right; apply (IZR_le 1 k); lia]. Qed.

Lemma step_two (k : Z) : IZR k <= 1 \/ 2 <= IZR k.
Proof. destruct (Z_le_gt_dec k 1) as [H|H]; [left; now apply (IZR_le k 1) | right; apply (IZR_le 2 k); lia]. Qed.

Lemma step_below (k : Z) : IZR k <= -1 \/ 0 <= IZR k.
Proof. destruct (Z_le_gt_dec k (-1)) as [H|H]; [left; now apply (IZR_le k (-1)) | right; apply (IZR_le 0 k); lia]. Qed.

Lemma near_up k r t : 0 <= r <= 1 -> 0 <= t <= 1 -> t <= r -> Rabs (1 - r) + (1 - 2 * t) * (IZR k - 1) <= Rabs (IZR k - r).
Proof.
  intros R T L. rewrite (Rabs_pos_eq (1 - r)) by lra. destruct (step_cases k) as [H|H].
  - assert (0 <= - IZR k * (1 - t)) by (apply Rmult_le_pos; lra). rewrite Rabs_left1 by lra. lra.
  - assert (0 <= t * (IZR k - 1)) by (apply Rmult_le_pos; lra). rewrite Rabs_pos_eq by lra. lra.
Qed.

Lemma near_down k r t : 0 <= r <= 1 -> 0 <= t <= 1 -> r <= t -> Rabs (0 - r) + (1 - 2 * t) * (IZR k - 0) <= Rabs (IZR k - r).
Proof.
  intros R T L. rewrite (Rabs_left1 (0 - r)) by lra. destruct (step_cases k) as [H|H].
  - assert (0 <= - IZR k * (1 - t)) by (apply Rmult_le_pos; lra). rewrite Rabs_left1 by lra. lra.
  - assert (0 <= t * (IZR k - 1)) by (apply Rmult_le_pos; lra). rewrite Rabs_pos_eq by lra. lra.
Qed.

Lemma square_up k r t : 0 <= r <= 1 -> 0 <= t <= 1 -> t <= r -> Rsqr (1 - r) + (1 - 2 * t) * (IZR k - 1) <= Rsqr (IZR k - r).
Proof.
  intros R T L. unfold Rsqr. assert (P : 0 <= (IZR k - 1) * (IZR k - 2 * (r - t))); [|lra].
  destruct (step_cases k) as [H|H].
  - replace ((IZR k - 1) * (IZR k - 2 * (r - t))) with ((1 - IZR k) * (2 * (r - t) - IZR k)) by ring.
    apply Rmult_le_pos; lra.
  - destruct (step_two k) as [G|G]; [replace (IZR k) with 1 by lra; lra | apply Rmult_le_pos; lra].
Qed.

Lemma square_down k r t : 0 <= r <= 1 -> 0 <= t <= 1 -> r <= t -> Rsqr (0 - r) + (1 - 2 * t) * (IZR k - 0) <= Rsqr (IZR k - r).
Proof.
  intros R T L. unfold Rsqr. assert (P : 0 <= IZR k * (IZR k - 1 + 2 * (t - r))); [|lra].
  destruct (step_cases k) as [H|H]; [|apply Rmult_le_pos; lra].
  destruct (step_below k) as [G|G]; [|replace (IZR k) with 0 by lra; lra].
  replace (IZR k * (IZR k - 1 + 2 * (t - r))) with (- IZR k * (1 - IZR k - 2 * (t - r))) by ring. apply Rmult_le_pos; lra.
Qed.

Definition whole (x : R) : Prop := exists z, x = IZR z.

Section Optimal.

Variables K l : nat.
Variable q : nat -> R.
Hypothesis q_law : law K q.
Hypothesis l_positive : (0 < l)%nat.

Notation up := (chosen K (remainder l q) (units K l q)).

(** A level between the remainders that are rounded up and the others. *)
Definition level : R := largest K (fun x => if up x then 0 else remainder l q x).

Lemma level_range : 0 <= level <= 1.
Proof.
  split.
  - unfold level. destruct K as [|n] eqn:E; [simpl; lra|].
    eapply Rle_trans; [|apply (largest_term _ _ n); lia]. cbv beta. rewrite <- E.
    pose proof (remainder_range l q n). destruct (up n); lra.
  - apply largest_bound; [lra|]. intros x X. pose proof (remainder_range l q x). destruct (up x); lra.
Qed.

Lemma level_up x : (x < K)%nat -> up x = true -> level <= remainder l q x.
Proof.
  intros X C. pose proof (remainder_range l q x). apply largest_bound; [lra|]. intros y Y.
  destruct (up y) eqn:D; [lra|]. exact (chosen_largest K (remainder l q) (units K l q) x y X Y C D).
Qed.

Lemma level_down x : (x < K)%nat -> up x = false -> remainder l q x <= level.
Proof.
  intros X C. pose proof (largest_term K (fun x => if up x then 0 else remainder l q x) x X) as H. cbv beta in H.
  rewrite C in H. exact H.
Qed.

Lemma counts_off x : counts K l q x - INR l * q x = (if up x then 1 else 0) - remainder l q x.
Proof. unfold counts, remainder. ring. Qed.

Section Other.

Variable b : nat -> R.
Hypothesis b_whole : forall x, (x < K)%nat -> whole (b x).
Hypothesis b_sum : sum K b = INR l.

Lemma b_off x : (x < K)%nat -> exists k, b x - INR l * q x = IZR k - remainder l q x /\ b x - floor (INR l * q x) = IZR k.
Proof.
  intros X. destruct (b_whole x X) as [z E]. exists (z - Int_part (INR l * q x))%Z.
  rewrite minus_IZR, E. unfold remainder, floor. split; ring.
Qed.

(** Steps of any other point add up to as many units. *)
Lemma b_units : sum K (fun x => b x - floor (INR l * q x) - if up x then 1 else 0) = 0.
Proof.
  rewrite !sum_minus, b_sum. change (sum K (fun x => if up x then 1 else 0)) with (count K up).
  rewrite (up_count K l q q_law l_positive), <- (units_sum K l q q_law l_positive). unfold remainder.
  rewrite sum_minus, sum_scale. destruct q_law as [_ ->]. ring.
Qed.

Lemma by_terms (f : R -> R) :
  (forall k r, 0 <= r <= 1 -> level <= r -> f (1 - r) + (1 - 2 * level) * (IZR k - 1) <= f (IZR k - r)) ->
  (forall k r, 0 <= r <= 1 -> r <= level -> f (0 - r) + (1 - 2 * level) * (IZR k - 0) <= f (IZR k - r)) ->
  sum K (fun x => f (counts K l q x - INR l * q x)) <= sum K (fun x => f (b x - INR l * q x)).
Proof.
  intros Up Down.
  apply (Rle_trans _ (sum K (fun x => f (counts K l q x - INR l * q x)
    + (1 - 2 * level) * (b x - floor (INR l * q x) - if up x then 1 else 0)))).
  - rewrite sum_plus, sum_scale, b_units. lra.
  - apply sum_le. intros x X. rewrite counts_off. destruct (b_off x X) as [k [E F]]. rewrite E, F.
    pose proof (remainder_range l q x). destruct (up x) eqn:C.
    + apply Up; [lra | now apply level_up].
    + apply Down; [lra | now apply level_down].
Qed.

Lemma no_farther c : (forall x, (x < K)%nat -> Rabs (b x - INR l * q x) <= c) ->
  forall x, (x < K)%nat -> Rabs (counts K l q x - INR l * q x) <= c.
Proof.
  intros H x X. destruct (Rle_lt_dec (Rabs (counts K l q x - INR l * q x)) c) as [|F]; [easy|]. exfalso.
  rewrite counts_off in F. pose proof (remainder_range l q x) as R. pose proof b_units as U.
  destruct (up x) eqn:C.
  - rewrite Rabs_pos_eq in F by lra.
    assert (S : sum K (fun y => b y - floor (INR l * q y) - if up y then 1 else 0)
        <= sum K (fun y => if Nat.eqb y x then -1 else 0)).
    { apply sum_le. intros y Y. destruct (b_off y Y) as [k [E G]]. pose proof (H y Y) as B. rewrite E in B. rewrite G.
      pose proof (remainder_range l q y) as Ry. pose proof (Rle_abs (IZR k - remainder l q y)) as A.
      destruct (Nat.eqb_spec y x) as [->|N].
      - rewrite C. destruct (step_cases k); lra.
      - destruct (up y) eqn:D.
        + destruct (step_two k); lra.
        + pose proof (chosen_largest K (remainder l q) (units K l q) x y X Y C D). destruct (step_cases k); lra. }
    rewrite U, (sum_point K (fun _ => -1) x X) in S. lra.
  - rewrite Rabs_left1 in F by lra.
    assert (S : sum K (fun y => if Nat.eqb y x then 1 else 0)
        <= sum K (fun y => b y - floor (INR l * q y) - if up y then 1 else 0)).
    { apply sum_le. intros y Y. destruct (b_off y Y) as [k [E G]]. pose proof (H y Y) as B. rewrite E in B. rewrite G.
      pose proof (remainder_range l q y) as Ry. pose proof (Rle_abs (- (IZR k - remainder l q y))) as A.
      rewrite Rabs_Ropp in A. destruct (Nat.eqb_spec y x) as [->|N].
      - rewrite C. destruct (step_cases k); lra.
      - destruct (up y) eqn:D.
        + pose proof (chosen_largest K (remainder l q) (units K l q) y x Y X D C). destruct (step_cases k); lra.
        + destruct (step_below k); lra. }
    rewrite U, (sum_point K (fun _ => 1) x X) in S. lra.
Qed.

End Other.

(** Rounding a law to multiples of 1/ℓ gives whole numbers of units, none negative, that sum to ℓ; and no other whole numbers
    that sum to ℓ are nearer to ℓ times the law in ℓ1, in ℓ2 or in ℓ∞. *)
Theorem sqs_lattice_optimal :
  ((forall x, (x < K)%nat -> whole (counts K l q x) /\ 0 <= counts K l q x) /\ sum K (counts K l q) = INR l) /\
  forall b, (forall x, (x < K)%nat -> whole (b x)) -> sum K b = INR l ->
    sum K (fun x => Rabs (counts K l q x - INR l * q x)) <= sum K (fun x => Rabs (b x - INR l * q x)) /\
    sum K (fun x => Rsqr (counts K l q x - INR l * q x)) <= sum K (fun x => Rsqr (b x - INR l * q x)) /\
    largest K (fun x => Rabs (counts K l q x - INR l * q x)) <= largest K (fun x => Rabs (b x - INR l * q x)).
Proof.
  split.
  - split; [|now apply counts_sum]. intros x X. split; [apply counts_whole | now apply positive.counts_nonneg].
  - intros b W S. pose proof level_range as T. split; [|split].
    + apply (by_terms b W S Rabs); intros; [now apply near_up | now apply near_down].
    + apply (by_terms b W S Rsqr); intros; [now apply square_up | now apply square_down].
    + set (c := largest K (fun x => Rabs (b x - INR l * q x))).
      assert (H : forall x, (x < K)%nat -> Rabs (b x - INR l * q x) <= c)
        by (intros x X; exact (largest_term K (fun x => Rabs (b x - INR l * q x)) x X)).
      apply largest_bound; [|now apply (no_farther b W S)].
      pose proof (K_pos K l q q_law l_positive) as P. assert (X : (0 < K)%nat) by (apply INR_lt; exact P).
      eapply Rle_trans; [apply Rabs_pos | exact (H 0%nat X)].
Qed.

Lemma rounded_nearest s : (forall x, (x < K)%nat -> whole (INR l * s x)) -> sum K s = 1 ->
  tv K q (rounded K l q) <= tv K q s.
Proof.
  intros W S. assert (P : 0 < INR l) by now apply lt_0_INR.
  destruct sqs_lattice_optimal as [_ O]. destruct (O (fun x => INR l * s x) W) as [N _]; [rewrite sum_scale, S; ring|].
  apply (Rmult_le_reg_l (INR l)); [easy|].
  assert (E : forall t, INR l * tv K q t = / 2 * sum K (fun x => Rabs (INR l * t x - INR l * q x))).
  { intros t. unfold tv. rewrite Rmult_comm, Rmult_assoc. f_equal. rewrite Rmult_comm, <- sum_scale. apply sum_ext. intros x _.
    rewrite <- (Rabs_pos_eq (INR l)) at 1 by lra. rewrite <- Rabs_mult, Rabs_minus_sym. f_equal. ring. }
  rewrite !E. apply Rmult_le_compat_l; [lra|]. eapply Rle_trans; [|exact N]. right. apply sum_ext. intros x _. f_equal.
  unfold rounded. field. lra.
Qed.

End Optimal.

Lemma sum_whole n f : (forall x, (x < n)%nat -> whole (f x)) -> whole (sum n f).
Proof.
  induction n as [|n IH]; intros H; [now exists 0%Z|]. destruct IH as [a A]; [intros x X; apply H; lia|].
  destruct (H n) as [c C]; [lia|]. exists (a + c)%Z. simpl. now rewrite A, C, plus_IZR.
Qed.

Section Cut.

Variable V : nat.
Variable q : nat -> R.
Variable kept : nat -> bool.
Variable l : nat.
Hypothesis draft_law : law V q.
Hypothesis some_mass : 0 < sum V (on_kept q kept).
Hypothesis l_positive : (0 < l)%nat.

Lemma sent_whole x : whole (INR l * sent V q kept l x).
Proof.
  assert (P : 0 < INR l) by now apply lt_0_INR. unfold sent. rewrite <- sum_scale. apply sum_whole. intros i L.
  destruct (Nat.eqb _ x); [|exists 0%Z; simpl; ring].
  destruct (counts_whole (size V kept) l (inside V q kept) i) as [z E]. exists z. rewrite <- E. unfold rounded. field. lra.
Qed.

(** At one resolution sparsifying never brings the drafted law closer: rounding a law over all tokens moves it no farther than
    cutting it to any tokens with mass and rounding it there. *)
Theorem sqs_dense_closest : tv V q (rounded V l q) <= tv V q (sent V q kept l).
Proof.
  apply (rounded_nearest V l q draft_law l_positive); [intros; apply sent_whole|].
  destruct (sent_law V q kept l draft_law some_mass l_positive) as [_ S]. exact S.
Qed.

(** With δ the dropped mass and m = min(ℓ, ⌊K/2⌋), what is sent is no farther from what the dense lattice sends than
    2δ + 2(1 - δ) m (K - m)/(K ℓ), which is at most 2δ + K/(2ℓ). *)
Theorem sqs_deviation_from_dense_corrected : let m := Nat.min l (size V kept / 2) in let K := INR (size V kept) in
  let delta := dropped V q kept in let bound := INR m * (K - INR m) / (K * INR l) in
  tv V (sent V q kept l) (rounded V l q) <= 2 * delta + 2 * (1 - delta) * bound /\
  2 * delta + 2 * (1 - delta) * bound <= 2 * delta + K / (2 * INR l).
Proof.
  cbv zeta. pose proof (sqs_total_distortion_sharp V q kept l draft_law some_mass l_positive) as [_ B].
  pose proof (tv_triangle V (sent V q kept l) q (rounded V l q)) as T. rewrite (tv_sym V (sent V q kept l) q) in T.
  pose proof sqs_dense_closest as D. split; [lra|].
  assert (P : 0 < INR l) by now apply lt_0_INR. pose proof (inside_law V q kept draft_law some_mass) as I.
  pose proof (K_pos (size V kept) l (inside V q kept) I l_positive) as KP. set (K := INR (size V kept)) in *.
  set (m := INR (Nat.min l (size V kept / 2))).
  pose proof (dropped_nonneg V q kept draft_law) as N. pose proof (kept_mass V q kept draft_law) as M.
  assert (A : m * (K - m) / (K * INR l) <= K / (4 * INR l)).
  { apply (Rmult_le_reg_l (4 * K * INR l)); [repeat apply Rmult_lt_0_compat; lra|].
    replace (4 * K * INR l * (m * (K - m) / (K * INR l))) with (4 * (m * (K - m))) by (field; lra).
    replace (4 * K * INR l * (K / (4 * INR l))) with (K * K) by (field; lra).
    pose proof (Rle_0_sqr (K - 2 * m)) as Q. unfold Rsqr in Q. lra. }
  assert (W : 0 <= K / (4 * INR l)) by (apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra]).
  replace (K / (2 * INR l)) with (2 * (K / (4 * INR l))) by (field; lra).
  apply (Rmult_le_compat_l (1 - dropped V q kept)) in A; [|lra].
  assert (0 <= dropped V q kept * (K / (4 * INR l))) by now apply Rmult_le_pos. lra.
Qed.

End Cut.

(** How many drafts are verified where each costs time: thresholds on predicted products, and predictions that are wrong by little. *)

Require Import Reals Lra Lia List Arith.
Require Import laws lossless stops.
Import ListNotations.
Open Scope R_scope.

(** A pass that verifies some drafts, each accepted after those before it with a probability of its own: the tokens that it emits. *)
Fixpoint pass (a : nat -> R) (verified : nat) : program nat :=
  match verified with
  | O => ret 1%nat
  | S more => kept <- coin (a 0%nat) ;; if kept then (n <- pass (fun i => a (S i)) more ;; ret (S n)) else ret 1%nat
  end.

(** The probability that the drafts up to i are all accepted. *)
Fixpoint product (a : nat -> R) (i : nat) : R := match i with O => a 0%nat | S j => product a j * a (S j) end.

(** How many first products are at least a level. *)
Fixpoint at_least (level : R) (f : nat -> R) (n : nat) : nat :=
  match n with O => 0%nat | S m => if Rle_dec level (f 0%nat) then S (at_least level (fun i => f (S i)) m) else 0%nat end.

Lemma product_first a i : product a (S i) = a 0%nat * product (fun j => a (S j)) i.
Proof. induction i as [|i IH]; [easy|]. change (product a (S (S i))) with (product a (S i) * a (S (S i))). rewrite IH. simpl. ring. Qed.

Lemma sum_first n f : sum (S n) f = f 0%nat + sum n (fun i => f (S i)).
Proof. induction n as [|n IH]; [simpl; ring|]. change (sum (S (S n)) f) with (sum (S n) f + f (S n)). rewrite IH. simpl. ring. Qed.

Lemma pass_sure : forall n a, expect (pass a n) (fun _ => 1) = 1.
Proof.
  induction n as [|n IH]; intros a; [simpl; ring|]. cbn [pass]. rewrite expect_bind, expect_coin, expect_ret, expect_bind.
  rewrite (expect_ext _ _ (fun _ => 1)) by (intros; now rewrite expect_ret). rewrite IH. ring.
Qed.

Lemma pass_mean : forall n a, expect (pass a n) INR = 1 + sum n (product a).
Proof.
  induction n as [|n IH]; intros a; [simpl; ring|]. cbn [pass]. rewrite expect_bind, expect_coin, expect_ret, expect_bind.
  rewrite (expect_ext _ _ (fun m => INR m + 1)) by (intros; now rewrite expect_ret, S_INR). rewrite expect_plus, pass_sure, IH, sum_first.
  rewrite (sum_ext n (fun i => product a (S i)) (fun i => a 0%nat * product (fun j => a (S j)) i)) by (intros; apply product_first).
  rewrite sum_scale. simpl. ring.
Qed.

Lemma at_least_spec level : forall n f, (at_least level f n <= n)%nat /\
  (forall i, (i < at_least level f n)%nat -> level <= f i) /\ ((at_least level f n < n)%nat -> f (at_least level f n) < level).
Proof.
  induction n as [|n IH]; intros f; [simpl; split; [lia|]; split; intros; lia|]. cbn [at_least]. destruct (Rle_dec level (f 0%nat)) as [H|H].
  - destruct (IH (fun i => f (S i))) as [A [B C]]. split; [lia|]. split.
    + intros [|i] I; [easy|]. apply B. lia.
    + intros I. apply C. lia.
  - split; [lia|]. split; [intros; lia|]. intros _. lra.
Qed.

Lemma sum_more f : forall k n, sum (n + k) f = sum n f + sum k (fun i => f (n + i)%nat).
Proof.
  induction k as [|k IH]; intros n; [rewrite Nat.add_0_r; simpl; ring|]. rewrite Nat.add_succ_r. cbn [sum]. rewrite IH. ring.
Qed.

Definition falls (f : nat -> R) : Prop := forall i j, (i <= j)%nat -> f j <= f i.

Lemma product_range a : (forall i, 0 <= a i <= 1) -> forall i, 0 <= product a i <= 1.
Proof.
  intros A. induction i as [|i IH]; [apply A|]. simpl. specialize (A (S i)). split; [apply Rmult_le_pos; lra|].
  rewrite <- (Rmult_1_l 1). apply Rmult_le_compat; lra.
Qed.

Lemma product_falls a : (forall i, 0 <= a i <= 1) -> falls (product a).
Proof.
  intros A i j L. induction L as [|j L IH]; [lra|]. simpl. pose proof (product_range a A j). specialize (A (S j)). nra.
Qed.

(** Of all numbers of terms those above the level have the largest sum beyond it. *)
Lemma threshold_most f level n m : falls f -> (m <= n)%nat ->
  sum m (fun i => f i - level) <= sum (at_least level f n) (fun i => f i - level).
Proof.
  intros F L. destruct (at_least_spec level n f) as [T [Above Below]]. set (t := at_least level f n) in *.
  destruct (Nat.le_gt_cases m t) as [H|H].
  - replace t with (m + (t - m))%nat by lia. rewrite sum_more.
    assert (0 <= sum (t - m) (fun i => f (m + i)%nat - level)); [|lra]. apply sum_nonneg. intros i I. specialize (Above (m + i)%nat ltac:(lia)). lra.
  - replace m with (t + (m - t))%nat by lia. rewrite sum_more.
    assert (sum (m - t) (fun i => f (t + i)%nat - level) <= sum (m - t) (fun _ => 0)); [|rewrite sum_zero in *; lra].
    apply sum_le. intros i I. pose proof (F t (t + i)%nat ltac:(lia)). specialize (Below ltac:(lia)). lra.
Qed.

Section Schedules.

(** Contexts with their probabilities, the acceptances of up to gamma drafts in each, and the time of a verified draft over that of a
    pass. *)
Variable contexts gamma : nat.
Variable w : nat -> R.
Variable a : nat -> nat -> R.
Variable b : R.
Hypothesis w_law : law contexts w.
Hypothesis chances : forall k i, 0 <= a k i <= 1.
Hypothesis cost : 0 <= b.

(** Mean tokens of a pass, its mean time, and the speed, of a schedule that verifies so many drafts in each context. *)
Definition tokens (verified : nat -> nat) : R := sum contexts (fun k => w k * expect (pass (a k) (verified k)) INR).
Definition time (verified : nat -> nat) : R := sum contexts (fun k => w k * (1 + b * INR (verified k))).
Definition speed (verified : nat -> nat) : R := tokens verified / time verified.
Definition is_schedule (verified : nat -> nat) : Prop := forall k, (verified k <= gamma)%nat.

(** The threshold at a level of some products. *)
Definition threshold (products : nat -> nat -> R) (level : R) (k : nat) : nat := at_least level (products k) gamma.

Lemma time_least verified : 1 <= time verified.
Proof.
  unfold time. destruct w_law as [N One]. rewrite <- One. apply sum_le. intros k L. specialize (N k L). pose proof (pos_INR (verified k)).
  assert (0 <= b * INR (verified k)) by (apply Rmult_le_pos; lra). nra.
Qed.

Lemma worth verified s : tokens verified - s * time verified
  = sum contexts (fun k => w k * (1 - s + sum (verified k) (fun i => product (a k) i - b * s))).
Proof.
  unfold tokens, time. rewrite <- sum_scale, <- sum_minus. apply sum_ext. intros k _. rewrite pass_mean, sum_minus, sum_constant. ring.
Qed.

Lemma speed_worth verified s : tokens verified - s * time verified = (speed verified - s) * time verified.
Proof. unfold speed. pose proof (time_least verified). field. lra. Qed.

(** At a cost b for each verified draft the best schedule is a threshold on the product of predicted acceptances: of any schedule of speed
    S the threshold at b S is at least as fast. *)
Theorem stop_schedule_best verified : is_schedule verified ->
  speed verified <= speed (threshold (fun k => product (a k)) (b * speed verified)).
Proof.
  intros Sched. set (s := speed verified). set (best := threshold (fun k => product (a k)) (b * s)).
  assert (W : tokens verified - s * time verified <= tokens best - s * time best).
  { rewrite !worth. apply sum_le. intros k L. apply Rmult_le_compat_l; [now apply (law_nonneg contexts)|].
    pose proof (threshold_most (product (a k)) (b * s) gamma (verified k) (product_falls _ (chances k)) (Sched k)).
    change (best k) with (at_least (b * s) (product (a k)) gamma). lra. }
  rewrite !speed_worth in W. fold s in W. pose proof (time_least best).
  assert (0 <= (speed best - s) * time best) by lra. destruct (Rle_dec s (speed best)); [easy | nra].
Qed.

(** The mean number of drafts of which predictions and true products are on different sides of a level. *)
Definition misjudged (predicted : nat -> nat -> R) (level : R) : R :=
  sum contexts (fun k => w k * sum gamma (fun i => match Rle_dec level (predicted k i), Rle_dec level (product (a k) i) with
    | left _, left _ | right _, right _ => 0 | _, _ => 1 end)).

Lemma misjudged_each f g level epsilon n : falls f -> falls g -> 0 <= epsilon -> (forall i, (i < n)%nat -> Rabs (g i - f i) <= epsilon) ->
  sum (at_least level f n) (fun i => f i - level)
    - epsilon * sum n (fun i => match Rle_dec level (g i), Rle_dec level (f i) with left _, left _ | right _, right _ => 0 | _, _ => 1 end)
  <= sum (at_least level g n) (fun i => f i - level).
Proof.
  intros F G E Close. destruct (at_least_spec level n f) as [T [Above Below]]. destruct (at_least_spec level n g) as [T' [Above' Below']].
  set (t := at_least level f n) in *. set (t' := at_least level g n) in *.
  set (wrong := fun i => match Rle_dec level (g i), Rle_dec level (f i) with left _, left _ | right _, right _ => 0 | _, _ => 1 end).
  assert (W : forall i, 0 <= wrong i) by (intros i; unfold wrong; destruct (Rle_dec level (g i)), (Rle_dec level (f i)); lra).
  assert (Between : forall u k, (u + k <= n)%nat -> sum k (fun i => wrong (u + i)%nat) <= sum n wrong).
  { intros u k L. replace n with (u + k + (n - (u + k)))%nat by lia. rewrite !sum_more.
    assert (0 <= sum u wrong) by (apply sum_nonneg; intros; apply W).
    assert (0 <= sum (n - (u + k)) (fun i => wrong (u + k + i)%nat)) by (apply sum_nonneg; intros; apply W). lra. }
  destruct (Nat.le_gt_cases t t') as [H|H].
  - replace t' with (t + (t' - t))%nat by lia. rewrite sum_more.
    assert (Each : - epsilon * sum (t' - t) (fun i => wrong (t + i)%nat) <= sum (t' - t) (fun i => f (t + i)%nat - level)).
    { rewrite <- sum_scale. apply sum_le. intros i I. specialize (Above' (t + i)%nat ltac:(lia)). specialize (Below ltac:(lia)).
      pose proof (F t (t + i)%nat ltac:(lia)). specialize (Close (t + i)%nat ltac:(lia)). unfold wrong.
      destruct (Rle_dec level (g (t + i)%nat)); [|lra]. destruct (Rle_dec level (f (t + i)%nat)); [lra|].
      pose proof (Rle_abs (g (t + i)%nat - f (t + i)%nat)). lra. }
    pose proof (Between t (t' - t)%nat ltac:(lia)) as B. apply (Rmult_le_compat_l epsilon) in B; [|easy]. fold wrong. lra.
  - replace t with (t' + (t - t'))%nat by lia. rewrite sum_more.
    assert (Each : sum (t - t') (fun i => f (t' + i)%nat - level) <= epsilon * sum (t - t') (fun i => wrong (t' + i)%nat)).
    { rewrite <- sum_scale. apply sum_le. intros i I. specialize (Above (t' + i)%nat ltac:(lia)). specialize (Below' ltac:(lia)).
      pose proof (G t' (t' + i)%nat ltac:(lia)). specialize (Close (t' + i)%nat ltac:(lia)). unfold wrong.
      destruct (Rle_dec level (g (t' + i)%nat)); [lra|]. destruct (Rle_dec level (f (t' + i)%nat)); [|lra].
      pose proof (Rle_abs (f (t' + i)%nat - g (t' + i)%nat)). rewrite Rabs_minus_sym in Close. lra. }
    pose proof (Between t' (t - t')%nat ltac:(lia)) as B. apply (Rmult_le_compat_l epsilon) in B; [|easy]. fold wrong. lra.
Qed.

(** Confidences whose products are off by at most ε cost at most ε M/Ĉ of the speed S of any schedule, at the threshold b S: M the mean
    number of drafts that they misjudge, at most γ, Ĉ >= 1 the mean time of a pass; never the law, whatever they are. *)
Theorem stop_calibration verified predicted epsilon : is_schedule verified -> (forall k, falls (predicted k)) ->
  (forall k i, (k < contexts)%nat -> (i < gamma)%nat -> Rabs (predicted k i - product (a k) i) <= epsilon) -> 0 <= epsilon ->
  let s := speed verified in
  let chosen := threshold predicted (b * s) in
  s - epsilon * misjudged predicted (b * s) / time chosen <= speed chosen /\
  misjudged predicted (b * s) <= INR gamma /\ 1 <= time chosen /\
  forall V target draft ends T test, (forall text, law V (target text)) -> (forall text, law V (draft text)) ->
    chance (calls (fun text => xs <- scheduled V draft ends gamma text ;; verify V target draft text xs) T T []) test
    = chance (sample V target T []) test.
Proof.
  intros Sched Falls Close E s chosen. pose proof (time_least chosen) as C. split; [|split; [|split; [exact C|]]].
  - assert (W : tokens verified - s * time verified - epsilon * misjudged predicted (b * s) <= tokens chosen - s * time chosen).
    { rewrite !worth. unfold misjudged. rewrite <- sum_scale, <- sum_minus. apply sum_le. intros k L.
      pose proof (law_nonneg contexts w k w_law L) as N.
      pose proof (threshold_most (product (a k)) (b * s) gamma (verified k) (product_falls _ (chances k)) (Sched k)) as A.
      pose proof (misjudged_each (product (a k)) (predicted k) (b * s) epsilon gamma (product_falls _ (chances k)) (Falls k) E
        (fun i I => Close k i L I)) as M.
      change (chosen k) with (at_least (b * s) (predicted k) gamma). set (m := sum gamma _) in *.
      replace (epsilon * (w k * m)) with (w k * (epsilon * m)) by ring. rewrite <- Rmult_minus_distr_l. apply Rmult_le_compat_l; [easy|]. lra. }
    rewrite !speed_worth in W. fold s in W. unfold Rdiv.
    assert (B : s * time chosen - epsilon * misjudged predicted (b * s) <= speed chosen * time chosen) by lra.
    apply (Rmult_le_reg_r (time chosen)); [lra|].
    replace ((s - epsilon * misjudged predicted (b * s) * / time chosen) * time chosen)
      with (s * time chosen - epsilon * misjudged predicted (b * s)) by (field; lra). exact B.
  - unfold misjudged. apply (Rle_trans _ (sum contexts (fun k => w k * INR gamma))).
    + apply sum_le. intros k L. apply Rmult_le_compat_l; [now apply (law_nonneg contexts)|].
      rewrite <- (Rmult_1_r (INR gamma)), <- sum_constant. apply sum_le. intros i _.
      destruct (Rle_dec (b * s) (predicted k i)), (Rle_dec (b * s) (product (a k) i)); lra.
    + rewrite sum_scale_right. destruct w_law as [_ ->]. lra.
  - intros V target draft ends T test P Q. now apply stop_schedule_before.
Qed.

End Schedules.

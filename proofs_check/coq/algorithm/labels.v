(** The label of a draft by rollouts: a pivot where the rollouts after it have fewer successes than nine tenths of those before.

    How likely it is follows from bounds of two laws of successes, in whole numbers. *)

Require Import Reals Lra Lia List Arith ZArith.
Require Import laws binomials.
Import ListNotations.
Open Scope R_scope.

Definition is_pivot (successes_before successes_after : nat) : bool := Nat.ltb (10 * successes_after) (9 * successes_before).

(** n rollouts before the draft, of utility u, and n after it, of utility v. *)
Definition rollout_label (n : nat) (u v : R) : program bool :=
  b <- successes n u ;; (c <- successes n v ;; ret (is_pivot b c)).

(** The probability of the label "pivot". *)
Definition pivot_chance (n : nat) (u v : R) : R := chance (rollout_label n u v) (fun l => l).

Lemma pivot_expect n u v :
  pivot_chance n u v = expect (successes n u) (fun b => expect (successes n v) (fun c => indicator (is_pivot b c))).
Proof.
  unfold pivot_chance, chance, rollout_label. rewrite expect_bind. apply expect_ext. intros b. rewrite expect_bind.
  apply expect_ext. intros c. now rewrite expect_ret.
Qed.

Lemma no_pivot n u v : chance (rollout_label n u v) negb = 1 - pivot_chance n u v.
Proof.
  transitivity (expect (rollout_label n u v) (fun l => 1 + -1 * indicator l)).
  - apply expect_ext. intros []; simpl; lra.
  - rewrite expect_plus, expect_scale. change (expect (rollout_label n u v) indicator) with (pivot_chance n u v).
    replace (expect (rollout_label n u v) (fun _ => 1)) with 1; [ring|].
    unfold rollout_label. rewrite expect_bind, (expect_ext _ _ (fun _ => 1)), successes_one; [easy|].
    intros b. rewrite expect_bind, (expect_ext _ _ (fun _ => 1)), successes_one; [easy|].
    intros c. now rewrite expect_ret.
Qed.

Lemma is_pivot_spec b c : is_pivot b c = true <-> (10 * c < 9 * b)%nat.
Proof. apply Nat.ltb_lt. Qed.

(** The label "pivot" is more likely where the utility before the draft is more, and that after it is less. *)
Lemma pivot_rises n u v u' v' : 0 <= u -> u <= u' -> u' <= 1 -> 0 <= v' -> v' <= v -> v <= 1 -> pivot_chance n u v <=
  pivot_chance n u' v'.
Proof.
  intros U L H V M K. rewrite !pivot_expect.
  apply Rle_trans with (expect (successes n u') (fun b => expect (successes n v) (fun c => indicator (is_pivot b c)))).
  - apply successes_rise; try easy. intros b. apply successes_le; [lra|]. intros c.
    destruct (is_pivot b c) eqn:E; [|destruct (is_pivot (S b) c); simpl; lra].
    apply is_pivot_spec in E. replace (is_pivot (S b) c) with true by (symmetry; apply is_pivot_spec; lia). lra.
  - apply successes_le; [lra|]. intros b.
    assert (F := successes_rise n v' v (fun c => - indicator (is_pivot b c)) V M K). cbv beta in F.
    rewrite !(expect_ext _ (fun c => - indicator (is_pivot b c)) (fun c => -1 * indicator (is_pivot b c))), !expect_scale in F
      by (intros; ring).
    enough (- 1 * expect (successes n v') (fun c => indicator (is_pivot b c))
      <= - 1 * expect (successes n v) (fun c => indicator (is_pivot b c))) by lra.
    apply F. intros c. destruct (is_pivot b (S c)) eqn:E; [|destruct (is_pivot b c); simpl; lra].
    apply is_pivot_spec in E. replace (is_pivot b c) with true by (symmetry; apply is_pivot_spec; lia). lra.
Qed.

(** * Sums of bounds *)

Definition lows (bounds : list (Z * Z)) : list Z := map fst bounds.
Definition sum_of_whole (numbers : list Z) : Z := fold_right Z.add 0%Z numbers.
Definition upper_total (bounds : list (Z * Z)) : Z := sum_of_whole (map snd bounds).

(** Sums of the first numbers, of none of them first. *)
Fixpoint running_sums (so_far : Z) (numbers : list Z) : list Z :=
  so_far :: match numbers with [] => [] | x :: more => running_sums (so_far + x) more end.

(** The least number of successes after the draft with which it is no pivot. *)
Definition least_without (b : nat) : nat := (9 * b + 9) / 10.

(** Sums of the last numbers, of all of them first. *)
Fixpoint rests (numbers : list Z) : list Z :=
  match numbers with
  | [] => [0%Z]
  | x :: more => let below := rests more in (x + nth 0 below 0)%Z :: below
  end.

(** Products of what is known of b successes with the sum of what comes before the b-th cut. *)
Fixpoint paired (numbers : list Z) (cuts : list nat) (below : list Z) : Z :=
  match numbers, cuts with
  | x :: more, i :: cuts' =>
      (if (x =? 0)%Z then paired more cuts' below else x * nth i below 0 + paired more cuts' below)%Z
  | _, _ => 0%Z
  end.

Lemma pivot_cut b c : is_pivot b c = Nat.ltb c (least_without b).
Proof.
  unfold is_pivot, least_without. assert (D := Nat.div_mod_eq (9 * b + 9) 10). assert (M := Nat.mod_upper_bound (9 * b + 9) 10).
  destruct (Nat.ltb_spec (10 * c) (9 * b)), (Nat.ltb_spec c ((9 * b + 9) / 10)); try easy; lia.
Qed.

(** The sum of a function over n whole numbers from the k-th on. *)
Definition sum_starting (k n : nat) (f : nat -> R) : R := sum n (fun i => f (k + i)%nat).

Lemma sum_from_step k n f : sum_starting k (S n) f = f k + sum_starting (S k) n f.
Proof.
  unfold sum_starting. rewrite sum_shift, Nat.add_0_r. f_equal. apply sum_ext. intros i _. f_equal. lia.
Qed.

Lemma most_above t bounds k w : masses_within t k bounds w -> sum_starting k (length bounds) w <= IZR (upper_total bounds) * t.
Proof.
  revert k. induction bounds as [|b more IH]; intros k W; [unfold sum_starting, upper_total, sum_of_whole; simpl; lra|].
  destruct W as [[_ [_ B]] W]. cbn [length]. rewrite sum_from_step. unfold upper_total, sum_of_whole. cbn [map fold_right].
  rewrite plus_IZR. specialize (IH (S k) W). unfold upper_total, sum_of_whole in IH. lra.
Qed.

Lemma sums_below t bounds k w i so_far : masses_within t k bounds w -> (forall j, 0 <= w j) -> (i <= length bounds)%nat ->
  0 <= t -> (0 <= so_far)%Z ->
  (0 <= nth i (running_sums so_far (lows bounds)) 0)%Z /\ IZR (nth i (running_sums so_far (lows bounds)) 0%Z) * t <= IZR so_far
    * t + sum_starting k i w.
Proof.
  intros W P. revert k i so_far W. induction bounds as [|b more IH]; intros k i so_far W L T S.
  - replace i with O by (simpl in L; lia). unfold sum_starting. simpl. split; [easy | lra].
  - destruct i as [|i]; [unfold sum_starting; simpl; split; [easy | lra]|].
    destruct W as [[[Q _] [B _]] W]. simpl in L. cbn [lows map running_sums nth].
    destruct (IH (Datatypes.S k) i (so_far + fst b)%Z W ltac:(lia) T ltac:(lia)) as [N H].
    split; [exact N|]. rewrite sum_from_step. rewrite plus_IZR in H. unfold lows in H. lra.
Qed.

Lemma rests_below t bounds k w i : masses_within t k bounds w -> (i <= length bounds)%nat ->
  (0 <= nth i (rests (lows bounds)) 0)%Z /\
  IZR (nth i (rests (lows bounds)) 0%Z) * t <= sum_starting (k + i) (length bounds - i) w.
Proof.
  revert k i. induction bounds as [|b more IH]; intros k i W L.
  - replace i with O by (simpl in L; lia). unfold sum_starting. simpl. split; [easy | lra].
  - destruct W as [[[Q _] [B _]] W]. destruct i as [|i].
    + destruct (IH (S k) O W ltac:(lia)) as [N H]. rewrite Nat.add_0_r, Nat.sub_0_r in *. cbn [lows map rests nth length].
      rewrite sum_from_step, plus_IZR. unfold lows in *. split; [lia | lra].
    + simpl in L. destruct (IH (S k) i W ltac:(lia)) as [N H]. cbn [lows map rests nth length].
      replace (k + S i)%nat with (S k + i)%nat by lia. replace (S (length more) - S i)%nat with (length more - i)%nat by lia.
      split; [exact N | exact H].
Qed.

Lemma paired_below t s bounds k m w f below : masses_within t k bounds w -> 0 <= t -> 0 <= s -> (length bounds <= m)%nat ->
  (forall b, (k <= b < k + length bounds)%nat -> (0 <= nth (least_without b) below 0)%Z /\ IZR (nth (least_without b) below
    0%Z) * s <= f b) ->
  IZR (paired (lows bounds) (map least_without (seq k m)) below) * (t * s) <= sum_starting k (length bounds) (fun b => w b * f b).
Proof.
  intros W T P. revert k m W. induction bounds as [|b more IH]; intros k m W L F.
  - unfold sum_starting. destruct (map least_without (seq k m)); simpl; lra.
  - destruct m as [|m]; [simpl in L; lia|]. destruct W as [[[Q _] [B C]] W]. simpl in L.
    destruct (F k ltac:(simpl; lia)) as [N H]. specialize (IH (S k) m W ltac:(lia)).
    cbn [lows map seq paired length]. rewrite sum_from_step.
    assert (G : IZR (fst b) * t * (IZR (nth (least_without k) below 0%Z) * s) <= w k * f k).
    { apply IZR_le in N, Q. apply Rle_trans with (w k * (IZR (nth (least_without k) below 0%Z) * s)).
      - apply Rmult_le_compat_r; [now apply Rmult_le_pos | easy].
      - apply Rmult_le_compat_l; [|easy]. apply Rle_trans with (IZR (fst b) * t); [now apply Rmult_le_pos | easy]. }
    assert (I : IZR (paired (lows more) (map least_without (seq (S k) m)) below) * (t * s) <=
      sum_starting (S k) (length more) (fun b => w b * f b)) by (apply IH; intros b' R; apply F; simpl; lia).
    unfold lows in I. destruct (Z.eqb_spec (fst b) 0) as [E|E].
    + rewrite E in G. lra.
    + rewrite plus_IZR, mult_IZR. lra.
Qed.

Lemma sum_first n f i : (i <= n)%nat -> sum n (fun c => f c * indicator (Nat.ltb c i)) = sum i f.
Proof.
  induction n as [|n IH]; intros L; [now replace i with O by lia|].
  cbn [sum]. destruct (Nat.eq_dec i (S n)) as [->|N].
  - replace (Nat.ltb n (S n)) with true by (symmetry; apply Nat.ltb_lt; lia). cbn [sum indicator]. f_equal; [|ring].
    apply sum_ext. intros c C. replace (Nat.ltb c (S n)) with true by (symmetry; apply Nat.ltb_lt; lia). simpl. ring.
  - rewrite IH by lia. replace (Nat.ltb n i) with false by (symmetry; apply Nat.ltb_ge; lia). simpl. ring.
Qed.

Lemma sum_in_two i n f : sum (i + n) f = sum i f + sum_starting i n f.
Proof.
  unfold sum_starting. induction n as [|n IH]; [rewrite Nat.add_0_r; simpl; ring|].
  rewrite Nat.add_succ_r. cbn [sum]. rewrite IH. ring.
Qed.

Lemma cut_below b n : (b < S n)%nat -> (least_without b <= n)%nat.
Proof. intros L. unfold least_without. apply Nat.lt_succ_r, Nat.div_lt_upper_bound; lia. Qed.

Lemma pivot_sum n u v : pivot_chance n u v = sum (S n) (fun b => success_mass n u b * sum (least_without b) (success_mass n v)).
Proof.
  rewrite pivot_expect, successes_sum. apply sum_ext. intros b L. f_equal. rewrite successes_sum.
  rewrite <- (sum_first (S n) (success_mass n v) (least_without b)) by (pose proof (cut_below b n L); lia).
  apply sum_ext. intros c _. now rewrite pivot_cut.
Qed.

Lemma mass_one n u : sum (S n) (success_mass n u) = 1.
Proof.
  rewrite <- (successes_one n u), successes_sum. apply sum_ext. intros k _. ring.
Qed.

Lemma no_pivot_sum n u v :
  1 - pivot_chance n u v = sum (S n) (fun b => success_mass n u b * sum_starting (least_without b) (S n - least_without b)
    (success_mass n v)).
Proof.
  rewrite pivot_sum, <- (mass_one n u) at 1. rewrite <- sum_minus. apply sum_ext. intros b L.
  assert (E := sum_in_two (least_without b) (S n - least_without b) (success_mass n v)). pose proof (cut_below b n L).
  replace (least_without b + (S n - least_without b))%nat with (S n) in E by lia. rewrite mass_one in E.
  replace (sum_starting (least_without b) (S n - least_without b) (success_mass n v)) with (1 - sum (least_without b)
    (success_mass n v)) by lra. ring.
Qed.

(** * How likely the label is, at least *)

Lemma out_of_scale p x t t' m m' : 0 <= p -> 0 <= t -> 0 <= t' -> IZR bound_scale <= m * t -> IZR bound_scale <= m' * t' ->
  x * (t * t') <= IZR bound_scale * IZR bound_scale * p -> x <= p * (m * m').
Proof.
  intros P T T' M M' X. assert (S : 0 < IZR bound_scale) by (apply IZR_lt; reflexivity).
  assert (Q : forall m t, 0 <= t -> IZR bound_scale <= m * t -> 0 < t).
  { intros m0 t0 [L|<-] H; [easy | rewrite Rmult_0_r in H; lra]. }
  apply (Rmult_le_reg_r (t * t')); [apply Rmult_lt_0_compat; eapply Q; eassumption|].
  apply Rle_trans with (IZR bound_scale * IZR bound_scale * p); [easy|].
  apply Rle_trans with (m * t * (m' * t') * p); [|right; ring]. apply Rmult_le_compat_r; [easy|].
  apply Rmult_le_compat; lra.
Qed.

Section Likely.

Variables n many : nat.
Variables a d a' d' : Z.
Hypothesis range : (0 < a <= d)%Z.
Hypothesis range' : (0 < a' <= d')%Z.
Hypothesis enough_cuts : (S n <= many)%nat.

Lemma most_scale e f t : (0 < e <= f)%Z -> masses_within t 0 (bounds_table n e f) (scaled_mass n e f) -> IZR bound_scale <= IZR
  (upper_total (bounds_table n e f)) * t.
Proof.
  intros R W. apply most_above in W. rewrite table_length in W by easy. unfold sum_starting, scaled_mass in W. cbn [Nat.add] in W.
  rewrite sum_scale, mass_one in W. lra.
Qed.

Lemma pivot_range u v : 0 <= u <= 1 -> 0 <= v <= 1 -> 0 <= pivot_chance n u v <= 1.
Proof.
  intros U V. rewrite pivot_expect. split.
  - apply Rle_trans with (expect (successes n u) (fun _ => 0)); [rewrite expect_const; lra|].
    apply successes_le; [easy|]. intros b. apply Rle_trans with (expect (successes n v) (fun _ => 0)); [rewrite expect_const;
      lra|].
    apply successes_le; [easy|]. intros c. destruct (is_pivot b c); simpl; lra.
  - rewrite <- (successes_one n u). apply successes_le; [easy|]. intros b. rewrite <- (successes_one n v).
    apply successes_le; [easy|]. intros c. destruct (is_pivot b c); simpl; lra.
Qed.

Lemma at_least p below (f : nat -> R) : 0 <= p ->
  (forall t', 0 <= t' -> masses_within t' 0 (bounds_table n a' d') (scaled_mass n a' d') -> forall b, (b <= n)%nat ->
    (0 <= nth (least_without b) below 0)%Z /\ IZR (nth (least_without b) below 0%Z) * t' <= IZR bound_scale * f b) ->
  p = sum (S n) (fun b => success_mass n (success_rate a d) b * f b) ->
  IZR (paired (lows (bounds_table n a d)) (map least_without (seq 0 many)) below) <= p * IZR (upper_total (bounds_table n a d)
    * upper_total (bounds_table n a' d')).
Proof.
  intros P F E. destruct (table_bounded n a d range) as [t [T W]]. destruct (table_bounded n a' d' range') as [t' [T' W']].
  rewrite mult_IZR. apply out_of_scale with t t'; try easy; try (apply most_scale; easy).
  eapply Rle_trans; [apply (paired_below t t' _ 0 many (scaled_mass n a d) (fun b => IZR bound_scale * f b)); try exact W; try
    easy|].
  - now rewrite table_length.
  - intros b L. rewrite table_length in L by easy. apply (F t'); try easy; lia.
  - rewrite table_length by easy. right. rewrite E, <- sum_scale. apply sum_ext. intros b _. unfold scaled_mass. cbn [Nat.add].
    ring.
Qed.

Lemma pivot_at_least :
  IZR (paired (lows (bounds_table n a d)) (map least_without (seq 0 many)) (running_sums 0 (lows (bounds_table n a' d'))))
  <= pivot_chance n (success_rate a d) (success_rate a' d') * IZR (upper_total (bounds_table n a d) * upper_total (bounds_table
    n a' d')).
Proof.
  pose proof (success_rate_range a d range) as U. pose proof (success_rate_range a' d' range') as V.
  apply at_least with (fun b => sum (least_without b) (success_mass n (success_rate a' d'))); [apply pivot_range; lra | | apply
    pivot_sum].
  intros t' T' W' b L. assert (C := cut_below b n ltac:(lia)).
  destruct (sums_below t' _ 0 _ (least_without b) 0 W') as [N H]; try easy.
  - intros j. unfold scaled_mass. apply Rmult_le_pos; [apply IZR_le; easy | apply success_mass_nonneg; lra].
  - rewrite table_length by easy. lia.
  - split; [exact N|]. unfold sum_starting, scaled_mass in H. cbn [Nat.add] in H. rewrite sum_scale in H. lra.
Qed.

Lemma no_pivot_at_least :
  IZR (paired (lows (bounds_table n a d)) (map least_without (seq 0 many)) (rests (lows (bounds_table n a' d'))))
  <= (1 - pivot_chance n (success_rate a d) (success_rate a' d')) * IZR (upper_total (bounds_table n a d) * upper_total
    (bounds_table n a' d')).
Proof.
  pose proof (success_rate_range a d range) as U. pose proof (success_rate_range a' d' range') as V.
  assert (P : 0 <= pivot_chance n (success_rate a d) (success_rate a' d') <= 1) by (apply pivot_range; lra).
  apply at_least with (fun b => sum_starting (least_without b) (S n - least_without b) (success_mass n (success_rate a' d')));
    [lra | | apply no_pivot_sum].
  intros t' T' W' b L. assert (C := cut_below b n ltac:(lia)).
  destruct (rests_below t' _ 0 _ (least_without b) W') as [N H]; [rewrite table_length by easy; lia|].
  split; [exact N|]. rewrite table_length in H by easy. unfold sum_starting, scaled_mass in H |- *. rewrite sum_scale in H.
    exact H.
Qed.

End Likely.

(** PAD: how often labels by rollouts err, for every utility from 0.3 to 1, and with fewer rollouts at 0.3. *)

Require Import Reals Lra Lia List Arith ZArith Bool.
Require Import laws binomials labels boxes.
Import ListNotations.
Open Scope R_scope.

(** A pivot is called where the utility is the same before the draft and after it. *)
Definition false_alarm (n : nat) (u : R) : R := chance (rollout_label n u u) (fun l => l).

(** None is called where the draft takes a share of the utility away. *)
Definition miss (n : nat) (u drop : R) : R := chance (rollout_label n u ((1 - drop) * u)) negb.

(** * What is computed, of probabilities *)

(** Both errors at the corners of all boxes, the first of which begins where it is said. *)
Fixpoint corners (n : nat) (low : Z * Z) (ends : list (Z * Z)) : Prop :=
  match ends with
  | [] => True
  | high :: more =>
      pivot_chance n (utility_at high) (utility_at low) <= / 20 /\ 1 - pivot_chance n (utility_at low) ((1 - / 5) * utility_at
        high) <= / 20 /\ corners n high more
  end.

Lemma is_rate_range e : is_rate e = true -> (0 < fst e <= snd e)%Z.
Proof. unfold is_rate. intros H. apply andb_prop in H as [A B]. apply Z.ltb_lt in A. apply Z.leb_le in B. lia. Qed.

Lemma value_dropped e : (0 < fst e <= snd e)%Z -> utility_at (utility_dropped e) = (1 - / 5) * utility_at e.
Proof.
  intros R. unfold utility_at, utility_dropped, success_rate. cbn [fst snd]. rewrite !mult_IZR. field. apply not_0_IZR. lia.
Qed.

Lemma is_most_spec first second part p : 0 < IZR (upper_total first * upper_total second) ->
  is_most first second part = true -> IZR part <= p * IZR (upper_total first * upper_total second) -> 1 - p <= / 20.
Proof.
  unfold is_most. intros P M B. apply Z.leb_le, IZR_le in M. rewrite !mult_IZR in M. rewrite !mult_IZR in B, P.
  apply (Rmult_le_reg_r (IZR (upper_total first) * IZR (upper_total second))); [easy|]. lra.
Qed.

Lemma most_positive n e f e' f' : (0 < e <= f)%Z -> (0 < e' <= f')%Z -> 0 < IZR (upper_total (bounds_table n e f) * upper_total
  (bounds_table n e' f')).
Proof.
  intros R R'. rewrite mult_IZR. assert (S : 0 < IZR bound_scale) by (apply IZR_lt; reflexivity).
  assert (P : forall e f, (0 < e <= f)%Z -> 0 < IZR (upper_total (bounds_table n e f))).
  { clear - S. intros e f R. destruct (table_bounded n e f R) as [t [T W]]. apply most_scale in W; [|easy].
    destruct (Rlt_le_dec 0 (IZR (upper_total (bounds_table n e f)))) as [L|L]; [easy|].
    assert (0 <= - IZR (upper_total (bounds_table n e f)) * t) by (apply Rmult_le_pos; lra). lra. }
  apply Rmult_lt_0_compat; now apply P.
Qed.

Lemma boxes_corners n many low ends : (S n <= many)%nat -> (0 < fst low <= snd low)%Z ->
  boxes n (map least_without (seq 0 many)) (law_of n low) ends = true -> corners n low ends.
Proof.
  intros M. revert low. induction ends as [|high more IH]; intros low L B; [easy|].
  cbn [boxes] in B. apply andb_prop in B as [B E]. apply andb_prop in B as [B D]. apply andb_prop in B as [B A].
  apply is_rate_range in B. assert (C : (0 < fst (utility_dropped high) <= snd (utility_dropped high))%Z) by (cbn
    [utility_dropped fst snd]; lia).
  cbn [corners]. rewrite <- value_dropped by easy. repeat split; [| | now apply IH].
  - replace (pivot_chance n (utility_at high) (utility_at low)) with (1 - (1 - pivot_chance n (utility_at high) (utility_at
    low))) by ring.
    eapply is_most_spec; [| exact A | apply no_pivot_at_least; easy]. now apply most_positive.
  - eapply is_most_spec; [| exact D | apply pivot_at_least; easy]. now apply most_positive.
Qed.

Lemma ends_cover n more : forall low high u, corners n low (high :: more) -> (0 < fst low <= snd low)%Z ->
  Forall (fun e => is_rate e = true) (high :: more) -> utility_at low <= u -> u <= utility_at (last more high) ->
  pivot_chance n u u <= / 20 /\ 1 - pivot_chance n u ((1 - / 5) * u) <= / 20.
Proof.
  induction more as [|next_bounds more IH]; intros low high u C R F L H;
    destruct C as [A [M C]]; apply Forall_inv in F as E; apply is_rate_range in E;
    pose proof (success_rate_range _ _ R) as [L0 L1]; pose proof (success_rate_range _ _ E) as [H0 H1]; fold (utility_at low)
      in *; fold (utility_at high) in *.
  - cbn [last] in H. split.
    + eapply Rle_trans; [apply (pivot_rises n u u (utility_at high) (utility_at low)); lra | exact A].
    + eapply Rle_trans; [|exact M]. apply Rplus_le_compat_l, Ropp_le_contravar, pivot_rises; lra.
  - destruct (Rle_dec u (utility_at high)) as [N|N].
    + split.
      * eapply Rle_trans; [apply (pivot_rises n u u (utility_at high) (utility_at low)); lra | exact A].
      * eapply Rle_trans; [|exact M]. apply Rplus_le_compat_l, Ropp_le_contravar, pivot_rises; lra.
    + apply (IH high next_bounds u C); [easy | now apply Forall_inv_tail in F | lra|].
      replace (last more next_bounds) with (last (next_bounds :: more) high); [exact H|]. clear. revert next_bounds high.
      induction more as [|e more IH]; intros next_bounds high; [easy|]. change (last (e :: more) high = last (e :: more)
        next_bounds).
      now rewrite !IH.
Qed.

Lemma errs_spec m many n : (S m <= many)%nat -> errs m (map least_without (seq 0 many)) = true -> (0 < n <= m)%nat ->
  / 20 < pivot_chance n (utility_at first_end) (utility_at first_end).
Proof.
  intros M. induction m as [|m IH]; intros E R; [lia|]. cbn [errs] in E. apply andb_prop in E as [A B].
  destruct (Nat.eq_dec n (S m)) as [->|N]; [|apply IH; [lia | exact B | lia]].
  assert (F : (0 < fst first_end <= snd first_end)%Z) by (cbn; lia).
  assert (P := pivot_at_least (S m) many _ _ _ _ F F M). assert (Q := most_positive (S m) _ _ _ _ F F).
  apply Z.ltb_lt, IZR_lt in A. rewrite (mult_IZR 20) in A. unfold law_of, utility_at in *.
  apply (Rmult_lt_reg_r (IZR (upper_total (bounds_table (S m) (fst first_end) (snd first_end)) * upper_total (bounds_table (S
    m) (fst first_end) (snd first_end))))); [exact Q|].
  lra.
Qed.

Lemma false_alarm_pivot n u : false_alarm n u = pivot_chance n u u.
Proof. easy. Qed.

Lemma miss_pivot n u drop : miss n u drop = 1 - pivot_chance n u ((1 - drop) * u).
Proof. apply no_pivot. Qed.

Lemma first_value : utility_at first_end = 3 / 10.
Proof. unfold utility_at, success_rate. cbn [fst snd first_end]. lra. Qed.

(** With 1139 rollouts before a draft and 1139 after it, and the ratio 0.9, for every utility from 0.3 to 1 the label "pivot" has
    probability at most 5 % where the draft takes nothing away, and the label "no pivot" where it takes a fifth away; at the
    corners of the 120 boxes between these ends, too. *)
Theorem pad_label_noise_corrected :
  corners enough_rollouts first_end later_ends /\
  forall u, 3 / 10 <= u <= 1 -> false_alarm 1139 u <= / 20 /\ miss 1139 u (/ 5) <= / 20.
Proof.
  assert (F : (0 < fst first_end <= snd first_end)%Z) by (cbn; lia).
  assert (C : corners enough_rollouts first_end later_ends) by (exact (boxes_corners _ _ _ _ (le_n _) F boxes_pass)).
  split; [exact C|]. intros u [L H]. rewrite false_alarm_pivot, miss_pivot. change 1139%nat with enough_rollouts.
  generalize enough_rollouts C. clear C. intros n C.
  assert (E : exists high more, later_ends = high :: more /\ last more high = (1, 1)%Z) by (now eexists; eexists).
  destruct E as [high [more [E G]]]. rewrite E in C. apply (ends_cover n more first_end high); [exact C | exact F | | |].
  - rewrite <- E. apply Forall_forall. intros e I. revert e I. apply forallb_forall. now vm_compute.
  - now rewrite first_value.
  - rewrite G. unfold utility_at, success_rate. cbn [fst snd]. lra.
Qed.

(** With any smaller number of rollouts the label "pivot" has probability above 5 % where the utility is 0.3 before the draft and
    after it: 1139 is the smallest number that keeps both errors at most 5 % for every utility from 0.3 to 1. *)
Theorem pad_label_noise_sharp :
  (forall n, (0 < n < 1139)%nat -> / 20 < false_alarm n (3 / 10)) /\
  forall u, 3 / 10 <= u <= 1 -> false_alarm 1139 u <= / 20 /\ miss 1139 u (/ 5) <= / 20.
Proof.
  split; [|apply pad_label_noise_corrected]. intros n R. rewrite false_alarm_pivot, <- first_value.
  apply (errs_spec (pred enough_rollouts) (S enough_rollouts)); [now apply Nat.leb_le; vm_compute | exact fewer_err|].
  split; [easy|]. now apply Nat.lt_le_pred.
Qed.

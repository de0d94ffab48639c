(** SQS: for which numbers of tokens the printed code is no longer than that of all tokens, and what that is worth. *)

Require Import Reals Lra Lia List Arith.
Require Import laws sqs lattice distortion best codes.
Import ListNotations.
Open Scope R_scope.

(** Words of the printed code, a set of K tokens and a lattice point over them; words of the dense code, a point over all V. *)
Definition sparse_words (V K l : nat) : nat := (length (subsets V K) * length (lattice_points K l))%nat.
Definition dense_words (V l : nat) : nat := length (lattice_points V l).

Lemma combinations_next n : forall k, (S k * combinations n (S k) = (n - k) * combinations n k)%nat.
Proof.
  induction n as [|n IH]; intros k; [destruct k; simpl; lia|].
  destruct k as [|k]; [cbn [combinations]; specialize (IH 0%nat); rewrite combinations_none in *; lia|].
  cbn [combinations]. pose proof (IH k) as A. pose proof (IH (S k)) as B.
  destruct (Nat.le_gt_cases n k) as [L|L].
  - rewrite (combinations_above n (S k)), (combinations_above n (S (S k))) by lia. replace (S n - S k)%nat with 0%nat by lia. lia.
  - replace (S n - S k)%nat with (n - k)%nat by lia. replace (n - k)%nat with (S (n - S k)) in * by lia. nia.
Qed.

(** Moving n up with k. *)
Lemma combinations_up n : forall k, (S k * combinations (S n) (S k) = S n * combinations n k)%nat.
Proof.
  intros k. cbn [combinations]. pose proof (combinations_next n k) as A. destruct (Nat.le_gt_cases k n) as [L|L].
  - replace (n - k)%nat with (n - k)%nat in A by easy. assert (n = (n - k) + k)%nat by lia. nia.
  - rewrite !combinations_above by lia. lia.
Qed.

Lemma words_positive V K l : (0 < K)%nat -> (K <= V)%nat -> (0 < sparse_words V K l)%nat.
Proof.
  intros P L. unfold sparse_words. pose proof (some_points K l P). destruct (lattice_points K l) eqn:E; [easy|].
  assert (0 < length (subsets V K))%nat; [|simpl; lia]. rewrite subsets_count. clear - L. revert K L.
  induction V as [|v IH]; intros [|K] L; simpl; try lia. specialize (IH K ltac:(lia)). lia.
Qed.

Lemma words_next V K l : (0 < K)%nat ->
  (sparse_words V (S K) l * (S K * K) = sparse_words V K l * ((V - K) * (l + K)))%nat.
Proof.
  intros P. destruct K as [|K]; [lia|]. unfold sparse_words. rewrite !subsets_count, !points_count.
  pose proof (combinations_next V (S K)) as A. pose proof (combinations_up (l + K) K) as B.
  replace (l + S K)%nat with (S (l + K)) by lia.
  set (a := combinations V (S (S K))) in *. set (b := combinations V (S K)) in *.
  set (c := combinations (S (l + K)) (S K)) in *. set (d := combinations (l + K) K) in *.
  replace (a * c * (S (S K) * S K))%nat with ((S (S K) * a) * (S K * c))%nat by lia. rewrite A, B. lia.
Qed.

Lemma words_all V l : sparse_words V V l = dense_words V l.
Proof. unfold sparse_words, dense_words. rewrite subsets_count, combinations_all. lia. Qed.

(** Once they fall they go on falling. *)
Lemma words_fall V K l : (0 < K)%nat -> (K < V)%nat -> (sparse_words V (S K) l < sparse_words V K l)%nat ->
  forall J, (K <= J)%nat -> (J < V)%nat -> (sparse_words V (S J) l < sparse_words V J l)%nat.
Proof.
  intros P L F. assert (Ratio : forall J, (0 < J)%nat -> (J < V)%nat ->
    (sparse_words V (S J) l < sparse_words V J l <-> (V - J) * (l + J) < S J * J)%nat).
  { intros J J0 JV. pose proof (words_next V J l J0) as E. pose proof (words_positive V J l J0 ltac:(lia)) as W.
    set (a := sparse_words V (S J) l) in *. set (b := sparse_words V J l) in *. split; intros H; nia. }
  intros J KJ. induction KJ as [|J KJ IH]; intros JV; [exact F|].
  apply Ratio; [lia | exact JV |]. assert (G : ((V - J) * (l + J) < S J * J)%nat) by (apply Ratio; [lia | lia | apply IH; lia]).
  assert (J0 : (0 < J)%nat) by lia. clear - G JV J0.
  assert (A : ((V - S J) * S J <= (V - J) * S (S J))%nat) by nia.
  assert (B : ((l + S J) * J <= (l + J) * S J)%nat) by nia.
  assert (D : ((V - S J) * S J * ((l + S J) * J) <= (V - J) * S (S J) * ((l + J) * S J))%nat) by (now apply Nat.mul_le_mono).
  assert (F : ((V - J) * (l + J) * (S (S J) * S J) < S J * J * (S (S J) * S J))%nat) by (apply Nat.mul_lt_mono_pos_r; lia).
  apply (Nat.mul_lt_mono_pos_r (S J * J)); [nia|].
  replace ((V - S J) * (l + S J) * (S J * J))%nat with ((V - S J) * S J * ((l + S J) * J))%nat by lia.
  replace ((V - J) * S (S J) * ((l + J) * S J))%nat with ((V - J) * (l + J) * (S (S J) * S J))%nat in D by lia.
  replace (S (S J) * S J * (S J * J))%nat with (S J * J * (S (S J) * S J))%nat by lia. lia.
Qed.

(** If the printed code of K tokens is longer than the dense one, so is that of every K' with K < K' < V: those below V that are no
    longer are 1, …, K* for some K*, and that of V is as long. *)
Theorem sqs_bandwidth_sharp V l : (0 < l)%nat ->
  (forall K K', (0 < K)%nat -> (K < K')%nat -> (K' < V)%nat -> (dense_words V l < sparse_words V K l)%nat ->
    (dense_words V l < sparse_words V K' l)%nat) /\
  (exists most, forall K, (0 < K)%nat -> (K < V)%nat -> ((sparse_words V K l <= dense_words V l)%nat <-> (K <= most)%nat)) /\
  sparse_words V V l = dense_words V l.
Proof.
  intros L. assert (Longer : forall K K', (0 < K)%nat -> (K < K')%nat -> (K' < V)%nat ->
    (dense_words V l < sparse_words V K l)%nat ->
    (dense_words V l < sparse_words V K' l)%nat).
  { intros K K' P KK KV D. destruct (Nat.le_gt_cases (sparse_words V K' l) (dense_words V l)) as [Sh|Sh]; [|exact Sh]. exfalso.
    assert (Fall : exists J, (K <= J)%nat /\ (J < K')%nat /\ (sparse_words V (S J) l < sparse_words V J l)%nat).
    { clear KV. revert Sh. induction KK as [|K' KK IH]; intros Sh; [exists K; repeat split; lia|].
      destruct (Nat.le_gt_cases (sparse_words V K' l) (dense_words V l)) as [A|A].
      - destruct (IH A) as [J [B [C E]]]. exists J. repeat split; lia.
      - exists K'. repeat split; lia. }
    destruct Fall as [J [A [B F]]].
    assert (Down : forall M, (K' < M)%nat -> (M <= V)%nat -> (sparse_words V M l < sparse_words V K' l)%nat).
    { intros M KM. induction KM as [|M KM IH]; intros MV.
      - apply (words_fall V J l); lia || easy.
      - specialize (IH ltac:(lia)). pose proof (words_fall V J l ltac:(lia) ltac:(lia) F M ltac:(lia) ltac:(lia)). lia. }
    specialize (Down V KV (le_n V)). rewrite words_all in Down. lia. }
  split; [exact Longer|]. split; [|apply words_all].
  assert (Up : forall n, (n <= V)%nat -> exists most, forall K, (0 < K)%nat -> (K < n)%nat ->
    ((sparse_words V K l <= dense_words V l)%nat <-> (K <= most)%nat)).
  { induction n as [|n IH]; intros N; [exists 0%nat; intros; lia|]. destruct (IH ltac:(lia)) as [most M].
    destruct (Nat.le_gt_cases (sparse_words V n l) (dense_words V l)) as [A|A].
    - exists n. intros K K0 KN. split; [lia|]. intros _.
      destruct (Nat.le_gt_cases (sparse_words V K l) (dense_words V l)) as [B|B]; [exact B|].
      destruct (Nat.eq_dec K n) as [->|NE]; [exact A|]. pose proof (Longer K n K0 ltac:(lia) ltac:(lia) B). lia.
    - exists (Nat.min most (n - 1)). intros K K0 KN. destruct (Nat.eq_dec K n) as [->|NE]; [lia|].
      rewrite (M K K0) by lia. lia. }
  exact (Up V (le_n V)).
Qed.

(** * At equal bits *)

Lemma largest_distance_falls K l l' : (0 < K)%nat -> (0 < l)%nat -> (l <= l')%nat ->
  largest_distance K l' <= largest_distance K l.
Proof.
  intros KP LP LL. unfold largest_distance, middle. apply lt_INR in KP as KR. apply lt_INR in LP as LR.
  apply le_INR in LL as LLR. simpl in KR, LR.
  assert (E : forall m n, 0 < INR n -> INR m * (INR K - INR m) / (INR K * INR n) = INR m / INR n * (INR K - INR m) * / INR K)
    by (intros; field; lra).
  rewrite !E by lra. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
  pose proof (Nat.div_mod_eq K 2). pose proof (Nat.mod_upper_bound K 2 (Nat.neq_succ_0 1)).
  set (m := Nat.min l (K / 2)). set (m' := Nat.min l' (K / 2)).
  assert (M : (m <= m' /\ m' <= K)%nat) by (unfold m, m'; lia). destruct M as [MM MK]. apply le_INR in MM, MK.
  assert (Share : INR m' / INR l' <= INR m / INR l).
  { apply (Rmult_le_reg_r (INR l * INR l')); [apply Rmult_lt_0_compat; lra|].
    replace (INR m' / INR l' * (INR l * INR l')) with (INR m' * INR l) by (field; lra).
    replace (INR m / INR l * (INR l * INR l')) with (INR m * INR l') by (field; lra).
    rewrite <- !mult_INR. apply le_INR. unfold m, m'. destruct (Nat.min_spec l (K / 2)), (Nat.min_spec l' (K / 2)); nia. }
  pose proof (pos_INR m') as M0. pose proof (pos_INR m).
  assert (0 <= INR m' / INR l') by (apply Rmult_le_pos; [exact M0 | left; apply Rinv_0_lt_compat; lra]).
  apply Rmult_le_compat; lra.
Qed.

(** Where the printed code of K tokens saves bits at ℓ: of the lattices over K tokens that fit into the dense code's bits the finest,
    of one token the same, has ℓ' >= ℓ, and what it sends of the K likeliest tokens is within δ + (1 - δ) m (K - m)/(K ℓ) of the
    law, δ the mass of the others and m the smaller of ℓ and ⌊K/2⌋. *)
Theorem sqs_resolution_at_equal_bits_corrected V K l l' q kept : law V q -> (0 < K)%nat -> (K < V)%nat -> (0 < l)%nat ->
  is_top V K q kept -> 0 < sum V (on_kept q kept) ->
  (sparse_words V K l <= dense_words V l)%nat ->
  (sparse_words V K l' <= dense_words V l)%nat ->
  (if Nat.eqb K 1 then l' = l else forall finer, (sparse_words V K finer <= dense_words V l)%nat -> (finer <= l')%nat) ->
  let delta := sum V (fun x => if kept x then 0 else q x) in let m := Nat.min l (K / 2) in
  (l <= l')%nat /\ tv V q (sent V q kept l') <= delta + (1 - delta) * (INR m * (INR K - INR m) / (INR K * INR l)).
Proof.
  intros Q K0 KV L0 [Size Top] Mass Saves Fits Finest delta m.
  assert (LL : (l <= l')%nat) by (destruct (Nat.eqb K 1); [lia | now apply Finest]). split; [exact LL|].
  destruct (sqs_total_distortion_sharp V q kept l' Q Mass ltac:(lia)) as [_ B]. rewrite Size in B.
  fold delta in B. change (dropped V q kept) with delta in B. eapply Rle_trans; [exact B|]. apply Rplus_le_compat_l.
  assert (D : 0 <= 1 - delta).
  { destruct Q as [N One]. rewrite <- One. unfold delta. rewrite <- sum_minus. apply sum_nonneg. intros x X.
    specialize (N x X). destruct (kept x); lra. }
  apply Rmult_le_compat_l; [exact D|]. exact (largest_distance_falls K l l' K0 L0 LL).
Qed.

(** Where L(V - K) >= m(V - m), m the smaller of L and ⌊V/2⌋: no law is farther from what the dense lattice at L sends than 1 - K/V,
    and the flat law is no closer to what is sent of any K of its tokens, at whatever resolution. *)
Theorem sqs_best_size_flat_law V K L l q kept : (0 < K)%nat -> (K < V)%nat -> (0 < L)%nat -> (0 < l)%nat -> law V q ->
  is_top V K (flat V) kept -> let m := Nat.min L (V / 2) in (m * (V - m) <= L * (V - K))%nat ->
  tv V q (rounded V L q) <= 1 - INR K / INR V <= tv V (flat V) (sent V (flat V) kept l).
Proof.
  intros K0 KV L0 l0 Q [Size _] m Fine. assert (KR : 0 < INR K) by now apply lt_0_INR.
  assert (VR : INR K < INR V) by now apply lt_INR.
  assert (LR : 0 < INR L) by now apply lt_0_INR. split.
  - eapply Rle_trans; [apply (proj1 (sqs_lattice_sharp V L ltac:(lia) L0) q Q)|]. unfold largest_distance, middle. fold m.
    assert (MV : (m <= V)%nat) by (unfold m; pose proof (Nat.div_mod_eq V 2); lia).
    apply le_INR in Fine. rewrite !mult_INR, !minus_INR in Fine by lia.
    apply (Rmult_le_reg_r (INR V * INR L)); [apply Rmult_lt_0_compat; lra|].
    replace (INR m * (INR V - INR m) / (INR V * INR L) * (INR V * INR L)) with (INR m * (INR V - INR m)) by (field; lra).
    replace ((1 - INR K / INR V) * (INR V * INR L)) with (INR L * (INR V - INR K)) by (field; lra). exact Fine.
  - assert (F : law V (flat V)) by (apply (flat_law V K l); lia).
    assert (Kept : sum V (on_kept (flat V) kept) = INR K / INR V).
    { change (sum V (on_kept (flat V) kept)) with (sum V (fun x => if kept x then / INR V else 0)).
      rewrite (sum_listed V kept (fun _ => / INR V)), sum_constant.
      change (length (listed V kept)) with (size V kept). now rewrite Size. }
    assert (Pos : 0 < INR K / INR V) by (apply Rdiv_lt_0_compat; lra).
    eapply Rle_trans; [|apply (dropped_le V (flat V) kept l F ltac:(lra) l0)].
    pose proof (kept_mass V (flat V) kept F) as M. lra.
Qed.

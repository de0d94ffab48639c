(** SQS: a draft law is cut to a set of tokens, and the law on these is rounded to multiples of 1/ℓ: what is sent, how far it
    is from the draft law, and how many drafts are then rejected. *)

Require Import Reals Lra Lia List Arith ZArith.
Require Import laws lossless sqs lattice rejections.
Import ListNotations.
Open Scope R_scope.

(** The tokens of a set in their order, and sums over them. *)
Definition listed (V : nat) (kept : nat -> bool) : list nat := filter kept (seq 0 V).

Lemma sum_listed V (kept : nat -> bool) f :
  sum V (fun x => if kept x then f x else 0) = sum (length (listed V kept)) (fun i => f (nth i (listed V kept) 0%nat)).
Proof.
  unfold listed. induction V as [|V IH]; [easy|]. rewrite seq_S, filter_app, app_length. simpl.
  rewrite IH. destruct (kept V); simpl.
  - rewrite Nat.add_1_r. cbn [sum]. f_equal.
    + apply sum_ext. intros i L. now rewrite app_nth1.
    + now rewrite app_nth2, Nat.sub_diag by lia.
  - rewrite app_nil_r, Nat.add_0_r. lra.
Qed.

Lemma listed_kept V kept i : (i < length (listed V kept))%nat ->
  kept (nth i (listed V kept) 0%nat) = true /\ (nth i (listed V kept) 0 < V)%nat.
Proof.
  intros L. pose proof (nth_In (listed V kept) 0%nat L) as I. apply filter_In in I as [I K]. apply in_seq in I. split; [easy|lia].
Qed.

Lemma listed_once V kept i j : (i < length (listed V kept))%nat -> (j < length (listed V kept))%nat ->
  nth i (listed V kept) 0%nat = nth j (listed V kept) 0%nat -> i = j.
Proof. intros I J. apply NoDup_nth; [apply NoDup_filter, seq_NoDup | easy | easy]. Qed.

Section Sent.

Variable V : nat.
Variable q : nat -> R.
Variable kept : nat -> bool.
Variable l : nat.
Hypothesis draft_law : law V q.
Hypothesis some_mass : 0 < sum V (on_kept q kept).
Hypothesis l_positive : (0 < l)%nat.

Notation tokens := (listed V kept).

(** How many tokens are kept; the law on them, by their places; what is sent. *)
Definition size : nat := length tokens.
Definition inside (i : nat) : R := sparsified V q kept (nth i tokens 0%nat).
Definition sent (x : nat) : R := sum size (fun i => if Nat.eqb (nth i tokens 0%nat) x then rounded size l inside i else 0).

(** δ: the mass of the tokens that are not kept. *)
Definition dropped : R := sum V (fun x => if kept x then 0 else q x).

Lemma kept_mass : sum V (on_kept q kept) = 1 - dropped.
Proof.
  destruct draft_law as [_ One]. rewrite <- One. unfold dropped, on_kept. rewrite <- sum_minus. apply sum_ext.
  intros x _. destruct (kept x); ring.
Qed.

Lemma dropped_nonneg : 0 <= dropped.
Proof. apply sum_nonneg. intros x L. destruct (kept x); [lra | now apply (law_nonneg V)]. Qed.

Lemma sparsified_nonneg x : (x < V)%nat -> 0 <= sparsified V q kept x.
Proof.
  intros L. unfold sparsified, on_kept at 1. apply Rmult_le_pos; [|left; now apply Rinv_0_lt_compat].
  destruct (kept x); [now apply (law_nonneg V) | lra].
Qed.

Lemma sparsified_of x : kept x = true -> q x = (1 - dropped) * sparsified V q kept x.
Proof. intros K. rewrite <- kept_mass. unfold sparsified, on_kept at 2. rewrite K. field. lra. Qed.

Lemma inside_law : law size inside.
Proof.
  split.
  - intros i L. apply sparsified_nonneg. now apply listed_kept.
  - unfold inside, size. rewrite <- (sum_listed V kept (sparsified V q kept)).
    transitivity (sum V (fun x => on_kept q kept x * / sum V (on_kept q kept))).
    + apply sum_ext. intros x _. unfold sparsified, on_kept at 1 3, Rdiv. destruct (kept x); lra.
    + rewrite sum_scale_right. apply Rinv_r. lra.
Qed.

Lemma sent_at i : (i < size)%nat -> sent (nth i tokens 0%nat) = rounded size l inside i.
Proof.
  intros L. unfold sent. rewrite <- (sum_point size (rounded size l inside) i L). apply sum_ext. intros j J.
  destruct (Nat.eqb_spec (nth j tokens 0%nat) (nth i tokens 0%nat)) as [E|N], (Nat.eqb_spec j i) as [->|M]; try easy.
  now apply listed_once in E.
Qed.

Lemma sent_elsewhere x : kept x = false -> sent x = 0.
Proof.
  intros F. unfold sent. rewrite (sum_ext size _ (fun _ => 0)), ?sum_zero; [easy|]. intros i L.
  destruct (Nat.eqb_spec (nth i tokens 0%nat) x) as [E|N]; [|easy]. apply listed_kept in L as [K _]. rewrite E, F in K. easy.
Qed.

Lemma sum_sent (g : nat -> R -> R) : sum V (fun x => if kept x then g x (sent x) else 0)
  = sum size (fun i => g (nth i tokens 0%nat) (rounded size l inside i)).
Proof. rewrite (sum_listed V kept (fun x => g x (sent x))). apply sum_ext. intros i L. now rewrite sent_at. Qed.

Lemma counts_nonneg i : (i < size)%nat -> 0 <= counts size l inside i.
Proof.
  intros L. unfold counts. assert (0 <= INR l * inside i).
  { apply Rmult_le_pos; [apply pos_INR | now apply (law_nonneg size), L; apply inside_law]. }
  assert (0 <= floor (INR l * inside i)).
  { unfold floor. apply IZR_le. pose proof (base_Int_part (INR l * inside i)) as [_ B].
    assert (IZR (-1) < IZR (Int_part (INR l * inside i))) as C by (simpl; lra). apply lt_IZR in C. lia. }
  destruct (chosen size (remainder l inside) (units size l inside) i); lra.
Qed.

Lemma sent_law : law V sent.
Proof.
  assert (P : 0 < INR l) by now apply lt_0_INR. split.
  - intros x _. apply sum_nonneg. intros i L. destruct (Nat.eqb (nth i tokens 0%nat) x); [|lra].
    apply Rmult_le_pos; [now apply counts_nonneg | left; now apply Rinv_0_lt_compat].
  - rewrite (sum_ext V _ (fun x => if kept x then sent x else 0)).
    + rewrite (sum_sent (fun _ s => s)). unfold rounded, Rdiv. rewrite sum_scale_right.
      rewrite counts_sum; [apply Rinv_r; lra | apply inside_law | easy].
    + intros x _. destruct (kept x) eqn:E; [easy | now apply sent_elsewhere].
Qed.

Lemma sent_nonneg x : (x < V)%nat -> 0 <= sent x.
Proof. apply law_nonneg, sent_law. Qed.

Lemma tv_sent : tv V q sent = sum V (fun x => Rmax 0 (q x - sent x)).
Proof. apply tv_positive. destruct draft_law, sent_law. congruence. Qed.

Lemma dropped_le : dropped <= tv V q sent.
Proof.
  rewrite tv_sent. apply sum_le. intros x L. destruct (kept x) eqn:E; [apply Rmax_l|].
  rewrite sent_elsewhere by easy. rewrite Rminus_0_r. apply Rmax_r.
Qed.

Lemma rounded_law_total : sum size inside = sum size (rounded size l inside).
Proof.
  assert (P : 0 < INR l) by now apply lt_0_INR. destruct inside_law as [_ ->]. unfold rounded, Rdiv.
  rewrite sum_scale_right, counts_sum; [symmetry; apply Rinv_r; lra | apply inside_law | easy].
Qed.

Lemma sent_far : tv V q sent <= dropped + (1 - dropped) * tv size inside (rounded size l inside).
Proof.
  rewrite tv_sent, (tv_positive size) by apply rounded_law_total.
  assert (Z : sum size (fun i => Rmax 0 (inside i - rounded size l inside i))
      = sum V (fun x => if kept x then Rmax 0 (sparsified V q kept x - sent x) else 0))
    by (symmetry; exact (sum_sent (fun x s => Rmax 0 (sparsified V q kept x - s)))).
  rewrite Z.
  pose proof dropped_nonneg as D0. pose proof kept_mass as M. unfold dropped at 1. rewrite <- sum_scale, <- sum_plus.
  apply sum_le. intros x L. pose proof (sent_nonneg x L) as S. destruct (kept x) eqn:E.
  - rewrite (sparsified_of x E). rewrite Rplus_0_l. set (s := sparsified V q kept x). apply Rmax_lub.
    + apply Rmult_le_pos; [lra | apply Rmax_l].
    + apply (Rle_trans _ ((1 - dropped) * (s - sent x))).
      * assert (0 <= dropped * sent x) by now apply Rmult_le_pos. lra.
      * apply Rmult_le_compat_l; [lra | apply Rmax_r].
  - rewrite sent_elsewhere by easy. rewrite Rminus_0_r, Rmult_0_r, Rplus_0_r. apply Rmax_lub; [now apply (law_nonneg V) | lra].
Qed.

(** A law that is cut to any set of tokens with mass, and rounded there, is no farther from what is sent than the mass of the
    other tokens and K/(4ℓ), where K tokens are kept. *)
Theorem sqs_total_distortion :
  tv V q sent <= sum V (fun x => if kept x then 0 else q x) + INR size / (4 * INR l).
Proof.
  fold dropped. eapply Rle_trans; [apply sent_far|]. pose proof dropped_nonneg. pose proof kept_mass.
  pose proof (sqs_lattice size l inside inside_law l_positive) as B.
  assert (N : 0 <= tv size inside (rounded size l inside))
    by (apply Rmult_le_pos; [lra|]; apply sum_nonneg; intros; apply Rabs_pos).
  assert (0 <= dropped * tv size inside (rounded size l inside)) by now apply Rmult_le_pos. lra.
Qed.

(** With δ the mass of the tokens that are not kept, and m the smaller of ℓ and ⌊K/2⌋:
    δ <= TV(q, sent) <= δ + (1 - δ) m (K - m)/(K ℓ). *)
Theorem sqs_total_distortion_sharp : let m := Nat.min l (size / 2) in
  dropped <= tv V q sent <= dropped + (1 - dropped) * (INR m * (INR size - INR m) / (INR size * INR l)).
Proof.
  intros m. split; [apply dropped_le|]. eapply Rle_trans; [apply sent_far|]. apply Rplus_le_compat_l.
  apply Rmult_le_compat_l; [pose proof kept_mass; lra|]. now apply (largest_distance_bounds size l inside inside_law).
Qed.

End Sent.

Section Texts.

Variable V : nat.
Variables target draft : list nat -> nat -> R.
Variable kept : list nat -> nat -> bool.
Variable l : list nat -> nat.
Variable stop : list nat -> list nat -> bool.
Hypothesis target_law : forall text, law V (target text).
Hypothesis draft_law : forall text, law V (draft text).
Hypothesis some_mass : forall text, 0 < sum V (on_kept (draft text) (kept text)).
Hypothesis l_positive : forall text, (0 < l text)%nat.

(** What is sent after a text, the dropped mass δ, the number of tokens kept K, and m. *)
Definition sent_after (text : list nat) : nat -> R := sent V (draft text) (kept text) (l text).
Definition delta (text : list nat) : R := dropped V (draft text) (kept text).
Definition kept_size (text : list nat) : nat := size V (kept text).
Definition m (text : list nat) : nat := Nat.min (l text) (kept_size text / 2).

(** The mean number of rejections on the way to T tokens is at most the mean of Σ TV(sent, p) along the target's texts, which is
    at most that of Σ TV(q, p) + δ + (1 - δ) m (K - m)/(K ℓ): for batches of any length, laws cut to any sets with mass that
    may depend on the text, as may the resolution, and a drafter that stops where it will. *)
Theorem sqs_rejection_bound_sharp gamma T :
  expect (rejections V target sent_after stop T gamma T []) INR
    <= along V target (fun text => tv V (sent_after text) (target text)) T [] /\
  along V target (fun text => tv V (sent_after text) (target text)) T []
    <= along V target (fun text => tv V (draft text) (target text) + (delta text + (1 - delta text)
         * (INR (m text) * (INR (kept_size text) - INR (m text)) / (INR (kept_size text) * INR (l text))))) T [].
Proof.
  split.
  - apply (rejections_price V target sent_after stop target_law). intros text. now apply sent_law.
  - apply along_le; [easy|]. intros text.
    pose proof (tv_triangle V (sent_after text) (draft text) (target text)) as A.
    pose proof (sqs_total_distortion_sharp V (draft text) (kept text) (l text) (draft_law text) (some_mass text)
      (l_positive text)) as [_ B].
    rewrite (tv_sym V (sent_after text) (draft text)) in A. unfold m, kept_size, delta, sent_after in *. lra.
Qed.

End Texts.

(** Where every ℓ q̃_x of a law over K tokens is a whole number and m/K, with m the smaller of ℓ and ⌊K/2⌋, rounding moves the
    law by m (K - m)/(K ℓ), however the whole units are distributed; for every K and ℓ. *)
Theorem sqs_lattice_sharp_attained K l q : law K q -> (0 < l)%nat -> let m := Nat.min l (K / 2) in
  (forall x, (x < K)%nat -> exists n : nat, INR l * q x = INR n + INR m / INR K) ->
  tv K q (rounded K l q) = INR m * (INR K - INR m) / (INR K * INR l).
Proof.
  intros Q Lp m H. assert (L : 0 < INR l) by now apply lt_0_INR.
  assert (Kp : (0 < K)%nat) by (destruct K; [destruct Q as [_ S]; simpl in S; lra | lia]).
  assert (P : 0 < INR K) by now apply lt_0_INR.
  assert (R : forall x, (x < K)%nat -> remainder l q x = INR m / INR K).
  { intros x X. destruct (H x X) as [n E]. unfold remainder. rewrite E. unfold floor.
    rewrite (whole_part_of _ (Z.of_nat n)); rewrite <- INR_IZR_INZ; [ring|]. pose proof (share_range K l Kp Lp) as S.
    change (middle K l) with m in S. lra. }
  assert (U : INR (units K l q) = INR m).
  { rewrite <- (units_sum K l q Q Lp). rewrite (sum_ext K _ (fun _ => INR m / INR K)) by easy. rewrite sum_constant. field. lra. }
  rewrite (tv_lack K l q Q Lp). unfold lack.
  rewrite (sum_ext K _ (fun x => (1 - INR m / INR K) * (if chosen K (remainder l q) (units K l q) x then 1 else 0))).
  - rewrite sum_scale. change (sum K _) with (count K (chosen K (remainder l q) (units K l q))).
    rewrite chosen_count by apply (units_le_K K l q Q Lp). rewrite U. field. lra.
  - intros x X. rewrite R by easy. destruct (chosen K _ _ x); lra.
Qed.

(** C-SQS: the threshold's steps and range, and what is dropped, in both readings of a set that would be empty. *)

Require Import Reals Lra Lia List Arith Bool.
Require Import laws sqs.
Open Scope R_scope.

(** The most likely of the first n tokens; the first of several. *)
Fixpoint top (n : nat) (q : nat -> R) : nat :=
  match n with O => O | S m => if Rlt_dec (q (top m q)) (q m) then m else top m q end.

Lemma top_most n q : (0 < n)%nat -> (top n q < n)%nat /\ forall x, (x < n)%nat -> q x <= q (top n q).
Proof.
  induction n as [|[|n] IH]; intros L; [lia| |].
  - cbn [top]. destruct (Rlt_dec (q 0%nat) (q 0%nat)); split; try lia; intros x X; replace x with 0%nat by lia; lra.
  - destruct IH as [A B]; [lia|]. cbn [top] in *. destruct (Rlt_dec (q (if Rlt_dec (q (top n q)) (q n) then n else top n q))
      (q (S n))) as [C|C].
    + split; [lia|]. intros x X. destruct (Nat.eq_dec x (S n)) as [->|]; [lra|]. specialize (B x ltac:(lia)). lra.
    + split; [lia|]. intros x X. destruct (Nat.eq_dec x (S n)) as [->|]; [lra|]. apply B. lia.
Qed.

Section Thresholds.

Variable V : nat.
Variables eta alpha : R.
Hypothesis some_token : (0 < V)%nat.
Hypothesis eta_positive : 0 < eta.
Hypothesis alpha_range : 0 <= alpha <= 1.

(** Tokens that reach the threshold; where none does, none is kept, or the most likely one. *)
Definition kept (keep_top : bool) (q : nat -> R) (beta : R) (x : nat) : bool :=
  if Rle_dec beta (q x) then true else keep_top && Nat.eqb x (top V q).
Definition dropped (keep_top : bool) (q : nat -> R) (beta : R) : R :=
  sum V (fun x => if kept keep_top q beta x then 0 else q x).
Definition update (keep_top : bool) (q : nat -> R) (beta : R) : R := beta - eta * (dropped keep_top q beta - alpha).
Fixpoint threshold (keep_top : bool) (q : nat -> nat -> R) (start : R) (n : nat) : R :=
  match n with O => start | S m => update keep_top (q m) (threshold keep_top q start m) end.

(** The distance of a law from what is left of it once the others are dropped; 1 where nothing is. *)
Definition distance (keep_top : bool) (q : nat -> R) (beta : R) : R :=
  if Rlt_dec 0 (sum V (on_kept q (kept keep_top q beta))) then tv V q (sparsified V q (kept keep_top q beta)) else 1.

Lemma dropped_and_kept k q beta : law V q -> dropped k q beta = 1 - sum V (on_kept q (kept k q beta)).
Proof.
  intros [_ One]. rewrite <- One. unfold dropped, on_kept. rewrite <- sum_minus. apply sum_ext. intros x _.
  destruct (kept k q beta x); ring.
Qed.

Lemma kept_nonneg k q beta : law V q -> 0 <= sum V (on_kept q (kept k q beta)).
Proof.
  intros [N _]. apply sum_nonneg. intros x L. specialize (N x L). unfold on_kept. destruct (kept k q beta x); lra.
Qed.

Lemma dropped_range k q beta : law V q -> 0 <= dropped k q beta <= 1.
Proof.
  intros Q. split; [|rewrite dropped_and_kept by easy; pose proof (kept_nonneg k q beta Q); lra].
  destruct Q as [N _]. apply sum_nonneg. intros x L. specialize (N x L). destruct (kept k q beta x); lra.
Qed.

Lemma distance_is k q beta : law V q -> distance k q beta = dropped k q beta.
Proof.
  intros Q. unfold distance. destruct (Rlt_dec 0 (sum V (on_kept q (kept k q beta)))) as [P|P].
  - now apply sqs_dropped_mass.
  - pose proof (kept_nonneg k q beta Q). rewrite dropped_and_kept by easy. lra.
Qed.

Lemma dropped_none k q beta : law V q -> beta <= 0 -> dropped k q beta = 0.
Proof.
  intros [N _] B. unfold dropped. rewrite (sum_ext V _ (fun _ => 0)), ?sum_zero; [easy|].
  intros x L. specialize (N x L). unfold kept. destruct (Rle_dec beta (q x)); lra.
Qed.

Lemma dropped_all q beta : law V q -> (forall x, (x < V)%nat -> q x < beta) -> dropped false q beta = 1.
Proof.
  intros Q B. unfold dropped. rewrite (sum_ext V _ q); [apply Q|]. intros x L. specialize (B x L).
  unfold kept. destruct (Rle_dec beta (q x)); [lra | easy].
Qed.

(** A step of the threshold is between -η(1 - α) and ηα, in both readings. *)
Lemma step_range k q beta : law V q -> - eta * (1 - alpha) <= update k q beta - beta <= eta * alpha.
Proof.
  intros Q. pose proof (dropped_range k q beta Q) as D. unfold update.
  assert (0 <= eta * dropped k q beta) by (apply Rmult_le_pos; lra).
  assert (eta * dropped k q beta <= eta * 1) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(** Where the most likely token is kept, a step is no lower than -η(1 - 1/V - α). *)
Theorem csqs_step_sharp q beta : law V q ->
  - eta * (1 - / INR V - alpha) <= update true q beta - beta <= eta * alpha.
Proof.
  intros Q. split; [|now apply step_range]. destruct (top_most V q some_token) as [T M].
  assert (P : 0 < INR V) by now apply lt_0_INR.
  assert (L : / INR V <= q (top V q)).
  { apply (Rmult_le_reg_l (INR V)); [easy|]. rewrite Rinv_r by lra. destruct Q as [_ One]. rewrite <- One.
    assert (C : forall n, sum n (fun _ => q (top V q)) = INR n * q (top V q))
      by (induction n; [simpl; ring | cbn [sum]; rewrite IHn, S_INR; ring]).
    rewrite <- C. now apply sum_le. }
  assert (K : q (top V q) <= sum V (on_kept q (kept true q beta))).
  { destruct Q as [N _]. replace (q (top V q)) with (on_kept q (kept true q beta) (top V q)).
    - apply sum_term; [|easy]. intros x X. specialize (N x X). unfold on_kept. destruct (kept true q beta x); lra.
    - unfold on_kept, kept. destruct (Rle_dec beta (q (top V q))); [easy|]. now rewrite Nat.eqb_refl. }
  unfold update. rewrite dropped_and_kept by easy.
  assert (eta * (1 - sum V (on_kept q (kept true q beta))) <= eta * (1 - / INR V)) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(** It is at most η, in both readings. *)
Theorem csqs_step_size k q beta : law V q -> Rabs (update k q beta - beta) <= eta.
Proof.
  intros Q. pose proof (step_range k q beta Q) as D. apply Rabs_le.
  assert (0 <= eta * alpha) by (apply Rmult_le_pos; lra). assert (eta * alpha <= eta * 1) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(** Read literally, a threshold that starts between -η(1 - α) and 1 + ηα stays there. *)
Theorem csqs_threshold_range_literal q start : (forall n, law V (q n)) ->
  - eta * (1 - alpha) <= start <= 1 + eta * alpha ->
  forall n, - eta * (1 - alpha) <= threshold false q start n <= 1 + eta * alpha.
Proof.
  intros Q S n. induction n as [|n IH]; [exact S|]. cbn [threshold]. set (beta := threshold false q start n) in *.
  pose proof (step_range false (q n) beta (Q n)) as D. unfold update in *.
  destruct (Rle_lt_dec beta 0) as [B|B]; [rewrite (dropped_none false _ beta (Q n) B) in * |].
  - assert (0 <= eta * alpha) by (apply Rmult_le_pos; lra). lra.
  - destruct (Rle_lt_dec beta 1) as [C|C]; [lra|]. assert (Z : dropped false (q n) beta = 1).
    { apply dropped_all; [apply Q|]. intros x X. pose proof (law_le_1 V (q n) x (Q n) X). lra. }
    rewrite Z in *. assert (0 <= eta * (1 - alpha)) by (apply Rmult_le_pos; lra). lra.
Qed.

(** From any start: never below the smaller of the start and -η(1 - α), in both readings; read literally never above the larger
    of the start and 1 + ηα; where the most likely token is kept never above the start by more than nηα. *)
Theorem csqs_threshold_range_any_start_corrected q start : (forall n, law V (q n)) -> forall n,
  (forall k, Rmin start (- eta * (1 - alpha)) <= threshold k q start n) /\
  threshold false q start n <= Rmax start (1 + eta * alpha) /\
  threshold true q start n <= start + INR n * (eta * alpha).
Proof.
  intros Q n. assert (E : 0 <= eta * alpha) by (apply Rmult_le_pos; lra).
  induction n as [|n [A [B C]]]; [simpl; split; [intros; apply Rmin_l | split; [apply Rmax_l | lra]]|]. split; [|split].
  - intros k. specialize (A k). cbn [threshold]. set (beta := threshold k q start n) in *.
    pose proof (step_range k (q n) beta (Q n)) as D. pose proof (Rmin_r start (- eta * (1 - alpha))).
    destruct (Rle_lt_dec beta 0) as [F|F]; [|lra]. unfold update. rewrite (dropped_none k _ beta (Q n) F). lra.
  - cbn [threshold]. set (beta := threshold false q start n) in *. pose proof (step_range false (q n) beta (Q n)) as D.
    pose proof (Rmax_r start (1 + eta * alpha)). destruct (Rle_lt_dec beta 1) as [F|F]; [lra|].
    unfold update. rewrite dropped_all.
    + assert (0 <= eta * (1 - alpha)) by (apply Rmult_le_pos; lra). lra.
    + apply Q.
    + intros x X. pose proof (law_le_1 V (q n) x (Q n) X). lra.
  - cbn [threshold]. rewrite S_INR. pose proof (step_range true (q n) (threshold true q start n) (Q n)). lra.
Qed.

(** The distances of the first T laws from what is left of them sum to αT + (start - threshold)/η, in both readings. *)
Theorem csqs_telescoping_corrected k q start T : (forall n, law V (q n)) ->
  sum T (fun n => distance k (q n) (threshold k q start n)) = alpha * INR T + (start - threshold k q start T) / eta.
Proof.
  intros Q. induction T as [|T IH]; [simpl; unfold Rdiv; ring|]. rewrite S_INR. cbn [sum threshold]. rewrite IH.
  rewrite distance_is by apply Q. unfold update. field. lra.
Qed.

(** A threshold above all of a law: read literally everything is dropped; where the most likely token is kept, what is left is
    from the law by 1 less its largest probability. *)
Theorem csqs_beyond_one_corrected q beta : law V q -> (forall x, (x < V)%nat -> q x < beta) ->
  (forall x, (x < V)%nat -> kept false q beta x = false) /\ dropped false q beta = 1 /\
  tv V q (sparsified V q (kept true q beta)) = 1 - q (top V q) /\ forall x, (x < V)%nat -> q x <= q (top V q).
Proof.
  intros Q B. destruct (top_most V q some_token) as [T M].
  assert (F : forall x, (x < V)%nat -> kept false q beta x = false).
  { intros x L. specialize (B x L). unfold kept. destruct (Rle_dec beta (q x)); [lra | easy]. }
  split; [exact F|]. split; [now apply dropped_all|]. split; [|exact M].
  assert (K : sum V (on_kept q (kept true q beta)) = q (top V q)).
  { rewrite <- (sum_point V q (top V q) T). apply sum_ext. intros x L. specialize (B x L). unfold on_kept, kept.
    destruct (Rle_dec beta (q x)); [lra|]. simpl. now destruct (Nat.eqb x (top V q)). }
  assert (P : 0 < q (top V q)).
  { destruct (Rle_lt_dec (q (top V q)) 0) as [Z|Z]; [|easy]. exfalso. destruct Q as [N One].
    assert (sum V q <= sum V (fun _ => 0)) by (apply sum_le; intros x L; specialize (M x L); lra).
    rewrite sum_zero in *. lra. }
  rewrite sqs_dropped_mass by (easy || lra). rewrite <- K. apply (dropped_and_kept true q beta Q).
Qed.

(** Where η(1 - 2α) is at most 1 + |start| - start, the mean dropped mass of T tokens is at most α + (|start| + 1 + ηα)/(ηT), in
    both readings. *)
Theorem csqs_average_dropped_corrected k q start T : (forall n, law V (q n)) -> (0 < T)%nat ->
  eta * (1 - 2 * alpha) <= 1 + Rabs start - start ->
  sum T (fun n => dropped k (q n) (threshold k q start n)) / INR T
    <= alpha + (Rabs start + 1 + eta * alpha) / (eta * INR T).
Proof.
  intros Q L C. assert (P : 0 < INR T) by now apply lt_0_INR.
  rewrite (sum_ext T _ (fun n => distance k (q n) (threshold k q start n))) by (intros; now rewrite distance_is).
  rewrite csqs_telescoping_corrected by easy.
  destruct (csqs_threshold_range_any_start_corrected q start Q T) as [A _]. specialize (A k).
  assert (D : start - threshold k q start T <= Rabs start + 1 + eta * alpha).
  { pose proof (Rle_abs start). assert (0 <= eta * alpha) by (apply Rmult_le_pos; lra).
    pose proof (Rabs_pos start).
    destruct (Rle_lt_dec start (- eta * (1 - alpha))) as [E|E];
      [rewrite Rmin_left in A by lra | rewrite Rmin_right in A by lra]; lra. }
  replace ((alpha * INR T + (start - threshold k q start T) / eta) / INR T)
    with (alpha + (start - threshold k q start T) * / (eta * INR T)) by (field; lra).
  apply Rplus_le_compat_l. unfold Rdiv. apply Rmult_le_compat_r; [|exact D].
  left. apply Rinv_0_lt_compat. now apply Rmult_lt_0_compat.
Qed.

End Thresholds.

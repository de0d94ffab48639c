(** C-SQS: a threshold decides which tokens of a draft law are kept; read literally, none where none reaches it. *)

Require Import Reals Lra Lia List Sorted Arith.
Require Import laws.
Import ListNotations.
Open Scope R_scope.

(** * The threshold *)

Section Threshold.

Variable V : nat.
Variables eta alpha : R.
Hypothesis eta_positive : 0 < eta.
Hypothesis alpha_range : 0 <= alpha <= 1.

Definition dropped (q : nat -> R) (beta : R) : R := sum V (fun x => if Rle_dec beta (q x) then 0 else q x).
Definition update (q : nat -> R) (beta : R) : R := beta - eta * (dropped q beta - alpha).

(** Along a text whose n-th draft law is q n: the n-th threshold, and what the first n tokens drop. *)
Fixpoint threshold (q : nat -> nat -> R) (start : R) (n : nat) : R :=
  match n with O => start | S m => update (q m) (threshold q start m) end.
Definition total (q : nat -> nat -> R) (start : R) (T : nat) : R := sum T (fun n => dropped (q n) (threshold q start n)).

Definition in_range (beta : R) : Prop := - eta * (1 - alpha) <= beta <= 1 + eta * alpha.

Lemma dropped_range q beta : law V q -> 0 <= dropped q beta <= 1.
Proof.
  intros [N S]. split.
  - apply sum_nonneg. intros x L. destruct (Rle_dec beta (q x)); [lra | now apply N].
  - rewrite <- S. apply sum_le. intros x L. specialize (N x L). destruct (Rle_dec beta (q x)); lra.
Qed.

Lemma dropped_none q beta : law V q -> beta <= 0 -> dropped q beta = 0.
Proof.
  intros [N _] B. unfold dropped. rewrite (sum_ext V _ (fun _ => 0)), ?sum_zero; [easy|].
  intros x L. specialize (N x L). destruct (Rle_dec beta (q x)); lra.
Qed.

Lemma dropped_all q beta : law V q -> 1 < beta -> dropped q beta = 1.
Proof.
  intros Q B. unfold dropped. rewrite (sum_ext V _ q); [apply Q|].
  intros x L. pose proof (law_le_1 V q x Q L). destruct (Rle_dec beta (q x)); lra.
Qed.

Lemma update_range q beta : law V q -> in_range beta -> in_range (update q beta).
Proof.
  intros Q [L U]. unfold update, in_range. pose proof (dropped_range q beta Q) as D.
  destruct (Rle_lt_dec beta 0) as [B|B]; [rewrite (dropped_none q beta Q B)|].
  - assert (0 <= eta * alpha) by (apply Rmult_le_pos; lra). lra.
  - destruct (Rle_lt_dec beta 1) as [C|C]; [|rewrite (dropped_all q beta Q C)].
    + assert (0 <= eta * dropped q beta) by (apply Rmult_le_pos; lra).
      assert (eta * dropped q beta <= eta * 1) by (apply Rmult_le_compat_l; lra). lra.
    + assert (0 <= eta * (1 - alpha)) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma threshold_range q start : (forall n, law V (q n)) -> in_range start -> forall n, in_range (threshold q start n).
Proof. intros Q S. induction n; simpl; [easy | now apply update_range]. Qed.

Lemma telescoping q start T : eta * (total q start T - INR T * alpha) = start - threshold q start T.
Proof.
  induction T as [|T IH]; [unfold total; simpl; ring|].
  rewrite S_INR. unfold total in *. simpl sum. simpl threshold. unfold update. lra.
Qed.

(** From a start in its range, the mean dropped mass of the first T tokens is within (1 + η)/(ηT) of the target α. *)
Theorem csqs_two_sided q start T : (forall n, law V (q n)) -> in_range start -> (0 < T)%nat ->
  Rabs (total q start T / INR T - alpha) <= (1 + eta) / (eta * INR T).
Proof.
  intros Q S L. assert (P : 0 < INR T) by now apply lt_0_INR.
  pose proof (telescoping q start T) as E. pose proof (threshold_range q start Q S T) as [A B]. destruct S as [C D].
  replace (total q start T / INR T - alpha) with ((start - threshold q start T) / (eta * INR T))
    by (rewrite <- E; field; lra).
  assert (0 < eta * INR T) by now apply Rmult_lt_0_compat.
  unfold Rdiv. rewrite Rabs_mult, (Rabs_right (/ (eta * INR T))).
  - apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. apply Rabs_le. lra.
  - apply Rle_ge. left. now apply Rinv_0_lt_compat.
Qed.

End Threshold.

(** * The budget *)

Section Budget.

Variables alpha budget : R.
Hypothesis alpha_range : 0 <= alpha <= 1.
Hypothesis budget_range : 0 <= budget <= 1.

(** Drop tokens one after the other, the least likely first, as long as what is dropped is no more than the room. *)
Fixpoint fit (room : R) (masses : list R) : R :=
  match masses with
  | [] => 0
  | m :: more => if Rle_dec m room then m + fit (room - m) more else 0
  end.

(** Masses of a law, those of the least likely tokens first. *)
Definition masses_of_law (masses : list R) : Prop :=
  Sorted Rle masses /\ (forall m, In m masses -> 0 <= m) /\ fold_right Rplus 0 masses = 1.

(** What the first n tokens of a text drop, whose n-th law has the masses q n: no more than b + α n in all. *)
Fixpoint spent (q : nat -> list R) (n : nat) : R :=
  match n with O => 0 | S m => spent q m + fit (budget + alpha * INR n - spent q m) (q m) end.

Lemma fit_le : forall masses room, 0 <= room -> fit room masses <= room.
Proof.
  induction masses as [|m more IH]; intros room R; simpl; [lra|].
  destruct (Rle_dec m room); [|lra]. assert (fit (room - m) more <= room - m) by (apply IH; lra). lra.
Qed.

Lemma mass_nonneg masses : (forall m, In m masses -> 0 <= m) -> 0 <= fold_right Rplus 0 masses.
Proof.
  induction masses as [|m more IH]; simpl; intros N; [lra|].
  assert (0 <= m) by auto. assert (0 <= fold_right Rplus 0 more) by auto. lra.
Qed.

(** All is dropped, or what is dropped and the next token have more than the room. *)
Lemma fit_ge : forall masses room, (forall m, In m masses -> 0 <= m) ->
  fit room masses = fold_right Rplus 0 masses \/ room < fit room masses + fold_right Rplus 0 masses.
Proof.
  induction masses as [|m more IH]; intros room N; simpl; [now left|].
  assert (0 <= m) by (apply N; now left).
  assert (0 <= fold_right Rplus 0 more) by (apply mass_nonneg; intros; apply N; now right).
  destruct (Rle_dec m room) as [F|F]; [|right; lra].
  destruct (IH (room - m)) as [E|E]; [intros; apply N; now right | left; lra | right; lra].
Qed.

Lemma spent_range q T : (forall n, masses_of_law (q n)) ->
  budget - 1 + alpha * INR T <= spent q T <= budget + alpha * INR T.
Proof.
  intros Q. induction T as [|T IH]; [simpl; lra|].
  cbn [spent]. set (room := budget + alpha * INR (S T) - spent q T).
  assert (A : alpha * INR (S T) = alpha * INR T + alpha) by (rewrite S_INR; ring).
  destruct (Q T) as [_ [N One]].
  assert (fit room (q T) <= room) by (apply fit_le; unfold room; lra).
  destruct (fit_ge (q T) room N) as [E|E]; rewrite One in E; unfold room in *; lra.
Qed.

(** Dropping the least likely tokens as long as no more than b + α n is dropped of the first n: the mean dropped mass of the
    first T tokens is at least α - (1 - b)/T and at most α + b/T. *)
Theorem csqs_budget_rule q T : (forall n, masses_of_law (q n)) -> (0 < T)%nat ->
  alpha - (1 - budget) / INR T <= spent q T / INR T <= alpha + budget / INR T.
Proof.
  intros Q L. assert (P : 0 < INR T) by now apply lt_0_INR. destruct (spent_range q T Q) as [A B].
  replace (alpha - (1 - budget) / INR T) with ((budget - 1 + alpha * INR T) / INR T) by (field; lra).
  replace (alpha + budget / INR T) with ((budget + alpha * INR T) / INR T) by (field; lra).
  assert (0 <= / INR T) by (left; now apply Rinv_0_lt_compat).
  split; apply Rmult_le_compat_r; easy.
Qed.

End Budget.

(** * What no rule can do *)

(** The law of a draft that is certain of a token; what a set of kept tokens drops of it. *)
Definition certain (c x : nat) : R := if Nat.eqb x c then 1 else 0.
Definition lost (V : nat) (kept : nat -> bool) (q : nat -> R) : R := sum V (fun x => if kept x then 0 else q x).

Lemma lost_certain V kept c : (c < V)%nat -> lost V kept (certain c) = if kept c then 0 else 1.
Proof.
  intros L. unfold lost, certain. rewrite (sum_ext V _ (fun x => if Nat.eqb x c then (if kept x then 0 else 1) else 0)).
  - now rewrite sum_point.
  - intros x _. destruct (kept x), (Nat.eqb x c); easy.
Qed.

Lemma whole_total T (b : nat -> bool) : exists k, sum T (fun n => if b n then 0 else 1) = INR k.
Proof.
  induction T as [|T [k E]]; [now exists O|]. cbn [sum]. rewrite E.
  destruct (b T); [exists k; ring | exists (S k); rewrite S_INR; ring].
Qed.

(** Of T tokens of which the draft is certain every rule, whatever sets it keeps, misses the target α = (2m + 1)/(2T) of the
    mean dropped mass by at least 1/(2T), for 0 <= m < T. *)
Theorem csqs_budget_minimax V T m (c : nat -> nat) (kept : nat -> nat -> bool) : (forall n, (c n < V)%nat) -> (m < T)%nat ->
  1 / (2 * INR T) <= Rabs (sum T (fun n => lost V (kept n) (certain (c n))) / INR T - (2 * INR m + 1) / (2 * INR T)).
Proof.
  intros C L. assert (P : 0 < INR T) by (apply lt_0_INR; lia).
  rewrite (sum_ext T _ (fun n => if kept n (c n) then 0 else 1)) by (intros n _; now apply lost_certain).
  destruct (whole_total T (fun n => kept n (c n))) as [k ->].
  replace (INR k / INR T - (2 * INR m + 1) / (2 * INR T)) with ((2 * INR k - 2 * INR m - 1) * / (2 * INR T)) by (field; lra).
  assert (I : 0 < / (2 * INR T)) by (apply Rinv_0_lt_compat; lra).
  rewrite Rabs_mult, (Rabs_pos_eq (/ (2 * INR T))) by lra. apply Rmult_le_compat_r; [lra|].
  destruct (Nat.le_gt_cases k m) as [H|H].
  - apply le_INR in H. rewrite Rabs_left; lra.
  - assert (INR m + 1 <= INR k) by (rewrite <- S_INR; now apply le_INR). rewrite Rabs_pos_eq; lra.
Qed.

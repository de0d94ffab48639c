(** C-SQS: the rule with a budget in place of a step size, where the most likely token is never dropped. *)

Require Import Reals Lra Lia List Sorted Arith.
Require Import laws csqs.
Import ListNotations.
Open Scope R_scope.

Section Budget.

Variables alpha budget : R.
Hypothesis alpha_range : 0 <= alpha <= 1.
Hypothesis budget_range : 0 <= budget <= / 2.

(** What the first n tokens of a text drop, whose n-th law has the masses q n, the least likely first: no more than b + α n in all,
    and never the last, the most likely one. *)
Fixpoint spent_below (q : nat -> list R) (n : nat) : R :=
  match n with
  | O => 0
  | S m => spent_below q m + fit (budget + alpha * INR n - spent_below q m) (removelast (q m))
  end.

(** All is dropped, or what is dropped and some token have more than the room. *)
Lemma fit_stops : forall masses room, fit room masses = fold_right Rplus 0 masses \/ exists m, In m masses /\ room < fit room masses + m.
Proof.
  induction masses as [|m more IH]; intros room; simpl; [now left|]. destruct (Rle_dec m room) as [F|F].
  - destruct (IH (room - m)) as [E|[x [I X]]]; [left; lra | right; exists x; split; [now right | lra]].
  - right. exists m. split; [now left | lra].
Qed.

Lemma in_total masses m : (forall x, In x masses -> 0 <= x) -> In m masses -> m <= fold_right Rplus 0 masses.
Proof.
  induction masses as [|x more IH]; intros N I; [easy|]. simpl.
  assert (0 <= x) by (apply N; now left). assert (forall y, In y more -> 0 <= y) by (intros; apply N; now right).
  destruct I as [->|I]; [pose proof (mass_nonneg more H0); lra | specialize (IH H0 I); lra].
Qed.

Lemma total_app a b : fold_right Rplus 0 (a ++ b) = fold_right Rplus 0 a + fold_right Rplus 0 b.
Proof. induction a as [|x a IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma sorted_last rest top : Sorted Rle (rest ++ [top]) -> forall m, In m rest -> m <= top.
Proof.
  intros S. apply Sorted_StronglySorted in S; [|intros x y z; apply Rle_trans].
  induction rest as [|x rest IH]; intros m I; [easy|]. inversion S as [|? ? S' F]; subst. destruct I as [->|I]; [|now apply IH].
  rewrite Forall_forall in F. apply F, in_or_app. right. now left.
Qed.

Lemma parts masses : masses_of_law masses -> exists rest top, masses = rest ++ [top] /\ removelast masses = rest /\
  fold_right Rplus 0 rest = 1 - top /\ (forall m, In m rest -> 0 <= m <= / 2).
Proof.
  intros [S [N One]]. assert (Some : masses <> []) by (intros ->; simpl in One; lra).
  destruct (exists_last Some) as [rest [top E]]. exists rest, top. subst. rewrite removelast_last.
  rewrite total_app in One. simpl in One. split; [easy|]. split; [easy|]. split; [lra|]. intros m I.
  assert (P : forall x, In x rest -> 0 <= x) by (intros; apply N, in_or_app; now left).
  pose proof (in_total rest m P I). pose proof (sorted_last rest top S m I). split; [now apply P | lra].
Qed.

(** Dropping the least likely tokens, never the most likely one, as long as no more than b + α n has been dropped of the first n,
    0 <= b <= ½, where no law has a mass above 1 - α: the mean dropped mass of the first T tokens is at least α - (½ - b)/T and at
    most α + b/T. *)
Theorem csqs_budget_rule_keep_top q T : (forall n, masses_of_law (q n)) -> (forall n m, In m (q n) -> m <= 1 - alpha) ->
  (0 < T)%nat -> alpha - (/ 2 - budget) / INR T <= spent_below q T / INR T <= alpha + budget / INR T.
Proof.
  intros Q U L. assert (P : 0 < INR T) by now apply lt_0_INR.
  assert (Range : budget - / 2 + alpha * INR T <= spent_below q T <= budget + alpha * INR T).
  { clear L P. induction T as [|T IH]; [simpl; lra|]. cbn [spent_below].
    set (room := budget + alpha * INR (S T) - spent_below q T).
    assert (A : alpha * INR (S T) = alpha * INR T + alpha) by (rewrite S_INR; ring).
    destruct (parts (q T) (Q T)) as [rest [top [E [R [Total Half]]]]]. rewrite R.
    assert (F : fit room rest <= room) by (apply fit_le; unfold room; lra).
    destruct (fit_stops rest room) as [G|[m [I G]]].
    - assert (top <= 1 - alpha) by (apply (U T); rewrite E; apply in_or_app; right; now left).
      rewrite Total in G. unfold room in *. lra.
    - specialize (Half m I). unfold room in *. lra. }
  replace (alpha - (/ 2 - budget) / INR T) with ((budget - / 2 + alpha * INR T) / INR T) by (field; lra).
  replace (alpha + budget / INR T) with ((budget + alpha * INR T) / INR T) by (field; lra).
  assert (0 <= / INR T) by (left; now apply Rinv_0_lt_compat). split; apply Rmult_le_compat_r; lra.
Qed.

End Budget.

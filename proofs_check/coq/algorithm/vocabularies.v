(** RDK on any pair of vocabularies: tokens are matched by the strings that they spell. *)

Require Import Reals Lra Lia List Arith Bool.
Require Import laws lossless sqs rdk.
Import ListNotations.
Open Scope R_scope.

Section Vocabularies.

(** Tokens of the target and of the draft, and the letters that each spells. *)
Variables V W : nat.
Variables spelled spelled_by_draft : nat -> list nat.

Definition same_string (s t : list nat) : bool := if list_eq_dec Nat.eq_dec s t then true else false.

(** A token of the target that the draft has too; the mass that the draft gives its string. *)
Definition shared (x : nat) : bool := existsb (fun y => same_string (spelled_by_draft y) (spelled x)) (seq 0 W).
Definition matched (draft : nat -> R) (x : nat) : R :=
  sum W (fun y => if same_string (spelled_by_draft y) (spelled x) then draft y else 0).

(** TLI's draft: that mass on shared tokens, made a law; uniform on them where there is none.  RDK moves it by a matrix. *)
Definition on_target (draft : nat -> R) (x : nat) : R :=
  let m x := if shared x then matched draft x else 0 in
  if Rlt_dec 0 (sum V m) then m x / sum V m
  else (if shared x then 1 else 0) / sum V (fun y => if shared y then 1 else 0).
Definition redistributed (M : nat -> nat -> R) (draft : nat -> R) : nat -> R := image V (on_target draft) M.

(** The string of a text, whose last token stands first. *)
Definition string_of (text : list nat) : list nat := concat (map spelled (rev text)).

Lemma on_target_law draft : law W draft -> (exists x, (x < V)%nat /\ shared x = true) -> law V (on_target draft).
Proof.
  intros [N _] [x [L S]]. unfold on_target. set (m := fun x => if shared x then matched draft x else 0).
  assert (M : forall y, (y < V)%nat -> 0 <= m y).
  { intros y _. unfold m. destruct (shared y); [|lra]. apply sum_nonneg. intros z Z. destruct (same_string _ _); [now apply N | lra]. }
  destruct (Rlt_dec 0 (sum V m)) as [P|P].
  - split; [|unfold Rdiv; rewrite sum_scale_right; apply Rinv_r; lra]. intros y Y.
    apply Rmult_le_pos; [now apply M | left; now apply Rinv_0_lt_compat].
  - assert (O : forall y, (y < V)%nat -> 0 <= (fun y => if shared y then 1 else 0) y) by (intros y _; cbv beta; destruct (shared y); lra).
    pose proof (sum_term V _ x O L) as T. cbv beta in T. rewrite S in T.
    split; [|unfold Rdiv; rewrite sum_scale_right; apply Rinv_r; lra]. intros y Y.
    apply Rmult_le_pos; [now apply O | left; apply Rinv_0_lt_compat; lra].
Qed.

Lemma redistributed_law M draft : row_stochastic V M -> law W draft -> (exists x, (x < V)%nat /\ shared x = true) -> law V (redistributed M draft).
Proof.
  intros S D E. destruct (on_target_law draft D E) as [N One]. split.
  - intros j L. apply sum_nonneg. intros i I. apply Rmult_le_pos; [now apply N | now apply (law_nonneg V _ j (S i I))].
  - unfold redistributed, image. rewrite sum_swap. transitivity (sum V (on_target draft)); [|exact One]. apply sum_ext. intros i I.
    rewrite sum_scale. destruct (S i I) as [_ ->]. ring.
Qed.

(** For any pair of vocabularies that share a token, tokens matched by their strings, and however the draft splits a text, so whatever its
    law after a text is: the string that follows has the law of the target alone, token by token and for texts. *)
Theorem rdk_any_vocabularies target (draft : list nat -> nat -> R) (M : list nat -> nat -> nat -> R) gamma T :
  (forall text, law V (target text)) -> (forall text, law W (draft text)) -> (forall text, row_stochastic V (M text)) ->
  (exists x, (x < V)%nat /\ shared x = true) ->
  let proposal text := redistributed (M text) (draft text) in
  (forall text s, chance (step V (target text) (proposal text)) (fun x => same_string (spelled x) s)
    = sum V (fun x => if same_string (spelled x) s then target text x else 0)) /\
  forall test, chance (speculate V proposal never (verify V target proposal) T gamma T []) (fun text => test (string_of text))
    = chance (sample V target T []) (fun text => test (string_of text)).
Proof.
  intros P D S E proposal. assert (Q : forall text, law V (proposal text)) by (intros; now apply redistributed_law). split.
  - intros text s. unfold chance. rewrite step_expect by easy. apply sum_ext. intros x _. unfold indicator. destruct (same_string (spelled x) s); ring.
  - intros test. now apply sd_lossless.
Qed.

End Vocabularies.

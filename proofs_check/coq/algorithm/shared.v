(** Drafts that are coupled to the target by shared noise (Daliri et al. 2024): at each position of the text draft and target race
    with the same numbers. *)

Require Import Reals Lia List Arith.
Require Import laws lossless race.
Import ListNotations.
Open Scope R_scope.

Section Shared.

Variable V : nat.
Variable target : list nat -> nat -> R.

(** The numbers of a race, for each position of the text. *)
Variable noise : nat -> nat -> R.

(** Who wins the race of a model after a text. *)
Definition next (model : list nat -> nat -> R) (text : list nat) : nat := winner V (model text) (noise (length text)).

(** gamma drafts, each the winner after those before it. *)
Fixpoint raced (draft : list nat -> nat -> R) (gamma : nat) (text : list nat) : list nat :=
  match gamma with O => [] | S g => next draft text :: raced draft g (next draft text :: text) end.

(** What one call of the target emits: its own winners, up to the first that is no draft, or one more after all drafts. *)
Fixpoint emitted (text xs : list nat) : list nat :=
  match xs with
  | [] => [next target text]
  | x :: more => if Nat.eqb (next target text) x then x :: emitted (x :: text) more else [next target text]
  end.

(** Calls until n more tokens are there, of which no more are kept; and n more tokens from the target alone. *)
Fixpoint calls (drafter : list nat -> list nat) (rounds n : nat) (text : list nat) : list nat :=
  match rounds, n with
  | S fewer, S _ => let ys := emitted text (drafter text) in calls drafter fewer (n - length ys) (extended n ys text)
  | _, _ => text
  end.
Fixpoint alone (n : nat) (text : list nat) : list nat :=
  match n with O => text | S m => alone m (next target text :: text) end.

Lemma extended_cons n y ys text : extended (S n) (y :: ys) text = extended n ys (y :: text).
Proof. unfold extended. simpl. now rewrite <- app_assoc. Qed.

Lemma emitted_alone xs : forall n text, alone (n - length (emitted text xs)) (extended n (emitted text xs) text) = alone n text.
Proof.
  assert (Last : forall n text, alone (n - 1) (extended n [next target text] text) = alone n text).
  { intros [|n] text; [easy|]. rewrite extended_cons. unfold extended. rewrite firstn_nil. cbn [alone].
    now replace (S n - 1)%nat with n by lia. }
  induction xs as [|x more IH]; intros n text; cbn [emitted]; [apply Last|].
  destruct (Nat.eqb_spec (next target text) x) as [<-|D]; [|apply Last].
  destruct n as [|n]; [easy|]. cbn [length]. rewrite extended_cons. cbn [Nat.sub alone]. apply IH.
Qed.

Lemma emitted_some text xs : (1 <= length (emitted text xs))%nat.
Proof. destruct xs as [|x more]; simpl; [lia|]. destruct (Nat.eqb (next target text) x); simpl; lia. Qed.

Lemma calls_alone drafter : forall rounds n text, (n <= rounds)%nat -> calls drafter rounds n text = alone n text.
Proof.
  induction rounds as [|fewer IH]; intros [|n] text L; [easy | lia | easy|]. cbn [calls].
  rewrite IH; [apply emitted_alone|]. pose proof (emitted_some text (drafter text)). lia.
Qed.

(** Given the noise, the first T tokens are the same for every drafter that races with it, whatever its law and however many
    tokens it drafts: they are the target's own winners. *)
Theorem coupling_invariant draft other gamma gamma' T :
  calls (raced draft gamma) T T [] = calls (raced other gamma') T T [] /\ calls (raced draft gamma) T T [] = alone T [].
Proof. now rewrite !calls_alone. Qed.

End Shared.

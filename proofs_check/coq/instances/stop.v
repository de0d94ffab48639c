(** Statements about when to stop drafting. *)

Require Import vocabulary logarithms block process.

(** By squares: TV² is at most a fifth of the entropy in nats. *)
Definition stop_entropy_bound (p q : law) : bool := may_be_at_most (Num (tv p q * tv p q)) (Times (Num (1 # 5)) (entropy q)).

(** Of γ drafts those before the first that is dropped are verified; row i of `ends` says for which token draft i is dropped. *)
Fixpoint until_dropped (ends : list (list bool)) (xs : list nat) : list nat :=
  match ends, xs with
  | drops :: more, x :: rest => if nth (S x) drops false then [] else x :: until_dropped more rest
  | _, _ => []
  end.
Definition scheduled_call (p q : model) (gamma : nat) (ends : list (list bool)) (t : text) : program text :=
  xs <- drafts q gamma t ;; tested p p q t (until_dropped ends xs).
Definition stop_schedule_after (p q : matrix) (gamma length : nat) (ends : list (list bool)) : bool :=
  writes (scheduled_call (markov p) (markov q) gamma ends) (markov p) (List.length (row p 0)) length.

(** Statements about when to stop drafting. *)

Require Import vocabulary logarithms.

(** By squares: TV² is at most a fifth of the entropy in nats. *)
Definition stop_entropy_bound (p q : law) : bool := may_be_at_most (Num (tv p q * tv p q)) (Times (Num (1 # 5)) (entropy q)).

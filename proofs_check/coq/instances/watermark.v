(** Statements about keyed drafts. Over keys, a draft and the token after a rejection have a joint law; the coin is fresh. *)

Require Import vocabulary.

Definition keys (joint : matrix) : program (nat * nat) :=
  flat_map (fun x => map (fun y => (at_ (row joint x) y, (x, y))) (tokens (row joint x))) (seq 0 (length joint)).
Definition given (p q : law) (key : nat * nat) : program nat :=
  kept <- coin (ratio p q (fst key)) ;; ret (if kept : bool then fst key else snd key).

Definition watermark_fresh_coins_one_key (p q : law) (joint : matrix) : bool :=
  lossless p (key <- keys joint ;; given p q key).
Definition watermark_fresh_coins_strength (p q : law) (joint : matrix) : bool :=
  chance (key <- keys joint ;; (x <- given p q key ;; (y <- given p q key ;; ret (Nat.eqb x y)))) (fun b => b) =? 1.

(** Statements about drafters that draw positions without seeing one another. *)

Require Import vocabulary block.

(** The law of the token after one of law a, by rows of P; what of a draft law is accepted on average after it. *)
Definition marginal (a : law) (P : matrix) : law :=
  map (fun y => sum (map (fun x => at_ a x * at_ (row P x) y) (tokens a))) (tokens (row P 0)).
Definition accepted_after (a : law) (P : matrix) (q : law) : Q := expect (draw a) (fun x => overlap (row P x) q).

(** Both drafts of their own; the second is tested with the law of Q after the first. *)
Definition told_after (a : law) (P : matrix) (q : law) (T : matrix) : program (nat * nat) :=
  x <- draw q ;; (y <- draw (marginal q T) ;; (kept <- coin (ratio a q x) ;;
    if kept then (kept_too <- coin (told_ratio (row P x) (row T x) y) ;;
      if kept_too then ret (x, y) else (z <- draw (residual (row P x) (row T x)) ;; ret (x, z)))
    else (z <- draw (residual a q) ;; (w <- draw (row P z) ;; ret (z, w))))).
Definition parallel_told_conditional (a : law) (P : matrix) (q : law) (Q : matrix) : bool :=
  forallb (fun x => forallb (fun y =>
    chance (told_after a P q Q) (fun e => Nat.eqb (fst e) x && Nat.eqb (snd e) y) =? at_ a x * at_ (row P x) y) (tokens a))
    (tokens a).

Definition parallel_marginal_best (a : law) (P : matrix) (q : law) : bool :=
  accepted_after a P q <=? accepted_after a P (marginal a P).

(** Two drafts, the second alike after each first one, or not. *)
Definition by_token (p q : model) : program ending := ended (token_by_token p q []) q 2.
Definition gain (p q : model) : Q := mean_kept (ended (block p q) q 2) - mean_kept (by_token p q).
Definition passed (p q : model) (n : nat) : Q := chance (by_token p q) (fun e => Nat.leb n (fst e)).
Definition parallel_block_gains_more_assumes (p q rival : matrix) : bool :=
  forallb (fun n => passed (markov p) (by_place q) n =? passed (markov p) (markov rival) n) [1; 2]%nat.
Definition parallel_block_gains_more (p q rival : matrix) : bool :=
  gain (markov p) (markov rival) <=? gain (markov p) (by_place q).

(** A source with rows T. Place i is drafted with the law of the token i steps after the last one of the text, x. *)
Fixpoint ahead (T : matrix) (x n : nat) : law :=
  match n with O => point (length T) x | S m => marginal (ahead T x m) T end.
Fixpoint all_kept (T : matrix) (x last place n : nat) : Q :=
  match n with
  | O => 1
  | S m => sum (map (fun y => min (at_ (row T last) y) (at_ (ahead T x place) y) * all_kept T x y (S place) m)
      (seq 0 (length T)))
  end.
Definition kept_in_a_row (T : matrix) (pi : law) (n : nat) : Q := expect (draw pi) (fun x => all_kept T x x 1 n).
Definition parallel_depth_assumes (T : matrix) (pi : law) : bool := equal (marginal pi T) pi.
Definition parallel_depth (T : matrix) (pi : law) (depth : nat) : bool :=
  let m := kept_in_a_row T pi in
  forallb (fun i => m (i - 1)%nat * m (S i) <=? m i * m i) (seq 1 (depth - 1)).

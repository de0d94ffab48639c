(** A statement about products of coins: an area under a hyperbola, so that its probabilities hold logarithms. *)

Require Import vocabulary logarithms block.

(** For two drafts of ratios a and b, c = a b: both are kept where the product of two coins u, v is at most c, an area of
    c - c ln c; none where u is above a and u v above c, 1 - a + c ln a; else the first. *)
Definition both_kept (c : Q) : real := if c =? 0 then Num 0 else if c =? 1 then Num 1 else Minus (Num c) (Times (Num c) (Ln c)).
Definition none_kept (a c : Q) : real :=
  if a =? 0 then Num 1 else if a =? 1 then Num 0 else Plus (Num (1 - a)) (Times (Num c) (Ln a)).
(** After n of the drafts one token, of the target after all of them, else of what it has above the draft law. *)
Definition after_kept (p q : model) (n : nat) (xs : list nat) : program ending :=
  let t := rev (firstn n xs) in
  y <- draw (if Nat.eqb n (length xs) then p t else residual (p t) (q t)) ;; ret (n, y :: t).
Definition ratios (p q : model) (xs : list nat) : Q * Q :=
  match xs with
  | x :: y :: _ => let a := ratio (p []) (q []) x in (a, a * ratio (p [x]) (q [x]) y)
  | _ => (1, 1)
  end.
(** Every way to draft, with the fractions between which both probabilities lie. *)
Record way : Type := Way { weight : Q; drafted : list nat; none : between; all : between }.
Definition ways (p q : model) : list way :=
  map (fun wx => let (a, c) := ratios p q (snd wx) in
    Way (fst wx) (snd wx) (enclosure (none_kept a c)) (enclosure (both_kept c))) (drafts q 2 []).
Definition fraction (c : Q) : between := Some (c, c).
(** That one way makes a text of the first two tokens. *)
Definition begins (p q : model) (t : text) (one : way) : between :=
  let given := fun n => weight one * chance (first_tokens p 2 (after_kept p q n (drafted one))) (same t) in
  let first := given 1%nat in
  summed (fraction first)
    (summed (multiplied (fraction (given 0%nat - first)) (none one)) (multiplied (fraction (given 2%nat - first)) (all one))).
(** For two drafts. False only where some text has certainly another probability than under the target. *)
Definition block_cumprod_assumes (gamma : nat) : bool := Nat.eqb gamma 2.
Definition block_cumprod (p q : matrix) : bool :=
  let every := ways (markov p) (markov q) in
  forallb (fun t =>
    let own := fraction (chance (sample (markov p) 2 []) (same t)) in
    let found := fold_right summed (fraction 0) (map (begins (markov p) (markov q) t) every) in
    perhaps_at_most own found && perhaps_at_most found own) (texts (length (row p 0)) 2).

(** Statements about lists of drafts that race with noise of their own: K streams of exponential times; in each the draft has the
    least time over q, and the target over all of them the least time over p. *)

Require Import vocabulary multi.

(** * Sums of c e^(-a s), as pairs (c, a) *)

Definition exponentials : Type := list (Q * Q).
Definition multiplied (f g : exponentials) : exponentials :=
  flat_map (fun one => map (fun other => (fst one * fst other, snd one + snd other)) g) f.
Fixpoint raised (f : exponentials) (n : nat) : exponentials :=
  match n with O => [(1, 0)] | S m => multiplied f (raised f m) end.
(** The mean over s with density K e^(-K s). *)
Definition mean_over (K : nat) (f : exponentials) : Q := sum (map (fun one => whole K * fst one / (whole K + snd one)) f).

(** * The target's race ends at s, with density K e^(-K s), whichever token j wins it, and in any stream. By then all other times
    have come to s p and go on without memory. *)

Definition ratio_of (p q : law) (x : nat) : Q := at_ p x / at_ q x.
(** In a stream no token gets to s u over q but with e^(-s level(u)). *)
Definition level (p q : law) (u : Q) : Q := sum (zip (fun a b => positive_part (b * u - a)) p q).
(** How fast that rises just above u. *)
Definition slope (p q : law) (u : Q) : Q := sum (zip (fun a b => if (0 <? b) && (a <=? b * u) then b else 0) p q).
Fixpoint put (u : Q) (f : list Q) : list Q :=
  match f with [] => [u] | v :: more => if u <? v then u :: f else if u =? v then f else v :: put u more end.
Definition places (p q : law) : list Q :=
  fold_right (fun x f => if 0 <? at_ q x then put (ratio_of p q x) f else f) [] (tokens p).
(** The integral of s e^(-s level(u)) over u from the first of some places on, piece by piece. *)
Fixpoint from_place (p q : law) (f : list Q) : exponentials :=
  match f with
  | [] => []
  | u :: more =>
      (1 / slope p q u, level p q u)
      :: match more with [] => [] | v :: _ => (0 - 1 / slope p q u, level p q v) :: from_place p q more end
  end.
(** That token j is no draft, given that it won: not of the stream in which it did, nor of the others. *)
Definition no_draft (p q : law) (K j : nat) : Q :=
  let u := ratio_of p q j in
  let elsewhere := map (fun one => (0 - at_ q j * fst one, snd one)) (from_place p q (filter (at_most u) (places p q))) in
  mean_over K (multiplied [(1, 0); (-1 # 1, level p q u)] (raised ((1, 0) :: elsewhere) (K - 1))).
Definition listed_match (p q : law) (K : nat) : Q :=
  sum (map (fun j => if 0 <? at_ q j then at_ p j * (1 - no_draft p q K j) else 0) (tokens p)).

(** The lemma's right side. *)
Definition lemma_bound (p q : law) (K : nat) : Q :=
  sum (map (fun j => if (at_ p j =? 0) || (at_ q j =? 0) then 0 else
    whole K / sum (map (fun i =>
      max (at_ p i / at_ p j) (at_ q i / at_ q j) + whole (K - 1) * (at_ p i / at_ p j)) (tokens p))) (tokens p)).
Definition coupling_list_exact (p q : law) (drafts : nat) : bool := listed_match p q drafts =? lemma_bound p q drafts.
Definition coupling_list_over_rrs (p q : law) (drafts : nat) : bool :=
  acceptance (rrs drafts p q) <=? listed_match p q drafts.

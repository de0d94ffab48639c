(** Statements about cascades: q drafts, m verifies its drafts, and p verifies what m emits. *)

Require Import vocabulary metrics.

Definition cascade_told_draft (p m q : law) : bool :=
  lossless p (z <- step m q ;; (kept <- coin (told_ratio p q z) ;; if kept then ret z else draw (residual p q))).

Definition survives (p m q : law) : Q :=
  chance (x <- draw q ;; (first <- coin (ratio m q x) ;; (second <- coin (ratio p m x) ;; ret (andb first second))))
    (fun b => b).
Definition lies_between (p m q : law) : bool :=
  forallb (fun x => (min (at_ p x) (at_ q x) <=? at_ m x) && (at_ m x <=? max (at_ p x) (at_ q x))) (tokens p).
Definition cascade_accepts_less_equality (p m q : law) : bool :=
  Bool.eqb (survives p m q =? overlap p q) (lies_between p m q).

(** In each round m verifies drafts of q, each kept with `lower`, and emits one token more; then p verifies all of these, each kept
    with `upper`, and emits one more. Times are in passes of p. *)
Fixpoint rounds (lower : Q) (inner n : nat) : program nat :=
  match n with O => ret O | S m => a <- run lower inner ;; (b <- rounds lower inner m ;; ret (S a + b)%nat) end.
Definition tokens_of_pass (lower upper : Q) (inner n : nat) : Q :=
  1 + expect (rounds lower inner n) (mean_accepted upper).
Definition speed_with (lower upper draft_cost middle_cost : Q) (inner n : nat) : Q :=
  tokens_of_pass lower upper inner n / (1 + whole n * (whole inner * draft_cost + middle_cost)).
Definition speed_without (alpha draft_cost : Q) (gamma : nat) : Q :=
  (1 + mean_accepted alpha gamma) / (1 + whole gamma * draft_cost).
Definition cascade_pays_folk_assumes (p m q : law) (middle_cost : Q) : bool :=
  (middle_cost <=? 1) && (overlap q p <? overlap q m) && (overlap q p <? overlap m p).
Definition cascade_pays_folk (p m q : law) (draft_cost middle_cost : Q) : bool :=
  largest (map (speed_without (overlap q p) draft_cost) (seq 0 4)) <=?
  largest (flat_map (fun inner =>
    map (speed_with (overlap q m) (overlap m p) draft_cost middle_cost inner) (seq 1 3)) (seq 0 4)).

(** Each model verifies once what the one before it emits, and adds a token. *)
Fixpoint through (rates : list Q) (n : nat) : program nat :=
  match rates with [] => ret n | a :: more => kept <- run a n ;; through more (S kept) end.
Definition emitted_through (p first second q : law) (gamma : nat) : Q :=
  expect (through [overlap q first; overlap first second; overlap second p] gamma) whole.
Definition cascade_order (p cheap dear q : law) (gamma : nat) : bool :=
  emitted_through p dear cheap q gamma <=? emitted_through p cheap dear q gamma.

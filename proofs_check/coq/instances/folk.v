(** Statements of public threads. One step unless a statement says otherwise. *)

Require Import vocabulary.

(** The most likely token of q is drafted, or a sample of q; the target's own sample is emitted, and equal or not. *)
Definition matches (p q : law) : program (bool * nat) := x <- draw q ;; (y <- draw p ;; ret (Nat.eqb x y, y)).
Definition match_accepts (p q : law) : Q := chance (matches p q) fst.
Definition match_emits (p q : law) : program nat := y <- matches p q ;; ret (snd y).
Definition at_top (p q : law) : Q := at_ p (argmax q).

Definition folk_argmax_draft_any (p q : law) : bool := match_accepts p q <=? match_accepts p (top q).
Definition folk_drop_probs (p q : law) : bool := accepted_by (top q) (ratio p (top q)) <=? overlap p q.
Definition folk_one_hot_better_enough_assumes (p q : law) : bool := at_top q q <? at_top p q.
Definition folk_one_hot_better_enough (p q : law) : bool := overlap p q <=? accepted_by (top q) (ratio p (top q)).
Definition folk_one_hot_vs_match (p q : law) : bool := match_accepts p (top q) <? accepted_by (top q) (ratio p (top q)).
Definition folk_match_bias_target (p q : law) : bool := negb (lossless p (match_emits p q)).
Definition folk_greedy_draft_match (p q : law) : bool := negb (lossless p (match_emits p (top q))).
Definition folk_match_lossy_accept (p q : law) : bool := match_accepts p (top q) <=? overlap p q.

(** Candidates in turn: each is kept with its probability, else set to zero. *)
Fixpoint in_turn (p : law) (candidates : list nat) : program nat :=
  match candidates with
  | [] => draw p
  | x :: more => kept <- coin (at_ p x) ;; if kept then ret x else in_turn (without p x) more
  end.
Definition folk_q_one (p : law) (candidates : list nat) : bool := negb (lossless p (in_turn p candidates)).
Definition folk_eagle_greedy (p : law) : bool := chance (in_turn p [0%nat]) (Nat.eqb 1) =? 0.

Definition folk_same_token_or (p q : law) : bool :=
  lossless p (x <- draw q ;; (y <- draw p ;; (passed <- coin (ratio p q x) ;;
    if Nat.eqb x y || passed then ret x else draw (residual p q)))).
Definition folk_residual_at_x (p q : law) : bool :=
  lossless p (step_by q (ratio p q) (fun x =>
    normalised (map (fun y => if Nat.eqb x y then positive_part (at_ p y - at_ q y) else at_ p y) (tokens p)) p)).

Definition top_k (q : law) (k : nat) : law := normalised (where_ (most_likely k q) q) q.
Definition folk_told_raw (p q : law) (k : nat) : bool := lossless p (told p (top_k q k) q).
Definition folk_told_softmax (p q : law) : bool := lossless p (told p (top q) q).

Definition folk_resample_p_every_assumes (p q : law) : bool := negb (equal p q).
Definition folk_resample_p_every (p q : law) : bool := negb (lossless p (step_by q (ratio p q) (fun _ => p))).

(** A coin on the grid 0, 1/N, …, 1 - 1/N is at most c. *)
Definition coin_at_most (c : Q) (grid : positive) : Q :=
  Qmake (Z.min (Qfloor (c * inject_Z (Zpos grid)) + 1)%Z (Zpos grid)) grid.
Definition folk_zero_coin (c : Q) (grid : positive) : bool := coin_at_most c grid <=? c.

(** Each candidate is compared with a sample of its own; else the first sample is emitted. *)
Definition folk_own_samples (p : law) (candidates : list nat) : bool :=
  match candidates with
  | [a; b] => lossless p (x <- draw p ;; (y <- draw p ;; ret (if Nat.eqb a x then a else if Nat.eqb b y then b else x)))
  | _ => true
  end.

(** Rows of floats with 24 binary digits, below 1: they need not sum to one. *)
Definition float32 (m : Q) : bool :=
  (0 <=? m) && (m <? 1) && Z.leb (Qnum (Qred m)) (2 ^ 24) && Z.eqb (2 ^ Z.log2 (Zpos (Qden (Qred m)))) (Zpos (Qden (Qred m))).
Definition folk_residual_zero_float32_assumes (p q : law) : bool := forallb float32 (p ++ q).
Definition folk_residual_zero_float32 (p q : law) : bool := implies (0 <? sum (excess q p)) (0 <? sum (excess p q)).

Definition folk_lean_residual (p q : law) : bool :=
  equal (zip plus (zip min p q) (scaled (1 - overlap p q) (excess p q))) p.

(** Exponentials E race twice, at the rates q and then r. The token that won first, at a time m, has no mass in r. Every other y is
    at q_y m by then and goes on with a fresh exponential: in the second race it starts at m q_y/r_y. Two tokens race there, as of
    three one is out, and r_y + r_z = 1: y wins where it starts later if z has not arrived, of chance e^(-r_z m (start y - start z)),
    and then with chance r_y. As m has the law e^(-m), the mean of that is r_y / (1 + r_z (start y - start z)). *)
Definition start (q r : law) (y : nat) : Q := at_ q y / at_ r y.
Definition overtakes (q r : law) (y z : nat) : Q := at_ r y / (1 + at_ r z * (start q r y - start q r z)).
Definition wins (q r : law) (y z : nat) : Q :=
  if start q r z <=? start q r y then overtakes q r y z else 1 - overtakes q r z y.
Definition raced_again (q r : law) : law :=
  match filter (fun y => 0 <? at_ r y) (tokens r) with
  | [y; z] => map (fun x => if Nat.eqb x y then wins q r y z else if Nat.eqb x z then wins q r z y else 0) (tokens r)
  | _ => r
  end.
Definition folk_noise_reuse_assumes (p q : law) : bool := Nat.eqb (length p) 3.
Definition folk_noise_reuse (p q : law) : bool :=
  lossless p (step_by q (ratio p q) (fun _ => raced_again q (residual p q))).

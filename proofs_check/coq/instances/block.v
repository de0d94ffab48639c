(** Statements about blocks. A text has its last token first; a model is a map from texts to laws. *)

Require Import vocabulary.

Definition text : Type := list nat.
Definition model : Type := text -> law.
(** By the last token, the first row before any; by place; a first law, then by the last token. *)
Definition markov (m : matrix) : model := fun t => row m (match t with [] => O | x :: _ => S x end).
Definition by_place (m : matrix) : model := fun t => row m (length t).
Definition first_then (p : law) (after : matrix) : model := fun t => match t with [] => p | x :: _ => row after x end.

Fixpoint sample (p : model) (n : nat) (t : text) : program text :=
  match n with O => ret t | S m => x <- draw (p t) ;; sample p m (x :: t) end.
Fixpoint drafts (q : model) (gamma : nat) (t : text) : program (list nat) :=
  match gamma with O => ret [] | S g => x <- draw (q t) ;; (xs <- drafts q g (x :: t) ;; ret (x :: xs)) end.

(** How many drafts are kept, and the text with the token after them. *)
Definition ending : Type := nat * text.
Fixpoint token_by_token (p q : model) (t : text) (xs : list nat) : program ending :=
  match xs with
  | [] => y <- draw (p t) ;; ret (length t, y :: t)
  | x :: more => kept <- coin (ratio (p t) (q t) x) ;;
      if kept then token_by_token p q (x :: t) more else (y <- draw (residual (p t) (q t)) ;; ret (length t, y :: t))
  end.

(** Prefixes of the drafts, the longest first, each with r: 1 at first, then min(1, r P/Q). *)
Fixpoint prefixes (p q : model) (r : Q) (t : text) (xs : list nat) (longest : list (Q * text)) : list (Q * text) :=
  match xs with
  | [] => (r, t) :: longest
  | x :: more => prefixes p q (min 1 (r * at_ (p t) x / at_ (q t) x)) (x :: t) more ((r, t) :: longest)
  end.
Definition left (p q : model) (r : Q) (t : text) : law := excess (scaled r (p t)) (q t).

(** Prefix i passes with Z/(Z + 1 - r), Z the mass of (r P - Q)₊ after it; the whole block with r. *)
Definition passes (p q : model) (r : Q) (t : text) : Q :=
  let z := sum (left p q r t) in if z + (1 - r) =? 0 then 1 else z / (z + (1 - r)).
Fixpoint longest_passing (after : Q -> text -> law) (p q : model) (shorter : list (Q * text)) : program ending :=
  match shorter with
  | [] => ret (O, [])
  | (r, t) :: more => kept <- coin (passes p q r t) ;;
      if kept then (y <- draw (normalised (after r t) (p t)) ;; ret (length t, y :: t)) else longest_passing after p q more
  end.
Definition block_with (after : Q -> text -> law) (p q : model) (xs : list nat) : program ending :=
  match prefixes p q 1 [] xs [] with
  | (r, t) :: shorter => kept <- coin r ;;
      if kept then (y <- draw (p t) ;; ret (length t, y :: t)) else longest_passing after p q shorter
  | [] => ret (O, [])
  end.
Definition block (p q : model) : list nat -> program ending := block_with (left p q) p q.

(** Wrong: the first prefix that fails ends it. *)
Fixpoint until_failure (p q : model) (before : Q * text) (rest : list (Q * text)) : program ending :=
  match rest with
  | [] => y <- draw (p (snd before)) ;; ret (length (snd before), y :: snd before)
  | (r, t) :: more => kept <- coin (match more with [] => r | _ => passes p q r t end) ;;
      if kept then until_failure p q (r, t) more
      else (y <- draw (normalised (left p q (fst before) (snd before)) (p (snd before))) ;;
            ret (length (snd before), y :: snd before))
  end.
Definition block_early (p q : model) (xs : list nat) : program ending :=
  match rev (prefixes p q 1 [] xs []) with first :: rest => until_failure p q first rest | [] => ret (O, []) end.

Definition ended (verify : list nat -> program ending) (q : model) (gamma : nat) : program ending :=
  xs <- drafts q gamma [] ;; verify xs.
Definition mean_kept (d : program ending) : Q := expect d (fun e => whole (fst e)).
Definition kept_chance (d : program ending) (n : nat) : Q := chance d (fun e => Nat.eqb n (fst e)).

(** The first T tokens, what was emitted continued by the target. *)
Definition first_tokens (p : model) (T : nat) (d : program ending) : program text :=
  e <- d ;; (t <- sample p (T - length (snd e)) (snd e) ;; ret (skipn (length t - T) t)).
Fixpoint texts (V T : nat) : list text :=
  match T with O => [[]] | S n => flat_map (fun t => map (fun x => x :: t) (seq 0 V)) (texts V n) end.
Definition same (s t : text) : bool := if list_eq_dec Nat.eq_dec s t then true else false.
Definition has_law (V T : nat) (p : model) (d : program ending) : bool :=
  forallb (fun t => chance (first_tokens p T d) (same t) =? chance (sample p T []) (same t)) (texts V T).

Definition block_strictly_more_assumes (gamma : nat) : bool := Nat.leb 2 gamma.
Definition block_strictly_more (p q : matrix) (gamma : nat) : bool :=
  mean_kept (ended (token_by_token (markov p) (markov q) []) (markov q) gamma)
  <? mean_kept (ended (block (markov p) (markov q)) (markov q) gamma).

Definition block_token_residual (p q : matrix) (gamma : nat) : bool :=
  has_law (length (row p 0)) (gamma + 1) (markov p)
    (ended (block_with (fun _ => left (markov p) (markov q) 1) (markov p) (markov q)) (markov q) gamma).

Definition block_whole (p q : matrix) (gamma : nat) : bool :=
  kept_chance (ended (block (markov p) (markov q)) (markov q) gamma) gamma
  =? sum (map (fun t => min (chance (sample (markov p) gamma []) (same t)) (chance (sample (markov q) gamma []) (same t)))
    (texts (length (row p 0)) gamma)).

Definition folk_block_gamma_two (p q : law) (gamma : nat) : bool :=
  let P := fun _ : text => p in let R := fun _ : text => q in
  forallb (fun n => kept_chance (ended (block P R) R gamma) n =? kept_chance (ended (token_by_token P R []) R gamma) n)
    (seq 0 (S gamma)).

(** Each draft is the first of two tokens, for sure. *)
Definition folk_block_one_hot (masses : list Q) : bool :=
  let P := by_place (map (fun m => [m; 1 - m]) masses ++ [[1; 0]]) in let R := fun _ : text => [1; 0] in
  mean_kept (ended (block P R) R (length masses)) <? mean_kept (ended (token_by_token P R []) R (length masses)).

Definition folk_block_prefix (p q : law) (after draft_after : matrix) : bool :=
  let P := first_then p after in let R := first_then q draft_after in
  has_law (length p) 2 P (ended (block_early P R) R 2).

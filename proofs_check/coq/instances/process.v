(** Statements about processors, seeds and counters around the test. One step unless a statement says otherwise. *)

Require Import vocabulary logarithms folk block.

(** * Penalties: each occurrence in the text takes a factor from a token's mass *)

Definition occurrences (t : text) (x : nat) : nat := List.length (filter (Nat.eqb x) t).
Definition penalised (factor : Q) (t : text) (p : law) : law :=
  normalised (map (fun x => at_ p x * power factor (occurrences t x)) (tokens p)) p.
Definition processed (factor : Q) (p : model) : model := fun t => penalised factor t (p t).

(** A call after the text t: drafts are tested against one law, the token after all of them is of another. *)
Fixpoint tested (p last q : model) (t : text) (xs : list nat) : program text :=
  match xs with
  | [] => y <- draw (last t) ;; ret (y :: t)
  | x :: more => kept <- coin (ratio (p t) (q t) x) ;;
      if kept then tested p last q (x :: t) more else (y <- draw (residual (p t) (q t)) ;; ret (y :: t))
  end.
(** Calls until T tokens are there; each adds one at least. *)
Fixpoint calls (call : text -> program text) (T n : nat) (t : text) : program text :=
  match n with
  | O => ret t
  | S m => if Nat.leb T (List.length t) then ret t else u <- call t ;; calls call T m u
  end.
Definition oldest (T : nat) (t : text) : text := skipn (List.length t - T) t.
Definition writes (call : text -> program text) (p : model) (V T : nat) : bool :=
  let d := calls call T T [] in
  forallb (fun t => chance d (fun u => same (oldest T u) t) =? chance (sample p T []) (same t)) (texts V T).
Definition drafter (q : matrix) (factor : Q) (too : nat) : model :=
  if Nat.eqb too 0 then markov q else processed factor (markov q).

(** The penalty of a whole call is that of the text before it. *)
Definition stale_call (p q : model) (factor : Q) (gamma : nat) (t : text) : program text :=
  let before := fun u => penalised factor t (p u) in
  xs <- drafts q gamma t ;; tested before before q t xs.
Definition process_stale (p q : matrix) (factor : Q) (gamma length same : nat) : bool :=
  writes (stale_call (markov p) (drafter q factor same) factor gamma) (processed factor (markov p))
    (List.length (row p 0)) length.

Definition bonus_call (p q : model) (factor : Q) (gamma : nat) (t : text) : program text :=
  xs <- drafts q gamma t ;; tested (processed factor p) p q t xs.
Definition process_bonus (p q : matrix) (factor : Q) (gamma length same : nat) : bool :=
  writes (bonus_call (markov p) (drafter q factor same) factor gamma) (processed factor (markov p))
    (List.length (row p 0)) length.

(** * Truncations and temperatures *)

(** What is left of the residual on the k most likely tokens of p; where nothing is, p on them. *)
Definition cut_residual (k : nat) (p q : law) : law := normalised (where_ (most_likely k p) (residual p q)) (top_k p k).
Definition process_residual_only (p q : law) (k : nat) : bool :=
  equal (output (length p) (step_by q (ratio p q) (fun _ => cut_residual k p q))) (top_k p k).

Definition sharpened (n : nat) (p : law) : law := normalised (map (fun m => power m n) p) p.
Definition min_p (share : Q) (p : law) : law := normalised (map (fun m => if share * largest p <=? m then m else 0) p) p.
Definition process_order_min_p (p : law) (n : nat) (share : Q) : bool :=
  equal (sharpened n (min_p share p)) (min_p share (sharpened n p)).

(** The fewest of the most likely tokens that hold the share; of 0: all. *)
Fixpoint fewest (tries k : nat) (share : Q) (p : law) : nat :=
  match tries with
  | O => k
  | S m => if share <=? sum (where_ (most_likely k p) p) then k else fewest m (S k) share p
  end.
Definition top_p (share : Q) (p : law) : law := if share =? 0 then p else top_k p (fewest (length p) 0 share p).
Definition process_order_top_p (p : law) (n : nat) (share : Q) : bool :=
  equal (sharpened n (top_p share p)) (top_p share (sharpened n p)).

(** * A grammar: which texts of two tokens it has *)

Definition may_follow (grammar : list (list bool)) (x : nat) : list bool := nth x grammar [].
Definition in_grammar (grammar : list (list bool)) (x y : nat) : bool := nth y (may_follow grammar x) false.
Definition masked (p : matrix) (grammar : list (list bool)) : program (nat * nat) :=
  x <- draw (restricted (row p 0) (map (existsb (fun b => b)) grammar)) ;;
  (y <- draw (restricted (row p (S x)) (may_follow grammar x)) ;; ret (x, y)).
Definition pairs (m n : nat) : list (nat * nat) := flat_map (fun x => map (fun y => (x, y)) (seq 0 n)) (seq 0 m).
Definition is_pair (a b : nat * nat) : bool := Nat.eqb (fst a) (fst b) && Nat.eqb (snd a) (snd b).
Definition process_mask_law (p : matrix) (grammar : list (list bool)) : bool :=
  let every := pairs (length (row p 0)) (length (row p 0)) in
  let own := fun xy : nat * nat => let (x, y) := xy in
    if in_grammar grammar x y then at_ (row p 0) x * at_ (row p (S x)) y else 0 in
  let all := sum (map own every) in
  (all =? 0) || forallb (fun xy => chance (masked p grammar) (is_pair xy) =? own xy / all) every.

(** * Seeds: two requests take the same uniform numbers *)

(** A number u in [0, 1) makes of each law the token in whose piece of the interval it lies. *)
Definition until (p : law) (x : nat) : Q := sum (firstn x p).
Definition by_one_number (p r : law) : program (nat * nat) :=
  map (fun xy : nat * nat => let (x, y) := xy in
    (positive_part (min (until p (S x)) (until r (S y)) - max (until p x) (until r y)), xy)) (pairs (length p) (length r)).
(** Two tests pass where one number is below a, and below b. *)
Definition tests_by_one_number (a b : Q) : program (bool * bool) :=
  [(min a b, (true, true)); (positive_part (a - b), (true, false)); (positive_part (b - a), (false, true));
   (1 - max a b, (false, false))].
Definition one_seed (p q other other_q : law) : program (nat * nat) :=
  drafted <- by_one_number q other_q ;;
  (kept <- tests_by_one_number (ratio p q (fst drafted)) (ratio other other_q (snd drafted)) ;;
  (again <- by_one_number (residual p q) (residual other other_q) ;;
  ret (if fst kept : bool then fst drafted else fst again, if snd kept : bool then snd drafted else snd again))).
Definition independent (p other : law) (d : program (nat * nat)) : bool :=
  forallb (fun xy => chance d (is_pair xy) =? at_ p (fst xy) * at_ other (snd xy)) (pairs (length p) (length other)).
Definition process_seed_batch (p q other other_q : law) : bool := independent p other (one_seed p q other other_q).

(** One draft, and a test and another token for each of two samples. *)
Definition one_sample (p q : law) (x : nat) : program nat :=
  kept <- coin (ratio p q x) ;; if kept then ret x else draw (residual p q).
Definition process_shared_drafts_batch (p q : law) : bool :=
  independent p p (x <- draw q ;; (y <- one_sample p q x ;; (z <- one_sample p q x ;; ret (y, z)))).

(** * Counters and reports *)

(** The draft, whether it is kept, and the token that is emitted. *)
Definition reported_step (p q : law) : program (nat * bool * nat) :=
  x <- draw q ;; (kept <- coin (ratio p q x) ;;
    if kept then ret (x, true, x) else (y <- draw (residual p q) ;; ret (x, false, y))).
Definition mean_report (p q : law) : real :=
  total (map (fun w : Q * (nat * bool * nat) => let '(weight, (_, kept, y)) := w in
    if kept || (weight =? 0) then Num 0 else Times (Num weight) (Ln (at_ p y))) (reported_step p q)).
Definition process_logprobs (p q : law) : bool := may_be_equal (mean_report p q) (Minus (Num 0) (entropy p)).

Definition process_usage (drafted accepted : list Q) : bool :=
  sum drafted + whole (length drafted) =? sum accepted + whole (length accepted).

Definition process_stop_string (p q : law) : bool :=
  forallb (fun s => chance (reported_step p q) (fun e => let '(x, _, y) := e in Nat.eqb s x || Nat.eqb s y) =? at_ p s)
    (tokens p).

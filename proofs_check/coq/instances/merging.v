(** Statements of TASC about programs that merge tokens, and about the entropy of what they make. *)

Require Import vocabulary logarithms.

(** * Entropies of tasks: a law of n-grams each, all tasks equally likely; each entropy is enclosed once *)

Definition mixture (laws : matrix) : law :=
  map (fun x => sum (map (fun p => at_ p x) laws) / whole (length laws)) (tokens (row laws 0)).
Definition of_each (laws : matrix) : list between := map (fun p => enclosure (entropy p)) laws.
Definition mean_of (each : list between) : between :=
  multiplied (enclosure (Num (1 / whole (length each)))) (fold_right summed (enclosure (Num 0)) each).
Definition tasc_task_entropy (laws : matrix) : bool :=
  let mean := mean_of (of_each laws) in let mixed := enclosure (entropy (mixture laws)) in
  perhaps_at_most mean mixed && perhaps_at_most mixed mean.
Definition tasc_conditioning (laws : matrix) : bool :=
  let each := of_each laws in let mean := mean_of each in let mixed := enclosure (entropy (mixture laws)) in
  forallb (fun h => perhaps_at_most h mean && perhaps_at_most h mixed) each.

(** * Algorithm 1 on texts of token numbers *)

Definition ngram : Type := list nat.
Definition texts_ : Type := list (list nat).
Definition begins (g t : ngram) : bool := if list_eq_dec Nat.eq_dec (firstn (length g) t) g then true else false.

(** From the left, each occurrence is replaced; at most as many steps as the text is long. *)
Fixpoint replaced (steps : nat) (g : ngram) (new : nat) (t : list nat) : list nat :=
  match steps, t with
  | S n, x :: rest => if begins g t then new :: replaced n g new (skipn (length g) t) else x :: replaced n g new rest
  | _, _ => []
  end.
Definition merge (g : ngram) (new : nat) (texts : texts_) : texts_ := map (fun t => replaced (length t) g new t) texts.
Definition size (texts : texts_) : nat := length (concat texts).

(** Occurrences: all of them, or those that are merged. *)
Fixpoint suffixes (t : list nat) : list (list nat) := t :: match t with [] => [] | _ :: rest => suffixes rest end.
Definition all_occurrences (texts : texts_) (g : ngram) : nat := length (filter (begins g) (flat_map suffixes texts)).
Definition tokens_saved (texts : texts_) (g : ngram) : nat := size texts - size (merge g 0 texts).
Definition merged_occurrences (texts : texts_) (g : ngram) : nat := Nat.div (tokens_saved texts g) (length g - 1).

(** N-grams of 2 to n_max tokens that occur, in their order: shorter before longer, then by their tokens. *)
Fixpoint earlier (a b : ngram) : bool :=
  match a, b with
  | x :: f, y :: g => Nat.ltb x y || (Nat.eqb x y && earlier f g)
  | _, _ => false
  end.
Definition before (a b : ngram) : bool :=
  Nat.ltb (length a) (length b) || (Nat.eqb (length a) (length b) && earlier a b).
Definition present (texts : texts_) (n_max : nat) : list ngram :=
  nodup (list_eq_dec Nat.eq_dec)
    (flat_map (fun n => filter (fun g => Nat.eqb (length g) n) (map (firstn n) (flat_map suffixes texts))) (seq 2 (n_max - 1))).

(** The best n-gram has the highest reward, frequency times tokens but one; of equal ones the first. *)
Definition better (reward : ngram -> nat) (a b : ngram) : ngram :=
  if Nat.ltb (reward a) (reward b) || (Nat.eqb (reward a) (reward b) && before b a) then b else a.
Definition best (reward : ngram -> nat) (candidates : list ngram) : option ngram :=
  match candidates with [] => None | a :: more => Some (fold_left (better reward) more a) end.
Definition reward_of (frequency : texts_ -> ngram -> nat) (texts : texts_) (g : ngram) : nat :=
  frequency texts g * (length g - 1).

(** The merges, at most as many as the budget says. *)
Fixpoint merges_made (frequency : texts_ -> ngram -> nat) (n_max budget vocab : nat) (texts : texts_) : list ngram :=
  match budget, best (reward_of frequency texts) (present texts n_max) with
  | S m, Some g => g :: merges_made frequency n_max m (S vocab) (merge g vocab texts)
  | _, _ => []
  end.

(** Byte-pair encoding takes the pair that has most neighbours: all occurrences. *)
Definition tasc_bpe_as_printed (texts : list (list nat)) (vocab budget : nat) : bool :=
  if list_eq_dec (list_eq_dec Nat.eq_dec) (merges_made merged_occurrences 2 budget vocab texts)
    (merges_made all_occurrences 2 budget vocab texts)
  then true else false.

(** One merge; Shannon entropy, the same over the logarithm of the vocabulary (multiplied out), and 2-Rényi entropy, which falls
    where the sum of squares rises. *)
Definition token_law (vocab : nat) (texts : texts_) : law :=
  map (fun x => whole (count_occ Nat.eq_dec (concat texts) x) / whole (size texts)) (seq 0 vocab).
Definition after_one (texts : texts_) (vocab n_max : nat) : law :=
  match best (reward_of merged_occurrences texts) (present texts n_max) with
  | Some g => token_law (S vocab) (merge g vocab texts)
  | None => token_law vocab texts
  end.
Definition squares (p : law) : Q := sum (map (fun m => m * m) p).
Definition tasc_entropy_monotone (texts : list (list nat)) (vocab n_max : nat) : bool :=
  let p := token_law vocab texts in let r := after_one texts vocab n_max in
  let before := enclosure (entropy p) in let after := enclosure (entropy r) in
  let logarithm := fun f => enclosure (Ln (whole (length f))) in
  perhaps_at_most before after
  && perhaps_at_most (multiplied before (logarithm r)) (multiplied after (logarithm p))
  && (squares r <=? squares p).

(** Algorithm 1 as printed, with the collision score of an n-gram: the share of tokens whose string begins with that of its last
    token. An n-gram over the limit is taken again, for ever: no further token is made. Base tokens are letters. *)
Definition score (names : list (list nat)) (texts : texts_) (g : ngram) : Q :=
  let name := fun x => nth x names [] in
  whole (length (filter (fun x => begins (name (last g O)) (name x)) (concat texts))) / whole (size texts).
Definition under (limit : option Q) (names : list (list nat)) (texts : texts_) (g : ngram) : bool :=
  match limit with None => true | Some most => score names texts g <? most end.
Definition letters (vocab : nat) : list (list nat) := map (fun x => [x]) (seq 0 vocab).
Fixpoint tokens_made (n_max : nat) (limit : option Q) (budget : nat) (names : list (list nat)) (texts : texts_) : nat :=
  match budget, best (reward_of all_occurrences texts) (present texts n_max) with
  | S m, Some g =>
      if under limit names texts g
      then S (tokens_made n_max limit m (names ++ [flat_map (fun x => nth x names []) g]) (merge g (length names) texts))
      else O
  | _, _ => O
  end.
Definition tasc_termination_assumes (texts : list (list nat)) (vocab budget n_max : nat) (limit : option Q) : bool :=
  Nat.leb budget (length (filter (under limit (letters vocab) texts) (present texts n_max))).
Definition tasc_termination (texts : list (list nat)) (vocab budget n_max : nat) (limit : option Q) : bool :=
  Nat.leb budget (tokens_made n_max limit budget (letters vocab) texts).

(** * Added tokens, matched in a text before the base tokenizer sees what is between them *)

Fixpoint characters (t : text) : list text :=
  match t with String.EmptyString => [] | String.String c rest => String.String c String.EmptyString :: characters rest end.
Fixpoint merge_pair (l r : text) (pieces : list text) : list text :=
  match pieces with
  | a :: ((b :: more) as rest) =>
      if same a l && same b r then String.append a b :: merge_pair l r more else a :: merge_pair l r rest
  | _ => pieces
  end.

(** While a pair of the table is there, the earliest of the table is merged, from the left. *)
Definition merges_pair (pieces : list text) (rule : list text) : bool :=
  Nat.ltb (length (merge_pair (nth 0 rule String.EmptyString) (nth 1 rule String.EmptyString) pieces)) (length pieces).
Fixpoint base (steps : nat) (merges : list (list text)) (pieces : list text) : list text :=
  match steps, find (merges_pair pieces) merges with
  | S n, Some rule => base n merges (merge_pair (nth 0 rule String.EmptyString) (nth 1 rule String.EmptyString) pieces)
  | _, _ => pieces
  end.
Definition encoded (merges : list (list text)) (t : text) : list text := base (String.length t) merges (characters t).

(** The longest added token that the rest of the text begins with; what waits before it is encoded alone. *)
Definition longer (a b : option text) : option text :=
  match a, b with
  | Some x, Some y => if Nat.ltb (String.length x) (String.length y) then b else a
  | Some _, None => a
  | None, _ => b
  end.
Definition match_at (added : list text) (t : text) : option text :=
  fold_right (fun a found => if String.prefix a t then longer (Some a) found else found) None added.
Definition rest_after (a t : text) : text := String.substring (String.length a) (String.length t) t.
Fixpoint with_added (steps : nat) (merges : list (list text)) (added : list text) (waiting t : text) : list text :=
  match steps, t with
  | S n, String.String c rest =>
      match match_at added t with
      | Some a => encoded merges waiting ++ a :: with_added n merges added String.EmptyString (rest_after a t)
      | None => with_added n merges added (String.append waiting (String.String c String.EmptyString)) rest
      end
  | _, _ => encoded merges waiting
  end.
Definition enriched (merges : list (list text)) (added : list text) (t : text) : list text :=
  with_added (String.length t) merges added String.EmptyString t.
Definition tasc_added_tokens (merges : list (list text)) (added : list text) (text : text) : bool :=
  let pieces := enriched merges added text in
  Nat.leb (length pieces) (length (encoded merges text)) && same (String.concat String.EmptyString pieces) text.

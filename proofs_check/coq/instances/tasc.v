(** Statements of TASC about its printed numbers, and about counts. *)

Require Import vocabulary.

(** Time that an added token saves, from interval to interval. *)
Fixpoint savings (added times : list Q) : list Q :=
  match added, times with
  | a :: ((b :: _) as more), s :: ((t :: _) as rest) => (s - t) / (b - a) :: savings more rest
  | _, _ => []
  end.
Fixpoint no_rise (f : list Q) : bool := match f with a :: ((b :: _) as more) => (b <=? a) && no_rise more | _ => true end.
Definition tasc_table5_diminishing (added times : list Q) : bool := no_rise (savings added times).
Definition tasc_table8_diminishing (added times : list Q) : bool := no_rise (savings added times).

(** The third row has 500 tokens, the last 1,000. *)
Definition tasc_cutoff_500 (added times : list Q) : bool :=
  let saved := fun n => at_ times 0 - at_ times (place n added) in (9 # 10) * saved 1000 <=? saved 500.

(** Each is right to half of its last place: of a tenth of a thousand, and of a thousand. *)
Definition tasc_eurlex_size (first second : Q) : bool := distance first second <=? 50 + 500.

Definition tasc_table5_gain (score before : Q) : bool := before <=? score.
Definition tasc_table6_order (tasc_ft tasc_spec : Q) : bool := tasc_spec <=? tasc_ft.
Definition tasc_epochs_three (epochs scores : list Q) : bool := largest scores <=? at_ scores (place 3 epochs).
Definition tasc_speedup_range_most (printed : Q) : bool := printed <=? 21 # 10.
Definition tasc_speedup_range_slightly (small large : Q) : bool := (small - 1) / 2 <=? large - 1.

(** Some quotient of times, each known to 10 ms, rounds to what is printed. *)
Definition tasc_table8_speedup (before after printed : Q) : bool :=
  ((before - 5) / (after + 5) <=? printed + (1 # 200)) && (printed - (1 # 200) <=? (before + 5) / (after - 5)).

Fixpoint changes (f : list Q) : list Q := match f with a :: ((b :: _) as more) => (b - a) :: changes more | _ => [] end.
Definition tasc_directional_rate (h2 runtime : list Q) : bool :=
  let rises := filter (fun c => 0 <? fst c) (zip pair (changes h2) (changes runtime)) in
  let shorter := whole (length (filter (fun c => snd c <? 0) rises)) / whole (length rises) in
  shorter =? 1 - shorter.

(** Occurrences of an n-gram, all of them, and the tokens of a text after merging from the left. *)
Definition starts (ngram t : list nat) : bool := if list_eq_dec Nat.eq_dec (firstn (length ngram) t) ngram then true else false.
Fixpoint occurrences (ngram t : list nat) : nat :=
  match t with [] => 0 | _ :: more => (if starts ngram t then 1 else 0) + occurrences ngram more end.
Fixpoint merged (fuel : nat) (ngram t : list nat) : nat :=
  match fuel, t with
  | S f, _ :: more => S (merged f ngram (if starts ngram t then skipn (length ngram) t else more))
  | _, _ => 0
  end.
Definition total (of_text : list nat -> nat) (texts : list (list nat)) : nat := fold_right Nat.add O (map of_text texts).
Definition tasc_merge_reward_occurrences (texts : list (list nat)) (ngram : list nat) : bool :=
  Nat.eqb (total (fun t => length t - merged (length t) ngram t)%nat texts)
    (total (fun t => occurrences ngram t * (length ngram - 1))%nat texts).

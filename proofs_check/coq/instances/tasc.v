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

(** Settings: 2 data sets, 2 sizes, 3 values of the largest n, and some number of seeds; more seeds than settings are too many. *)
Definition tasc_settings (settings : nat) : bool :=
  existsb (fun seeds => Nat.eqb (2 * 2 * 3 * seeds) settings) (seq 1 settings).

(** A mixture of drafters that accepts more than each; one of them gives some token one half or more (the text: more than it). *)
Definition tasc_spiky_assumes (p c r : law) (mix : Q) : bool := (1 # 2 <=? mix) && (mix <=? 3 # 4).
Definition tasc_spiky (p c r : law) (mix : Q) : bool :=
  implies (max (overlap p c) (overlap p r) <? overlap p (mixed mix c r)) (1 # 2 <=? max (largest c) (largest r)).

(** Token 0, followed by token 0, is written as one new token, 0; token 0 followed by another is 1, other first tokens are 2, …. *)
Definition rewritten (first after : law) : program nat :=
  x <- draw first ;; (match x with O => y <- draw after ;; ret (if Nat.eqb y 0 then 0 else 1)%nat | S _ => ret (S x) end).
Definition tasc_suffix_suppression_assumes (after : law) : bool := largest after <=? at_ after 0.
Definition tasc_suffix_suppression (first after : law) : bool :=
  chance (rewritten first after) (Nat.eqb 1) <=? chance (rewritten first after) (Nat.eqb 0).

(** Weights of adapters of rank r over 36 layers of width 2048: two square projections, two narrow ones (keys and values, 256), three
    of the inner size 11008; trained beside them are the new rows, in one matrix or two, or embedding and head whole. *)
Definition trained (rank : Q) : Q := rank * 36 * (2 * (2048 + 2048) + 2 * (2048 + 256) + 3 * (2048 + 11008)).
Definition rise (reading : text) (tokens rank : Q) : Q :=
  if same reading "rows of the embedding" then 2048 * tokens / trained rank
  else if same reading "rows of embedding and head" then 2 * 2048 * tokens / trained rank
  else 2 * 2048 * tokens / (trained rank + 2 * 2048 * 151936).
Definition tasc_trainable_share (reading : text) (tokens rank : Q) : bool :=
  distance (rise reading tokens rank) (6 # 100) <=? 1 # 200.

(** Printed figures: their digits, how many of them after the point, and whether thousands are meant. *)
Record figure : Type := Figure { digits : Z; after_point : option nat; thousands : bool }.
Definition next_sign (f : figure) (c : Ascii.ascii) : figure :=
  let code := Z.of_N (Ascii.N_of_ascii c) in
  if (code =? 75)%Z then Figure (digits f) (after_point f) true  (* K *)
  else if (code =? 46)%Z then Figure (digits f) (Some O) false  (* . *)
  else if (48 <=? code)%Z then Figure (10 * digits f + (code - 48)) (option_map S (after_point f)) false
  else f.
Fixpoint read (f : figure) (t : text) : figure :=
  match t with String.EmptyString => f | String.String c rest => read (next_sign f c) rest end.
Definition figure_of : text -> figure := read (Figure 0 None false).
Definition negative (t : text) : bool := String.prefix "-" t.
Definition unit_of (t : text) : Q :=
  let f := figure_of t in
  (if thousands f then 1000 else 1) / power 10 (match after_point f with Some n => n | None => O end).
Definition number (t : text) : Q :=
  let size := inject_Z (digits (figure_of t)) * unit_of t in if negative t then 0 - size else size.

(** A cell of Table 1 from two figures, each right to one in its last place; a count that is not in thousands is right. *)
Definition cell (column : text) (a b : Q) : Q := if same column "ratio" then a / b else 100 * (b - a) / a.
Definition ends (column t : text) : list Q :=
  let off := if same column "ratio" && negb (thousands (figure_of t)) then 0 else unit_of t in [number t - off; number t + off].
Definition tasc_table1_columns (column input output printed : text) : bool :=
  let cells := flat_map (fun a => map (cell column a) (ends column output)) (ends column input) in
  existsb (fun c => number printed - unit_of printed <=? c) cells && existsb (fun c => c <=? number printed + unit_of printed) cells.

(** Rows of Table 1: the task, its domain if one is named, the change of entropy in percent, the ratio. *)
Definition table1 : list (text * text * text * text) :=
  [("Sentiment Analysis", "Finance", "-84.7", "8383"); ("Yes/No Questions", "Medical", "-80.48", "5698");
   ("POS Tagging", "", "-57.7", "1036.3"); ("Intent Classification & Slot Fill", "", "-37.45", "20.6");
   ("Massive Classification", "Legal", "-11.6", "4.41"); ("Abbreviation Expansion", "Medical", "-12.24", "2.32");
   ("Summarization", "Medical", "-4.86", "1.13"); ("Summarization", "News", "-10.8", "6.52");
   ("Summarization", "Legal", "-5.9", "2.73"); ("Question Answering", "Medical", "-5.04", "1.76");
   ("Creative Writing", "", "30.4", "0.06")]%string.
Definition named (task domain : text) : text :=
  if same domain "" then task else String.append task (String.append " (" (String.append domain ")")).
(** Group and value of each row that is left, where a group is named. *)
Definition grouped (by_task : bool) (column left_out : text) : list (text * Q) :=
  flat_map (fun r => let '(task, domain, change, ratio) := r in
    let group := if by_task then task else domain in
    if same (named task domain) left_out || same group "" then []
    else [(group, number (if same column "ratio" then ratio else change))]) table1.
(** Squares about the means of groups of two rows or more, over their degrees of freedom. *)
Definition pooled_variance (rows : list (text * Q)) : Q :=
  let values := fun g => map snd (filter (fun r => same g (fst r)) rows) in
  let groups := map values (nodup String.string_dec (map fst rows)) in
  let spread := fun f => let mean := sum f / whole (length f) in sum (map (fun a => (a - mean) * (a - mean)) f) in
  sum (map spread groups) / sum (map (fun f => whole (length f) - 1) groups).
Definition tasc_task_over_domain_any_row (column left_out : text) : bool :=
  pooled_variance (grouped true column left_out) <=? pooled_variance (grouped false column left_out).

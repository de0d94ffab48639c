(** Figures as papers print them, and the numbers that they stand for: fractions, read digit by digit.

    The tables are data: a test compares each with the figures of the package's claims. *)

Require Import QArith Qabs ZArith String Ascii List.
Import ListNotations.
Open Scope Q_scope.
Open Scope string_scope.

(** * Reading a figure *)

(** Its digits as a whole number, how many of them come after the point, and whether K, for thousands, ends it. *)
Record figure := Figure { digits : Z; decimals : nat; thousands : bool }.

Definition digit (c : ascii) : Z := Z.of_nat (nat_of_ascii c) - 48.

Fixpoint read (s : string) (point : bool) (f : figure) : figure :=
  match s with
  | "" => f
  | String "." more => read more true f
  | String "K" more => read more point (Figure (digits f) (decimals f) true)
  | String c more =>
      read more point (Figure (10 * digits f + digit c) (decimals f + if point then 1 else 0) (thousands f))
  end.

Definition unsigned (s : string) : figure := read s false (Figure 0 0 false).

Definition unit_of_figure (f : figure) : Q :=
  (if thousands f then 1000 else 1) / inject_Z (10 ^ Z.of_nat (decimals f)).

(** One in the last place that is printed. *)
Definition unit_of (s : string) : Q :=
  match s with String "-" more => unit_of_figure (unsigned more) | _ => unit_of_figure (unsigned s) end.

(** The number that is printed. *)
Definition value (s : string) : Q :=
  match s with
  | String "-" more => - (inject_Z (digits (unsigned more)) * unit_of more)
  | _ => inject_Z (digits (unsigned s)) * unit_of s
  end.

Example value_of_thousands : value "33.53K" == 33530.
Proof. reflexivity. Qed.
Example value_below_nothing : value "-4.86" == - (243 # 50).
Proof. reflexivity. Qed.

(** * Distances, sums and variances *)

Definition distance (a b : Q) : Q := Qabs (a - b).

Definition total (xs : list Q) : Q := fold_right Qplus 0 xs.
Definition size {A} (xs : list A) : Q := inject_Z (Z.of_nat (length xs)).
Definition mean (xs : list Q) : Q := total xs / size xs.

(** Squares about the mean of a group, added up. *)
Definition squares (xs : list Q) : Q := total (map (fun x => (x - mean xs) * (x - mean xs)) xs).

(** The variance within groups: squares about the groups' means, over one member less of each group. *)
Definition pooled_variance (groups : list (list Q)) : Q := total (map squares groups) / total (map (fun g => size g - 1) groups).

(** * TASC *)

(** Input and output bigram entropy, ΔH in percent, bigrams for 80 % of input and output, their ratio (Table 1). *)
Definition row : Type := string * (string * string * string) * (string * string * string).
Definition table_1 : list row := [
  ("Sentiment Analysis (Finance)", ("14.5", "2.21", "-84.7"), ("33.53K", "4", "8383"));
  ("Yes/No Questions (Medical)", ("15.34", "3", "-80.48"), ("17.01K", "3", "5698"));
  ("POS Tagging", ("15.53", "6.57", "-57.7"), ("65.3K", "63", "1036.3"));
  ("Intent Classification & Slot Fill", ("13.4", "9.74", "-37.45"), ("15.943K", "774", "20.6"));
  ("Massive Classification (Legal)", ("14.43", "12.76", "-11.6"), ("36.8K", "8.34K", "4.41"));
  ("Abbreviation Expansion (Medical)", ("16.17", "14.19", "-12.24"), ("195.1K", "84.28K", "2.32"));
  ("Summarization (Medical)", ("16.14", "15.39", "-4.86"), ("17.14K", "15.16K", "1.13"));
  ("Summarization (News)", ("17.71", "15.79", "-10.8"), ("387.7K", "59.34K", "6.52"));
  ("Summarization (Legal)", ("16.8", "15.8", "-5.9"), ("229.9K", "89.14K", "2.73"));
  ("Question Answering (Medical)", ("16.2", "15.38", "-5.04"), ("196.34K", "111.6K", "1.76"));
  ("Creative Writing", ("12.75", "16.62", "30.4"), ("11.16K", "168.81K", "0.06"))].

Inductive column := Change | Ratio.

(** The cells that are recomputed, and what they become. *)
Definition recomputed : list (string * column * string) := [
  ("Sentiment Analysis (Finance)", Change, "-84.8");
  ("Yes/No Questions (Medical)", Change, "-80.44");
  ("Yes/No Questions (Medical)", Ratio, "5670");
  ("POS Tagging", Ratio, "1036.5");
  ("Intent Classification & Slot Fill", Change, "-27.31");
  ("Abbreviation Expansion (Medical)", Ratio, "2.31");
  ("Summarization (Medical)", Change, "-4.65");
  ("Summarization (News)", Ratio, "6.53");
  ("Summarization (Legal)", Change, "-6.0");
  ("Summarization (Legal)", Ratio, "2.58");
  ("Question Answering (Medical)", Change, "-5.06");
  ("Creative Writing", Ratio, "0.07")].

Inductive metric := Intent | Slot | Joint.

(** Added tokens and scores (Table 5). *)
Definition table_5 (m : metric) : list (nat * string) :=
  match m with
  | Intent => [(0, "90.4"); (250, "91.5"); (500, "91.3"); (1000, "91.1")]
  | Slot => [(0, "76.45"); (250, "77.0"); (500, "77.0"); (1000, "76.2")]
  | Joint => [(0, "63.0"); (250, "64.6"); (500, "64.3"); (1000, "63.4")]
  end%nat.

(** Added tokens and run times in milliseconds (Tables 5 and 8). *)
Definition times_5 : list (nat * string) := [(0, "302"); (250, "260"); (500, "258.9"); (1000, "256")]%nat.
Definition times_8 : list (nat * string) := [(0, "1280"); (150, "1220"); (500, "1190"); (1000, "1130")]%nat.

Inductive task := EurLex | Massive.

(** Training epochs and scores (Table 7). *)
Definition table_7 (t : task) : list (nat * string) :=
  match t with
  | EurLex => [(1, "0.624"); (3, "0.647"); (5, "0.655"); (10, "0.637")]
  | Massive => [(1, "0.576"); (3, "0.634"); (5, "0.625")]
  end%nat.

(** Every speed-up by added tokens that is printed as a factor; the sizes of EUR-LEX in 6.1 and B.3; settings and runs of
    Appendix E, and what the runs vary but for seeds. *)
Definition factors : list (string * string) := [("Table 6", "2.1"); ("C.4, Qwen2.5-0.5B", "2.31"); ("C.4, Mistral-7B", "1.19")].
Definition eurlex_first : string := "19.6K".
Definition eurlex_second : string := "57K".
Definition settings : nat := 8.
Definition runs : nat := 124.
Definition varied : list (string * nat) := [("data sets", 2); ("model sizes", 2); ("values of the largest n", 3)]%nat.

(** Sizes of Qwen2.5-3B, by its published configuration; keys: two heads of 128. *)
Definition layers : Z := 36.
Definition width : Z := 2048.
Definition inner : Z := 11008.
Definition keys : Z := 256.
Definition vocabulary : Z := 151936.

(** * PAD, EARS, RDK *)

(** Acceptance ratio in percent and speed-up, row by row (PAD, Table 1); what a call of the target costs in calls of the
    draft (Table 2). *)
Definition speed_ups : list (string * string) := [
  ("45.3", "1.57"); ("58.2", "1.95"); ("70.8", "2.33");
  ("47.2", "1.69"); ("58.3", "1.95"); ("71.6", "2.33");
  ("41.8", "1.46"); ("50.2", "1.71"); ("61.7", "2.00")].
Definition target_cost : string := "3.94".

(** Accuracies on GSM8K before and after, and the drop (EARS, Key Results). *)
Definition accuracy_before : string := "96.44".
Definition accuracy_after : string := "95.60".
Definition accuracy_drop : string := "0.84".

(** Vocabularies, and bytes of a number (RDK 4). *)
Inductive format := Float32 | Float16.
Definition bytes (f : format) : Z := match f with Float32 => 4 | Float16 => 2 end.
Definition vocabularies : list (string * Z) := [("128K", 128256); ("200K", 200000)]%Z.

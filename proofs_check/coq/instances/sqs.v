(** Statements of SQS and C-SQS. *)

Require Import vocabulary.

(** * Tokens kept, and the lattice *)

Fixpoint choose (n k : nat) : nat :=
  match k, n with O, _ => 1 | S _, O => 0 | S j, S m => choose m j + choose m k end.

Definition sqs_bandwidth (vocab k resolution : nat) : bool :=
  Nat.leb (choose vocab k * choose (resolution + k - 1) (k - 1)) (choose (resolution + vocab - 1) (vocab - 1)).

Definition sparsified (q : law) (kept : list bool) : law := normalised (where_ kept q) q.

(** Round to counts; where they are too many, the ones rounded up most are lowered, one each; where too few, the reverse. *)
Definition rounded (resolution : nat) (q : law) : list Q :=
  map (fun m => inject_Z (Qfloor (whole resolution * m + (1 # 2)))) q.
Fixpoint lowered (n : nat) (by_ : Q) (error counts : list Q) : list Q :=
  match n with
  | O => counts
  | S m => let x := argmax error in
      lowered m by_ (map (fun y => if Nat.eqb y x then -2 # 1 else at_ error y) (tokens error))
        (map (fun y => if Nat.eqb y x then at_ counts y - by_ else at_ counts y) (tokens counts))
  end.
Definition counts (resolution : nat) (q : law) : list Q :=
  let b := rounded resolution q in
  let error := zip minus b (scaled (whole resolution) q) in
  let more := Qfloor (sum b - whole resolution) in
  if (0 <=? more)%Z then lowered (Z.to_nat more) 1 (map (fun e => e + 1) error) b
  else lowered (Z.to_nat (- more)) (-1 # 1) (map (fun e => 1 - e) error) b.
Definition sent (q : law) (kept : list bool) (resolution : nat) : law :=
  scaled (1 / whole resolution) (counts resolution (sparsified q kept)).

Definition sqs_k_no_significance (p q : law) (k k2 resolution : nat) : bool :=
  tv (sent q (most_likely k q) resolution) p =? tv (sent q (most_likely k2 q) resolution) p.
Definition sqs_positive_counts (q : law) (kept : list bool) (resolution : nat) : bool :=
  forallb (fun b => b) (zip (fun (k : bool) b => implies k (0 <? b)) kept (counts resolution (sparsified q kept))).

Definition sqs_horizon (drafted accepted : list nat) : bool :=
  Nat.eqb (fold_right Nat.add 0%nat drafted) (fold_right Nat.add 0%nat accepted + length accepted).

(** * The threshold, with the two readings of an empty set: literally, or the most likely token kept *)

Definition kept (keep_top : bool) (q : law) (beta : Q) : list bool :=
  let reach := map (fun m => beta <=? m) q in
  if keep_top && negb (existsb (fun b => b) reach) then map (Nat.eqb (argmax q)) (tokens q) else reach.
Definition dropped (keep_top : bool) (q : law) (beta : Q) : Q := 1 - sum (where_ (kept keep_top q beta) q).

(** Thresholds along a text, the first one included. *)
Fixpoint thresholds (keep_top : bool) (q : matrix) (beta eta alpha : Q) : list Q :=
  match q with
  | [] => [beta]
  | one :: more => beta :: thresholds keep_top more (beta - eta * (dropped keep_top one beta - alpha)) eta alpha
  end.
Definition masses (keep_top : bool) (q : matrix) (beta eta alpha : Q) : list Q :=
  zip (dropped keep_top) q (thresholds keep_top q beta eta alpha).
Definition readings (holds : bool -> bool) : bool := holds false && holds true.

Definition csqs_average_dropped (q : matrix) (start step_size dropped_target : Q) : bool :=
  readings (fun top => forallb (fun T =>
    sum (firstn T (masses top q start step_size dropped_target)) / whole T
    <=? dropped_target + (distance start 0 + 1 + step_size * dropped_target) / (step_size * whole T))
    (seq 1 (length q))).

(** What is dropped is the distance of the law kept; all of it where nothing is kept. *)
Definition csqs_telescoping (q : matrix) (start step_size dropped_target : Q) : bool :=
  readings (fun top => sum (masses top q start step_size dropped_target) =?
    dropped_target * whole (length q)
    + distance start (last (thresholds top q start step_size dropped_target) 0) / step_size).

Definition in_range (step_size dropped_target beta : Q) : bool :=
  (0 - step_size * (1 - dropped_target) <=? beta) && (beta <=? 1 + step_size * dropped_target).
Definition csqs_threshold_range_any_start (q : matrix) (start step_size dropped_target : Q) : bool :=
  readings (fun top => forallb (in_range step_size dropped_target) (thresholds top q start step_size dropped_target)).
Definition csqs_threshold_range_keep_top_assumes (start step_size dropped_target : Q) : bool :=
  in_range step_size dropped_target start.
Definition csqs_threshold_range_keep_top (q : matrix) (start step_size dropped_target : Q) : bool :=
  forallb (in_range step_size dropped_target) (thresholds true q start step_size dropped_target).

Definition csqs_beyond_one_assumes (threshold : Q) : bool := 1 <? threshold.
Definition csqs_beyond_one (q : law) (threshold : Q) : bool := tv q (sparsified q (kept true q threshold)) =? 1.

Definition size (b : list bool) : nat := length (filter (fun b => b) b).
Definition sizes (keep_top : bool) (q : matrix) (start step_size target : Q) : list nat :=
  zip (fun one beta => size (kept keep_top one beta)) q (thresholds keep_top q start step_size target).
Definition csqs_alpha_reduces_k_path_assumes (dropped_target larger_target : Q) : bool := dropped_target <=? larger_target.
Definition csqs_alpha_reduces_k_path (q : matrix) (start step_size dropped_target larger_target : Q) : bool :=
  readings (fun top => forallb (fun b => b)
    (zip Nat.leb (sizes top q start step_size larger_target) (sizes top q start step_size dropped_target))).

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

(** * Code words, and lattices at equal bits *)

Definition words (vocab k resolution : nat) : nat := choose vocab k * choose (resolution + k - 1) (k - 1).
(** The finest lattice over k tokens with no more words than a number, from one that has no more; words grow with it. *)
Fixpoint finest_from (vocab k number n found : nat) : nat :=
  match n with
  | O => found
  | S m => if Nat.leb (words vocab k (S found)) number then finest_from vocab k number m (S found) else found
  end.
Definition finest (vocab k number : nat) : nat := finest_from vocab k number number 0.
Definition dense (q : law) (resolution : nat) : law := scaled (1 / whole resolution) (counts resolution q).
Definition sparse (q : law) (k resolution : nat) : law := sent q (most_likely k q) resolution.

Definition sqs_best_size_every_law (q : law) (k resolution : nat) : bool :=
  tv q (dense q (finest (length q) (length q) (words (length q) k resolution))) <=? tv q (sparse q k resolution).

(** One kept token is sent whole at any resolution, and takes no bits but its own: there the same one serves. *)
Definition sqs_resolution_at_equal_bits_assumes (q : law) (k resolution : nat) : bool :=
  Nat.leb 1 k && Nat.leb (words (length q) k 1) (words (length q) (length q) resolution).
Definition sqs_resolution_at_equal_bits (q : law) (k resolution : nat) : bool :=
  let fits := if Nat.eqb k 1 then resolution else finest (length q) k (words (length q) (length q) resolution) in
  tv q (sparse q k fits) <=? tv q (dense q resolution).

Definition sqs_deviation_from_dense (q : law) (kept : list bool) (resolution : nat) : bool :=
  tv (sent q kept resolution) (dense q resolution) <=? 1 - sum (where_ kept q).

(** Algorithm 2 gets the k largest values as they are. No count changes by more than one, so that k of them may not do. *)
Definition sqs_algorithm_printed (q : law) (k resolution : nat) : bool :=
  let largest_values := flat_map (fun x => if nth x (most_likely k q) false then [at_ q x] else []) (tokens q) in
  let b := counts resolution largest_values in
  forallb (fun n => 0 <=? n) b && (sum b =? whole resolution)
  && (tv (normalised largest_values largest_values) (scaled (1 / whole resolution) b) <=? whole k / (4 * whole resolution)).

(** * Texts drafted in batches: laws by the last token, of the first row before any *)

(** A text so far: the row of its last token, and the threshold of C-SQS, moved by every token; none for K-SQS. *)
Definition place_in_text : Type := nat * option Q.
Definition sent_at (q : matrix) (k resolution : nat) (here : place_in_text) : law :=
  let one := row q (fst here) in
  match snd here with None => sparse one k resolution | Some beta => sent one (kept true one beta) resolution end.
Definition on (q : matrix) (eta alpha : option Q) (here : place_in_text) (x : nat) : place_in_text :=
  (S x, match snd here, eta, alpha with
        | Some beta, Some e, Some a => Some (beta - e * (dropped true (row q (fst here)) beta - a))
        | _, _, _ => None
        end).

(** Rejected drafts among the next n tokens: drafts are tested one by one, gamma in a batch; the token after a batch that is
    kept is the target's alone. *)
Fixpoint rejected (p : matrix) (sends : place_in_text -> law) (next : place_in_text -> nat -> place_in_text)
    (gamma n tested : nat) (here : place_in_text) : program nat :=
  match n with
  | O => ret O
  | S m =>
      let target := row p (fst here) in
      if Nat.eqb tested gamma then y <- draw target ;; rejected p sends next gamma m 0 (next here y)
      else x <- draw (sends here) ;; (kept <- coin (ratio target (sends here) x) ;;
        if kept then rejected p sends next gamma m (S tested) (next here x)
        else y <- draw (residual target (sends here)) ;;
          (r <- rejected p sends next gamma m 0 (next here y) ;; ret (S r)))
  end.
(** Distances along a text of n tokens that are drawn from the rows of a table. *)
Fixpoint distances (p texts : matrix) (sends : place_in_text -> law) (next : place_in_text -> nat -> place_in_text)
    (n : nat) (here : place_in_text) : Q :=
  match n with
  | O => 0
  | S m => tv (sends here) (row p (fst here))
      + expect (draw (row texts (fst here))) (fun x => distances p texts sends next m (next here x))
  end.
Definition counts_as (texts p q : matrix) (k resolution : nat) (threshold step_size dropped_target : option Q)
    (gamma length : nat) : bool :=
  let sends := sent_at q k resolution in
  let next := on q step_size dropped_target in
  expect (rejected p sends next gamma length 0 (O, threshold)) whole
  =? distances p texts sends next length (O, threshold).
Definition unlimited (budget : option nat) : bool := match budget with None => true | Some _ => false end.

Definition sqs_rejection_count_assumes (budget : option nat) : bool := unlimited budget.
Definition sqs_rejection_count (p q : matrix) (k resolution : nat) (threshold step_size dropped_target : option Q)
    (gamma length : nat) : bool :=
  counts_as p p q k resolution threshold step_size dropped_target gamma length.
Definition sqs_rejection_drawn_from_q_assumes (budget : option nat) (gamma length : nat) : bool :=
  unlimited budget && Nat.leb length gamma.
Definition sqs_rejection_drawn_from_q (p q : matrix) (k resolution : nat)
    (threshold step_size dropped_target : option Q) (gamma length : nat) : bool :=
  counts_as q p q k resolution threshold step_size dropped_target gamma length.

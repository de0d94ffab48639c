(** Statements of PAD. A text starts in state 0; a token leads from state to state; its utility is that of the state where it ends.
    Flags say, by position, state and token, what the classifier calls a pivot. *)

Require Import vocabulary.

Definition table : Type := list (list nat).
Definition next (step : table) (s x : nat) : nat := nth x (nth s step []) 0%nat.
Definition flagged (f : list bool) (x : nat) : bool := nth x f false.

(** Drafts that are not flagged are kept, flagged ones as speculative decoding would; the residual, or a fresh draw from p. *)
Definition keeps (p q : law) (f : list bool) (x : nat) : Q := if flagged f x then ratio p q x else 1.
Definition pad (p q : law) (f : list bool) : program nat := step_by q (keeps p q f) (fun _ => residual p q).
Definition pad_fresh (p q : law) (f : list bool) : program nat := step_by q (keeps p q f) (fun _ => p).

(** The guardrail: a token with p below the limit is not kept against speculative decoding, or not kept at all. *)
Definition limit : Q := 1 # 10000.
Definition pad_override (p q : law) (f : list bool) : program nat :=
  step_by q (fun x => if at_ p x <? limit then ratio p q x else keeps p q f x) (fun _ => residual p q).
Definition pad_every (p q : law) (f : list bool) : program nat :=
  step_by q (fun x => if at_ p x <? limit then 0 else keeps p q f x) (fun _ => residual p q).

(** What a text is worth with n positions to go, from the target; from a rule, for the flags of the positions to go. *)
Fixpoint worth (target : matrix) (step : table) (utility : list Q) (n s : nat) : Q :=
  match n with
  | O => at_ utility s
  | S m => expect (draw (row target s)) (fun x => worth target step utility m (next step s x))
  end.
Fixpoint run (rule : law -> law -> list bool -> program nat) (target draft : matrix) (step : table) (utility : list Q)
    (flags : list (list (list bool))) (s : nat) : Q :=
  match flags with
  | [] => at_ utility s
  | f :: more => expect (rule (row target s) (row draft s) (nth s f []))
      (fun x => run rule target draft step utility more (next step s x))
  end.

(** Drafts accepted on average over the positions to go. *)
Fixpoint accepts (target draft : matrix) (step : table) (flags : list (list (list bool))) (s : nat) : Q :=
  match flags with
  | [] => 0
  | f :: more => let p := row target s in let q := row draft s in let g := nth s f [] in
      accepted_by q (keeps p q g) + expect (pad p q g) (fun x => accepts target draft step more (next step s x))
  end.

(** By position, state and token: a table made of what stands at each place. *)
Definition everywhere (make : nat -> nat -> nat -> bool) (target : matrix) (horizon : nat) : list (list (list bool)) :=
  map (fun t => map (fun s => map (make t s) (tokens (row target s))) (seq 0 (length target))) (seq 0 horizon).
Definition pivot (loses : Q -> Q -> bool) (target : matrix) (step : table) (utility : list Q) (horizon t s x : nat) : bool :=
  loses (worth target step utility (horizon - S t) (next step s x)) (worth target step utility (horizon - t) s).
Definition pivots (loses : Q -> Q -> bool) (target : matrix) (step : table) (utility : list Q) (horizon : nat) :=
  everywhere (pivot loses target step utility horizon) target horizon.
Definition both (op : bool -> bool -> bool) : list (list (list bool)) -> list (list (list bool)) -> list (list (list bool)) :=
  zip (zip (zip op)).
Definition all (f : list (list (list bool))) : bool := forallb (forallb (forallb (fun b => b))) f.
Definition none (f : list (list (list bool))) : list (list (list bool)) := map (map (map (fun _ => false))) f.
Definition covers (flags needed : list (list (list bool))) : bool := all (both implies needed flags).

Definition pad_utility_preserved_assumes (target : matrix) (step : list (list nat)) (utility : list Q) (horizon : nat) (flags : list (list (list bool))) : bool :=
  covers flags (pivots below target step utility horizon).
Definition pad_utility_preserved (target draft : matrix) (step : list (list nat)) (utility : list Q) (horizon : nat) (flags : list (list (list bool))) : bool :=
  worth target step utility horizon 0 <=? run pad target draft step utility flags 0.

Definition pad_utility_preserved_ties_assumes (target : matrix) (step : list (list nat)) (utility : list Q) (horizon : nat) (flags : list (list (list bool))) : bool :=
  covers flags (pivots at_most target step utility horizon).
Definition pad_utility_preserved_ties (target draft : matrix) (step : list (list nat)) (utility : list Q) (horizon : nat) (flags : list (list (list bool))) : bool :=
  pad_utility_preserved target draft step utility horizon flags.

Definition pad_utility_preserved_fresh_assumes (target : matrix) (step : list (list nat)) (utility : list Q) (horizon : nat) (flags : list (list (list bool))) : bool :=
  pad_utility_preserved_assumes target step utility horizon flags.
Definition pad_utility_preserved_fresh (target draft : matrix) (step : list (list nat)) (utility : list Q) (horizon : nat) (flags : list (list (list bool))) : bool :=
  worth target step utility horizon 0 <=? run pad_fresh target draft step utility flags 0.

Definition pad_utility_preserved_guardrail_assumes (target : matrix) (step : list (list nat)) (utility : list Q) (horizon : nat) (flags : list (list (list bool))) : bool :=
  pad_utility_preserved_assumes target step utility horizon flags.
Definition pad_utility_preserved_guardrail (target draft : matrix) (step : list (list nat)) (utility : list Q) (horizon : nat) (flags : list (list (list bool))) : bool :=
  (worth target step utility horizon 0 <=? run pad_override target draft step utility flags 0) ||
  (worth target step utility horizon 0 <=? run pad_every target draft step utility flags 0).

Definition pad_utility_preserved_tolerance_assumes (target : matrix) (step : list (list nat)) (utility : list Q) (horizon : nat) (flags : list (list (list bool))) (epsilon : Q) : bool :=
  covers flags (pivots (fun after here => after <? here - epsilon) target step utility horizon).
Definition pad_utility_preserved_tolerance (target draft : matrix) (step : list (list nat)) (utility : list Q) (horizon : nat) (flags : list (list (list bool))) (epsilon : Q) : bool :=
  worth target step utility horizon 0 - epsilon <=? run pad target draft step utility flags 0.

Definition pad_utility_equal_assumes (target : matrix) (step : list (list nat)) (utility : list Q) (horizon : nat) (flags : list (list (list bool))) : bool :=
  pad_utility_preserved_assumes target step utility horizon flags.
Definition pad_utility_equal (target draft : matrix) (step : list (list nat)) (utility : list Q) (horizon : nat) (flags : list (list (list bool))) : bool :=
  worth target step utility horizon 0 =? run pad target draft step utility flags 0.

(** Whatever the coupling: where one utility is at least the other for sure, so it is on average. *)
Definition pad_pathwise_assumes (target : matrix) (step : list (list nat)) (utility : list Q) (horizon : nat) (flags : list (list (list bool))) : bool :=
  pad_utility_preserved_assumes target step utility horizon flags.
Definition pad_pathwise (target draft : matrix) (step : list (list nat)) (utility : list Q) (horizon : nat) (flags : list (list (list bool))) : bool :=
  worth target step utility horizon 0 <=? run pad target draft step utility flags 0.

(** Every pivot of the first position is caught, none later. *)
Definition first_only (f : list (list (list bool))) : list (list (list bool)) :=
  match f with g :: more => g :: none more | [] => [] end.
Definition pad_single_token (target draft : matrix) (step : list (list nat)) (utility : list Q) (horizon : nat) : bool :=
  worth target step utility horizon 0
  <=? run pad target draft step utility (first_only (pivots below target step utility horizon)) 0.

(** Of the two things that are said not to fall, utility. *)
Definition pad_better_classifier_assumes (target : matrix) (step : list (list nat)) (utility : list Q) (horizon : nat) (flags removed : list (list (list bool))) : bool :=
  covers (both (fun f r => f && negb r) flags removed) (pivots below target step utility horizon).
Definition pad_better_classifier (target draft : matrix) (step : list (list nat)) (utility : list Q) (flags removed : list (list (list bool))) : bool :=
  run pad target draft step utility flags 0
  <=? run pad target draft step utility (both (fun f r => f && negb r) flags removed) 0.

Definition pad_flip_utility (target draft : matrix) (step : list (list nat)) (utility : list Q) (flags flips : list (list (list bool))) : bool :=
  run pad target draft step utility flags 0 <=? run pad target draft step utility (both orb flags flips) 0.

Definition pad_acceptance_trajectory (target draft : matrix) (step : list (list nat)) (flags : list (list (list bool))) : bool :=
  accepts target draft step (both (fun _ _ => true) flags flags) 0 <=? accepts target draft step flags 0.

(** Each pivot that can be drafted is rejected now and then. *)
Definition pad_labels_suffice_recall (target draft : matrix) (step : list (list nat)) (utility : list Q) (horizon : nat) : bool :=
  all (everywhere (fun t s x => implies
    (pivot below target step utility horizon t s x && (0 <? at_ (row draft s) x))
    (at_ (row target s) x <? at_ (row draft s) x)) target horizon).

Definition pad_guardrail_every (p q : law) (limit : Q) : bool :=
  lossless p (step_by q (fun x => if at_ p x <? limit then 0 else ratio p q x) (fun _ => residual p q)).

Definition pad_accepted_not_pivot (p q after : law) (extra : list bool) : bool :=
  let here := expect (draw p) (at_ after) in
  let worse := map (fun a => a <? here) after in
  expect (draw q) (fun x => if flagged worse x then keeps p q (zip orb worse extra) x else 0) =? 0.

Definition replacements (p q : law) (f : list bool) (y : nat) : Q :=
  chance (x <- draw q ;; (kept <- coin (keeps p q f x) ;;
    if kept then ret None else (z <- draw (residual p q) ;; ret (Some z))))
    (fun z => match z with Some z => Nat.eqb y z | None => false end).
Definition pad_replacement_law (p q : law) (flags : list bool) : bool :=
  forallb (fun y => replacements p q flags y =? (1 - accepted_by q (keeps p q flags)) * at_ p y) (tokens p).

Definition speedup (share : Q) (gamma : nat) (cost : Q) : Q := (share * whole gamma + 1) / (whole gamma * cost + 1).
Definition pad_speedup_proportional (share times : Q) (gamma : nat) (cost : Q) : bool :=
  speedup (times * share) gamma cost =? times * speedup share gamma cost.

(** One of the printed speeds is the abstract's. *)
Definition pad_abstract_speedup (speeds : list Q) : bool := existsb (fun s => (5 # 2) <=? s) speeds.

(** What a step of PAD loses of the target's expected utility, at position t in state s: the mean under the target's law less that
    under the law of PAD's token, of what the target makes of the rest. *)
Definition step_loses (target draft : matrix) (step : table) (utility : list Q) (horizon : nat) (flags : list (list (list bool)))
    (t s : nat) : Q :=
  let p := row target s in
  let after := fun x => worth target step utility (horizon - S t) (next step s x) in
  expect (draw p) after - expect (pad p (row draft s) (nth s (nth t flags []) [])) after.
Definition text_loses (target draft : matrix) (step : table) (utility : list Q) (horizon : nat) (flags : list (list (list bool))) : Q :=
  worth target step utility horizon 0 - run pad target draft step utility flags 0.

Definition most_lost (target draft : matrix) (step : table) (utility : list Q) (horizon : nat) (flags : list (list (list bool))) : Q :=
  let at_each := fun t => map (step_loses target draft step utility horizon flags t) (seq 0 (length target)) in
  largest (flat_map at_each (seq 0 horizon)).
Definition pad_envelope_union (target draft : matrix) (step : list (list nat)) (utility : list Q) (horizon : nat) (flags : list (list (list bool))) : bool :=
  text_loses target draft step utility horizon flags
  <=? 1 - power (1 - most_lost target draft step utility horizon flags) horizon.

(** Mean of a sum over the contexts of a text that the target writes. *)
Fixpoint on_target_path (target : matrix) (step : table) (each : nat -> nat -> Q) (left t s : nat) : Q :=
  match left with
  | O => 0
  | S m => each t s + expect (draw (row target s)) (fun x => on_target_path target step each m (S t) (next step s x))
  end.
Definition pad_envelope_target_path (target draft : matrix) (step : list (list nat)) (utility : list Q) (horizon : nat) (flags : list (list (list bool))) : bool :=
  text_loses target draft step utility horizon flags
  <=? on_target_path target step (step_loses target draft step utility horizon flags) horizon 0 0.

(** Successes of n rollouts, each with probability a/b, as multiples of 1/b^n; the label is "pivot" where those after the candidate
    are fewer than the ratio times those before. *)
Fixpoint successes (a b : Z) (n : nat) : list Z :=
  match n with
  | O => [1%Z]
  | S m => let f := successes a b m in zip Z.add (map (Z.mul (b - a)) (f ++ [0%Z])) (map (Z.mul a) (0%Z :: f))
  end.
Definition masses (m : Q) (n : nat) : list Z := successes (Qnum m) (Zpos (Qden m)) n.
Definition add_up (f : list Z) : Z := fold_right Z.add 0%Z f.
Definition called_pivot (before after : Q) (rollouts : nat) (ratio : Q) : Q :=
  let later := masses after rollouts in
  let fewer := fun x => add_up (zip (fun y m => if whole y <? ratio * whole x then m else 0%Z) (seq 0 (S rollouts)) later) in
  let both := add_up (zip (fun x m => m * fewer x)%Z (seq 0 (S rollouts)) (masses before rollouts)) in
  Qmake both (Pos.pow (Qden before * Qden after) (Pos.of_nat rollouts)).
Definition pad_label_noise (value : Q) (rollouts : nat) (ratio drop : Q) : bool :=
  (called_pivot value value rollouts ratio <=? 1 # 20)
  && (1 - called_pivot value (times value (1 - drop)) rollouts ratio <=? 1 # 20).

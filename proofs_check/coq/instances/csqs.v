(** Further statements of C-SQS: batches, the best fixed threshold, and what a threshold does in the long run. *)

Require Import vocabulary sqs.

(** * The threshold that the next batch starts from *)

Definition once_more (top : bool) (q : law) (eta alpha beta : Q) : Q := beta - eta * (dropped top q beta - alpha).

(** A batch has a law for each draft, and one for the token after the last. T drafts are accepted; as line 12 says, the next
    batch starts from the threshold of the last accepted one and that one's dropped mass. *)
Fixpoint by_line_12 (top : bool) (q : list matrix) (accepted : list nat) (eta alpha beta : Q) : Q :=
  match q, accepted with
  | batch :: more, T :: rest =>
      let last := nth (T - 1) (thresholds top batch beta eta alpha) 0 in
      by_line_12 top more rest eta alpha (once_more top (row batch (T - 1)) eta alpha last)
  | _, _ => beta
  end.
(** Once over each accepted token and the new one. *)
Fixpoint once_each (top : bool) (q : list matrix) (accepted : list nat) (eta alpha beta : Q) : Q :=
  match q, accepted with
  | batch :: more, T :: rest =>
      once_each top more rest eta alpha (fold_left (fun b one => once_more top one eta alpha b) (firstn (S T) batch) beta)
  | _, _ => beta
  end.
Definition csqs_checkpoint_assumes (q : list matrix) (accepted : list nat) : bool :=
  Nat.eqb (length q) (length accepted)
  && forallb (fun b => b) (zip (fun (batch : matrix) T => Nat.leb 1 T && Nat.ltb T (length batch)) q accepted).
Definition csqs_checkpoint (q : list matrix) (accepted : list nat) (start step_size dropped_target : Q) : bool :=
  readings (fun top =>
    by_line_12 top q accepted step_size dropped_target start =? once_each top q accepted step_size dropped_target start).

(** * Tokens kept, against every fixed threshold that meets the target; only one at a mass of some law, or above all, matters *)

Definition kept_in_all (q : matrix) (beta : Q) : nat := fold_right (fun one n => size (kept true one beta) + n)%nat O q.
Definition meets (q : matrix) (target beta : Q) : bool :=
  sum (map (fun one => dropped true one beta) q) <=? target * whole (length q).
Definition csqs_tokens_lost_constant_assumes (start : Q) : bool := start =? 0.
Definition csqs_tokens_lost_constant (q : matrix) (start step_size dropped_target : Q) : bool :=
  let mine := fold_right Nat.add O (sizes true q start step_size dropped_target) in
  let price := whole (length (row q 0)) * (1 + step_size) / step_size in
  forallb (fun beta => implies (meets q dropped_target beta) (whole mine <=? whole (kept_in_all q beta) + price))
    ((2 # 1) :: concat q).

(** * For ever: laws that repeat, thresholds that come round *)

(** Where a text is: which law is next, and the threshold. *)
Definition moment : Type := nat * Q.
Definition here (a b : moment) : bool := Nat.eqb (fst a) (fst b) && (snd a =? snd b).
Definition mean_size (path : list nat) : Q := whole (fold_right Nat.add O path) / whole (length path).
(** Sizes of the moments up to the one that is here again, the latest first; none where it is not among them. *)
Fixpoint since (now : moment) (past : list (moment * nat)) : list nat :=
  match past with
  | [] => []
  | (then_, n) :: before => if here now then_ then [n] else
      match since now before with [] => [] | found => n :: found end
  end.
(** Read literally; no answer where nothing comes round in n steps. *)
Fixpoint long_run (q : matrix) (eta alpha : Q) (n : nat) (now : moment) (past : list (moment * nat)) : option Q :=
  match n with
  | O => None
  | S m =>
      match since now past with
      | [] => let one := row q (fst now) in
          long_run q eta alpha m (Nat.modulo (S (fst now)) (length q), once_more false one eta alpha (snd now))
            ((now, size (kept false one (snd now))) :: past)
      | round => Some (mean_size round)
      end
  end.
Definition steps : nat := 10 * 100.
(** From each law as the first, equally often. *)
Definition kept_for_ever (q : matrix) (start eta alpha : Q) : option Q :=
  fold_right (fun first total =>
    match total, long_run q eta alpha steps (first, start) [] with
    | Some a, Some b => Some (a + b / whole (length q))
    | _, _ => None
    end) (Some 0) (seq 0 (length q)).
Definition csqs_alpha_reduces_k_average_assumes (dropped_target larger_target : Q) : bool := dropped_target <=? larger_target.
Definition csqs_alpha_reduces_k_average (q : matrix) (start step_size dropped_target larger_target : Q) : bool :=
  match kept_for_ever q start step_size dropped_target, kept_for_ever q start step_size larger_target with
  | Some few, Some more => more <=? few
  | _, _ => true
  end.

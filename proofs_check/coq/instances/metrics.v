(** Statements on what engines count, and on costs. Each step drafts some tokens, accepts some of them, and emits one more. *)

Require Import vocabulary.

Definition acceptance_length (accepted : list Q) : Q := (sum accepted + whole (length accepted)) / whole (length accepted).
Definition acceptance_rate (drafted accepted : list Q) : Q := sum accepted / sum drafted.

(** Share of the steps that accept at least i tokens, and that given i - 1. *)
Definition position_rate (accepted : list Q) (i : nat) : Q :=
  whole (length (filter (fun a => whole i <=? a) accepted)) / whole (length accepted).
Definition conditional_rate (accepted : list Q) (i : nat) : Q := position_rate accepted i / position_rate accepted (i - 1).
Definition positions (drafted : list Q) : nat := Z.to_nat (Qfloor (largest drafted)).

(** A token from the prefill is counted, and what the limit cut of the last step is not. *)
Definition metrics_length_request (accepted : list Q) (cut : nat) : bool :=
  acceptance_length accepted =? (1 + (sum accepted + whole (length accepted)) - whole cut) / whole (length accepted).

Definition metrics_rate_length_bonus_assumes (drafted : list Q) (gamma : nat) : bool :=
  forallb (fun g => g =? whole gamma) drafted.
Definition metrics_rate_length_bonus (drafted accepted : list Q) (gamma : nat) : bool :=
  acceptance_length accepted =? whole gamma * acceptance_rate drafted accepted.

Definition metrics_mean_of_positions (drafted accepted : list Q) : bool :=
  acceptance_rate drafted accepted
  =? sum (map (position_rate accepted) (seq 1 (positions drafted))) / whole (positions drafted).

Definition metrics_conditional_monotone (drafted accepted : list Q) : bool :=
  forallb (fun i => (position_rate accepted (S i) <=? position_rate accepted i)
    && (conditional_rate accepted (S i) <=? conditional_rate accepted i)) (seq 1 (positions drafted)).

(** Drafts of a block that are kept, each with alpha while the earlier ones are. *)
Fixpoint run (alpha : Q) (gamma : nat) : program nat :=
  match gamma with
  | O => ret O
  | S g => kept <- coin alpha ;; if kept then (n <- run alpha g ;; ret (S n)) else ret O
  end.
Definition mean_accepted (alpha : Q) (gamma : nat) : Q := expect (run alpha gamma) whole.
Definition metrics_alpha (alpha : Q) (gamma : nat) : bool := mean_accepted alpha gamma / whole gamma =? alpha.

(** A text that is read again and again: at which places the draft is right. A step keeps the drafts before the first wrong one. *)
Definition is_right (right : list bool) (at_ : nat) : bool := nth (at_ mod length right) right false.
Fixpoint right_in_a_row (right : list bool) (at_ gamma : nat) : nat :=
  match gamma with O => O | S g => if is_right right at_ then S (right_in_a_row right (S at_) g) else O end.
(** After n steps from a place: the place modulo the period, and all that were kept. *)
Fixpoint kept_by (right : list bool) (gamma n at_ : nat) (kept : Z) : nat * Z :=
  match n with
  | O => (at_, kept)
  | S m => let a := right_in_a_row right at_ gamma in
      kept_by right gamma m ((at_ + a + 1) mod length right)%nat (kept + Z.of_nat a)%Z
  end.
(** As many steps as places lead into a cycle of at most as many steps, whose number divides their factorial. *)
Definition long_run (right : list bool) (gamma : nat) : Q :=
  let start := fst (kept_by right gamma (length right) 0 0%Z) in let n := fact (length right) in
  inject_Z (snd (kept_by right gamma n start 0%Z)) / whole (gamma * n).
Definition metrics_rate_falls_long_run (right : list bool) (gamma : nat) : bool :=
  long_run right (gamma + 1) <=? long_run right gamma.

Definition pooled (tokens steps : list Q) : Q := sum tokens / sum steps.
Definition metrics_pooled_order_assumes (tokens a b : list Q) : bool := pooled tokens b <? pooled tokens a.
Definition metrics_pooled_order (tokens a b : list Q) : bool := sum (zip over tokens b) <=? sum (zip over tokens a).

(** Steps to T tokens, where a step accepts n drafts with probability w_n and emits n + 1 tokens; each emits one at least. *)
Fixpoint steps_to (fuel : nat) (w : law) (T : nat) : Q :=
  match fuel, T with
  | S f, S _ => 1 + expect (draw w) (fun n => steps_to f w (T - S n))
  | _, _ => 0
  end.
Definition mean_length (w : law) : Q := 1 + expect (draw w) whole.
Definition metrics_same_length_same_steps_assumes (w v : law) : bool := mean_length w =? mean_length v.
Definition metrics_same_length_same_steps (w v : law) (tokens : nat) : bool := steps_to tokens w tokens =? steps_to tokens v tokens.

(** Tokens of a target call over its time, in times of the target alone. *)
Definition speed (length : Q) (gamma : nat) (cost : Q) : Q := length / (whole gamma * cost + 1).
Definition metrics_speed_tracks_length_assumes (length shorter : Q) : bool := shorter <? length.
Definition metrics_speed_tracks_length (length shorter : Q) (gamma : nat) (cost : Q) (other : nat) (other_cost : Q) : bool :=
  speed shorter other other_cost <=? speed length gamma cost.

Definition speedup (alpha : Q) (gamma : nat) (cost : Q) : Q := speed (mean_accepted alpha gamma + 1) gamma cost.
Definition rate (alpha : Q) (gamma : nat) : Q := mean_accepted alpha gamma / whole gamma.
Definition metrics_rate_ranks_assumes (alpha : Q) (gamma other : nat) : bool := rate alpha other <? rate alpha gamma.
Definition metrics_rate_ranks (alpha cost : Q) (gamma other : nat) : bool := speedup alpha other cost <=? speedup alpha gamma cost.
Definition cost_every_gamma_assumes (alpha cost : Q) (gamma : nat) : bool := (cost <? alpha) && Nat.leb 1 gamma.
Definition cost_every_gamma (alpha cost : Q) (gamma : nat) : bool := 1 <? speedup alpha gamma cost.
Definition cost_accepts_over_cost (alpha : Q) (gamma : nat) (cost : Q) : bool :=
  speedup alpha gamma cost =? speed (mean_accepted alpha gamma) gamma cost.

(** Statements about logits that are computed twice. *)

Require Import vocabulary logarithms.

(** The first of the largest logits, which may be negative. *)
Fixpoint first_largest (best : Q) (at_best here : nat) (z : list Q) : nat :=
  match z with
  | [] => at_best
  | a :: more => if best <? a then first_largest a here (S here) more else first_largest best at_best (S here) more
  end.
Definition chosen (z : list Q) : nat := match z with [] => O | a :: more => first_largest a O 1 more end.
Definition numerics_greedy_identical (z shift : list Q) : bool := Nat.eqb (chosen (zip plus z shift)) (chosen z).

(** Weights e^(z/T), their changes, and rho = e^(ε/T), which has (rho - 1)/(rho + 1) for tanh(ε/2T). *)
Definition law_of (w : list Q) : law := map (fun a => a / sum w) w.
Definition numerics_kl_half_assumes (change : list Q) (rho : Q) : bool :=
  forallb (fun c => (1 / rho <=? c) && (c <=? rho)) change.
Definition numerics_kl_half (w change : list Q) (rho : Q) : bool :=
  may_be_at_most (divergence (law_of w) (law_of (zip times w change))) (Times (Num ((rho - 1) / (rho + 1))) (Ln rho)).

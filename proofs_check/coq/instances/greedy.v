(** Statements about certificates of greedy drafts. *)

Require Import vocabulary logarithms.

Definition margin (p : law) : Q :=
  largest p - largest (map (fun x => if Nat.eqb x (argmax p) then 0 else at_ p x) (tokens p)).

(** A draft law that is no smaller at another token than at the target's first is not certified. *)
Definition greedy_margin_square (p q : law) (b : nat) : bool :=
  implies (negb (Nat.eqb b (argmax p)) && (at_ q (argmax p) <=? at_ q b))
    (may_be_at_most (Num (margin p * margin p)) (divergence p q)).

(** Of a mass m of a law: c is the mean of m and the masses above c, the largest of m with those above some mass. *)
Definition with_above (p : law) (m c : Q) : list Q := m :: filter (fun a => c <? a) p.
Definition mean (f : list Q) : Q := sum f / whole (length f).
Definition pool_level (p : law) (m : Q) : Q := largest (map (fun c => mean (with_above p m (max m c))) (1 :: p)).
Definition pool (p : law) (m : Q) : list Q := with_above p m (pool_level p m).
Definition certificate (p : law) (m : Q) : real :=
  let f := pool p m in total (map (fun a => if a =? 0 then Num 0 else Times (Num a) (Ln (a / mean f))) f).
Definition likeliest_of (p : law) (rejected : list bool) : Q := largest (where_ rejected p).
(** Certificates of the same masses are equal, and others are compared by logarithms. *)
Definition greedy_nested_strict (p : law) (fewer rejected : list bool) : bool :=
  let a := likeliest_of p fewer in let b := likeliest_of p rejected in
  negb (equal (pool p a) (pool p b)) && may_be_at_most (certificate p b) (certificate p a).

Definition certified_by_branches (delta : Q) (m : nat) : real :=
  let high := 1 + whole m * delta in let low := 1 - delta in
  Plus (Times (Num (high / whole (S m))) (Ln high)) (Times (Num (whole m * low / whole (S m))) (Ln low)).
Definition greedy_tree_margin_limit (delta : Q) (m : nat) : bool :=
  may_be_at_most (certified_by_branches delta m) (Minus (Num 0) (Ln (1 - delta))).

(** What exported statements are made of, over pairs of fractions with the number between them: the text of a statement with
    logarithms, exponentials or roots is read here, and computed. That the number is there is proved in [transfer].
    Exponentials and logarithms are those of [logarithms]. *)
Require Export vocabulary.
Require Import logarithms.

Inductive num : Type := Between (low high : Q) | Unknown.
Definition point (a : Q) : num := Between a a.
Coercion point : Q >-> num.

(** Bounds are rounded outwards, to multiples of 2^-120: long fractions make no bound better. *)
Definition unit : positive := Pos.pow 2 120.
Definition down (a : Q) : Q := if Pos.leb (Qden a) unit then a else Qred (Qmake (Qfloor (a * inject_Z (Zpos unit))%Q) unit).
Definition up (a : Q) : Q := Qopp (down (Qopp a)).
Definition wide (low high : Q) : num := Between (down low) (up high).

Definition add (a b : num) : num :=
  match a, b with Between l h, Between m i => wide (plus l m) (plus h i) | _, _ => Unknown end.
Definition opp (a : num) : num := match a with Between l h => Between (Qopp h) (Qopp l) | Unknown => Unknown end.
Definition sub (a b : num) : num := add a (opp b).
Definition mul (a b : num) : num :=
  match a, b with
  | Between l h, Between m i =>
    let w := times l m in let x := times l i in let y := times h m in let z := times h i in
    wide (min (min w x) (min y z)) (max (max w x) (max y z))
  | _, _ => Unknown
  end.
Definition inv (a : num) : num :=
  match a with
  | Between l h => if (below 0 l || below h 0)%bool then wide (over 1 h) (over 1 l) else Unknown
  | Unknown => Unknown
  end.
Definition div (a b : num) : num := mul a (inv b).
Fixpoint power (a : num) (n : nat) : num := match n with O => point 1 | S n => mul a (power a n) end.
Definition exp (a : num) : num :=
  match a with
  | Between l h => match exp_between l, exp_between h with Some (m, _), Some (_, i) => wide m i | _, _ => Unknown end
  | Unknown => Unknown
  end.
Definition ln (a : num) : num :=
  match a with
  | Between l h =>
    if below 0 l then match ln_between l, ln_between h with Some (m, _), Some (_, i) => wide m i | _, _ => Unknown end
    else Unknown
  | Unknown => Unknown
  end.
Definition Rpower (a b : num) : num := exp (mul b (ln a)).
(** Roots are those of whole numbers of units squared. *)
Definition root_below (a : Q) : Q :=
  Qmake (Z.sqrt (Qfloor (a * inject_Z (Zpos unit * Zpos unit))%Q)) unit.
Definition root_above (a : Q) : Q := plus (root_below a) (Qmake 1 unit).
Definition sqrt (a : num) : num :=
  match a with
  | Between l h => if at_most 0 l then wide (root_below l) (root_above h) else Unknown
  | Unknown => Unknown
  end.

Declare Scope enclosures.
Infix "+" := add : enclosures.
Infix "-" := sub : enclosures.
Infix "*" := mul : enclosures.
Infix "/" := div : enclosures.
Notation "- a" := (opp a) : enclosures.
Notation "/ a" := (inv a) : enclosures.
Notation "a ^ n" := (power a n%nat) : enclosures.
Global Open Scope enclosures.

Definition IZR (n : Z) : num := point (inject_Z n).
Definition Rmin (a b : num) : num :=
  match a, b with Between l h, Between m i => Between (min l m) (min h i) | _, _ => Unknown end.
Definition Rmax (a b : num) : num :=
  match a, b with Between l h, Between m i => Between (max l m) (max h i) | _, _ => Unknown end.
Definition Rabs (a : num) : num := Rmax a (opp a).
Definition pw (b : num) (n : Z) : num := power b (Z.to_nat n).
Definition delta (a b : Z) : num := if Z.eq_dec a b then point 1 else point 0.
Fixpoint terms (f : Z -> num) (lo : Z) (n : nat) : num :=
  match n with O => point 0 | S m => terms f lo m + f (lo + Z.of_nat m)%Z end.
Definition Sum (lo hi : Z) (f : Z -> num) : num := terms f lo (Z.to_nat (hi - lo + 1)).

(** Numerators and denominators of the bounds of two sides; none of what is not known. *)
Definition shown (a : num) : list Z :=
  match a with Between l h => [Qnum (Qred l); Zpos (Qden (Qred l)); Qnum (Qred h); Zpos (Qden (Qred h))] | Unknown => [] end.
Definition sides (a b : num) : list (list Z) := [shown a; shown b].

(** What exported statements are made of, over fractions in lowest terms: the text of a statement is read here, and computed.
    That each operation is that of the real numbers is proved in [transfer]. *)
From Coq Require Export ZArith QArith Qabs Qround List.
Export ListNotations.
Open Scope Q_scope.

Definition num : Type := Q.
Definition add (a b : Q) : Q := Qred (a + b).
Definition sub (a b : Q) : Q := Qred (a - b).
Definition mul (a b : Q) : Q := Qred (a * b).
Definition div (a b : Q) : Q := Qred (a / b).
Definition inv (a : Q) : Q := Qred (/ a).
Fixpoint power (a : Q) (n : nat) : Q := match n with O => 1 | S n => mul a (power a n) end.
Infix "+" := add : Q_scope.
Infix "-" := sub : Q_scope.
Infix "*" := mul : Q_scope.
Infix "/" := div : Q_scope.
Notation "/ a" := (inv a) : Q_scope.
Notation "a ^ n" := (power a n%nat) : Q_scope.

Definition IZR (n : Z) : Q := inject_Z n.
Definition Rmin (a b : Q) : Q := if Qle_bool a b then a else b.
Definition Rmax (a b : Q) : Q := if Qle_bool a b then b else a.
Definition Rabs (a : Q) : Q := Qabs a.
Definition Int_part (a : Q) : Z := Qfloor a.
Definition pw (b : Q) (n : Z) : Q := power b (Z.to_nat n).
Definition delta (a b : Z) : Q := if Z.eq_dec a b then 1 else 0.
Fixpoint terms (f : Z -> Q) (lo : Z) (n : nat) : Q :=
  match n with O => 0 | S m => terms f lo m + f (lo + Z.of_nat m)%Z end.
Definition Sum (lo hi : Z) (f : Z -> Q) : Q := terms f lo (Z.to_nat (hi - lo + 1)).

(** Numerators and denominators of two sides. *)
Definition shown (a : Q) : list Z := let r := Qred a in [Qnum r; Zpos (Qden r)].
Definition sides (a b : num) : list (list Z) := [shown a; shown b].

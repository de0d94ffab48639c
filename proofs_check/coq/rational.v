(** What exported statements are made of, over the fractions: the text of a statement is read here, and computed. *)
From Coq Require Export ZArith QArith Qminmax Qabs Qround.
Open Scope Q_scope.

Definition IZR := inject_Z.
Definition Rmin (a b : Q) : Q := if Qle_bool a b then a else b.
Definition Rmax (a b : Q) : Q := if Qle_bool a b then b else a.
Definition Rabs := Qabs.
Definition Int_part := Qfloor.
Definition pw (b : Q) (n : Z) : Q := b ^ n.
Definition delta (a b : Z) : Q := if Z.eq_dec a b then 1 else 0.
Fixpoint terms (f : Z -> Q) (lo : Z) (n : nat) : Q :=
  match n with O => 0 | S n => Qred (f lo + terms f (lo + 1)%Z n) end.
Definition Sum (lo hi : Z) (f : Z -> Q) : Q := terms f lo (Z.to_nat (hi - lo + 1)).
(** Numerators and denominators of two sides. *)
Definition sides (a b : Q) : Z * Z * (Z * Z) := ((Qnum (Qred a), QDen (Qred a)), (Qnum (Qred b), QDen (Qred b))).

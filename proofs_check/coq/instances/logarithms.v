(** Numbers with exponentials and logarithms of fractions in them, and fractions that they lie between. All of it computes; that
    the numbers do lie between them is proved in [enclosed].

    A statement about such numbers is true here where it may be true: where the fractions decide, it is false. *)

Require Import vocabulary.

Inductive real : Type :=
| Num (a : Q) | Exp (a : Q) | Ln (a : Q) | Plus (a b : real) | Minus (a b : real) | Times (a b : real).

Declare Scope numbers.
Delimit Scope numbers with number.
Infix "+" := Plus : numbers.
Infix "-" := Minus : numbers.
Infix "*" := Times : numbers.

(** Below e^x: (1 + x/n)^n with n = 2^32, by squaring, in multiples of 2^-80 and rounded down each time. *)
Definition squarings : nat := 32.
Definition places : Z := 80.
Definition grain : positive := Pos.pow 2 80.
Definition rounded (a : Z) : Z := Z.shiftr a places.
Fixpoint squared (n : nat) (a : Z) : Z := match n with O => a | S m => squared m (rounded (a * a)) end.
Definition first_step (x : Q) : Z :=
  Z.max 0 (Qfloor ((1 + x / inject_Z (2 ^ Z.of_nat squarings)) * inject_Z (Zpos grain))%Q).
Definition below_exp (x : Q) : Q := Qmake (squared squarings (first_step x)) grain.

(** A guess of ln x, on which nothing rests: the series of atanh after division by the nearest power of two. *)
Fixpoint series (terms : nat) (i z power : Z) : Z :=
  match terms with
  | O => 0
  | S m => (power / i + series m (i + 2) z (rounded (rounded (power * z) * z)))%Z
  end.
Definition twice_atanh (z : Q) : Z := let a := Qfloor (z * inject_Z (Zpos grain)) in (2 * series 24 1 a a)%Z.
Definition ln_two : Z := twice_atanh (1 # 3).
Definition guess (x : Q) : Q :=
  let k := (Z.log2 (Qnum x) - Z.log2 (Zpos (Qden x)))%Z in
  let m := x / Qpower 2 k in
  Qmake (twice_atanh ((m - 1) / (m + 1)) + k * ln_two) grain.
Definition spare : Q := 1 # (Pos.pow 2 24).

(** The fractions, if there are any: 1/e^x is above e^(-x), and y is below ln x where e^y is below x. *)
Definition between : Type := option (Q * Q).
Definition at_least_inverse (a : Q) : Q := Qmake (Zpos grain * Zpos (Qden a) / Qnum a + 1) grain.
Definition above_exp (x : Q) : option Q :=
  let other := below_exp (- x) in if 0 <? other then Some (at_least_inverse other) else None.
Definition exp_between (x : Q) : between :=
  match above_exp x with Some above => Some (below_exp x, above) | None => None end.
Definition ln_between (x : Q) : between :=
  let near := guess x in let low := near - spare in let high := near + spare in
  match above_exp low with
  | Some above => if (0 <? x) && (above <=? x) && (x <=? below_exp high) then Some (low, high) else None
  | None => None
  end.
Definition both (op : Q * Q -> Q * Q -> Q * Q) (a b : between) : between :=
  match a, b with Some a, Some b => Some (op a b) | _, _ => None end.
Definition summed : between -> between -> between := both (fun a b => (fst a + fst b, snd a + snd b)).
Definition less : between -> between -> between := both (fun a b => (fst a - snd b, snd a - fst b)).
Definition multiplied : between -> between -> between := both (fun a b =>
  let w := fst a * fst b in let x := fst a * snd b in let y := snd a * fst b in let z := snd a * snd b in
  (min (min w x) (min y z), max (max w x) (max y z))).
Fixpoint enclosure (a : real) : between :=
  match a with
  | Num a => Some (a, a)
  | Exp a => exp_between a
  | Ln a => ln_between a
  | Plus a b => summed (enclosure a) (enclosure b)
  | Minus a b => less (enclosure a) (enclosure b)
  | Times a b => multiplied (enclosure a) (enclosure b)
  end.

(** False only where it is certain that a is above b; that they differ. *)
Definition perhaps_at_most (a b : between) : bool := match a, b with Some a, Some b => fst a <=? snd b | _, _ => true end.
Definition may_be_at_most (a b : real) : bool := perhaps_at_most (enclosure a) (enclosure b).
Definition may_be_equal (a b : real) : bool :=
  let l := enclosure a in let r := enclosure b in perhaps_at_most l r && perhaps_at_most r l.

Definition total (f : list real) : real := fold_right Plus (Num 0) f.
Definition entropy (p : law) : real := total (map (fun a => if a =? 0 then Num 0 else Times (Num (- a)) (Ln a)) p).
(** KL(p‖q), where q has every token of p. *)
Definition divergence (p q : law) : real :=
  total (zip (fun a b => if a =? 0 then Num 0 else Times (Num a) (Ln (a / b))) p q).

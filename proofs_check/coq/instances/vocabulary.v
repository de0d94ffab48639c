(** What the statements of claims are written in: fractions, laws as lists of them, and programs that toss coins, as the finite
    distributions which they induce. All of it computes. Written from the papers' formulas, not from the package's code.

    A statement is a truth value of named quantities. *)

Require Export QArith Qround List Bool Arith ZArith.
Export ListNotations.

(** * Fractions in lowest terms *)

Definition plus (a b : Q) : Q := Qred (Qplus a b).
Definition minus (a b : Q) : Q := Qred (Qminus a b).
Definition times (a b : Q) : Q := Qred (Qmult a b).
Definition over (a b : Q) : Q := Qred (Qdiv a b).  (* of 0: 0 *)
Definition at_most (a b : Q) : bool := Qle_bool a b.
Definition below (a b : Q) : bool := negb (Qle_bool b a).

Declare Scope fractions.
Infix "+" := plus : fractions.
Infix "-" := minus : fractions.
Infix "*" := times : fractions.
Infix "/" := over : fractions.
Infix "=?" := Qeq_bool (at level 70, no associativity) : fractions.
Infix "<=?" := at_most (at level 70, no associativity) : fractions.
Infix "<?" := below (at level 70, no associativity) : fractions.
Global Open Scope Q_scope.
Global Open Scope fractions.

Definition min (a b : Q) : Q := if a <=? b then a else b.
Definition max (a b : Q) : Q := if a <=? b then b else a.
Definition positive_part (a : Q) : Q := max 0 a.
Definition distance (a b : Q) : Q := if a <=? b then b - a else a - b.
Definition whole (n : nat) : Q := inject_Z (Z.of_nat n).
Fixpoint power (a : Q) (n : nat) : Q := match n with O => 1 | S m => a * power a m end.
Definition implies (a b : bool) : bool := negb a || b.

(** * Lists of fractions *)

Definition law : Type := list Q.
Definition matrix : Type := list (list Q).

Definition sum (f : list Q) : Q := fold_right plus 0 f.
Definition product (f : list Q) : Q := fold_right times 1 f.
Definition largest (f : list Q) : Q := fold_right max 0 f.
Fixpoint zip {A B C} (op : A -> B -> C) (f : list A) (g : list B) : list C :=
  match f, g with a :: f, b :: g => op a b :: zip op f g | _, _ => [] end.
Definition at_ (f : list Q) (x : nat) : Q := nth x f 0.
Definition row (m : matrix) (x : nat) : law := nth x m [].
Definition scaled (c : Q) (f : list Q) : list Q := map (times c) f.
Definition mixed (c : Q) (f g : list Q) : list Q := zip plus (scaled c f) (scaled (1 - c) g).
Definition equal (f g : list Q) : bool := Nat.eqb (length f) (length g) && forallb (fun b => b) (zip Qeq_bool f g).
Definition matrices_equal (f g : matrix) : bool := Nat.eqb (length f) (length g) && forallb (fun b => b) (zip equal f g).
Definition tokens (f : list Q) : list nat := seq 0 (length f).
Definition is_law (p : law) : bool := forallb (fun m => 0 <=? m) p && (sum p =? 1).
Definition normalised (f otherwise : list Q) : list Q := if sum f =? 0 then otherwise else map (fun m => m / sum f) f.
Definition where_ (b : list bool) (f : list Q) : list Q := zip (fun b m => if b : bool then m else 0) b f.

(** Half the sum of differences, what two laws share, what one has above the other. *)
Definition tv (p q : law) : Q := sum (zip distance p q) / 2.
Definition overlap (p q : law) : Q := sum (zip min p q).
Definition excess (p q : law) : law := zip (fun a b => positive_part (a - b)) p q.

(** The first most likely token; without a token, in proportion elsewhere. *)
Fixpoint place (m : Q) (f : list Q) : nat := match f with a :: g => if a =? m then O else S (place m g) | [] => O end.
Definition argmax (q : law) : nat := place (largest q) q.
Definition point (V x : nat) : law := map (fun y => if Nat.eqb x y then 1 else 0) (seq 0 V).
Definition top (q : law) : law := point (length q) (argmax q).
Definition without (p : law) (x : nat) : law :=
  normalised (map (fun y => if Nat.eqb x y then 0 else at_ p y) (tokens p)) p.

(** The k most likely tokens, the first of equal ones, one after the other. *)
Fixpoint most_likely (k : nat) (q : law) : list bool :=
  match k with
  | O => map (fun _ => false) q
  | S j => zip orb (map (Nat.eqb (argmax q)) (tokens q))
      (most_likely j (map (fun x => if Nat.eqb x (argmax q) then -1 # 1 else at_ q x) (tokens q)))
  end.

(** The draft on the shared vocabulary, renormalised (TLI), even there where it has no mass on it; a row times a matrix. *)
Definition even (shared : list bool) : law :=
  normalised (map (fun b : bool => if b then 1 else 0) shared) [].
Definition restricted (q : law) (shared : list bool) : law := normalised (where_ shared q) (even shared).
Definition moved (q : law) (M : matrix) : law := map (fun j => sum (map (fun i => at_ q i * at_ (row M i) j) (tokens q))) (tokens q).
Definition row_stochastic (M : matrix) : bool := forallb is_law M.

(** * Programs *)

Definition program (A : Type) : Type := list (Q * A).
Definition ret {A} (a : A) : program A := [(1, a)].
Definition bind {A B} (d : program A) (f : A -> program B) : program B :=
  flat_map (fun wa => if fst wa =? 0 then [] else map (fun vb => (fst wa * fst vb, snd vb)) (f (snd wa))) d.
Notation "x <- d ;; e" := (bind d (fun x => e)) (at level 61, d at next level, right associativity).
Definition draw (p : law) : program nat := zip (fun m x => (m, x)) p (tokens p).
Definition coin (a : Q) : program bool := [(a, true); (1 - a, false)].
Definition expect {A} (d : program A) (f : A -> Q) : Q := sum (map (fun wa => fst wa * f (snd wa)) d).
Definition chance {A} (d : program A) (test : A -> bool) : Q := expect d (fun a => if test a then 1 else 0).
Definition output (V : nat) (d : program nat) : law := map (fun y => chance d (Nat.eqb y)) (seq 0 V).
Definition lossless (p : law) (d : program nat) : bool := equal (output (length p) d) p.

(** ** One step of speculative decoding, and steps like it *)

Definition ratio (p q : law) (x : nat) : Q := if at_ q x =? 0 then 1 else min 1 (at_ p x / at_ q x).
Definition residual (p q : law) : law := normalised (excess p q) p.
(** A token that was not drawn from the law that is told: kept for sure where that law lacks it and p does not. *)
Definition told_ratio (p t : law) (x : nat) : Q := if at_ p x =? 0 then 0 else ratio p t x.

(** Draw a draft, keep it with a probability of its own, else draw from a replacement that may depend on it. *)
Definition step_by (drawn : law) (keep : nat -> Q) (replacement : nat -> law) : program nat :=
  x <- draw drawn ;; (kept <- coin (keep x) ;; if kept then ret x else draw (replacement x)).
Definition accepted_by (drawn : law) (keep : nat -> Q) : Q := expect (draw drawn) keep.
Definition step (p q : law) : program nat := step_by q (ratio p q) (fun _ => residual p q).

(** What it emits, told law t of a draft from q. *)
Definition told (p q t : law) : program nat := step_by q (ratio p t) (fun _ => residual p t).

(** * Texts, such as names and printed figures *)

Require Coq.Strings.String.
Export String.StringSyntax.
Delimit Scope string_scope with string.

Definition text : Type := String.string.
Definition same (a b : text) : bool := String.eqb a b.
Arguments same (a b)%string.

(** Sequences by their first member, and the next one from each. *)
From Simspec Require Export prelude.

Section Members.
Variable A : Type.
Variable first : A.
Variable next : Z -> A -> A.

Fixpoint after (k : nat) : A := match k with O => first | S k => next (Z.of_nat k) (after k) end.
Definition member (n : Z) : A := after (Z.to_nat n).

Lemma member_first : member 0 = first.
Proof. reflexivity. Qed.
Lemma member_next n : (0 <= n)%Z -> member (n + 1) = next n (member n).
Proof.
  intro H. unfold member. replace (Z.to_nat (n + 1)) with (S (Z.to_nat n)) by lia.
  cbn [after]. rewrite Z2Nat.id by exact H. reflexivity.
Qed.
End Members.
Arguments member {A} first next n.
Arguments member_first {A} first next.
Arguments member_next {A} first next n.

(** Of whole numbers, what a rule says of them as real ones. *)
Lemma min_IZR a b : IZR (Z.min a b) = Rmin (IZR a) (IZR b).
Proof.
  unfold Rmin. destruct (Rle_dec (IZR a) (IZR b)) as [H|H].
  - rewrite Z.min_l; [reflexivity | apply le_IZR, H].
  - rewrite Z.min_r; [reflexivity | apply Rnot_le_lt, lt_IZR in H; lia].
Qed.
Lemma max_IZR a b : IZR (Z.max a b) = Rmax (IZR a) (IZR b).
Proof.
  unfold Rmax. destruct (Rle_dec (IZR a) (IZR b)) as [H|H].
  - rewrite Z.max_r; [reflexivity | apply le_IZR, H].
  - rewrite Z.max_l; [reflexivity | apply Rnot_le_lt, lt_IZR in H; lia].
Qed.

(** Typical acceptance (Cai et al. 2024): a draft is kept where the target gives it enough. *)

Require Import Reals Lra Lia List Arith Bool.
Require Import laws lossless paths certificates.
Import ListNotations.
Open Scope R_scope.

Section Typical.

Variable V : nat.
Variables p q : nat -> R.
Hypothesis target_law : law V p.
Hypothesis draft_law : law V q.

(** Tokens above min(ε, δ exp(-H(p))) are typical. *)
Definition entropy (p : nat -> R) : R := - sum V (fun x => weighted (p x) 1).
Definition typical (epsilon delta : R) (x : nat) : bool := if Rlt_dec (Rmin epsilon (delta * exp (- entropy p))) (p x) then true else false.

(** How often a draft of some law is typical, which is when it is accepted. *)
Definition typical_acceptance (epsilon delta : R) (drafted : nat -> R) : R := chance (draw V drafted) (typical epsilon delta).

Lemma typical_mass epsilon delta r : typical_acceptance epsilon delta r = sum V (fun x => if typical epsilon delta x then r x else 0).
Proof.
  unfold typical_acceptance, chance. rewrite expect_draw. apply sum_ext. intros x _. unfold indicator. destruct (typical epsilon delta x); ring.
Qed.

(** With A the typical tokens, typical acceptance accepts q(A) = α + Σ_A (q - p)₊ - Σ outside A of min(p, q). *)
Theorem relaxed_typical_more_corrected epsilon delta : let A := typical epsilon delta in
  typical_acceptance epsilon delta q = sum V (fun x => if A x then q x else 0) /\
  typical_acceptance epsilon delta q = overlap V p q + sum V (fun x => if A x then Rmax 0 (q x - p x) else 0)
    - sum V (fun x => if A x then 0 else Rmin (p x) (q x)).
Proof.
  intros A. split; [apply typical_mass|]. rewrite typical_mass. fold A. unfold overlap. rewrite <- sum_plus, <- sum_minus. apply sum_ext. intros x _.
  destruct (A x); unfold Rmin, Rmax; destruct (Rle_dec (p x) (q x)), (Rle_dec 0 (q x - p x)); lra.
Qed.

(** Typical acceptance accepts at least α - p(A^c), A the typical tokens; a draft that is the target is accepted just so often, so that
    no more can be said. *)
Theorem relaxed_typical_more_corrected_least epsilon delta : let A := typical epsilon delta in
  let outside := sum V (fun x => if A x then 0 else p x) in
  overlap V p q - outside <= typical_acceptance epsilon delta q /\
  typical_acceptance epsilon delta p = 1 - outside /\ typical_acceptance epsilon delta p = overlap V p p - outside.
Proof.
  intros A outside. rewrite !typical_mass. fold A.
  assert (E : sum V (fun x => if A x then p x else 0) = 1 - outside).
  { unfold outside. destruct target_law as [_ <-]. rewrite <- sum_minus. apply sum_ext. intros x _. destruct (A x); ring. }
  split; [|split; [exact E|]].
  - unfold overlap, outside. rewrite <- sum_minus. apply sum_le. intros x L. pose proof (law_nonneg V q x draft_law L).
    pose proof (Rmin_l (p x) (q x)). pose proof (Rmin_r (p x) (q x)). destruct (A x); lra.
  - rewrite E. f_equal. unfold overlap. destruct target_law as [_ <-]. apply sum_ext. intros x _. symmetry. apply Rmin_left. lra.
Qed.

End Typical.

(** RDK: the draft's token is moved to another by a row-stochastic matrix before it is verified. *)

Require Import Reals Lra Lia List Arith.
Require Import laws lossless.
Import ListNotations.
Open Scope R_scope.

Section Moves.

Variable V : nat.

Definition row_stochastic (M : nat -> nat -> R) : Prop := forall i, (i < V)%nat -> law V (M i).

(** Where a row of numbers is taken, Mᵀx; as a program, where a draft is taken. *)
Definition image (x : nat -> R) (M : nat -> nat -> R) (j : nat) : R := sum V (fun i => x i * M i j).
Definition moved (q : nat -> R) (M : nat -> nat -> R) : program nat := i <- draw V q ;; draw V (M i).

(** TLI's draft: on the shared vocabulary alone, renormalised. *)
Definition on_shared (shared : nat -> bool) (q : nat -> R) (x : nat) : R := if shared x then q x else 0.
Definition restricted (shared : nat -> bool) (q : nat -> R) (x : nat) : R := on_shared shared q x / sum V (on_shared shared q).

(** How often a draft of law q is kept. *)
Definition acceptance (p q : nat -> R) : R :=
  expect (draw V q) (fun x => chance (coin (Rmin 1 (p x / q x))) (fun kept => kept)).

Lemma moved_output q M j : (j < V)%nat -> output (moved q M) j = image q M j.
Proof.
  intros L. apply (output_expect V); [|easy]. intros f. unfold moved. rewrite expect_bind, expect_draw.
  rewrite (sum_ext V _ (fun i => sum V (fun j => q i * M i j * f j))).
  - rewrite sum_swap. apply sum_ext. intros k _. unfold image. rewrite <- sum_scale_right. now apply sum_ext.
  - intros i _. rewrite expect_draw, <- sum_scale. apply sum_ext. intros k _. ring.
Qed.

Lemma image_minus x y M j : image (fun i => x i - y i) M j = image x M j - image y M j.
Proof. unfold image. rewrite <- sum_minus. apply sum_ext. intros i _. ring. Qed.

Lemma non_expansive x y M : row_stochastic M ->
  sum V (fun j => Rabs (image x M j - image y M j)) <= sum V (fun i => Rabs (x i - y i)).
Proof.
  intros S. eapply Rle_trans.
  - apply sum_le. intros j _. rewrite <- image_minus. apply sum_abs.
  - rewrite sum_swap. apply sum_le. intros i L. destruct (S i L) as [N One].
    rewrite (sum_ext V _ (fun j => Rabs (x i - y i) * M i j)).
    + rewrite sum_scale, One. lra.
    + intros j Lj. rewrite Rabs_mult, (Rabs_right (M i j)); [easy|]. apply Rle_ge. now apply N.
Qed.

(** Moving two drafts by one row-stochastic matrix brings the laws of what is drafted no further apart in ℓ1. *)
Theorem rdk_non_expansive x y M : row_stochastic M ->
  sum V (fun j => Rabs (output (moved x M) j - output (moved y M) j)) <= sum V (fun i => Rabs (x i - y i)).
Proof.
  intros S. rewrite (sum_ext V _ (fun j => Rabs (image x M j - image y M j))); [now apply non_expansive|].
  intros j L. now rewrite !moved_output.
Qed.

End Moves.

(** There are a target, a draft and a row-stochastic matrix for which RDK's draft is kept less often than TLI's. *)
Theorem rdk_never_worse_refuted : exists V p q shared M,
  law V p /\ law V q /\ row_stochastic V M /\
  acceptance V p (output (moved V (restricted V shared q) M)) < acceptance V p (restricted V shared q).
Proof.
  set (p := fun x => if Nat.eqb x 0 then 1 else 0). set (M := fun (_ : nat) x => p (1 - x)%nat).
  set (d := restricted 2 (fun _ => true) p).
  assert (P : law 2 p) by (split; [intros [|[|x]] _; unfold p; simpl; lra | unfold p; simpl; lra]).
  assert (D : forall x, (x < 2)%nat -> d x = p x)
    by (intros [|[|x]] L; [| |lia]; unfold d, restricted, on_shared, p; simpl; field).
  assert (O : forall x, (x < 2)%nat -> output (moved 2 d M) x = p (1 - x)%nat).
  { intros x L. rewrite moved_output by easy. unfold image. simpl. rewrite !D by lia.
    destruct x as [|[|x]]; [| |lia]; unfold M, p; simpl; lra. }
  assert (S : row_stochastic 2 M)
    by (intros i _; split; [intros [|[|x]] _; unfold M, p; simpl; lra | unfold M, p; simpl; lra]).
  exists 2%nat, p, p, (fun _ => true), M. split; [easy|]. split; [easy|]. split; [easy|].
  assert (DL : law 2 d)
    by (split; [intros x L; rewrite D by easy; now apply P | simpl; rewrite !D by lia; unfold p; simpl; lra]).
  assert (OL : law 2 (output (moved 2 d M))).
  { split; [intros x L; rewrite O by easy; unfold p; destruct (Nat.eqb (1 - x) 0); lra|].
    cbn [sum]. rewrite !O by lia. unfold p. simpl. lra. }
  fold d. unfold acceptance. rewrite !sd_acceptance by easy.
  unfold overlap. cbn [sum]. rewrite !O, !D by lia. unfold p. simpl. unfold Rmin.
  destruct (Rle_dec 1 0), (Rle_dec 0 1), (Rle_dec 1 1), (Rle_dec 0 0); lra.
Qed.

(** * Linear time *)

(** s = Σ q'_i c_i; the affine form 1/V [1 + s/τ (π_j - 1/V)], and the normalised form, proportional to 1 + s/τ π_j. *)
Definition score (V : nat) (q c : nat -> R) : R := sum V (fun i => q i * c i).
Definition affine (V : nat) (s tau : R) (pi : nat -> R) (j : nat) : R := / INR V * (1 + s / tau * (pi j - / INR V)).
Definition normalised (V : nat) (s tau : R) (pi : nat -> R) (j : nat) : R :=
  (1 + s / tau * pi j) / sum V (fun k => 1 + s / tau * pi k).

(** The mixture of the uniform law and another. *)
Definition mixture (V : nat) (w : R) (pi : nat -> R) (j : nat) : R := (1 - w) * / INR V + w * pi j.

(** Linear-time RDK is a mixture (1 - w) uniform + w π, with w = s/(τV) in the affine form and w = (s/τ)/(V + s/τ) in the
    normalised one; the draft, on the shared vocabulary, enters through the one number s = Σ q'_i c_i. *)
Theorem rdk_linear_is_mixture V q shared c tau pi : law V pi -> (0 < V)%nat -> tau <> 0 ->
  let s := score V (restricted V shared q) c in
  (forall j, affine V s tau pi j = mixture V (s / (tau * INR V)) pi j) /\
  (INR V + s / tau <> 0 -> forall j, normalised V s tau pi j = mixture V (s / tau / (INR V + s / tau)) pi j).
Proof.
  intros [_ One] L T s. assert (P : 0 < INR V) by now apply lt_0_INR. split.
  - intros j. unfold affine, mixture. field. split; lra.
  - intros N j. unfold normalised, mixture. rewrite sum_plus, sum_scale, One, Rmult_1_r.
    assert (E : sum V (fun _ => 1) = INR V) by (clear; induction V; [easy | cbn [sum]; rewrite IHV, S_INR; ring]).
    rewrite E. set (t := s / tau) in *. field. split; lra.
Qed.

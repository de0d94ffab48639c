(** Traversal verification of a tree with one child per node, against block verification. *)

Require Import Reals Lra Lia List Arith.
Require Import laws lossless tree likeliest traversal block.
Import ListNotations.
Open Scope R_scope.

Section Chains.

Variable V : nat.
Variables target draft : list nat -> nat -> R.
Hypothesis target_law : forall text, law V (target text).
Hypothesis draft_law : forall text, law V (draft text).

(** Drafts that the draft's law can say. *)
Fixpoint possible (text xs : list nat) : Prop :=
  match xs with [] => True | x :: more => (x < V)%nat /\ 0 < draft text x /\ possible (x :: text) more end.

Notation longest := (longest V target draft).
Notation visit := (visit V target (independent draft)).
Notation mass := (block.mass V target draft).
Notation left := (block.left target draft).
Notation further := (further target draft).

Lemma value_linear d f none : expect d (value f none) = expect d (value f 0) + expect d (value (fun _ => 0) 1) * none.
Proof. exact (value_affine d f none). Qed.

(** Where nothing is in excess after a text that counts 1, both laws are the same there. *)
Lemma nothing_in_excess text x : (x < V)%nat -> 0 < draft text x -> mass 1 text = 0 -> further 1 text x = 1.
Proof.
  intros L D Z. pose proof (target_law text) as P. pose proof (draft_law text) as Q.
  assert (E : excess (target text) (draft text) x = 0 /\ excess (draft text) (target text) x = 0).
  { assert (S : sum V (excess (target text) (draft text)) = 0).
    { rewrite <- Z. unfold block.mass, block.left. apply sum_ext. intros y _. unfold excess. now rewrite Rmult_1_l. }
    split; [now apply (sum_zero_terms V (excess (target text) (draft text)) (fun y _ => Rmax_l _ _) S)|].
    apply (sum_zero_terms V (excess (draft text) (target text)) (fun y _ => Rmax_l _ _)); [|easy].
    rewrite <- (refused_is_excess V _ _ Q P), <- S, <- (refused_is_excess V _ _ P Q). unfold overlap. f_equal. apply sum_ext.
    intros y _. apply Rmin_comm. }
  destruct E as [A B]. unfold excess, Rmax in A, B. unfold block.further. rewrite Rmult_1_l.
  replace (target text x / draft text x) with 1; [now rewrite Rmin_left by lra|].
  replace (target text x) with (draft text x); [field; lra|].
  destruct (Rle_dec 0 (target text x - draft text x)), (Rle_dec 0 (draft text x - target text x)); lra.
Qed.

(** A text that counts 1 is kept for sure. *)
Lemma kept_for_sure xs : forall text, possible text xs -> expect (longest 1 text xs) (value (fun _ => 0) 1) = 0.
Proof.
  induction xs as [|x more IH]; intros text H.
  - rewrite longest_nil, (sum_ext V _ (fun _ => 0)), sum_zero; [ring | intros; ring].
  - destruct H as [L [D H]]. rewrite longest_cons.
    rewrite (sum_ext V _ (fun _ => 0)), sum_zero by (intros; ring). rewrite Rmult_0_r, Rplus_0_l, Rmult_1_r.
    pose proof (mass_nonneg V target draft 1 text) as N. destruct N as [N|Z].
    + replace (mass 1 text / (mass 1 text + 1 - 1)) with 1 by (field; lra). rewrite value_linear, Rminus_diag_eq, Rmult_0_r by easy.
      rewrite Rplus_0_r. apply expect_zero. intros [ys|] _; easy.
    + rewrite (nothing_in_excess text x L D (eq_sym Z)), <- Z. unfold Rdiv. rewrite Rmult_0_l, Rminus_0_r. now apply IH.
Qed.

Lemma last_leaf text before m a f none :
  expect (visit Leaf text before m a) (value f none) = a * sum V (fun y => m y * f [y]) + (1 - a) * none.
Proof.
  cbn [traversal.visit]. rewrite expect_bind, expect_coin, expect_ret, expect_bind, expect_draw. do 2 f_equal.
  apply sum_ext. intros y _. now rewrite expect_ret.
Qed.

Lemma visit_longest xs : forall text r f none, possible text xs -> 0 <= r <= 1 ->
  expect (visit (chain xs) text [] (target text) r) (value f none) = expect (longest r text xs) (value f none).
Proof.
  induction xs as [|x more IH]; intros text r f none H R; [now rewrite last_leaf, longest_nil|].
  destruct H as [L [D H]]. cbn [chain]. rewrite longest_cons. cbn [traversal.visit]. cbv zeta. rewrite expect_bind.
  change (Rmin 1 (r * target text x / independent draft text [] x)) with (further r text x).
  rewrite <- (IH (x :: text)) by (easy || now apply (further_range V target draft target_law); try lra).
  set (m := traversal.left V r (target text) (independent draft text [])).
  set (a := counts V r (target text) (independent draft text [])).
  set (c := a * sum V (fun y => m y * f [y]) + (1 - a) * none).
  rewrite (expect_ext _ _ (value (fun ys => f (x :: ys)) c)).
  2: { intros [ys|]; [now rewrite expect_ret | exact (last_leaf text [x] m a f none)]. }
  set (h := mass r text / (mass r text + 1 - r)).
  pose proof (mass_nonneg V target draft r text) as N.
  assert (Same : traversal.mass V r (target text) (independent draft text []) = mass r text) by easy.
  destruct (Rlt_dec 0 (mass r text + 1 - r)) as [S|S].
  - apply expect_ext. intros [ys|]; [easy|]. simpl. unfold c, a, counts. rewrite Same. destruct (Rlt_dec 0 (mass r text + 1 - r)); [|easy].
    fold h. f_equal. destruct N as [N|Z].
    + f_equal. apply sum_ext. intros y _. f_equal. unfold m, traversal.left. rewrite Same. destruct (Rlt_dec 0 (mass r text)); easy.
    + assert (h = 0) as -> by (unfold h; rewrite <- Z; unfold Rdiv; ring). ring.
  - assert (r = 1 /\ mass r text = 0) as [-> Z] by lra. rewrite (nothing_in_excess text x L D Z).
    rewrite IH by (easy || lra). rewrite (value_linear _ _ c). rewrite (IH _ _ _ _ H) by lra.
    rewrite (value_linear _ _ (h * _ + _)). rewrite kept_for_sure by easy. ring.
Qed.

(** On a tree with one child per node, given what was drafted, traversal verification emits what block verification does, equally
    often: the drafts that are accepted, as many of them, and the token after them. *)
Theorem tree_traversal_chain text xs f : possible text xs ->
  expect (traverse V target (independent draft) (chain xs) text) f = expect (block V target draft text xs) f.
Proof.
  intros H. unfold traverse, block. rewrite !expect_bind.
  set (none := sum V (fun y => target text y * f [y])).
  transitivity (expect (visit (chain xs) text [] (target text) 1) (value f none)).
  - apply expect_ext. intros [ys|]; [now rewrite expect_ret|]. rewrite expect_bind, expect_draw. apply sum_ext. intros y _.
    now rewrite expect_ret.
  - rewrite visit_longest by (easy || lra). apply expect_ext. intros [ys|]; [now rewrite expect_ret|].
    rewrite expect_bind, expect_draw. apply sum_ext. intros y _. now rewrite expect_ret.
Qed.

End Chains.

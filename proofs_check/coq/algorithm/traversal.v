(** Traversal verification (Weng et al. 2025): a drafted tree is judged from its leaves to its root, so that a later token can make
    up for an earlier one. *)

Require Import Reals Lra Lia List Arith.
Require Import laws lossless tree.
Import ListNotations.
Open Scope R_scope.

Section Traversal.

Variable V : nat.
Variable target : list nat -> nat -> R.

(** The law of the next child of a text, after children that were drawn already; and whether there is none. *)
Variable sibling : list nat -> list nat -> nat -> R.
Variable over : list nat -> list nat -> bool.
Hypothesis target_law : forall text, law V (target text).
Hypothesis sibling_law : forall text before, over text before = false -> law V (sibling text before).

(** Of a node that counts a, with m left of the target, when a child is deleted that was drawn from s: what m has in excess,
    (a m - s)+, and its mass Z; what is left of the target then, and what the node counts, Z/(Z + 1 - a), or 1 where that is 0/0. *)
Definition in_excess (a : R) (m s : nat -> R) (y : nat) : R := Rmax 0 (a * m y - s y).
Definition mass (a : R) (m s : nat -> R) : R := sum V (in_excess a m s).
Definition left (a : R) (m s : nat -> R) : nat -> R :=
  if Rlt_dec 0 (mass a m s) then fun y => in_excess a m s y / mass a m s else m.
Definition counts (a : R) (m s : nat -> R) : R :=
  if Rlt_dec 0 (mass a m s + 1 - a) then mass a m s / (mass a m s + 1 - a) else 1.

(** What is emitted from a node on, or nothing where it is deleted. Its first child x counts min(1, a m(x)/s(x)); a node without
    children, or whose children are deleted, is accepted with probability a, and the next token is drawn from what is left. *)
Fixpoint visit (t : drafted) (text before : list nat) (m : nat -> R) (a : R) : program (option (list nat)) :=
  match t with
  | Leaf => kept <- coin a ;; if kept then (y <- draw V m ;; ret (Some [y])) else ret None
  | Node x below after =>
      let s := sibling text before in
      emitted <- visit below (x :: text) [] (target (x :: text)) (Rmin 1 (a * m x / s x)) ;;
      match emitted with
      | Some ys => ret (Some (x :: ys))
      | None => visit after text (x :: before) (left a m s) (counts a m s)
      end
  end.

(** The root counts 1, whatever is deleted: that it is deleted has no probability. *)
Definition traverse (t : drafted) (text : list nat) : program (list nat) :=
  emitted <- visit t text [] (target text) 1 ;;
  match emitted with Some ys => ret ys | None => y <- draw V (target text) ;; ret [y] end.

(** Rounds until n tokens are there; the shape of a tree may depend on the text before it. *)
Fixpoint rounds (grown : list nat -> shape) (more n : nat) (text : list nat) : program (list nat) :=
  match more, n with
  | S fewer, S _ =>
      t <- drafts V sibling over (grown text) text [] ;;
      (ys <- traverse t text ;; rounds grown fewer (n - length ys) (extended n ys text))
  | _, _ => ret text
  end.

(** * What is expected of it *)

Definition value (f : list nat -> R) (none : R) (emitted : option (list nat)) : R :=
  match emitted with Some ys => f ys | None => none end.

Lemma value_affine d f none : expect d (value f none) = expect d (value f 0) + expect d (value (fun _ => 0) 1) * none.
Proof.
  rewrite <- (Rmult_comm none), <- expect_scale, <- expect_plus. apply expect_ext. intros [ys|]; simpl; ring.
Qed.

Lemma excess_split a m s y : Rmin (s y) (a * m y) + in_excess a m s y = a * m y.
Proof. unfold in_excess, Rmin, Rmax. destruct (Rle_dec (s y) (a * m y)), (Rle_dec 0 (a * m y - s y)); lra. Qed.

Lemma mass_nonneg a m s : 0 <= mass a m s.
Proof. apply sum_nonneg. intros y _. apply Rmax_l. Qed.

Lemma left_law a m s : law V m -> law V (left a m s).
Proof.
  intros M. unfold left. destruct (Rlt_dec 0 (mass a m s)) as [P|]; [|easy]. split.
  - intros y _. apply Rmult_le_pos; [apply Rmax_l | left; now apply Rinv_0_lt_compat].
  - unfold Rdiv. rewrite sum_scale_right. apply Rinv_r. lra.
Qed.

Lemma counts_range a m s : 0 <= a <= 1 -> 0 <= counts a m s <= 1.
Proof.
  intros A. unfold counts. pose proof (mass_nonneg a m s) as Z. destruct (Rlt_dec 0 (mass a m s + 1 - a)) as [P|]; [|lra].
  split; [apply Rmult_le_pos; [easy | left; now apply Rinv_0_lt_compat]|].
  apply (Rmult_le_reg_r (mass a m s + 1 - a)); [easy|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

(** What a node with one more child drawn from s is worth: a of what is left of the target, the rest of being deleted. *)
Lemma child_value a m s g none : 0 <= a <= 1 -> law V m -> law V s ->
  let after := counts a m s * sum V (fun y => left a m s y * g y) + (1 - counts a m s) * none in
  sum V (fun x => s x * (Rmin 1 (a * m x / s x) * g x + (1 - Rmin 1 (a * m x / s x)) * after))
  = a * sum V (fun y => m y * g y) + (1 - a) * none.
Proof.
  intros A M S after. set (Z := mass a m s). pose proof (mass_nonneg a m s) as ZN. fold Z in ZN.
  rewrite (sum_ext V _ (fun x => Rmin (s x) (a * m x) * g x + (s x - Rmin (s x) (a * m x)) * after)).
  2: { intros x L. assert (AM : 0 <= a * m x) by (apply Rmult_le_pos; [easy | now apply (law_nonneg V)]).
       pose proof (keep_mass (a * m x) (s x) AM (law_nonneg V s x S L)) as K. rewrite (Rmin_comm (s x)), <- K. ring. }
  rewrite sum_plus, sum_scale_right, sum_minus.
  assert (Split : sum V (fun x => Rmin (s x) (a * m x)) = a - Z).
  { unfold Z, mass. rewrite (sum_ext V (fun x => Rmin (s x) (a * m x)) (fun x => a * m x - in_excess a m s x))
      by (intros x _; pose proof (excess_split a m s x); lra).
    rewrite sum_minus, sum_scale. destruct M as [_ ->]. ring. }
  rewrite Split. destruct S as [_ ->].
  assert (C : (1 - (a - Z)) * counts a m s = Z).
  { unfold counts. fold Z. destruct (Rlt_dec 0 (Z + 1 - a)) as [P|P]; [field; lra | nra]. }
  assert (G : Z * sum V (fun y => left a m s y * g y) = sum V (fun y => in_excess a m s y * g y)).
  { unfold left. fold Z. destruct (Rlt_dec 0 Z) as [P|P].
    - rewrite <- sum_scale. apply sum_ext. intros y _. field. lra.
    - assert (Z0 : Z = 0) by lra. rewrite Z0, Rmult_0_l. rewrite (sum_ext V _ (fun _ => 0)), sum_zero; [easy|].
      intros y L. rewrite (sum_zero_terms V (in_excess a m s) (fun x _ => Rmax_l _ _) Z0 y L). ring. }
  unfold after. transitivity (sum V (fun x => Rmin (s x) (a * m x) * g x)
    + ((1 - (a - Z)) * counts a m s * sum V (fun y => left a m s y * g y)
       + (1 - (a - Z) - (1 - (a - Z)) * counts a m s) * none)); [ring|].
  rewrite C, G.
  rewrite (sum_ext V (fun x => Rmin (s x) (a * m x) * g x) (fun x => a * (m x * g x) - in_excess a m s x * g x)).
  - rewrite sum_minus, sum_scale. ring.
  - intros x _. pose proof (excess_split a m s x) as E. transitivity ((Rmin (s x) (a * m x) + in_excess a m s x) * g x
      - in_excess a m s x * g x); [ring|]. rewrite E. ring.
Qed.

Notation rest := (rest V target).

(** A node is accepted with probability a, and what is emitted then, and after it by the target alone, is worth what is left of
    the target. *)
Lemma visit_value tree_shape : forall f n text before m a none, law V m -> 0 <= a <= 1 ->
  expect (drafts V sibling over tree_shape text before) (fun t => expect (visit t text before m a) (value (rest f n text) none))
  = a * sum V (fun y => m y * rest f n text [y]) + (1 - a) * none.
Proof.
  assert (Last : forall f n text before m a none, expect (visit Leaf text before m a) (value (rest f n text) none)
      = a * sum V (fun y => m y * rest f n text [y]) + (1 - a) * none).
  { intros. cbn [visit]. rewrite expect_bind, expect_coin, expect_ret, expect_bind, expect_draw. f_equal. f_equal.
    apply sum_ext. intros y _. now rewrite expect_ret. }
  induction tree_shape as [|below IHb after IHa]; intros f n text before m a none M A; cbn [drafts];
    [rewrite expect_ret; apply Last|].
  destruct (over text before) eqn:O; [rewrite expect_ret; apply Last|].
  pose proof (sibling_law text before O) as S. set (s := sibling text before) in *.
  rewrite expect_bind, expect_draw, <- (child_value a m s (fun y => rest f n text [y]) none A M S). cbv zeta.
  set (deleted := counts a m s * sum V (fun y => left a m s y * rest f n text [y]) + (1 - counts a m s) * none).
  apply sum_ext. intros x L. destruct (law_nonneg V s x S L) as [D|D]; [|rewrite <- D; ring]. f_equal.
  set (b := Rmin 1 (a * m x / s x)).
  assert (B : 0 <= b <= 1) by (apply keep_range; [apply Rmult_le_pos; [easy | now apply (law_nonneg V)] | easy]).
  assert (Kept : expect (drafts V sibling over below (x :: text) []) (fun t => expect (visit t (x :: text) [] (target (x :: text)) b)
      (value (fun ys => rest f n text (x :: ys)) deleted)) = b * rest f n text [x] + (1 - b) * deleted).
  { destruct n as [|n].
    - rewrite (expect_ext _ _ (fun t => expect (visit t (x :: text) [] (target (x :: text)) b)
        (value (rest (fun _ => f text) 0 (x :: text)) deleted))).
      2: { intros t. apply expect_ext. intros [ys|]; [|easy]. simpl. now rewrite !rest_full. }
      rewrite IHb, (rest_mean V target target_law), !rest_full by easy. easy.
    - rewrite (expect_ext _ _ (fun t => expect (visit t (x :: text) [] (target (x :: text)) b)
        (value (rest f n (x :: text)) deleted))).
      2: { intros t. apply expect_ext. intros [ys|]; [|easy]. simpl. apply rest_cons. }
      now rewrite IHb, (rest_mean V target target_law), rest_cons. }
  rewrite <- Kept, expect_bind. apply expect_ext. intros ta. rewrite expect_bind.
  rewrite value_affine. unfold deleted at 1.
  rewrite <- (IHa f n text (x :: before) (left a m s) (counts a m s) none (left_law a m s M) (counts_range a m s A)).
  rewrite <- expect_second by (apply drafts_sure; easy). apply expect_ext. intros tb. rewrite expect_ret.
  cbn [visit]. fold s. fold b. rewrite expect_bind, <- value_affine. apply expect_ext. intros [ys|]; simpl value.
  - now rewrite expect_ret.
  - easy.
Qed.

Lemma traverse_value tree_shape f n text :
  expect (drafts V sibling over tree_shape text []) (fun t => expect (traverse t text) (rest f n text)) = rest f n text [].
Proof.
  rewrite <- (rest_mean V target target_law).
  set (fallback := sum V (fun y => target text y * rest f n text [y])).
  transitivity (1 * fallback + (1 - 1) * fallback); [|ring]. unfold fallback at 1.
  rewrite <- (visit_value tree_shape f n text [] (target text) 1 fallback (target_law text) ltac:(lra)).
  apply expect_ext. intros t. unfold traverse. rewrite expect_bind. apply expect_ext. intros [ys|]; simpl value.
  - now rewrite expect_ret.
  - rewrite expect_bind, expect_draw. apply sum_ext. intros y _. now rewrite expect_ret.
Qed.

Lemma visit_emits t : forall text before m a ys, In (Some ys) (outcomes (visit t text before m a)) -> ys <> [].
Proof.
  induction t as [|x below IHb after IHa]; intros text before m a ys H; cbn [visit] in H.
  - apply outcomes_bind in H as [[|] [_ H]]; [apply outcomes_bind in H as [y [_ [E|[]]]]; inversion E; easy | destruct H as [E|[]]; easy].
  - apply outcomes_bind in H as [[zs|] [_ H]]; [destruct H as [E|[]]; inversion E; easy | now apply IHa in H].
Qed.

Lemma traverse_emits t text ys : In ys (outcomes (traverse t text)) -> ys <> [].
Proof.
  intros H. apply outcomes_bind in H as [[zs|] [I H]].
  - destruct H as [<-|[]]. now apply visit_emits in I.
  - apply outcomes_bind in H as [y [_ [<-|[]]]]. easy.
Qed.

Lemma rounds_value grown f : forall more n text, (n <= more)%nat ->
  expect (rounds grown more n text) f = expect (sample V target n text) f.
Proof.
  induction more as [|more IH]; intros [|n] text L; [easy | lia | easy|].
  cbn [rounds]. rewrite expect_bind, <- (rest_none V target f (S n)), <- (traverse_value (grown text) f (S n) text).
  apply expect_ext. intros t. rewrite expect_bind. apply expect_ext_in. intros ys H.
  apply traverse_emits in H. unfold lossless.rest. apply IH. destruct ys; [easy|]. simpl. lia.
Qed.

End Traversal.

Section Draws.

Variable V : nat.
Variables target draft : list nat -> nat -> R.
Hypothesis target_law : forall text, law V (target text).
Hypothesis draft_law : forall text, law V (draft text).

(** Traversal verification of trees of any shape, which may depend on the text, whose children are drawn independently: the first
    T tokens have the target's law. *)
Theorem tree_traversal_lossless_swr grown T test :
  chance (rounds V target (independent draft) never grown T T []) test = chance (sample V target T []) test.
Proof. apply rounds_value; try easy. intros text before _. apply draft_law. Qed.

(** Traversal verification of trees of any shape, which may depend on the text, whose children are drawn without replacement: the
    first T tokens have the target's law. *)
Theorem tree_traversal_lossless_swor grown T test :
  chance (rounds V target (distinct V draft) (exhausted V draft) grown T T []) test = chance (sample V target T []) test.
Proof. apply rounds_value; try easy. now apply distinct_law. Qed.

End Draws.

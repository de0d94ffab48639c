(** Recursive rejection on trees of drafts (Miao et al. 2024; Chen et al. 2024): at each node the children are tested one after the
    other, each against what the rejections before it have left of the target. *)

Require Import Reals Lra Lia List Arith Bool.
Require Import laws lossless.
Import ListNotations.
Open Scope R_scope.

(** The shape of a tree, as its first child's shape and the shape of the children after that; and a drafted tree. *)
Inductive shape := Nothing | Child (below after : shape).
Inductive drafted := Leaf | Node (x : nat) (below after : drafted).

Lemma residual_law V p q : law V p -> 0 < sum V (excess p q) -> law V (residual V p q).
Proof.
  intros _ P. split; [intros; apply residual_nonneg|]. unfold residual, Rdiv. rewrite sum_scale_right. apply Rinv_r. lra.
Qed.

Lemma expect_second {A} (d : program A) c b g : expect d (fun _ => 1) = 1 ->
  expect d (fun o => c + b * g o) = c + b * expect d g.
Proof. intros S. rewrite expect_plus, expect_scale, (expect_const d c), S. ring. Qed.

Lemma expect_first {A} (d : program A) a g c : expect d (fun _ => 1) = 1 ->
  expect d (fun o => a * g o + c) = a * expect d g + c.
Proof. intros S. rewrite expect_plus, expect_scale, (expect_const d c), S. ring. Qed.

Section Tree.

Variable V : nat.
Variable target : list nat -> nat -> R.

(** The law of the next child of a text, after children that were drawn already; and whether there is none. *)
Variable sibling : list nat -> list nat -> nat -> R.
Variable over : list nat -> list nat -> bool.
Hypothesis target_law : forall text, law V (target text).
Hypothesis sibling_law : forall text before, over text before = false -> law V (sibling text before).

(** The whole tree is drafted first. *)
Fixpoint drafts (s : shape) (text before : list nat) : program drafted :=
  match s with
  | Nothing => ret Leaf
  | Child below after =>
      if over text before then ret Leaf
      else (x <- draw V (sibling text before) ;;
            (a <- drafts below (x :: text) [] ;; (b <- drafts after text (x :: before) ;; ret (Node x a b))))
  end.

(** What is emitted where p is left of the target: the first child that passes and what comes of its tree, or a token of what is
    left in the end. *)
Fixpoint verify (t : drafted) (text before : list nat) (p : nat -> R) : program (list nat) :=
  match t with
  | Leaf => y <- draw V p ;; ret [y]
  | Node x below after =>
      kept <- coin (Rmin 1 (p x / sibling text before x)) ;;
      if kept then (ys <- verify below (x :: text) [] (target (x :: text)) ;; ret (x :: ys))
      else verify after text (x :: before) (residual V p (sibling text before))
  end.

(** Rounds until n tokens are there; the shape of a tree may depend on the text before it. *)
Fixpoint rounds (grown : list nat -> shape) (more n : nat) (text : list nat) : program (list nat) :=
  match more, n with
  | S fewer, S _ =>
      t <- drafts (grown text) text [] ;;
      (ys <- verify t text [] (target text) ;; rounds grown fewer (n - length ys) (extended n ys text))
  | _, _ => ret text
  end.

Lemma drafts_sure s : forall text before, expect (drafts s text before) (fun _ => 1) = 1.
Proof.
  induction s as [|below IHb after IHa]; intros text before; cbn [drafts]; [now rewrite expect_ret|].
  destruct (over text before) eqn:O; [now rewrite expect_ret|].
  rewrite expect_bind, expect_draw. destruct (sibling_law text before O) as [_ S].
  transitivity (sum V (sibling text before)); [|easy]. apply sum_ext. intros x _. rewrite expect_bind.
  transitivity (sibling text before x * expect (drafts below (x :: text) []) (fun _ => 1)); [|rewrite IHb; ring]. f_equal.
  apply expect_ext. intros a. rewrite expect_bind. transitivity (expect (drafts after text (x :: before)) (fun _ => 1)).
  - apply expect_ext. intros b. now rewrite expect_ret.
  - apply IHa.
Qed.

Notation rest := (rest V target).

(** What is emitted, and then the target alone, is worth what p is, which is left of the target. *)
Lemma tree_value s : forall f n text before p, law V p ->
  expect (drafts s text before) (fun t => expect (verify t text before p) (rest f n text))
  = sum V (fun y => p y * rest f n text [y]).
Proof.
  assert (Last : forall f n text before p,
      expect (verify Leaf text before p) (rest f n text) = sum V (fun y => p y * rest f n text [y])).
  { intros. cbn [verify]. rewrite expect_bind, expect_draw. apply sum_ext. intros y _. now rewrite expect_ret. }
  induction s as [|below IHb after IHa]; intros f n text before p P; cbn [drafts]; [rewrite expect_ret; apply Last|].
  destruct (over text before) eqn:O; [rewrite expect_ret; apply Last|].
  pose proof (sibling_law text before O) as Q. set (q := sibling text before) in *.
  rewrite expect_bind, expect_draw, <- (step_value V p q (fun y => rest f n text [y]) P Q).
  set (r := sum V (fun y => residual V p q y * rest f n text [y])).
  apply sum_ext. intros x L. destruct (law_nonneg V q x Q L) as [D|D]; [|rewrite <- D; ring]. f_equal.
  set (a := Rmin 1 (p x / q x)).
  assert (Kept : expect (drafts below (x :: text) []) (fun t => expect (verify t (x :: text) [] (target (x :: text)))
      (fun ys => rest f n text (x :: ys))) = rest f n text [x]).
  { destruct n as [|n].
    - rewrite (expect_ext _ _ (fun t => expect (verify t (x :: text) [] (target (x :: text)))
        (rest (fun _ => f text) 0 (x :: text)))).
      2: { intros t. apply expect_ext. intros ys. now rewrite !rest_full. }
      rewrite IHb, (rest_mean V target target_law), !rest_full by easy. easy.
    - rewrite (expect_ext _ _ (fun t => expect (verify t (x :: text) [] (target (x :: text))) (rest f n (x :: text)))).
      2: { intros t. apply expect_ext. intros ys. apply rest_cons. }
      now rewrite IHb, (rest_mean V target target_law), rest_cons. }
  assert (Refused : (1 - a) * expect (drafts after text (x :: before)) (fun t => expect (verify t text (x :: before) (residual V p q))
      (rest f n text)) = (1 - a) * r).
  { assert (N : 0 <= sum V (excess p q)) by (apply sum_nonneg; intros; apply Rmax_l). destruct N as [N|Z].
    - f_equal. now apply IHa, residual_law.
    - assert (A : a = 1); [|rewrite A; ring]. unfold a. apply Rmin_left.
      assert (E : excess q p x = 0).
      { apply (sum_zero_terms V (excess q p)); [intros; apply Rmax_l | | easy].
        rewrite <- (refused_is_excess V q p Q P). rewrite Z at 1. rewrite <- (refused_is_excess V p q P Q).
        unfold overlap. f_equal. apply sum_ext. intros y _. apply Rmin_comm. }
      unfold excess, Rmax in E. apply (Rmult_le_reg_l (q x)); [easy|]. replace (q x * (p x / q x)) with (p x) by (field; lra).
      destruct (Rle_dec 0 (q x - p x)); lra. }
  rewrite <- Kept, <- Refused. rewrite expect_bind.
  rewrite (expect_ext _ _ (fun ta => a * expect (verify ta (x :: text) [] (target (x :: text))) (fun ys => rest f n text (x :: ys))
    + (1 - a) * expect (drafts after text (x :: before))
        (fun t => expect (verify t text (x :: before) (residual V p q)) (rest f n text)))).
  - apply expect_first, drafts_sure.
  - intros ta. rewrite expect_bind.
    rewrite (expect_ext _ _ (fun tb =>
      a * expect (verify ta (x :: text) [] (target (x :: text))) (fun ys => rest f n text (x :: ys))
      + (1 - a) * expect (verify tb text (x :: before) (residual V p q)) (rest f n text))).
    + apply expect_second, drafts_sure.
    + intros tb. rewrite expect_ret. cbn [verify]. fold q. rewrite expect_bind, expect_coin. fold a. f_equal. f_equal.
      rewrite expect_bind. apply expect_ext. intros ys. now rewrite expect_ret.
Qed.

Lemma verify_emits t : forall text before p ys, In ys (outcomes (verify t text before p)) -> ys <> [].
Proof.
  induction t as [|x below IHb after IHa]; intros text before p ys H; cbn [verify] in H.
  - apply outcomes_bind in H as [y [_ [<-|[]]]]. easy.
  - apply outcomes_bind in H as [[|] [_ H]]; [apply outcomes_bind in H as [z [_ [<-|[]]]]; easy | now apply IHa in H].
Qed.

Lemma rounds_value grown f : forall more n text, (n <= more)%nat ->
  expect (rounds grown more n text) f = expect (sample V target n text) f.
Proof.
  induction more as [|more IH]; intros [|n] text L; [easy | lia | easy|].
  cbn [rounds]. rewrite expect_bind, <- (rest_none V target f (S n)), <- (rest_mean V target target_law).
  rewrite <- (tree_value (grown text) f (S n) text [] (target text) (target_law text)).
  apply expect_ext. intros t. rewrite expect_bind. apply expect_ext_in. intros ys H.
  apply verify_emits in H. unfold lossless.rest. apply IH. destruct ys; [easy|]. simpl. lia.
Qed.

End Tree.

Section Draws.

Variable V : nat.
Variables target draft : list nat -> nat -> R.
Hypothesis target_law : forall text, law V (target text).
Hypothesis draft_law : forall text, law V (draft text).

(** Children that are drawn independently: from the draft's law, and there is always another one. *)
Definition independent (text before : list nat) : nat -> R := draft text.
Definition never (text before : list nat) : bool := false.

(** Children that are drawn without replacement: from what earlier ones leave of the draft's law, until nothing has mass. *)
Definition remaining (text before : list nat) (x : nat) : R := if existsb (Nat.eqb x) before then 0 else draft text x.
Definition distinct (text before : list nat) (x : nat) : R := remaining text before x / sum V (remaining text before).
Definition exhausted (text before : list nat) : bool := if Rlt_dec 0 (sum V (remaining text before)) then false else true.

Lemma distinct_law text before : exhausted text before = false -> law V (distinct text before).
Proof.
  unfold exhausted. destruct (Rlt_dec 0 (sum V (remaining text before))) as [P|]; [intros _|easy]. split.
  - intros x L. apply Rmult_le_pos; [|left; now apply Rinv_0_lt_compat]. unfold remaining.
    destruct (existsb (Nat.eqb x) before); [lra | now apply (law_nonneg V)].
  - unfold distinct, Rdiv. rewrite sum_scale_right. apply Rinv_r. lra.
Qed.

(** Recursive rejection from the root down, on trees of any shape, which may depend on the text: the first T tokens have the
    target's law, for children drawn independently, and for children drawn without replacement. *)
Theorem tree_rrs_lossless grown T test :
  chance (rounds V target independent never grown T T []) test = chance (sample V target T []) test /\
  chance (rounds V target distinct exhausted grown T T []) test = chance (sample V target T []) test.
Proof.
  split; apply rounds_value; try easy.
  - intros text before _. apply draft_law.
  - apply distinct_law.
Qed.

End Draws.

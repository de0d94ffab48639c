(** Block verification where it is token verification, and with the residual of token verification. *)

Require Import Reals Lra Lia List Arith.
Require Import laws lossless block.
Import ListNotations.
Open Scope R_scope.

Section Alike.

Variable V : nat.
Variables target draft : list nat -> nat -> R.
Hypothesis target_law : forall text, law V (target text).
Hypothesis draft_law : forall text, law V (draft text).

Notation drafts := (drafts V draft never).
Notation verify := (verify V target draft).
Notation longest := (longest V target draft).
Notation further := (further target draft).
Notation left := (left target draft).
Notation mass := (mass V target draft).

(** A call after a text: what is emitted are the drafts that are kept, and one token more. *)
Definition token_call (gamma : nat) (text : list nat) : program (list nat) := xs <- drafts gamma text [] ;; verify text xs.
Definition block_call (gamma : nat) (text : list nat) : program (list nat) := xs <- drafts gamma text [] ;; block V target draft text xs.

Lemma block_value text xs f : expect (block V target draft text xs) f
  = expect (longest 1 text xs) (value f (sum V (fun y => target text y * f [y]))).
Proof.
  unfold block. rewrite expect_bind. apply expect_ext. intros [ys|]; [now rewrite expect_ret|].
  rewrite expect_bind, expect_draw. apply sum_ext. intros y _. now rewrite expect_ret.
Qed.

(** What is drawn where a prefix fails, or none. *)
Definition instead (r : R) (text : list nat) (f : list nat -> R) (none : R) : R :=
  mass r text / (mass r text + 1 - r) * sum V (fun y => left r text y / mass r text * f [y])
  + (1 - mass r text / (mass r text + 1 - r)) * none.

Lemma residual_left text y : residual V (target text) (draft text) y = left 1 text y / mass 1 text.
Proof.
  assert (E : forall z, excess (target text) (draft text) z = left 1 text z) by (intros; unfold excess, block.left; now rewrite Rmult_1_l).
  unfold residual. rewrite E. f_equal. f_equal. apply sum_ext. intros; apply E.
Qed.

Lemma full_mass text f none : mass 1 text <> 0 ->
  instead 1 text f none = sum V (fun y => residual V (target text) (draft text) y * f [y]).
Proof.
  intros N. unfold instead. replace (mass 1 text / (mass 1 text + 1 - 1)) with 1 by (field; lra).
  rewrite (sum_ext V (fun y => residual V (target text) (draft text) y * f [y]) (fun y => left 1 text y / mass 1 text * f [y])).
  - ring.
  - intros y _. now rewrite residual_left.
Qed.

(** A draft that can be refused leaves mass. *)
Lemma refused_leaves text x : (x < V)%nat -> 0 < draft text x -> Rmin 1 (target text x / draft text x) <> 1 -> mass 1 text <> 0.
Proof.
  intros L D N Z. apply N. apply Rmin_left. apply (Rmult_le_reg_l (draft text x)); [easy|].
  replace (draft text x * (target text x / draft text x)) with (target text x) by (field; lra).
  assert (E : overlap V (target text) (draft text) = 1).
  { pose proof (refused_is_excess V _ _ (target_law text) (draft_law text)) as R.
    assert (S : sum V (excess (target text) (draft text)) = mass 1 text); [|lra].
    apply sum_ext. intros y _. unfold excess, block.left. now rewrite Rmult_1_l. }
  pose proof (sum_zero_terms V (fun y => draft text y - Rmin (target text y) (draft text y))) as S.
  assert (draft text x - Rmin (target text x) (draft text x) = 0).
  { apply S; [| | exact L].
    - intros y _. pose proof (Rmin_r (target text y) (draft text y)). lra.
    - rewrite sum_minus. change (sum V (fun y => Rmin (target text y) (draft text y))) with (overlap V (target text) (draft text)).
      rewrite E. destruct (draft_law text) as [_ ->]. ring. }
  pose proof (Rmin_l (target text x) (draft text x)). lra.
Qed.

(** For γ = 1 token and block verification have the same outcomes with the same probabilities. *)
Theorem block_gamma_one text test : chance (block_call 1 text) test = chance (token_call 1 text) test.
Proof.
  unfold chance, block_call, token_call. set (f := fun a => indicator (test a)). rewrite !expect_bind. cbn [lossless.drafts never].
  rewrite !expect_bind, !expect_draw. apply sum_ext. intros x L.
  destruct (law_nonneg V _ x (draft_law text) L) as [D|<-]; [|ring]. f_equal. rewrite !expect_bind, !expect_ret.
  rewrite block_value, longest_cons, longest_nil, verify_cons. fold (instead 1 text f (sum V (fun y => target text y * f [y]))).
  assert (F : further 1 text x = Rmin 1 (target text x / draft text x)) by (unfold block.further; now rewrite Rmult_1_l). rewrite F.
  f_equal.
  - f_equal. cbn [lossless.verify]. rewrite expect_bind, expect_draw. apply sum_ext. intros y _. now rewrite expect_ret.
  - destruct (Req_dec (Rmin 1 (target text x / draft text x)) 1) as [->|N]; [ring|].
    rewrite full_mass by (now apply (refused_leaves text x)). easy.
Qed.

(** With two drafts, testing on after a failure and keeping the longest prefix that passes, the first two tokens have the target's law:
    what one call emits, continued by the target alone where that is one token. *)
Theorem folk_block_prefix_corrected test :
  chance (ys <- block_call 2 [] ;; sample V target (2 - length ys) (extended 2 ys [])) test = chance (sample V target 2 []) test.
Proof.
  unfold chance, block_call. set (f := fun a => indicator (test a)). set (none := sum V (fun y => target [] y * rest V target f 2 [] [y])).
  rewrite expect_bind. change (expect (xs <- drafts 2 [] [] ;; block V target draft [] xs) (rest V target f 2 []) = expect (sample V target 2 []) f).
  rewrite expect_bind, <- (rest_none V target f 2 []).
  rewrite (expect_ext _ _ _ (fun xs => block_value [] xs (rest V target f 2 []))).
  rewrite (longest_value V target draft never target_law draft_law 2 f 2 [] [] 1 _) by lra. ring.
Qed.

(** ** A draft that is certain *)

Lemma certain_draft_call gamma : (forall text, exists d, (d < V)%nat /\ forall x, (x < V)%nat -> draft text x = if Nat.eqb x d then 1 else 0) ->
  forall text made r f none, 0 <= r <= 1 ->
  expect (drafts gamma text made) (fun xs => expect (longest r text xs) (value f none))
  = expect (drafts gamma text made) (fun xs => r * expect (verify text xs) f + (1 - r) * none).
Proof.
  intros Certain. induction gamma as [|g IH]; intros text made r f none R; cbn [lossless.drafts never].
  - rewrite !expect_ret, longest_nil. cbn [lossless.verify]. rewrite expect_bind, expect_draw. do 2 f_equal. apply sum_ext.
    intros y _. now rewrite expect_ret.
  - rewrite !expect_bind, !expect_draw. destruct (Certain text) as [d [Ld Hot]]. apply sum_ext. intros x L.
    destruct (Nat.eq_dec x d) as [->|N].
    2: { rewrite (Hot x L). destruct (Nat.eqb_spec x d); [easy | ring]. }
    f_equal. rewrite !expect_bind. set (a := target text d).
    assert (A : 0 <= a <= 1) by (split; [now apply (law_nonneg V) | now apply (law_le_1 V)]).
    assert (One : draft text d = 1) by (rewrite Hot, Nat.eqb_refl by easy; easy).
    assert (F : further r text d = r * a) by (unfold block.further; rewrite One, Rmin_right; fold a; unfold Rdiv; nra).
    assert (K : Rmin 1 (target text d / draft text d) = a) by (rewrite One, Rmin_right; fold a; unfold Rdiv; lra).
    set (rho := sum V (fun y => residual V (target text) (draft text) y * f [y])).
    assert (Left : forall s y, 0 <= s <= 1 -> (y < V)%nat -> left s text y = s * (if Nat.eqb y d then 0 else target text y)).
    { intros s y S Y. unfold block.left. rewrite (Hot y Y). destruct (Nat.eqb_spec y d) as [->|].
      - fold a. rewrite Rmult_0_r, Rmax_left; nra.
      - pose proof (law_nonneg V _ y (target_law text) Y). rewrite Rmax_right; nra. }
    assert (Mass : forall s, 0 <= s <= 1 -> mass s text = s * (1 - a)).
    { intros s S. unfold block.mass. rewrite (sum_ext V _ (fun y => s * target text y - (if Nat.eqb y d then s * target text y else 0))).
      - rewrite sum_minus, sum_scale, (sum_point V (fun y => s * target text y)) by easy. destruct (target_law text) as [_ ->]. fold a. ring.
      - intros y Y. rewrite Left by easy. destruct (Nat.eqb y d); ring. }
    assert (I : (1 - r * a) * instead r text f none = r * (1 - a) * rho + (1 - r) * none).
    { unfold instead. rewrite (Mass r R). replace (r * (1 - a) + 1 - r) with (1 - r * a) by ring.
      assert (E : r * (1 - a) * sum V (fun y => left r text y / (r * (1 - a)) * f [y]) = r * (1 - a) * rho).
      { destruct (Req_dec (r * (1 - a)) 0) as [Z|N]; [now rewrite Z, !Rmult_0_l|]. f_equal. apply sum_ext. intros y Y.
        rewrite residual_left, (Mass 1), !Left by (easy || lra). field. split; intros Q; apply N; rewrite Q; ring. }
      destruct (Req_dec (1 - r * a) 0) as [Z|N].
      - assert (r = 1 /\ a = 1) as [-> ->] by (split; nra). lra.
      - transitivity (r * (1 - a) * sum V (fun y => left r text y / (r * (1 - a)) * f [y]) + (1 - r * a - r * (1 - a)) * none);
          [field; easy | rewrite E; ring]. }
    rewrite (expect_ext _ _ (fun xs => expect (longest (r * a) (d :: text) xs) (value (fun ys => f (d :: ys)) (instead r text f none)))).
    2: { intros xs. rewrite expect_ret, longest_cons, F. easy. }
    rewrite IH by nra. apply expect_ext. intros xs. rewrite expect_ret, verify_cons, K. fold rho. rewrite I. ring.
Qed.

(** Where every draft law is a point mass, token and block verification have the same outcomes with the same probabilities. *)
Theorem block_one_hot_draft gamma text test :
  (forall text, exists d, (d < V)%nat /\ forall x, (x < V)%nat -> draft text x = if Nat.eqb x d then 1 else 0) ->
  chance (block_call gamma text) test = chance (token_call gamma text) test.
Proof.
  intros Certain. unfold chance, block_call, token_call. rewrite !expect_bind.
  rewrite (expect_ext _ _ _ (fun xs => block_value text xs (fun a => indicator (test a)))).
  rewrite certain_draft_call by (easy || lra). apply expect_ext. intros xs. ring.
Qed.

(** ** A target that is certain *)

Lemma nothing_counts text xs f none : (forall x, In x xs -> (x < V)%nat) -> expect (longest 0 text xs) (value f none) = none.
Proof.
  revert text f none. induction xs as [|x xs IH]; intros text f none Inside; [rewrite longest_nil; ring|].
  assert (L : forall y, (y < V)%nat -> left 0 text y = 0).
  { intros y Y. unfold block.left. pose proof (law_nonneg V _ y (draft_law text) Y). apply Rmax_left. lra. }
  assert (M : mass 0 text = 0) by (unfold block.mass; rewrite (sum_ext V _ (fun _ => 0)), sum_zero; easy).
  assert (F : further 0 text x = 0) by (unfold block.further, Rdiv; rewrite !Rmult_0_l, Rmin_right; lra).
  rewrite longest_cons, F, IH, M by (intros; apply Inside; now right). unfold Rdiv. rewrite Rmult_0_l. ring.
Qed.

Lemma drafts_inside gamma : forall text made xs, In xs (outcomes (drafts gamma text made)) -> forall x, In x xs -> (x < V)%nat.
Proof.
  induction gamma as [|g IH]; intros text made xs H; cbn [lossless.drafts never] in H; [destruct H as [<-|[]]; easy|].
  apply outcomes_bind in H as [y [Y H]]. apply outcomes_bind in H as [zs [Z H]]. destruct H as [<-|[]].
  intros x [<-|I]; [|now apply (IH _ _ _ Z)]. unfold outcomes, draw in Y. rewrite map_map in Y. simpl in Y. rewrite map_id in Y.
  apply in_seq in Y. lia.
Qed.

Lemma certain_target_call gamma :
  (forall text, exists t, (t < V)%nat /\ forall x, (x < V)%nat -> target text x = if Nat.eqb x t then 1 else 0) ->
  forall text made f none,
  expect (drafts gamma text made) (fun xs => expect (longest 1 text xs) (value f none))
  = expect (drafts gamma text made) (fun xs => expect (verify text xs) f).
Proof.
  intros Certain. induction gamma as [|g IH]; intros text made f none; cbn [lossless.drafts never].
  - rewrite !expect_ret, longest_nil. cbn [lossless.verify]. rewrite expect_bind, expect_draw.
    rewrite (sum_ext V (fun x => target text x * expect (ret [x]) f) (fun y => target text y * f [y])) by (intros; now rewrite expect_ret).
    ring.
  - rewrite !expect_bind, !expect_draw. destruct (Certain text) as [t [Lt Hot]]. apply sum_ext. intros x L.
    destruct (law_nonneg V _ x (draft_law text) L) as [D|<-]; [|ring]. f_equal. rewrite !expect_bind.
    rewrite (expect_ext _ _ (fun xs => expect (longest (further 1 text x) (x :: text) xs) (value (fun ys => f (x :: ys)) (instead 1 text f none))))
      by (intros xs; rewrite expect_ret, longest_cons; easy).
    rewrite (expect_ext _ (fun a => expect (ret (x :: a)) _) (fun xs => Rmin 1 (target text x / draft text x)
        * expect (verify (x :: text) xs) (fun ys => f (x :: ys)) + (1 - Rmin 1 (target text x / draft text x))
        * sum V (fun y => residual V (target text) (draft text) y * f [y]))) by (intros xs; rewrite expect_ret; apply verify_cons).
    assert (F : further 1 text x = Rmin 1 (target text x / draft text x)) by (unfold block.further; now rewrite Rmult_1_l). rewrite F.
    destruct (Nat.eq_dec x t) as [->|N].
    + assert (A : Rmin 1 (target text t / draft text t) = 1).
      { apply Rmin_left. rewrite (Hot t Lt), Nat.eqb_refl. pose proof (law_le_1 V _ t (draft_law text) Lt).
        apply (Rmult_le_reg_l (draft text t)); [easy|]. unfold Rdiv. rewrite Rmult_1_l, Rinv_r by lra. lra. }
      rewrite A, IH. apply expect_ext. intros xs. ring.
    + assert (A : Rmin 1 (target text x / draft text x) = 0).
      { rewrite (Hot x L). destruct (Nat.eqb_spec x t); [easy|]. unfold Rdiv. rewrite Rmult_0_l, Rmin_right; lra. }
      rewrite A. apply expect_ext_in. intros xs I.
      rewrite nothing_counts by (intros y Y; now apply (drafts_inside g (x :: text) (x :: made) xs I)).
      rewrite full_mass by (apply (refused_leaves text x); [easy | easy | rewrite A; lra]). ring.
Qed.

(** Where every target law is a point mass, token and block verification have the same outcomes with the same probabilities. *)
Theorem block_one_hot_target gamma text test :
  (forall text, exists t, (t < V)%nat /\ forall x, (x < V)%nat -> target text x = if Nat.eqb x t then 1 else 0) ->
  chance (block_call gamma text) test = chance (token_call gamma text) test.
Proof.
  intros Certain. unfold chance, block_call, token_call. rewrite !expect_bind.
  rewrite (expect_ext _ _ _ (fun xs => block_value text xs (fun a => indicator (test a)))). now apply certain_target_call.
Qed.

(** * The residual of token verification *)

(** As block verification, but the token in place of the first draft that is not kept is drawn from (P - Q)₊, made a law. *)
Fixpoint longest_mixed (r : R) (text xs : list nat) : program (option (list nat)) :=
  match xs with
  | [] => kept <- coin r ;; if kept then (y <- draw V (target text) ;; ret (Some [y])) else ret None
  | x :: more =>
      found <- longest_mixed (further r text x) (x :: text) more ;;
      match found with
      | Some ys => ret (Some (x :: ys))
      | None =>
          kept <- coin (mass r text / (mass r text + 1 - r)) ;;
          if kept then (y <- draw V (residual V (target text) (draft text)) ;; ret (Some [y])) else ret None
      end
  end.
Definition block_mixed (text xs : list nat) : program (list nat) :=
  found <- longest_mixed 1 text xs ;;
  match found with Some ys => ret ys | None => y <- draw V (target text) ;; ret [y] end.

(** After every text at most one token is likelier under the target. *)
Definition one_likelier : Prop := forall text x y, (x < V)%nat -> (y < V)%nat ->
  draft text x < target text x -> draft text y < target text y -> x = y.

Lemma some_positive (f : nat -> R) n : (forall x, (x < n)%nat -> 0 <= f x) -> sum n f <> 0 -> exists z, (z < n)%nat /\ 0 < f z.
Proof.
  induction n as [|n IH]; intros F N; [simpl in N; lra|]. destruct (F n ltac:(lia)) as [P|Z]; [exists n; split; [lia | easy]|].
  destruct IH as [z [L P]]; [intros; apply F; lia | intros Q; apply N; simpl; lra|]. exists z. split; [lia | easy].
Qed.

Lemma one_left r text y : one_likelier -> r <= 1 -> mass r text <> 0 -> (y < V)%nat ->
  left r text y / mass r text = residual V (target text) (draft text) y.
Proof.
  intros One R N Y. rewrite residual_left.
  assert (E : exists z, (z < V)%nat /\ 0 < left r text z).
  { apply some_positive; [intros; apply Rmax_l | exact N]. }
  destruct E as [z [Z P]].
  assert (Sure : forall s, r <= s <= 1 -> forall x, (x < V)%nat -> left s text x = if Nat.eqb x z then left s text z else 0).
  { intros s S x X. destruct (Nat.eqb_spec x z) as [->|D]; [easy|]. apply Rmax_left.
    pose proof (law_nonneg V _ x (target_law text) X). pose proof (law_nonneg V _ z (target_law text) Z) as TZ.
    destruct (Rle_dec (target text x) (draft text x)) as [L|L]; [nra|]. exfalso. apply D. apply (One text); [easy | easy | lra |].
    unfold block.left, Rmax in P. destruct (Rle_dec 0 (r * target text z - draft text z)); nra. }
  assert (Total : forall s, r <= s <= 1 -> mass s text = left s text z).
  { intros s S. unfold block.mass. rewrite (sum_ext V _ _ (Sure s S)). now rewrite (sum_point V (fun _ => left s text z)). }
  rewrite (Sure r ltac:(lra) y Y), (Sure 1 ltac:(lra) y Y), (Total r ltac:(lra)), (Total 1 ltac:(lra)).
  assert (Q : left r text z <= left 1 text z).
  { unfold block.left. pose proof (law_nonneg V _ z (target_law text) Z). unfold Rmax.
    destruct (Rle_dec 0 (r * target text z - draft text z)), (Rle_dec 0 (1 * target text z - draft text z)); nra. }
  destruct (Nat.eqb y z); [field | unfold Rdiv; ring]. lra.
Qed.

Lemma mixed_value : one_likelier -> forall xs r text f none, r <= 1 ->
  expect (longest_mixed r text xs) (value f none) = expect (longest r text xs) (value f none).
Proof.
  intros One. induction xs as [|x xs IH]; intros r text f none R; [easy|]. rewrite longest_cons. cbn [longest_mixed]. rewrite expect_bind.
  rewrite <- IH by apply Rmin_l. apply expect_ext. intros [ys|]; [now rewrite expect_ret|].
  rewrite expect_bind, expect_coin, expect_ret, expect_bind, expect_draw. simpl value. f_equal.
  destruct (Req_dec (mass r text) 0) as [Z|N]; [rewrite Z; unfold Rdiv; now rewrite !Rmult_0_l|]. f_equal. apply sum_ext. intros y Y.
  rewrite expect_ret, one_left by easy. easy.
Qed.

Lemma mixed_emits text xs ys : In ys (outcomes (block_mixed text xs)) -> ys <> [].
Proof.
  assert (Some_emits : forall xs r text ys, In (Some ys) (outcomes (longest_mixed r text xs)) -> ys <> []).
  { clear. induction xs as [|x xs IH]; intros r text ys H; cbn [longest_mixed] in H.
    - apply outcomes_bind in H as [[|] [_ H]]; [|now destruct H as [H|[]]].
      apply outcomes_bind in H as [y [_ [E|[]]]]. now inversion E.
    - apply outcomes_bind in H as [[zs|] [_ H]]; [destruct H as [E|[]]; now inversion E|].
      apply outcomes_bind in H as [[|] [_ H]]; [|now destruct H as [H|[]]].
      apply outcomes_bind in H as [y [_ [E|[]]]]. now inversion E. }
  intros H. unfold block_mixed in H. apply outcomes_bind in H as [[zs|] [I H]].
  - destruct H as [<-|[]]. now apply Some_emits in I.
  - apply outcomes_bind in H as [y [_ [<-|[]]]]. easy.
Qed.

(** Block acceptance with the residual of token verification, norm((P - Q)₊) where the longest kept prefix ends, is lossless where
    after every text at most one token has P > Q, as it is with two tokens. *)
Theorem block_token_residual_corrected gamma T test :
  (one_likelier -> chance (speculate V draft never block_mixed T gamma T []) test = chance (sample V target T []) test) /\
  (V = 2%nat -> one_likelier).
Proof.
  split.
  2: { intros Two text x y X Y PX PY. destruct (target_law text) as [_ P1], (draft_law text) as [_ Q1].
       rewrite Two in *. simpl in P1, Q1. destruct x as [|[|x]], y as [|[|y]]; try lia; lra. }
  intros One. apply (speculate_value V target draft never); [|apply mixed_emits | easy]. intros n text.
  set (f := fun a => indicator (test a)). set (none := sum V (fun y => target text y * rest V target f n text [y])).
  rewrite (expect_ext _ _ (fun xs => expect (longest 1 text xs) (value (rest V target f n text) none))).
  - rewrite (longest_value V target draft never target_law draft_law gamma f n text [] 1 none) by lra. ring.
  - intros xs. rewrite <- (mixed_value One xs 1 text (rest V target f n text) none) by lra. unfold block_mixed. rewrite expect_bind.
    apply expect_ext. intros [ys|]; [now rewrite expect_ret|].
    rewrite expect_bind, expect_draw. apply sum_ext. intros y _. now rewrite expect_ret.
Qed.

End Alike.

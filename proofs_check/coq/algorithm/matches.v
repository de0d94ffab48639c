(** Rules for candidates that ask the target alone: target-only verification (flashinfer, SGLang), with one uniform a node and both
    thresholds at 1, and exact matching with the target's own samples. *)

Require Import Reals Lra Lia List Arith.
Require Import laws lossless tree candidates.
Import ListNotations.
Open Scope R_scope.

Section Matches.

Variable V : nat.
Variable target : list nat -> nat -> R.
Hypothesis target_law : forall text, law V (target text).

(** What happens with a probability. *)
Definition scaled {A} (w : R) (d : program A) : program A := map (fun vb => (w * fst vb, snd vb)) d.

(** Target-only verification from a node on, whose uniform is above the mass c of the children before: the first child x is
    accepted if the uniform is at most c + p(x), which it is with probability min(1, c + p(x)) - min(1, c), and the children below
    it are asked with another uniform; above the mass of all children a token is drawn from the target without them. *)
Fixpoint target_only (t : drafted) (text : list nat) (m : nat -> R) (c : R) : program (list nat * nat) :=
  match t with
  | Leaf => scaled (1 - Rmin 1 c) (y <- draw V (law_of V m (target text)) ;; ret ([y], 0%nat))
  | Node x below after =>
      scaled (Rmin 1 (c + target text x) - Rmin 1 c)
        (o <- target_only below (x :: text) (target (x :: text)) 0 ;; ret (x :: fst o, S (snd o)))
      ++ target_only after text (without x m) (c + target text x)
  end.

(** The child of a node with a token, the first of them. *)
Fixpoint child (t : drafted) (y : nat) : option drafted :=
  match t with Leaf => None | Node x below after => if Nat.eqb y x then Some below else child after y end.
Fixpoint height (t : drafted) : nat :=
  match t with Leaf => O | Node _ below after => Nat.max (S (height below)) (height after) end.

(** Exact matching, down to a level: the target's sample is emitted whatever the candidates are; where it is one of them, the next
    one is drawn below it. *)
Fixpoint matched (level : nat) (t : drafted) (text : list nat) : program (list nat * nat) :=
  y <- draw V (target text) ;;
  match level, child t y with
  | S more, Some below => o <- matched more below (y :: text) ;; ret (y :: fst o, S (snd o))
  | _, _ => ret ([y], 0%nat)
  end.

(** Rounds until n tokens are there, by a rule for trees that are drawn in some way that may depend on the text before. *)
Fixpoint rounds_by (rule : drafted -> list nat -> program (list nat * nat)) (trees : list nat -> program drafted)
  (more n : nat) (text : list nat) : program (list nat) :=
  match more, n with
  | S fewer, S _ =>
      t <- trees text ;; (o <- rule t text ;; rounds_by rule trees fewer (n - length (fst o)) (extended n (fst o) text))
  | _, _ => ret text
  end.

Definition by_uniforms (t : drafted) (text : list nat) : program (list nat * nat) := target_only t text (target text) 0.
Definition by_matching (t : drafted) (text : list nat) : program (list nat * nat) := matched (height t) t text.

Notation rest := (rest V target).

(** A rule is lossless where what it emits, and then the target alone, is what the target alone emits. *)
Lemma rounds_by_value rule trees : (forall text, expect (trees text) (fun _ => 1) = 1) ->
  (forall text t f n, In t (outcomes (trees text)) -> expect (rule t text) (fun o => rest f n text (fst o)) = rest f n text []) ->
  (forall text t o, In o (outcomes (rule t text)) -> fst o <> []) ->
  forall f more n text, (n <= more)%nat -> expect (rounds_by rule trees more n text) f = expect (sample V target n text) f.
Proof.
  intros Sure Round Emits f. induction more as [|more IH]; intros [|n] text L; [easy | lia | easy|].
  cbn [rounds_by]. rewrite expect_bind, <- (rest_none V target f (S n)).
  rewrite (expect_ext_in _ _ (fun _ => rest f (S n) text [])); [now rewrite expect_const, Sure, Rmult_1_l|].
  intros t I. rewrite <- (Round text t f (S n) I), expect_bind. apply expect_ext_in. intros o H. apply Emits in H.
  unfold lossless.rest. apply IH. destruct (fst o); [easy|]. simpl. lia.
Qed.

(** ** One uniform a node *)

Lemma same_outcomes t : tokens_only V t -> different t -> forall text m c f,
  (forall y, (y < V)%nat -> 0 <= m y) -> sum V m = 1 - c -> (forall x, In x (children t) -> m x = target text x) ->
  expect (target_only t text m c) f = sum V m * expect (verify V target t text m) f.
Proof.
  induction t as [|x below IHb after IHa]; intros T D text m c f N Total E; cbn [target_only].
  - assert (Z : 0 <= sum V m) by now apply sum_nonneg. assert (C : c <= 1) by lra.
    unfold scaled. rewrite expect_scaled, Rmin_right, <- Total by exact C. easy.
  - destruct T as [L [Tb Ta]], D as [X [Db Da]]. rewrite expect_app. unfold scaled. rewrite expect_scaled.
    rewrite (node_value V target x below after text m f N L).
    pose proof (without_sum V x m L) as W. assert (MX : m x = target text x) by (apply E; now left).
    assert (P : 0 <= sum V (without x m)) by (apply sum_nonneg; now apply without_nonneg).
    pose proof (N x L) as NX. rewrite (Rmin_right 1 c), (Rmin_right 1 (c + target text x)) by lra.
    rewrite (IHa Ta Da); [| now apply without_nonneg | lra |].
    + f_equal. replace (c + target text x - c) with (m x) by lra. f_equal. rewrite expect_bind.
      rewrite (expect_ext _ _ (fun o => f (x :: fst o, S (snd o)))) by (intros o; apply expect_ret).
      destruct (target_law (x :: text)) as [Q One]. rewrite (IHb Tb Db); [now rewrite One, Rmult_1_l | easy | lra | easy].
    + intros y Y. unfold without. destruct (Nat.eqb_spec y x) as [->|]; [easy | apply E; now right].
Qed.

Lemma same_from_root t : tokens_only V t -> different t -> forall text f,
  expect (by_uniforms t text) f = expect (verify V target t text (target text)) f.
Proof.
  intros T D text f. destruct (target_law text) as [P One]. unfold by_uniforms.
  rewrite (same_outcomes t T D); [now rewrite One, Rmult_1_l | easy | lra | easy].
Qed.

Lemma target_only_emits t : forall text m c o, In o (outcomes (target_only t text m c)) -> fst o <> [].
Proof.
  assert (Scaled : forall w (d : program (list nat * nat)) o, In o (outcomes (scaled w d)) -> In o (outcomes d)).
  { intros w d o H. unfold scaled, outcomes in H. rewrite map_map in H. exact H. }
  induction t as [|x below IHb after IHa]; intros text m c o H; cbn [target_only] in H.
  - apply Scaled, outcomes_bind in H as [y [_ [<-|[]]]]. easy.
  - unfold outcomes in H. rewrite map_app in H. apply in_app_or in H as [H|H]; [|now apply IHa in H].
    apply Scaled, outcomes_bind in H as [z [_ [<-|[]]]]. easy.
Qed.

(** Target-only verification with both thresholds at 1, on trees that are drawn in any way that does not see the verifier's
    uniforms, no two siblings of which have the same token: the first T tokens have the target's law. *)
Theorem tree_target_only_distinct trees T test :
  (forall text, expect (trees text) (fun _ => 1) = 1) ->
  (forall text t, In t (outcomes (trees text)) -> tokens_only V t /\ different t) ->
  chance (rounds_by by_uniforms trees T T []) test = chance (sample V target T []) test.
Proof.
  intros Sure Trees. apply rounds_by_value; [exact Sure | | intros text t o; apply target_only_emits | easy].
  intros text t f n I. destruct (Trees text t I) as [Tt D]. rewrite same_from_root by easy.
  destruct (target_law text) as [P One]. rewrite <- (rest_mean V target target_law), <- (verify_value V target target_law t Tt f n text
    (target text) P). now rewrite One, Rmult_1_l.
Qed.

Lemma some_accepted t : tokens_only V t -> different t -> forall text m, (forall y, (y < V)%nat -> 0 <= m y) ->
  sum V m * chance (verify V target t text m) (fun o => Nat.ltb 0 (snd o)) = fold_right (fun x s => m x + s) 0 (children t).
Proof.
  induction t as [|x below _ after IHa]; intros T D text m N; unfold chance.
  - rewrite last_value by easy. simpl. rewrite (sum_ext V _ (fun _ => 0)), sum_zero; [easy|]. intros; ring.
  - destruct T as [L [Tb Ta]], D as [X [Db Da]]. rewrite node_value by easy. fold (chance (verify V target after text (without x m))
      (fun o => Nat.ltb 0 (snd o))). rewrite IHa by (easy || now apply without_nonneg).
    rewrite (expect_ext _ (fun o => indicator (Nat.ltb 0 (snd (x :: fst o, S (snd o))))) (fun _ => 1)) by easy.
    assert (Sure : expect (verify V target below (x :: text) (target (x :: text))) (fun _ => 1) = 1).
    { destruct (target_law (x :: text)) as [P One].
      pose proof (verify_value V target target_law below Tb (fun _ => 1) 0%nat (x :: text) (target (x :: text)) P) as E.
      rewrite One, Rmult_1_l, (rest_mean V target target_law), rest_full in E. refine (eq_trans _ E). apply expect_ext.
      intros o. now rewrite rest_full. }
    rewrite Sure. cbn [children fold_right]. rewrite Rmult_1_r. f_equal.
    assert (G : forall l, ~ In x l -> fold_right (fun y s => without x m y + s) 0 l = fold_right (fun y s => m y + s) 0 l).
    { induction l as [|y l IH]; intros H; [easy|]. simpl. rewrite IH by (intros I; apply H; now right). f_equal. unfold without.
      destruct (Nat.eqb_spec y x) as [->|]; [exfalso; apply H; now left | easy]. }
    now apply G.
Qed.

(** On a tree of candidates whose siblings are different, target-only verification with both thresholds at 1 has the outcomes of the
    rule for deterministic candidates, what is emitted and how much of it is accepted; a child of a node is accepted with the
    target's probability of its children; and the mean number of accepted candidates is the sum over all of them of the target's
    probability of their path. *)
Theorem tree_same_acceptance t text : tokens_only V t -> different t ->
  (forall f, expect (by_uniforms t text) f = expect (verify V target t text (target text)) f) /\
  chance (verify V target t text (target text)) (fun o => Nat.ltb 0 (snd o)) = fold_right (fun x s => target text x + s) 0 (children t) /\
  expect (verify V target t text (target text)) (fun o => INR (snd o)) = over_nodes (path_mass target text) (nodes t).
Proof.
  intros T D. destruct (target_law text) as [P One]. split; [now apply same_from_root|]. split.
  - rewrite <- (some_accepted t T D text (target text) P). now rewrite One, Rmult_1_l.
  - pose proof (accepted_mean V target target_law t T D text (target text) P) as E. rewrite One, Rmult_1_l in E. rewrite E.
    apply over_ext. intros p I. destruct (first_token _ _ I) as [y [more [-> _]]]. easy.
Qed.

(** ** Exact matching *)

(** As many levels as the tree has are enough: below a candidate there are fewer. *)
Lemma child_lower t y below : child t y = Some below -> (height below < height t)%nat.
Proof.
  induction t as [|x first _ after IHa]; cbn [child height]; intros H; [easy|]. destruct (Nat.eqb y x); [inversion H; lia|].
  specialize (IHa H). lia.
Qed.

Lemma matched_value level : forall t f n text,
  expect (matched level t text) (fun o => rest f n text (fst o)) = rest f n text [].
Proof.
  induction level as [|more IH]; intros t f n text; cbn [matched]; rewrite expect_bind, expect_draw, <- (rest_mean V target target_law);
    apply sum_ext; intros y _; f_equal; [now rewrite expect_ret|].
  destruct (child t y) as [below|]; [|now rewrite expect_ret].
  rewrite expect_bind. rewrite (expect_ext _ _ (fun o => rest f n text (y :: fst o))) by (intros o; now rewrite expect_ret).
  destruct n as [|n].
  - rewrite rest_full, <- (rest_full V target (fun _ => f text) (y :: text) []), <- (IH below (fun _ => f text) 0%nat (y :: text)).
    apply expect_ext. intros o. now rewrite !rest_full.
  - rewrite rest_cons, <- (IH below f n (y :: text)). apply expect_ext. intros o. apply rest_cons.
Qed.

Lemma matched_emits level : forall t text o, In o (outcomes (matched level t text)) -> fst o <> [].
Proof.
  destruct level as [|more]; intros t text o H; cbn [matched] in H; apply outcomes_bind in H as [y [_ H]].
  - destruct H as [<-|[]]. easy.
  - destruct (child t y); [apply outcomes_bind in H as [z [_ [<-|[]]]]; easy | destruct H as [<-|[]]; easy].
Qed.

(** Exact matching on trees that are drawn in any way that does not see the target's samples: the first T tokens have the target's
    law. *)
Theorem tree_exact_match_unseen trees T test : (forall text, expect (trees text) (fun _ => 1) = 1) ->
  chance (rounds_by by_matching trees T T []) test = chance (sample V target T []) test.
Proof.
  intros Sure. apply rounds_by_value; [exact Sure | | intros text t o; apply matched_emits | easy].
  intros text t f n _. apply matched_value.
Qed.

End Matches.

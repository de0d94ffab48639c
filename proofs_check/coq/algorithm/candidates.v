(** Candidates that are chosen, not sampled (EAGLE, EAGLE-2): each is kept with its share of what those before it leave of the
    target; which tree of candidates accepts the most. *)

Require Import Reals Lra Lia List Arith.
Require Import laws lossless tree.
Import ListNotations.
Open Scope R_scope.

Section Candidates.

Variable V : nat.
Variable target : list nat -> nat -> R.
Hypothesis target_law : forall text, law V (target text).

(** What is left without a token; and the law of weights, another one where they are all 0. *)
Definition without (x : nat) (m : nat -> R) (y : nat) : R := if Nat.eqb y x then 0 else m y.
Definition law_of (m otherwise : nat -> R) (y : nat) : R := if Rlt_dec 0 (sum V m) then m y / sum V m else otherwise y.

(** What is emitted, and how many candidates of it are accepted, where m is left of the target: the first child is kept with its
    share of m, else it is taken away from m; after the last child a token is drawn from what is left. *)
Fixpoint verify (t : drafted) (text : list nat) (m : nat -> R) : program (list nat * nat) :=
  match t with
  | Leaf => y <- draw V (law_of m (target text)) ;; ret ([y], 0%nat)
  | Node x below after =>
      kept <- coin (m x / sum V m) ;;
      if kept then (o <- verify below (x :: text) (target (x :: text)) ;; ret (x :: fst o, S (snd o)))
      else verify after text (without x m)
  end.

(** Rounds until n tokens are there; the tree of a round is drawn in some way that may depend on the text before it. *)
Fixpoint rounds (trees : list nat -> program drafted) (more n : nat) (text : list nat) : program (list nat) :=
  match more, n with
  | S fewer, S _ =>
      t <- trees text ;;
      (o <- verify t text (target text) ;; rounds trees fewer (n - length (fst o)) (extended n (fst o) text))
  | _, _ => ret text
  end.

(** Candidates are tokens. *)
Fixpoint tokens_only (t : drafted) : Prop :=
  match t with Leaf => True | Node x below after => (x < V)%nat /\ tokens_only below /\ tokens_only after end.

Lemma without_sum x m : (x < V)%nat -> sum V (without x m) = sum V m - m x.
Proof.
  intros L. rewrite <- (sum_point V m x L), <- sum_minus. apply sum_ext. intros y _. unfold without.
  destruct (Nat.eqb y x); ring.
Qed.

Lemma without_nonneg x m : (forall y, (y < V)%nat -> 0 <= m y) -> forall y, (y < V)%nat -> 0 <= without x m y.
Proof. intros N y L. unfold without. destruct (Nat.eqb y x); [lra | now apply N]. Qed.

Lemma no_share m x : (forall y, (y < V)%nat -> 0 <= m y) -> (x < V)%nat -> sum V m = 0 -> m x = 0.
Proof. intros N L Z. now apply (sum_zero_terms V m). Qed.

(** What a node is expected to give, times what is left there, for a value of a child that is kept and one of a token drawn. *)
Lemma node_value x below after text m f : (forall y, (y < V)%nat -> 0 <= m y) -> (x < V)%nat ->
  sum V m * expect (verify (Node x below after) text m) f
  = m x * expect (verify below (x :: text) (target (x :: text))) (fun o => f (x :: fst o, S (snd o)))
    + sum V (without x m) * expect (verify after text (without x m)) f.
Proof.
  intros N L. cbn [verify]. rewrite expect_bind, expect_coin, expect_bind, without_sum by easy.
  rewrite (expect_ext _ (fun o => expect (ret (x :: fst o, S (snd o))) f) (fun o => f (x :: fst o, S (snd o))))
    by (intros o; apply expect_ret).
  assert (P : 0 <= sum V m) by now apply sum_nonneg. destruct P as [P|Z].
  - field. lra.
  - rewrite <- Z, (no_share m x N L (eq_sym Z)). ring.
Qed.

Lemma last_value text m f : (forall y, (y < V)%nat -> 0 <= m y) ->
  sum V m * expect (verify Leaf text m) f = sum V (fun y => m y * f ([y], 0%nat)).
Proof.
  intros N. cbn [verify]. rewrite expect_bind, expect_draw. rewrite <- sum_scale.
  assert (P : 0 <= sum V m) by now apply sum_nonneg. apply sum_ext. intros y L. rewrite expect_ret. unfold law_of.
  destruct (Rlt_dec 0 (sum V m)) as [Q|Q]; [field; lra|]. assert (Z : sum V m = 0) by lra.
  rewrite Z, (no_share m y N L Z). ring.
Qed.

Notation rest := (rest V target).

(** What is emitted, and then the target alone, is worth what is left of the target. *)
Lemma verify_value t : tokens_only t -> forall f n text m, (forall y, (y < V)%nat -> 0 <= m y) ->
  sum V m * expect (verify t text m) (fun o => rest f n text (fst o)) = sum V (fun y => m y * rest f n text [y]).
Proof.
  induction t as [|x below IHb after IHa]; intros T f n text m N; [now rewrite last_value|].
  destruct T as [L [Tb Ta]]. rewrite node_value, IHa by (easy || now apply without_nonneg). simpl fst.
  assert (K : expect (verify below (x :: text) (target (x :: text))) (fun o => rest f n text (x :: fst o)) = rest f n text [x]).
  { pose proof (target_law (x :: text)) as [P One]. destruct n as [|n].
    - specialize (IHb Tb (fun _ => f text) 0%nat (x :: text) (target (x :: text)) P). rewrite One, Rmult_1_l in IHb.
      rewrite (rest_mean V target target_law), rest_full in IHb. rewrite rest_full. rewrite <- IHb.
      apply expect_ext. intros o. now rewrite !rest_full.
    - specialize (IHb Tb f n (x :: text) (target (x :: text)) P). rewrite One, Rmult_1_l in IHb.
      rewrite (rest_mean V target target_law) in IHb. rewrite rest_cons, <- IHb. apply expect_ext. intros o. apply rest_cons. }
  rewrite K. rewrite <- (sum_point V (fun y => m y * rest f n text [y]) x L) at 1. rewrite <- sum_plus. apply sum_ext.
  intros y _. unfold without. destruct (Nat.eqb y x); ring.
Qed.

Lemma verify_emits t : forall text m o, In o (outcomes (verify t text m)) -> fst o <> [].
Proof.
  induction t as [|x below IHb after IHa]; intros text m o H; cbn [verify] in H.
  - apply outcomes_bind in H as [y [_ [<-|[]]]]. easy.
  - apply outcomes_bind in H as [[|] [_ H]]; [apply outcomes_bind in H as [z [_ [<-|[]]]]; easy | now apply IHa in H].
Qed.

(** Keeping candidates with their share of what the ones before leave of the target, on trees that are drawn in any way that does
    not see the verifier's coins, and may depend on the text: the first T tokens have the target's law. *)
Theorem tree_deterministic trees T test :
  (forall text, expect (trees text) (fun _ => 1) = 1) ->
  (forall text t, In t (outcomes (trees text)) -> tokens_only t) ->
  chance (rounds trees T T []) test = chance (sample V target T []) test.
Proof.
  intros Sure Tokens. unfold chance.
  assert (G : forall f more n text, (n <= more)%nat -> expect (rounds trees more n text) f = expect (sample V target n text) f);
    [|now apply G].
  intros f. induction more as [|more IH]; intros [|n] text L; [easy | lia | easy|].
  cbn [rounds]. rewrite expect_bind, <- (rest_none V target f (S n)).
  rewrite (expect_ext_in _ _ (fun _ => rest f (S n) text [])).
  - now rewrite expect_const, Sure, Rmult_1_l.
  - intros t I. pose proof (target_law text) as [P One].
    rewrite <- (rest_mean V target target_law), <- (verify_value t (Tokens text t I) f (S n) text (target text) P).
    rewrite One, Rmult_1_l, expect_bind. apply expect_ext_in. intros o H. apply verify_emits in H. unfold lossless.rest.
    apply IH. destruct (fst o); [easy|]. simpl. lia.
Qed.

(** * How many candidates are accepted *)

(** The candidates of a tree, by the text from the root to them; and the probability of such a text under a model. *)
Fixpoint nodes (t : drafted) : list (list nat) :=
  match t with Leaf => [] | Node x below after => [x] :: map (cons x) (nodes below) ++ nodes after end.
Fixpoint path_mass (model : list nat -> nat -> R) (text path : list nat) : R :=
  match path with [] => 1 | x :: more => model text x * path_mass model (x :: text) more end.
Definition over_nodes (f : list nat -> R) (paths : list (list nat)) : R := fold_right (fun path s => f path + s) 0 paths.

(** Siblings are different. *)
Fixpoint children (t : drafted) : list nat := match t with Leaf => [] | Node x _ after => x :: children after end.
Fixpoint different (t : drafted) : Prop :=
  match t with Leaf => True | Node x below after => ~ In x (children after) /\ different below /\ different after end.

Definition accepted (t : drafted) : R := expect (verify t [] (target [])) (fun o => INR (snd o)).

Lemma over_cons f p a : over_nodes f (p :: a) = f p + over_nodes f a.
Proof. easy. Qed.

Lemma over_app f a b : over_nodes f (a ++ b) = over_nodes f a + over_nodes f b.
Proof. induction a as [|p a IH]; simpl; [lra|]. rewrite IH. lra. Qed.

Lemma over_map f g a : over_nodes f (map g a) = over_nodes (fun p => f (g p)) a.
Proof. induction a as [|p a IH]; simpl; [easy | now rewrite IH]. Qed.

Lemma over_scale f c a : over_nodes (fun p => c * f p) a = c * over_nodes f a.
Proof. induction a as [|p a IH]; simpl; [lra|]. rewrite IH. lra. Qed.

Lemma over_ext f g a : (forall p, In p a -> f p = g p) -> over_nodes f a = over_nodes g a.
Proof. induction a as [|p a IH]; simpl; intros H; [easy|]. rewrite IH, H; auto. Qed.

Lemma first_token t p : In p (nodes t) -> exists x more, p = x :: more /\ In x (children t).
Proof.
  induction t as [|x below _ after IHa]; simpl; [easy|]. intros [<-|H]; [now exists x, []; auto|].
  apply in_app_or in H as [H|H].
  - apply in_map_iff in H as [p' [<- _]]. exists x, p'. auto.
  - destruct (IHa H) as [y [more [E I]]]. exists y, more. auto.
Qed.

Lemma accepted_mean t : tokens_only t -> different t -> forall text m, (forall y, (y < V)%nat -> 0 <= m y) ->
  sum V m * expect (verify t text m) (fun o => INR (snd o))
  = over_nodes (fun p => match p with [] => 0 | x :: more => m x * path_mass target (x :: text) more end) (nodes t).
Proof.
  induction t as [|x below IHb after IHa]; intros T D text m N.
  - rewrite last_value by easy. simpl. rewrite (sum_ext V _ (fun _ => 0)), sum_zero; [easy|]. intros; ring.
  - destruct T as [L [Tb Ta]], D as [X [Db Da]]. rewrite node_value, IHa by (easy || now apply without_nonneg).
    cbn [nodes]. rewrite over_cons, over_app, over_map. simpl path_mass.
    assert (B : expect (verify below (x :: text) (target (x :: text))) (fun o => INR (snd (x :: fst o, S (snd o))))
        = 1 + over_nodes (path_mass target (x :: text)) (nodes below)).
    { cbn [snd]. rewrite (expect_ext _ _ (fun o => INR (snd o) + 1)) by (intros o; now rewrite S_INR).
      pose proof (target_law (x :: text)) as [P One].
      assert (Sure : expect (verify below (x :: text) (target (x :: text))) (fun _ => 1) = 1).
      { pose proof (verify_value below Tb (fun _ => 1) 0%nat (x :: text) (target (x :: text)) P) as E.
        rewrite One, Rmult_1_l, (rest_mean V target target_law), rest_full in E. refine (eq_trans _ E). apply expect_ext.
        intros o. now rewrite rest_full. }
      rewrite expect_plus, Sure. specialize (IHb Tb Db (x :: text) (target (x :: text)) P). rewrite One, Rmult_1_l in IHb.
      rewrite IHb, Rplus_comm. f_equal. apply over_ext. intros p I. destruct (first_token _ _ I) as [y [more [-> _]]]. easy. }
    rewrite B. rewrite over_scale.
    rewrite (over_ext _ (fun p => match p with [] => 0 | x :: more => m x * path_mass target (x :: text) more end) (nodes after)).
    + ring.
    + intros p I. destruct (first_token _ _ I) as [y [more [-> J]]]. unfold without.
      destruct (Nat.eqb_spec y x) as [->|]; easy.
Qed.

Lemma accepted_is t : tokens_only t -> different t -> accepted t = over_nodes (path_mass target []) (nodes t).
Proof.
  intros T D. destruct (target_law []) as [P One]. pose proof (accepted_mean t T D [] (target []) P) as E.
  rewrite One, Rmult_1_l in E. unfold accepted. rewrite E. apply over_ext. intros p I.
  destruct (first_token _ _ I) as [y [more [-> _]]]. easy.
Qed.

End Candidates.

(** The tree of the largest path products (EAGLE-2, Li et al. 2024): the candidates that a model finds most likely make a tree, and
    what it accepts against any other tree of as many candidates. *)

Require Import Reals Lra Lia List Arith Bool.
Require Import laws lossless tree candidates matches.
Import ListNotations.
Open Scope R_scope.

Section Trees.

Variable V : nat.

(** A tree of candidates: its candidates are tokens, and siblings are different. *)
Definition is_tree (t : drafted) : Prop := tokens_only V t /\ different t.

(** No other text is likelier under the model than one of the tree: those of the tree have the largest path products. *)
Definition likeliest (model : list nat -> nat -> R) (t : drafted) : Prop :=
  forall inside outside, In inside (nodes t) -> outside <> [] -> (forall x, In x outside -> (x < V)%nat) ->
    ~ In outside (nodes t) -> path_mass model [] outside <= path_mass model [] inside.

(** One more candidate: the text to it, of which all but the last token is in the tree. *)
Fixpoint insert (t : drafted) (path : list nat) : drafted :=
  match path with
  | [] => t
  | x :: more =>
      match t with
      | Leaf => Node x Leaf Leaf
      | Node y below after => if Nat.eqb x y then Node y (insert below more) after else Node y below (insert after path)
      end
  end.

(** What may come next: children of the root and of candidates that are not in the tree yet. *)
Definition is_in (paths : list (list nat)) (path : list nat) : bool := if in_dec (list_eq_dec Nat.eq_dec) path paths then true else false.
Definition open (t : drafted) : list (list nat) :=
  filter (fun path => negb (is_in (nodes t) path))
    (flat_map (fun at_node => map (fun x => at_node ++ [x]) (seq 0 V)) ([] :: nodes t)).

(** The first of the largest. *)
Fixpoint largest_of (f : list nat -> R) (paths : list (list nat)) : list nat :=
  match paths with
  | [] => []
  | path :: more => match more with [] => path | _ => if Rlt_dec (f path) (f (largest_of f more)) then largest_of f more else path end
  end.

(** The most likely candidate next, a parent before its children. *)
Fixpoint best (model : list nat -> nat -> R) (m : nat) : drafted :=
  match m with
  | O => Leaf
  | S k => insert (best model k) (largest_of (path_mass model []) (open (best model k)))
  end.

(** ** Sums over nodes of two trees *)

Lemma over_plus f g a : over_nodes (fun p => f p + g p) a = over_nodes f a + over_nodes g a.
Proof. induction a as [|p a IH]; [simpl; ring|]. rewrite !over_cons, IH. ring. Qed.

Lemma over_zero a : over_nodes (fun _ => 0) a = 0.
Proof. induction a as [|p a IH]; [easy|]. rewrite over_cons, IH. ring. Qed.

Lemma over_le f g a : (forall p, In p a -> f p <= g p) -> over_nodes f a <= over_nodes g a.
Proof.
  induction a as [|p a IH]; intros H; [simpl; lra|]. rewrite !over_cons. apply Rplus_le_compat; [apply H; now left|].
  apply IH. intros r I. apply H. now right.
Qed.

Lemma over_count a : over_nodes (fun _ => 1) a = INR (length a).
Proof. induction a as [|p a IH]; [easy|]. rewrite over_cons, IH. cbn [length]. rewrite S_INR. ring. Qed.

Lemma over_swap f a b :
  over_nodes (fun p => over_nodes (f p) b) a = over_nodes (fun r => over_nodes (fun p => f p r) a) b.
Proof.
  induction a as [|p a IH]; [simpl; now rewrite over_zero|]. rewrite over_cons, IH, <- over_plus. apply over_ext.
  intros r _. now rewrite over_cons.
Qed.

Definition same (p r : list nat) : R := if list_eq_dec Nat.eq_dec p r then 1 else 0.

Lemma over_same f p b : NoDup b -> over_nodes (fun r => same p r * f r) b = if is_in b p then f p else 0.
Proof.
  induction b as [|r b IH]; intros N; [easy|]. inversion N as [|r' b' R N']; subst. rewrite over_cons, IH by easy. unfold same, is_in.
  destruct (list_eq_dec Nat.eq_dec p r) as [->|D]; destruct (in_dec (list_eq_dec Nat.eq_dec) _ b) as [I|I];
    destruct (in_dec (list_eq_dec Nat.eq_dec) _ (_ :: b)) as [J|J]; try easy; try ring.
  - exfalso. apply J. now left.
  - exfalso. apply J. now right.
  - exfalso. destruct J as [J|J]; [now apply D | easy].
Qed.

(** Nodes that two trees share count the same from both sides. *)
Lemma over_shared f a b : NoDup a -> NoDup b ->
  over_nodes (fun p => if is_in b p then f p else 0) a = over_nodes (fun p => if is_in a p then f p else 0) b.
Proof.
  intros A B. transitivity (over_nodes (fun p => over_nodes (fun r => same p r * f r) b) a).
  - apply over_ext. intros p _. now rewrite over_same.
  - rewrite over_swap. apply over_ext. intros r _. rewrite <- (over_same f r a A). apply over_ext. intros p _. unfold same.
    destruct (list_eq_dec Nat.eq_dec p r) as [E|E], (list_eq_dec Nat.eq_dec r p) as [E'|E']; congruence || ring.
Qed.

(** Those of one tree that another one has not. *)
Definition only (a b : list (list nat)) : list (list nat) := filter (fun path => negb (is_in b path)) a.

Lemma over_only f a b : over_nodes f a = over_nodes f (only a b) + over_nodes (fun p => if is_in b p then f p else 0) a.
Proof.
  induction a as [|p a IH]; [simpl; ring|]. unfold only in *. cbn [filter]. rewrite !over_cons.
  destruct (is_in b p); simpl negb; cbv iota; [|rewrite over_cons]; lra.
Qed.

Lemma only_iff a b p : In p (only a b) <-> In p a /\ ~ In p b.
Proof.
  unfold only. rewrite filter_In. unfold is_in. destruct (in_dec (list_eq_dec Nat.eq_dec) p b) as [I|I]; simpl; intuition easy.
Qed.

Lemma apart f a b : NoDup a -> NoDup b -> over_nodes f a - over_nodes f b = over_nodes f (only a b) - over_nodes f (only b a).
Proof. intros A B. rewrite (over_only f a b), (over_only f b a), (over_shared f a b) by easy. ring. Qed.

Lemma as_many a b : NoDup a -> NoDup b -> length a = length b -> length (only a b) = length (only b a).
Proof.
  intros A B E. apply INR_eq. pose proof (apart (fun _ => 1) a b A B) as H. rewrite !over_count, E in H. lra.
Qed.

Lemma one_for_one f c d : length c = length d -> (forall p r, In p c -> In r d -> f r <= f p) -> over_nodes f d <= over_nodes f c.
Proof.
  revert d. induction c as [|p c IH]; intros [|r d] E H; try easy; [simpl; lra|]. rewrite !over_cons. apply Rplus_le_compat.
  - apply H; now left.
  - apply IH; [now inversion E|]. intros p' r' P R. apply H; now right.
Qed.

Lemma nodes_differ t : different t -> NoDup (nodes t).
Proof.
  induction t as [|x below IHb after IHa]; intros D; [constructor|]. destruct D as [X [Db Da]]. cbn [nodes app].
  assert (A : forall more, ~ In (x :: more) (nodes after)).
  { intros more I. destruct (first_token _ _ I) as [y [r [E J]]]. inversion E; subst. easy. }
  constructor.
  - intros I. apply in_app_or in I as [I|I]; [|now apply A in I]. apply in_map_iff in I as [p [E I]]. inversion E; subst.
    destruct (first_token _ _ I) as [y [r [F _]]]. easy.
  - assert (M : NoDup (map (cons x) (nodes below))).
    { specialize (IHb Db). clear - IHb. induction IHb as [|p a N _ IH]; simpl; constructor; [|exact IH].
      intros I. apply in_map_iff in I as [r [E I]]. inversion E. subst. easy. }
    assert (G : forall a b, NoDup a -> NoDup b -> (forall p : list nat, In p a -> ~ In p b) -> NoDup (a ++ b)).
    { clear. induction a as [|p a IH]; intros b A B H; [easy|]. inversion A; subst. simpl. constructor.
      - intros I. apply in_app_or in I as [I|I]; [easy | apply (H p); [now left | easy]].
      - apply IH; try easy. intros r R. apply H. now right. }
    apply G; [easy | now apply IHa|]. intros p I. apply in_map_iff in I as [r [<- _]]. apply A.
Qed.

(** ** What is inserted *)

Definition opens (t : drafted) (path : list nat) : Prop :=
  path <> [] /\ ~ In path (nodes t) /\ (removelast path = [] \/ In (removelast path) (nodes t)).

Lemma open_iff t path : In path (open t) <-> opens t path /\ (last path 0%nat < V)%nat.
Proof.
  unfold open, opens. rewrite filter_In, in_flat_map. split.
  - intros [[at_node [I J]] N]. apply in_map_iff in J as [x [<- J]]. apply in_seq in J.
    rewrite removelast_last, last_last. unfold is_in in N.
    destruct (in_dec (list_eq_dec Nat.eq_dec) (at_node ++ [x]) (nodes t)) as [H|H]; [easy|].
    repeat split; try easy; try lia; [now destruct at_node|]. destruct I as [<-|I]; [now left | now right].
  - intros [[E [N P]] L]. split.
    + exists (removelast path). split.
      * destruct P as [->|P]; [now left | now right].
      * apply in_map_iff. exists (last path 0%nat). split; [symmetry; now apply app_removelast_last | apply in_seq; lia].
    + unfold is_in. now destruct (in_dec (list_eq_dec Nat.eq_dec) path (nodes t)).
Qed.

Lemma insert_children t path x : In x (children (insert t path)) -> In x (children t) \/ exists more, path = x :: more.
Proof.
  revert path. induction t as [|y below _ after IHa]; intros [|z more]; simpl; try tauto.
  - intros [<-|[]]. right. now exists more.
  - destruct (Nat.eqb z y); simpl; [tauto|]. intros [E|H]; [tauto|]. destruct (IHa _ H) as [I|I]; tauto.
Qed.

(** One candidate that may come next makes a tree with one more. *)
Lemma insert_tree t : is_tree t -> forall path, opens t path -> (last path 0%nat < V)%nat ->
  is_tree (insert t path) /\ length (nodes (insert t path)) = S (length (nodes t)) /\
  forall p, In p (nodes (insert t path)) <-> p = path \/ In p (nodes t).
Proof.
  induction t as [|y below IHb after IHa]; intros [T D] path [E [N P]] L.
  - destruct P as [P|[]]. destruct path as [|x [|x' more]]; try easy. simpl in *. repeat split; simpl; try easy; intuition.
  - destruct T as [Y [Tb Ta]], D as [Z [Db Da]]. destruct path as [|z more]; [easy|].
    assert (A : forall r, ~ In (y :: r) (nodes after)).
    { intros r I. destruct (first_token _ _ I) as [y' [r' [F J]]]. inversion F; subst. easy. }
    cbn [insert]. destruct (Nat.eqb_spec z y) as [->|F].
    + assert (M : more <> []) by (intros ->; apply N; cbn [nodes app]; now left).
      assert (O : opens below more).
      { split; [easy|]. split; [intros I; apply N; cbn [nodes app]; right; apply in_or_app; left; now apply in_map|].
        destruct more as [|w more]; [easy|]. cbn [removelast] in P |- *. destruct P as [P|P]; [easy|].
        cbn [nodes app] in P. destruct P as [P|P].
        - left. inversion P as [Q]. destruct more; [easy | now inversion Q].
        - right. apply in_app_or in P as [P|P]; [|now apply A in P]. apply in_map_iff in P as [r [R I]]. inversion R. now subst. }
      assert (L' : (last more 0%nat < V)%nat) by (destruct more; easy).
      destruct (IHb (conj Tb Db) more O L') as [[Tb' Db'] [S' I']]. split; [|split].
      * repeat split; try easy.
      * cbn [nodes app length]. rewrite !app_length, !map_length, S'. lia.
      * intros p. cbn [nodes app]. split.
        -- intros [H|H]; [right; now left|]. apply in_app_or in H as [H|H]; [|right; right; apply in_or_app; now right].
           apply in_map_iff in H as [r [<- H]]. apply I' in H as [->|H]; [now left|]. right. right. apply in_or_app. left.
           now apply in_map.
        -- intros [->|[H|H]]; [right; apply in_or_app; left; apply in_map, I'; now left | now left|].
           right. apply in_app_or in H as [H|H]; apply in_or_app; [left | now right].
           apply in_map_iff in H as [r [<- H]]. apply in_map, I'. now right.
    + assert (O : opens after (z :: more)).
      { split; [easy|]. split; [intros I; apply N; cbn [nodes app]; right; apply in_or_app; now right|].
        destruct more as [|w more]; [now left|]. cbn [removelast] in P |- *. destruct P as [P|P]; [easy|].
        cbn [nodes app] in P. destruct P as [P|P]; [inversion P; subst; easy|].
        apply in_app_or in P as [P|P]; [|now right]. apply in_map_iff in P as [r [R _]]. inversion R. subst. easy. }
      destruct (IHa (conj Ta Da) (z :: more) O L) as [[Ta' Da'] [S' I']]. split; [|split].
      * repeat split; try easy. intros H. apply insert_children in H as [H|[r R]]; [easy|]. inversion R. subst. easy.
      * cbn [nodes app length]. rewrite !app_length, !map_length, S'. lia.
      * intros p. cbn [nodes app]. split.
        -- intros [H|H]; [right; now left|]. apply in_app_or in H as [H|H]; [right; right; apply in_or_app; now left|].
           apply I' in H as [->|H]; [now left | right; right; apply in_or_app; now right].
        -- intros [->|[H|H]]; [right; apply in_or_app; right; apply I'; now left | now left|].
           right. apply in_app_or in H as [H|H]; apply in_or_app; [now left | right; apply I'; now right].
Qed.

Lemma nodes_tokens t : tokens_only V t -> forall p, In p (nodes t) -> forall x, In x p -> (x < V)%nat.
Proof.
  induction t as [|y below IHb after IHa]; intros T p I x X; [easy|]. destruct T as [Y [Tb Ta]]. cbn [nodes app] in I.
  destruct I as [<-|I]; [destruct X as [<-|[]]; easy|]. apply in_app_or in I as [I|I]; [|now apply (IHa Ta p)].
  apply in_map_iff in I as [r [<- I]]. destruct X as [<-|X]; [easy | now apply (IHb Tb r)].
Qed.

Section Model.

Variable model : list nat -> nat -> R.
Hypothesis model_law : forall text, law V (model text).

Lemma path_mass_last text p x : path_mass model text (p ++ [x]) = path_mass model text p * model (rev p ++ text) x.
Proof.
  revert text. induction p as [|y p IH]; intros text; simpl; [ring|]. rewrite IH. rewrite <- app_assoc. simpl. ring.
Qed.

Lemma path_mass_nonneg text p : (forall x, In x p -> (x < V)%nat) -> 0 <= path_mass model text p.
Proof.
  revert text. induction p as [|y p IH]; intros text H; simpl; [lra|]. apply Rmult_le_pos.
  - apply (law_nonneg V); [easy | apply H; now left].
  - apply IH. intros x I. apply H. now right.
Qed.

(** A text outside of the tree begins with one that may come next, and is no likelier. *)
Lemma first_open t p : p <> [] -> (forall x, In x p -> (x < V)%nat) -> ~ In p (nodes t) ->
  exists o, In o (open t) /\ path_mass model [] p <= path_mass model [] o.
Proof.
  induction p as [|x p IH] using rev_ind; intros E H N; [easy|].
  assert (X : (x < V)%nat) by (apply H, in_or_app; right; now left).
  assert (P : forall y, In y p -> (y < V)%nat) by (intros y I; apply H, in_or_app; now left).
  destruct (in_dec (list_eq_dec Nat.eq_dec) p ([] :: nodes t)) as [I|I].
  - exists (p ++ [x]). split; [|lra]. apply open_iff. rewrite last_last. split; [|easy]. unfold opens. rewrite removelast_last.
    repeat split; try easy. destruct I as [<-|I]; [now left | now right].
  - destruct IH as [o [O M]]; [intros ->; apply I; now left | easy | intros J; apply I; now right|].
    exists o. split; [easy|]. eapply Rle_trans; [|exact M]. rewrite path_mass_last.
    rewrite <- (Rmult_1_r (path_mass model [] p)) at 2. apply Rmult_le_compat_l; [now apply path_mass_nonneg|].
    now apply (law_le_1 V).
Qed.

Lemma largest_of_in f paths : paths <> [] -> In (largest_of f paths) paths /\ forall p, In p paths -> f p <= f (largest_of f paths).
Proof.
  induction paths as [|p paths IH]; [easy|]. intros _. cbn [largest_of]. destruct paths as [|r paths].
  - split; [now left|]. intros p' [<-|[]]. lra.
  - destruct IH as [I M]; [easy|]. set (b := largest_of f (r :: paths)) in *. destruct (Rlt_dec (f p) (f b)) as [H|H].
    + split; [now right|]. intros p' [<-|J]; [lra | now apply M].
    + split; [now left|]. intros p' [<-|J]; [lra|]. specialize (M p' J). lra.
Qed.

(** Something may always come next: below the longest text of the tree. *)
Lemma some_open t : open t <> [].
Proof.
  assert (Some_token : (0 < V)%nat).
  { destruct V as [|n]; [|lia]. destruct (model_law []) as [_ S]. simpl in S. lra. }
  assert (G : forall paths : list (list nat), exists p, In p ([] :: paths) /\ forall r, In r paths -> (length r <= length p)%nat).
  { induction paths as [|r paths [p [I M]]]; [exists []; split; [now left | easy]|].
    destruct (le_lt_dec (length r) (length p)) as [H|H].
    - exists p. split; [destruct I as [I|I]; [now left | right; now right]|]. intros r' [<-|J]; [easy | now apply M].
    - exists r. split; [right; now left|]. intros r' [<-|J]; [lia|]. specialize (M r' J). lia. }
  destruct (G (nodes t)) as [p [I M]]. assert (O : In (p ++ [0%nat]) (open t)).
  { apply open_iff. rewrite last_last. split; [|easy]. unfold opens. rewrite removelast_last.
    repeat split; [now destruct p | | destruct I as [<-|I]; [now left | now right]].
    intros J. apply M in J. rewrite app_length in J. simpl in J. lia. }
  intros E. now rewrite E in O.
Qed.

Lemma best_likeliest m : is_tree (best model m) /\ length (nodes (best model m)) = m /\ likeliest model (best model m).
Proof.
  induction m as [|m [T [S L]]]; [repeat split; try easy; intros p r []|]. cbn [best].
  set (t := best model m) in *. destruct (largest_of_in (path_mass model []) (open t) (some_open t)) as [I M].
  set (c := largest_of (path_mass model []) (open t)) in *. apply open_iff in I as [O LV].
  destruct (insert_tree t T c O LV) as [T' [S' I']]. split; [easy|]. split; [now rewrite S', S|].
  intros p r P E H N. destruct (first_open t r E H) as [o [Oo Mo]]; [intros J; apply N, I'; now right|].
  apply I' in P as [->|P]; [eapply Rle_trans; [exact Mo | now apply M]|]. apply L; try easy. intros J. apply N, I'. now right.
Qed.

End Model.

(** ** Chains *)

(** Drafts of one path, as a tree. *)
Fixpoint chain (xs : list nat) : drafted := match xs with [] => Leaf | x :: more => Node x (chain more) Leaf end.

Lemma chain_tree xs : (forall x, In x xs -> (x < V)%nat) -> is_tree (chain xs) /\ length (nodes (chain xs)) = length xs.
Proof.
  induction xs as [|x xs IH]; intros H; [repeat split|]. destruct IH as [[T D] S]; [intros; apply H; now right|].
  split; [repeat split; try easy; apply H; now left|]. cbn [chain nodes app length]. now rewrite app_nil_r, map_length, S.
Qed.

Section Verified.

Variable target : list nat -> nat -> R.
Hypothesis target_law : forall text, law V (target text).

Lemma more_likely model t t' : is_tree t -> is_tree t' -> length (nodes t') = length (nodes t) -> likeliest model t ->
  over_nodes (path_mass model []) (only (nodes t') (nodes t)) <= over_nodes (path_mass model []) (only (nodes t) (nodes t')).
Proof.
  intros [T D] [T' D'] E L. apply one_for_one; [symmetry; apply as_many; try easy; now apply nodes_differ|].
  intros p r P R. apply only_iff in P as [P _]. apply only_iff in R as [R N]. apply L; try easy.
  - intros ->. destruct (first_token _ _ R) as [x [more [F _]]]. easy.
  - now apply (nodes_tokens t').
Qed.

(** Under verification of deterministic candidates a tree of m candidates that has the largest path products of the target itself
    accepts the most of all trees of m candidates; and the tree that takes the most likely candidate next, m times, has them. *)
Theorem tree_eagle_best_calibrated m :
  (forall t t', is_tree t -> length (nodes t) = m -> likeliest target t -> is_tree t' -> length (nodes t') = m ->
    accepted V target t' <= accepted V target t) /\
  is_tree (best target m) /\ length (nodes (best target m)) = m /\ likeliest target (best target m).
Proof.
  split; [|now apply best_likeliest]. intros t t' T S L T' S'.
  pose proof (more_likely target t t' T T' ltac:(lia) L) as Q.
  destruct T as [T D], T' as [T' D']. rewrite !accepted_is by easy.
  pose proof (apart (path_mass target []) (nodes t) (nodes t') (nodes_differ t D) (nodes_differ t' D')) as P. lra.
Qed.

(** What a chain accepts that is matched with the target's samples. *)
Lemma chain_matched xs text : (forall x, In x xs -> (x < V)%nat) ->
  expect (by_matching V target (chain xs) text) (fun o => INR (snd o)) = over_nodes (path_mass target text) (nodes (chain xs)).
Proof.
  unfold by_matching. revert text. induction xs as [|x xs IH]; intros text H.
  - cbn [chain height matched]. rewrite expect_bind, expect_draw, (sum_ext V _ (fun _ => 0)), sum_zero; [easy|].
    intros y _. simpl. ring.
  - cbn [chain height nodes app]. rewrite Nat.max_0_r, over_cons, app_nil_r, over_map. cbn [matched].
    rewrite expect_bind, expect_draw.
    rewrite (sum_ext V _ (fun y => if Nat.eqb y x then target text y * (1 + over_nodes (path_mass target (y :: text)) (nodes (chain xs)))
      else 0)).
    + rewrite sum_point by (apply H; now left). simpl path_mass. rewrite over_scale. ring.
    + intros y Y. cbn [child]. destruct (Nat.eqb y x); [|simpl; ring]. f_equal.
      rewrite <- IH by (intros; apply H; now right). rewrite expect_bind.
      rewrite (expect_ext _ _ (fun o => INR (snd o) + 1)) by (intros o; rewrite expect_ret; cbn [snd]; now rewrite S_INR).
      rewrite expect_plus, Rplus_comm. f_equal.
      assert (Sure : forall level t at_text, expect (matched V target level t at_text) (fun _ => 1) = 1); [|apply Sure].
      intros level t at_text. pose proof (matched_value V target target_law level t (fun _ => 1) 0%nat at_text) as E.
      rewrite rest_full in E. refine (eq_trans _ E). apply expect_ext. intros o. now rewrite rest_full.
Qed.

Variable draft : list nat -> nat -> R.
Hypothesis draft_law : forall text, law V (draft text).

(** Under verification of deterministic candidates a tree of m candidates that has the largest path products of the draft accepts
    at least as much as any tree of m candidates, less the sum of |P - Q| over the candidates that only one of both has; and the
    tree that takes the most likely candidate next, m times, has them. *)
Theorem tree_eagle_best_any_corrected m :
  (forall t t', is_tree t -> length (nodes t) = m -> likeliest draft t -> is_tree t' -> length (nodes t') = m ->
    accepted V target t' - over_nodes (fun path => Rabs (path_mass target [] path - path_mass draft [] path))
      (only (nodes t) (nodes t') ++ only (nodes t') (nodes t)) <= accepted V target t) /\
  is_tree (best draft m) /\ length (nodes (best draft m)) = m /\ likeliest draft (best draft m).
Proof.
  split; [|now apply best_likeliest]. intros t t' T S L T' S'.
  pose proof (more_likely draft t t' T T' ltac:(lia) L) as Q.
  destruct T as [T D], T' as [T' D']. rewrite !accepted_is by easy.
  pose proof (apart (path_mass target []) (nodes t) (nodes t') (nodes_differ t D) (nodes_differ t' D')) as P.
  rewrite over_app. set (off := fun path => Rabs (path_mass target [] path - path_mass draft [] path)).
  assert (A : over_nodes (path_mass draft []) (only (nodes t) (nodes t'))
      <= over_nodes (fun p => path_mass target [] p + off p) (only (nodes t) (nodes t'))).
  { apply over_le. intros p _. unfold off. pose proof (Rle_abs (path_mass draft [] p - path_mass target [] p)) as H.
    rewrite Rabs_minus_sym in H. lra. }
  assert (B : over_nodes (path_mass target []) (only (nodes t') (nodes t))
      <= over_nodes (fun p => path_mass draft [] p + off p) (only (nodes t') (nodes t))).
  { apply over_le. intros p _. unfold off. pose proof (Rle_abs (path_mass target [] p - path_mass draft [] p)). lra. }
  rewrite over_plus in A, B. lra.
Qed.

Lemma drafted_most g c gamma : forall text made,
  (forall xs, length xs = gamma -> (forall x, In x xs -> (x < V)%nat) -> g xs <= c) ->
  expect (lossless.drafts V draft lossless.never gamma text made) g <= c.
Proof.
  revert g. induction gamma as [|gamma IH]; intros g text made H; cbn [lossless.drafts].
  - rewrite expect_ret. now apply H.
  - unfold lossless.never. rewrite expect_bind, expect_draw. destruct (draft_law text) as [N S].
    apply (Rle_trans _ (sum V (fun x => draft text x * c))); [|rewrite sum_scale_right, S; lra].
    apply sum_le. intros x L. apply Rmult_le_compat_l; [now apply N|]. rewrite expect_bind.
    rewrite (expect_ext _ _ (fun xs => g (x :: xs))) by (intros xs; apply expect_ret). apply IH. intros xs E I. apply H.
    + simpl. now rewrite E.
    + intros y [<-|Y]; [easy | now apply I].
Qed.

(** Some tree of as many deterministic candidates, the most likely ones, accepts on average at least what a sampled chain accepts
    that is matched with the target's samples. *)
Theorem tree_over_chain_corrected gamma : exists t, is_tree t /\ length (nodes t) = gamma /\
  expect (xs <- lossless.drafts V draft lossless.never gamma [] [] ;; by_matching V target (chain xs) []) (fun o => INR (snd o))
    <= accepted V target t.
Proof.
  destruct (tree_eagle_best_calibrated gamma) as [Most [T [S L]]]. exists (best target gamma). split; [exact T|]. split; [exact S|].
  rewrite expect_bind. apply drafted_most. intros xs E I. destruct (chain_tree xs I) as [TC SC]. rewrite chain_matched by exact I.
  rewrite <- (accepted_is V target target_law (chain xs)) by apply TC. apply Most; try easy. congruence.
Qed.

End Verified.

End Trees.

(** What the best rule for several drafts accepts; drafts that are made for sure but for the last (Hu et al. 2025). *)

Require Import Reals Lra Lia List Arith Bool.
Require Import laws lossless several sqs lattice rejections distortion best.
Import ListNotations.
Open Scope R_scope.

(** * The best of all rules *)

Section Best.

Variable V : nat.
Variable p : nat -> R.
Variable drafting : program (list nat).

(** A rule for several drafts: its coins are probabilities, it emits a token, and says whether that is accepted, which it may where it
    is one of the drafts; what it emits has the target's law. *)
Definition is_lossless_rule (decide : list nat -> program (nat * bool)) : Prop :=
  (forall xs, In xs (outcomes drafting) -> proper (decide xs)) /\
  (forall xs x, In xs (outcomes drafting) -> In (x, true) (outcomes (decide xs)) -> In x xs) /\
  (forall xs o, In xs (outcomes drafting) -> In o (outcomes (decide xs)) -> (fst o < V)%nat) /\
  (forall y, (y < V)%nat -> chance (xs <- drafting ;; decide xs) (fun o => Nat.eqb (fst o) y) = p y).

(** How often the best of them accepts. *)
Definition is_best_acceptance (v : R) : Prop :=
  (forall decide, is_lossless_rule decide -> accepts (xs <- drafting ;; decide xs) <= v) /\
  exists decide, is_lossless_rule decide /\ accepts (xs <- drafting ;; decide xs) = v.

Hypothesis weights : forall w xs, In (w, xs) drafting -> 0 <= w.

(** No rule accepts a token more often than the target says it, or than it is drafted. *)
Lemma no_rule_accepts_more decide bound : is_lossless_rule decide ->
  (forall x, (x < V)%nat -> expect drafting (fun xs => if existsb (Nat.eqb x) xs then 1 else 0) <= bound x) ->
  accepts (xs <- drafting ;; decide xs) <= sum V (fun x => Rmin (p x) (bound x)).
Proof.
  intros [Proper [Drafted [Inside Lossless]]] Often. unfold accepts, chance. rewrite expect_bind.
  apply (Rle_trans _ (sum V (fun x => expect drafting
    (fun xs => expect (decide xs) (fun o => if snd o then indicator (Nat.eqb (fst o) x) else 0))))).
  - right. transitivity (expect drafting (fun xs =>
      sum V (fun x => expect (decide xs) (fun o => if snd o then indicator (Nat.eqb (fst o) x) else 0)))).
    + apply expect_ext_in. intros xs D.
      assert (Swap : forall (d : program (nat * bool)) n,
        sum n (fun x => expect d (fun o => if snd o then indicator (Nat.eqb (fst o) x) else 0))
        = expect d (fun o => sum n (fun x => if snd o then indicator (Nat.eqb (fst o) x) else 0))).
      { intros d n. induction n as [|n IH]; [simpl; now rewrite (expect_const d 0), Rmult_0_r|].
        cbn [sum]. now rewrite IH, <- expect_plus. }
      rewrite Swap. apply expect_ext_in. intros [y b] I. apply (Inside xs _ D) in I. simpl in *. destruct b; unfold indicator at 1.
      * rewrite <- (sum_point V (fun _ => 1) y I). apply sum_ext. intros x _. rewrite (Nat.eqb_sym y x). unfold indicator.
        destruct (Nat.eqb x y); easy.
      * now rewrite sum_zero.
    + assert (Swap : forall (d : program (list nat)) (g : nat -> list nat -> R) n,
        expect d (fun xs => sum n (fun x => g x xs)) = sum n (fun x => expect d (g x))).
      { intros d g n. induction n as [|n IH]; [simpl; now rewrite (expect_const d 0), Rmult_0_r|].
        cbn [sum]. now rewrite expect_plus, IH. }
      apply Swap.
  - assert (In_weights : forall xs, In xs (outcomes drafting) -> (forall w a, In (w, a) (decide xs) -> 0 <= w))
      by (intros xs D; apply (Proper xs D)).
    apply sum_le. intros x L. apply Rmin_glb.
    + rewrite <- (Lossless x L). unfold chance. rewrite expect_bind. apply expect_le_in; [exact weights|].
      intros xs D. apply expect_le_in; [now apply In_weights|]. intros [y b] _. simpl. destruct b; [lra|].
      unfold indicator. destruct (Nat.eqb y x); lra.
    + eapply Rle_trans; [|apply (Often x L)]. apply expect_le_in; [exact weights|]. intros xs D.
      destruct (Proper xs D) as [W One]. destruct (existsb (Nat.eqb x) xs) eqn:E.
      * rewrite <- One. apply expect_le_in; [exact W|]. intros [y b] _. simpl. destruct b; [|lra]. unfold indicator.
        destruct (Nat.eqb y x); lra.
      * apply (Rle_trans _ (expect (decide xs) (fun _ => 0))); [|rewrite expect_const; lra]. apply expect_le_in; [exact W|].
        intros [y b] I. simpl. destruct b; [|lra]. apply (Drafted xs _ D) in I. unfold indicator.
        destruct (Nat.eqb_spec y x) as [->|]; [|lra]. exfalso.
        assert (T : existsb (Nat.eqb x) xs = true) by (apply existsb_exists; exists x; split; [exact I | apply Nat.eqb_refl]).
        congruence.
Qed.

End Best.

(** * Programs that are proper *)

Lemma proper_ret {A} (a : A) : proper (ret a).
Proof. split; [intros w b [E|[]]; inversion E; lra | simpl; ring]. Qed.

Lemma proper_bind {A B} (d : program A) (k : A -> program B) :
  proper d -> (forall a, In a (outcomes d) -> proper (k a)) -> proper (bind d k).
Proof.
  intros [W One] K. split.
  - intros w b H. unfold bind in H. apply in_flat_map in H as [[v a] [I H]]. apply in_map_iff in H as [[u c] [E H]]. inversion E; subst.
    assert (J : In a (outcomes d)) by (unfold outcomes; apply in_map_iff; now exists (v, a)).
    apply Rmult_le_pos; [now apply (W v a) | exact (proj1 (K a J) u b H)].
  - rewrite expect_bind, (expect_ext_in d _ (fun _ => 1)); [exact One|]. intros a I. now apply K.
Qed.

Lemma proper_coin c : 0 <= c <= 1 -> proper (coin c).
Proof. intros C. split; [intros w b [E|[E|[]]]; inversion E; lra | simpl; ring]. Qed.

Lemma proper_draw V l : law V l -> proper (draw V l).
Proof.
  intros [N One]. split.
  - intros w x H. unfold draw in H. apply in_map_iff in H as [y [E I]]. inversion E; subst. apply in_seq in I. apply N. lia.
  - rewrite expect_draw. transitivity (sum V l); [|exact One]. apply sum_ext. intros; ring.
Qed.

Lemma drawn_inside V l x : In x (outcomes (draw V l)) -> (x < V)%nat.
Proof. unfold outcomes, draw. rewrite map_map. simpl. rewrite map_id. intros I. apply in_seq in I. lia. Qed.

Lemma proper_if {A} (b : bool) (d e : program A) : proper d -> proper e -> proper (if b then d else e).
Proof. now destruct b. Qed.

(** A quotient of masses, made a probability. *)
Lemma quotient_range a b : 0 <= a -> 0 <= b -> 0 <= Rmin 1 (a / b) <= 1.
Proof.
  intros A [B|<-]; [now apply keep_range|]. unfold Rdiv. rewrite Rinv_0, Rmult_0_r, Rmin_right; lra.
Qed.

Lemma quotient_mass a b : 0 <= a <= b -> b * Rmin 1 (a / b) = a.
Proof. intros [A B]. rewrite keep_mass by lra. apply Rmin_left. lra. Qed.

(** Masses made a law; the target where there are none. *)
Definition made_law (V : nat) (m p : nat -> R) (x : nat) : R := if Rlt_dec 0 (sum V m) then m x / sum V m else p x.

Lemma made_law_law V m p : (forall x, (x < V)%nat -> 0 <= m x) -> law V p -> law V (made_law V m p).
Proof.
  intros M P. unfold made_law. destruct (Rlt_dec 0 (sum V m)) as [S|S]; [|exact P]. split.
  - intros x L. apply Rmult_le_pos; [now apply M | left; now apply Rinv_0_lt_compat].
  - unfold Rdiv. rewrite sum_scale_right. apply Rinv_r. lra.
Qed.

Lemma made_law_mean V m p g : (forall x, (x < V)%nat -> 0 <= m x) ->
  sum V m * sum V (fun x => made_law V m p x * g x) = sum V (fun x => m x * g x).
Proof.
  intros M. unfold made_law. destruct (Rlt_dec 0 (sum V m)) as [S|S].
  - rewrite <- sum_scale. apply sum_ext. intros x _. field. lra.
  - assert (Z : sum V m = 0) by (pose proof (sum_nonneg V m M); lra). rewrite Z, Rmult_0_l. symmetry.
    rewrite (sum_ext V _ (fun _ => 0)), sum_zero; [easy|]. intros x L. rewrite (sum_zero_terms V m M Z x L). ring.
Qed.

Lemma last_in {A} (l : list A) d : l <> [] -> In (last l d) l.
Proof.
  destruct l as [|x l]; [easy|]. intros _. revert x. induction l as [|y l IH]; intros x; [now left|]. right. apply (IH y).
Qed.

(** * Greedy drafts *)

Section Greedy.

Variable V : nat.
Variables p q : nat -> R.
Variable top : nat -> bool.
Hypothesis target_law : law V p.
Hypothesis draft_law : law V q.

(** The tokens that are drafted for sure; the law of the last draft: q outside them, made a law, if there is anything. *)
Definition sure : list nat := listed V top.
Definition outside (x : nat) : R := if top x then 0 else q x.
Definition outside_law (x : nat) : R := outside x / sum V outside.
Definition greedy_drafts : program (list nat) :=
  if Rlt_dec 0 (sum V outside) then x <- draw V outside_law ;; ret (sure ++ [x]) else ret sure.

(** The last draft is kept with min(1, p/q̃), where it has mass; else a token is drawn from (p - q̃)₊, made a law: it is accepted where it
    is one of the drafts. *)
Definition greedy_verification (xs : list nat) : program (nat * bool) :=
  let z := last xs 0%nat in
  kept <- coin (if Rlt_dec 0 (outside_law z) then Rmin 1 (p z / outside_law z) else 0) ;;
  if kept then ret (z, true)
  else (y <- draw V (made_law V (excess p outside_law) p) ;; ret (y, existsb (Nat.eqb y) xs)).

(** p(top) + Σ min(p, q̃) over the others. *)
Definition greedy_acceptance : R := sum V (fun x => if top x then p x else Rmin (p x) (outside_law x)).

Lemma outside_nonneg x : (x < V)%nat -> 0 <= outside x.
Proof. intros L. unfold outside. destruct (top x); [lra | now apply (law_nonneg V)]. Qed.

Lemma outside_law_nonneg x : (x < V)%nat -> 0 <= outside_law x.
Proof.
  intros L. unfold outside_law. pose proof (outside_nonneg x L). destruct (sum_nonneg V outside outside_nonneg) as [S|<-].
  - apply Rmult_le_pos; [easy | left; now apply Rinv_0_lt_compat].
  - unfold Rdiv. rewrite Rinv_0. lra.
Qed.

Lemma outside_law_law : 0 < sum V outside -> law V outside_law.
Proof.
  intros S. split; [apply outside_law_nonneg|]. unfold outside_law, Rdiv. rewrite sum_scale_right. apply Rinv_r. lra.
Qed.

Lemma nothing_outside x : ~ 0 < sum V outside -> (x < V)%nat -> outside_law x = 0.
Proof.
  intros S L. unfold outside_law. rewrite (sum_zero_terms V outside outside_nonneg); [unfold Rdiv; ring | | easy].
  pose proof (sum_nonneg V outside outside_nonneg). lra.
Qed.

Lemma outside_top x : top x = true -> outside_law x = 0.
Proof. intros T. unfold outside_law, outside. rewrite T. unfold Rdiv. ring. Qed.

Lemma in_sure x : In x sure <-> (x < V)%nat /\ top x = true.
Proof. unfold sure, listed. rewrite filter_In, in_seq. split; intros [A B]; split; easy || lia. Qed.

Lemma excess_nonneg r x : 0 <= excess p r x.
Proof. apply Rmax_l. Qed.

Lemma tokens_there : (0 < V)%nat.
Proof. destruct target_law as [_ One]. destruct V; [simpl in One; lra | lia]. Qed.

Lemma sure_there : ~ 0 < sum V outside -> sure <> [].
Proof.
  intros S E. assert (Z : sum V outside = 0) by (pose proof (sum_nonneg V outside outside_nonneg); lra).
  destruct draft_law as [_ One]. assert (Q : sum V q = sum V outside); [|lra]. apply sum_ext. intros x L. unfold outside.
  destruct (top x) eqn:T; [|easy]. exfalso. assert (In x sure) by now apply in_sure. now rewrite E in H.
Qed.

Lemma in_drafts y x : (y < V)%nat -> existsb (Nat.eqb y) (sure ++ [x]) = (top y || Nat.eqb y x)%bool.
Proof.
  intros L. rewrite existsb_app. simpl. rewrite orb_false_r. f_equal. destruct (top y) eqn:T.
  - apply existsb_exists. exists y. split; [now apply in_sure | apply Nat.eqb_refl].
  - destruct (existsb (Nat.eqb y) sure) eqn:E; [|easy]. apply existsb_exists in E as [z [I E]]. apply Nat.eqb_eq in E as <-.
    apply in_sure in I. destruct I. congruence.
Qed.

Lemma in_only_sure y : (y < V)%nat -> existsb (Nat.eqb y) sure = top y.
Proof.
  intros L. destruct (top y) eqn:T.
  - apply existsb_exists. exists y. split; [now apply in_sure | apply Nat.eqb_refl].
  - destruct (existsb (Nat.eqb y) sure) eqn:E; [|easy]. apply existsb_exists in E as [z [I E]]. apply Nat.eqb_eq in E as <-.
    apply in_sure in I. destruct I. congruence.
Qed.

Lemma last_inside d l : l <> [] -> (forall x, In x l -> (x < V)%nat) -> (last l d < V)%nat.
Proof.
  intros N H. apply H. destruct l as [|x l]; [easy|]. clear N H. revert x. induction l as [|y l IH]; intros x; [now left|].
  right. apply (IH y).
Qed.

Lemma greedy_value f : expect (xs <- greedy_drafts ;; greedy_verification xs) f
  = sum V (fun y => Rmin (p y) (outside_law y) * f (y, true)) + sum V (fun y => excess p outside_law y * f (y, top y)).
Proof.
  rewrite expect_bind. unfold greedy_drafts. destruct (Rlt_dec 0 (sum V outside)) as [S|S].
  - pose proof (outside_law_law S) as O. rewrite expect_bind, expect_draw.
    set (L := sum V (fun y => made_law V (excess p outside_law) p y * f (y, top y))).
    rewrite (sum_ext V _ (fun x => Rmin (p x) (outside_law x) * f (x, true) + (outside_law x - Rmin (p x) (outside_law x)) * L)).
    + rewrite sum_plus, sum_scale_right, sum_minus. f_equal. destruct O as [O0 O1]. rewrite O1.
      change (sum V (fun x => Rmin (p x) (outside_law x))) with (overlap V p outside_law).
      rewrite (refused_is_excess V p outside_law target_law (conj O0 O1)). unfold L. apply made_law_mean. intros; apply excess_nonneg.
    + intros x X. rewrite expect_ret. unfold greedy_verification. rewrite last_last, expect_bind, expect_coin, expect_ret, expect_bind, expect_draw.
      destruct (law_nonneg V _ x O X) as [D|D].
      * destruct (Rlt_dec 0 (outside_law x)); [|easy].
        rewrite <- (keep_mass (p x) (outside_law x)) by (lra || now apply (law_nonneg V)).
        assert (E : (1 - Rmin 1 (p x / outside_law x)) * sum V (fun y => made_law V (excess p outside_law) p y
            * expect (ret (y, existsb (Nat.eqb y) (sure ++ [x]))) f) = (1 - Rmin 1 (p x / outside_law x)) * L); [|].
        { destruct (Req_dec (Rmin 1 (p x / outside_law x)) 1) as [->|N]; [ring|]. f_equal. apply sum_ext. intros y Y. rewrite expect_ret.
          rewrite in_drafts by easy. destruct (Nat.eqb_spec y x) as [->|M]; [|now rewrite orb_false_r].
          assert (Z : excess p outside_law x = 0).
          { apply Rmax_left. destruct (Rle_dec (outside_law x) (p x)) as [H|H]; [|lra]. exfalso. apply N. apply Rmin_left.
            apply (Rmult_le_reg_l (outside_law x)); [easy|].
            replace (outside_law x * (p x / outside_law x)) with (p x) by (field; lra). lra. }
          unfold made_law. rewrite Z. destruct (Rlt_dec 0 (sum V (excess p outside_law))) as [P|P].
          - unfold Rdiv. ring.
          - exfalso. apply N. apply (kept_without_excess V); try easy.
            pose proof (sum_nonneg V (excess p outside_law) (fun y _ => excess_nonneg _ y)). lra. }
        rewrite E. ring.
      * rewrite <- D, (Rmin_right (p x) 0) by now apply (law_nonneg V). ring.
  - rewrite expect_ret. unfold greedy_verification.
    assert (Z : outside_law (last sure 0%nat) = 0).
    { apply nothing_outside; [easy|]. apply last_inside; [now apply sure_there|]. intros x I. now apply in_sure in I. }
    rewrite Z. destruct (Rlt_dec 0 0) as [A|_]; [lra|]. rewrite expect_bind, expect_coin, expect_ret, expect_bind, expect_draw.
    assert (E : forall y, (y < V)%nat -> excess p outside_law y = p y).
    { intros y Y. unfold excess. rewrite nothing_outside by easy. rewrite Rmax_right; [ring|]. pose proof (law_nonneg V p y target_law Y). lra. }
    rewrite (sum_ext V (fun y => Rmin (p y) (outside_law y) * f (y, true)) (fun _ => 0)), sum_zero.
    2: { intros y Y. rewrite nothing_outside, Rmin_right by (easy || now apply (law_nonneg V)). ring. }
    rewrite (sum_ext V (fun y => excess p outside_law y * f (y, top y)) (fun y => p y * f (y, top y))) by (intros y Y; now rewrite E).
    rewrite (sum_ext V _ (fun y => p y * f (y, top y))); [ring|]. intros y Y. rewrite expect_ret, in_only_sure by easy. f_equal.
    unfold made_law. rewrite (sum_ext V _ p E). destruct target_law as [_ One]. rewrite One. destruct (Rlt_dec 0 1); [|lra].
    rewrite E by easy. field.
Qed.

Lemma drafts_shape xs : In xs (outcomes greedy_drafts) ->
  xs <> [] /\ (forall x, In x xs -> (x < V)%nat) /\ forall x, (x < V)%nat -> top x = true -> In x xs.
Proof.
  unfold greedy_drafts. destruct (Rlt_dec 0 (sum V outside)) as [S|S].
  - intros H. apply outcomes_bind in H as [x [X [<-|[]]]]. apply drawn_inside in X. split; [now destruct sure|]. split.
    + intros y I. apply in_app_iff in I as [I|[<-|[]]]; [now apply in_sure in I | easy].
    + intros y Y T. apply in_app_iff. left. now apply in_sure.
  - intros [<-|[]]. split; [now apply sure_there|]. split; [intros y I; now apply in_sure in I | intros y Y T; now apply in_sure].
Qed.

Lemma greedy_weights w xs : In (w, xs) greedy_drafts -> 0 <= w.
Proof.
  assert (P : proper greedy_drafts); [|apply P]. unfold greedy_drafts. destruct (Rlt_dec 0 (sum V outside)) as [S|S]; [|apply proper_ret].
  apply proper_bind; [now apply proper_draw, outside_law_law | intros; apply proper_ret].
Qed.

Lemma greedy_often x : (x < V)%nat ->
  expect greedy_drafts (fun xs => if existsb (Nat.eqb x) xs then 1 else 0) <= if top x then 1 else outside_law x.
Proof.
  intros L. unfold greedy_drafts. destruct (Rlt_dec 0 (sum V outside)) as [S|S].
  - rewrite expect_bind, expect_draw. pose proof (outside_law_law S) as O.
    rewrite (sum_ext V _ (fun z => if top x then outside_law z else if Nat.eqb z x then outside_law z else 0)).
    + destruct (top x); [change (sum V outside_law <= 1); destruct O as [_ ->]; lra | rewrite sum_point by easy; lra].
    + intros z Z. rewrite expect_ret, in_drafts by easy. rewrite (Nat.eqb_sym z x). destruct (top x), (Nat.eqb x z); simpl; ring.
  - rewrite expect_ret, in_only_sure by easy. pose proof (outside_law_nonneg x L). destruct (top x); lra.
Qed.

(** Greedy verification, of the K - 1 most likely tokens for sure and one of the others, emits with law p and attains
    α*(p, greedy) = p(top) + Σ min(p, q̃) over the rest, which no lossless rule for these drafts exceeds. *)
Theorem multi_greedy_attains K : (0 < K)%nat -> is_top V (Nat.min (K - 1) V) q top ->
  (forall y, (y < V)%nat -> chance (xs <- greedy_drafts ;; greedy_verification xs) (fun o => Nat.eqb (fst o) y) = p y) /\
  accepts (xs <- greedy_drafts ;; greedy_verification xs) = greedy_acceptance /\
  is_best_acceptance V p greedy_drafts greedy_acceptance.
Proof.
  intros _ _.
  assert (Lossless : forall y, (y < V)%nat -> chance (xs <- greedy_drafts ;; greedy_verification xs) (fun o => Nat.eqb (fst o) y) = p y).
  { intros y L. unfold chance. rewrite greedy_value, <- sum_plus, <- (sum_point V p y L). apply sum_ext. intros x _. simpl fst.
    unfold indicator. pose proof (min_excess p outside_law x). destruct (Nat.eqb x y); lra. }
  assert (Accepts : accepts (xs <- greedy_drafts ;; greedy_verification xs) = greedy_acceptance).
  { unfold accepts, chance. rewrite greedy_value, <- sum_plus. apply sum_ext. intros x L. unfold indicator. simpl.
    destruct (top x) eqn:T; [|ring]. pose proof (law_nonneg V p x target_law L). unfold excess.
    rewrite outside_top, Rmin_right, Rmax_right by (easy || lra). ring. }
  split; [exact Lossless|]. split; [exact Accepts|]. split.
  - intros decide Rule. eapply Rle_trans.
    { apply (no_rule_accepts_more V p greedy_drafts greedy_weights decide (fun x => if top x then 1 else outside_law x) Rule greedy_often). }
    right. apply sum_ext. intros x L. destruct (top x); [|easy]. apply Rmin_left. now apply (law_le_1 V).
  - exists greedy_verification. split; [|exact Accepts]. split; [|split; [|split; [|exact Lossless]]].
    + intros xs D. destruct (drafts_shape xs D) as [N [I _]]. pose proof (last_inside 0%nat xs N I) as Z. apply proper_bind.
      * apply proper_coin. destruct (Rlt_dec 0 (outside_law (last xs 0%nat))); [|lra].
        apply keep_range; [now apply (law_nonneg V) | easy].
      * intros [|] _; [apply proper_ret|]. apply proper_bind; [|intros; apply proper_ret]. apply proper_draw, made_law_law; [|easy].
        intros; apply excess_nonneg.
    + intros xs x D H. destruct (drafts_shape xs D) as [N [I _]]. apply outcomes_bind in H as [[|] [_ H]].
      * destruct H as [E|[]]. inversion E. now apply last_in.
      * apply outcomes_bind in H as [y [_ [E|[]]]]. inversion E; subst. rewrite H1 in *. apply existsb_exists in H1 as [z [J Q]].
        now apply Nat.eqb_eq in Q as ->.
    + intros xs o D H. destruct (drafts_shape xs D) as [N [I _]]. apply outcomes_bind in H as [[|] [_ H]].
      * destruct H as [<-|[]]. now apply last_inside.
      * apply outcomes_bind in H as [y [Y [<-|[]]]]. now apply drawn_inside in Y.
Qed.

End Greedy.

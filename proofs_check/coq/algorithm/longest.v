(** Block verification accepts at least as many drafts as token verification, and as many as any lossless verifier. *)

Require Import Reals Lra Lia List Arith Bool.
Require Import laws lossless block several.
Import ListNotations.
Open Scope R_scope.

Section Longest.

Variable V : nat.
Variables target draft : list nat -> nat -> R.
Hypothesis target_law : forall text, law V (target text).
Hypothesis draft_law : forall text, law V (draft text).

(** The mean number of accepted drafts of a call, which emits them and one token more. *)
Definition accepted_on_average (stop : list nat -> list nat -> bool) (verifier : list nat -> list nat -> program (list nat))
    (gamma : nat) (text : list nat) : R :=
  expect (drafts V draft stop gamma text []) (fun xs => expect (verifier text xs) (fun ys => INR (length ys - 1))).

Section Stopped.

Variable stop : list nat -> list nat -> bool.

Notation further := (further target draft).
Notation longest := (longest V target draft).

Lemma longest_emits xs : forall r text ys, In (Some ys) (outcomes (longest r text xs)) -> ys <> [].
Proof.
  induction xs as [|x xs IH]; intros r text ys H; cbn [block.longest] in H.
  - apply outcomes_bind in H as [[|] [_ H]]; [|now destruct H as [H|[]]].
    apply outcomes_bind in H as [y [_ [E|[]]]]. now inversion E.
  - apply outcomes_bind in H as [[zs|] [_ H]]; [destruct H as [E|[]]; now inversion E|].
    apply outcomes_bind in H as [[|] [_ H]]; [|now destruct H as [H|[]]].
    apply outcomes_bind in H as [y [_ [E|[]]]]. now inversion E.
Qed.

Lemma further_always r text x : 0 <= r -> (x < V)%nat -> 0 <= further r text x <= 1.
Proof.
  intros R L. split; [|apply Rmin_l]. apply Rmin_glb; [lra|]. destruct (law_nonneg V _ x (draft_law text) L) as [D|D].
  - apply Rmult_le_pos; [apply Rmult_le_pos; [exact R | now apply (law_nonneg V)] | left; now apply Rinv_0_lt_compat].
  - rewrite <- D. unfold Rdiv. rewrite Rinv_0. lra.
Qed.

(** What a prefix that counts r has still before it: each draft that is gone on with, counted. *)
Fixpoint ahead (gamma : nat) (r : R) (text made : list nat) : R :=
  match gamma with
  | O => 0
  | S g => if stop text made then 0
           else sum V (fun x => draft text x * (further r text x + ahead g (further r text x) (x :: text) (x :: made)))
  end.

Lemma longest_mean gamma : forall r text made, 0 <= r <= 1 ->
  expect (drafts V draft stop gamma text made) (fun xs => expect (longest r text xs) (value (fun ys => INR (length ys - 1)) 0))
    = ahead gamma r text made.
Proof.
  assert (Bonus : forall r text, expect (longest r text []) (value (fun ys => INR (length ys - 1)) 0) = 0).
  { intros r text. rewrite longest_nil. simpl. rewrite (sum_ext V _ (fun _ => 0)), sum_zero by (intros; ring). ring. }
  induction gamma as [|g IH]; intros r text made R; cbn [drafts ahead]; [rewrite expect_ret; apply Bonus|].
  destruct (stop text made); [rewrite expect_ret; apply Bonus|]. rewrite expect_bind, expect_draw. apply sum_ext. intros x L.
  f_equal. rewrite expect_bind. pose proof (further_always r text x (proj1 R) L) as F. set (s := further r text x) in *.
  rewrite (expect_ext _ _ (fun xs => expect (longest s (x :: text) xs) (value (fun _ => 1) 0)
    + expect (longest s (x :: text) xs) (value (fun ys => INR (length ys - 1)) 0))).
  - rewrite expect_plus, IH by exact F. f_equal.
    pose proof (longest_value V target draft stop target_law draft_law g (fun _ => 1) 0 (x :: text) (x :: made) s 0 F) as E.
    rewrite rest_full, Rmult_0_r, Rplus_0_r, Rmult_1_r in E. etransitivity; [|exact E]. apply expect_ext. intros xs.
    apply expect_ext. intros [ys|]; [|easy]. simpl. now rewrite rest_full.
  - intros xs. rewrite expect_ret, longest_cons, <- expect_plus. fold s. apply expect_ext_in. intros [ys|] H; simpl.
    + apply longest_emits in H. destruct ys as [|y ys]; [easy|]. cbn [length]. rewrite !Nat.sub_succ, !Nat.sub_0_r, S_INR. ring.
    + rewrite (sum_ext V _ (fun _ => 0)), sum_zero by (intros; ring). ring.
Qed.

Lemma block_mean gamma text : accepted_on_average stop (block V target draft) gamma text = ahead gamma 1 text [].
Proof.
  rewrite <- longest_mean by lra. apply expect_ext. intros xs. unfold block. rewrite expect_bind. apply expect_ext.
  intros [ys|]; [now rewrite expect_ret|]. rewrite expect_bind, expect_draw. simpl.
  rewrite (sum_ext V _ (fun _ => 0)), sum_zero by (intros; ring). easy.
Qed.

Lemma drafts_weights gamma : forall text made w xs, In (w, xs) (drafts V draft stop gamma text made) ->
  0 <= w /\ Forall (fun x => (x < V)%nat) xs /\ (length xs <= gamma)%nat.
Proof.
  induction gamma as [|g IH]; intros text made w xs H; cbn [drafts] in H.
  - destruct H as [E|[]]. inversion E; subst. repeat split; [lra | constructor | easy].
  - destruct (stop text made); [destruct H as [E|[]]; inversion E; subst; repeat split; [lra | constructor | simpl; lia]|].
    unfold bind in H. apply in_flat_map in H as [[v x] [D H]]. apply in_map_iff in H as [[u ys] [E H]].
    apply in_flat_map in H as [[t zs] [I H]]. apply in_map_iff in H as [[s rs] [F H]]. destruct H as [H|[]].
    inversion H; subst. inversion F; subst. inversion E; subst. apply in_map_iff in D as [y [G S]]. apply in_seq in S.
    inversion G; subst. simpl in *. destruct (IH _ _ _ _ I) as [W [Tokens Most]].
    assert (0 <= draft text x) by (apply (law_nonneg V); [easy | lia]).
    repeat split; [rewrite Rmult_1_r; now apply Rmult_le_pos | constructor; [lia | exact Tokens] | simpl; lia].
Qed.

Definition token_accepted (gamma : nat) (text made : list nat) : R :=
  expect (drafts V draft stop gamma text made) (fun xs => expect (verify V target draft text xs) (fun ys => INR (length ys - 1))).

Definition keeps (text : list nat) (x : nat) : R := Rmin 1 (target text x / draft text x).

Lemma token_none text : expect (verify V target draft text []) (fun ys => INR (length ys - 1)) = 0.
Proof.
  cbn [verify]. rewrite expect_bind, expect_draw, (sum_ext V _ (fun _ => 0)), sum_zero; [easy|].
  intros y _. rewrite expect_ret. simpl. ring.
Qed.

Lemma token_next g text made : stop text made = false -> token_accepted (S g) text made
  = sum V (fun x => draft text x * (keeps text x * (1 + token_accepted g (x :: text) (x :: made)))).
Proof.
  intros Go. unfold token_accepted at 1. cbn [drafts]. rewrite Go, expect_bind, expect_draw. apply sum_ext. intros x L. f_equal.
  rewrite expect_bind.
  assert (One : expect (drafts V draft stop g (x :: text) (x :: made))
    (fun xs => expect (verify V target draft (x :: text) xs) (fun _ => 1)) = 1).
  { pose proof (round_value V target draft stop target_law draft_law g (fun _ => 1) 0 (x :: text) (x :: made)) as E.
    rewrite rest_full in E. etransitivity; [|exact E]. apply expect_ext. intros xs. apply expect_ext. intros ys.
    now rewrite rest_full. }
  transitivity (keeps text x * (expect (drafts V draft stop g (x :: text) (x :: made))
    (fun xs => expect (verify V target draft (x :: text) xs) (fun _ => 1)) + token_accepted g (x :: text) (x :: made)));
    [|now rewrite One].
  unfold token_accepted. rewrite <- expect_plus, <- expect_scale. apply expect_ext. intros xs.
  rewrite expect_ret, verify_cons. fold (keeps text x).
  rewrite (sum_ext V (fun y => residual V (target text) (draft text) y * INR (length [y] - 1)) (fun _ => 0)), sum_zero
    by (intros; simpl; ring).
  rewrite (expect_ext_in _ _ (fun ys => 1 + INR (length ys - 1))); [rewrite expect_plus; ring|].
  intros ys H. apply verify_emits in H. destruct ys as [|y ys]; [easy|]. cbn [length].
  rewrite !Nat.sub_succ, !Nat.sub_0_r, S_INR. ring.
Qed.

Lemma keeps_range text x : (x < V)%nat -> 0 <= keeps text x <= 1.
Proof.
  intros L. pose proof (further_always 1 text x ltac:(lra) L) as F. unfold block.further in F. now rewrite Rmult_1_l in F.
Qed.

Lemma token_nonneg gamma : forall text made, 0 <= token_accepted gamma text made.
Proof.
  induction gamma as [|g IH]; intros text made.
  - unfold token_accepted. cbn [drafts]. rewrite expect_ret, token_none. lra.
  - destruct (stop text made) eqn:Go.
    + unfold token_accepted. cbn [drafts]. rewrite Go, expect_ret, token_none. lra.
    + rewrite token_next by exact Go. apply sum_nonneg. intros x L. specialize (IH (x :: text) (x :: made)).
      apply Rmult_le_pos; [now apply (law_nonneg V)|]. apply Rmult_le_pos; [now apply keeps_range | lra].
Qed.

Lemma token_mean gamma : forall r text made, 0 <= r <= 1 -> r * token_accepted gamma text made <= ahead gamma r text made.
Proof.
  induction gamma as [|g IH]; intros r text made R.
  - unfold token_accepted. cbn [drafts ahead]. rewrite expect_ret, token_none. lra.
  - destruct (stop text made) eqn:Go.
    + unfold token_accepted. cbn [drafts ahead]. rewrite Go, expect_ret, token_none. lra.
    + rewrite token_next by exact Go. cbn [ahead]. rewrite Go, <- sum_scale. apply sum_le. intros x L.
      pose proof (law_nonneg V _ x (draft_law text) L) as Q. pose proof (keeps_range text x L) as A.
      pose proof (further_always r text x (proj1 R) L) as F. set (s := further r text x) in *. set (a := keeps text x) in *.
      set (T := token_accepted g (x :: text) (x :: made)) in *.
      replace (r * (draft text x * (a * (1 + T)))) with (draft text x * (r * a * (1 + T))) by ring.
      apply Rmult_le_compat_l; [exact Q|].
      assert (RA : r * a <= s).
      { unfold s, block.further, a, keeps. apply Rmin_glb; [fold (keeps text x); fold a; nra|].
        apply (Rle_trans _ (r * (target text x / draft text x))).
        - apply Rmult_le_compat_l; [lra | apply Rmin_r].
        - right. unfold Rdiv. ring. }
      assert (T0 : 0 <= T) by apply token_nonneg.
      specialize (IH s (x :: text) (x :: made) F). fold T in IH.
      assert (r * a * (1 + T) <= s * (1 + T)) by (apply Rmult_le_compat_r; lra). lra.
Qed.

(** Block verification accepts on average at least as many drafts as token verification, whatever ends drafting early. *)
Theorem block_never_worse gamma text :
  accepted_on_average stop (verify V target draft) gamma text <= accepted_on_average stop (block V target draft) gamma text.
Proof.
  rewrite block_mean. pose proof (token_mean gamma 1 text [] ltac:(lra)) as L. rewrite Rmult_1_l in L. exact L.
Qed.

End Stopped.

(** * Any lossless verifier *)

Section Any.

Variable gamma : nat.
Variable text : list nat.
Variable decide : list nat -> program (list nat).

Notation drawn_lists := (drafts V draft never gamma text []).
Notation mean_of f := (expect drawn_lists (fun xs => expect (decide xs) f)).

(** A verifier for γ drafts after a text: its coins are probabilities; it emits some of the first drafts and one token more; and
    what it emits, continued by the target, has the target's law. *)
Definition is_lossless_verifier : Prop :=
  (forall xs, proper (decide xs)) /\
  (forall w xs ys, In (w, xs) drawn_lists -> In ys (outcomes (decide xs)) ->
    exists i y, (i <= length xs)%nat /\ (y < V)%nat /\ ys = firstn i xs ++ [y]) /\
  (forall n f, mean_of (rest V target f n text) = expect (sample V target n text) f).

Hypothesis lossless : is_lossless_verifier.

Fixpoint starts (p ys : list nat) : bool :=
  match p, ys with [], _ => true | _ :: _, [] => false | a :: p', b :: ys' => Nat.eqb a b && starts p' ys' end.

(** Probability that the target, or the draft, goes on with p. *)
Fixpoint path_probability (model : list nat -> nat -> R) (p before : list nat) : R :=
  match p with [] => 1 | x :: q => model before x * path_probability model q (x :: before) end.

Lemma probability_snoc model p x : forall before,
  path_probability model (p ++ [x]) before = path_probability model p before * model (rev p ++ before) x.
Proof.
  induction p as [|a p IH]; intros before; [simpl; ring|]. cbn [app path_probability rev]. rewrite IH, <- app_assoc. simpl. ring.
Qed.

(** What is expected, once ys is emitted, of the test whether the text goes on with p. *)
Fixpoint follow (p ys before : list nat) : R :=
  match p, ys with
  | [], _ => 1
  | _ :: _, [] => path_probability target p before
  | a :: p', b :: ys' => if Nat.eqb a b then follow p' ys' (a :: before) else 0
  end.

Definition same (s s' : list nat) : R := if list_eq_dec Nat.eq_dec s s' then 1 else 0.

Lemma sample_ends n : forall before s, In s (outcomes (sample V target n before)) -> exists u, length u = n /\ s = u ++ before.
Proof.
  induction n as [|n IH]; intros before s H; cbn [sample] in H.
  - destruct H as [<-|[]]. now exists [].
  - apply outcomes_bind in H as [x [_ H]]. apply IH in H as [u [L ->]]. exists (u ++ [x]). rewrite app_length, L, <- app_assoc.
    simpl. split; [lia | easy].
Qed.

Lemma other_end p n x y before : x <> y -> length p = n ->
  expect (sample V target n (y :: before)) (fun s => same s (rev p ++ x :: before)) = 0.
Proof.
  intros N L. apply expect_zero. intros s H. apply sample_ends in H as [u [U ->]]. unfold same.
  destruct (list_eq_dec Nat.eq_dec (u ++ y :: before) (rev p ++ x :: before)) as [E|]; [|easy]. exfalso.
  assert (D : u ++ [y] = rev p ++ [x]).
  { apply (app_inv_tail before). rewrite <- !app_assoc. exact E. }
  apply app_inj_tail in D as [_ D]. now apply N.
Qed.

Lemma sample_probability p : forall before, Forall (fun x => (x < V)%nat) p ->
  expect (sample V target (length p) before) (fun s => same s (rev p ++ before)) = path_probability target p before.
Proof.
  induction p as [|x p IH]; intros before F; cbn [length sample path_probability].
  - rewrite expect_ret. unfold same. destruct (list_eq_dec Nat.eq_dec before (rev [] ++ before)) as [|N]; [easy | now elim N].
  - inversion F as [|? ? X F']; subst. rewrite expect_bind, expect_draw, <- IH by exact F'.
    rewrite <- (sum_point V (fun y => target before y *
      expect (sample V target (length p) (y :: before)) (fun s => same s (rev p ++ x :: before))) x X).
    apply sum_ext. intros y _. cbn [rev]. rewrite <- app_assoc. simpl app.
    destruct (Nat.eqb_spec y x) as [->|N]; [easy|].
    rewrite other_end; [ring | now apply not_eq_sym | easy].
Qed.

Lemma rest_follow p : forall ys before, Forall (fun x => (x < V)%nat) p ->
  rest V target (fun s => same s (rev p ++ before)) (length p) before ys = follow p ys before.
Proof.
  induction p as [|x p IH]; intros ys before F.
  - simpl length. rewrite rest_full. unfold same. simpl.
    destruct (list_eq_dec Nat.eq_dec before before) as [|N]; [now destruct ys | now elim N].
  - inversion F as [|? ? X F']; subst. destruct ys as [|y ys]; cbn [follow].
    + rewrite rest_none. now apply sample_probability.
    + cbn [length]. rewrite rest_cons. cbn [rev]. rewrite <- app_assoc. simpl app.
      destruct (Nat.eqb_spec x y) as [->|N]; [now apply IH|].
      unfold rest. apply expect_zero. intros s H. apply sample_ends in H as [u [U ->]]. unfold same, extended.
      destruct (list_eq_dec Nat.eq_dec (u ++ rev (firstn (length p) ys) ++ y :: before) (rev p ++ x :: before)) as [E|]; [|easy].
      exfalso. assert (D : (u ++ rev (firstn (length p) ys)) ++ [y] = rev p ++ [x]).
      { apply (app_inv_tail before). rewrite <- !app_assoc. exact E. }
      apply app_inj_tail in D as [_ D]. now apply N.
Qed.

Lemma mean_follow p : Forall (fun x => (x < V)%nat) p -> mean_of (fun ys => follow p ys text) = path_probability target p text.
Proof.
  intros F. destruct lossless as [_ [_ L]]. rewrite <- (sample_probability p text F), <- L.
  apply expect_ext. intros xs. apply expect_ext. intros ys. symmetry. now apply rest_follow.
Qed.

(** Emitted beyond p; p and more is emitted. *)
Definition kept_beyond (p : list nat) : R := mean_of (fun ys => indicator (starts p ys && Nat.ltb (length p) (length ys))).
Definition reached (p : list nat) : R := mean_of (fun ys => indicator (starts p ys)).

Lemma follow_snoc p x : forall ys before, follow (p ++ [x]) ys before
  = target (rev p ++ before) x * (follow p ys before - indicator (starts p ys && Nat.ltb (length p) (length ys)))
    + indicator (starts (p ++ [x]) ys).
Proof.
  induction p as [|a p IH]; intros ys before.
  - destruct ys as [|y ys]; simpl; unfold indicator; [simpl; ring|].
    destruct (Nat.eqb x y); destruct ys; simpl; ring.
  - destruct ys as [|y ys].
    + cbn [app follow starts andb]. unfold indicator. change (a :: p ++ [x]) with ((a :: p) ++ [x]). rewrite probability_snoc. ring.
    + cbn [app follow starts rev length]. destruct (Nat.eqb a y); cbn [andb].
      * rewrite IH, <- app_assoc. simpl app. change (Nat.ltb (S (length p)) (S (length ys))) with (Nat.ltb (length p) (length ys)).
        easy.
      * unfold indicator. ring.
Qed.

Lemma mean_plus f g : mean_of (fun ys => f ys + g ys) = mean_of f + mean_of g.
Proof. rewrite <- expect_plus. apply expect_ext. intros xs. apply expect_plus. Qed.

Lemma mean_scale c f : mean_of (fun ys => c * f ys) = c * mean_of f.
Proof. rewrite <- expect_scale. apply expect_ext. intros xs. apply expect_scale. Qed.

Lemma mean_ext f g : (forall ys, f ys = g ys) -> mean_of f = mean_of g.
Proof. intros H. apply expect_ext. intros xs. apply expect_ext. exact H. Qed.

(** What is emitted beyond p goes on as the target says. *)
Lemma reached_next p x : Forall (fun x => (x < V)%nat) p -> (x < V)%nat ->
  reached (p ++ [x]) = target (rev p ++ text) x * kept_beyond p.
Proof.
  intros F X. assert (F' : Forall (fun x => (x < V)%nat) (p ++ [x])) by (apply Forall_app; split; [exact F | now constructor]).
  pose proof (mean_follow _ F') as A. pose proof (mean_follow _ F) as B. rewrite probability_snoc in A.
  rewrite (mean_ext _ _ (fun ys => follow_snoc p x ys text)) in A. rewrite mean_plus in A. fold (reached (p ++ [x])) in A.
  rewrite mean_scale in A.
  rewrite (mean_ext (fun ys => follow p ys text - indicator (starts p ys && Nat.ltb (length p) (length ys)))
    (fun ys => follow p ys text + -1 * indicator (starts p ys && Nat.ltb (length p) (length ys)))) in A by (intros; ring).
  rewrite mean_plus, mean_scale, B in A. fold (kept_beyond p) in A. lra.
Qed.

Lemma mean_le f g : (forall w xs ys, In (w, xs) drawn_lists -> In ys (outcomes (decide xs)) -> f ys <= g ys) -> mean_of f <= mean_of g.
Proof.
  intros H. destruct lossless as [Proper _].
  assert (W : forall d : program (list nat), (forall w xs, In (w, xs) d -> In (w, xs) drawn_lists) ->
    expect d (fun xs => expect (decide xs) f) <= expect d (fun xs => expect (decide xs) g)).
  { induction d as [|[w xs] d IH]; intros I; simpl; [lra|]. assert (In (w, xs) drawn_lists) by (apply I; now left).
    destruct (drafts_weights never gamma text [] w xs H0) as [W _].
    assert (expect (decide xs) f <= expect (decide xs) g).
    { apply expect_le_in; [apply (Proper xs) | intros ys; now apply (H w)]. }
    assert (w * expect (decide xs) f <= w * expect (decide xs) g) by now apply Rmult_le_compat_l.
    assert (expect d (fun xs => expect (decide xs) f) <= expect d (fun xs => expect (decide xs) g))
      by (apply IH; intros v us V'; apply I; now right). lra. }
  now apply W.
Qed.

Lemma mean_eq f g : (forall w xs ys, In (w, xs) drawn_lists -> In ys (outcomes (decide xs)) -> f ys = g ys) -> mean_of f = mean_of g.
Proof. intros H. apply Rle_antisym; apply mean_le; intros w xs ys A B; rewrite (H w xs ys A B); lra. Qed.

Lemma indicator_range b : 0 <= indicator b <= 1.
Proof. destruct b; simpl; lra. Qed.

Lemma mean_nonneg f : (forall ys, 0 <= f ys) -> 0 <= mean_of f.
Proof.
  intros H. apply (Rle_trans _ (mean_of (fun _ => 0))); [|apply mean_le; intros; apply H].
  rewrite (expect_ext _ _ (fun _ => 0)) by (intros; rewrite expect_const; ring). rewrite expect_const. lra.
Qed.

Lemma drafts_start n p : forall before made, (length p <= n)%nat -> Forall (fun x => (x < V)%nat) p ->
  expect (drafts V draft never n before made) (fun xs => indicator (starts p xs)) = path_probability draft p before.
Proof.
  revert p. induction n as [|n IH]; intros [|x p] before made L F; try (simpl in L; lia).
  - simpl. ring.
  - simpl path_probability. rewrite (expect_ext _ _ (fun _ => 1)) by easy. apply drafts_sure. exact draft_law.
  - inversion F as [|? ? X F']; subst. cbn [drafts path_probability]. unfold never at 1. rewrite expect_bind, expect_draw.
    rewrite <- (sum_point V (fun y => draft before y * path_probability draft p (x :: before)) x X). apply sum_ext. intros y _.
    rewrite expect_bind. rewrite (expect_ext _ _ (fun xs => indicator (Nat.eqb x y && starts p xs))) by (intros; now rewrite expect_ret).
    rewrite (Nat.eqb_sym y x). destruct (Nat.eqb_spec x y) as [<-|N].
    + simpl. rewrite IH by (simpl in L; lia || easy). easy.
    + simpl. rewrite expect_const. ring.
Qed.

Lemma starts_firstn p : forall i xs y, starts p (firstn i xs ++ [y]) = true -> (length p <= i)%nat -> (i <= length xs)%nat ->
  starts p xs = true.
Proof.
  induction p as [|a p IH]; intros [|i] [|b xs] y S L I; simpl in *; try easy; try lia.
  apply andb_true_iff in S as [E S]. apply andb_true_iff. split; [exact E|]. apply (IH i xs y S); lia.
Qed.

Lemma kept_at_most_drawn p : (length p <= gamma)%nat -> Forall (fun x => (x < V)%nat) p -> kept_beyond p <= path_probability draft p text.
Proof.
  intros L F. rewrite <- (drafts_start gamma p text [] L F). destruct lossless as [Proper [Emits _]].
  assert (W : forall d : program (list nat), (forall w xs, In (w, xs) d -> In (w, xs) drawn_lists) ->
    expect d (fun xs => expect (decide xs) (fun ys => indicator (starts p ys && Nat.ltb (length p) (length ys))))
      <= expect d (fun xs => indicator (starts p xs))).
  { induction d as [|[w xs] d IH]; intros I; simpl; [lra|]. assert (D : In (w, xs) drawn_lists) by (apply I; now left).
    destruct (drafts_weights never gamma text [] w xs D) as [W _].
    assert (B : expect (decide xs) (fun ys => indicator (starts p ys && Nat.ltb (length p) (length ys))) <= indicator (starts p xs)).
    { destruct (Proper xs) as [Weights One]. rewrite <- (Rmult_1_l (indicator (starts p xs))), <- One, <- expect_const.
      apply expect_le_in; [exact Weights|]. intros ys Y. destruct (Emits w xs ys D Y) as [i [y [Li [_ ->]]]].
      destruct (starts p (firstn i xs ++ [y])) eqn:S; [|apply indicator_range].
      rewrite app_length, firstn_length_le by exact Li. simpl. destruct (Nat.ltb_spec (length p) (i + 1)) as [A|A]; [|apply indicator_range].
      rewrite (starts_firstn p i xs y S) by lia. lra. }
    assert (w * expect (decide xs) (fun ys => indicator (starts p ys && Nat.ltb (length p) (length ys))) <= w * indicator (starts p xs))
      by now apply Rmult_le_compat_l.
    specialize (IH (fun v us U => I v us (or_intror U))). lra. }
  now apply W.
Qed.

(** Drafts that are accepted beyond p. *)
Definition accepted_beyond (p : list nat) : R := mean_of (fun ys => indicator (starts p ys) * INR (length ys - 1 - length p)).

Lemma beyond_next p : accepted_beyond p = sum V (fun x => kept_beyond (p ++ [x]) + accepted_beyond (p ++ [x])).
Proof.
  unfold kept_beyond, accepted_beyond.
  assert (Swap : forall (f : nat -> list nat -> R) n, sum n (fun x => mean_of (f x)) = mean_of (fun ys => sum n (fun x => f x ys))).
  { intros f. induction n as [|n IH].
    - simpl. rewrite (expect_ext _ _ (fun _ => 0)) by (intros; rewrite expect_const; ring). rewrite expect_const. ring.
    - cbn [sum]. rewrite IH. symmetry. apply mean_plus. }
  rewrite (sum_ext V _ (fun x => mean_of (fun ys => indicator (starts (p ++ [x]) ys && Nat.ltb (length (p ++ [x])) (length ys))
    + indicator (starts (p ++ [x]) ys) * INR (length ys - 1 - length (p ++ [x]))))) by (intros; symmetry; apply mean_plus).
  rewrite Swap. apply mean_eq. intros w xs ys D Y. destruct lossless as [_ [Emits _]].
  destruct (drafts_weights never gamma text [] w xs D) as [_ [Tokens _]].
  assert (T : Forall (fun x => (x < V)%nat) ys).
  { destruct (Emits w xs ys D Y) as [i [y [_ [Ly ->]]]]. apply Forall_app. split; [|now constructor].
    rewrite Forall_forall in *. intros x I. apply Tokens. rewrite <- (firstn_skipn i xs). apply in_or_app. now left. }
  clear - T. revert ys T. induction p as [|a p IH]; intros ys T.
  - destruct ys as [|y ys]; simpl app; cbn [starts].
    + simpl. rewrite (sum_ext V _ (fun _ => 0)), sum_zero by (intros; unfold indicator; simpl; ring). ring.
    + inversion T as [|? ? Y T']; subst.
      rewrite (sum_ext V _ (fun x => if Nat.eqb x y then indicator (Nat.ltb 1 (S (length ys))) + INR (S (length ys) - 1 - 1) else 0)).
      * rewrite (sum_point V (fun _ => indicator (Nat.ltb 1 (S (length ys))) + INR (S (length ys) - 1 - 1)) y Y).
        cbn [length]. rewrite Nat.sub_succ, !Nat.sub_0_r. unfold indicator. destruct ys as [|z ys]; [simpl; ring|].
        cbn [length]. replace (Nat.ltb 1 (S (S (length ys)))) with true by (symmetry; apply Nat.ltb_lt; lia).
        rewrite Nat.sub_succ, Nat.sub_0_r, S_INR. ring.
      * intros x _. cbn [length]. destruct (Nat.eqb x y); unfold indicator; simpl; [|ring].
        destruct ys; simpl; rewrite ?Rmult_1_l; easy || ring.
  - destruct ys as [|y ys]; simpl app; cbn [starts].
    + rewrite (sum_ext V _ (fun _ => 0)), sum_zero by (intros; unfold indicator; simpl; ring). unfold indicator. ring.
    + inversion T as [|? ? Y T']; subst. destruct (Nat.eqb a y); cbn [andb length].
      * specialize (IH ys T'). rewrite !Nat.sub_succ, Nat.sub_0_r in *. destruct ys as [|z ys].
        -- rewrite (sum_ext V _ (fun _ => 0)), sum_zero; [simpl; rewrite Rmult_0_r; ring|].
           intros x _. rewrite app_length. simpl length. replace (length p + 1)%nat with (S (length p)) by lia.
           destruct p; simpl; unfold indicator; ring.
        -- cbn [length] in *. rewrite !Nat.sub_succ, !Nat.sub_0_r in *.
           replace (S (length ys) - S (length p))%nat with (length ys - length p)%nat in * by lia. rewrite IH.
           apply sum_ext. intros x _. rewrite app_length. simpl length. replace (length p + 1)%nat with (S (length p)) by lia.
           change (Nat.ltb (S (S (length p))) (S (S (length ys)))) with (Nat.ltb (S (length p)) (S (length ys))).
           easy.
      * rewrite (sum_ext V _ (fun _ => 0)), sum_zero by (intros; unfold indicator; simpl; ring). unfold indicator. ring.
Qed.

Lemma beyond_most g : forall p r made, (length p + g = gamma)%nat -> Forall (fun x => (x < V)%nat) p -> 0 <= r <= 1 ->
  kept_beyond p <= path_probability draft p text * r ->
  accepted_beyond p <= path_probability draft p text * ahead never g r (rev p ++ text) made.
Proof.
  assert (Positive : forall p before, Forall (fun x => (x < V)%nat) p -> 0 <= path_probability draft p before).
  { induction p as [|x p IH]; intros before F; simpl; [lra|]. inversion F; subst.
    apply Rmult_le_pos; [now apply (law_nonneg V) | now apply IH]. }
  induction g as [|g IH]; intros p r made L F R Kept.
  - cbn [ahead]. rewrite Rmult_0_r. apply (Rle_trans _ (mean_of (fun _ => 0))).
    + apply mean_le. intros w xs ys D Y. destruct lossless as [_ [Emits _]].
      destruct (drafts_weights never gamma text [] w xs D) as [_ [_ Most]].
      destruct (Emits w xs ys D Y) as [i [y [Li [_ ->]]]]. rewrite app_length, firstn_length_le by exact Li.
      replace (i + length [y] - 1 - length p)%nat with 0%nat by (simpl; lia). simpl. lra.
    + rewrite (expect_ext _ _ (fun _ => 0)) by (intros; rewrite expect_const; ring). rewrite expect_const. lra.
  - cbn [ahead]. unfold never at 1. rewrite beyond_next, <- sum_scale. apply sum_le. intros x X.
    set (before := rev p ++ text) in *. set (s := block.further target draft r before x).
    assert (F' : Forall (fun x => (x < V)%nat) (p ++ [x])) by (apply Forall_app; split; [exact F | now constructor]).
    pose proof (further_always r before x (proj1 R) X) as S. fold s in S.
    assert (P : path_probability draft (p ++ [x]) text = path_probability draft p text * draft before x) by apply probability_snoc.
    assert (Mass : draft before x * s = Rmin (r * target before x) (draft before x)).
    { apply keep_mass; [apply Rmult_le_pos; [lra | now apply (law_nonneg V)] | now apply (law_nonneg V)]. }
    assert (Next : kept_beyond (p ++ [x]) <= path_probability draft (p ++ [x]) text * s).
    { rewrite P, Rmult_assoc, Mass. unfold Rmin. destruct (Rle_dec (r * target before x) (draft before x)).
      - apply (Rle_trans _ (reached (p ++ [x]))).
        + apply mean_le. intros w xs ys _ _. destruct (starts (p ++ [x]) ys); simpl; [apply indicator_range | unfold indicator; lra].
        + rewrite reached_next by easy. fold before.
          apply (Rle_trans _ (target before x * (path_probability draft p text * r))); [|right; ring].
          apply Rmult_le_compat_l; [now apply (law_nonneg V) | exact Kept].
      - rewrite <- P. apply kept_at_most_drawn; [rewrite app_length; simpl; lia | exact F']. }
    pose proof (IH (p ++ [x]) s (x :: made) ltac:(rewrite app_length; simpl; lia) F' S Next) as M.
    rewrite rev_app_distr in M. simpl app in M. fold before in M. rewrite P in *.
    replace (path_probability draft p text * (draft before x * (s + ahead never g s (x :: before) (x :: made))))
      with (path_probability draft p text * draft before x * s + path_probability draft p text * draft before x
        * ahead never g s (x :: before) (x :: made)) by ring. lra.
Qed.

(** No lossless verifier that emits some of the first drafts and one token more accepts on average more drafts than block
    verification, whatever else it decides by. *)
Theorem block_optimal : mean_of (fun ys => INR (length ys - 1)) <= accepted_on_average never (block V target draft) gamma text.
Proof.
  assert (E : accepted_beyond [] = mean_of (fun ys => INR (length ys - 1))).
  { apply mean_ext. intros ys. cbn [starts length]. unfold indicator. rewrite Nat.sub_0_r. ring. }
  rewrite <- E, block_mean, <- (Rmult_1_l (ahead never gamma 1 text [])).
  apply (beyond_most gamma [] 1 [] eq_refl (Forall_nil _) ltac:(lra)). rewrite Rmult_1_r.
  apply kept_at_most_drawn; [simpl; lia | constructor].
Qed.

End Any.
End Longest.

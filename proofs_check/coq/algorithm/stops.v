(** Drafts that end early, by rules that see some of the drafted tokens: texts that are written call after call. *)

Require Import Reals Lra Lia List Arith.
Require Import laws lossless block several longest.
Import ListNotations.
Open Scope R_scope.

Lemma ret_sure {A} (a : A) : expect (ret a) (fun _ => 1) = 1.
Proof. simpl. ring. Qed.

Section Calls.

Variable V : nat.
Variable target : list nat -> nat -> R.
Hypothesis target_law : forall text, law V (target text).

(** Calls, each of which emits some tokens after the text so far, until n are there. *)
Fixpoint calls (call : list nat -> program (list nat)) (most n : nat) (text : list nat) : program (list nat) :=
  match most, n with
  | S more, S _ => ys <- call text ;; calls call more (n - length ys) (extended n ys text)
  | _, _ => ret text
  end.

(** What a call emits, followed by the target alone, is the target alone. *)
Definition faithful (d : program (list nat)) (text : list nat) : Prop :=
  forall f n, expect d (rest V target f n text) = rest V target f n text [].

Lemma faithful_calls call f : (forall text, faithful (call text) text) ->
  (forall text ys, In ys (outcomes (call text)) -> ys <> []) ->
  forall most n text, (n <= most)%nat -> expect (calls call most n text) f = expect (sample V target n text) f.
Proof.
  intros Faithful Emits. induction most as [|more IH]; intros [|n] text L; [easy | lia | easy|].
  cbn [calls]. rewrite expect_bind, <- (rest_none V target f (S n)), <- (Faithful text).
  apply expect_ext_in. intros ys H. apply Emits in H. unfold rest. apply IH. destruct ys; [easy|]. simpl. lia.
Qed.

Lemma bonus text : faithful (y <- draw V (target text) ;; ret [y]) text.
Proof.
  intros f n. rewrite expect_bind, expect_draw, <- (rest_mean V target target_law). apply sum_ext. intros y _.
  now rewrite expect_ret.
Qed.

Lemma after_token d x text : faithful d (x :: text) ->
  forall f n, expect d (fun ys => rest V target f n text (x :: ys)) = rest V target f n text [x].
Proof.
  intros F f [|n].
  - transitivity (expect d (rest V target (fun _ => f text) 0 (x :: text))).
    + apply expect_ext. intros ys. now rewrite !rest_full.
    + rewrite F. now rewrite !rest_full.
  - rewrite rest_cons, <- F. apply expect_ext. intros ys. apply rest_cons.
Qed.

Lemma sure_of d text : faithful d text -> expect d (fun _ => 1) = 1.
Proof.
  intros F. transitivity (expect d (rest V target (fun _ => 1) 0 text)).
  - apply expect_ext. intros ys. now rewrite rest_full.
  - rewrite F. now rewrite rest_full.
Qed.

(** * Token verification of drafts that a rule has ended *)

Variable draft : list nat -> nat -> R.
Hypothesis draft_law : forall text, law V (draft text).

Notation verify := (verify V target draft).

Lemma verify_nonempty d text ys : In ys (outcomes (xs <- d ;; verify text xs)) -> ys <> [].
Proof. intros H. apply outcomes_bind in H as [xs [_ H]]. now apply verify_emits in H. Qed.

(** A draft x after which the others are well verified. *)
Lemma draft_then t text x : expect t (fun _ => 1) = 1 -> faithful (xs <- t ;; verify (x :: text) xs) (x :: text) ->
  forall f n, let a := Rmin 1 (target text x / draft text x) in
  expect t (fun xs => expect (verify text (x :: xs)) (rest V target f n text))
  = a * rest V target f n text [x]
    + (1 - a) * sum V (fun y => residual V (target text) (draft text) y * rest V target f n text [y]).
Proof.
  intros One F f n a. set (r := sum V _). rewrite <- (after_token _ x text F f n), expect_bind, <- expect_scale.
  replace ((1 - a) * r) with (expect t (fun _ => 1) * ((1 - a) * r)) by (rewrite One; ring).
  rewrite <- expect_const, <- expect_plus. apply expect_ext. intros xs.
  now rewrite verify_cons.
Qed.

Lemma one_draft_then (t : nat -> program (list nat)) text : (forall x, (x < V)%nat -> expect (t x) (fun _ => 1) = 1) ->
  (forall x, (x < V)%nat -> faithful (xs <- t x ;; verify (x :: text) xs) (x :: text)) ->
  faithful (xs <- (x <- draw V (draft text) ;; (xs <- t x ;; ret (x :: xs))) ;; verify text xs) text.
Proof.
  intros One F f n. rewrite !expect_bind, expect_draw, <- (rest_mean V target target_law).
  rewrite <- (step_value V _ _ (fun y => rest V target f n text [y]) (target_law text) (draft_law text)).
  apply sum_ext. intros x L. f_equal. rewrite expect_bind.
  rewrite <- (draft_then (t x) text x (One x L) (F x L) f n). apply expect_ext. intros xs. now rewrite expect_ret.
Qed.

Lemma no_draft text : faithful (xs <- ret [] ;; verify text xs) text.
Proof.
  intros f n. rewrite expect_bind, expect_ret. exact (bonus text f n).
Qed.

Lemma mixed_faithful c (d e : program (list nat)) text : faithful (xs <- d ;; verify text xs) text ->
  faithful (xs <- e ;; verify text xs) text -> faithful (xs <- (ended <- coin c ;; if ended then d else e) ;; verify text xs) text.
Proof.
  intros D E f n. rewrite !expect_bind, expect_coin, <- !expect_bind, D, E. ring.
Qed.

Lemma mixed_sure {A} c (d e : program A) : expect d (fun _ => 1) = 1 -> expect e (fun _ => 1) = 1 ->
  expect (ended <- coin c ;; if ended then d else e) (fun _ => 1) = 1.
Proof. intros D E. rewrite expect_bind, expect_coin, D, E. ring. Qed.

Lemma sure_then (t : nat -> program (list nat)) text : (forall x, (x < V)%nat -> expect (t x) (fun _ => 1) = 1) ->
  expect (x <- draw V (draft text) ;; (xs <- t x ;; ret (x :: xs))) (fun _ => 1) = 1.
Proof.
  intros One. rewrite expect_bind, expect_draw. destruct (draft_law text) as [_ S]. transitivity (sum V (draft text)); [|exact S].
  apply sum_ext. intros x L. rewrite expect_bind, (expect_ext _ _ (fun _ => 1)), One by (easy || (intros; apply ret_sure)). ring.
Qed.

(** ** A rule that has seen all tokens drafted so far may end the draft after each *)

Section Ending.

(** How likely the draft ends here, after a text and the tokens made in this call, the last of each first. *)
Variable ends : list nat -> list nat -> R.

Fixpoint ending (gamma : nat) (text made : list nat) : program (list nat) :=
  match gamma with
  | O => ret []
  | S g => x <- draw V (draft text) ;;
      (xs <- (ended <- coin (ends (x :: text) (x :: made)) ;; if ended then ret [] else ending g (x :: text) (x :: made)) ;;
       ret (x :: xs))
  end.

Lemma ending_sure gamma : forall text made, expect (ending gamma text made) (fun _ => 1) = 1.
Proof.
  induction gamma as [|g IH]; intros text made; [apply ret_sure|]. apply sure_then. intros x L.
  apply mixed_sure; [apply ret_sure | apply IH].
Qed.

Lemma ending_faithful gamma : forall text made, faithful (xs <- ending gamma text made ;; verify text xs) text.
Proof.
  induction gamma as [|g IH]; intros text made; [apply no_draft|]. cbn [ending]. apply one_draft_then.
  - intros x L. apply mixed_sure; [apply ret_sure | apply ending_sure].
  - intros x L. apply mixed_faithful; [apply no_draft | apply IH].
Qed.

(** Under token verification any rule that may end the draft after each token, for sure or by chance, seeing the text and all
    tokens drafted so far, is lossless if every drafted token is verified. *)
Theorem stop_kept gamma T test :
  chance (calls (fun text => xs <- ending gamma text [] ;; verify text xs) T T []) test = chance (sample V target T []) test.
Proof. apply faithful_calls; [intros; apply ending_faithful | intros; now apply verify_nonempty in H | easy]. Qed.

End Ending.

(** ** A rule that has not seen the token *)

Section Unseen.

(** How likely the draft ends before the next token, whose law is known. *)
Variable ends : list nat -> list nat -> (nat -> R) -> R.

(** Where it ends no token is drafted. *)
Fixpoint unseen (gamma : nat) (text made : list nat) : program (list nat) :=
  match gamma with
  | O => ret []
  | S g => ended <- coin (ends text made (draft text)) ;;
      if ended then ret []
      else (x <- draw V (draft text) ;; (xs <- unseen g (x :: text) (x :: made) ;; ret (x :: xs)))
  end.

Lemma unseen_sure gamma : forall text made, expect (unseen gamma text made) (fun _ => 1) = 1.
Proof.
  induction gamma as [|g IH]; intros text made; [apply ret_sure|]. apply mixed_sure; [apply ret_sure|].
  apply sure_then. intros x L. apply IH.
Qed.

Lemma unseen_faithful gamma : forall text made, faithful (xs <- unseen gamma text made ;; verify text xs) text.
Proof.
  induction gamma as [|g IH]; intros text made; [apply no_draft|]. cbn [unseen]. apply mixed_faithful; [apply no_draft|].
  apply one_draft_then; intros x L; [apply unseen_sure | apply IH].
Qed.

(** All gamma tokens are drafted; those before the first at which the rule ends are verified. *)
Fixpoint cut (text made xs : list nat) : program (list nat) :=
  match xs with
  | [] => ret []
  | x :: more => ended <- coin (ends text made (draft text)) ;;
      if ended then ret [] else (ys <- cut (x :: text) (x :: made) more ;; ret (x :: ys))
  end.
Definition scheduled (gamma : nat) (text : list nat) : program (list nat) :=
  xs <- drafts V draft never gamma text [] ;; cut text [] xs.

Lemma cut_is_unseen gamma : forall text made drawn f,
  expect (drafts V draft never gamma text drawn) (fun xs => expect (cut text made xs) f) = expect (unseen gamma text made) f.
Proof.
  induction gamma as [|g IH]; intros text made drawn f; [cbn; ring|]. cbn [drafts unseen never]. rewrite expect_bind, expect_draw.
  rewrite expect_bind, expect_coin, expect_ret, expect_bind, expect_draw. set (e := ends text made (draft text)).
  rewrite (sum_ext V _ (fun x => e * (draft text x * f []) + (1 - e) * (draft text x * expect (unseen g (x :: text) (x :: made))
    (fun xs => f (x :: xs))))).
  - rewrite sum_plus, !sum_scale, sum_scale_right. destruct (draft_law text) as [_ ->]. f_equal; [ring|]. f_equal. apply sum_ext.
    intros x _. f_equal. rewrite expect_bind. apply expect_ext. intros xs. now rewrite expect_ret.
  - intros x _. rewrite expect_bind.
    rewrite (expect_ext _ _ (fun xs => e * f [] + (1 - e) * expect (cut (x :: text) (x :: made) xs) (fun ys => f (x :: ys)))).
    + rewrite expect_plus, expect_const, expect_scale, (IH (x :: text) (x :: made) (x :: drawn) (fun ys => f (x :: ys))).
      rewrite (drafts_sure V draft never draft_law). ring.
    + intros xs. rewrite expect_ret. cbn [cut]. fold e. rewrite expect_bind, expect_coin, expect_ret, expect_bind. f_equal. f_equal.
      apply expect_ext. intros ys. now rewrite expect_ret.
Qed.

(** Any rule that sees the text, the earlier drafts and the draft's law at a position, and not the token drafted there, is
    lossless: the position at which it stops, with no token drafted or with one that is thrown away unseen, is emitted from the
    target. *)
Theorem stop_law_only gamma T test :
  chance (calls (fun text => xs <- unseen gamma text [] ;; verify text xs) T T []) test = chance (sample V target T []) test /\
  chance (calls (fun text => xs <- scheduled gamma text ;; verify text xs) T T []) test = chance (sample V target T []) test.
Proof.
  split; (apply faithful_calls; [| intros; now apply verify_nonempty in H | easy]); intros text; [apply unseen_faithful|].
  intros f n. rewrite <- (unseen_faithful gamma text []), !expect_bind. unfold scheduled. rewrite expect_bind. apply cut_is_unseen.
Qed.

(** γ tokens are drafted, and how many of them are verified depends on confidences of the drafts before the first one that is
    dropped, and on the law of that one: lossless. *)
Theorem stop_schedule_before gamma T test :
  chance (calls (fun text => xs <- scheduled gamma text ;; verify text xs) T T []) test = chance (sample V target T []) test.
Proof. apply stop_law_only. Qed.

End Unseen.

End Calls.

(** * How many drafts are accepted *)

Section Accepted.

Variable V : nat.
Variables target draft : list nat -> nat -> R.
Hypothesis target_law : forall text, law V (target text).
Hypothesis draft_law : forall text, law V (draft text).
Variable ends : list nat -> list nat -> R.
Hypothesis chances : forall text made, 0 <= ends text made <= 1.

(** How many drafts a call accepts on average, of those that it makes: it emits them and one token more. *)
Definition accepts (d : program (list nat)) (text : list nat) : R :=
  expect d (fun xs => expect (verify V target draft text xs) (fun ys => INR (length ys - 1))).

Lemma accepts_then t text x : expect t (fun xs => expect (verify V target draft (x :: text) xs) (fun _ => 1)) = 1 ->
  expect t (fun xs => expect (verify V target draft text (x :: xs)) (fun ys => INR (length ys - 1)))
  = keeps target draft text x * (1 + accepts t (x :: text)).
Proof.
  intros One. unfold accepts. rewrite <- One at 1. rewrite <- expect_plus, <- expect_scale. apply expect_ext. intros xs.
  rewrite verify_cons. fold (keeps target draft text x).
  rewrite (sum_ext V (fun y => residual V (target text) (draft text) y * INR (length [y] - 1)) (fun _ => 0)), sum_zero
    by (intros; simpl; ring).
  rewrite (expect_ext_in _ _ (fun ys => 1 + INR (length ys - 1))); [rewrite expect_plus; ring|].
  intros ys H. apply verify_emits in H. destruct ys as [|y ys]; [easy|]. cbn [length].
  rewrite !Nat.sub_succ, !Nat.sub_0_r, S_INR. ring.
Qed.

Lemma ending_next g text made : accepts (ending V draft ends (S g) text made) text
  = sum V (fun x => draft text x * (keeps target draft text x
      * (1 + (1 - ends (x :: text) (x :: made)) * accepts (ending V draft ends g (x :: text) (x :: made)) (x :: text)))).
Proof.
  unfold accepts at 1. cbn [ending]. rewrite expect_bind, expect_draw. apply sum_ext. intros x L. f_equal. rewrite expect_bind.
  set (e := ends (x :: text) (x :: made)).
  set (t := ended <- coin e ;; if ended then ret [] else ending V draft ends g (x :: text) (x :: made)).
  rewrite (expect_ext _ _ (fun xs => expect (verify V target draft text (x :: xs)) (fun ys => INR (length ys - 1))))
    by (intros; now rewrite expect_ret).
  rewrite accepts_then.
  - f_equal. f_equal. unfold accepts, t. rewrite expect_bind, expect_coin, expect_ret, token_none. ring.
  - rewrite <- expect_bind. apply (sure_of V target _ (x :: text)). apply (mixed_faithful V target draft e (ret [])).
    + now apply no_draft.
    + now apply ending_faithful.
Qed.

(** Under token verification a rule that ends the draft, every drafted token being verified, never raises the mean number of
    drafts that a call accepts. *)
Theorem stop_never_more gamma text : accepts (ending V draft ends gamma text []) text
  <= accepts (drafts V draft never gamma text []) text.
Proof.
  assert (G : forall text made drawn, accepts (ending V draft ends gamma text made) text
    <= token_accepted V target draft never gamma text drawn); [|apply G].
  clear text. induction gamma as [|g IH]; intros text made drawn.
  - unfold accepts, token_accepted. cbn [ending drafts]. rewrite !expect_ret. lra.
  - rewrite ending_next, token_next by easy. apply sum_le. intros x L. apply Rmult_le_compat_l; [now apply (law_nonneg V)|].
    apply Rmult_le_compat_l; [now apply (keeps_range V target draft target_law draft_law)|].
    specialize (IH (x :: text) (x :: made) (x :: drawn)). pose proof (chances (x :: text) (x :: made)) as E.
    pose proof (token_nonneg V target draft target_law draft_law never g (x :: text) (x :: drawn)) as N.
    set (A := accepts _ _) in *. set (B := token_accepted _ _ _ _ _ _ _) in *. set (e := ends _ _) in *.
    assert ((1 - e) * A <= (1 - e) * B) by (apply Rmult_le_compat_l; lra). nra.
Qed.

End Accepted.

(** * A middle model *)

Section Cascade.

Variable V : nat.
Variables target middle draft : list nat -> nat -> R.
Hypothesis target_law : forall text, law V (target text).
Hypothesis middle_law : forall text, law V (middle text).
Hypothesis draft_law : forall text, law V (draft text).

(** What the middle model emits that verifies gamma drafts: those that it keeps, and one token of its own. *)
Definition emitted_by_middle (gamma : nat) (text drawn : list nat) : program (list nat) :=
  xs <- drafts V draft never gamma text drawn ;; verify V middle draft text xs.

(** All of it is verified by the target, with the middle model reported. *)
Definition cascade (gamma : nat) (text : list nat) : program (list nat) :=
  ys <- emitted_by_middle gamma text [] ;; verify V target middle text ys.

Lemma middle_sure gamma text drawn : expect (emitted_by_middle gamma text drawn) (fun _ => 1) = 1.
Proof.
  apply (sure_of V middle _ text). intros f n. unfold emitted_by_middle. rewrite expect_bind. now apply round_value.
Qed.

Lemma one_then text y f n : let b := Rmin 1 (target text y / middle text y) in
  expect (verify V target middle text [y]) (rest V target f n text)
  = b * rest V target f n text [y]
    + (1 - b) * sum V (fun z => residual V (target text) (middle text) z * rest V target f n text [z]).
Proof.
  pose proof (draft_then V target middle (ret []) text y (ret_sure _) (no_draft V target target_law middle _) f n) as E.
  rewrite expect_ret in E. exact E.
Qed.

Lemma cascade_faithful gamma : forall text drawn,
  faithful V target (ys <- emitted_by_middle gamma text drawn ;; verify V target middle text ys) text.
Proof.
  induction gamma as [|g IH]; intros text drawn f n; rewrite <- (rest_mean V target target_law);
    rewrite <- (step_value V _ _ (fun y => rest V target f n text [y]) (target_law text) (middle_law text)).
  - unfold emitted_by_middle. cbn [drafts]. rewrite !expect_bind, expect_ret. cbn [verify]. rewrite expect_bind, expect_draw.
    apply sum_ext. intros y _. f_equal. rewrite expect_ret. apply one_then.
  - set (r := sum V (fun y => residual V (target text) (middle text) y * rest V target f n text [y])).
    rewrite <- (step_value V _ _ _ (middle_law text) (draft_law text)).
    unfold emitted_by_middle. cbn [drafts never]. rewrite !expect_bind, expect_draw. apply sum_ext. intros x L. f_equal.
    set (a := Rmin 1 (middle text x / draft text x)). rewrite expect_bind.
    rewrite (expect_ext _ _ (fun xs => a * expect (verify V middle draft (x :: text) xs)
        (fun ys => expect (verify V target middle text (x :: ys)) (rest V target f n text))
      + (1 - a) * sum V (fun y => residual V (middle text) (draft text) y
        * expect (verify V target middle text [y]) (rest V target f n text)))).
    2: { intros xs. now rewrite expect_ret, verify_cons. }
    rewrite expect_plus, expect_scale, expect_const, (drafts_sure V draft never draft_law). f_equal.
    + f_equal. rewrite <- expect_bind.
      exact (draft_then V target middle (emitted_by_middle g (x :: text) (x :: drawn)) text x (middle_sure g _ _) (IH _ _) f n).
    + rewrite Rmult_1_l. f_equal. apply sum_ext. intros y _. f_equal. apply one_then.
Qed.

(** γ drafts of q are verified by m, and all that m emits is verified by p with m reported: the text has the target's law. *)
Theorem cascade_lossless gamma T test :
  chance (calls (cascade gamma) T T []) test = chance (sample V target T []) test.
Proof.
  apply (faithful_calls V target); [intros; apply cascade_faithful | | easy]. intros text ys H. now apply verify_nonempty in H.
Qed.

End Cascade.

(** * Drafts that end where a token is dropped *)

Section Dropped.

Variable V : nat.
Variables target draft : list nat -> nat -> R.
Hypothesis target_law : forall text, law V (target text).
Hypothesis draft_law : forall text, law V (draft text).

(** How likely a token is to survive, after a text and the tokens that this call has drafted. *)
Variable survives : list nat -> list nat -> nat -> R.
Hypothesis rule : forall text made x, (x < V)%nat -> 0 <= survives text made x <= 1.

(** The draft ends without the first token that is dropped. *)
Fixpoint dropping (gamma : nat) (text made : list nat) : program (list nat) :=
  match gamma with
  | O => ret []
  | S g => x <- draw V (draft text) ;; (stays <- coin (survives text made x) ;;
      if stays then (xs <- dropping g (x :: text) (x :: made) ;; ret (x :: xs)) else ret [])
  end.

(** The law of a token given that it was kept. *)
Definition share (text made : list nat) : R := sum V (fun x => draft text x * survives text made x).
Definition kept_law (text made : list nat) (x : nat) : R := draft text x * survives text made x / share text made.

(** Token verification, told of that law at each position. *)
Fixpoint told (text made xs : list nat) : program (list nat) :=
  match xs with
  | [] => y <- draw V (target text) ;; ret [y]
  | x :: more =>
      kept <- coin (Rmin 1 (target text x / kept_law text made x)) ;;
      if kept then (ys <- told (x :: text) (x :: made) more ;; ret (x :: ys))
      else (y <- draw V (residual V (target text) (kept_law text made)) ;; ret [y])
  end.

Lemma told_nonempty xs : forall text made ys, In ys (outcomes (told text made xs)) -> ys <> [].
Proof.
  destruct xs as [|x xs]; intros text made ys H; cbn [told] in H.
  - apply outcomes_bind in H as [y [_ [<-|[]]]]. easy.
  - apply outcomes_bind in H as [[|] [_ H]]; apply outcomes_bind in H as [z [_ [<-|[]]]]; easy.
Qed.

Lemma dropping_sure gamma : forall text made, expect (dropping gamma text made) (fun _ => 1) = 1.
Proof.
  induction gamma as [|g IH]; intros text made; [apply ret_sure|]. cbn [dropping]. rewrite expect_bind, expect_draw.
  destruct (draft_law text) as [_ S]. transitivity (sum V (draft text)); [|exact S]. apply sum_ext. intros x L.
  rewrite expect_bind, expect_coin, expect_ret, expect_bind, (expect_ext _ _ (fun _ => 1)), IH by (intros; apply ret_sure). ring.
Qed.

Lemma kept_law_law text made : share text made <> 0 -> law V (kept_law text made).
Proof.
  intros N. assert (W : forall x, (x < V)%nat -> 0 <= draft text x * survives text made x).
  { intros x L. apply Rmult_le_pos; [now apply (law_nonneg V) | now apply rule]. }
  assert (0 <= share text made) by now apply sum_nonneg. split.
  - intros x L. unfold kept_law. apply Rmult_le_pos; [now apply W | left; apply Rinv_0_lt_compat; lra].
  - unfold kept_law, Rdiv. rewrite sum_scale_right. fold (share text made). now apply Rinv_r.
Qed.

Lemma kept_law_mass text made x : (x < V)%nat -> draft text x * survives text made x = share text made * kept_law text made x.
Proof.
  intros L. destruct (Req_dec (share text made) 0) as [Z|N]; [|unfold kept_law; field; easy]. rewrite Z, Rmult_0_l.
  apply (sum_zero_terms V (fun x => draft text x * survives text made x)); [|exact Z|easy].
  intros y Y. apply Rmult_le_pos; [now apply (law_nonneg V) | now apply rule].
Qed.

Lemma dropping_faithful gamma : forall text made, faithful V target (xs <- dropping gamma text made ;; told text made xs) text.
Proof.
  induction gamma as [|g IH]; intros text made f n; rewrite expect_bind.
  - cbn [dropping]. rewrite expect_ret. exact (bonus V target target_law text f n).
  - cbn [dropping]. rewrite expect_bind, expect_draw. set (m := rest V target f n text []).
    set (a := fun x => Rmin 1 (target text x / kept_law text made x)).
    set (r := sum V (fun y => residual V (target text) (kept_law text made) y * rest V target f n text [y])).
    rewrite (sum_ext V _ (fun x => share text made * (kept_law text made x * (a x * rest V target f n text [x] + (1 - a x) * r))
      + (draft text x - draft text x * survives text made x) * m)).
    + rewrite sum_plus, sum_scale, sum_scale_right, sum_minus. destruct (draft_law text) as [_ ->].
      change (sum V (fun x => draft text x * survives text made x)) with (share text made).
      destruct (Req_dec (share text made) 0) as [Z|N]; [rewrite Z; ring|]. unfold a, r.
      rewrite (step_value V _ _ (fun y => rest V target f n text [y]) (target_law text) (kept_law_law text made N)).
      rewrite (rest_mean V target target_law). fold m. ring.
    + intros x L. rewrite expect_bind, expect_coin, expect_ret.
      assert (B : expect (told text made []) (rest V target f n text) = m) by exact (bonus V target target_law text f n). rewrite B.
      rewrite expect_bind.
      rewrite (expect_ext _ _ (fun xs => a x * expect (told (x :: text) (x :: made) xs) (fun ys => rest V target f n text (x :: ys))
        + (1 - a x) * r)).
      * pose proof (after_token V target _ x text (IH (x :: text) (x :: made)) f n) as A. rewrite expect_bind in A.
        rewrite expect_plus, expect_scale, expect_const, dropping_sure, A.
        rewrite <- (Rmult_assoc (share text made)), <- kept_law_mass by easy. unfold a. ring.
      * intros xs. rewrite expect_ret. cbn [told]. rewrite expect_bind, expect_coin. fold (a x). f_equal; f_equal.
        -- rewrite expect_bind. apply expect_ext. intros ys. now rewrite expect_ret.
        -- rewrite expect_bind, expect_draw. apply sum_ext. intros y _. now rewrite expect_ret.
Qed.

(** Calls whose drafts end where a token is dropped, by any rule on the text, on the tokens that the call has drafted, so on
    their number, and on the token, for sure or by chance, the verifier told at each position the law given that the token was
    kept: the text has the target's law. *)
Theorem stop_dropped_repair_text gamma T test :
  chance (calls (fun text => xs <- dropping gamma text [] ;; told text [] xs) T T []) test = chance (sample V target T []) test.
Proof.
  apply (faithful_calls V target); [intros; apply dropping_faithful | | easy]. intros text ys H.
  apply outcomes_bind in H as [xs [_ H]]. now apply told_nonempty in H.
Qed.

End Dropped.

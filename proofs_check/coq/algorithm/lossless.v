(** Speculative decoding (Leviathan et al. 2023, Algorithm 1; Chen et al. 2023, Algorithm 2): one step, and texts of T tokens.

    A model is a map from the text so far, its last token first, to a law over V tokens. *)

Require Import Reals Lra Lia List Arith.
Require Import laws.
Import ListNotations.
Open Scope R_scope.

(** * One step *)

Definition excess (p q : nat -> R) (x : nat) : R := Rmax 0 (p x - q x).

Definition residual (V : nat) (p q : nat -> R) (x : nat) : R := excess p q x / sum V (excess p q).

(** Keep a draft with probability min(1, p/q); else draw from what the target has in excess. *)
Definition verdict (V : nat) (p q : nat -> R) (x : nat) : program nat :=
  kept <- coin (Rmin 1 (p x / q x)) ;;
  if kept then ret x else draw V (residual V p q).

Definition step (V : nat) (p q : nat -> R) : program nat :=
  x <- draw V q ;; verdict V p q x.

Lemma keep_mass p q : 0 <= p -> 0 <= q -> q * Rmin 1 (p / q) = Rmin p q.
Proof.
  intros P [Q|<-]; [|rewrite Rmult_0_l, Rmin_right; lra].
  assert (E : q * (p / q) = p) by (field; lra).
  unfold Rmin. destruct (Rle_dec 1 (p / q)) as [A|A], (Rle_dec p q) as [B|B]; rewrite ?E; try lra.
  - apply (Rmult_le_compat_l q) in A; lra.
  - apply Rnot_le_lt, (Rmult_lt_compat_l q) in A; lra.
Qed.

Lemma residual_nonneg V p q x : 0 <= residual V p q x.
Proof.
  unfold residual. assert (N : 0 <= sum V (excess p q)) by (apply sum_nonneg; intros; apply Rmax_l).
  destruct N as [N|Z]; [apply Rmult_le_pos; [apply Rmax_l | left; now apply Rinv_0_lt_compat]|].
  rewrite <- Z. unfold Rdiv. rewrite Rinv_0. lra.
Qed.

(** The probability to keep a draft is one. *)
Lemma keep_range p q : 0 <= p -> 0 < q -> 0 <= Rmin 1 (p / q) <= 1.
Proof.
  intros P Q. split; [|apply Rmin_l]. apply (Rmult_le_reg_l q); [easy|].
  rewrite Rmult_0_r, keep_mass by lra. apply Rmin_glb; lra.
Qed.

Lemma min_excess p q x : Rmin (p x) (q x) + excess p q x = p x.
Proof. unfold excess, Rmin, Rmax. destruct (Rle_dec (p x) (q x)), (Rle_dec 0 (p x - q x)); lra. Qed.

Lemma refused_is_excess V p q : law V p -> law V q -> 1 - overlap V p q = sum V (excess p q).
Proof.
  intros [_ P] _. unfold overlap. rewrite <- P, <- sum_minus. apply sum_ext.
  intros x _. pose proof (min_excess p q x). lra.
Qed.

(** The value of any continuation g, where a draft that is kept goes on as one that is drawn. *)
Lemma step_value V p q g : law V p -> law V q ->
  sum V (fun x => q x * (Rmin 1 (p x / q x) * g x + (1 - Rmin 1 (p x / q x)) * sum V (fun y => residual V p q y * g y)))
  = sum V (fun y => p y * g y).
Proof.
  intros P Q. set (r := sum V (fun y => residual V p q y * g y)).
  rewrite (sum_ext V _ (fun x => Rmin (p x) (q x) * g x + (q x - Rmin (p x) (q x)) * r)).
  2: { intros x L. pose proof (keep_mass (p x) (q x) (law_nonneg V p x P L) (law_nonneg V q x Q L)) as K.
       rewrite <- K. ring. }
  rewrite sum_plus, sum_scale_right, sum_minus.
  change (sum V (fun x => Rmin (p x) (q x))) with (overlap V p q).
  destruct Q as [Q0 Q1]. rewrite Q1. rewrite (refused_is_excess V p q P (conj Q0 Q1)).
  assert (R : sum V (excess p q) * r = sum V (fun y => excess p q y * g y)).
  { unfold r, residual. destruct (Req_dec (sum V (excess p q)) 0) as [Z|N].
    - assert (E : forall y, (y < V)%nat -> excess p q y = 0).
      { apply sum_zero_terms; [|easy]. intros y _. apply Rmax_l. }
      rewrite Z. rewrite (sum_ext V (fun y => excess p q y * g y) (fun _ => 0)), sum_zero; [lra|].
      intros y L. rewrite (E y L). lra.
    - rewrite <- sum_scale. apply sum_ext. intros y _. field. easy. }
  rewrite R, <- sum_plus. apply sum_ext. intros y _. pose proof (min_excess p q y) as E.
  transitivity ((Rmin (p y) (q y) + excess p q y) * g y); [ring | now rewrite E].
Qed.

Lemma step_expect V p q f : law V p -> law V q -> expect (step V p q) f = sum V (fun x => p x * f x).
Proof.
  intros P Q. unfold step, verdict. rewrite expect_bind, expect_draw.
  rewrite <- (step_value V p q f P Q). apply sum_ext. intros x _. f_equal.
  rewrite expect_bind, expect_coin, expect_ret, expect_draw. easy.
Qed.

(** One step emits with the target's law, whatever the vocabulary and the draft. *)
Theorem sd_lossless_step V p q : law V p -> law V q -> forall y, (y < V)%nat -> output (step V p q) y = p y.
Proof. intros P Q. apply output_expect. intros f. now apply step_expect. Qed.

(** One step keeps its draft with probability Σ min(p, q). *)
Theorem sd_acceptance V p q : law V p -> law V q ->
  expect (draw V q) (fun x => chance (coin (Rmin 1 (p x / q x))) (fun kept => kept)) = overlap V p q.
Proof.
  intros P Q. rewrite expect_draw. apply sum_ext. intros x L. unfold chance. rewrite expect_coin. simpl.
  rewrite <- (keep_mass (p x) (q x) (law_nonneg V p x P L) (law_nonneg V q x Q L)). ring.
Qed.

(** * Texts *)

Section Texts.

Variable V : nat.
Variables target draft : list nat -> nat -> R.
Variable stop : list nat -> list nat -> bool.
Hypothesis target_law : forall text, law V (target text).
Hypothesis draft_law : forall text, law V (draft text).

(** n more tokens from the target alone. *)
Fixpoint sample (n : nat) (text : list nat) : program (list nat) :=
  match n with
  | O => ret text
  | S m => x <- draw V (target text) ;; sample m (x :: text)
  end.

(** A drafter that stops at nothing but the length of the batch. *)
Definition never (text made : list nat) : bool := false.

(** At most gamma drafts, each after those before it; stop is asked before each, and sees earlier ones only. *)
Fixpoint drafts (gamma : nat) (text made : list nat) : program (list nat) :=
  match gamma with
  | O => ret []
  | S g =>
      if stop text made then ret []
      else (x <- draw V (draft text) ;; (xs <- drafts g (x :: text) (x :: made) ;; ret (x :: xs)))
  end.

(** What one call of the target emits: the drafts kept, and one token more, the correction or the bonus. *)
Fixpoint verify (text xs : list nat) : program (list nat) :=
  match xs with
  | [] => y <- draw V (target text) ;; ret [y]
  | x :: more =>
      kept <- coin (Rmin 1 (target text x / draft text x)) ;;
      if kept then (ys <- verify (x :: text) more ;; ret (x :: ys))
      else (y <- draw V (residual V (target text) (draft text)) ;; ret [y])
  end.

(** The text after what was emitted, of which no more than n tokens are taken. *)
Definition extended (n : nat) (ys text : list nat) : list nat := rev (firstn n ys) ++ text.

(** Rounds of drafting and verifying until n tokens are there; a round emits at least one. *)
Fixpoint speculate (verify : list nat -> list nat -> program (list nat)) (rounds gamma n : nat) (text : list nat) :=
  match rounds, n with
  | S more, S _ =>
      xs <- drafts gamma text [] ;;
      (ys <- verify text xs ;; speculate verify more gamma (n - length ys) (extended n ys text))
  | _, _ => ret text
  end.

Lemma drafts_sure gamma : forall text made, expect (drafts gamma text made) (fun _ => 1) = 1.
Proof.
  induction gamma as [|g IH]; intros text made; simpl; [lra|].
  destruct (stop text made); [simpl; lra|].
  rewrite expect_bind, expect_draw. destruct (draft_law text) as [_ S]. transitivity (sum V (draft text)); [|exact S].
  apply sum_ext. intros x _. rewrite expect_bind.
  rewrite (expect_ext _ _ (fun _ => 1)); [rewrite IH; lra|]. intros a. simpl. lra.
Qed.

(** What is expected after ys, the remaining tokens drawn from the target. *)
Definition rest (f : list nat -> R) (n : nat) (text ys : list nat) : R :=
  expect (sample (n - length ys) (extended n ys text)) f.

Lemma rest_cons f n text x ys : rest f (S n) text (x :: ys) = rest f n (x :: text) ys.
Proof. unfold rest, extended. simpl. now rewrite <- app_assoc. Qed.

Lemma rest_none f n text : rest f n text [] = expect (sample n text) f.
Proof. unfold rest, extended. now rewrite firstn_nil, Nat.sub_0_r. Qed.

Lemma rest_full f text ys : rest f 0 text ys = f text.
Proof. unfold rest, extended. simpl. lra. Qed.

Lemma rest_mean f n text : sum V (fun y => target text y * rest f n text [y]) = rest f n text [].
Proof.
  destruct n as [|n].
  - rewrite (sum_ext V _ (fun y => target text y * f text)) by (intros; now rewrite rest_full).
    destruct (target_law text) as [_ S]. rewrite sum_scale_right, S, rest_full. lra.
  - rewrite rest_none. simpl. rewrite expect_bind, expect_draw. apply sum_ext. intros y _.
    now rewrite rest_cons, rest_none.
Qed.

Lemma verify_cons f text x xs :
  expect (verify text (x :: xs)) f
  = Rmin 1 (target text x / draft text x) * expect (verify (x :: text) xs) (fun ys => f (x :: ys))
    + (1 - Rmin 1 (target text x / draft text x))
      * sum V (fun y => residual V (target text) (draft text) y * f [y]).
Proof.
  cbn [verify]. rewrite expect_bind, expect_coin. f_equal; f_equal.
  - rewrite expect_bind. apply expect_ext. intros ys. now rewrite expect_ret.
  - rewrite expect_bind, expect_draw. apply sum_ext. intros y _. now rewrite expect_ret.
Qed.

(** One round, followed by the target alone, is the target alone. *)
Lemma round_value gamma : forall f n text made,
  expect (drafts gamma text made) (fun xs => expect (verify text xs) (rest f n text)) = rest f n text [].
Proof.
  assert (Bonus : forall f n text, expect (verify text []) (rest f n text) = rest f n text []).
  { intros f n text. simpl. rewrite expect_bind, expect_draw, <- rest_mean.
    apply sum_ext. intros y _. now rewrite expect_ret. }
  induction gamma as [|g IH]; intros f n text made; simpl drafts.
  - rewrite expect_ret. apply Bonus.
  - destruct (stop text made); [rewrite expect_ret; apply Bonus|].
    rewrite expect_bind, expect_draw, <- rest_mean.
    rewrite <- (step_value V _ _ (fun y => rest f n text [y]) (target_law text) (draft_law text)).
    apply sum_ext. intros x L. f_equal. rewrite expect_bind.
    set (a := Rmin 1 (target text x / draft text x)).
    set (r := sum V (fun y => residual V (target text) (draft text) y * rest f n text [y])).
    assert (Kept : expect (drafts g (x :: text) (x :: made))
        (fun xs => expect (verify (x :: text) xs) (fun ys => rest f n text (x :: ys))) = rest f n text [x]).
    { destruct n as [|n].
      - transitivity (rest (fun _ => f text) 0 (x :: text) []); [|now rewrite !rest_full].
        rewrite <- (IH _ 0%nat (x :: text) (x :: made)).
        apply expect_ext. intros xs. apply expect_ext. intros ys. now rewrite !rest_full.
      - rewrite rest_cons, <- (IH f n (x :: text) (x :: made)).
        apply expect_ext. intros xs. apply expect_ext. intros ys. apply rest_cons. }
    rewrite <- Kept.
    rewrite (expect_ext _ _ (fun xs =>
      a * expect (verify (x :: text) xs) (fun ys => rest f n text (x :: ys)) + (1 - a) * r)).
    2: { intros xs. now rewrite expect_ret, verify_cons. }
    rewrite expect_plus, expect_scale, expect_const, drafts_sure. lra.
Qed.

Lemma verify_emits text xs ys : In ys (outcomes (verify text xs)) -> ys <> [].
Proof.
  revert text ys. induction xs as [|x xs IH]; intros text ys H; cbn [verify] in H.
  - apply outcomes_bind in H as [y [_ [<-|[]]]]. easy.
  - apply outcomes_bind in H as [[|] [_ H]]; apply outcomes_bind in H as [z [_ [<-|[]]]]; easy.
Qed.

Lemma speculate_value some_verify gamma f :
  (forall n text, expect (drafts gamma text []) (fun xs => expect (some_verify text xs) (rest f n text)) = rest f n text []) ->
  (forall text xs ys, In ys (outcomes (some_verify text xs)) -> ys <> []) ->
  forall rounds n text, (n <= rounds)%nat ->
  expect (speculate some_verify rounds gamma n text) f = expect (sample n text) f.
Proof.
  intros Round Emits. induction rounds as [|more IH]; intros [|n] text L; [easy | lia | easy|].
  cbn [speculate]. rewrite expect_bind, <- (rest_none f (S n)), <- (Round (S n) text).
  apply expect_ext. intros xs. rewrite expect_bind. apply expect_ext_in. intros ys H.
  apply Emits in H. unfold rest. apply IH. destruct ys; [easy|]. simpl. lia.
Qed.

(** The first T tokens have the target's law: every test of the text passes with the target's probability, for every
    gamma, every pair of models over any vocabulary, and every rule that stops drafting looking only at the text and at
    earlier drafts. *)
Theorem sd_lossless gamma T test :
  chance (speculate verify T gamma T []) test = chance (sample T []) test.
Proof.
  apply speculate_value; [intros; apply round_value | apply verify_emits | easy].
Qed.

End Texts.

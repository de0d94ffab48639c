(** Block verification (Sun et al. 2024): of the prefixes of the drafts the longest that passes its own test is kept. *)

Require Import Reals Lra Lia List Arith.
Require Import laws lossless.
Import ListNotations.
Open Scope R_scope.

Section Block.

Variable V : nat.
Variables target draft : list nat -> nat -> R.
Variable stop : list nat -> list nat -> bool.
Hypothesis target_law : forall text, law V (target text).
Hypothesis draft_law : forall text, law V (draft text).

(** What the target has in excess after a text that counts r: (r P - Q)₊, and its mass. *)
Definition left (r : R) (text : list nat) (y : nat) : R := Rmax 0 (r * target text y - draft text y).
Definition mass (r : R) (text : list nat) : R := sum V (left r text).

(** What a prefix counts that goes on with x: min(1, r P/Q). *)
Definition further (r : R) (text : list nat) (x : nat) : R := Rmin 1 (r * target text x / draft text x).

(** From the longest prefix to the shortest: the whole block passes with r, a shorter prefix with Z/(Z + 1 - r), Z the mass of
    (r P - Q)₊; after it the next token is drawn from there, or from P if the block was kept whole. *)
Fixpoint longest (r : R) (text xs : list nat) : program (option (list nat)) :=
  match xs with
  | [] => kept <- coin r ;; if kept then (y <- draw V (target text) ;; ret (Some [y])) else ret None
  | x :: more =>
      found <- longest (further r text x) (x :: text) more ;;
      match found with
      | Some ys => ret (Some (x :: ys))
      | None =>
          kept <- coin (mass r text / (mass r text + 1 - r)) ;;
          if kept then (y <- draw V (fun y => left r text y / mass r text) ;; ret (Some [y])) else ret None
      end
  end.

(** That the empty prefix fails has no probability. *)
Definition block (text xs : list nat) : program (list nat) :=
  found <- longest 1 text xs ;;
  match found with Some ys => ret ys | None => y <- draw V (target text) ;; ret [y] end.

(** * What is expected of it *)

Definition value (f : list nat -> R) (none : R) (found : option (list nat)) : R :=
  match found with Some ys => f ys | None => none end.

Lemma left_nonneg r text y : 0 <= left r text y.
Proof. apply Rmax_l. Qed.

Lemma mass_nonneg r text : 0 <= mass r text.
Proof. apply sum_nonneg. intros y _. apply left_nonneg. Qed.

Lemma left_mean r text g : mass r text <> 0 ->
  mass r text * sum V (fun y => left r text y / mass r text * g y) = sum V (fun y => left r text y * g y).
Proof. intros N. rewrite <- sum_scale. apply sum_ext. intros y _. field. easy. Qed.

Lemma longest_cons f none r text x more :
  expect (longest r text (x :: more)) (value f none)
  = expect (longest (further r text x) (x :: text) more) (value (fun ys => f (x :: ys))
      (mass r text / (mass r text + 1 - r) * sum V (fun y => left r text y / mass r text * f [y])
       + (1 - mass r text / (mass r text + 1 - r)) * none)).
Proof.
  cbn [longest]. rewrite expect_bind. apply expect_ext. intros [ys|]; [now rewrite expect_ret|].
  rewrite expect_bind, expect_coin. simpl value. f_equal; f_equal; [|now rewrite expect_ret].
  rewrite expect_bind, expect_draw. apply sum_ext. intros y _. now rewrite expect_ret.
Qed.

Lemma longest_nil f none r text :
  expect (longest r text []) (value f none) = r * sum V (fun y => target text y * f [y]) + (1 - r) * none.
Proof.
  cbn [longest]. rewrite expect_bind, expect_coin. f_equal; f_equal; [|now rewrite expect_ret].
  rewrite expect_bind, expect_draw. apply sum_ext. intros y _. now rewrite expect_ret.
Qed.

Lemma longest_sure : forall xs r text, expect (longest r text xs) (value (fun _ => 1) 1) = 1.
Proof.
  induction xs as [|x more IH]; intros r text.
  - rewrite longest_nil. destruct (target_law text) as [_ S].
    rewrite (sum_ext V _ (target text)) by (intros; lra). rewrite S. lra.
  - rewrite longest_cons. rewrite (expect_ext _ _ (value (fun _ => 1) 1)); [apply IH|].
    intros [ys|]; [easy|]. simpl.
    destruct (Req_dec (mass r text) 0) as [Z|N].
    + rewrite Z. unfold Rdiv. rewrite Rmult_0_l. lra.
    + rewrite (sum_ext V _ (fun y => / mass r text * left r text y)) by (intros; unfold Rdiv; ring).
      rewrite sum_scale. change (sum V (left r text)) with (mass r text). rewrite Rinv_l by easy. lra.
Qed.

Lemma further_mass r text x : 0 <= r -> (x < V)%nat ->
  draft text x * further r text x = Rmin (r * target text x) (draft text x).
Proof.
  intros R L. apply keep_mass; [apply Rmult_le_pos; [easy | now apply (law_nonneg V)] | now apply (law_nonneg V)].
Qed.

Lemma min_left r text y : Rmin (r * target text y) (draft text y) + left r text y = r * target text y.
Proof.
  unfold left, Rmin, Rmax.
  destruct (Rle_dec (r * target text y) (draft text y)), (Rle_dec 0 (r * target text y - draft text y)); lra.
Qed.

Lemma further_range r text x : 0 <= r -> (x < V)%nat -> 0 < draft text x -> 0 <= further r text x <= 1.
Proof.
  intros R L D. apply keep_range; [apply Rmult_le_pos; [easy | now apply (law_nonneg V)] | easy].
Qed.

Notation rest := (rest V target).
Notation drafts := (drafts V draft stop).

(** What is emitted, with the probability that anything is, is r times what the target says. *)
Lemma longest_value gamma : forall f n text made r none, 0 <= r <= 1 ->
  expect (drafts gamma text made) (fun xs => expect (longest r text xs) (value (rest f n text) none))
  = r * rest f n text [] + (1 - r) * none.
Proof.
  assert (Bonus : forall f n text r none, expect (longest r text []) (value (rest f n text) none)
      = r * rest f n text [] + (1 - r) * none).
  { intros. rewrite longest_nil. now rewrite (rest_mean V target target_law). }
  induction gamma as [|g IH]; intros f n text made r none R; cbn [lossless.drafts].
  - rewrite expect_ret. apply Bonus.
  - destruct (stop text made); [rewrite expect_ret; apply Bonus|].
    rewrite expect_bind, expect_draw.
    set (h := mass r text / (mass r text + 1 - r)).
    set (w := sum V (fun y => left r text y / mass r text * rest f n text [y])).
    set (c := h * w + (1 - h) * none).
    rewrite (sum_ext V _ (fun x => Rmin (r * target text x) (draft text x) * rest f n text [x]
      + (draft text x - Rmin (r * target text x) (draft text x)) * c)).
    2: { intros x L. rewrite expect_bind.
      rewrite (expect_ext _ _ (fun xs => expect (longest (further r text x) (x :: text) xs)
        (value (fun ys => rest f n text (x :: ys)) c))).
      2: { intros xs. now rewrite expect_ret, longest_cons. }
      destruct (Rle_lt_or_eq_dec 0 (draft text x)) as [D|D]; [now apply (law_nonneg V) | |].
      - assert (E : expect (drafts g (x :: text) (x :: made)) (fun xs => expect (longest (further r text x) (x :: text) xs)
            (value (fun ys => rest f n text (x :: ys)) c)) = further r text x * rest f n text [x] + (1 - further r text x) * c).
        { destruct n as [|n].
          - transitivity (further r text x * lossless.rest V target (fun _ => f text) 0 (x :: text) []
              + (1 - further r text x) * c).
            + rewrite <- (IH _ 0%nat (x :: text) (x :: made)) by now apply further_range.
              apply expect_ext. intros xs. apply expect_ext. intros [ys|]; [|easy]. simpl. now rewrite !rest_full.
            + now rewrite !rest_full.
          - rewrite rest_cons. rewrite <- (IH f n (x :: text) (x :: made)) by now apply further_range.
            apply expect_ext. intros xs. apply expect_ext. intros [ys|]; [|easy]. simpl. apply rest_cons. }
        rewrite E. rewrite <- further_mass by easy. ring.
      - rewrite <- D, Rmin_right; [ring|]. apply Rmult_le_pos; [easy | now apply (law_nonneg V)]. }
    rewrite sum_plus, sum_scale_right, sum_minus. destruct (draft_law text) as [_ D1]. rewrite D1.
    assert (Z : sum V (fun x => Rmin (r * target text x) (draft text x)) = r - mass r text).
    { destruct (target_law text) as [_ T1]. transitivity (r * sum V (target text) - mass r text); [|rewrite T1; ring].
      unfold mass. rewrite <- sum_scale, <- sum_minus. apply sum_ext.
      intros x _. pose proof (min_left r text x). lra. }
    rewrite Z.
    assert (M : sum V (fun x => Rmin (r * target text x) (draft text x) * rest f n text [x])
        + sum V (fun y => left r text y * rest f n text [y]) = r * rest f n text []).
    { rewrite <- (rest_mean V target target_law), <- sum_scale, <- sum_plus. apply sum_ext.
      intros x _. rewrite <- Rmult_plus_distr_r, min_left. ring. }
    rewrite <- M. pose proof (mass_nonneg r text) as N.
    destruct (Req_dec (mass r text) 0) as [M0|M0].
    + assert (L0 : sum V (fun y => left r text y * rest f n text [y]) = 0).
      { rewrite (sum_ext V _ (fun _ => 0)), ?sum_zero; [easy|]. intros y L.
        rewrite (sum_zero_terms V (left r text)); [ring | intros; apply left_nonneg | easy | easy]. }
      assert (h = 0) as H0 by (unfold h, Rdiv; rewrite M0; ring).
      unfold c. rewrite L0, H0, M0. ring.
    + unfold c. rewrite <- (left_mean r text _ M0). fold w. unfold h. field. lra.
Qed.

Lemma block_emits text xs ys : In ys (outcomes (block text xs)) -> ys <> [].
Proof.
  assert (Some_emits : forall xs r text ys, In (Some ys) (outcomes (longest r text xs)) -> ys <> []).
  { clear. induction xs as [|x xs IH]; intros r text ys H; cbn [longest] in H.
    - apply outcomes_bind in H as [[|] [_ H]]; [|now destruct H as [H|[]]].
      apply outcomes_bind in H as [y [_ [E|[]]]]. now inversion E.
    - apply outcomes_bind in H as [[zs|] [_ H]]; [destruct H as [E|[]]; now inversion E|].
      apply outcomes_bind in H as [[|] [_ H]]; [|now destruct H as [H|[]]].
      apply outcomes_bind in H as [y [_ [E|[]]]]. now inversion E. }
  intros H. unfold block in H. apply outcomes_bind in H as [[zs|] [I H]].
  - destruct H as [<-|[]]. now apply Some_emits in I.
  - apply outcomes_bind in H as [y [_ [<-|[]]]]. easy.
Qed.

(** Rounds of block verification: the first T tokens have the target's law, for every gamma, every pair of models over any
    vocabulary, and every rule that stops drafting looking only at the text and at earlier drafts. *)
Theorem block_lossless gamma T test :
  chance (speculate V draft stop block T gamma T []) test = chance (sample V target T []) test.
Proof.
  apply (speculate_value V target draft stop); [|apply block_emits | easy]. intros n text.
  set (f := fun a => indicator (test a)). set (none := sum V (fun y => target text y * rest f n text [y])).
  rewrite (expect_ext _ _ (fun xs => expect (longest 1 text xs) (value (rest f n text) none))).
  - rewrite (longest_value gamma f n text [] 1 none) by lra. ring.
  - intros xs. unfold block. rewrite expect_bind. apply expect_ext. intros [ys|]; [now rewrite expect_ret|].
    rewrite expect_bind, expect_draw. apply sum_ext. intros y _. now rewrite expect_ret.
Qed.

End Block.

(** Block verification stays lossless where the drafter may end the draft after any token, seeing all of them: whatever [stop]
    says of the drafts so far, with every drafted token verified and the last tested with r itself. *)
Theorem block_stop V target draft gamma T test : (forall text, law V (target text)) -> (forall text, law V (draft text)) ->
  forall stop, chance (speculate V draft stop (block V target draft) T gamma T []) test = chance (sample V target T []) test.
Proof. intros P Q stop. now apply block_lossless. Qed.

(** Batches of drafts: how many tokens a call gives, how often a draft is rejected, and what SQS's texts follow. *)

Require Import Reals Lra Lia List Arith.
Require Import laws lossless sqs lattice rejections distortion.
Import ListNotations.
Open Scope R_scope.

(** * Independent steps *)

(** Tokens of a call, where each of at most γ drafts is kept with probability α, and one token more follows. *)
Fixpoint call (alpha : R) (gamma : nat) : program nat :=
  match gamma with
  | O => ret 1%nat
  | S g => kept <- coin alpha ;; if kept then (n <- call alpha g ;; ret (S n)) else ret 1%nat
  end.

Lemma call_sure alpha gamma : expect (call alpha gamma) (fun _ => 1) = 1.
Proof.
  induction gamma as [|g IH]; [simpl; ring|]. cbn [call]. rewrite expect_bind, expect_coin, expect_bind, expect_ret.
  rewrite (expect_ext _ _ (fun _ => 1)) by (intros; now rewrite expect_ret). rewrite IH. ring.
Qed.

(** Independent steps of any acceptance 0 <= α <= 1: a call gives Σ_{i <= γ} αⁱ tokens on average, γ + 1 at α = 1. *)
Theorem sd_block_length_corrected alpha gamma : 0 <= alpha <= 1 ->
  expect (call alpha gamma) INR = sum (S gamma) (fun i => alpha ^ i) /\
  (alpha = 1 -> expect (call alpha gamma) INR = INR (S gamma)).
Proof.
  intros _. assert (E : expect (call alpha gamma) INR = sum (S gamma) (fun i => alpha ^ i)).
  { induction gamma as [|g IH]; [simpl; ring|]. cbn [call]. rewrite expect_bind, expect_coin, expect_bind, expect_ret.
    rewrite (expect_ext _ _ (fun n => INR n + 1)) by (intros; now rewrite expect_ret, S_INR).
    rewrite expect_plus, IH, call_sure.
    assert (T : forall n, sum (S n) (fun i => alpha ^ i) = 1 + alpha * sum n (fun i => alpha ^ i)).
    { induction n as [|n J]; [simpl; ring|]. change (sum (S (S n)) (fun i => alpha ^ i))
        with (sum (S n) (fun i => alpha ^ i) + alpha * alpha ^ n). rewrite J at 1. cbn [sum]. ring. }
    rewrite (T (S g)). change (INR 1) with 1. ring. }
  split; [exact E|]. intros ->. rewrite E. clear.
  induction (S gamma) as [|n IH]; [easy|]. cbn [sum]. rewrite IH, pow1, S_INR. ring.
Qed.

(** Of acceptance α < 1: (1 - α^(γ + 1))/(1 - α) tokens. *)
Theorem sd_block_length alpha gamma : 0 <= alpha < 1 ->
  expect (call alpha gamma) INR = (1 - alpha ^ (gamma + 1)) / (1 - alpha).
Proof.
  intros A. destruct (sd_block_length_corrected alpha gamma ltac:(lra)) as [-> _].
  assert (G : forall n, (1 - alpha) * sum n (fun i => alpha ^ i) = 1 - alpha ^ n).
  { induction n as [|n IH]; [simpl; ring|]. cbn [sum pow]. rewrite Rmult_plus_distr_l, IH. ring. }
  specialize (G (S gamma)). rewrite Nat.add_1_r, <- G. field. lra.
Qed.

(** * SQS *)

(** A draft drawn from what is sent is rejected with probability TV(q̂, p). *)
Theorem sqs_rejection V p sent : law V p -> law V sent ->
  expect (draw V sent) (fun x => chance (coin (Rmin 1 (p x / sent x))) negb) = tv V sent p.
Proof.
  intros P Q. rewrite expect_draw.
  transitivity (sum V (fun x => sent x * (1 - Rmin 1 (p x / sent x))));
    [|exact (refused_distance V (fun _ => p) (fun _ => sent) (fun _ => P) (fun _ => Q) [])].
  apply sum_ext. intros x _. unfold chance. rewrite expect_coin. simpl. ring.
Qed.

Section Batch.

Variable V : nat.
Variables target sent : list nat -> nat -> R.

(** Whatever is drafted and however the tests come out: what a call emits are the drafts up to some place and one token more, which
    replaces a rejected draft or follows the last of them; so at most one draft of a batch is rejected and resampled. *)
Theorem sqs_one_resample xs : forall text emitted is_rejected,
  In (emitted, is_rejected) (outcomes (verified V target sent text xs)) ->
  exists place y, emitted = firstn place xs ++ [y] /\ (place <= length xs)%nat /\ (is_rejected = true <-> (place < length xs)%nat).
Proof.
  induction xs as [|x xs IH]; intros text emitted is_rejected H; cbn [verified] in H.
  - apply outcomes_bind in H as [y [_ [E|[]]]]. simpl in E. inversion E; subst. exists 0%nat, y.
    split; [easy|]. split; [easy|]. simpl. split; [easy | lia].
  - apply outcomes_bind in H as [b [_ H]]. destruct b.
    + apply outcomes_bind in H as [[ys r] [I [E|[]]]]. simpl in E. inversion E; subst.
      destruct (IH _ _ _ I) as [place [y [F [L R]]]]. exists (S place), y. simpl. rewrite F. split; [easy|]. split; [lia|].
      rewrite R. lia.
    + apply outcomes_bind in H as [y [_ [E|[]]]]. simpl in E. inversion E; subst. exists 0%nat, y. simpl.
      split; [easy|]. split; [lia|]. split; [lia | easy].
Qed.

End Batch.

(** The tokens emitted where drafts are drawn from laws that are cut to some tokens, which may depend on the text, and rounded to
    multiples of 1/ℓ follow the target, with batches of a fixed length or ended by any rule that looks only at the text and at
    earlier drafts, as a budget of bits does. *)
Theorem sqs_lossless V target draft (kept : list nat -> nat -> bool) (l : list nat -> nat) stop gamma T test :
  (forall text, law V (target text)) -> (forall text, law V (draft text)) ->
  (forall text, 0 < sum V (on_kept (draft text) (kept text))) -> (forall text, (0 < l text)%nat) ->
  let quantised text := sent V (draft text) (kept text) (l text) in
  chance (speculate V quantised stop (verify V target quantised) T gamma T []) test = chance (sample V target T []) test.
Proof.
  intros P Q K L quantised. apply sd_lossless; [exact P|]. intros text. unfold quantised. now apply sent_law.
Qed.

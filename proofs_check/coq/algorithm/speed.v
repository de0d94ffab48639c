(** The speed-up of drafting in blocks. *)

Require Import Reals Lra Lia List Arith.
Require Import laws lossless rejections.
Import ListNotations.
Open Scope R_scope.

(** The time that the target alone takes for the tokens of a block, over the block's: γ drafts and one call of the target. *)
Definition speedup (accepted gamma draft_time target_time : R) : R :=
  (accepted + 1) * target_time / (gamma * draft_time + target_time).

Section Block.

Variable V : nat.
Variables target draft : list nat -> nat -> R.
Hypothesis target_law : forall text, law V (target text).
Hypothesis draft_law : forall text, law V (draft text).

(** A block of γ drafts, verified: the mean of a number of what it emits. *)
Definition block_mean (gamma : nat) (text : list nat) (f : list nat -> R) : R :=
  expect (drafts V draft (fun _ _ => false) gamma text []) (fun xs => expect (verified V target draft text xs) (fun o => f (fst o))).

(** Mean tokens of a block times the target's time for one, over the block's time, is (L + 1) t_p/(γ t_q + t_p) with L the mean
    number of accepted drafts: all but the last token of what a block emits. *)
Theorem sd_speedup gamma text draft_time target_time :
  let tokens := block_mean gamma text (fun ys => INR (length ys)) in
  let accepted := block_mean gamma text (fun ys => INR (length ys - 1)) in
  tokens * target_time / (INR gamma * draft_time + target_time) = speedup accepted (INR gamma) draft_time target_time.
Proof.
  intros tokens accepted. unfold speedup. do 2 f_equal. unfold tokens, accepted, block_mean.
  assert (E : forall xs, expect (verified V target draft text xs) (fun o => INR (length (fst o)))
    = expect (verified V target draft text xs) (fun o => INR (length (fst o) - 1) + 1)).
  { intros xs. apply expect_ext_in. intros o H. apply verified_emits in H. destruct (fst o) as [|y ys]; [easy|].
    cbn [length]. rewrite S_INR. f_equal. f_equal. lia. }
  rewrite (expect_ext _ _ _ E).
  rewrite (expect_ext _ _ (fun xs => expect (verified V target draft text xs) (fun o => INR (length (fst o) - 1))
    + expect (verified V target draft text xs) (fun _ => 1))) by (intros; apply expect_plus).
  rewrite expect_plus. f_equal.
  exact (round_sure V target draft (fun _ _ => false) target_law draft_law gamma text []).
Qed.

End Block.

(** At a fixed γ and fixed costs the speed-up does not fall when the mean number of accepted drafts rises, and does not rise when
    the draft gets slower. *)
Theorem sd_speedup_monotone accepted accepted' gamma draft_time draft_time' target_time :
  0 <= accepted <= accepted' -> 0 <= gamma -> 0 <= draft_time <= draft_time' -> 0 < target_time ->
  speedup accepted gamma draft_time target_time <= speedup accepted' gamma draft_time target_time /\
  speedup accepted gamma draft_time' target_time <= speedup accepted gamma draft_time target_time.
Proof.
  intros A G D T. assert (P : 0 < gamma * draft_time + target_time) by nra.
  assert (P' : gamma * draft_time + target_time <= gamma * draft_time' + target_time) by nra. unfold speedup. split.
  - apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat | nra].
  - apply Rmult_le_compat_l; [nra | now apply Rinv_le_contravar].
Qed.

(** The bound p(H) + 1 - D(all drafts in H) on what several drafts are accepted with, and the sets H at which it is least. *)

Require Import Reals Lra Lia List Arith Bool.
Require Import laws lossless several.
Import ListNotations.
Open Scope R_scope.

(** Of sets of the first n tokens one is best. *)
Lemma least_set n : forall F : (nat -> bool) -> R, (forall H H', (forall x, (x < n)%nat -> H x = H' x) -> F H = F H') ->
  exists best, forall H, F best <= F H.
Proof.
  induction n as [|n IH]; intros F Ext.
  - exists (fun _ => true). intros H. right. apply Ext. intros; lia.
  - set (with_last := fun (b : bool) (H : nat -> bool) x => if Nat.eqb x n then b else H x).
    assert (E : forall b, exists best, forall H, F (with_last b best) <= F (with_last b H)).
    { intros b. apply (IH (fun H => F (with_last b H))). intros H H' Same. apply Ext. intros x L. unfold with_last.
      destruct (Nat.eqb_spec x n); [easy | apply Same; lia]. }
    assert (Self : forall H, F H = F (with_last (H n) H)).
    { intros H. apply Ext. intros x L. unfold with_last. destruct (Nat.eqb_spec x n) as [->|]; easy. }
    destruct (E true) as [best1 B1], (E false) as [best0 B0].
    destruct (Rle_dec (F (with_last true best1)) (F (with_last false best0))) as [L|L].
    + exists (with_last true best1). intros H. rewrite (Self H). destruct (H n); [apply B1 | eapply Rle_trans; [exact L | apply B0]].
    + exists (with_last false best0). intros H. rewrite (Self H). destruct (H n); [|apply B0].
      apply (Rle_trans _ (F (with_last true best1))); [lra | apply B1].
Qed.

(** A power is above its tangents. *)
Lemma power_tangent s u k : 0 <= s -> 0 <= u -> s ^ S k + INR (S k) * s ^ k * (u - s) <= u ^ S k.
Proof.
  intros S0 U0. induction k as [|k IH]; [simpl; lra|].
  assert (P : 0 <= s ^ k) by now apply pow_le. assert (N : 0 <= INR (S k)) by apply pos_INR.
  apply (Rle_trans _ (u * (s ^ S k + INR (S k) * s ^ k * (u - s)))).
  - rewrite (S_INR (S k)). change (s ^ S (S k)) with (s * (s * s ^ k)). change (s ^ S k) with (s * s ^ k).
    assert (0 <= INR (S k) * s ^ k * ((u - s) * (u - s))).
    { apply Rmult_le_pos; [now apply Rmult_le_pos | apply Rle_0_sqr]. }
    replace (u * (s * s ^ k + INR (S k) * s ^ k * (u - s))) with
      (s * (s * s ^ k) + (INR (S k) + 1) * (s * s ^ k) * (u - s) + INR (S k) * s ^ k * ((u - s) * (u - s))) by ring. lra.
  - change (u ^ S (S k)) with (u * u ^ S k). now apply Rmult_le_compat_l.
Qed.

Section Independent.

Variable V : nat.
Variables p q : nat -> R.
Hypothesis target_law : law V p.
Hypothesis draft_law : law V q.

Definition mass_in (l : nat -> R) (H : nat -> bool) : R := sum V (fun x => if H x then l x else 0).

(** p(H) + 1 - D(all drafts in H), of K independent drafts. *)
Definition subset_value (K : nat) (H : nat -> bool) : R :=
  mass_in p H + 1 - chance (several V (alike q) always K []) (forallb H).

Lemma all_inside H K : forall before, chance (several V (alike q) always K before) (forallb H) = mass_in q H ^ K.
Proof.
  induction K as [|K IH]; intros before; [unfold chance; cbn [several]; rewrite expect_ret; unfold indicator; easy|].
  unfold chance in *. rewrite several_next by easy. cbn [pow]. unfold mass_in at 1. rewrite <- sum_scale_right. apply sum_ext. intros x _.
  unfold alike at 1. cbn [forallb]. destruct (H x); simpl.
  - now rewrite IH.
  - rewrite (expect_const _ (indicator false)). unfold indicator. ring.
Qed.

Lemma mass_nonneg l H : law V l -> 0 <= mass_in l H.
Proof. intros L. apply sum_nonneg. intros x X. destruct (H x); [now apply (law_nonneg V) | lra]. Qed.

(** Independent drafts: some H that minimises p(H) + 1 - D(all drafts in H) is a threshold set {x : p(x)/q(x) <= t}. *)
Theorem multi_threshold_iid K : (0 < K)%nat ->
  exists t, forall H, subset_value K (fun x => if Rle_dec (p x) (t * q x) then true else false) <= subset_value K H.
Proof.
  intros K0. destruct K as [|k]; [lia|].
  destruct (least_set V (subset_value (S k))) as [best Best].
  { intros H H' Same. unfold subset_value. rewrite !all_inside. unfold mass_in.
    rewrite (sum_ext V (fun x => if H x then p x else 0) (fun x => if H' x then p x else 0)) by (intros x L; now rewrite Same).
    rewrite (sum_ext V (fun x => if H x then q x else 0) (fun x => if H' x then q x else 0)) by (intros x L; now rewrite Same). easy. }
  set (s := mass_in q best). set (c := INR (S k) * s ^ k). exists c. intros H. eapply Rle_trans; [|apply Best].
  set (G := fun x => if Rle_dec (p x) (c * q x) then true else false). unfold subset_value. rewrite !all_inside. fold s.
  pose proof (power_tangent s (mass_in q G) k (mass_nonneg q best draft_law) (mass_nonneg q G draft_law)) as T. fold c in T.
  assert (W : mass_in p G - c * mass_in q G <= mass_in p best - c * s).
  { unfold s, mass_in. rewrite <- !sum_scale, <- !sum_minus. apply sum_le. intros x _. unfold G.
    destruct (Rle_dec (p x) (c * q x)), (best x); lra. }
  lra.
Qed.

End Independent.

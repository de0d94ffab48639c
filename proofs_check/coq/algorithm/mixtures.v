(** TASC: mixtures of drafters, n-gram drafters, and rows of new tokens. *)

Require Import Reals Lra Lia List Arith.
Require Import laws lossless slopes softmax thresholds.
Import ListNotations.
Open Scope R_scope.

(** * Mixtures of drafters *)

Definition mixed (w : R) (c r : nat -> R) (x : nat) : R := w * c x + (1 - w) * r x.

(** What mixing gains over the average of what two drafters accept: Σ min(λ (c - p)₊ + (1 - λ)(r - p)₊, λ (p - c)₊ +
    (1 - λ)(p - r)₊), tokens of which one proposes too much and the other too little. *)
Theorem tasc_mixture_average_sharp V p c r w :
  overlap V p (mixed w c r) - (w * overlap V p c + (1 - w) * overlap V p r)
  = sum V (fun x => Rmin (w * Rmax 0 (c x - p x) + (1 - w) * Rmax 0 (r x - p x))
      (w * Rmax 0 (p x - c x) + (1 - w) * Rmax 0 (p x - r x))).
Proof.
  unfold overlap. rewrite <- !sum_scale, <- sum_plus, <- sum_minus. apply sum_ext. intros x _. unfold mixed.
  assert (S : forall a b, Rmin a b = a - Rmax 0 (a - b))
    by (intros; unfold Rmin, Rmax; destruct (Rle_dec a b), (Rle_dec 0 (a - b)); lra).
  assert (D : forall a b, Rmax 0 (a - b) = Rmax 0 (b - a) + (a - b))
    by (intros; unfold Rmax; destruct (Rle_dec 0 (a - b)), (Rle_dec 0 (b - a)); lra).
  rewrite (S (p x) (c x)), (S (p x) (r x)), (D (c x) (p x)), (D (r x) (p x)).
  set (u := Rmax 0 (p x - c x)). set (v := Rmax 0 (p x - r x)).
  unfold Rmin. destruct (Rle_dec (p x) _), (Rle_dec (w * (u + _) + _) _); lra.
Qed.

(** A mixture of drafters accepts at least the average of what they accept. *)
Theorem tasc_mixture_average V p c r w : 0 <= w <= 1 ->
  w * overlap V p c + (1 - w) * overlap V p r <= overlap V p (mixed w c r).
Proof.
  intros W. pose proof (tasc_mixture_average_sharp V p c r w) as E.
  assert (0 <= sum V (fun x => Rmin (w * Rmax 0 (c x - p x) + (1 - w) * Rmax 0 (r x - p x))
      (w * Rmax 0 (p x - c x) + (1 - w) * Rmax 0 (p x - r x)))); [|lra].
  apply sum_nonneg. intros x _. pose proof (Rmax_l 0 (c x - p x)). pose proof (Rmax_l 0 (r x - p x)).
  pose proof (Rmax_l 0 (p x - c x)). pose proof (Rmax_l 0 (p x - r x)).
  apply Rmin_glb; apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra.
Qed.

(** All mass on the most likely token. *)
Definition greedy (V : nat) (q : nat -> R) (x : nat) : R := if Nat.eqb x (top V q) then 1 else 0.

(** Verified by speculative sampling, texts have the target's law whatever an n-gram drafter proposes: a table of a corpus, one of
    the prompt and the text so far, their mixture, or all mass on its most likely token. *)
Theorem tasc_spec_lossless V target corpus prompt w stop gamma T test : (0 < V)%nat -> 0 <= w <= 1 ->
  (forall text, law V (target text)) -> (forall text, law V (corpus text)) -> (forall text, law V (prompt text)) ->
  let lossless drafter := chance (speculate V drafter stop (verify V target drafter) T gamma T []) test
    = chance (sample V target T []) test in
  lossless corpus /\ lossless prompt /\ lossless (fun text => mixed w (corpus text) (prompt text)) /\
  lossless (fun text => greedy V (mixed w (corpus text) (prompt text))).
Proof.
  intros L W P C R lossless. assert (Any : forall drafter, (forall text, law V (drafter text)) -> lossless drafter)
    by (intros drafter D; now apply sd_lossless).
  split; [now apply Any|]. split; [now apply Any|]. split; apply Any; intros text.
  - destruct (C text) as [CN CO], (R text) as [RN RO]. split.
    + intros x X. specialize (CN x X). specialize (RN x X). unfold mixed.
      apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra.
    + unfold mixed. rewrite sum_plus, !sum_scale, CO, RO. ring.
  - set (q := mixed w (corpus text) (prompt text)). split.
    + intros x _. unfold greedy. destruct (Nat.eqb x (top V q)); lra.
    + unfold greedy. apply (sum_point V (fun _ => 1)). now apply top_most.
Qed.

(** * Rows of new tokens *)

(** A token's logit: the product of its row with the state. *)
Definition logit (width : nat) (row state : nat -> R) : R := sum width (fun k => row k * state k).

(** A new token whose row is the mean of its constituents' rows has the mean of their logits. *)
Theorem tasc_mean_initialisation width n (rows : nat -> nat -> R) state :
  logit width (fun k => sum n (fun i => rows i k) / INR n) state = sum n (fun i => logit width (rows i) state) / INR n.
Proof.
  unfold logit, Rdiv. rewrite <- sum_scale_right.
  rewrite (sum_ext n _ (fun i => sum width (fun k => rows i k * state k * / INR n)))
    by (intros; now rewrite sum_scale_right).
  rewrite sum_swap. apply sum_ext. intros k _. rewrite !sum_scale_right. ring.
Qed.

Lemma exp_above x : 1 + x <= exp x.
Proof.
  assert (D : forall y, derivable_pt_lim (fun y => exp y - y) y (exp y - 1))
    by (intros y; apply (derivable_pt_lim_minus exp id); [apply derivable_pt_lim_exp | apply derivable_pt_lim_id]).
  assert (E : forall y, derivable_pt_lim (fun y => y - exp y) y (1 - exp y))
    by (intros y; apply (derivable_pt_lim_minus id exp); [apply derivable_pt_lim_id | apply derivable_pt_lim_exp]).
  destruct (Rle_lt_dec 0 x) as [X|X].
  - pose proof (monotone (fun y => exp y - y) (fun y => exp y - 1) 0 x X (fun t _ => D t)) as M. simpl in M.
    rewrite exp_0 in M. assert (forall t, 0 <= t <= x -> 0 <= exp t - 1); [|specialize (M H); lra].
    intros t [T _]. apply exp_le in T. rewrite exp_0 in T. lra.
  - pose proof (monotone (fun y => y - exp y) (fun y => 1 - exp y) x 0 (Rlt_le _ _ X) (fun t _ => E t)) as M. simpl in M.
    rewrite exp_0 in M. assert (forall t, x <= t <= 0 -> 0 <= 1 - exp t); [|specialize (M H); lra].
    intros t [_ T]. apply exp_le in T. rewrite exp_0 in T. lra.
Qed.

Section Constituents.

Variable V : nat.
Variable z : nat -> R.
(** The constituents of the new token, a set of tokens, and how many they are. *)
Variable part : nat -> bool.
Hypothesis some_token : (0 < V)%nat.

Definition over (f : nat -> R) : R := sum V (fun x => if part x then f x else 0).
Fixpoint how_many (n : nat) : nat := match n with O => O | S m => (how_many m + if part m then 1 else 0)%nat end.
Definition number : R := INR (how_many V).
Fixpoint product (n : nat) (f : nat -> R) : R := match n with O => 1 | S m => product m f * (if part m then f m else 1) end.
(** The logits of the enlarged vocabulary: the new token, V, has the mean of its constituents' logits. *)
Definition enlarged (x : nat) : R := if Nat.eqb x V then over z / number else z x.

Lemma number_is : over (fun _ => 1) = number.
Proof.
  unfold over, number. clear some_token. induction V as [|n IH]; [easy|]. cbn [sum how_many]. rewrite IH, plus_INR.
  destruct (part n); easy.
Qed.

Lemma exp_multiple m n : exp (INR n * m) = exp m ^ n.
Proof.
  induction n as [|n IH]; [simpl; rewrite Rmult_0_l; apply exp_0|]. rewrite S_INR, Rmult_plus_distr_r, exp_plus, IH, Rmult_1_l.
  simpl. ring.
Qed.

Lemma product_is W n : product n (fun x => exp (z x) / W) = exp (sum n (fun x => if part x then z x else 0)) * (/ W) ^ how_many n.
Proof.
  induction n as [|n IH]; [simpl; rewrite exp_0; ring|]. cbn [product sum how_many]. rewrite IH, exp_plus, pow_add.
  destruct (part n); [simpl; unfold Rdiv; ring | rewrite exp_0; simpl; ring].
Qed.

(** Before any training a new token takes probability g/(1 + g), g the geometric mean of its constituents' probabilities, which is
    at most 1/(n + 1) for n different constituents. *)
Theorem tasc_mean_initialisation_sharp : (0 < how_many V)%nat ->
  exists g, 0 < g /\ g ^ how_many V = product V (softmax V z) /\
    softmax (S V) enlarged V = g / (1 + g) /\ softmax (S V) enlarged V <= 1 / (number + 1).
Proof.
  intros Some. assert (N : 0 < number) by (unfold number; now apply lt_0_INR).
  pose proof (weights_positive V z some_token) as P. set (W := sum V (fun y => exp (z y))) in *.
  set (m := over z / number). pose proof (exp_pos m) as E.
  assert (Total : sum (S V) (fun y => exp (enlarged y)) = W + exp m).
  { cbn [sum]. unfold enlarged at 2. rewrite Nat.eqb_refl. fold m. f_equal. apply sum_ext. intros y L. unfold enlarged.
    destruct (Nat.eqb_spec y V); [lia | easy]. }
  assert (New : softmax (S V) enlarged V = exp m / (W + exp m))
    by (unfold softmax; rewrite Total; unfold enlarged; now rewrite Nat.eqb_refl).
  exists (exp m / W). split; [apply Rmult_lt_0_compat; [easy | now apply Rinv_0_lt_compat]|]. split.
  { unfold softmax. fold W. rewrite product_is. fold (over z). replace (over z) with (INR (how_many V) * m)
      by (unfold m; fold number; field; lra).
    rewrite exp_multiple. unfold Rdiv. apply Rpow_mult_distr. }
  assert (Most : number * exp m <= W).
  { assert (A : over (fun x => exp m * (1 + (z x - m))) = number * exp m).
    { unfold over. rewrite (sum_ext V _ (fun x => exp m * ((if part x then 1 else 0)
        + ((if part x then z x else 0) - m * (if part x then 1 else 0))))) by (intros; destruct (part x); ring).
      rewrite sum_scale, sum_plus, sum_minus, sum_scale. fold (over z). fold (over (fun _ => 1)). rewrite number_is.
      unfold m. field. lra. }
    rewrite <- A. apply sum_le. intros x _. destruct (part x); [|left; apply exp_pos].
    replace (z x) with (m + (z x - m)) at 2 by ring. rewrite exp_plus. apply Rmult_le_compat_l; [lra | apply exp_above]. }
  rewrite New. split.
  - field. split; lra.
  - apply (Rmult_le_reg_r ((W + exp m) * (number + 1))); [apply Rmult_lt_0_compat; lra|].
    replace (exp m / (W + exp m) * ((W + exp m) * (number + 1))) with (exp m * (number + 1)) by (field; lra).
    replace (1 / (number + 1) * ((W + exp m) * (number + 1))) with (W + exp m) by (field; lra). lra.
Qed.

End Constituents.

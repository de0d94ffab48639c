(** Rules of one step that keep a draft with a probability of their own, EARS among them. *)

Require Import Reals Lra Lia List Arith.
Require Import laws lossless.
Import ListNotations.
Open Scope R_scope.

Section Rules.

Variable V : nat.
Variables p q : nat -> R.
Hypothesis target_law : law V p.
Hypothesis draft_law : law V q.

(** Draw a draft, keep it with probability a, else draw from a law that may depend on the draft. *)
Definition rule (a : nat -> R) (replacement : nat -> nat -> R) : program nat :=
  x <- draw V q ;; (kept <- coin (a x) ;; if kept then ret x else draw V (replacement x)).
Definition acceptance (a : nat -> R) : R := expect (draw V q) a.

Definition kept (a : nat -> R) (y : nat) : R := q y * a y.
Definition replaced (a : nat -> R) (replacement : nat -> nat -> R) (y : nat) : R :=
  sum V (fun x => q x * (1 - a x) * replacement x y).

Lemma rule_expect a replacement f :
  expect (rule a replacement) f = sum V (fun y => (kept a y + replaced a replacement y) * f y).
Proof.
  unfold rule. rewrite expect_bind, expect_draw.
  rewrite (sum_ext V _ (fun x => kept a x * f x + sum V (fun y => q x * (1 - a x) * replacement x y * f y))).
  - rewrite sum_plus, sum_swap, <- sum_plus. apply sum_ext. intros y _. unfold replaced.
    rewrite sum_scale_right. ring.
  - intros x _. rewrite expect_bind, expect_coin, expect_ret, expect_draw. unfold kept.
    rewrite (sum_ext V (fun y => q x * (1 - a x) * replacement x y * f y)
      (fun y => q x * (1 - a x) * (replacement x y * f y))) by (intros; ring).
    rewrite sum_scale. ring.
Qed.

Lemma rule_output a replacement y : (y < V)%nat -> output (rule a replacement) y = kept a y + replaced a replacement y.
Proof.
  apply (output_expect V _ (fun y => kept a y + replaced a replacement y)). intros f. apply rule_expect.
Qed.

Lemma tv_ext o o' : (forall y, (y < V)%nat -> o y = o' y) -> tv V o p = tv V o' p.
Proof. intros E. unfold tv. f_equal. apply sum_ext. intros y L. now rewrite E. Qed.

Lemma output_total a replacement : (forall x, (x < V)%nat -> law V (replacement x)) ->
  sum V (output (rule a replacement)) = sum V p.
Proof.
  intros R. rewrite (sum_ext V _ (fun y => kept a y + replaced a replacement y)) by (intros; now apply rule_output).
  rewrite sum_plus. unfold replaced. rewrite sum_swap. destruct target_law as [_ P]. destruct draft_law as [_ Q].
  rewrite P, <- sum_plus. transitivity (sum V q); [|easy]. apply sum_ext. intros x L. destruct (R x L) as [_ One].
  rewrite sum_scale, One. unfold kept. ring.
Qed.

(** Every rule on drafts from q, whatever it draws after a rejection, even a law that depends on the draft, accepts at most
    what speculative decoding accepts and the total variation of its output. *)
Theorem ears_best_tradeoff a replacement :
  (forall x, (x < V)%nat -> 0 <= a x <= 1) -> (forall x, (x < V)%nat -> law V (replacement x)) ->
  acceptance a <= overlap V p q + tv V (output (rule a replacement)) p.
Proof.
  intros A R. rewrite tv_positive by now apply output_total.
  unfold acceptance, overlap. rewrite expect_draw, <- sum_plus. apply sum_le. intros y L.
  rewrite rule_output by easy.
  assert (0 <= replaced a replacement y).
  { apply sum_nonneg. intros x Lx. apply Rmult_le_pos; [apply Rmult_le_pos|].
    - now apply (law_nonneg V).
    - pose proof (A x Lx). lra.
    - now apply (law_nonneg V), L; apply R. }
  assert (kept a y <= q y).
  { unfold kept. rewrite <- (Rmult_1_r (q y)) at 2. apply Rmult_le_compat_l; [now apply (law_nonneg V) | now apply A]. }
  fold (kept a y). unfold Rmin, Rmax.
  destruct (Rle_dec (p y) (q y)), (Rle_dec 0 (kept a y + replaced a replacement y - p y)); lra.
Qed.

(** * EARS *)

(** The largest mass of a law; the tolerance; a draft passes where its coin is at most p/q + t. *)
Fixpoint largest (n : nat) (f : nat -> R) : R := match n with O => 0 | S m => Rmax (largest m f) (f m) end.
Definition tolerance (beta : R) : R := beta * (1 - largest V p).
Definition passes (t : R) (x : nat) : R := Rmin 1 (p x / q x + t).
Definition ears (beta : R) : program nat := rule (passes (tolerance beta)) (fun _ => residual V p q).

(** What it keeps beyond speculative decoding. *)
Definition gain (t : R) (x : nat) : R := Rmin (Rmax 0 (q x - p x)) (t * q x).

Lemma largest_le n f c : 0 <= c -> (forall x, (x < n)%nat -> f x <= c) -> largest n f <= c.
Proof.
  intros C. induction n as [|n IH]; simpl; intros H; [easy|].
  apply Rmax_lub; [apply IH; intros; apply H; lia | apply H; lia].
Qed.

Lemma tolerance_nonneg beta : 0 <= beta -> 0 <= tolerance beta.
Proof.
  intros B. apply Rmult_le_pos; [easy|].
  assert (largest V p <= 1) by (apply largest_le; [lra | intros; now apply (law_le_1 V)]). lra.
Qed.

Lemma min_gain a b c : 0 <= c -> Rmin b (a + c) = Rmin a b + Rmin (Rmax 0 (b - a)) c.
Proof.
  intros C. destruct (Rle_lt_dec a b) as [L|L].
  - rewrite (Rmin_left a b), (Rmax_right 0 (b - a)) by lra. unfold Rmin.
    destruct (Rle_dec b (a + c)), (Rle_dec (b - a) c); lra.
  - rewrite (Rmin_right a b), (Rmax_left 0 (b - a)), (Rmin_left b (a + c)), (Rmin_left 0 c); lra.
Qed.

Lemma kept_gain t x : 0 <= t -> (x < V)%nat -> kept (passes t) x = Rmin (p x) (q x) + gain t x.
Proof.
  intros T L. pose proof (law_nonneg V p x target_law L) as P. pose proof (law_nonneg V q x draft_law L) as Q.
  unfold gain. rewrite <- min_gain by (apply Rmult_le_pos; lra). rewrite Rmin_comm. unfold kept, passes.
  destruct Q as [Q|Q]; [|rewrite <- Q, Rmult_0_l, Rmin_right; lra].
  replace (p x / q x + t) with ((p x + t * q x) / q x) by (field; lra).
  apply keep_mass; [|lra]. assert (0 <= t * q x) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma gain_nonneg t x : 0 <= t -> (x < V)%nat -> 0 <= gain t x.
Proof.
  intros T L. apply Rmin_glb; [apply Rmax_l|]. apply Rmult_le_pos; [easy | now apply (law_nonneg V)].
Qed.

Lemma acceptance_gain t : 0 <= t -> acceptance (passes t) = overlap V p q + sum V (gain t).
Proof.
  intros T. unfold acceptance, overlap. rewrite expect_draw, <- sum_plus. apply sum_ext. intros x L.
  now apply kept_gain.
Qed.

Lemma excess_both : sum V (excess p q) = sum V (excess q p).
Proof.
  rewrite <- (refused_is_excess V p q), <- (refused_is_excess V q p) by easy. unfold overlap. f_equal.
  apply sum_ext. intros x _. apply Rmin_comm.
Qed.

Lemma output_gain t y : 0 <= t -> (y < V)%nat ->
  output (rule (passes t) (fun _ => residual V p q)) y
  = p y + gain t y - sum V (gain t) * residual V p q y.
Proof.
  intros T L. rewrite rule_output, kept_gain by easy. unfold replaced.
  rewrite sum_scale_right.
  assert (E : sum V (fun x => q x * (1 - passes t x)) = sum V (excess p q) - sum V (gain t)).
  { rewrite <- (refused_is_excess V p q) by easy. pose proof (acceptance_gain t T) as A.
    unfold acceptance in A. rewrite expect_draw in A. destruct draft_law as [_ Q].
    rewrite (sum_ext V _ (fun x => q x - q x * passes t x)) by (intros; ring). rewrite sum_minus, Q, A. ring. }
  rewrite E. assert (D : sum V (excess p q) * residual V p q y = excess p q y).
  { unfold residual. destruct (Req_dec (sum V (excess p q)) 0) as [Z|N]; [|field; easy].
    rewrite Z, (sum_zero_terms V (excess p q)); [ring | intros; apply Rmax_l | easy | easy]. }
  pose proof (min_excess p q y). lra.
Qed.

(** EARS, with the residual after a rejection: the total variation of its output is the acceptance it gains over speculative
    decoding, Σ min((q - p)₊, t q) with t = β (1 - max p), for every β. *)
Theorem ears_bias_residual beta : 0 <= beta ->
  tv V (output (ears beta)) p = sum V (gain (tolerance beta)) /\
  acceptance (passes (tolerance beta)) - overlap V p q = sum V (gain (tolerance beta)).
Proof.
  intros B. pose proof (tolerance_nonneg beta B) as T. set (t := tolerance beta) in *.
  split; [|rewrite acceptance_gain by easy; ring].
  rewrite (tv_ext _ (fun y => p y + gain t y - sum V (gain t) * residual V p q y)) by (intros; now apply (output_gain t)).
  assert (G : 0 <= sum V (gain t)) by (apply sum_nonneg; intros; now apply gain_nonneg).
  destruct (Req_dec (sum V (excess p q)) 0) as [Z|N].
  - assert (Z' : sum V (excess q p) = 0) by now rewrite <- excess_both.
    assert (E : forall y, (y < V)%nat -> gain t y = 0).
    { intros y L. assert (X : excess q p y = 0)
        by (apply (sum_zero_terms V (excess q p)); [intros; apply Rmax_l | easy | easy]).
      apply Rle_antisym; [|now apply gain_nonneg]. rewrite <- X. apply Rmin_l. }
    rewrite (sum_ext V (gain t) (fun _ => 0)) by easy. rewrite sum_zero. unfold tv.
    rewrite (sum_ext V _ (fun _ => 0)), sum_zero; [ring|]. intros y L. rewrite E by easy.
    replace (p y + 0 - 0 * residual V p q y - p y) with 0 by ring. apply Rabs_R0.
  - unfold tv. rewrite (sum_ext V _ (fun y => gain t y + sum V (gain t) / sum V (excess p q) * excess p q y)).
    + rewrite sum_plus, sum_scale. field. easy.
    + intros y L. unfold residual.
      assert (0 < sum V (excess p q)).
      { assert (0 <= sum V (excess p q)) by (apply sum_nonneg; intros; apply Rmax_l). lra. }
      assert (0 <= sum V (gain t) / sum V (excess p q))
        by (apply Rmult_le_pos; [easy | left; now apply Rinv_0_lt_compat]).
      replace (p y + gain t y - sum V (gain t) * (excess p q y / sum V (excess p q)) - p y)
        with (gain t y - sum V (gain t) / sum V (excess p q) * excess p q y) by (field; easy).
      pose proof (gain_nonneg t y T L).
      unfold excess in *. destruct (Rle_dec (p y) (q y)).
      * rewrite (Rmax_left 0 (p y - q y)) by lra. rewrite Rmult_0_r, Rminus_0_r, Rplus_0_r. apply Rabs_right. lra.
      * assert (gain t y = 0) as ->.
        { apply Rle_antisym; [|easy]. unfold gain. rewrite (Rmax_left 0 (q y - p y)) by lra. apply Rmin_l. }
        rewrite Rplus_0_l, Rminus_0_l, Rabs_Ropp. apply Rabs_right. apply Rle_ge, Rmult_le_pos; [easy | apply Rmax_l].
Qed.

End Rules.

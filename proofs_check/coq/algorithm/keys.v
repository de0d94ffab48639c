(** Watermarks: keyed drafts and residual tokens, with a fresh coin in the test. *)

Require Import Reals Lra Lia List Arith Bool.
Require Import laws lossless several certain.
Import ListNotations.
Open Scope R_scope.

Section Keys.

Variable V : nat.
Variables p q : nat -> R.
Hypothesis target_law : law V p.
Hypothesis draft_law : law V q.

(** The law of the residual token; a joint law, over keys, of the draft and the residual token. *)
Definition residual_token : nat -> R := made_law V (excess p q) p.
Definition couples (J : nat -> nat -> R) : Prop :=
  (forall x y, (x < V)%nat -> (y < V)%nat -> 0 <= J x y) /\
  (forall x, (x < V)%nat -> sum V (J x) = q x) /\ (forall y, (y < V)%nat -> sum V (fun x => J x y) = residual_token y).

(** Keys, and what they draw: the draft and the residual token. *)
Definition keyed (J : nat -> nat -> R) : program (nat * nat) := flat_map (fun x => map (fun y => (J x y, (x, y))) (seq 0 V)) (seq 0 V).

(** Given both, the token that is emitted, and whether it is the draft: the coin is fresh. *)
Definition emitted (keys : nat * nat) : program (nat * bool) :=
  kept <- coin (Rmin 1 (p (fst keys) / q (fst keys))) ;; if kept then ret (fst keys, true) else ret (snd keys, false).
Definition keyed_step (J : nat -> nat -> R) : program (nat * bool) := keys <- keyed J ;; emitted keys.

(** Two runs with the same keys, and coins of their own. *)
Definition two_runs (J : nat -> nat -> R) : program (nat * nat) :=
  keys <- keyed J ;; (o <- emitted keys ;; (o' <- emitted keys ;; ret (fst o, fst o'))).

Notation a := (fun x => Rmin 1 (p x / q x)).
Notation alpha := (overlap V p q).

Lemma keyed_value J f : expect (keyed J) f = sum V (fun x => sum V (fun y => J x y * f (x, y))).
Proof.
  assert (Row : forall x n, expect (map (fun y => (J x y, (x, y))) (seq 0 n)) f = sum n (fun y => J x y * f (x, y))).
  { intros x n. induction n as [|n IH]; [easy|]. rewrite seq_S, map_app, expect_app, IH. simpl. ring. }
  unfold keyed. assert (G : forall m, expect (flat_map (fun x => map (fun y => (J x y, (x, y))) (seq 0 V)) (seq 0 m)) f
    = sum m (fun x => sum V (fun y => J x y * f (x, y)))); [|apply G].
  induction m as [|m IH]; [easy|]. rewrite seq_S, flat_map_app, expect_app, IH. cbn [flat_map sum]. rewrite app_nil_r, Row. easy.
Qed.

Lemma emitted_value x y f : expect (emitted (x, y)) f = Rmin 1 (p x / q x) * f (x, true) + (1 - Rmin 1 (p x / q x)) * f (y, false).
Proof. unfold emitted. now rewrite expect_bind, expect_coin, !expect_ret. Qed.

Lemma residual_mass y : (y < V)%nat -> (1 - alpha) * residual_token y = excess p q y.
Proof.
  intros L. rewrite (refused_is_excess V p q target_law draft_law).
  pose proof (made_law_mean V (excess p q) p (fun z => if Nat.eqb z y then 1 else 0) (fun x _ => Rmax_l _ _)) as E.
  rewrite (sum_ext V (fun x => made_law V (excess p q) p x * _) (fun x => if Nat.eqb x y then made_law V (excess p q) p x else 0)), sum_point in E
    by (easy || (intros z _; destruct (Nat.eqb z y); ring)).
  rewrite (sum_ext V (fun x => excess p q x * _) (fun x => if Nat.eqb x y then excess p q x else 0)), sum_point in E
    by (easy || (intros z _; destruct (Nat.eqb z y); ring)). exact E.
Qed.

Lemma keep_share x : (x < V)%nat -> 0 <= Rmin 1 (p x / q x) <= 1.
Proof. intros L. apply quotient_range; now apply (law_nonneg V). Qed.

Lemma keep_mean : sum V (fun x => q x * Rmin 1 (p x / q x)) = alpha.
Proof. apply sum_ext. intros x L. apply keep_mass; now apply (law_nonneg V). Qed.

Section Coupled.

Variable J : nat -> nat -> R.
Hypothesis joint : couples J.

Lemma keyed_output y : (y < V)%nat -> chance (keyed_step J) (fun o => Nat.eqb (fst o) y)
  = Rmin (p y) (q y) + sum V (fun x => J x y * (1 - Rmin 1 (p x / q x))).
Proof.
  intros L. destruct joint as [N [Rows Columns]]. unfold chance, keyed_step. rewrite expect_bind, keyed_value.
  rewrite (sum_ext V _ (fun x => (if Nat.eqb x y then q x * Rmin 1 (p x / q x) else 0) + J x y * (1 - Rmin 1 (p x / q x)))).
  - rewrite sum_plus, (sum_point V (fun x => q x * Rmin 1 (p x / q x))), keep_mass by (easy || now apply (law_nonneg V)). easy.
  - intros x X. rewrite (sum_ext V _ (fun z => J x z * (Rmin 1 (p x / q x) * indicator (Nat.eqb x y))
      + (if Nat.eqb z y then J x z * (1 - Rmin 1 (p x / q x)) else 0))).
    + rewrite sum_plus, sum_scale_right, Rows, (sum_point V (fun z => J x z * (1 - Rmin 1 (p x / q x)))) by easy.
      unfold indicator. destruct (Nat.eqb x y); ring.
    + intros z _. rewrite emitted_value. simpl fst. unfold indicator. destruct (Nat.eqb x y), (Nat.eqb z y); ring.
Qed.

Lemma keyed_accepts : chance (keyed_step J) snd = alpha.
Proof.
  destruct joint as [N [Rows Columns]]. unfold chance, keyed_step. rewrite expect_bind, keyed_value, <- keep_mean. apply sum_ext. intros x X.
  rewrite (sum_ext V _ (fun y => J x y * Rmin 1 (p x / q x))).
  - now rewrite sum_scale_right, Rows.
  - intros y _. rewrite emitted_value. unfold indicator. simpl. ring.
Qed.

End Coupled.

Lemma residual_token_law : law V residual_token.
Proof. apply made_law_law; [intros; apply Rmax_l | easy]. Qed.

Lemma apart_couples : couples (fun x y => q x * residual_token y).
Proof.
  pose proof residual_token_law as R. split; [|split].
  - intros x y X Y. apply Rmult_le_pos; [now apply (law_nonneg V) | now apply (law_nonneg V)].
  - intros x X. rewrite sum_scale. destruct R as [_ ->]. ring.
  - intros y Y. rewrite sum_scale_right. destruct draft_law as [_ ->]. ring.
Qed.

(** With one key for the draft, another for the residual token, and a fresh coin in the test, the output law over keys is p and a draft is
    accepted with probability Σ min(p, q). *)
Theorem watermark_fresh_coins_two_keys : let J x y := q x * residual_token y in
  (forall y, (y < V)%nat -> chance (keyed_step J) (fun o => Nat.eqb (fst o) y) = p y) /\ chance (keyed_step J) snd = alpha.
Proof.
  intros J. split; [|now apply keyed_accepts, apart_couples]. intros y L. rewrite (keyed_output J apart_couples y L). unfold J.
  rewrite (sum_ext V _ (fun x => (q x - q x * Rmin 1 (p x / q x)) * residual_token y)) by (intros; ring).
  rewrite sum_scale_right, sum_minus, keep_mean. destruct draft_law as [_ One]. rewrite One, residual_mass by easy. apply min_excess.
Qed.

(** Whatever keys the draft and the residual token share, with a fresh coin in the test the output law over keys is within
    α (1 - α) <= 1/4 of p, α = Σ min(p, q). *)
Theorem watermark_fresh_coins_one_key_corrected J : couples J ->
  tv V (fun y => chance (keyed_step J) (fun o => Nat.eqb (fst o) y)) p <= alpha * (1 - alpha) /\ alpha * (1 - alpha) <= 1 / 4.
Proof.
  intros Joint. pose proof Joint as [N [Rows Columns]].
  split; [|assert (0 <= Rsqr (alpha - / 2)) by apply Rle_0_sqr; unfold Rsqr in *; lra].
  assert (A0 : 0 <= alpha) by (apply sum_nonneg; intros; apply Rmin_glb; now apply (law_nonneg V)).
  assert (A1 : alpha <= 1) by (destruct target_law as [_ <-]; apply sum_le; intros; apply Rmin_l).
  unfold tv. apply (Rle_trans _ (/ 2 * sum V (fun x => q x * Rabs (alpha - Rmin 1 (p x / q x))))).
  - apply Rmult_le_compat_l; [lra|]. apply (Rle_trans _ (sum V (fun y => sum V (fun x => J x y * Rabs (alpha - Rmin 1 (p x / q x)))))).
    + apply sum_le. intros y L. rewrite keyed_output by easy.
      replace (Rmin (p y) (q y) + _ - p y) with (sum V (fun x => J x y * (alpha - Rmin 1 (p x / q x)))).
      * eapply Rle_trans; [apply sum_abs|]. apply sum_le. intros x X. rewrite Rabs_mult, (Rabs_pos_eq (J x y)) by auto. lra.
      * rewrite (sum_ext V (fun x => J x y * (1 - _)) (fun x => J x y * (alpha - Rmin 1 (p x / q x)) + J x y * (1 - alpha))) by (intros; ring).
        rewrite sum_plus, sum_scale_right, Columns by easy. pose proof (min_excess p q y) as M. pose proof (residual_mass y L). lra.
    + rewrite sum_swap. apply sum_le. intros x X. rewrite sum_scale_right, Rows by easy. lra.
  - replace (alpha * (1 - alpha)) with (/ 2 * sum V (fun x => q x * Rmin 1 (p x / q x) * (1 - alpha) + (q x - q x * Rmin 1 (p x / q x)) * alpha)).
    + apply Rmult_le_compat_l; [lra|]. apply sum_le. intros x X. pose proof (keep_share x X) as K. pose proof (law_nonneg V q x draft_law X) as Q.
      replace (q x * Rmin 1 (p x / q x) * (1 - alpha) + (q x - q x * Rmin 1 (p x / q x)) * alpha)
        with (q x * (Rmin 1 (p x / q x) * (1 - alpha) + (1 - Rmin 1 (p x / q x)) * alpha)) by ring.
      apply Rmult_le_compat_l; [easy|]. assert (0 <= Rmin 1 (p x / q x) * (1 - alpha)) by (apply Rmult_le_pos; lra).
      assert (0 <= (1 - Rmin 1 (p x / q x)) * alpha) by (apply Rmult_le_pos; lra). apply Rabs_le. split; nra.
    + rewrite sum_plus, !sum_scale_right, sum_minus, keep_mean. destruct draft_law as [_ ->]. field.
Qed.

(** With one-hot keyed drafts and residual tokens, by one key or two, and a fresh coin in the test, two runs with the same keys emit the
    same token with probability 1 - 2 Σ (q - p)₊ p/q >= 1/2. *)
Theorem watermark_fresh_coins_strength_corrected J : couples J ->
  let agree := chance (two_runs J) (fun o => Nat.eqb (fst o) (snd o)) in
  agree = 1 - 2 * sum V (fun x => Rmax 0 (q x - p x) * (p x / q x)) /\ 1 / 2 <= agree.
Proof.
  intros Joint agree. pose proof Joint as [N [Rows Columns]].
  assert (Same : agree = sum V (fun x => q x * (1 - 2 * (Rmin 1 (p x / q x) * (1 - Rmin 1 (p x / q x)))))).
  { unfold agree, chance, two_runs. rewrite expect_bind, keyed_value. apply sum_ext. intros x X.
    set (k := Rmin 1 (p x / q x)). transitivity (sum V (fun y => J x y * (1 - 2 * (k * (1 - k)))));
      [|now rewrite sum_scale_right, Rows]. apply sum_ext. intros y Y.
    assert (E : expect (o <- emitted (x, y) ;; (o' <- emitted (x, y) ;; ret (fst o, fst o'))) (fun o => indicator (Nat.eqb (fst o) (snd o)))
      = k * k + (1 - k) * (1 - k) + 2 * (k * (1 - k) * indicator (Nat.eqb x y))).
    { rewrite expect_bind, emitted_value. fold k. rewrite !expect_bind, !emitted_value. fold k. rewrite !expect_ret. simpl fst. simpl snd.
      rewrite !Nat.eqb_refl, (Nat.eqb_sym y x). unfold indicator. destruct (Nat.eqb x y); ring. }
    rewrite E. unfold indicator. destruct (Nat.eqb_spec x y) as [<-|D]; [|ring].
    assert (Z : J x x * (1 - k) = 0);
      [|transitivity (J x x * (1 - 2 * (k * (1 - k))) + 2 * k * (J x x * (1 - k))); [ring | rewrite Z; ring]].
    destruct (Req_dec k 1) as [->|K]; [ring|]. assert (J x x = 0) as ->; [|ring].
    destruct (law_nonneg V q x draft_law X) as [Q|Q].
    - assert (ZR : residual_token x = 0).
      { assert (EX : excess p q x = 0).
        { apply Rmax_left. destruct (Rle_dec (q x) (p x)) as [H|H]; [|lra]. exfalso. apply K. unfold k. apply Rmin_left.
          apply (Rmult_le_reg_l (q x)); [easy|]. replace (q x * (p x / q x)) with (p x) by (field; lra). lra. }
        pose proof (residual_mass x X) as M. rewrite EX in M. apply Rmult_integral in M as [M|M]; [|easy]. exfalso. apply K.
        apply (kept_without_excess V); try easy. rewrite <- (refused_is_excess V p q target_law draft_law). exact M. }
      assert (C : J x x <= residual_token x) by (rewrite <- (Columns x X); apply (sum_term V (fun z => J z x)); auto).
      specialize (N x x X X). lra.
    - assert (C : J x x <= q x) by (rewrite <- (Rows x X); apply (sum_term V (J x)); auto). specialize (N x x X X). lra. }
  assert (T : agree = 1 - 2 * sum V (fun x => q x * (Rmin 1 (p x / q x) * (1 - Rmin 1 (p x / q x))))).
  { rewrite Same, (sum_ext V _ (fun x => q x - 2 * (q x * (Rmin 1 (p x / q x) * (1 - Rmin 1 (p x / q x)))))) by (intros; ring).
    rewrite sum_minus, sum_scale. destruct draft_law as [_ ->]. ring. }
  split.
  - rewrite T. do 2 f_equal. apply sum_ext. intros x X. pose proof (law_nonneg V p x target_law X) as P.
    destruct (law_nonneg V q x draft_law X) as [Q|<-].
    + destruct (Rle_dec (q x) (p x)) as [H|H].
      * assert (Rmin 1 (p x / q x) = 1) as ->.
        { apply Rmin_left. apply (Rmult_le_reg_l (q x)); [easy|]. replace (q x * (p x / q x)) with (p x) by (field; lra). lra. }
        rewrite Rmax_left by lra. ring.
      * assert (Rmin 1 (p x / q x) = p x / q x) as ->.
        { apply Rmin_right. apply (Rmult_le_reg_l (q x)); [easy|]. replace (q x * (p x / q x)) with (p x) by (field; lra). lra. }
        rewrite Rmax_right by lra. field. lra.
    + rewrite Rmax_left by lra. ring.
  - rewrite T. assert (B : sum V (fun x => q x * (Rmin 1 (p x / q x) * (1 - Rmin 1 (p x / q x)))) <= / 4); [|lra].
    apply (Rle_trans _ (sum V (fun x => q x * / 4))).
    + apply sum_le. intros x X. apply Rmult_le_compat_l; [now apply (law_nonneg V)|].
      assert (0 <= Rsqr (Rmin 1 (p x / q x) - / 2)) by apply Rle_0_sqr. unfold Rsqr in *. lra.
    + rewrite sum_scale_right. destruct draft_law as [_ ->]. lra.
Qed.

End Keys.

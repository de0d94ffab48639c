(** Drafted tokens that are dropped before they are verified: one step, with what the verifier is told of it. *)

Require Import Reals Lra Lia List Arith.
Require Import laws lossless sqs.
Import ListNotations.
Open Scope R_scope.

(** All mass on one token. *)
Definition one_hot (x y : nat) : R := if Nat.eqb y x then 1 else 0.

Section Step.

Variable V : nat.
Variables p q s : nat -> R.
Hypothesis target_law : law V p.
Hypothesis draft_law : law V q.
Hypothesis rule : forall x, (x < V)%nat -> 0 <= s x <= 1.

(** A draft x survives with probability s(x), else its position is emitted from p.  A survivor is verified, by the law that the
    verifier is told of: what is emitted, and whether it is the draft. *)
Definition dropping (told : nat -> nat -> R) : program (nat * bool) :=
  x <- draw V q ;; (survives <- coin (s x) ;;
  if survives then (kept <- coin (Rmin 1 (p x / told x x)) ;;
    if kept then ret (x, true) else (y <- draw V (residual V p (told x)) ;; ret (y, false)))
  else (y <- draw V p ;; ret (y, false))).

(** A dropped draft counts as one that was refused: in either case the token is drawn from p - s min(p, q), made a law. *)
Definition unclaimed (y : nat) : R := p y - s y * Rmin (p y) (q y).
Definition rejecting : program (nat * bool) :=
  x <- draw V q ;; (survives <- coin (s x) ;; (kept <- coin (Rmin 1 (p x / q x)) ;;
  if (survives && kept)%bool then ret (x, true)
  else (y <- draw V (fun y => unclaimed y / sum V unclaimed) ;; ret (y, false)))).

(** The law of what is emitted, and how often that is the draft. *)
Definition emits (d : program (nat * bool)) (y : nat) : R := chance d (fun o => Nat.eqb (fst o) y).
Definition keeps (d : program (nat * bool)) : R := chance d snd.

(** How often a draft survives, and its law where it has. *)
Definition survival : R := sum V (fun x => q x * s x).
Definition survivors (x : nat) : R := q x * s x / survival.

(** * What is expected *)

Lemma dropping_value told f : expect (dropping told) f
  = sum V (fun x => q x * (s x * (Rmin 1 (p x / told x x) * f (x, true)
      + (1 - Rmin 1 (p x / told x x)) * sum V (fun y => residual V p (told x) y * f (y, false)))
    + (1 - s x) * sum V (fun y => p y * f (y, false)))).
Proof.
  assert (D : forall l, expect (y <- draw V l ;; ret (y, false)) f = sum V (fun y => l y * f (y, false))).
  { intros l. rewrite expect_bind, expect_draw. apply sum_ext. intros y _. now rewrite expect_ret. }
  unfold dropping. rewrite expect_bind, expect_draw. apply sum_ext. intros x _. f_equal.
  now rewrite expect_bind, expect_coin, D, expect_bind, expect_coin, D, expect_ret.
Qed.

Lemma emits_law d l : (forall g, expect d (fun o => g (fst o)) = sum V (fun y => l y * g y)) ->
  forall y, (y < V)%nat -> emits d y = l y.
Proof.
  intros H y L. unfold emits, chance. rewrite (H (fun x => indicator (Nat.eqb x y))), <- (sum_point V l y L).
  apply sum_ext. intros x _. unfold indicator. destruct (Nat.eqb x y); lra.
Qed.

Lemma weight_nonneg x : (x < V)%nat -> 0 <= q x * s x.
Proof. intros L. apply Rmult_le_pos; [now apply (law_nonneg V) | now apply rule]. Qed.

Lemma survival_range : 0 <= survival <= 1.
Proof.
  split; [apply sum_nonneg; apply weight_nonneg|]. destruct draft_law as [N One]. rewrite <- One. apply sum_le. intros x L.
  specialize (N x L). pose proof (rule x L). rewrite <- (Rmult_1_r (q x)) at 2. apply Rmult_le_compat_l; lra.
Qed.

Lemma dropped_share : sum V (fun x => q x * (1 - s x)) = 1 - survival.
Proof.
  destruct draft_law as [_ One]. transitivity (sum V q - survival); [|now rewrite One].
  unfold survival. rewrite <- sum_minus. apply sum_ext. intros x _. ring.
Qed.

Lemma none_survive : survival = 0 -> forall x, (x < V)%nat -> q x * s x = 0.
Proof. intros Z. now apply (sum_zero_terms V (fun x => q x * s x)); [apply weight_nonneg|]. Qed.

Lemma survivors_law : survival <> 0 -> law V survivors.
Proof.
  intros N. pose proof survival_range as B. split.
  - intros x L. unfold survivors. apply Rmult_le_pos; [now apply weight_nonneg | left; apply Rinv_0_lt_compat; lra].
  - unfold survivors, Rdiv. rewrite sum_scale_right. fold survival. now apply Rinv_r.
Qed.

Lemma survivors_mass x : (x < V)%nat -> survival * survivors x = q x * s x.
Proof.
  intros L. destruct (Req_dec survival 0) as [Z|N]; [rewrite Z, none_survive by easy; ring | unfold survivors; field; easy].
Qed.

(** Survivors verified by some law, and p where nothing survives. *)
Lemma dropping_shares told f : expect (dropping told) f
  = sum V (fun x => q x * s x * (Rmin 1 (p x / told x x) * f (x, true)
      + (1 - Rmin 1 (p x / told x x)) * sum V (fun y => residual V p (told x) y * f (y, false))))
    + (1 - survival) * sum V (fun y => p y * f (y, false)).
Proof.
  rewrite dropping_value, <- dropped_share, <- sum_scale_right, <- sum_plus. apply sum_ext. intros x _. ring.
Qed.

Lemma told_survivors_value g : expect (dropping (fun _ => survivors)) (fun o => g (fst o)) = sum V (fun y => p y * g y).
Proof.
  rewrite dropping_shares. simpl fst. set (m := sum V (fun y => p y * g y)).
  rewrite (sum_ext V _ (fun x => survival * (survivors x * (Rmin 1 (p x / survivors x) * g x
      + (1 - Rmin 1 (p x / survivors x)) * sum V (fun y => residual V p survivors y * g y))))).
  2: { intros x L. rewrite <- survivors_mass by easy. ring. }
  rewrite sum_scale. destruct (Req_dec survival 0) as [Z|N]; [rewrite Z; ring|].
  rewrite (step_value V p survivors g target_law (survivors_law N)). fold m. ring.
Qed.

Lemma told_survivors_keeps : keeps (dropping (fun _ => survivors)) = sum V (fun x => Rmin (survival * p x) (s x * q x)).
Proof.
  unfold keeps, chance. rewrite dropping_shares. unfold indicator. simpl.
  rewrite (sum_ext V (fun y => p y * 0) (fun _ => 0)), sum_zero, Rmult_0_r, Rplus_0_r by (intros; ring). apply sum_ext. intros x L.
  rewrite (sum_ext V _ (fun _ => 0)), sum_zero by (intros; ring). rewrite <- survivors_mass, (Rmult_comm (s x)) by easy.
  rewrite <- survivors_mass by easy. pose proof survival_range as B.
  transitivity (survival * (survivors x * Rmin 1 (p x / survivors x))); [ring|].
  destruct (Req_dec survival 0) as [Z|N]; [rewrite Z, !Rmult_0_l, Rmin_left; lra|].
  rewrite keep_mass; [| now apply (law_nonneg V) | exact (law_nonneg V _ x (survivors_law N) L)].
  unfold Rmin. destruct (Rle_dec (p x) (survivors x)), (Rle_dec (survival * p x) (survival * survivors x)); try easy; nra.
Qed.

(** Told norm(q s), the law of a draft that survived, the verifier leaves the output law p, for every rule s, by which a draft x
    survives with probability s(x), and keeps a draft with probability Σ min(S p, s q), S = Σ q s. *)
Theorem stop_dropped_repair_told :
  (forall y, (y < V)%nat -> emits (dropping (fun _ => survivors)) y = p y) /\
  keeps (dropping (fun _ => survivors)) = sum V (fun x => Rmin (survival * p x) (s x * q x)).
Proof. split; [apply emits_law; apply told_survivors_value | apply told_survivors_keeps]. Qed.

Lemma told_one_hot_value g : expect (dropping one_hot) (fun o => g (fst o)) = sum V (fun y => p y * g y).
Proof.
  rewrite dropping_shares. simpl fst. set (m := sum V (fun y => p y * g y)).
  rewrite (sum_ext V _ (fun x => q x * s x * m)).
  - rewrite sum_scale_right. fold survival. ring.
  - intros x L. f_equal. assert (H : law V (one_hot x)).
    { split; [intros y _; unfold one_hot; destruct (Nat.eqb y x); lra | apply (sum_point V (fun _ => 1) x L)]. }
    unfold m. rewrite <- (step_value V p (one_hot x) g target_law H). symmetry.
    rewrite (sum_ext V _ (fun y => if Nat.eqb y x then Rmin 1 (p y / one_hot x y) * g y + (1 - Rmin 1 (p y / one_hot x y))
      * sum V (fun z => residual V p (one_hot x) z * g z) else 0)).
    + now rewrite sum_point.
    + intros y _. unfold one_hot at 1. destruct (Nat.eqb y x); ring.
Qed.

(** * Told q *)

(** What plain verification goes on with, where the draft is x. *)
Definition plain (x y : nat) : R :=
  Rmin 1 (p x / q x) * (if Nat.eqb y x then 1 else 0) + (1 - Rmin 1 (p x / q x)) * residual V p q y.

Lemma plain_mean y : (y < V)%nat -> sum V (fun x => q x * plain x y) = p y.
Proof.
  intros L. pose proof (step_value V p q (fun z => if Nat.eqb z y then 1 else 0) target_law draft_law) as E.
  rewrite (sum_ext V (fun z => p z * _) (fun z => if Nat.eqb z y then p z else 0)), sum_point in E
    by (easy || (intros z _; destruct (Nat.eqb z y); ring)).
  rewrite (sum_ext V (fun z => residual V p q z * _) (fun z => if Nat.eqb z y then residual V p q z else 0)), sum_point in E
    by (easy || (intros z _; destruct (Nat.eqb z y); ring)).
  rewrite <- E. apply sum_ext. intros x _. unfold plain. now rewrite (Nat.eqb_sym y x).
Qed.

Lemma plain_range x y : (x < V)%nat -> 0 < q x -> 0 <= plain x y.
Proof.
  intros L P. pose proof (keep_range (p x) (q x) (law_nonneg V p x target_law L) P). pose proof (residual_nonneg V p q y).
  unfold plain. apply Rplus_le_le_0_compat; apply Rmult_le_pos; try lra. destruct (Nat.eqb y x); lra.
Qed.

Lemma told_q_emits y : (y < V)%nat ->
  emits (dropping (fun _ => q)) y = sum V (fun x => q x * s x * plain x y) + (1 - survival) * p y.
Proof.
  intros L. unfold emits, chance. rewrite dropping_shares. simpl fst.
  assert (Point : forall f, sum V (fun z => f z * indicator (Nat.eqb z y)) = f y).
  { intros f. rewrite <- (sum_point V f y L). apply sum_ext. intros z _. unfold indicator. destruct (Nat.eqb z y); ring. }
  rewrite (Point p), (Point (residual V p q)). f_equal. apply sum_ext. intros x _. f_equal. unfold plain, indicator.
  now rewrite (Nat.eqb_sym y x).
Qed.

Lemma plain_total : sum V (fun x => q x * sum V (plain x)) = 1.
Proof.
  rewrite (sum_ext V _ (fun x => sum V (fun y => q x * plain x y))) by (intros; now rewrite sum_scale).
  rewrite sum_swap. destruct target_law as [_ One]. rewrite <- One. apply sum_ext. intros y L. now apply plain_mean.
Qed.

Lemma plain_sums x : (x < V)%nat -> 0 < q x -> sum V (plain x) <= 1.
Proof.
  intros L P. pose proof (keep_range (p x) (q x) (law_nonneg V p x target_law L) P) as A. unfold plain.
  rewrite sum_plus, !sum_scale, (sum_point V (fun _ => 1) x L).
  assert (sum V (residual V p q) <= 1).
  { unfold residual, Rdiv. rewrite sum_scale_right. destruct (Req_dec (sum V (excess p q)) 0) as [Z|N].
    - rewrite Z, Rmult_0_l. lra.
    - right. now apply Rinv_r. }
  assert ((1 - Rmin 1 (p x / q x)) * sum V (residual V p q) <= (1 - Rmin 1 (p x / q x)) * 1) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(** Where a draft x survives with probability s(x), by any rule, and the verifier is told q, the output law is within total
    variation S (1 - S) <= 1/4 of p, S the probability to survive. *)
Theorem stop_dropped_told_q_corrected :
  tv V (emits (dropping (fun _ => q))) p <= survival * (1 - survival) /\ survival * (1 - survival) <= 1 / 4.
Proof.
  pose proof survival_range as B. split; [|assert (0 <= Rsqr (survival - / 2)) by apply Rle_0_sqr; unfold Rsqr in *; lra].
  unfold tv. apply (Rle_trans _ (/ 2 * sum V (fun x => q x * Rabs (s x - survival)))).
  - apply Rmult_le_compat_l; [lra|].
    apply (Rle_trans _ (sum V (fun y => sum V (fun x => q x * Rabs (s x - survival) * plain x y)))).
    + apply sum_le. intros y L. rewrite told_q_emits by easy.
      replace (_ + (1 - survival) * p y - p y) with (sum V (fun x => q x * (s x - survival) * plain x y)).
      * eapply Rle_trans; [apply sum_abs|]. apply sum_le. intros x X. right.
        destruct (Rle_lt_or_eq_dec 0 (q x)) as [P|<-]; [now apply (law_nonneg V) | |].
        -- rewrite !Rabs_mult, (Rabs_pos_eq (q x)), (Rabs_pos_eq (plain x y)) by (lra || now apply plain_range). easy.
        -- rewrite !Rmult_0_l, Rabs_R0. easy.
      * rewrite (sum_ext V _ (fun x => q x * s x * plain x y - survival * (q x * plain x y))) by (intros; ring).
        rewrite sum_minus, sum_scale, plain_mean by easy. ring.
    + rewrite sum_swap. apply sum_le. intros x X. rewrite sum_scale.
      destruct (Rle_lt_or_eq_dec 0 (q x)) as [P|<-]; [now apply (law_nonneg V) | |].
      * pose proof (plain_sums x X P). rewrite <- (Rmult_1_r (q x * Rabs (s x - survival))) at 2.
        apply Rmult_le_compat_l; [apply Rmult_le_pos; [lra | apply Rabs_pos] | easy].
      * rewrite !Rmult_0_l. lra.
  - replace (survival * (1 - survival)) with (/ 2 * sum V (fun x => q x * (s x * (1 - survival) + (1 - s x) * survival))).
    + apply Rmult_le_compat_l; [lra|]. apply sum_le. intros x X. apply Rmult_le_compat_l; [now apply (law_nonneg V)|].
      pose proof (rule x X) as D. assert (0 <= s x * (1 - survival)) by (apply Rmult_le_pos; lra).
      assert (0 <= (1 - s x) * survival) by (apply Rmult_le_pos; lra). apply Rabs_le. split; nra.
    + rewrite (sum_ext V _ (fun x => q x * s x * (1 - survival) + q x * (1 - s x) * survival)) by (intros; ring).
      rewrite sum_plus, !sum_scale_right, dropped_share. fold survival. field.
Qed.

(** A draft x is dropped with probability 1 - s(x), and its position emitted from p; the others are verified, told q.  If s is the same
    wherever q > 0, the output law is p, for every p. *)
Theorem stop_dropped_iff_enough : (forall x y, (x < V)%nat -> (y < V)%nat -> 0 < q x -> 0 < q y -> s x = s y) ->
  forall y, (y < V)%nat -> emits (dropping (fun _ => q)) y = p y.
Proof.
  intros Same y L. rewrite told_q_emits by easy.
  assert (C : exists c, forall x, (x < V)%nat -> q x * s x = q x * c).
  { assert (E : exists x, (x < V)%nat /\ 0 < q x).
    { destruct draft_law as [N One]. clear - N One. destruct V as [|n]; [simpl in One; lra|].
      assert (D : forall m, (m <= S n)%nat -> (exists x, (x < S n)%nat /\ 0 < q x) \/ sum m q = 0).
      { induction m as [|m IH]; intros M; [now right|]. destruct IH as [IH|IH]; [lia | now left|].
        destruct (Rle_lt_or_eq_dec 0 (q m)) as [P|Z]; [apply N; lia | left; exists m; split; [lia | easy]|].
        right. simpl. lra. }
      destruct (D (S n)) as [H|H]; [lia | easy | lra]. }
    destruct E as [z [Z P]]. exists (s z). intros x X. destruct (Rle_lt_or_eq_dec 0 (q x)) as [Q|<-]; [now apply (law_nonneg V) | |ring].
    now rewrite (Same x z). }
  destruct C as [c C]. assert (S : survival = c).
  { unfold survival. rewrite (sum_ext V _ (fun x => q x * c)), sum_scale_right by easy. destruct draft_law as [_ ->]. ring. }
  rewrite (sum_ext V _ (fun x => c * (q x * plain x y))) by (intros x X; rewrite C by easy; ring).
  rewrite sum_scale, plain_mean, S by easy. ring.
Qed.

(** * A dropped draft counts as refused *)

Lemma unclaimed_nonneg y : (y < V)%nat -> 0 <= unclaimed y.
Proof.
  intros L. pose proof (rule y L). pose proof (Rmin_l (p y) (q y)).
  assert (0 <= Rmin (p y) (q y)) by (apply Rmin_glb; now apply (law_nonneg V)).
  assert (s y * Rmin (p y) (q y) <= 1 * Rmin (p y) (q y)) by (apply Rmult_le_compat_r; lra). unfold unclaimed. lra.
Qed.

Lemma claimed x : (x < V)%nat -> q x * (s x * Rmin 1 (p x / q x)) = s x * Rmin (p x) (q x).
Proof.
  intros L. rewrite <- (keep_mass (p x) (q x)) by now apply (law_nonneg V). ring.
Qed.

Lemma rejecting_value f : expect rejecting f
  = sum V (fun x => s x * Rmin (p x) (q x) * f (x, true)) + sum V (fun y => unclaimed y * f (y, false)).
Proof.
  set (m := sum V (fun y => unclaimed y / sum V unclaimed * f (y, false))).
  assert (D : expect (y <- draw V (fun y => unclaimed y / sum V unclaimed) ;; ret (y, false)) f = m).
  { rewrite expect_bind, expect_draw. apply sum_ext. intros y _. now rewrite expect_ret. }
  unfold rejecting. rewrite expect_bind, expect_draw.
  rewrite (sum_ext V _ (fun x => s x * Rmin (p x) (q x) * f (x, true) + (q x - s x * Rmin (p x) (q x)) * m)).
  - rewrite sum_plus, sum_scale_right, sum_minus. f_equal.
    assert (U : sum V unclaimed = 1 - sum V (fun x => s x * Rmin (p x) (q x))).
    { unfold unclaimed. rewrite sum_minus. destruct target_law as [_ ->]. easy. }
    destruct draft_law as [_ ->]. rewrite <- U. unfold m. destruct (Req_dec (sum V unclaimed) 0) as [Z|N].
    + rewrite Z, Rmult_0_l. symmetry. rewrite (sum_ext V _ (fun _ => 0)), sum_zero; [easy|]. intros y L.
      rewrite (sum_zero_terms V unclaimed unclaimed_nonneg Z y L). ring.
    + rewrite <- sum_scale. apply sum_ext. intros y _. field. easy.
  - intros x L. rewrite expect_bind, expect_coin, !expect_bind, !expect_coin. cbn [andb]. rewrite D, expect_ret.
    rewrite <- claimed by easy. ring.
Qed.

Lemma rejecting_keeps : keeps rejecting = sum V (fun x => s x * Rmin (p x) (q x)).
Proof.
  unfold keeps, chance. rewrite rejecting_value. unfold indicator. simpl.
  rewrite (sum_ext V (fun y => unclaimed y * 0) (fun _ => 0)), sum_zero, Rplus_0_r by (intros; ring). apply sum_ext. intros; ring.
Qed.

(** Told q and that a token was dropped, the verifier counts it as refused: norm(p - s min(p, q)) in either case leaves the
    output law p, for every rule s, by which a draft x survives with probability s(x); one is kept with probability Σ s min(p, q). *)
Theorem stop_dropped_repair_rejected :
  (forall y, (y < V)%nat -> emits rejecting y = p y) /\ keeps rejecting = sum V (fun x => s x * Rmin (p x) (q x)).
Proof.
  split; [|apply rejecting_keeps]. apply emits_law. intros g. rewrite rejecting_value, <- sum_plus. simpl fst. apply sum_ext.
  intros y _. unfold unclaimed. ring.
Qed.

(** * No better repair *)

(** Any verifier: it keeps a survivor with a probability of its own, else it draws from a law of its own. *)
Definition verifying (a : nat -> R) (replacement : nat -> nat -> R) : program (nat * bool) :=
  x <- draw V q ;; (survives <- coin (s x) ;;
  if survives then (kept <- coin (a x) ;; if kept then ret (x, true) else (y <- draw V (replacement x) ;; ret (y, false)))
  else (y <- draw V p ;; ret (y, false))).

Lemma verifying_value a replacement f : expect (verifying a replacement) f
  = sum V (fun y => q y * s y * a y * f (y, true)
      + (sum V (fun x => q x * s x * (1 - a x) * replacement x y) + (1 - survival) * p y) * f (y, false)).
Proof.
  assert (D : forall l, expect (y <- draw V l ;; ret (y, false)) f = sum V (fun y => l y * f (y, false))).
  { intros l. rewrite expect_bind, expect_draw. apply sum_ext. intros y _. now rewrite expect_ret. }
  unfold verifying. rewrite expect_bind, expect_draw.
  rewrite (sum_ext V _ (fun x => q x * s x * a x * f (x, true)
    + (sum V (fun y => q x * s x * (1 - a x) * replacement x y * f (y, false))
       + q x * (1 - s x) * sum V (fun y => p y * f (y, false))))).
  - rewrite !sum_plus. f_equal. rewrite sum_swap, sum_scale_right, dropped_share, <- sum_scale, <- sum_plus. apply sum_ext.
    intros y _. rewrite sum_scale_right. ring.
  - intros x _. rewrite expect_bind, expect_coin, D, expect_bind, expect_coin, D, expect_ret.
    rewrite (sum_ext V (fun y => q x * s x * (1 - a x) * replacement x y * f (y, false))
      (fun y => q x * s x * (1 - a x) * (replacement x y * f (y, false)))) by (intros; ring). rewrite sum_scale. ring.
Qed.

Lemma split_most k e : (forall x, (x < V)%nat -> k x <= s x * q x) -> (forall x, (x < V)%nat -> 0 <= e x) ->
  (forall x, (x < V)%nat -> (1 - survival) * p x + k x + e x = p x) ->
  sum V k <= sum V (fun x => Rmin (survival * p x) (s x * q x)).
Proof.
  intros K E S. apply sum_le. intros x L. specialize (S x L). specialize (E x L). apply Rmin_glb; [lra | now apply K].
Qed.

(** If dropped positions are emitted from p, no lossless verifier keeps a draft more often than with probability
    Σ min(S p, s q): of kept masses k <= s q and redrawn ones e >= 0 with (1 - S) p + k + e = p, Σ k is no larger. *)
Theorem stop_dropped_repair_best :
  (forall a replacement, (forall x, (x < V)%nat -> 0 <= a x <= 1) -> (forall x, (x < V)%nat -> law V (replacement x)) ->
    (forall y, (y < V)%nat -> emits (verifying a replacement) y = p y) ->
    keeps (verifying a replacement) <= sum V (fun x => Rmin (survival * p x) (s x * q x))) /\
  (forall k e, (forall x, (x < V)%nat -> k x <= s x * q x) -> (forall x, (x < V)%nat -> 0 <= e x) ->
    (forall x, (x < V)%nat -> (1 - survival) * p x + k x + e x = p x) ->
    sum V k <= sum V (fun x => Rmin (survival * p x) (s x * q x))).
Proof.
  split; [|apply split_most]. intros a r A R Lossless.
  set (e := fun y => sum V (fun x => q x * s x * (1 - a x) * r x y)).
  replace (keeps (verifying a r)) with (sum V (fun y => q y * s y * a y)).
  - apply (split_most _ e).
    + intros x L. pose proof (weight_nonneg x L). specialize (A x L).
      assert (q x * s x * a x <= q x * s x * 1) by (apply Rmult_le_compat_l; lra). lra.
    + intros y Y. apply sum_nonneg. intros x L. specialize (A x L). pose proof (weight_nonneg x L).
      apply Rmult_le_pos; [apply Rmult_le_pos; lra | apply (R x L); easy].
    + intros y L. rewrite <- (Lossless y L) at 2. symmetry.
      apply (emits_law _ (fun y => (1 - survival) * p y + q y * s y * a y + e y)); [|easy]. intros g. rewrite verifying_value.
      apply sum_ext. intros z _. simpl fst. unfold e. ring.
  - unfold keeps, chance. rewrite verifying_value. unfold indicator. simpl. apply sum_ext. intros; ring.
Qed.

End Step.

(** * A threshold, and where the draft has the target's law *)

Section Threshold.

Variable V : nat.
Variables p q : nat -> R.
Variable t : R.
Hypothesis target_law : law V p.
Hypothesis draft_law : law V q.

(** A draft is dropped where q(x) < t. *)
Definition likely (x : nat) : R := if Rle_dec t (q x) then 1 else 0.

Lemma likely_range x : (x < V)%nat -> 0 <= likely x <= 1.
Proof. intros _. unfold likely. destruct (Rle_dec t (q x)); lra. Qed.

(** Dropping the draft with q(x) < t leaves the output law p, the verifier told norm(q on {q >= t}). *)
Theorem stop_dropped_told_kept y : (y < V)%nat ->
  emits (dropping V p q likely (fun _ => survivors V q likely)) y = p y.
Proof.
  apply (stop_dropped_repair_told V p q likely target_law draft_law likely_range).
Qed.

(** Dropping the draft with q(x) < t leaves the output law p, the verifier told the point mass at x. *)
Theorem stop_dropped_one_hot y : (y < V)%nat -> emits (dropping V p q likely one_hot) y = p y.
Proof.
  apply (emits_law V). intros g. now apply told_one_hot_value.
Qed.

(** What is kept is what both laws have of a token, less what is dropped, less what p emits at dropped positions. *)
Lemma price_of_one x : (x < V)%nat -> Rmin (survival V q likely * p x) (likely x * q x)
  = Rmin (p x) (q x) - (if Rle_dec t (q x) then 0 else Rmin (p x) (q x))
    - (if Rle_dec t (q x) then Rmax 0 (Rmin (p x) (q x) - survival V q likely * p x) else 0).
Proof.
  intros L. pose proof (survival_range V q likely draft_law likely_range) as B.
  pose proof (law_nonneg V p x target_law L) as P. pose proof (law_nonneg V q x draft_law L) as Q.
  set (S := survival V q likely) in *. assert (S * p x <= p x) by nra. assert (0 <= S * p x) by nra.
  unfold likely. destruct (Rle_dec t (q x)).
  - unfold Rmin, Rmax. destruct (Rle_dec (S * p x) (1 * q x)), (Rle_dec (p x) (q x)); repeat (destruct Rle_dec); lra.
  - rewrite Rmult_0_l, Rmin_right by lra. lra.
Qed.

(** The probability that a draft is kept, told norm(q on {q >= t}), is α - Σ_{q < t} min(p, q) - Σ_{q >= t} (min(p, q) - S p)₊
    with S = Σ_{q >= t} q. *)
Theorem stop_dropped_price_sharp :
  let S := sum V (fun x => if Rle_dec t (q x) then q x else 0) in
  keeps (dropping V p q likely (fun _ => survivors V q likely))
  = overlap V p q - sum V (fun x => if Rle_dec t (q x) then 0 else Rmin (p x) (q x))
    - sum V (fun x => if Rle_dec t (q x) then Rmax 0 (Rmin (p x) (q x) - S * p x) else 0).
Proof.
  intros S. assert (E : S = survival V q likely).
  { apply sum_ext. intros x _. unfold likely. destruct (Rle_dec t (q x)); ring. }
  rewrite (told_survivors_keeps V p q likely target_law draft_law likely_range), E. unfold overlap.
  rewrite <- !sum_minus. apply sum_ext. intros x L. now apply price_of_one.
Qed.

(** The probability that a draft is kept, told norm(q on {q >= t}), is at most α. *)
Theorem stop_dropped_price : keeps (dropping V p q likely (fun _ => survivors V q likely)) <= overlap V p q.
Proof.
  rewrite (told_survivors_keeps V p q likely target_law draft_law likely_range). apply sum_le. intros x L.
  rewrite price_of_one by easy. pose proof (Rmax_l 0 (Rmin (p x) (q x) - survival V q likely * p x)).
  assert (0 <= Rmin (p x) (q x)) by (apply Rmin_glb; now apply (law_nonneg V)). destruct (Rle_dec t (q x)); lra.
Qed.

(** Where a dropped draft counts as refused, it is kept with probability α - Σ_{q < t} min(p, q), no less than told
    norm(q on {q >= t}). *)
Theorem stop_dropped_price_rejected :
  keeps (rejecting V p q likely) = overlap V p q - sum V (fun x => if Rle_dec t (q x) then 0 else Rmin (p x) (q x)) /\
  keeps (dropping V p q likely (fun _ => survivors V q likely)) <= keeps (rejecting V p q likely).
Proof.
  assert (E : keeps (rejecting V p q likely)
    = overlap V p q - sum V (fun x => if Rle_dec t (q x) then 0 else Rmin (p x) (q x))).
  { rewrite (rejecting_keeps V p q likely target_law draft_law likely_range). unfold overlap. rewrite <- sum_minus. apply sum_ext.
    intros x _. unfold likely. destruct (Rle_dec t (q x)); ring. }
  split; [exact E|]. rewrite E, (told_survivors_keeps V p q likely target_law draft_law likely_range). unfold overlap.
  rewrite <- sum_minus. apply sum_le. intros x L. rewrite price_of_one by easy.
  pose proof (Rmax_l 0 (Rmin (p x) (q x) - survival V q likely * p x)). destruct (Rle_dec t (q x)); lra.
Qed.

End Threshold.

(** A draft x dropped with probability 1 - s(x), its position emitted from p, the others verified, told q: for p = q the output
    law is q(x) (1 + s(x) - S) with S = Σ q s, at total variation 1/2 Σ q |s - S| from p. *)
Theorem stop_dropped_iff_needed V q s : law V q -> (forall x, (x < V)%nat -> 0 <= s x <= 1) ->
  let S := sum V (fun x => q x * s x) in
  (forall x, (x < V)%nat -> emits (dropping V q q s (fun _ => q)) x = q x * (1 + s x - S)) /\
  tv V (emits (dropping V q q s (fun _ => q))) q = / 2 * sum V (fun x => q x * Rabs (s x - S)).
Proof.
  intros Q R S. assert (E : forall y, (y < V)%nat -> emits (dropping V q q s (fun _ => q)) y = q y * (1 + s y - S)).
  { intros y L. rewrite told_q_emits by easy. change (survival V q s) with S.
    rewrite (sum_ext V _ (fun x => if Nat.eqb x y then q x * s x else 0)).
    - rewrite sum_point by easy. ring.
    - intros x X. unfold plain. rewrite (Nat.eqb_sym y x). destruct (Rle_lt_or_eq_dec 0 (q x)) as [P|<-].
      + now apply (law_nonneg V).
      + replace (q x / q x) with 1 by (field; lra). rewrite Rmin_left by lra. destruct (Nat.eqb x y); ring.
      + destruct (Nat.eqb x y); ring. }
  split; [exact E|]. unfold tv. f_equal. apply sum_ext. intros x L. rewrite E by easy.
  replace (q x * (1 + s x - S) - q x) with (q x * (s x - S)) by ring. rewrite Rabs_mult, (Rabs_pos_eq (q x)); [easy|].
  now apply (law_nonneg V).
Qed.

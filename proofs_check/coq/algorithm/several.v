(** Several drafts of one step: recursive rejection (Miao et al. 2024; Jeon et al. 2024) and K-SEQ (Sun et al. 2023). *)

Require Import Reals Lra Lia List Arith Psatz.
Require Import laws lossless slopes tree.
Import ListNotations.
Open Scope R_scope.

Section Drafts.

Variable V : nat.

(** The law of the next draft, after those that were drawn, the last of them first; and whether there is none. *)
Variable next : list nat -> nat -> R.
Variable over : list nat -> bool.
Hypothesis next_law : forall before, over before = false -> law V (next before).

(** At most K drafts, all drawn before any is tested. *)
Fixpoint several (K : nat) (before : list nat) : program (list nat) :=
  match K with
  | O => ret []
  | S k => if over before then ret [] else (x <- draw V (next before) ;; (xs <- several k (x :: before) ;; ret (x :: xs)))
  end.

(** One after the other they are tested against what is left of the target: the token, and whether it is a draft. *)
Fixpoint tested (xs before : list nat) (p : nat -> R) : program (nat * bool) :=
  match xs with
  | [] => y <- draw V p ;; ret (y, false)
  | x :: more =>
      kept <- coin (Rmin 1 (p x / next before x)) ;;
      if kept then ret (x, true) else tested more (x :: before) (residual V p (next before))
  end.

Definition recursive (p : nat -> R) (K : nat) : program (nat * bool) := xs <- several K [] ;; tested xs [] p.

Lemma several_sure K : forall before, expect (several K before) (fun _ => 1) = 1.
Proof.
  induction K as [|K IH]; intros before; cbn [several]; [now rewrite expect_ret|].
  destruct (over before) eqn:O; [now rewrite expect_ret|]. rewrite expect_bind, expect_draw. destruct (next_law before O) as [_ S].
  transitivity (sum V (next before)); [|exact S]. apply sum_ext. intros x _. rewrite expect_bind.
  rewrite (expect_ext _ _ (fun _ => 1)) by (intros; now rewrite expect_ret). rewrite IH. ring.
Qed.

Lemma several_next K before f : over before = false ->
  expect (several (S K) before) f = sum V (fun x => next before x * expect (several K (x :: before)) (fun xs => f (x :: xs))).
Proof.
  intros O. cbn [several]. rewrite O, expect_bind, expect_draw. apply sum_ext. intros x _. rewrite expect_bind.
  f_equal. apply expect_ext. intros xs. now rewrite expect_ret.
Qed.

Lemma tested_next x xs before p f : expect (tested (x :: xs) before p) f
  = Rmin 1 (p x / next before x) * f (x, true)
    + (1 - Rmin 1 (p x / next before x)) * expect (tested xs (x :: before) (residual V p (next before))) f.
Proof. cbn [tested]. now rewrite expect_bind, expect_coin, expect_ret. Qed.

Lemma tested_last before p f : expect (tested [] before p) f = sum V (fun y => p y * f (y, false)).
Proof. cbn [tested]. rewrite expect_bind, expect_draw. apply sum_ext. intros y _. now rewrite expect_ret. Qed.

(** Where what is drafted has no excess over the target, it is kept. *)
Lemma kept_without_excess p q x : law V p -> law V q -> (x < V)%nat -> 0 < q x -> sum V (excess p q) = 0 -> Rmin 1 (p x / q x) = 1.
Proof.
  intros P Q L D Z. apply Rmin_left.
  assert (E : excess q p x = 0).
  { apply (sum_zero_terms V (excess q p)); [intros; apply Rmax_l | | exact L].
    rewrite <- (refused_is_excess V q p Q P). rewrite <- Z, <- (refused_is_excess V p q P Q).
    unfold overlap. f_equal. apply sum_ext. intros y _. apply Rmin_comm. }
  unfold excess, Rmax in E. apply (Rmult_le_reg_l (q x)); [exact D|]. replace (q x * (p x / q x)) with (p x) by (field; lra).
  destruct (Rle_dec 0 (q x - p x)); lra.
Qed.

(** What is emitted is worth what is left of the target. *)
Lemma recursive_value f K : forall before p, law V p ->
  expect (several K before) (fun xs => expect (tested xs before p) (fun o => f (fst o))) = sum V (fun y => p y * f y).
Proof.
  induction K as [|K IH]; intros before p P; [cbn [several]; rewrite expect_ret; apply tested_last|].
  destruct (over before) eqn:O; [cbn [several]; rewrite O, expect_ret; apply tested_last|].
  rewrite several_next by exact O. pose proof (next_law before O) as Q. set (q := next before) in *.
  rewrite <- (step_value V p q f P Q). apply sum_ext. intros x L.
  destruct (law_nonneg V q x Q L) as [D|D]; [|rewrite <- D; ring]. f_equal.
  rewrite (expect_ext _ _ (fun xs => Rmin 1 (p x / q x) * f x
    + (1 - Rmin 1 (p x / q x)) * expect (tested xs (x :: before) (residual V p q)) (fun o => f (fst o))))
    by (intros; apply tested_next).
  rewrite (expect_second (several K (x :: before))) by apply several_sure. f_equal.
  assert (N : 0 <= sum V (excess p q)) by (apply sum_nonneg; intros; apply Rmax_l). destruct N as [N|Z].
  - f_equal. now apply IH, residual_law.
  - rewrite (kept_without_excess p q x P Q L D (eq_sym Z)). ring.
Qed.

Lemma recursive_output p K y : law V p -> (y < V)%nat -> chance (recursive p K) (fun o => Nat.eqb (fst o) y) = p y.
Proof.
  intros P L. unfold chance, recursive. rewrite expect_bind, (recursive_value (fun x => indicator (Nat.eqb x y)) K [] p P).
  rewrite <- (sum_point V p y L). apply sum_ext. intros x _. unfold indicator. destruct (Nat.eqb x y); ring.
Qed.

End Drafts.

Section Rules.

Variable V : nat.
Variables p q : nat -> R.
Hypothesis target_law : law V p.
Hypothesis draft_law : law V q.

(** Independent drafts; drafts without replacement, of which there is none once all tokens with mass are drawn. *)
Definition alike (before : list nat) : nat -> R := q.
Definition always (before : list nat) : bool := false.
Definition unlike (before : list nat) : nat -> R := distinct V (fun _ => q) [] before.
Definition none_left (before : list nat) : bool := exhausted V (fun _ => q) [] before.

(** Recursive rejection of K independent drafts emits with the target's law. *)
Theorem multi_rrs_lossless K y : (y < V)%nat -> chance (recursive V alike always p K) (fun o => Nat.eqb (fst o) y) = p y.
Proof. intros L. now apply recursive_output. Qed.

(** Recursive rejection of K drafts without replacement emits with the target's law; all tokens are drafted where K is more. *)
Theorem multi_rrsw_lossless K y : (y < V)%nat -> chance (recursive V unlike none_left p K) (fun o => Nat.eqb (fst o) y) = p y.
Proof. intros L. apply recursive_output; try easy. intros before. now apply distinct_law. Qed.

Definition accepts {A} (d : program (A * bool)) : R := chance d snd.

Lemma some_kept x : (x < V)%nat -> 0 < q x -> 0 <= Rmin 1 (p x / q x) <= 1.
Proof. intros L D. apply keep_range; [now apply (law_nonneg V) | exact D]. Qed.

(** A token of the target is one of K independent drafts. *)
Definition matching (K : nat) : program bool :=
  y <- draw V p ;; (xs <- several V alike always K [] ;; ret (existsb (Nat.eqb y) xs)).

Lemma missed K : forall before y, (y < V)%nat ->
  expect (several V alike always K before) (fun xs => if existsb (Nat.eqb y) xs then 0 else 1) = (1 - q y) ^ K.
Proof.
  induction K as [|K IH]; intros before y L; [cbn [several]; now rewrite expect_ret|].
  rewrite several_next by easy. cbn [pow].
  rewrite (sum_ext V _ (fun x => q x * (1 - q y) ^ K - (if Nat.eqb x y then q x * (1 - q y) ^ K else 0))).
  - rewrite sum_minus, sum_scale_right, (sum_point V (fun x => q x * (1 - q y) ^ K)) by exact L.
    destruct draft_law as [_ ->]. ring.
  - intros x X. cbn [existsb]. rewrite (Nat.eqb_sym x y). destruct (Nat.eqb y x) eqn:E; simpl.
    + rewrite (expect_const _ 0). unfold alike. ring.
    + rewrite IH by exact L. unfold alike. ring.
Qed.

Lemma refused_all K : forall before r, law V r ->
  expect (several V alike always K before) (fun xs => expect (tested V alike xs before r) (fun o => if snd o then 0 else 1))
    <= sum V (fun x => r x * (1 - q x) ^ K).
Proof.
  induction K as [|K IH]; intros before r P.
  - cbn [several]. rewrite expect_ret, tested_last. right. apply sum_ext. intros x _. simpl. ring.
  - rewrite several_next by easy. unfold alike at 1.
    set (E := sum V (excess r q)). assert (N : 0 <= E) by (apply sum_nonneg; intros; apply Rmax_l).
    apply (Rle_trans _ (sum V (fun x => excess r q x * (1 - q x) ^ K))).
    + rewrite (sum_ext V _ (fun x => (q x - Rmin (r x) (q x)) * (if Rlt_dec 0 E then
        expect (several V alike always K (x :: before)) (fun xs => expect (tested V alike xs (x :: before) (residual V r q))
          (fun o => if snd o then 0 else 1)) else 0))).
      2: { intros x L. destruct (law_nonneg V q x draft_law L) as [D|D].
           - rewrite (expect_ext _ _ (fun xs => Rmin 1 (r x / q x) * 0 + (1 - Rmin 1 (r x / q x)) *
               expect (tested V alike xs (x :: before) (residual V r q)) (fun o => if snd o then 0 else 1)))
               by (intros; apply (tested_next V alike)).
             rewrite (expect_second (several V alike always K (x :: before))) by now apply several_sure.
             rewrite <- (keep_mass (r x) (q x)) by (try (now apply (law_nonneg V)); lra).
             destruct (Rlt_dec 0 E) as [Pos|Zero]; [ring|].
             rewrite (kept_without_excess V r q x P draft_law L D) by (unfold E in *; lra). ring.
           - rewrite (Rmin_right (r x) (q x)) by (rewrite <- D; now apply (law_nonneg V)). rewrite <- D. ring. }
      destruct (Rlt_dec 0 E) as [Pos|Zero].
      * apply (Rle_trans _ (sum V (fun x => (q x - Rmin (r x) (q x)) * (sum V (fun y => residual V r q y * (1 - q y) ^ K))))).
        -- apply sum_le. intros x L. apply Rmult_le_compat_l; [pose proof (Rmin_r (r x) (q x)); lra|].
           now apply IH, residual_law.
        -- rewrite sum_scale_right, sum_minus. destruct draft_law as [_ One]. rewrite One.
           change (sum V (fun x => Rmin (r x) (q x))) with (overlap V r q).
           rewrite (refused_is_excess V r q P draft_law). fold E. rewrite <- sum_scale. right. apply sum_ext. intros y _.
           unfold residual. fold E. field. lra.
      * rewrite (sum_ext V _ (fun _ => 0)), sum_zero by (intros; ring). apply sum_nonneg. intros x L.
        apply Rmult_le_pos; [apply Rmax_l | apply pow_le]. pose proof (law_le_1 V q x draft_law L). lra.
    + apply sum_le. intros x L. cbn [pow]. rewrite <- Rmult_assoc. pose proof (law_le_1 V q x draft_law L) as Q1.
      apply Rmult_le_compat_r; [apply pow_le; lra|]. pose proof (law_le_1 V r x P L). pose proof (law_nonneg V r x P L).
      pose proof (law_nonneg V q x draft_law L). unfold excess. apply Rmax_lub; nra.
Qed.

Lemma recursive_sure K : expect (recursive V alike always p K) (fun _ => 1) = 1.
Proof.
  unfold recursive. rewrite expect_bind, (recursive_value V alike always (fun _ _ => draft_law) (fun _ => 1) K [] p target_law).
  transitivity (sum V p); [|apply target_law]. apply sum_ext. intros. ring.
Qed.

(** Recursive rejection accepts at least as often as a token of the target is among K independent drafts, Σ p (1 - (1 - q)^K). *)
Theorem multi_rrs_beats_naive K :
  chance (matching K) (fun found => found) = sum V (fun x => p x * (1 - (1 - q x) ^ K)) /\
  chance (matching K) (fun found => found) <= accepts (recursive V alike always p K).
Proof.
  assert (E : chance (matching K) (fun found => found) = sum V (fun x => p x * (1 - (1 - q x) ^ K))).
  { unfold chance, matching. rewrite expect_bind, expect_draw. apply sum_ext. intros y L. f_equal. rewrite expect_bind.
    rewrite <- (missed K [] y L). rewrite <- (several_sure V alike always (fun _ _ => draft_law) K []) at 1.
    rewrite (expect_ext _ (fun xs => expect (ret (existsb (Nat.eqb y) xs)) (fun a => indicator a))
      (fun xs => 1 + -1 * (if existsb (Nat.eqb y) xs then 0 else 1))).
    - rewrite expect_plus, expect_scale. ring.
    - intros xs. rewrite expect_ret. unfold indicator. destruct (existsb (Nat.eqb y) xs); ring. }
  split; [exact E|]. rewrite E. unfold accepts, chance.
  rewrite (expect_ext _ _ (fun o : nat * bool => 1 + -1 * (if snd o then 0 else 1)))
    by (intros [y [|]]; unfold indicator; simpl; ring).
  rewrite expect_plus, recursive_sure, expect_scale. unfold recursive. rewrite expect_bind.
  pose proof (refused_all K [] p target_law) as R.
  rewrite (sum_ext V _ (fun x => p x - p x * (1 - q x) ^ K)) by (intros; ring). rewrite sum_minus.
  destruct target_law as [_ One]. rewrite One. lra.
Qed.

Lemma power_most x n : 0 <= x <= 1 -> x ^ n <= 1.
Proof. intros X. apply (Rle_trans _ (1 ^ n)); [apply pow_incr; lra | rewrite pow1; lra]. Qed.

(** * K-SEQ *)

(** One threshold for all drafts; after them a token of what is left, or the target where nothing is. *)
Definition once (rho : R) : R := sum V (fun x => Rmin (p x / rho) (q x)).
Definition tests (rho : R) (K : nat) : R := sum K (fun j => (1 - once rho) ^ j).
Definition left_over (rho : R) (K : nat) (x : nat) : R := Rmax 0 (p x - Rmin (p x / rho) (q x) * tests rho K).
Definition last_law (rho : R) (K : nat) (x : nat) : R :=
  if Rlt_dec 0 (sum V (left_over rho K)) then left_over rho K x / sum V (left_over rho K) else p x.

Fixpoint first_passing (rho : R) (K : nat) (xs : list nat) : program (nat * bool) :=
  match xs with
  | [] => y <- draw V (last_law rho K) ;; ret (y, false)
  | x :: more => kept <- coin (Rmin 1 (p x / (rho * q x))) ;; if kept then ret (x, true) else first_passing rho K more
  end.

Definition kseq (rho : R) (K : nat) : program (nat * bool) := xs <- several V alike always K [] ;; first_passing rho K xs.

Lemma kept_once rho x : 0 < rho -> (x < V)%nat -> q x * Rmin 1 (p x / (rho * q x)) = Rmin (p x / rho) (q x).
Proof.
  intros P L. pose proof (law_nonneg V p x target_law L) as PX. destruct (law_nonneg V q x draft_law L) as [D|D].
  - rewrite <- (keep_mass (p x / rho) (q x)).
    + do 2 f_equal. field. lra.
    + apply Rmult_le_pos; [exact PX | left; now apply Rinv_0_lt_compat].
    + lra.
  - rewrite (Rmin_right (p x / rho)); [rewrite <- D; ring|]. rewrite <- D.
    apply Rmult_le_pos; [exact PX | left; now apply Rinv_0_lt_compat].
Qed.

Lemma passing_value f rho K : 0 < rho -> forall n before,
  expect (several V alike always n before) (fun xs => expect (first_passing rho K xs) f)
  = sum n (fun j => (1 - once rho) ^ j) * sum V (fun x => Rmin (p x / rho) (q x) * f (x, true))
    + (1 - once rho) ^ n * sum V (fun y => last_law rho K y * f (y, false)).
Proof.
  intros P. induction n as [|n IH]; intros before.
  - cbn [several]. rewrite expect_ret. cbn [first_passing]. rewrite expect_bind, expect_draw. cbn [sum pow].
    rewrite (sum_ext V (fun x => last_law rho K x * expect (ret (x, false)) f) (fun y => last_law rho K y * f (y, false)))
      by (intros; now rewrite expect_ret). ring.
  - rewrite several_next by easy. set (G := sum V (fun x => Rmin (p x / rho) (q x) * f (x, true))) in *.
    set (H := sum V (fun y => last_law rho K y * f (y, false))) in *.
    set (W := sum n (fun j => (1 - once rho) ^ j) * G + (1 - once rho) ^ n * H) in *.
    rewrite (sum_ext V _ (fun x => Rmin (p x / rho) (q x) * f (x, true) + (q x - Rmin (p x / rho) (q x)) * W)).
    + rewrite sum_plus, sum_scale_right, sum_minus. destruct draft_law as [_ ->]. fold G. fold (once rho).
      assert (T : sum (S n) (fun j => (1 - once rho) ^ j) = 1 + (1 - once rho) * sum n (fun j => (1 - once rho) ^ j)).
      { clear. induction n as [|n IH]; [simpl; ring|].
        change (sum (S (S n)) (fun j => (1 - once rho) ^ j)) with (sum (S n) (fun j => (1 - once rho) ^ j) + (1 - once rho) ^ S n).
        rewrite IH at 1. cbn [sum pow]. ring. }
      rewrite T. unfold W. cbn [pow]. ring.
    + intros x L. rewrite <- (kept_once rho x P L). unfold alike at 1.
      rewrite (expect_ext _ _ (fun xs => Rmin 1 (p x / (rho * q x)) * f (x, true)
        + (1 - Rmin 1 (p x / (rho * q x))) * expect (first_passing rho K xs) f)).
      * rewrite (expect_second (several V alike always n (x :: before))) by now apply several_sure. rewrite IH. fold W. ring.
      * intros xs. cbn [first_passing]. now rewrite expect_bind, expect_coin, expect_ret.
Qed.

Lemma once_range rho : 0 < rho -> 0 <= once rho <= 1.
Proof.
  intros P. split.
  - apply sum_nonneg. intros x L. apply Rmin_glb; [|now apply (law_nonneg V)].
    apply Rmult_le_pos; [now apply (law_nonneg V) | left; now apply Rinv_0_lt_compat].
  - destruct draft_law as [_ <-]. apply sum_le. intros. apply Rmin_r.
Qed.

Lemma tests_once rho n : sum n (fun j => (1 - once rho) ^ j) * once rho = 1 - (1 - once rho) ^ n.
Proof. induction n as [|n IH]; [simpl; ring|]. cbn [sum pow]. rewrite Rmult_plus_distr_r, IH. ring. Qed.

Lemma tests_most rho K : 0 < rho -> tests rho K <= INR K.
Proof.
  intros P. pose proof (once_range rho P) as B. unfold tests. induction K as [|K IH]; [simpl; lra|]. cbn [sum]. rewrite S_INR.
  assert ((1 - once rho) ^ K <= 1) by (apply power_most; lra). lra.
Qed.

(** ρ at which K-SEQ is lossless, those from ρ* on: no more tests are expected. *)
Definition enough (rho : R) (K : nat) : Prop := 1 <= rho /\ tests rho K <= rho.

(** K-SEQ emits with the target's law where ρ is enough: ρ = K is, and so is each ρ above one that is. *)
Theorem multi_kseq_lossless K : (0 < K)%nat ->
  (forall rho y, enough rho K -> (y < V)%nat -> chance (kseq rho K) (fun o => Nat.eqb (fst o) y) = p y) /\
  enough (INR K) K /\ (forall rho rho', enough rho K -> rho <= rho' -> enough rho' K).
Proof.
  intros K0. assert (K1 : 1 <= INR K) by (now apply (le_INR 1)).
  split; [|split; [split; [exact K1 | exact (tests_most (INR K) K ltac:(lra))]|]].
  - intros rho y [R1 T] L. unfold chance, kseq. rewrite expect_bind, (passing_value _ rho K) by lra. fold (tests rho K). simpl fst.
    assert (P : 0 < rho) by lra.
    assert (Point : forall f, sum V (fun x => f x * indicator (Nat.eqb x y)) = f y).
    { intros f. rewrite <- (sum_point V f y L). apply sum_ext. intros x _. unfold indicator. destruct (Nat.eqb x y); ring. }
    rewrite (Point (fun x => Rmin (p x / rho) (q x))), (Point (last_law rho K)).
    assert (Tn : 0 <= tests rho K).
    { apply sum_nonneg. intros. apply pow_le. pose proof (once_range rho P). lra. }
    assert (Below : forall x, (x < V)%nat -> left_over rho K x = p x - Rmin (p x / rho) (q x) * tests rho K).
    { intros x X. apply Rmax_right. pose proof (law_nonneg V p x target_law X) as PX.
      assert (Rmin (p x / rho) (q x) * tests rho K <= p x / rho * rho).
      { apply Rmult_le_compat; [| exact Tn | apply Rmin_l | exact T]. apply Rmin_glb; [|now apply (law_nonneg V)].
        apply Rmult_le_pos; [exact PX | left; now apply Rinv_0_lt_compat]. }
      replace (p x / rho * rho) with (p x) in H by (field; lra). lra. }
    assert (Total : sum V (left_over rho K) = (1 - once rho) ^ K).
    { rewrite (sum_ext V _ _ Below), sum_minus, sum_scale_right. fold (once rho). destruct target_law as [_ ->].
      pose proof (tests_once rho K) as E. fold (tests rho K) in E. lra. }
    unfold last_law. rewrite Total. destruct (Rlt_dec 0 ((1 - once rho) ^ K)) as [Pos|Zero].
    + rewrite Below by exact L. field. lra.
    + assert (N : 0 <= (1 - once rho) ^ K) by (apply pow_le; pose proof (once_range rho P); lra).
      assert (Z : (1 - once rho) ^ K = 0) by lra. rewrite Z in *.
      pose proof (sum_zero_terms V (left_over rho K) (fun x _ => Rmax_l _ _) Total y L) as E. rewrite Below in E by exact L. lra.
  - intros rho rho' [R1 T] LL. split; [lra|]. assert (P : 0 < rho) by lra. assert (P' : 0 < rho') by lra.
    pose proof (once_range rho P) as B. pose proof (once_range rho' P') as B'.
    assert (Falls : once rho' <= once rho).
    { apply sum_le. intros x L. assert (p x / rho' <= p x / rho).
      { apply Rmult_le_compat_l; [now apply (law_nonneg V) | apply Rinv_le_contravar; lra]. }
      unfold Rmin. destruct (Rle_dec (p x / rho') (q x)), (Rle_dec (p x / rho) (q x)); lra. }
    assert (Grows : rho * once rho <= rho' * once rho').
    { unfold once. rewrite <- !sum_scale. apply sum_le. intros x L. pose proof (law_nonneg V q x draft_law L).
      assert (E : forall r, 0 < r -> r * Rmin (p x / r) (q x) = Rmin (p x) (r * q x)).
      { intros r R. replace (p x) with (r * (p x / r)) at 2 by (field; lra). unfold Rmin.
        destruct (Rle_dec (p x / r) (q x)), (Rle_dec (r * (p x / r)) (r * q x)); try easy; nra. }
      rewrite !E by easy. assert (rho * q x <= rho' * q x) by (apply Rmult_le_compat_r; lra).
      unfold Rmin. destruct (Rle_dec (p x) (rho * q x)), (Rle_dec (p x) (rho' * q x)); lra. }
    pose proof (tests_once rho K) as E. fold (tests rho K) in E. pose proof (tests_once rho' K) as E'. fold (tests rho' K) in E'.
    destruct (Req_dec (once rho') 0) as [Z|N].
    + assert (Z' : once rho = 0) by nra. assert (EQ : tests rho' K = tests rho K) by (unfold tests; now rewrite Z, Z').
      lra.
    + assert (Power : (1 - once rho) ^ K <= (1 - once rho') ^ K) by (apply pow_incr; lra).
      assert (A : tests rho' K * once rho' <= rho' * once rho').
      { assert (tests rho K * once rho <= rho * once rho) by (apply Rmult_le_compat_r; lra). lra. }
      apply Rmult_le_reg_r in A; lra.
Qed.

(** ** Against the best rule *)

(** Any rule for K independent drafts: weights that are probabilities, the target's law, and what is accepted is a draft. *)
Definition proper {A} (d : program A) : Prop := (forall w a, In (w, a) d -> 0 <= w) /\ expect d (fun _ => 1) = 1.
Definition any_rule (K : nat) (decide : list nat -> program (nat * bool)) : Prop :=
  (forall xs, proper (decide xs)) /\
  (forall xs x, In (x, true) (outcomes (decide xs)) -> In x xs) /\
  (forall y, (y < V)%nat -> chance (xs <- several V alike always K [] ;; decide xs) (fun o => Nat.eqb (fst o) y) = p y) /\
  (forall xs o, In o (outcomes (decide xs)) -> (fst o < V)%nat).

Lemma expect_le_in {A} (d : program A) f g : (forall w a, In (w, a) d -> 0 <= w) -> (forall a, In a (outcomes d) -> f a <= g a) ->
  expect d f <= expect d g.
Proof.
  induction d as [|[w a] d IH]; intros W H; simpl; [lra|].
  assert (0 <= w) by (apply (W w a); now left). assert (f a <= g a) by (apply H; now left).
  assert (expect d f <= expect d g) by (apply IH; [intros v b I; apply (W v b); now right | intros b I; apply H; now right]).
  assert (w * f a <= w * g a) by now apply Rmult_le_compat_l. lra.
Qed.

Lemma several_weights K : forall before w xs, In (w, xs) (several V alike always K before) -> 0 <= w.
Proof.
  induction K as [|K IH]; intros before w xs H; cbn [several] in H; [destruct H as [E|[]]; inversion E; lra|].
  unfold always, bind in H. apply in_flat_map in H as [[v x] [D H]]. apply in_map_iff in H as [[u ys] [E H]].
  apply in_flat_map in H as [[t zs] [I H]]. apply in_map_iff in H as [[s rs] [F H]]. destruct H as [H|[]].
  inversion H; subst. inversion F; subst. inversion E; subst. apply in_map_iff in D as [y [G S]]. apply in_seq in S.
  inversion G; subst. apply Rmult_le_pos; [apply (law_nonneg V); [easy | lia]|]. rewrite Rmult_1_r.
  simpl. apply IH in I. simpl in *. lra.
Qed.

Lemma drawn_often K : forall before x, (x < V)%nat ->
  expect (several V alike always K before) (fun xs => if existsb (Nat.eqb x) xs then 1 else 0) <= INR K * q x.
Proof.
  intros before x L. rewrite (expect_ext _ _ (fun xs => 1 + -1 * (if existsb (Nat.eqb x) xs then 0 else 1)))
    by (intros xs; destruct (existsb (Nat.eqb x) xs); ring).
  rewrite expect_plus, several_sure, expect_scale, missed by easy. pose proof (law_nonneg V q x draft_law L).
  pose proof (law_le_1 V q x draft_law L).
  assert (B : forall n, 1 - INR n * q x <= (1 - q x) ^ n).
  { induction n as [|n IH]; [simpl; lra|]. cbn [pow]. rewrite S_INR. pose proof (pow_le (1 - q x) n ltac:(lra)).
    assert ((1 - q x) ^ n <= 1) by (apply power_most; lra). pose proof (pos_INR n). nra. }
  specialize (B K). lra.
Qed.

(** What any rule accepts is at most Σ min(p, K q). *)
Lemma best_accepts K decide : any_rule K decide ->
  accepts (xs <- several V alike always K [] ;; decide xs) <= sum V (fun x => Rmin (p x) (INR K * q x)).
Proof.
  intros [Proper [Drafted [Lossless Inside]]]. unfold accepts, chance. rewrite expect_bind.
  apply (Rle_trans _ (sum V (fun x => expect (several V alike always K [])
    (fun xs => expect (decide xs) (fun o => if snd o then indicator (Nat.eqb (fst o) x) else 0))))).
  - right. transitivity (expect (several V alike always K []) (fun xs =>
      sum V (fun x => expect (decide xs) (fun o => if snd o then indicator (Nat.eqb (fst o) x) else 0)))).
    + apply expect_ext. intros xs.
      assert (Swap : forall (d : program (nat * bool)) n,
        sum n (fun x => expect d (fun o => if snd o then indicator (Nat.eqb (fst o) x) else 0))
        = expect d (fun o => sum n (fun x => if snd o then indicator (Nat.eqb (fst o) x) else 0))).
      { intros d n. induction n as [|n IH]; [simpl; now rewrite (expect_const d 0), Rmult_0_r|].
        cbn [sum]. now rewrite IH, <- expect_plus. }
      rewrite Swap. apply expect_ext_in. intros [y b] I. apply Inside in I. simpl in *. destruct b; unfold indicator at 1.
      * rewrite <- (sum_point V (fun _ => 1) y I). apply sum_ext. intros x _. rewrite (Nat.eqb_sym y x). unfold indicator.
        destruct (Nat.eqb x y); easy.
      * now rewrite sum_zero.
    + assert (Swap : forall (d : program (list nat)) (g : nat -> list nat -> R) n,
        expect d (fun xs => sum n (fun x => g x xs)) = sum n (fun x => expect d (g x))).
      { intros d g n. induction n as [|n IH]; [simpl; now rewrite (expect_const d 0), Rmult_0_r|].
        cbn [sum]. now rewrite expect_plus, IH. }
      apply Swap.
  - apply sum_le. intros x L. apply Rmin_glb.
    + rewrite <- (Lossless x L). unfold chance. rewrite expect_bind. apply expect_le_in; [apply several_weights|].
      intros xs _. apply expect_le_in; [apply (Proper xs)|]. intros [y b] _. simpl. destruct b; [lra|].
      unfold indicator. destruct (Nat.eqb y x); lra.
    + eapply Rle_trans; [|apply (drawn_often K [] x L)]. apply expect_le_in; [apply several_weights|]. intros xs _.
      destruct (Proper xs) as [W One]. destruct (existsb (Nat.eqb x) xs) eqn:E.
      * rewrite <- One. apply expect_le_in; [exact W|]. intros [y b] _. simpl. destruct b; [|lra]. unfold indicator.
        destruct (Nat.eqb y x); lra.
      * apply (Rle_trans _ (expect (decide xs) (fun _ => 0))); [|rewrite expect_const; lra]. apply expect_le_in; [exact W|].
        intros [y b] I. simpl. destruct b; [|lra]. apply Drafted in I. unfold indicator.
        destruct (Nat.eqb_spec y x) as [->|]; [|lra]. exfalso.
        assert (T : existsb (Nat.eqb x) xs = true) by (apply existsb_exists; exists x; split; [exact I | apply Nat.eqb_refl]).
        congruence.
Qed.

(** 1 - (1 - s/K)^K is above its chord. *)
Lemma chord K s : (0 < K)%nat -> 0 <= s <= 1 -> (1 - (1 - / INR K) ^ K) * s <= 1 - (1 - s / INR K) ^ K.
Proof.
  intros K0 S. assert (K1 : 1 <= INR K) by (now apply (le_INR 1)). set (h := / INR K).
  assert (H : 0 < h <= 1).
  { unfold h. split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
  change (s / INR K) with (s * h). assert (G : forall n, (1 - s * h) ^ n <= 1 - s + s * (1 - h) ^ n).
  { induction n as [|n IH]; [simpl; lra|]. cbn [pow]. set (u := (1 - h) ^ n) in *.
    assert (U : 0 <= u <= 1).
    { unfold u. split; [apply pow_le; lra | apply power_most; lra]. }
    assert (SH : 0 <= 1 - s * h) by nra.
    apply (Rle_trans _ ((1 - s * h) * (1 - s + s * u))); [now apply Rmult_le_compat_l|].
    assert (0 <= s * h * ((1 - s) * (1 - u))); [|nra]. repeat apply Rmult_le_pos; lra. }
  specialize (G K). lra.
Qed.

Lemma exp_below v : 0 <= v -> 1 - v <= exp (- v).
Proof.
  intros V0. assert (M : exp (- 0) + 0 <= exp (- v) + v).
  { apply (monotone (fun t => exp (- t) + t) (fun t => exp (- t) * -1 + 1)); [exact V0 | |].
    - intros t _. apply (derivable_pt_lim_plus (fun s => exp (- s)) id); [|apply derivable_pt_lim_id].
      apply (derivable_pt_lim_comp Ropp exp t (-1)); [|apply derivable_pt_lim_exp].
      exact (derivable_pt_lim_opp id t 1 (derivable_pt_lim_id t)).
    - intros t T. assert (exp (- t) <= exp 0) by (apply exp_le; lra). rewrite exp_0 in *. lra. }
  rewrite Ropp_0, exp_0 in M. lra.
Qed.

(** K-SEQ at any ρ from 1 to K, at ρ* too, accepts at least 1 - (1 - 1/K)^K of what any rule does that emits with the target's law
    from the same drafts, which is at least 1 - 1/e of it. *)
Theorem multi_kseq_ratio K rho decide : (0 < K)%nat -> 1 <= rho <= INR K -> any_rule K decide ->
  let best := accepts (xs <- several V alike always K [] ;; decide xs) in
  (1 - (1 - 1 / INR K) ^ K) * best <= accepts (kseq rho K) /\
  (1 - exp (-1)) * best <= (1 - (1 - 1 / INR K) ^ K) * best.
Proof.
  intros K0 R Rule best. assert (K1 : 1 <= INR K) by (now apply (le_INR 1)).
  assert (E : accepts (kseq rho K) = 1 - (1 - once rho) ^ K).
  { unfold accepts, chance, kseq. rewrite expect_bind, (passing_value _ rho K) by lra. simpl snd. unfold indicator.
    rewrite (sum_ext V (fun x => Rmin (p x / rho) (q x) * 1) (fun x => Rmin (p x / rho) (q x))) by (intros; ring).
    rewrite (sum_ext V (fun y => last_law rho K y * 0) (fun _ => 0)), sum_zero by (intros; ring).
    fold (once rho). rewrite tests_once. ring. }
  set (s := sum V (fun x => Rmin (p x) (INR K * q x))).
  assert (S : 0 <= s <= 1).
  { unfold s. split.
    - apply sum_nonneg. intros x L. apply Rmin_glb; [now apply (law_nonneg V)|].
      apply Rmult_le_pos; [lra | now apply (law_nonneg V)].
    - destruct target_law as [_ <-]. apply sum_le. intros. apply Rmin_l. }
  assert (Once : s / INR K <= once rho).
  { apply (Rle_trans _ (once (INR K))).
    - right. unfold s, once, Rdiv. rewrite <- sum_scale_right. apply sum_ext. intros x L.
      replace (q x) with (INR K * q x * / INR K) at 2 by (field; lra). assert (0 < / INR K) by (apply Rinv_0_lt_compat; lra).
      unfold Rmin. destruct (Rle_dec (p x) (INR K * q x)), (Rle_dec (p x * / INR K) (INR K * q x * / INR K)); try easy; nra.
    - apply sum_le. intros x L. assert (p x / INR K <= p x / rho).
      { apply Rmult_le_compat_l; [now apply (law_nonneg V) | apply Rinv_le_contravar; lra]. }
      unfold Rmin. destruct (Rle_dec (p x / INR K) (q x)), (Rle_dec (p x / rho) (q x)); lra. }
  assert (Best : best <= s) by now apply best_accepts.
  assert (B0 : 0 <= best).
  { unfold best, accepts, chance. rewrite expect_bind. destruct Rule as [Proper _].
    apply (Rle_trans _ (expect (several V alike always K []) (fun _ => 0))); [rewrite expect_const; lra|].
    apply expect_le_in; [apply several_weights|]. intros xs _. destruct (Proper xs) as [W _].
    apply (Rle_trans _ (expect (decide xs) (fun _ => 0))); [rewrite expect_const; lra|]. apply expect_le_in; [exact W|].
    intros [y b] _. unfold indicator. destruct (snd (y, b)); lra. }
  assert (Share : 0 <= 1 - / INR K <= 1).
  { assert (0 < / INR K) by (apply Rinv_0_lt_compat; lra). assert (/ INR K <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
    lra. }
  assert (Power : 0 <= (1 - / INR K) ^ K <= 1).
  { split; [apply pow_le; lra | apply power_most; lra]. }
  unfold Rdiv at 1 2. rewrite Rmult_1_l. split.
  - rewrite E. apply (Rle_trans _ ((1 - (1 - / INR K) ^ K) * s)); [apply Rmult_le_compat_l; lra|].
    eapply Rle_trans; [apply (chord K s K0 S)|]. assert ((1 - once rho) ^ K <= (1 - s / INR K) ^ K); [|lra].
    apply pow_incr. pose proof (once_range rho ltac:(lra)). lra.
  - apply Rmult_le_compat_r; [exact B0|]. assert ((1 - / INR K) ^ K <= exp (-1)); [|lra].
    replace (exp (-1)) with (exp (- / INR K) ^ K).
    + apply pow_incr. split; [lra|]. pose proof (exp_below (/ INR K) ltac:(lra)). lra.
    + clear - K1. assert (G : forall n, exp (- / INR K) ^ n = exp (INR n * - / INR K)).
      { induction n as [|n IH]; [simpl; now rewrite Rmult_0_l, exp_0|]. cbn [pow]. rewrite IH, <- exp_plus, S_INR. f_equal. ring. }
      rewrite G. f_equal. field. lra.
Qed.

End Rules.

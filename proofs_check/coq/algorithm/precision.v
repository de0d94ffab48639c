(** Numbers that are off by little, at a temperature and at temperature 0; and drafts accepted above a threshold of the target. *)

Require Import Reals Lra Lia List Arith Bool.
Require Import laws lossless ears rdk dobrushin relaxed slopes softmax sqs thresholds.
Import ListNotations.
Open Scope R_scope.

(** Where no logit differs by more than ε, TV(p, p̂) <= tanh(ε/(2T)), p and p̂ the softmax at temperature T. *)
Theorem numerics_tv V z z_hat epsilon T : (0 < V)%nat -> 0 < T -> (forall x, (x < V)%nat -> Rabs (z_hat x - z x) <= epsilon) ->
  tv V (softmax V (fun x => z x / T)) (softmax V (fun x => z_hat x / T)) <= tanh (epsilon / (2 * T)).
Proof.
  intros L P Near. pose proof (rdk_perturbed_target_sharp V (fun x => z x / T) (fun x => (z_hat x - z x) / T) (epsilon / T) L) as S.
  unfold tv. replace (epsilon / (2 * T)) with (epsilon / T / 2) by (field; lra).
  assert (E : off V (fun x => z x / T) (fun x => (z_hat x - z x) / T)
    = sum V (fun x => Rabs (softmax V (fun x => z x / T) x - softmax V (fun x => z_hat x / T) x))).
  { unfold off, norm1. apply sum_ext. intros x X. do 2 f_equal. unfold softmax.
    assert (A : forall y, z y / T + (z_hat y - z y) / T = z_hat y / T) by (intros; field; lra). rewrite A. f_equal. apply sum_ext.
    intros y _. now rewrite A. }
  rewrite E in S. assert (sum V (fun x => Rabs (softmax V (fun x => z x / T) x - softmax V (fun x => z_hat x / T) x)) <= 2 * tanh (epsilon / T / 2));
    [|lra]. apply S. intros x X. unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ T)) by (left; now apply Rinv_0_lt_compat).
  apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat | now apply Near].
Qed.

(** Logits that differ by at most ε leave the most likely token as it is where it leads every other by more than 2ε:
    ẑ_a - ẑ_x >= z_a - z_x - 2ε; 2 is the least constant. *)
Theorem numerics_greedy :
  (forall V z z_hat epsilon, (forall x, (x < V)%nat -> Rabs (z_hat x - z x) <= epsilon) -> forall a, (a < V)%nat ->
    (forall x, (x < V)%nat -> z a - z x - 2 * epsilon <= z_hat a - z_hat x) /\
    ((forall x, (x < V)%nat -> x <> a -> 2 * epsilon < z a - z x) -> forall x, (x < V)%nat -> x <> a -> z_hat x < z_hat a)) /\
  forall c, c < 2 -> exists V z z_hat epsilon a x, (forall y, (y < V)%nat -> Rabs (z_hat y - z y) <= epsilon) /\
    (a < V)%nat /\ (x < V)%nat /\ (forall y, (y < V)%nat -> y <> a -> c * epsilon < z a - z y) /\
    z_hat a - z_hat x < z a - z x - c * epsilon /\ z_hat a < z_hat x.
Proof.
  assert (Lead : forall V z z_hat epsilon, (forall x, (x < V)%nat -> Rabs (z_hat x - z x) <= epsilon) -> forall a x, (a < V)%nat -> (x < V)%nat ->
    z a - z x - 2 * epsilon <= z_hat a - z_hat x).
  { intros V z z_hat epsilon Near a x A X. pose proof (Near a A) as NA. pose proof (Near x X) as NX.
    pose proof (Rle_abs (z_hat x - z x)). pose proof (Rle_abs (- (z_hat a - z a))) as B. rewrite Rabs_Ropp in B. lra. }
  split.
  - intros V z z_hat epsilon Near a A. split; [intros x X; now apply Lead with V|]. intros Clear x X N. specialize (Clear x X N).
    pose proof (Lead V z z_hat epsilon Near a x A X). lra.
  - intros c C. set (m := (Rmax c 0 + 2) / 2). assert (M : c < m < 2 /\ 0 < m).
    { unfold m. pose proof (Rmax_l c 0). pose proof (Rmax_r c 0). assert (Rmax c 0 < 2) by (apply Rmax_lub_lt; lra). lra. }
    exists 2%nat, (fun y => if Nat.eqb y 0 then m else 0), (fun y => if Nat.eqb y 0 then m - 1 else 1), 1, 0%nat, 1%nat.
    split; [|split; [lia|]; split; [lia|]; split; [|simpl; lra]].
    + intros [|[|y]] L; simpl; [| |lia].
      * replace (m - 1 - m) with (- (1)) by ring. rewrite Rabs_Ropp, Rabs_R1. lra.
      * replace (1 - 0) with 1 by ring. rewrite Rabs_R1. lra.
    + intros [|[|y]] L N; simpl; [easy | lra | lia].
Qed.

(** A greedy text of n tokens, the last of them first: each is the most likely after those before it, the first of equals. *)
Fixpoint greedy_text (V : nat) (z : list nat -> nat -> R) (n : nat) : list nat :=
  match n with O => [] | S m => let text := greedy_text V z m in top V (z text) :: text end.

(** Two greedy texts whose logits differ by at most ε after equal prefixes agree up to the first position whose margin is at most 2ε. *)
Theorem numerics_greedy_prefix V z z_hat epsilon n : (0 < V)%nat ->
  (forall text x, (x < V)%nat -> Rabs (z_hat text x - z text x) <= epsilon) ->
  (forall i, (i < n)%nat -> let text := greedy_text V z i in
    forall x, (x < V)%nat -> x <> top V (z text) -> 2 * epsilon < z text (top V (z text)) - z text x) ->
  greedy_text V z_hat n = greedy_text V z n.
Proof.
  intros L Near Clear. induction n as [|n IH]; [easy|]. cbn [greedy_text]. rewrite IH by (intros i I; apply Clear; lia).
  set (text := greedy_text V z n). f_equal. destruct (top_most V (z text) L) as [A _]. destruct (top_most V (z_hat text) L) as [B Most].
  destruct (Nat.eq_dec (top V (z_hat text)) (top V (z text))) as [E|N]; [exact E|]. exfalso.
  destruct numerics_greedy as [G _]. destruct (G V (z text) (z_hat text) epsilon (Near text) (top V (z text)) A) as [_ Stay].
  pose proof (Stay (Clear n ltac:(lia)) (top V (z_hat text)) B N). pose proof (Most (top V (z text)) A). lra.
Qed.

(** * Truncation *)

Section Truncation.

Variable V : nat.
Variables p q : nat -> R.
Variable theta : R.
Hypothesis target_law : law V p.
Hypothesis draft_law : law V q.
Hypothesis theta_nonneg : 0 <= theta.

(** Tokens with p(x) >= θ, some at least; a law cut to them. *)
Definition likely (x : nat) : bool := if Rle_dec theta (p x) then true else false.
Definition cut (l : nat -> R) : nat -> R := sparsified V l likely.
Definition mass (l : nat -> R) : R := sum V (on_kept l likely).
Hypothesis some_likely : exists x, (x < V)%nat /\ theta <= p x /\ 0 < p x.

(** A draft is accepted if p(x) >= θ; else a token of the truncated target is drawn. *)
Definition accepts_likely : program nat := rule V q (fun x => indicator (likely x)) (fun _ => cut p).

Lemma likely_mass : 0 < mass p <= 1.
Proof.
  destruct some_likely as [x [L [T P]]]. assert (N : forall y, (y < V)%nat -> 0 <= on_kept p likely y).
  { intros y Y. unfold on_kept. destruct (likely y); [now apply (law_nonneg V) | lra]. }
  split.
  - apply (Rlt_le_trans _ (on_kept p likely x)); [|now apply (sum_term V)]. unfold on_kept, likely. destruct (Rle_dec theta (p x)); easy.
  - unfold mass. destruct target_law as [_ <-]. apply sum_le. intros y Y. unfold on_kept. destruct (likely y); [lra | now apply (law_nonneg V)].
Qed.

Lemma cut_law l : law V l -> 0 < mass l -> law V (cut l).
Proof.
  intros [N _] M. unfold cut, sparsified. split.
  - intros x L. specialize (N x L). apply Rmult_le_pos; [unfold on_kept; destruct (likely x); lra | left; now apply Rinv_0_lt_compat].
  - unfold Rdiv. rewrite sum_scale_right. apply Rinv_r. unfold mass in M. lra.
Qed.

Lemma kept_likely x : ears.kept q (fun x => indicator (likely x)) x = on_kept q likely x.
Proof. unfold ears.kept, on_kept, indicator. destruct (likely x); ring. Qed.

Lemma accepts_output y : (y < V)%nat -> output accepts_likely y = on_kept q likely y + (1 - mass q) * cut p y.
Proof.
  intros L. unfold accepts_likely. rewrite (rule_with V q _ draft_law) by easy. unfold kept_mass, refused, kept_mass. rewrite kept_likely.
  rewrite (sum_ext V _ (on_kept q likely)) by (intros; apply kept_likely). easy.
Qed.

Lemma mass_range : 0 <= mass q <= 1.
Proof.
  split; [apply sum_nonneg; intros x L; unfold on_kept; destruct (likely x); [now apply (law_nonneg V) | lra]|].
  unfold mass. destruct draft_law as [_ <-]. apply sum_le. intros y Y. unfold on_kept. destruct (likely y); [lra | now apply (law_nonneg V)].
Qed.

Lemma truncation_tv : tv V (output accepts_likely) (cut p) = sum V (fun x => Rmax 0 (on_kept q likely x - mass q * cut p x)).
Proof.
  destruct (cut_law p target_law (proj1 likely_mass)) as [_ One]. rewrite tv_positive.
  - apply sum_ext. intros x L. rewrite accepts_output by easy. f_equal. ring.
  - rewrite (sum_ext V _ _ (fun x L => accepts_output x L)), sum_plus, sum_scale, One. fold (mass q). ring.
Qed.

(** Accept a draft if p(x) >= θ, θ >= 0 and no more than the largest p, else draw from the truncated target p_S, S = {p >= θ}: the
    output is at total variation Σ over S of (q - q(S) p_S)₊ = q(S) TV(q_S, p_S) from p_S. *)
Theorem process_truncation_lossy :
  tv V (output accepts_likely) (cut p) = sum V (fun x => if likely x then Rmax 0 (q x - mass q * cut p x) else 0) /\
  tv V (output accepts_likely) (cut p) = mass q * tv V (cut q) (cut p).
Proof.
  rewrite truncation_tv. split.
  - apply sum_ext. intros x _. unfold on_kept. destruct (likely x) eqn:E; [easy|]. unfold cut, sparsified, on_kept at 1. rewrite E.
    apply Rmax_left. unfold Rdiv. rewrite Rmult_0_l. lra.
  - pose proof mass_range as [M _]. destruct M as [M|M].
    + pose proof (cut_law q draft_law M) as [_ One]. destruct (cut_law p target_law (proj1 likely_mass)) as [_ One'].
      rewrite tv_positive by (now rewrite One, One'). rewrite <- sum_scale. apply sum_ext. intros x _.
      replace (on_kept q likely x - mass q * cut p x) with (mass q * (cut q x - cut p x))
        by (unfold cut at 1, sparsified, mass; field; unfold mass in M; lra).
      unfold Rmax. destruct (Rle_dec 0 (mass q * (cut q x - cut p x))), (Rle_dec 0 (cut q x - cut p x)); nra.
    + rewrite <- M, Rmult_0_l. rewrite (sum_ext V _ (fun _ => 0)), sum_zero; [easy|]. intros x L.
      assert (N : forall y, (y < V)%nat -> 0 <= on_kept q likely y)
        by (intros y Y; unfold on_kept; destruct (likely y); [now apply (law_nonneg V) | lra]).
      rewrite (sum_zero_terms V (on_kept q likely) N (eq_sym M) x L). apply Rmax_left. lra.
Qed.

(** Where a draft is accepted if p(x) >= θ, θ >= 0 and no more than the largest p, else the truncated target p_S is drawn, the output is
    at total variation at most q(S) (1 - θ/p(S)) <= 1 - θ from p_S. *)
Theorem process_truncation_lossy_most : tv V (output accepts_likely) (cut p) <= mass q * (1 - theta / mass p) /\
  mass q * (1 - theta / mass p) <= 1 - theta.
Proof.
  pose proof likely_mass as [P0 P1]. pose proof mass_range as [M0 M1].
  assert (Top : theta <= mass p).
  { destruct some_likely as [x [L [T P]]]. apply (Rle_trans _ (on_kept p likely x)).
    - unfold on_kept, likely. destruct (Rle_dec theta (p x)); [lra | easy].
    - apply (sum_term V); [|easy]. intros y Y. unfold on_kept. destruct (likely y); [now apply (law_nonneg V) | lra]. }
  assert (R : theta <= theta / mass p <= 1).
  { split; apply (Rmult_le_reg_r (mass p)); try easy; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; nra. }
  split.
  - rewrite truncation_tv. replace (mass q * (1 - theta / mass p)) with (sum V (fun x => on_kept q likely x * (1 - theta / mass p)))
      by (now rewrite sum_scale_right).
    apply sum_le. intros x L. pose proof (law_nonneg V q x draft_law L) as Q.
    assert (QM : on_kept q likely x <= mass q).
    { apply (sum_term V (on_kept q likely)); [|easy]. intros y Y. unfold on_kept. destruct (likely y); [now apply (law_nonneg V) | lra]. }
    destruct (likely x) eqn:E.
    + assert (C : theta / mass p <= cut p x).
      { unfold cut, sparsified, on_kept at 1. rewrite E. fold (mass p). unfold likely in E. destruct (Rle_dec theta (p x)); [|easy].
        apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat | easy]. }
      unfold on_kept in *. rewrite E in *. assert (0 <= theta / mass p) by lra.
      apply Rmax_lub; [apply Rmult_le_pos; lra|]. assert (q x * (theta / mass p) <= mass q * cut p x) by (apply Rmult_le_compat; lra). lra.
    + assert (Z : on_kept q likely x = 0) by (unfold on_kept; now rewrite E).
      assert (C : cut p x = 0) by (unfold cut, sparsified, on_kept at 1; rewrite E; unfold Rdiv; ring).
      rewrite Z, C, Rmult_0_r, Rmult_0_l. apply Rmax_lub; lra.
  - assert (0 <= 1 - theta / mass p) by lra. nra.
Qed.

End Truncation.

(** C-SQS: which way the threshold works, how the mean dropped mass comes to its target, and fixed thresholds beside it. *)

Require Import Reals Lra Lia List Arith Bool.
Require Import laws sqs thresholds descent.
Open Scope R_scope.

Section Direction.

Variable V : nat.
Variables eta alpha : R.
Hypothesis some_token : (0 < V)%nat.
Hypothesis eta_positive : 0 < eta.
Hypothesis alpha_range : 0 <= alpha <= 1.

Notation dropped := (dropped V).
Notation threshold := (threshold V eta alpha).
Notation kept := (kept V).

(** How many tokens a set holds, and the mass of the others. *)
Definition size (X : nat -> bool) : R := sum V (fun x => if X x then 1 else 0).
Definition outside (X : nat -> bool) (q : nat -> R) : R := sum V (fun x => if X x then 0 else q x).

(** A higher threshold keeps no more tokens and drops no less mass, in both readings. *)
Theorem csqs_direction k q beta beta' : law V q -> beta <= beta' ->
  size (kept k q beta') <= size (kept k q beta) /\ dropped k q beta <= dropped k q beta'.
Proof.
  intros [N _] B. assert (S : forall x, kept k q beta' x = true -> kept k q beta x = true).
  { intros x. unfold thresholds.kept. destruct (Rle_dec beta' (q x)), (Rle_dec beta (q x)); try easy. lra. }
  split; apply sum_le; intros x L; specialize (S x); specialize (N x L);
    destruct (kept k q beta' x), (kept k q beta x); try lra; specialize (S eq_refl); discriminate.
Qed.

(** For a fixed step size the mean dropped mass of T tokens is at most α + C/T with C = |start|/η + 1, for every T and start, in both
    readings. *)
Theorem csqs_asymptotic k q start T : (forall n, law V (q n)) -> (0 < T)%nat ->
  sum T (fun n => dropped k (q n) (threshold k q start n)) / INR T <= alpha + (Rabs start / eta + 1) / INR T.
Proof.
  intros Q L. assert (P : 0 < INR T) by now apply lt_0_INR.
  destruct (csqs_average_dropped_sharp V eta alpha some_token eta_positive alpha_range k q start T Q L) as [_ B].
  eapply Rle_trans; [exact B|]. apply Rplus_le_compat_l.
  replace ((Rabs start / eta + 1) / INR T) with ((Rabs start + eta) / (eta * INR T)) by (field; lra).
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; now apply Rmult_lt_0_compat|].
  pose proof (Rle_abs start). pose proof (Rabs_pos start).
  assert (0 < / INR V) by (apply Rinv_0_lt_compat; now apply lt_0_INR).
  assert (eta * (most V k - alpha) <= eta * 1) by (apply Rmult_le_compat_l; [lra | unfold most; destruct k; lra]).
  apply Rmax_lub; lra.
Qed.

(** Read literally the mean dropped mass comes to α: it is at least α - (1 + ηα - start)₊/(ηT) and at most
    α + (start + η(1 - α))₊/(ηT). *)
Theorem csqs_asymptotic_sharp q start T : (forall n, law V (q n)) -> (0 < T)%nat ->
  let average := sum T (fun n => dropped false (q n) (threshold false q start n)) / INR T in
  alpha - Rmax 0 (1 + eta * alpha - start) / (eta * INR T) <= average /\
  average <= alpha + Rmax 0 (start + eta * (1 - alpha)) / (eta * INR T).
Proof.
  intros Q L average. assert (P : 0 < INR T) by now apply lt_0_INR. split.
  - unfold average. rewrite (total V eta alpha) by easy.
    replace ((alpha * INR T + (start - threshold false q start T) / eta) / INR T)
      with (alpha - (threshold false q start T - start) * / (eta * INR T)) by (field; lra).
    apply Rplus_le_compat_l, Ropp_le_contravar.
    apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; now apply Rmult_lt_0_compat|].
    destruct (csqs_threshold_range_any_start_corrected V eta alpha eta_positive alpha_range q start Q T) as [_ [A _]].
    unfold Rmax in *. destruct (Rle_dec start (1 + eta * alpha)), (Rle_dec 0 (1 + eta * alpha - start)); lra.
  - exact (proj2 (csqs_average_dropped_sharp V eta alpha some_token eta_positive alpha_range false q start T Q L)).
Qed.

(** Read literally, from the start ½ + η(α - ½), the mean dropped mass of T tokens is within (1 + η)/(2ηT) of α. *)
Theorem csqs_two_sided_best_start q T : (forall n, law V (q n)) -> (0 < T)%nat ->
  let start := / 2 + eta * (alpha - / 2) in
  Rabs (sum T (fun n => dropped false (q n) (threshold false q start n)) / INR T - alpha) <= (1 + eta) / (2 * eta * INR T).
Proof.
  intros Q L start. assert (P : 0 < INR T) by now apply lt_0_INR.
  destruct (csqs_asymptotic_sharp q start T Q L) as [A B].
  replace ((1 + eta) / (2 * eta * INR T)) with ((/ 2 + eta / 2) / (eta * INR T)) by (field; lra).
  assert (E : Rmax 0 (1 + eta * alpha - start) = / 2 + eta / 2) by (unfold start; rewrite Rmax_right; lra).
  assert (F : Rmax 0 (start + eta * (1 - alpha)) = / 2 + eta / 2) by (unfold start; rewrite Rmax_right; lra).
  rewrite E in A. rewrite F in B. apply Rabs_le. lra.
Qed.

(** The first update keeps the order of two targets: the threshold is larger by η times what the target is larger by. *)
Theorem csqs_alpha_reduces_k_path_corrected k q start delta :
  update V eta (alpha + delta) k q start - update V eta alpha k q start = eta * delta.
Proof. unfold update. ring. Qed.

(** * Fixed thresholds *)

Lemma one_law k q beta Y : law V q -> 0 < beta -> (k = true -> exists y, (y < V)%nat /\ Y y = true) ->
  size (kept k q beta) + (dropped k q beta - outside Y q) / beta <= size Y.
Proof.
  intros Q B Some. destruct Q as [N One].
  set (g := fun x => 1 - q x / beta).
  assert (E : size Y - (size (kept k q beta) + (dropped k q beta - outside Y q) / beta)
    = sum V (fun x => ((if Y x then 1 else 0) - (if kept k q beta x then 1 else 0)) * g x)).
  { unfold size, outside, thresholds.dropped, Rdiv. rewrite <- sum_minus, <- sum_scale_right, <- sum_plus, <- sum_minus. apply sum_ext.
    intros x _. unfold g, Rdiv. destruct (Y x), (kept k q beta x); ring. }
  assert (I : 0 < / beta) by now apply Rinv_0_lt_compat.
  assert (G1 : forall x, beta <= q x -> g x <= 0).
  { intros x X. unfold g, Rdiv. apply (Rmult_le_compat_r (/ beta)) in X; [|lra]. rewrite Rinv_r in X; lra. }
  assert (G2 : forall x, q x < beta -> 0 < g x).
  { intros x X. unfold g, Rdiv. apply (Rmult_lt_compat_r (/ beta)) in X; [|lra]. rewrite Rinv_r in X; lra. }
  assert (Z : 0 <= sum V (fun x => ((if Y x then 1 else 0) - (if kept k q beta x then 1 else 0)) * g x)); [|lra].
  clear E. destruct (top_most V q some_token) as [TV M].
  destruct (Rle_lt_dec beta (q (top V q))) as [C|C].
  - (* some token reaches the threshold, so that those which do are kept *)
    apply sum_nonneg. intros x L. unfold thresholds.kept. destruct (Rle_dec beta (q x)) as [R|R].
    + specialize (G1 x R). destruct (Y x); nra.
    + apply Rnot_le_lt in R. specialize (G2 x R). destruct (Nat.eqb_spec x (top V q)) as [->|D]; [lra|].
      rewrite andb_false_r. destruct (Y x); nra.
  - assert (F : forall x, (x < V)%nat -> q x < beta) by (intros x L; specialize (M x L); lra).
    destruct k.
    + destruct (Some eq_refl) as [y [L Yy]].
      assert (GM : forall x, (x < V)%nat -> g (top V q) <= g x).
      { intros x X. unfold g, Rdiv. specialize (M x X). apply (Rmult_le_compat_r (/ beta)) in M; lra. }
      apply (Rle_trans _ (sum V (fun x => (if Nat.eqb x y then g y else 0) - (if Nat.eqb x (top V q) then g x else 0)))).
      * rewrite sum_minus, (sum_point V (fun _ => g y) y L), (sum_point V g _ TV). specialize (GM y L). lra.
      * apply sum_le. intros x X. specialize (F x X). specialize (G2 x F). unfold thresholds.kept.
        destruct (Rle_dec beta (q x)) as [R|R]; [lra|]. simpl.
        destruct (Nat.eqb_spec x y) as [E|D].
        -- assert (Yx : Y x = true) by (now rewrite E). rewrite Yx, <- E. destruct (Nat.eqb x (top V q)); lra.
        -- destruct (Nat.eqb x (top V q)), (Y x); lra.
    + apply sum_nonneg. intros x X. specialize (F x X). specialize (G2 x F). unfold thresholds.kept.
      destruct (Rle_dec beta (q x)) as [R|R]; [lra|]. simpl. destruct (Y x); lra.
Qed.

(** Any sets, each with a token where the most likely token is always kept, against a fixed threshold: Σ |Y_n| is at least
    Σ |X_n(β)| and 1/β times what β drops beyond them; who drops no more mass keeps no fewer tokens. *)
Theorem csqs_fixed_optimal k q beta (Y : nat -> nat -> bool) T : (forall n, law V (q n)) -> 0 < beta ->
  (k = true -> forall n, exists y, (y < V)%nat /\ Y n y = true) ->
  sum T (fun n => size (kept k (q n) beta)) + / beta * sum T (fun n => dropped k (q n) beta - outside (Y n) (q n))
  <= sum T (fun n => size (Y n)).
Proof.
  intros Q B Some. rewrite <- sum_scale, <- sum_plus. apply sum_le. intros n _.
  pose proof (one_law k (q n) beta (Y n) (Q n) B (fun K => Some K n)). unfold Rdiv in *. lra.
Qed.

(** The rule against any fixed threshold β > 0, for every T, in both readings: Σ |X_n| is at least Σ |X_n(β)| less
    1/β (αT - D(β) + (start + η(1 - α))₊/η), D(β) the mass that β drops. *)
Theorem csqs_adaptive_against_fixed k q start beta T : (forall n, law V (q n)) -> 0 < beta -> (0 < T)%nat ->
  let D := sum T (fun n => dropped k (q n) beta) in
  sum T (fun n => size (kept k (q n) beta)) - / beta * (alpha * INR T - D + Rmax 0 (start + eta * (1 - alpha)) / eta)
  <= sum T (fun n => size (kept k (q n) (threshold k q start n))).
Proof.
  intros Q B L D. assert (P : 0 < INR T) by now apply lt_0_INR.
  pose proof (csqs_fixed_optimal k q beta (fun n => kept k (q n) (threshold k q start n)) T Q B) as F.
  assert (Some : k = true -> forall n, exists y, (y < V)%nat /\ kept k (q n) (threshold k q start n) y = true).
  { intros -> n. exists (top V (q n)). split; [now apply top_most|]. unfold thresholds.kept. rewrite Nat.eqb_refl.
    now destruct (Rle_dec _ _). }
  specialize (F Some). eapply Rle_trans; [|exact F].
  rewrite (sum_minus T (fun n => dropped k (q n) beta)). fold D.
  change (sum T (fun n => outside (kept k (q n) (threshold k q start n)) (q n)))
    with (sum T (fun n => dropped k (q n) (threshold k q start n))).
  destruct (csqs_average_dropped_sharp V eta alpha some_token eta_positive alpha_range k q start T Q L) as [_ A].
  assert (C : Rmax 0 (start + eta * (most V k - alpha)) <= Rmax 0 (start + eta * (1 - alpha))).
  { apply Rmax_lub; [apply Rmax_l|]. eapply Rle_trans; [|apply Rmax_r].
    assert (0 < / INR V) by (apply Rinv_0_lt_compat; now apply lt_0_INR).
    apply Rplus_le_compat_l, Rmult_le_compat_l; [lra | unfold most; destruct k; lra]. }
  set (S := sum T (fun n => dropped k (q n) (threshold k q start n))) in *.
  assert (U : S <= alpha * INR T + Rmax 0 (start + eta * (1 - alpha)) / eta).
  { apply (Rmult_le_compat_r (INR T)) in A; [|lra]. replace (S / INR T * INR T) with S in A by (field; lra).
    eapply Rle_trans; [exact A|]. rewrite Rmult_plus_distr_r. apply Rplus_le_compat_l.
    replace (Rmax 0 (start + eta * (most V k - alpha)) / (eta * INR T) * INR T)
      with (Rmax 0 (start + eta * (most V k - alpha)) / eta) by (field; lra).
    apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat | exact C]. }
  assert (I : 0 < / beta) by now apply Rinv_0_lt_compat. nra.
Qed.

End Direction.

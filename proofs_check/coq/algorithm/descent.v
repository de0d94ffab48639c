(** C-SQS: how low the threshold falls and how high it rises, and what that leaves of the mean dropped mass. *)

Require Import Reals Lra Lia List Arith Bool.
Require Import laws sqs thresholds.
Open Scope R_scope.

Section Descent.

Variable V : nat.
Variables eta alpha : R.
Hypothesis some_token : (0 < V)%nat.
Hypothesis eta_positive : 0 < eta.
Hypothesis alpha_range : 0 <= alpha <= 1.

Notation dropped := (dropped V).
Notation update := (update V eta alpha).
Notation threshold := (threshold V eta alpha).
Notation distance := (distance V).

(** A step of the threshold is between -η(1 - α) and ηα, in both readings. *)
Theorem csqs_step k q beta : law V q -> - eta * (1 - alpha) <= update k q beta - beta <= eta * alpha.
Proof. now apply step_range. Qed.

(** The distances of the first T laws from what is left of them sum to at most αT + (|start| + 1 + η)/η, in both readings. *)
Theorem csqs_sum_bound k q start T : (forall n, law V (q n)) ->
  sum T (fun n => distance k (q n) (threshold k q start n)) <= alpha * INR T + (Rabs start + 1 + eta) / eta.
Proof.
  intros Q. rewrite csqs_telescoping_corrected by easy. apply Rplus_le_compat_l.
  apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
  destruct (csqs_threshold_range_any_start_corrected V eta alpha eta_positive alpha_range q start Q T) as [A _].
  specialize (A k). pose proof (Rle_abs start). pose proof (Rabs_pos start).
  assert (eta * (1 - alpha) <= eta * 1) by (apply Rmult_le_compat_l; lra).
  unfold Rmin in A. destruct (Rle_dec start (- eta * (1 - alpha))); lra.
Qed.

(** At η = 10⁻³ and α = 5 · 10⁻⁴, from a start in [0, 1]: Theorem 2, Lemma 3 and Eq. 28 in both readings, Lemma 4 read
    literally. *)
Theorem csqs_paper_range q start T : eta = 1 / 1000 -> alpha = 5 / 10000 -> (forall n, law V (q n)) -> 0 <= start <= 1 ->
  (0 < T)%nat ->
  (forall k, sum T (fun n => dropped k (q n) (threshold k q start n)) / INR T
    <= alpha + (Rabs start + 1 + eta * alpha) / (eta * INR T)) /\
  (forall k n, - eta * (1 - alpha) <= threshold k q start (S n) - threshold k q start n <= eta * alpha) /\
  (forall k, sum T (fun n => distance k (q n) (threshold k q start n)) <= alpha * INR T + (Rabs start + 1 + eta) / eta) /\
  (forall n, - eta * (1 - alpha) <= threshold false q start n <= 1 + eta * alpha).
Proof.
  intros E A Q S L. split; [|split; [|split]].
  - intros k. apply csqs_average_dropped_corrected; try easy. rewrite (Rabs_pos_eq start) by lra. rewrite E, A. lra.
  - intros k n. now apply csqs_step.
  - intros k. now apply csqs_sum_bound.
  - apply csqs_threshold_range_literal; try easy. rewrite E, A. lra.
Qed.

(** * How low *)

(** What is dropped at most, whatever the threshold. *)
Definition most (keep_top : bool) : R := if keep_top then 1 - / INR V else 1.

Lemma inverse : 0 < INR V /\ INR V * / INR V = 1.
Proof. assert (P : 0 < INR V) by now apply lt_0_INR. split; [easy | apply Rinv_r; lra]. Qed.

Lemma top_mass q : law V q -> / INR V <= q (top V q).
Proof.
  intros Q. destruct (top_most V q some_token) as [_ M]. destruct inverse as [P I].
  apply (Rmult_le_reg_l (INR V)); [easy|]. rewrite I. destruct Q as [_ One]. rewrite <- One.
  assert (C : forall n, sum n (fun _ => q (top V q)) = INR n * q (top V q))
    by (induction n; [simpl; ring | cbn [sum]; rewrite IHn, S_INR; ring]).
  rewrite <- C. now apply sum_le.
Qed.

Lemma dropped_most k q beta : law V q -> dropped k q beta <= most k.
Proof.
  intros Q. unfold most. destruct k; [|now apply dropped_range].
  pose proof (csqs_step_sharp V 1 alpha some_token Rlt_0_1 q beta Q) as [A _]. unfold thresholds.update in A. lra.
Qed.

(** Up to 1/V the most likely token is kept, and each other one that is dropped has less than the threshold. *)
Lemma dropped_low k q beta : law V q -> beta <= / INR V -> dropped k q beta <= (INR V - 1) * Rmax 0 beta.
Proof.
  intros Q B. pose proof (top_mass q Q) as T. destruct (top_most V q some_token) as [TV _]. destruct Q as [N _].
  apply (Rle_trans _ (sum V (fun x => Rmax 0 beta - (if Nat.eqb x (top V q) then Rmax 0 beta else 0)))).
  - apply sum_le. intros x L. specialize (N x L). pose proof (Rmax_l 0 beta). pose proof (Rmax_r 0 beta). unfold kept.
    destruct (Nat.eqb_spec x (top V q)) as [->|D]; destruct (Rle_dec beta _) as [C|C]; try lra.
    rewrite andb_false_r. lra.
  - rewrite sum_minus, sum_constant, (sum_point V (fun _ => Rmax 0 beta) (top V q) TV). lra.
Qed.

Lemma update_above k q beta c : law V q -> most k - alpha <= c -> beta - eta * c <= update k q beta.
Proof.
  intros Q C. pose proof (dropped_most k q beta Q) as D. unfold thresholds.update.
  assert (eta * (dropped k q beta - alpha) <= eta * c) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma update_no_lower k q beta : dropped k q beta <= alpha -> beta <= update k q beta.
Proof.
  intros D. unfold thresholds.update. assert (eta * (dropped k q beta - alpha) <= 0); [|lra].
  rewrite <- (Rmult_0_r eta). apply Rmult_le_compat_l; lra.
Qed.

(** From any start, over two tokens or more: the threshold is never below min(start, α/(V - 1), 1/V - η(1 - α)) read literally,
    and with 1 - 1/V - α for 1 - α where the most likely token is kept. *)
Theorem csqs_lowest_threshold k q start n : (2 <= V)%nat -> (forall n, law V (q n)) ->
  Rmin start (Rmin (alpha / (INR V - 1)) (/ INR V - eta * (most k - alpha))) <= threshold k q start n.
Proof.
  intros Two Q. set (a := alpha / (INR V - 1)). set (L := / INR V - eta * (most k - alpha)).
  set (m := Rmin start (Rmin a L)). destruct inverse as [P I].
  assert (V1 : 1 <= INR V - 1) by (apply le_INR in Two; simpl in Two; lra).
  assert (A : (INR V - 1) * a = alpha) by (unfold a; field; lra).
  assert (A0 : 0 <= a) by (apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra]).
  assert (MA : m <= a) by (eapply Rle_trans; [apply Rmin_r | apply Rmin_l]).
  assert (ML : m <= L) by (eapply Rle_trans; [apply Rmin_r | apply Rmin_r]).
  induction n as [|n IH]; [apply Rmin_l|]. cbn [thresholds.threshold]. set (beta := threshold k q start n) in *.
  destruct (Rle_lt_dec beta (/ INR V)) as [B|B].
  - pose proof (dropped_low k (q n) beta (Q n) B) as D. destruct (Rle_lt_dec beta a) as [C|C].
    + eapply Rle_trans; [exact IH|]. apply update_no_lower. eapply Rle_trans; [exact D|]. rewrite <- A.
      apply Rmult_le_compat_l; [lra|]. now apply Rmax_lub.
    + rewrite Rmax_right in D by lra. unfold thresholds.update.
      assert (U : beta - eta * ((INR V - 1) * beta - alpha) <= beta - eta * (dropped k (q n) beta - alpha)).
      { assert (eta * (dropped k (q n) beta - alpha) <= eta * ((INR V - 1) * beta - alpha)) by (apply Rmult_le_compat_l; lra). lra. }
      eapply Rle_trans; [|exact U].
      (* on a line from α/(V - 1) to 1/V *)
      set (b := / INR V) in *. assert (VB : (INR V - 1) * b = 1 - b) by (rewrite Rmult_minus_distr_r, I; ring).
      assert (End : L <= b - eta * ((INR V - 1) * b - alpha)).
      { unfold L. apply Rplus_le_compat_l, Ropp_le_contravar, Rmult_le_compat_l; [lra|].
        rewrite VB. unfold most. fold b. assert (0 < b) by now apply Rinv_0_lt_compat. destruct k; lra. }
      apply (Rmult_le_reg_r (b - a)); [lra|].
      replace ((beta - eta * ((INR V - 1) * beta - alpha)) * (b - a))
        with (a * (b - beta) + (b - eta * ((INR V - 1) * b - alpha)) * (beta - a)
          - eta * ((INR V - 1) * a - alpha) * (b - beta)) by ring.
      rewrite A. assert (m * (b - beta) <= a * (b - beta)) by (apply Rmult_le_compat_r; lra).
      assert (m * (beta - a) <= (b - eta * ((INR V - 1) * b - alpha)) * (beta - a)) by (apply Rmult_le_compat_r; lra). lra.
  - apply (Rle_trans _ L); [exact ML|]. apply (Rle_trans _ (beta - eta * (most k - alpha))); [unfold L; lra|].
    apply update_above; [apply Q | lra].
Qed.

(** From any start the threshold is never below min(start, 0, 1/V - η(1 - α)) read literally, and with 1 - 1/V - α for 1 - α where
    the most likely token is kept. *)
Theorem csqs_threshold_range_literal_sharp k q start n : (forall n, law V (q n)) ->
  Rmin start (Rmin 0 (/ INR V - eta * (most k - alpha))) <= threshold k q start n.
Proof.
  intros Q. set (L := / INR V - eta * (most k - alpha)). set (m := Rmin start (Rmin 0 L)).
  destruct (Nat.le_gt_cases 2 V) as [Two|One].
  - eapply Rle_trans; [|now apply csqs_lowest_threshold]. fold L.
    assert (0 <= alpha / (INR V - 1)).
    { apply le_INR in Two. simpl in Two. apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra]. }
    unfold m. apply Rmin_glb; [apply Rmin_l|]. apply Rmin_glb.
    + eapply Rle_trans; [apply Rmin_r|]. eapply Rle_trans; [apply Rmin_l | easy].
    + eapply Rle_trans; [apply Rmin_r | apply Rmin_r].
  - assert (E : INR V = 1) by (replace V with 1%nat by lia; reflexivity).
    induction n as [|n IH]; [apply Rmin_l|]. cbn [thresholds.threshold]. set (beta := threshold k q start n) in *.
    destruct (Rle_lt_dec beta (/ INR V)) as [B|B].
    + eapply Rle_trans; [exact IH|]. apply update_no_lower. pose proof (dropped_low k (q n) beta (Q n) B) as D.
      rewrite E in D. lra.
    + apply (Rle_trans _ L); [eapply Rle_trans; [apply Rmin_r | apply Rmin_r]|].
      apply (Rle_trans _ (beta - eta * (most k - alpha))); [unfold L; lra | apply update_above; [apply Q | lra]].
Qed.

(** * What is dropped *)

Lemma total k q start T : (forall n, law V (q n)) ->
  sum T (fun n => dropped k (q n) (threshold k q start n)) = alpha * INR T + (start - threshold k q start T) / eta.
Proof.
  intros Q. rewrite <- csqs_telescoping_corrected by easy. apply sum_ext. intros n _. symmetry. now apply distance_is.
Qed.

Lemma mean k q start T c : (forall n, law V (q n)) -> (0 < T)%nat -> start - threshold k q start T <= c ->
  sum T (fun n => dropped k (q n) (threshold k q start n)) / INR T <= alpha + c / (eta * INR T).
Proof.
  intros Q L C. assert (P : 0 < INR T) by now apply lt_0_INR. rewrite total by easy.
  replace ((alpha * INR T + (start - threshold k q start T) / eta) / INR T)
    with (alpha + (start - threshold k q start T) * / (eta * INR T)) by (field; lra).
  apply Rplus_le_compat_l. apply Rmult_le_compat_r; [|exact C]. left. apply Rinv_0_lt_compat. now apply Rmult_lt_0_compat.
Qed.

Lemma never_falls k q start n : (forall n, law V (q n)) -> most k <= alpha -> start <= threshold k q start n.
Proof.
  intros Q M. induction n as [|n IH]; [apply Rle_refl|]. cbn [thresholds.threshold]. eapply Rle_trans; [exact IH|].
  apply update_no_lower. eapply Rle_trans; [now apply dropped_most | exact M].
Qed.

(** For any η > 0 and any start, with c = 1 - α read literally and c = 1 - 1/V - α where the most likely token is kept: the mean
    dropped mass of T tokens is at most α + max(0, start, start + ηc - 1/V)/(ηT), and at most α + (start + ηc)₊/(ηT). *)
Theorem csqs_average_dropped_sharp k q start T : (forall n, law V (q n)) -> (0 < T)%nat ->
  let c := most k - alpha in
  let average := sum T (fun n => dropped k (q n) (threshold k q start n)) / INR T in
  average <= alpha + Rmax 0 (Rmax start (start + eta * c - / INR V)) / (eta * INR T) /\
  average <= alpha + Rmax 0 (start + eta * c) / (eta * INR T).
Proof.
  intros Q L c average. pose proof (csqs_threshold_range_literal_sharp k q start T Q) as A. fold c in A.
  destruct inverse as [P _]. assert (0 < / INR V) by now apply Rinv_0_lt_compat.
  split; apply mean; try easy.
  - unfold Rmax, Rmin in *. repeat match goal with
      | |- context [Rle_dec ?a ?b] => destruct (Rle_dec a b)
      | H : context [Rle_dec ?a ?b] |- _ => destruct (Rle_dec a b) end; lra.
  - destruct (Rle_lt_dec c 0) as [C|C].
    + pose proof (never_falls k q start T Q ltac:(unfold c in C; lra)). pose proof (Rmax_l 0 (start + eta * c)). lra.
    + assert (0 < eta * c) by now apply Rmult_lt_0_compat.
      unfold Rmax, Rmin in *. repeat match goal with
      | |- context [Rle_dec ?a ?b] => destruct (Rle_dec a b)
      | H : context [Rle_dec ?a ?b] |- _ => destruct (Rle_dec a b) end; lra.
Qed.

(** Over two tokens or more, for any η, start and T: Σ (α_n - α) <= max(0, start - α/(V - 1), start + ηc - 1/V)/η, c as above. *)
Theorem csqs_largest_excess k q start T : (2 <= V)%nat -> (forall n, law V (q n)) ->
  sum T (fun n => dropped k (q n) (threshold k q start n) - alpha)
  <= Rmax 0 (Rmax (start - alpha / (INR V - 1)) (start + eta * (most k - alpha) - / INR V)) / eta.
Proof.
  intros Two Q. rewrite sum_minus, total, sum_constant by easy.
  replace (alpha * INR T + (start - threshold k q start T) / eta - INR T * alpha)
    with ((start - threshold k q start T) / eta) by ring.
  apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
  pose proof (csqs_lowest_threshold k q start T Two Q) as A.
  unfold Rmax, Rmin in *. repeat match goal with
    | |- context [Rle_dec ?a ?b] => destruct (Rle_dec a b)
    | H : context [Rle_dec ?a ?b] |- _ => destruct (Rle_dec a b) end; lra.
Qed.

(** * How high, where no law is too certain *)

Section Uncertain.

Variable q : nat -> nat -> R.
Hypothesis laws_of_drafts : forall n, law V (q n).
Hypothesis uncertain : forall n x, (x < V)%nat -> q n x <= 1 - alpha.

(** Above ½ at least α is dropped: no token but the most likely one is kept. *)
Lemma dropped_high k n beta : / 2 < beta -> alpha <= dropped k (q n) beta.
Proof.
  intros B. pose proof (laws_of_drafts n) as Q. rewrite dropped_and_kept by easy.
  destruct (top_most V (q n) some_token) as [TV M]. pose proof (uncertain n (top V (q n)) TV) as U.
  assert (K : sum V (on_kept (q n) (kept V k (q n) beta)) <= q n (top V (q n))); [|lra].
  rewrite <- (sum_point V (q n) (top V (q n)) TV). apply sum_le. intros x X. unfold on_kept, kept.
  destruct Q as [N One]. pose proof (N x X). destruct (Nat.eqb_spec x (top V (q n))) as [->|D].
  - destruct (Rle_dec beta _); [lra|]. destruct (k && true); lra.
  - rewrite andb_false_r. destruct (Rle_dec beta (q n x)) as [C|C]; [exfalso | lra].
    specialize (M x X). pose proof (N (top V (q n)) TV).
    assert (S : sum V (fun y => (if Nat.eqb y x then q n y else 0) + (if Nat.eqb y (top V (q n)) then q n y else 0))
      <= sum V (q n)).
    { apply sum_le. intros z Z. pose proof (N z Z). destruct (Nat.eqb_spec z x), (Nat.eqb_spec z (top V (q n))); try lra.
      exfalso. apply D. congruence. }
    rewrite sum_plus, (sum_point V (q n) x X), (sum_point V (q n) _ TV), One in S. lra.
Qed.

(** From any start and in both readings the threshold is never above max(start, ½ + ηα) where no law is more certain than
    1 - α. *)
Theorem csqs_threshold_range_keep_top_sharp k start n : threshold k q start n <= Rmax start (/ 2 + eta * alpha).
Proof.
  induction n as [|n IH]; [apply Rmax_l|]. cbn [thresholds.threshold]. set (beta := threshold k q start n) in *.
  destruct (Rle_lt_dec beta (/ 2)) as [B|B].
  - pose proof (step_range V eta alpha eta_positive k (q n) beta (laws_of_drafts n)) as S.
    pose proof (Rmax_r start (/ 2 + eta * alpha)). lra.
  - pose proof (dropped_high k n beta B) as D. unfold thresholds.update.
    assert (0 <= eta * (dropped k (q n) beta - alpha)) by (apply Rmult_le_pos; lra). lra.
Qed.

(** Where no law is more certain than 1 - α, in both readings and from any start: the mean dropped mass of T tokens is at least
    α - (½ + ηα - start)₊/(ηT), and at most α + (start + η(1 - α))₊/(ηT). *)
Theorem csqs_two_sided_keep_top k start T : (0 < T)%nat ->
  let average := sum T (fun n => dropped k (q n) (threshold k q start n)) / INR T in
  alpha - Rmax 0 (/ 2 + eta * alpha - start) / (eta * INR T) <= average /\
  average <= alpha + Rmax 0 (start + eta * (1 - alpha)) / (eta * INR T).
Proof.
  intros L average. assert (P : 0 < INR T) by now apply lt_0_INR.
  assert (I : 0 <= / (eta * INR T)) by (left; apply Rinv_0_lt_compat; now apply Rmult_lt_0_compat). split.
  - unfold average. rewrite total by easy.
    replace ((alpha * INR T + (start - threshold k q start T) / eta) / INR T)
      with (alpha - (threshold k q start T - start) * / (eta * INR T)) by (field; lra).
    apply Rplus_le_compat_l, Ropp_le_contravar. apply Rmult_le_compat_r; [exact I|].
    pose proof (csqs_threshold_range_keep_top_sharp k start T) as A. unfold Rmax in *.
    destruct (Rle_dec start (/ 2 + eta * alpha)), (Rle_dec 0 (/ 2 + eta * alpha - start)); lra.
  - destruct (csqs_average_dropped_sharp k q start T laws_of_drafts L) as [_ B]. eapply Rle_trans; [exact B|].
    apply Rplus_le_compat_l. apply Rmult_le_compat_r; [exact I|].
    destruct inverse as [PV _]. assert (0 < / INR V) by now apply Rinv_0_lt_compat.
    assert (eta * (most k - alpha) <= eta * (1 - alpha)) by (apply Rmult_le_compat_l; unfold most; destruct k; lra).
    apply Rmax_lub; [apply Rmax_l|]. eapply Rle_trans; [|apply Rmax_r]. lra.
Qed.

End Uncertain.

End Descent.

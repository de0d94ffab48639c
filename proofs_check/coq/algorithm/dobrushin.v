(** RDK: how far a row-stochastic matrix brings laws together, by Dobrushin's coefficient, and what that says of acceptance. *)

Require Import Reals Lra Lia List Arith.
Require Import laws lossless rdk.
Import ListNotations.
Open Scope R_scope.

Definition norm1 (V : nat) (x : nat -> R) : R := sum V (fun i => Rabs (x i)).

(** The largest of n numbers, none of which is negative. *)
Fixpoint largest (n : nat) (f : nat -> R) : R := match n with O => 0 | S m => Rmax (largest m f) (f m) end.

(** Dobrushin's coefficient: the largest total variation of two rows. *)
Definition dobrushin (V : nat) (M : nat -> nat -> R) : R := largest V (fun i => largest V (fun k => tv V (M i) (M k))).

Lemma largest_term n f x : (x < n)%nat -> f x <= largest n f.
Proof.
  induction n as [|n IH]; intros L; [lia|]. simpl. destruct (Nat.eq_dec x n) as [->|N]; [apply Rmax_r|].
  eapply Rle_trans; [apply IH; lia | apply Rmax_l].
Qed.

Lemma largest_bound n f c : 0 <= c -> (forall x, (x < n)%nat -> f x <= c) -> largest n f <= c.
Proof.
  intros C. induction n as [|n IH]; simpl; intros H; [easy|].
  apply Rmax_lub; [apply IH; intros; apply H; lia | apply H; lia].
Qed.

Lemma dobrushin_rows V M i k : (i < V)%nat -> (k < V)%nat -> tv V (M i) (M k) <= dobrushin V M.
Proof.
  intros I K. eapply Rle_trans; [apply (largest_term V (fun k => tv V (M i) (M k)) k K)|].
  apply (largest_term V (fun i => largest V (fun k => tv V (M i) (M k))) i I).
Qed.

Lemma overlap_tv V p o : law V p -> law V o -> overlap V p o = 1 - tv V o p.
Proof.
  intros P O. rewrite tv_sym, tv_positive by (destruct P, O; congruence).
  pose proof (refused_is_excess V p o P O) as E. unfold excess in E. lra.
Qed.

Lemma tv_le_1 V p o : law V p -> law V o -> tv V p o <= 1.
Proof.
  intros P O. pose proof (overlap_tv V o p O P) as E.
  assert (0 <= overlap V o p); [|lra]. apply sum_nonneg. intros x L.
  apply Rmin_glb; [now apply (law_nonneg V) | now apply (law_nonneg V)].
Qed.

Lemma dobrushin_le_1 V M : row_stochastic V M -> dobrushin V M <= 1.
Proof.
  intros S. apply largest_bound; [lra|]. intros i I. apply largest_bound; [lra|]. intros k K. apply tv_le_1; now apply S.
Qed.

Lemma norm1_tv V x y : norm1 V (fun j => x j - y j) = 2 * tv V x y.
Proof. unfold norm1, tv. lra. Qed.

Section Matrix.

Variable V : nat.
Variable M : nat -> nat -> R.

Notation image := (image V).

(** Numbers that sum to zero: what is positive of them, and what is negative, have the same mass D, half of the norm. *)
Section Balanced.

Variable d : nat -> R.
Hypothesis balanced : sum V d = 0.

Let up (i : nat) : R := Rmax 0 (d i).
Let down (i : nat) : R := Rmax 0 (- d i).

Lemma parts i : d i = up i - down i.
Proof. unfold up, down, Rmax. destruct (Rle_dec 0 (d i)), (Rle_dec 0 (- d i)); lra. Qed.

Lemma parts_abs i : Rabs (d i) = up i + down i.
Proof. unfold up, down, Rmax, Rabs. destruct (Rcase_abs (d i)), (Rle_dec 0 (d i)), (Rle_dec 0 (- d i)); lra. Qed.

Lemma down_up : sum V down = sum V up.
Proof.
  assert (E : sum V d = sum V up - sum V down) by (rewrite <- sum_minus; apply sum_ext; intros; apply parts). lra.
Qed.

Lemma norm_up : norm1 V d = 2 * sum V up.
Proof.
  unfold norm1. rewrite (sum_ext V _ (fun i => up i + down i)) by (intros; apply parts_abs).
  rewrite sum_plus, down_up. ring.
Qed.

(** D times the image is a mean of differences of rows. *)
Lemma image_pairs j : sum V up * image d M j = sum V (fun i => sum V (fun k => up i * down k * (M i j - M k j))).
Proof.
  rewrite (sum_ext V (fun i => sum V _) (fun i => sum V up * (up i * M i j) - up i * sum V (fun k => down k * M k j))).
  - rewrite sum_minus, sum_scale, sum_scale_right. unfold rdk.image. rewrite <- Rmult_minus_distr_l, <- sum_minus.
    f_equal. apply sum_ext. intros i _. rewrite (parts i) at 1. ring.
  - intros i _. rewrite <- down_up, <- sum_scale_right, <- sum_scale, <- sum_minus. apply sum_ext. intros k _. ring.
Qed.

Lemma balanced_contracts : norm1 V (image d M) <= dobrushin V M * norm1 V d.
Proof.
  assert (U : forall i, 0 <= up i) by (intros; apply Rmax_l). assert (W : forall i, 0 <= down i) by (intros; apply Rmax_l).
  set (D := sum V up). assert (N : 0 <= D) by (apply sum_nonneg; auto).
  assert (B : D * norm1 V (image d M) <= D * (dobrushin V M * norm1 V d)).
  { unfold norm1 at 1. rewrite <- sum_scale.
    apply (Rle_trans _ (sum V (fun j => sum V (fun i => sum V (fun k => up i * down k * Rabs (M i j - M k j)))))).
    - apply sum_le. intros j _. rewrite <- (Rabs_pos_eq D N) at 1. rewrite <- Rabs_mult. unfold D. rewrite image_pairs.
      eapply Rle_trans; [apply sum_abs|]. apply sum_le. intros i _. eapply Rle_trans; [apply sum_abs|]. right.
      apply sum_ext. intros k _. rewrite Rabs_mult, Rabs_pos_eq; [easy|]. now apply Rmult_le_pos.
    - rewrite sum_swap.
      rewrite (sum_ext V _ (fun i => sum V (fun k => up i * down k * (2 * tv V (M i) (M k))))).
      2: { intros i _. rewrite sum_swap. apply sum_ext. intros k _. rewrite sum_scale. unfold tv. f_equal. lra. }
      apply (Rle_trans _ (sum V (fun i => sum V (fun k => up i * down k * (2 * dobrushin V M))))).
      + apply sum_le. intros i I. apply sum_le. intros k K. apply Rmult_le_compat_l; [now apply Rmult_le_pos|].
        pose proof (dobrushin_rows V M i k I K). lra.
      + right. rewrite norm_up. fold D.
        rewrite (sum_ext V _ (fun i => up i * (D * (2 * dobrushin V M)))); [rewrite sum_scale_right; fold D; ring|].
        intros i _. rewrite sum_scale_right, sum_scale, down_up. fold D. ring. }
  destruct N as [P|Z]; [now apply Rmult_le_reg_l in B|].
  assert (E : forall i, (i < V)%nat -> d i = 0).
  { intros i I. pose proof norm_up as E. fold D in E. rewrite <- Z, Rmult_0_r in E.
    pose proof (sum_zero_terms V (fun i => Rabs (d i)) (fun i _ => Rabs_pos (d i)) E i I) as A. simpl in A.
    unfold Rabs in A. destruct (Rcase_abs (d i)); lra. }
  right. unfold norm1 at 1. rewrite (sum_ext V _ (fun _ => 0)).
  - rewrite sum_zero, norm_up. fold D. rewrite <- Z. ring.
  - intros j _. unfold rdk.image. rewrite (sum_ext V _ (fun _ => 0)), sum_zero; [apply Rabs_R0|].
    intros i I. rewrite E by easy. ring.
Qed.

End Balanced.

Lemma contracts x y : sum V x = sum V y ->
  norm1 V (fun j => image x M j - image y M j) <= dobrushin V M * norm1 V (fun i => x i - y i).
Proof.
  intros S. eapply Rle_trans; [|apply balanced_contracts; rewrite sum_minus; lra]. right. apply sum_ext. intros j _. f_equal.
  now rewrite <- image_minus.
Qed.

Lemma norm1_triangle x y z :
  norm1 V (fun i => x i - z i) <= norm1 V (fun i => x i - y i) + norm1 V (fun i => y i - z i).
Proof.
  unfold norm1. rewrite <- sum_plus. apply sum_le. intros i _.
  replace (x i - z i) with ((x i - y i) + (y i - z i)) by ring. apply Rabs_triang.
Qed.

End Matrix.

(** For numbers x, y of equal mass: ‖Mᵀ(x - y)‖₁ ≤ c(M) ‖x - y‖₁ with Dobrushin's c(M) = max TV(M_i, M_k) over pairs of rows of
    a row-stochastic matrix. *)
Theorem rdk_non_expansive_sharp V M x y : row_stochastic V M -> sum V x = sum V y ->
  norm1 V (image V (fun i => x i - y i) M) <= dobrushin V M * norm1 V (fun i => x i - y i).
Proof. intros _ S. apply balanced_contracts. rewrite sum_minus. lra. Qed.

(** ‖Mᵀq' - p‖₁ ≤ c(M) ‖q' - p‖₁ + ‖Mᵀp - p‖₁, and ‖Nᵀp - p‖₁ ≤ (1 + c(N)) ‖p - π‖₁ for a law π = Nᵀπ, with Dobrushin's
    c ≤ 1: for all laws, and row-stochastic matrices. *)
Theorem rdk_worst_case_sharp V p q' pi M N :
  law V p -> law V q' -> law V pi -> row_stochastic V M -> row_stochastic V N ->
  (forall j, (j < V)%nat -> image V pi N j = pi j) ->
  norm1 V (fun j => image V q' M j - p j)
    <= dobrushin V M * norm1 V (fun i => q' i - p i) + norm1 V (fun j => image V p M j - p j) /\
  norm1 V (fun j => image V p N j - p j) <= (1 + dobrushin V N) * norm1 V (fun i => p i - pi i) /\
  dobrushin V M <= 1 /\ dobrushin V N <= 1.
Proof.
  intros P Q I SM SN F. assert (E : sum V q' = sum V p) by (destruct P, Q; congruence).
  assert (E' : sum V p = sum V pi) by (destruct P, I; congruence).
  split; [|split; [|split; now apply dobrushin_le_1]].
  - eapply Rle_trans; [apply (norm1_triangle V _ (image V p M))|]. apply Rplus_le_compat_r. now apply contracts.
  - eapply Rle_trans; [apply (norm1_triangle V _ (image V pi N))|].
    assert (A : norm1 V (fun j => image V pi N j - p j) = norm1 V (fun i => p i - pi i)).
    { apply sum_ext. intros j L. rewrite F by easy. apply Rabs_minus_sym. }
    rewrite A. pose proof (contracts V N p pi E'). lra.
Qed.

(** ‖Mᵀq' - p‖₁ <= ‖q' - p‖₁ + ε for a row-stochastic M whenever ε >= ‖Mᵀp - p‖₁; likewise for N with ε = 2δ whenever
    ‖p - π‖₁ <= δ for some law π = Nᵀπ. *)
Theorem rdk_worst_case V p q' pi M N epsilon delta :
  law V p -> law V q' -> law V pi -> row_stochastic V M -> row_stochastic V N ->
  norm1 V (fun j => image V p M j - p j) <= epsilon ->
  (forall j, (j < V)%nat -> image V pi N j = pi j) -> norm1 V (fun i => p i - pi i) <= delta ->
  norm1 V (fun j => image V q' M j - p j) <= norm1 V (fun i => q' i - p i) + epsilon /\
  norm1 V (fun j => image V q' N j - p j) <= norm1 V (fun i => q' i - p i) + 2 * delta.
Proof.
  intros P Q I SM SN E F D.
  destruct (rdk_worst_case_sharp V p q' pi M N P Q I SM SN F) as [A [B [CM CN]]].
  destruct (rdk_worst_case_sharp V p q' pi N N P Q I SN SN F) as [C _].
  assert (W : 0 <= norm1 V (fun i => q' i - p i)) by (apply sum_nonneg; intros; apply Rabs_pos).
  assert (X : 0 <= norm1 V (fun i => p i - pi i)) by (apply sum_nonneg; intros; apply Rabs_pos).
  apply (Rmult_le_compat_r _ _ _ W) in CM. pose proof (Rmult_le_compat_r _ _ _ W CN) as CW.
  pose proof (Rmult_le_compat_r _ _ _ X CN) as CX. split; lra.
Qed.

Lemma image_law V x M : law V x -> row_stochastic V M -> law V (image V x M).
Proof.
  intros [N One] S. split.
  - intros j L. apply sum_nonneg. intros i I. apply Rmult_le_pos; [now apply N | now apply (law_nonneg V), L; apply S].
  - unfold image. rewrite sum_swap. rewrite (sum_ext V _ x); [easy|]. intros i I. destruct (S i I) as [_ O].
    rewrite sum_scale, O. ring.
Qed.

Lemma tv_same V o o' p : (forall y, (y < V)%nat -> o y = o' y) -> tv V o p = tv V o' p.
Proof. intros E. unfold tv. f_equal. apply sum_ext. intros y L. now rewrite E. Qed.

Lemma law_same V o o' : (forall y, (y < V)%nat -> o y = o' y) -> law V o' -> law V o.
Proof.
  intros E [N S]. split; [intros y L; rewrite E by easy; now apply N|]. rewrite <- S. now apply sum_ext.
Qed.

Lemma moved_law V q M : law V q -> row_stochastic V M -> law V (output (moved V q M)).
Proof. intros Q S. apply (law_same V _ (image V q M)); [apply moved_output | now apply image_law]. Qed.

Lemma acceptance_tv V p q : law V p -> law V q -> acceptance V p q = 1 - tv V q p.
Proof. intros P Q. unfold acceptance. rewrite sd_acceptance by easy. now apply overlap_tv. Qed.

Lemma acceptance_moved V p q M : law V p -> law V q -> row_stochastic V M ->
  acceptance V p (output (moved V q M)) = 1 - tv V (image V q M) p.
Proof.
  intros P Q S. rewrite acceptance_tv by (easy || now apply moved_law). f_equal. apply tv_same. apply moved_output.
Qed.

Lemma restricted_law V shared q : law V q -> 0 < sum V (on_shared shared q) -> law V (restricted V shared q).
Proof.
  intros [N _] P. split.
  - intros x L. unfold restricted, on_shared. apply Rmult_le_pos; [|left; now apply Rinv_0_lt_compat].
    destruct (shared x); [now apply N | lra].
  - unfold restricted, Rdiv. rewrite sum_scale_right. apply Rinv_r. lra.
Qed.

(** What RDK rejects is at most c(M) times what TLI rejects and ½ ‖Mᵀp - p‖₁, for every target, draft with some mass on the
    shared vocabulary, and row-stochastic matrix. *)
Theorem rdk_worst_case_acceptance_sharp V p q shared M :
  law V p -> law V q -> 0 < sum V (on_shared shared q) -> row_stochastic V M ->
  1 - acceptance V p (output (moved V (restricted V shared q) M))
    <= dobrushin V M * (1 - acceptance V p (restricted V shared q)) + / 2 * norm1 V (fun j => image V p M j - p j).
Proof.
  intros P Q H S. pose proof (restricted_law V shared q Q H) as D. set (d := restricted V shared q) in *.
  rewrite acceptance_moved, acceptance_tv by easy.
  assert (E : sum V d = sum V p) by (destruct P, D; congruence).
  pose proof (norm1_triangle V (image V d M) (image V p M) p) as T. pose proof (contracts V M d p E) as C.
  rewrite !norm1_tv in *. lra.
Qed.

(** RDK accepts at most ε/2 less often than TLI, for every row-stochastic M whenever ε >= ‖Mᵀp - p‖₁. *)
Theorem rdk_worst_case_acceptance V p q shared M epsilon :
  law V p -> law V q -> 0 < sum V (on_shared shared q) -> row_stochastic V M ->
  norm1 V (fun j => image V p M j - p j) <= epsilon ->
  acceptance V p (restricted V shared q) - epsilon / 2 <= acceptance V p (output (moved V (restricted V shared q) M)).
Proof.
  intros P Q H S E. pose proof (rdk_worst_case_acceptance_sharp V p q shared M P Q H S) as A.
  pose proof (dobrushin_le_1 V M S) as C. pose proof (restricted_law V shared q Q H) as D.
  assert (W : 0 <= 1 - acceptance V p (restricted V shared q)).
  { rewrite acceptance_tv by easy. assert (0 <= tv V (restricted V shared q) p); [|lra].
    apply Rmult_le_pos; [lra|]. apply sum_nonneg. intros. apply Rabs_pos. }
  apply (Rmult_le_compat_r _ _ _ W) in C. lra.
Qed.

(** A drafter that already is the target falls to 1 - ½ ‖Mᵀp - p‖₁ by a row-stochastic M, which is below its own acceptance, 1,
    unless Mᵀp = p. *)
Theorem rdk_any_drafter_sharp V p M : law V p -> row_stochastic V M ->
  acceptance V p (output (moved V p M)) = 1 - / 2 * norm1 V (fun j => image V p M j - p j) /\
  acceptance V p p = 1 /\
  (acceptance V p (output (moved V p M)) < acceptance V p p <-> ~ forall j, (j < V)%nat -> image V p M j = p j).
Proof.
  intros P S. assert (A : acceptance V p (output (moved V p M)) = 1 - / 2 * norm1 V (fun j => image V p M j - p j))
    by (rewrite acceptance_moved by easy; reflexivity).
  assert (O : acceptance V p p = 1).
  { rewrite acceptance_tv by easy. unfold tv. rewrite (sum_ext V _ (fun _ => 0)), sum_zero; [ring|].
    intros x _. rewrite Rminus_diag_eq by easy. apply Rabs_R0. }
  split; [easy|]. split; [easy|]. rewrite A, O.
  assert (N : 0 <= norm1 V (fun j => image V p M j - p j)) by (apply sum_nonneg; intros; apply Rabs_pos).
  split.
  - intros L F. assert (Z : norm1 V (fun j => image V p M j - p j) = 0); [|lra].
    unfold norm1. rewrite (sum_ext V _ (fun _ => 0)), ?sum_zero; [easy|]. intros j J. rewrite F by easy.
    rewrite Rminus_diag_eq by easy. apply Rabs_R0.
  - intros F. assert (Z : norm1 V (fun j => image V p M j - p j) <> 0); [|lra].
    intros Z. apply F. intros j J.
    pose proof (sum_zero_terms V (fun j => Rabs (image V p M j - p j)) (fun j _ => Rabs_pos _) Z j J) as A0. simpl in A0.
    unfold Rabs in A0. destruct (Rcase_abs (image V p M j - p j)); lra.
Qed.

(** RDK: the drafter's kernel, pruned drafts, and what a matrix does to them. *)

Require Import Reals Lra Lia List Arith.
Require Import laws lossless rdk dobrushin slopes softmax curvature taylor.
Open Scope R_scope.

(** * The drafter's kernel *)

Section Kernel.

Variable V : nat.
Variable p : nat -> R.
Hypothesis target_law : law V p.

Definition kernel (q : nat -> R) (x : nat) : R := Rmax 0 (q x - p x).

Lemma acceptance_overlap q : (forall x, (x < V)%nat -> 0 <= q x) -> acceptance V p q = overlap V p q.
Proof.
  intros Q. unfold acceptance. rewrite expect_draw. apply sum_ext. intros x L. unfold chance. rewrite expect_coin. simpl.
  rewrite <- (keep_mass (p x) (q x) (law_nonneg V p x target_law L) (Q x L)). ring.
Qed.

Lemma law_acceptance q : law V q -> acceptance V p q = overlap V p q.
Proof. intros Q. apply acceptance_overlap. apply Q. Qed.

(** The acceptance rate and the mass of the drafter's kernel sum to one. *)
Theorem sd_inverse_proportional_corrected q : law V q -> acceptance V p q + norm1 V (kernel q) = 1.
Proof.
  intros Q. rewrite law_acceptance by easy. destruct Q as [_ One].
  transitivity (sum V q); [|exact One]. unfold overlap, norm1. rewrite <- sum_plus. apply sum_ext.
  intros x _. unfold kernel. rewrite Rabs_pos_eq by apply Rmax_l. unfold Rmin, Rmax.
  destruct (Rle_dec (p x) (q x)), (Rle_dec 0 (q x - p x)); lra.
Qed.

(** Of two drafts one is kept as much more often as the mass of its kernel is smaller. *)
Theorem rdk_minimise_kernel_l1 q q' : law V q -> law V q' ->
  acceptance V p q - acceptance V p q' = norm1 V (kernel q') - norm1 V (kernel q) /\
  (acceptance V p q' <= acceptance V p q <-> norm1 V (kernel q) <= norm1 V (kernel q')).
Proof.
  intros Q Q'. pose proof (sd_inverse_proportional_corrected q Q). pose proof (sd_inverse_proportional_corrected q' Q').
  split; [lra|]. split; lra.
Qed.

Section Redistribution.

Variables q share onto : nat -> R.
Hypothesis draft_law : law V q.
Hypothesis onto_law : law V onto.
Hypothesis share_range : forall x, (x < V)%nat -> 0 <= share x <= 1.

Let taken : R := sum V (fun x => share x * kernel q x).
(** The draft, once these shares of its kernel have been moved. *)
Definition redistributed (x : nat) : R := q x - share x * kernel q x + taken * onto x.

Lemma taken_nonneg : 0 <= taken.
Proof. apply sum_nonneg. intros x L. apply Rmult_le_pos; [now apply share_range | apply Rmax_l]. Qed.

Lemma left_over x : (x < V)%nat -> Rmin (p x) (q x) <= q x - share x * kernel q x.
Proof.
  intros L. pose proof (share_range x L) as S. unfold kernel. pose proof (Rmax_l 0 (q x - p x)) as K.
  assert (share x * Rmax 0 (q x - p x) <= Rmax 0 (q x - p x)) by nra. revert H. unfold Rmin, Rmax.
  destruct (Rle_dec (p x) (q x)), (Rle_dec 0 (q x - p x)); lra.
Qed.

Lemma redistributed_law : law V redistributed.
Proof.
  destruct onto_law as [ON OOne]. split.
  - intros x L. pose proof (left_over x L) as A. pose proof taken_nonneg. specialize (ON x L). unfold redistributed.
    assert (0 <= taken * onto x) by now apply Rmult_le_pos.
    assert (0 <= Rmin (p x) (q x)) by (apply Rmin_glb; [now apply (law_nonneg V p) | now apply (law_nonneg V q)]). lra.
  - unfold redistributed. rewrite sum_plus, sum_minus, sum_scale, OOne. fold taken. destruct draft_law as [_ One]. lra.
Qed.

(** Moving shares s_x of the drafter's kernel, m in all, onto a law o raises the acceptance rate by exactly
    Σ min((p_x - q_x)₊, m o_x). *)
Theorem sd_kernel_redistribution_sharp :
  acceptance V p redistributed - acceptance V p q = sum V (fun x => Rmin (Rmax 0 (p x - q x)) (taken * onto x)).
Proof.
  rewrite !law_acceptance by (easy || apply redistributed_law). unfold overlap. rewrite <- sum_minus. apply sum_ext.
  intros x L. pose proof (left_over x L) as A. pose proof taken_nonneg as T.
  assert (G : 0 <= taken * onto x) by (apply Rmult_le_pos; [easy | now apply (law_nonneg V onto)]).
  unfold redistributed. destruct (Rle_lt_dec (p x) (q x)) as [C|C].
  - rewrite (Rmin_left (p x) (q x)) in * by easy. rewrite (Rmax_left 0 (p x - q x)) by lra.
    rewrite !Rmin_left by lra. ring.
  - unfold kernel. rewrite (Rmax_left 0 (q x - p x)) by lra. rewrite (Rmax_right 0 (p x - q x)), (Rmin_right (p x) (q x)) by lra.
    unfold Rmin. destruct (Rle_dec (p x) _), (Rle_dec (p x - q x) (taken * onto x)); lra.
Qed.

(** Moving mass of the drafter's kernel elsewhere, any shares, cannot lower the acceptance rate. *)
Theorem sd_kernel_redistribution : acceptance V p q <= acceptance V p redistributed.
Proof.
  pose proof sd_kernel_redistribution_sharp as E. assert (0 <= sum V (fun x => Rmin (Rmax 0 (p x - q x)) (taken * onto x))); [|lra].
  apply sum_nonneg. intros x L. apply Rmin_glb; [apply Rmax_l|].
  apply Rmult_le_pos; [apply taken_nonneg | now apply (law_nonneg V onto)].
Qed.

End Redistribution.

(** * Pruned drafts *)

(** Mass on the shared vocabulary. *)
Definition mass_on (shared : nat -> bool) (q : nat -> R) : R := sum V (on_shared shared q).

(** A draft that is supported on the shared vocabulary is kept with probability p(I) at most. *)
Theorem rdk_tli_ceiling shared d : law V d -> (forall x, (x < V)%nat -> shared x = false -> d x = 0) ->
  acceptance V p d <= mass_on shared p.
Proof.
  intros D S. rewrite law_acceptance by easy. apply sum_le. intros x L. unfold on_shared. destruct (shared x) eqn:E.
  - apply Rmin_l.
  - rewrite (S x L E). apply Rmin_r.
Qed.

(** It is kept with probability p(I) - Σ_I (p_x - d_x)₊, and the target itself, restricted to I, attains p(I). *)
Theorem rdk_tli_ceiling_sharp shared d : law V d -> (forall x, (x < V)%nat -> shared x = false -> d x = 0) ->
  acceptance V p d = mass_on shared p - sum V (on_shared shared (fun x => Rmax 0 (p x - d x))) /\
  (0 < mass_on shared p -> acceptance V p (restricted V shared p) = mass_on shared p).
Proof.
  intros D S. split.
  - rewrite law_acceptance by easy. unfold mass_on. rewrite <- sum_minus. apply sum_ext. intros x L. unfold on_shared.
    destruct (shared x) eqn:E.
    + unfold Rmin, Rmax. destruct (Rle_dec (p x) (d x)), (Rle_dec 0 (p x - d x)); lra.
    + rewrite (S x L E), Rmin_right by now apply (law_nonneg V p). ring.
  - intros P. rewrite law_acceptance by now apply restricted_law. apply sum_ext. intros x L.
    unfold restricted. fold (mass_on shared p). unfold on_shared. destruct (shared x).
    + apply Rmin_left. apply (Rmult_le_reg_r (mass_on shared p)); [easy|].
      replace (p x / mass_on shared p * mass_on shared p) with (p x) by (field; lra).
      rewrite <- (Rmult_1_r (p x)) at 2. apply Rmult_le_compat_l; [now apply (law_nonneg V p)|].
      destruct target_law as [N One]. rewrite <- One. apply sum_le. intros y Y. specialize (N y Y). unfold on_shared.
      destruct (shared y); lra.
    + unfold Rdiv. rewrite Rmult_0_l. apply Rmin_right. now apply (law_nonneg V p).
Qed.

Section Pruned.

Variable q : nat -> R.
Variable shared : nat -> bool.
Hypothesis draft_law : law V q.
Hypothesis some_mass : 0 < mass_on shared q.

Let d : nat -> R := restricted V shared q.
(** Pruning without redistribution: what is drafted on the shared vocabulary is all that is proposed. *)
Definition unredistributed : R := acceptance V p (on_shared shared q).

Lemma pruned_law : law V d.
Proof. now apply restricted_law. Qed.

Lemma mass_most : mass_on shared q <= 1.
Proof.
  destruct draft_law as [N One]. rewrite <- One. apply sum_le. intros y Y. specialize (N y Y). unfold on_shared.
  destruct (shared y); lra.
Qed.

Lemma unredistributed_is : unredistributed = overlap V p (on_shared shared q).
Proof.
  apply acceptance_overlap. intros x L. unfold on_shared. destruct (shared x); [now apply (law_nonneg V q) | lra].
Qed.

Lemma pruned_mass x : mass_on shared q * d x = on_shared shared q x.
Proof. unfold d, restricted. fold (mass_on shared q). field. lra. Qed.

(** TLI is kept with probability p(I) at most: rarely, where the target has little mass on the shared vocabulary. *)
Theorem rdk_small_overlap_target : acceptance V p d <= mass_on shared p.
Proof.
  apply rdk_tli_ceiling; [apply pruned_law|]. intros x _ E. unfold d, restricted, on_shared. rewrite E. unfold Rdiv. ring.
Qed.

(** TLI is kept at least as often as pruning without redistribution. *)
Theorem rdk_tli_vs_none : unredistributed <= acceptance V p d.
Proof.
  rewrite unredistributed_is, law_acceptance by apply pruned_law. apply sum_le. intros x L.
  pose proof (law_nonneg V d x pruned_law L) as N. pose proof mass_most as M. pose proof (pruned_mass x) as E.
  assert (on_shared shared q x <= d x) by nra. unfold Rmin. destruct (Rle_dec (p x) _), (Rle_dec (p x) (d x)); lra.
Qed.

(** It gains at most the factor 1/q(I): q(I) α_TLI <= α_none. *)
Theorem rdk_tli_vs_none_sharp : mass_on shared q * acceptance V p d <= unredistributed.
Proof.
  rewrite unredistributed_is, law_acceptance by apply pruned_law. unfold overlap. rewrite <- sum_scale. apply sum_le. intros x L.
  pose proof (law_nonneg V p x target_law L) as N. pose proof mass_most as M. pose proof (pruned_mass x) as E.
  apply Rmin_glb.
  - apply (Rle_trans _ (mass_on shared q * p x)); [apply Rmult_le_compat_l; [lra | apply Rmin_l] | nra].
  - rewrite <- E. apply Rmult_le_compat_l; [lra | apply Rmin_r].
Qed.

(** The identity moves nothing: RDK is TLI. *)
Theorem rdk_identity_is_tli : forall j, (j < V)%nat -> output (moved V d (fun i j => if Nat.eqb i j then 1 else 0)) j = d j.
Proof.
  intros j L. rewrite moved_output by easy. unfold image. rewrite <- (sum_point V d j L). apply sum_ext. intros i _.
  destruct (Nat.eqb i j); ring.
Qed.

(** Of a row-stochastic matrix Mᵀq' is a law. *)
Theorem rdk_mass_preserved M : row_stochastic V M -> law V (output (moved V d M)).
Proof. intros S. apply moved_law; [apply pruned_law | exact S]. Qed.

(** * What a matrix gains *)

Section Gains.

Variable M : nat -> nat -> R.
Hypothesis rows : row_stochastic V M.

(** What reaches a token from others. *)
Definition arrives (j : nat) : R := sum V (fun i => if Nat.eqb i j then 0 else d i * M i j).

Lemma arrives_nonneg j : (j < V)%nat -> 0 <= arrives j.
Proof.
  intros L. apply sum_nonneg. intros i I. destruct (Nat.eqb i j); [lra|].
  apply Rmult_le_pos; [now apply (law_nonneg V d i pruned_law) | now apply (law_nonneg V (M i)); [apply rows|]].
Qed.

Lemma image_arrives j : (j < V)%nat -> image V d M j = d j * M j j + arrives j.
Proof.
  intros L. unfold image, arrives. rewrite <- (sum_point V (fun i => d i * M i j) j L), <- sum_plus. apply sum_ext.
  intros i _. destruct (Nat.eqb i j); ring.
Qed.

Lemma acceptance_image : acceptance V p (output (moved V d M)) = overlap V p (image V d M).
Proof.
  rewrite law_acceptance by now apply rdk_mass_preserved. apply sum_ext. intros j L. now rewrite moved_output.
Qed.

(** A matrix that moves surplus only, q'_i (1 - M_ii) <= (q'_i - p_i)₊, gains Σ_j min((p_j - q'_j)₊, Σ_{i ≠ j} q'_i M_ij). *)
Theorem rdk_gain : (forall i, (i < V)%nat -> d i * (1 - M i i) <= Rmax 0 (d i - p i)) ->
  acceptance V p (output (moved V d M)) - acceptance V p d = sum V (fun j => Rmin (Rmax 0 (p j - d j)) (arrives j)).
Proof.
  intros Surplus. rewrite acceptance_image, law_acceptance by apply pruned_law. unfold overlap. rewrite <- sum_minus.
  apply sum_ext. intros j L. rewrite image_arrives by easy. specialize (Surplus j L). pose proof (arrives_nonneg j L) as A.
  assert (D : 0 <= d j * (1 - M j j)).
  { apply Rmult_le_pos; [now apply (law_nonneg V d j pruned_law)|].
    pose proof (law_le_1 V (M j) j (rows j L) L). lra. }
  destruct (Rle_lt_dec (p j) (d j)) as [C|C].
  - rewrite (Rmax_right 0 (d j - p j)) in Surplus by lra. rewrite (Rmax_left 0 (p j - d j)) by lra.
    rewrite !Rmin_left by lra. ring.
  - rewrite (Rmax_left 0 (d j - p j)) in Surplus by lra. rewrite (Rmax_right 0 (p j - d j)) by lra.
    rewrite (Rmin_right (p j) (d j)) by lra. unfold Rmin.
    destruct (Rle_dec (p j) _), (Rle_dec (p j - d j) (arrives j)); lra.
Qed.

(** When moreover no token receives more than it wants, all that M moves is gained, Σ_i q'_i (1 - M_ii): positive unless M moves
    nothing, and all of 1 - α(p, q') when M moves all surplus. *)
Theorem rdk_gain_moved : (forall i, (i < V)%nat -> d i * (1 - M i i) <= Rmax 0 (d i - p i)) ->
  (forall j, (j < V)%nat -> arrives j <= Rmax 0 (p j - d j)) ->
  let gain := acceptance V p (output (moved V d M)) - acceptance V p d in
  gain = sum V (fun i => d i * (1 - M i i)) /\
  (0 < gain <-> exists i, (i < V)%nat /\ 0 < d i * (1 - M i i)) /\
  ((forall i, (i < V)%nat -> d i * (1 - M i i) = Rmax 0 (d i - p i)) -> gain = 1 - acceptance V p d).
Proof.
  intros Surplus Wanted gain. assert (N : forall i, (i < V)%nat -> 0 <= d i * (1 - M i i)).
  { intros i I. apply Rmult_le_pos; [now apply (law_nonneg V d i pruned_law)|]. pose proof (law_le_1 V (M i) i (rows i I) I). lra. }
  assert (E : gain = sum V (fun i => d i * (1 - M i i))).
  { unfold gain. rewrite rdk_gain by easy. rewrite (sum_ext V _ arrives) by (intros j L; apply Rmin_right; now apply Wanted).
    unfold arrives. rewrite sum_swap. apply sum_ext. intros i I.
    rewrite (sum_ext V _ (fun j => d i * M i j - (if Nat.eqb j i then d i * M i j else 0))).
    - destruct (rows i I) as [_ One]. rewrite sum_minus, sum_scale, One, (sum_point V (fun j => d i * M i j) i I). ring.
    - intros j _. rewrite (Nat.eqb_sym j i). destruct (Nat.eqb i j); ring. }
  split; [exact E|]. split.
  - rewrite E. split.
    + intros G. assert (X : forall n, (n <= V)%nat -> 0 < sum n (fun i => d i * (1 - M i i)) ->
        exists i, (i < V)%nat /\ 0 < d i * (1 - M i i)).
      { induction n as [|n IH]; simpl; intros L P; [lra|]. destruct (Rle_lt_dec (d n * (1 - M n n)) 0) as [Z|Z].
        - apply IH; [lia | lra].
        - exists n. split; [lia | exact Z]. }
      now apply (X V).
    + intros [i [I P]]. pose proof (sum_term V (fun i => d i * (1 - M i i)) i N I) as T. simpl in T. lra.
  - intros All. rewrite E, (sum_ext V _ (kernel d)) by exact All.
    pose proof (sd_inverse_proportional_corrected d pruned_law) as K. unfold norm1 in K.
    rewrite (sum_ext V (fun i => Rabs (kernel d i)) (kernel d)) in K by (intros; apply Rabs_pos_eq, Rmax_l). lra.
Qed.

(** RDK is kept at least as often as TLI, for every draft, where the target is stationary, Mᵀp = p; for the matrix of Eq. 2, with
    symmetric affinities, that is the target in proportion to Σ_k exp(Ω_ik/τ). *)
Theorem rdk_any_drafter_corrected :
  ((forall j, (j < V)%nat -> image V p M j = p j) -> acceptance V p d <= acceptance V p (output (moved V d M))) /\
  (forall Omega tau c, (0 < V)%nat -> (forall i j, Omega i j = Omega j i) ->
    (forall i, (i < V)%nat -> p i = c * sum V (fun k => exp (Omega i k / tau))) ->
    forall j, (j < V)%nat -> image V p (affinity V Omega tau) j = p j).
Proof.
  split.
  - intros S. pose proof (rdk_worst_case_acceptance V p q shared M 0 target_law draft_law some_mass rows) as W.
    assert (Z : norm1 V (fun j => image V p M j - p j) <= 0).
    { right. unfold norm1. transitivity (sum V (fun _ => 0)); [apply sum_ext | apply sum_zero]. intros j L.
      rewrite S by easy. rewrite Rminus_diag_eq by easy. apply Rabs_R0. }
    specialize (W Z). fold d in W. lra.
  - intros Omega tau c L Sym P j J. unfold image, affinity, softmax.
    rewrite (P j J), <- sum_scale. apply sum_ext. intros i I. rewrite P, (Sym j i) by easy.
    pose proof (weights_positive V (fun k => Omega i k / tau) L). field. lra.
Qed.

End Gains.

(** With the matrix of Eq. 2 every token has at least 1/(1 + (V - 1) exp(R/τ)), R at least the range of each
    row. *)
Theorem rdk_draws_everything_sharp Omega tau range_of : 0 < tau ->
  (forall i, (i < V)%nat -> range V (Omega i) <= range_of) ->
  forall j, (j < V)%nat -> / (1 + (INR V - 1) * exp (range_of / tau)) <= output (moved V d (affinity V Omega tau)) j.
Proof.
  intros T R j J. rewrite moved_output by easy. assert (L : (0 < V)%nat) by lia.
  set (b := / (1 + (INR V - 1) * exp (range_of / tau))). destruct pruned_law as [N One].
  assert (V1 : 0 <= INR V - 1) by (apply (le_INR 1) in L; simpl in L; lra).
  assert (P : 0 < exp (range_of / tau)) by apply exp_pos.
  rewrite <- (Rmult_1_r b), <- One, <- sum_scale. unfold image. apply sum_le. intros i I. rewrite Rmult_comm.
  apply Rmult_le_compat_l; [now apply N|]. unfold affinity, softmax, b.
  pose proof (weights_positive V (fun k => Omega i k / tau) L) as W. set (e := exp (Omega i j / tau)).
  assert (E0 : 0 < e) by apply exp_pos.
  assert (S : sum V (fun k => exp (Omega i k / tau)) <= e * (1 + (INR V - 1) * exp (range_of / tau))).
  { apply (Rle_trans _ (sum V (fun k => e * exp (range_of / tau) - (if Nat.eqb k j then e * exp (range_of / tau) - e else 0)))).
    - apply sum_le. intros k K. destruct (Nat.eqb_spec k j) as [->|D]; [fold e; lra|].
      rewrite Rminus_0_r. unfold e. rewrite <- exp_plus. apply exp_le.
      pose proof (in_range V (Omega i) j J). pose proof (in_range V (Omega i) k K). specialize (R i I). unfold range in R.
      assert (Omega i k <= Omega i j + range_of) by lra.
      replace (Omega i j / tau + range_of / tau) with ((Omega i j + range_of) / tau) by (field; lra).
      apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat | lra].
    - rewrite sum_minus, (sum_point V (fun _ => e * exp (range_of / tau) - e) j J).
      assert (C : forall n c, sum n (fun _ => c) = INR n * c) by (induction n; intros; [simpl; ring | cbn [sum]; rewrite IHn, S_INR; ring]).
      rewrite C. lra. }
  apply (Rmult_le_reg_r (sum V (fun k => exp (Omega i k / tau)))); [exact W|].
  replace (e / sum V (fun k => exp (Omega i k / tau)) * sum V (fun k => exp (Omega i k / tau))) with e by (field; lra).
  assert (D0 : 0 < 1 + (INR V - 1) * exp (range_of / tau)) by nra.
  apply (Rmult_le_reg_l (1 + (INR V - 1) * exp (range_of / tau))); [exact D0|].
  rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra. rewrite Rmult_comm. exact S.
Qed.

(** With the matrix of Eq. 2 every token can be drawn: all entries of Mᵀq' are positive. *)
Theorem rdk_draws_everything Omega tau : forall j, (j < V)%nat -> 0 < output (moved V d (affinity V Omega tau)) j.
Proof.
  intros j J. rewrite moved_output by easy. assert (L : (0 < V)%nat) by lia. destruct pruned_law as [N One].
  assert (P : forall i, 0 < affinity V Omega tau i j).
  { intros i. unfold affinity, softmax. apply Rmult_lt_0_compat; [apply exp_pos | apply Rinv_0_lt_compat, weights_positive, L]. }
  unfold image. assert (Z : forall i, (i < V)%nat -> 0 <= d i * affinity V Omega tau i j).
  { intros i I. apply Rmult_le_pos; [now apply N | left; apply P]. }
  destruct (Rle_lt_dec (sum V (fun i => d i * affinity V Omega tau i j)) 0) as [H|H]; [exfalso | exact H].
  assert (E : sum V (fun i => d i * affinity V Omega tau i j) = 0) by (apply Rle_antisym; [exact H | now apply sum_nonneg]).
  pose proof (sum_zero_terms V _ Z E) as A. assert (F : sum V d = 0); [|lra].
  transitivity (sum V (fun _ => 0)); [apply sum_ext | apply sum_zero]. intros i I. specialize (A i I). simpl in A.
  apply Rmult_integral in A. destruct A as [A|A]; [exact A|]. pose proof (P i). lra.
Qed.

(** For every draft law some row-stochastic matrix takes it to TLI's draft: shared tokens stay, all others move by q'. *)
Theorem rdk_tli_is_transport_some :
  let T i j := if shared i then (if Nat.eqb i j then 1 else 0) else d j in
  row_stochastic V T /\ forall j, (j < V)%nat -> image V q T j = d j.
Proof.
  intros T. destruct pruned_law as [N One]. split.
  - intros i I. unfold T. destruct (shared i); [|now split]. split; [intros x _; destruct (Nat.eqb i x); lra|].
    transitivity (sum V (fun x => if Nat.eqb x i then 1 else 0)); [|apply (sum_point V (fun _ => 1) i I)].
    apply sum_ext. intros x _. now rewrite Nat.eqb_sym.
  - intros j J. unfold image, T.
    rewrite (sum_ext V _ (fun i => (if Nat.eqb i j then on_shared shared q i else 0) + (q i - on_shared shared q i) * d j)).
    + rewrite sum_plus, (sum_point V (on_shared shared q) j J), sum_scale_right, sum_minus. fold (mass_on shared q).
      destruct draft_law as [_ QOne]. rewrite QOne. pose proof (pruned_mass j) as E. rewrite <- E. ring.
    + intros i _. unfold on_shared. destruct (shared i), (Nat.eqb i j); ring.
Qed.

End Pruned.

End Kernel.

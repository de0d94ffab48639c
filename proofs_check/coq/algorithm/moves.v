(** RDK: how tight the contraction by a matrix is, what a guess of the target is worth, and rows of its matrices. *)

Require Import Reals Lra Lia List Arith.
Require Import laws lossless rdk dobrushin slopes softmax curvature taylor kernel.
Open Scope R_scope.

(** A law that is certain of one token. *)
Definition certain_of (i x : nat) : R := if Nat.eqb x i then 1 else 0.

Lemma image_certain V M i j : (i < V)%nat -> image V (certain_of i) M j = M i j.
Proof.
  intros L. unfold image. rewrite <- (sum_point V (fun x => M x j) i L). apply sum_ext. intros x _. unfold certain_of.
  destruct (Nat.eqb x i); ring.
Qed.

Lemma largest_or_zero n f : (forall x, (x < n)%nat -> 0 <= f x) -> largest n f = 0 \/ exists x, (x < n)%nat /\ largest n f = f x.
Proof.
  intros N. induction n as [|n IH]; [now left|]. simpl. destruct IH as [E|[x [X E]]]; [intros; apply N; lia | |].
  - rewrite E. right. exists n. split; [lia|]. apply Rmax_right. apply N. lia.
  - right. destruct (Rle_dec (largest n f) (f n)) as [H|H].
    + exists n. split; [lia | now apply Rmax_right].
    + exists x. split; [lia|]. rewrite <- E. apply Rmax_left. lra.
Qed.

Lemma tv_nonneg V p o : 0 <= tv V p o.
Proof. apply Rmult_le_pos; [lra|]. apply sum_nonneg. intros. apply Rabs_pos. Qed.

Lemma largest_nonneg n f : 0 <= largest n f.
Proof. induction n as [|n IH]; simpl; [lra|]. eapply Rle_trans; [exact IH | apply Rmax_l]. Qed.

(** For every row-stochastic M over two tokens or more, ‖Mᵀ(x - y)‖₁ = c(M) ‖x - y‖₁ and ‖x - y‖₁ = 2 for the laws x, y that are
    certain of two tokens whose rows are farthest apart; and c(M) <= 1. *)
Theorem rdk_non_expansive_sharp_attained V M : (2 <= V)%nat -> row_stochastic V M ->
  (exists i k, (i < V)%nat /\ (k < V)%nat /\ i <> k /\ tv V (M i) (M k) = dobrushin V M /\
    norm1 V (fun j => certain_of i j - certain_of k j) = 2 /\
    norm1 V (image V (fun j => certain_of i j - certain_of k j) M)
      = dobrushin V M * norm1 V (fun j => certain_of i j - certain_of k j)) /\
  dobrushin V M <= 1.
Proof.
  intros Two S. split; [|now apply dobrushin_le_1].
  assert (F : exists i k, (i < V)%nat /\ (k < V)%nat /\ i <> k /\ tv V (M i) (M k) = dobrushin V M).
  { assert (Z : dobrushin V M = 0 -> exists i k, (i < V)%nat /\ (k < V)%nat /\ i <> k /\ tv V (M i) (M k) = dobrushin V M).
    { intros Z. exists 0%nat, 1%nat. repeat split; try lia. pose proof (dobrushin_rows V M 0 1 ltac:(lia) ltac:(lia)) as D.
      pose proof (tv_nonneg V (M 0%nat) (M 1%nat)). lra. }
    destruct (Req_dec (dobrushin V M) 0) as [E|N]; [now apply Z|].
    destruct (largest_or_zero V (fun i => largest V (fun k => tv V (M i) (M k)))) as [E|[i [I E]]];
      [intros; apply largest_nonneg | now apply Z|].
    destruct (largest_or_zero V (fun k => tv V (M i) (M k))) as [E'|[k [K E']]]; [intros; apply tv_nonneg | |].
    - exfalso. apply N. unfold dobrushin. now rewrite E, E'.
    - exists i, k. split; [easy|]. split; [easy|]. assert (T : tv V (M i) (M k) = dobrushin V M) by (unfold dobrushin; now rewrite E, E').
      split; [|exact T]. intros ->. apply N. rewrite <- T. unfold tv.
      rewrite (sum_ext V _ (fun _ => 0)), sum_zero; [ring|]. intros x _. rewrite Rminus_diag_eq by easy. apply Rabs_R0. }
  destruct F as [i [k [I [K [D T]]]]]. exists i, k.
  assert (N2 : norm1 V (fun j => certain_of i j - certain_of k j) = 2).
  { unfold norm1. rewrite (sum_ext V _ (fun j => (if Nat.eqb j i then 1 else 0) + (if Nat.eqb j k then 1 else 0))).
    - rewrite sum_plus, (sum_point V (fun _ => 1) i I), (sum_point V (fun _ => 1) k K). lra.
    - intros j _. unfold certain_of. destruct (Nat.eqb_spec j i), (Nat.eqb_spec j k); try (exfalso; apply D; congruence).
      + rewrite Rminus_0_r, Rabs_R1. lra.
      + rewrite Rminus_0_l, Rabs_Ropp, Rabs_R1. lra.
      + rewrite Rminus_0_r, Rabs_R0. lra. }
  repeat split; try easy. rewrite N2, <- T, Rmult_comm, <- norm1_tv. apply sum_ext. intros j _. f_equal.
  rewrite image_minus. now rewrite !image_certain.
Qed.

(** What a guess of the target is worth: with the condition of surplus on a guess g, RDK gains on TLI at least what it would if the
    guess were true, less 2 TV(p, g). *)
Theorem rdk_gain_guessed V p g q shared M : law V p -> law V g -> law V q -> 0 < sum V (on_shared shared q) ->
  row_stochastic V M ->
  let d := restricted V shared q in
  (forall i, (i < V)%nat -> d i * (1 - M i i) <= Rmax 0 (d i - g i)) ->
  sum V (fun j => Rmin (Rmax 0 (g j - d j)) (arrives V q shared M j)) - 2 * tv V p g
    <= acceptance V p (output (moved V d M)) - acceptance V p d.
Proof.
  intros P G Q Some S d Surplus. pose proof (rdk_gain V g G q shared Q Some M S Surplus) as E. fold d in E. rewrite <- E.
  pose proof (restricted_law V shared q Q Some) as D. fold d in D.
  rewrite !acceptance_moved, !acceptance_tv by easy.
  pose proof (tv_triangle V (image V d M) g p). pose proof (tv_triangle V d p g). rewrite (tv_sym V p g) in *.
  pose proof (tv_triangle V d g p). pose proof (tv_triangle V (image V d M) p g). rewrite (tv_sym V p g) in *. lra.
Qed.

(** Where one of two tokens is shared, TLI is kept with the target's probability of it, whatever mass the draft has there: every
    acceptance from 0 to 1 occurs at every such mass. *)
Theorem rdk_small_overlap_draft_corrected mass accepted : 0 < mass <= 1 -> 0 <= accepted <= 1 ->
  let p x := if Nat.eqb x 0 then accepted else 1 - accepted in
  let q x := if Nat.eqb x 0 then mass else 1 - mass in
  let shared x := Nat.eqb x 0 in
  law 2 p /\ law 2 q /\ sum 2 (on_shared shared q) = mass /\ acceptance 2 p (restricted 2 shared q) = accepted.
Proof.
  intros M A p q shared. assert (P : law 2 p) by (split; [intros x _; unfold p; destruct (Nat.eqb x 0); lra | unfold p; simpl; ring]).
  assert (Q : law 2 q) by (split; [intros x _; unfold q; destruct (Nat.eqb x 0); lra | unfold q; simpl; ring]).
  assert (S : sum 2 (on_shared shared q) = mass) by (unfold on_shared, shared, q; simpl; ring).
  split; [exact P|]. split; [exact Q|]. split; [exact S|].
  rewrite (law_acceptance 2 p P) by (apply restricted_law; [exact Q | rewrite S; lra]).
  unfold overlap. cbn [sum]. unfold restricted. rewrite S. unfold on_shared, shared, q, p. simpl.
  rewrite Rmin_left by (replace (mass / mass) with 1 by (field; lra); lra). rewrite Rmin_right by (unfold Rdiv; lra).
  unfold Rdiv. ring.
Qed.

(** Rows of the softmax form of Eq. 2 sum to one and have positive entries; rows of a covariance of laws, tokens drawn or
    probabilities, over contexts of any weights, sum to zero. *)
Theorem rdk_affinity_rows_corrected V : (0 < V)%nat ->
  (forall Omega tau i, law V (affinity V Omega tau i) /\ forall j, 0 < affinity V Omega tau i j) /\
  forall C (weight : nat -> R) (laws_of : nat -> nat -> R), law C weight -> (forall c, law V (laws_of c)) ->
    let mean i := sum C (fun c => weight c * laws_of c i) in
    let covariance i j := sum C (fun c => weight c * ((laws_of c i - mean i) * (laws_of c j - mean j))) in
    forall i, sum V (covariance i) = 0.
Proof.
  intros L. split.
  - intros Omega tau i. split; [now apply softmax_law|]. intros j. unfold affinity, softmax.
    apply Rmult_lt_0_compat; [apply exp_pos | now apply Rinv_0_lt_compat, weights_positive].
  - intros C weight laws_of [_ W] Laws mean covariance i. unfold covariance. rewrite sum_swap.
    transitivity (sum C (fun _ => 0)); [apply sum_ext | apply sum_zero]. intros c _. rewrite sum_scale, sum_scale, sum_minus.
    destruct (Laws c) as [_ One]. rewrite One. assert (E : sum V mean = 1); [|rewrite E; ring].
    unfold mean. rewrite sum_swap. rewrite (sum_ext C _ weight); [exact W|]. intros c' _. rewrite sum_scale.
    destruct (Laws c') as [_ ->]. ring.
Qed.

(** The mean of the probabilities of a position is 1/V, of every law. *)
Theorem rdk_mean_probability V p : (0 < V)%nat -> law V p -> sum V p / INR V = / INR V.
Proof. intros L [_ ->]. unfold Rdiv. ring. Qed.

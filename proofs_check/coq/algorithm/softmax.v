(** RDK: how far the softmax of logits moves when the logits do. *)

Require Import Reals Lra Lia List Arith.
Require Import laws lossless rdk dobrushin slopes.
Open Scope R_scope.

Definition softmax (V : nat) (z : nat -> R) (x : nat) : R := exp (z x) / sum V (fun y => exp (z y)).

Lemma sum_positive n f : (0 < n)%nat -> (forall x, (x < n)%nat -> 0 < f x) -> 0 < sum n f.
Proof.
  intros L H. pose proof (sum_term n f 0 (fun x X => Rlt_le _ _ (H x X)) L). specialize (H 0%nat L). lra.
Qed.

Lemma weights_positive V z : (0 < V)%nat -> 0 < sum V (fun y => exp (z y)).
Proof. intros L. apply sum_positive; [easy|]. intros. apply exp_pos. Qed.

Lemma softmax_law V z : (0 < V)%nat -> law V (softmax V z).
Proof.
  intros L. pose proof (weights_positive V z L) as P. split.
  - intros x _. apply Rmult_le_pos; [left; apply exp_pos | left; now apply Rinv_0_lt_compat].
  - unfold softmax, Rdiv. rewrite sum_scale_right. apply Rinv_r. lra.
Qed.

(** * Tilting a law *)

(** A law whose masses are multiplied by numbers between α² and β², and renormalised, moves by at most (β - α)/(β + α). *)
Section Tilted.

Variable V : nat.
Variables p w : nat -> R.
Variables alpha beta : R.
Hypothesis p_law : law V p.
Hypothesis alpha_positive : 0 < alpha.
Hypothesis w_range : forall x, (x < V)%nat -> alpha * alpha <= w x <= beta * beta.
Hypothesis beta_above : alpha <= beta.

Let W : R := sum V (fun x => p x * w x).
Definition tilted (x : nat) : R := p x * w x / W.
Let high (x : nat) (f : R) : R := if Rlt_dec W (w x) then f else 0.

Lemma mean_weight : alpha * alpha <= W.
Proof.
  unfold W. rewrite <- (Rmult_1_r (alpha * alpha)). destruct p_law as [N One]. rewrite <- One, <- sum_scale.
  apply sum_le. intros x L. specialize (N x L). specialize (w_range x L). nra.
Qed.

Lemma tilted_tv : tv V tilted p <= (beta - alpha) / (beta + alpha).
Proof.
  pose proof mean_weight as M. assert (P : 0 < W) by nra. destruct p_law as [N One].
  assert (S1 : sum V tilted = sum V p).
  { unfold tilted, Rdiv. rewrite sum_scale_right. fold W. rewrite One. apply Rinv_r. lra. }
  rewrite tv_positive by easy.
  set (S := sum V (fun x => high x (p x))). set (A := sum V (fun x => high x (p x * w x))).
  assert (E : sum V (fun y => Rmax 0 (tilted y - p y)) = A / W - S).
  { unfold A, S, Rdiv. rewrite <- sum_scale_right, <- sum_minus. apply sum_ext. intros x L. specialize (N x L).
    unfold tilted, high. replace (p x * w x / W - p x) with (p x * (w x - W) * / W) by (field; lra).
    assert (I : 0 < / W) by now apply Rinv_0_lt_compat. destruct (Rlt_dec W (w x)) as [H|H].
    - rewrite Rmax_right; [field; lra|]. apply Rmult_le_pos; [|lra]. apply Rmult_le_pos; lra.
    - rewrite Rmax_left; [ring|]. apply Rnot_lt_le in H.
      assert (p x * (w x - W) <= 0) by nra. nra. }
  rewrite E.
  assert (S0 : 0 <= S) by (apply sum_nonneg; intros x L; specialize (N x L); unfold high; destruct (Rlt_dec W (w x)); lra).
  assert (S2 : S <= 1).
  { rewrite <- One. apply sum_le. intros x L. specialize (N x L). unfold high. destruct (Rlt_dec W (w x)); lra. }
  assert (AS : A <= beta * beta * S).
  { unfold A, S. rewrite <- sum_scale. apply sum_le. intros x L. specialize (N x L). specialize (w_range x L).
    unfold high. destruct (Rlt_dec W (w x)); [nra | lra]. }
  assert (BS : alpha * alpha * (1 - S) <= W - A).
  { unfold A, S, W. rewrite <- One, <- !sum_minus, <- sum_scale. apply sum_le. intros x L. specialize (N x L).
    specialize (w_range x L). fold W. unfold high. destruct (Rlt_dec W (w x)); [lra | nra]. }
  assert (A0 : 0 <= A).
  { apply sum_nonneg. intros x L. specialize (N x L). specialize (w_range x L). unfold high.
    destruct (Rlt_dec W (w x)); [|lra]. apply Rmult_le_pos; nra. }
  set (k := beta + alpha). assert (K : 0 < k) by (unfold k; lra).
  apply (Rmult_le_reg_l (k * W)); [now apply Rmult_lt_0_compat|].
  replace (k * W * (A / W - S)) with (k * (A - S * W)) by (field; lra).
  replace (k * W * ((beta - alpha) / k)) with ((beta - alpha) * W) by (field; lra).
  (* A (k (1 - S) - (β - α)) <= (k S + β - α) (W - A) *)
  set (B := W - A) in *. replace W with (A + B) by (unfold B; ring).
  assert (G : A * (2 * alpha - k * S) <= (k * S + beta - alpha) * B); [|unfold k in *; nra].
  assert (C0 : 0 <= k * S + beta - alpha) by nra.
  assert (B0 : 0 <= B) by nra.
  destruct (Rle_lt_dec (2 * alpha - k * S) 0) as [H|H]; [nra|].
  apply (Rle_trans _ (beta * beta * S * (2 * alpha - k * S))); [apply Rmult_le_compat_r; lra|].
  apply (Rle_trans _ ((k * S + beta - alpha) * (alpha * alpha * (1 - S)))); [|now apply Rmult_le_compat_l].
  assert (Z : (k * S + beta - alpha) * (alpha * alpha * (1 - S)) - beta * beta * S * (2 * alpha - k * S)
    = (beta - alpha) * ((k * S - alpha) * (k * S - alpha))) by (unfold k; ring).
  assert (0 <= (beta - alpha) * ((k * S - alpha) * (k * S - alpha))) by (apply Rmult_le_pos; [lra | apply Rle_0_sqr]). lra.
Qed.

End Tilted.

Lemma tanh_quotient r : tanh r = (exp r - exp (- r)) / (exp r + exp (- r)).
Proof. unfold tanh, sinh, cosh. pose proof (exp_pos r). pose proof (exp_pos (- r)). field. lra. Qed.

(** Errors of the logits between m and m + r move the softmax by at most 2 tanh(r/4). *)
Lemma softmax_moves V z delta m r : (0 < V)%nat -> 0 <= r -> (forall x, (x < V)%nat -> m <= delta x <= m + r) ->
  norm1 V (fun x => softmax V z x - softmax V (fun y => z y + delta y) x) <= 2 * tanh (r / 4).
Proof.
  intros L R H. rewrite norm1_tv. apply Rmult_le_compat_l; [lra|]. rewrite tv_sym.
  set (p := softmax V z). set (w := fun x => exp (delta x)). pose proof (softmax_law V z L) as P. fold p in P.
  pose proof (weights_positive V z L) as Z.
  assert (D : forall a b, exp (a + b) = exp a * exp b) by apply exp_plus.
  rewrite (tv_same V _ (tilted V p w)).
  - eapply Rle_trans; [apply (tilted_tv V p w (exp (m / 2)) (exp ((m + r) / 2)))|].
    + easy.
    + apply exp_pos.
    + intros x X. rewrite <- !D. specialize (H x X). unfold w. split; apply exp_le; lra.
    + apply exp_le. lra.
    + right. rewrite tanh_quotient.
      replace ((m + r) / 2) with (m / 2 + r / 4 + r / 4) by lra. replace (m / 2) with (m / 2 + r / 4 + - (r / 4)) by ring.
      replace (m / 2 + r / 4 + - (r / 4) + r / 4 + r / 4) with (m / 2 + r / 4 + r / 4) by ring.
      rewrite (D (m / 2 + r / 4) (r / 4)), (D (m / 2 + r / 4) (- (r / 4))).
      pose proof (exp_pos (m / 2 + r / 4)). pose proof (exp_pos (r / 4)). pose proof (exp_pos (- (r / 4))). field.
      split; [lra|]. rewrite <- Rmult_plus_distr_l. apply Rgt_not_eq, Rmult_gt_0_compat; lra.
  - intros y _. unfold tilted, p, softmax, w. rewrite exp_plus.
    rewrite (sum_ext V (fun y => exp (z y + delta y)) (fun y => exp (z y) * exp (delta y))) by (intros; apply exp_plus).
    rewrite (sum_ext V (fun x => exp (z x) / _ * _) (fun x => (exp (z x) * exp (delta x)) * / sum V (fun y => exp (z y))))
      by (intros; unfold Rdiv; ring).
    rewrite sum_scale_right.
    assert (0 < sum V (fun x => exp (z x) * exp (delta x)))
      by (apply sum_positive; [easy | intros; apply Rmult_lt_0_compat; apply exp_pos]).
    field. lra.
Qed.

(** tanh r <= r where r is not negative. *)
Lemma tanh_le r : 0 <= r -> tanh r <= r.
Proof.
  intros P.
  set (f := fun y : R => y * (exp y + exp (- y)) - (exp y - exp (- y))).
  set (f' := fun y : R => y * (exp y - exp (- y))).
  assert (E : forall y, derivable_pt_lim (fun y => exp (- y)) y (- exp (- y))).
  { intros y. replace (- exp (- y)) with (exp (- y) * (- 1)) by ring.
    apply (derivable_pt_lim_comp (fun y => - y) exp); [|apply derivable_pt_lim_exp].
    apply (derivable_pt_lim_opp id), derivable_pt_lim_id. }
  assert (D : forall y, derivable_pt_lim f y (f' y)).
  { intros y. unfold f'. replace (y * (exp y - exp (- y)))
      with ((1 * (exp y + exp (- y)) + y * (exp y + - exp (- y))) - (exp y - - exp (- y))) by ring.
    apply (derivable_pt_lim_minus (fun y => y * (exp y + exp (- y))) (fun y => exp y - exp (- y))).
    - apply (derivable_pt_lim_mult id (fun y => exp y + exp (- y))); [apply derivable_pt_lim_id|].
      apply (derivable_pt_lim_plus exp (fun y => exp (- y))); [apply derivable_pt_lim_exp | apply E].
    - apply (derivable_pt_lim_minus exp (fun y => exp (- y))); [apply derivable_pt_lim_exp | apply E]. }
  assert (G : f 0 <= f r).
  { apply (monotone f f' 0 r P); [intros; apply D|]. intros y Y. apply Rmult_le_pos; [lra|].
    assert (exp (- y) <= exp y) by (apply exp_le; lra). lra. }
  replace (f 0) with 0 in G by (unfold f; rewrite Ropp_0; ring).
  rewrite tanh_quotient. pose proof (exp_pos r). pose proof (exp_pos (- r)).
  apply (Rmult_le_reg_r (exp r + exp (- r))); [lra|]. unfold f in G.
  replace ((exp r - exp (- r)) / (exp r + exp (- r)) * (exp r + exp (- r))) with (exp r - exp (- r)) by (field; lra). lra.
Qed.

Section Errors.

Variable V : nat.
Variables z delta : nat -> R.
Variable epsilon : R.
Hypothesis some_token : (0 < V)%nat.

Definition off : R := norm1 V (fun x => softmax V z x - softmax V (fun y => z y + delta y) x).

(** ‖δ‖₁ <= ε implies ‖softmax(z) - softmax(z + δ)‖₁ <= 2 tanh(ε/4), for all logits z and errors δ. *)
Theorem rdk_softmax_lipschitz_sharp : norm1 V delta <= epsilon -> off <= 2 * tanh (epsilon / 4).
Proof.
  intros H. set (down := sum V (fun x => Rmax 0 (- delta x))). set (up := sum V (fun x => Rmax 0 (delta x))).
  assert (E : norm1 V delta = down + up).
  { unfold norm1, down, up. rewrite <- sum_plus. apply sum_ext. intros x _. unfold Rabs, Rmax.
    destruct (Rcase_abs (delta x)), (Rle_dec 0 (- delta x)), (Rle_dec 0 (delta x)); lra. }
  assert (A : 0 <= norm1 V delta) by (apply sum_nonneg; intros; apply Rabs_pos).
  apply (softmax_moves V z delta (- down)); [easy | lra |]. intros x L.
  pose proof (sum_term V (fun x => Rmax 0 (- delta x)) x (fun _ _ => Rmax_l _ _) L) as D.
  pose proof (sum_term V (fun x => Rmax 0 (delta x)) x (fun _ _ => Rmax_l _ _) L) as U. fold down in D. fold up in U.
  pose proof (Rmax_r 0 (- delta x)). pose proof (Rmax_r 0 (delta x)). simpl in *. lra.
Qed.

(** ‖δ‖₁ <= ε implies ‖softmax(z) - softmax(z + δ)‖₁ <= ε/2, for all logits z and errors δ. *)
Theorem rdk_softmax_lipschitz : norm1 V delta <= epsilon -> off <= epsilon / 2.
Proof.
  intros H. pose proof (rdk_softmax_lipschitz_sharp H) as S.
  assert (A : 0 <= norm1 V delta) by (apply sum_nonneg; intros; apply Rabs_pos).
  pose proof (tanh_le (epsilon / 4)). lra.
Qed.

(** |δ_x| <= ε for every token implies ‖softmax(z) - softmax(z + δ)‖₁ <= 2 tanh(ε/2). *)
Theorem rdk_perturbed_target_sharp : (forall x, (x < V)%nat -> Rabs (delta x) <= epsilon) -> off <= 2 * tanh (epsilon / 2).
Proof.
  intros H. replace (epsilon / 2) with (2 * epsilon / 4) by field.
  pose proof (H 0%nat some_token) as Z. pose proof (Rabs_pos (delta 0%nat)).
  apply (softmax_moves V z delta (- epsilon)); [easy | lra |]. intros x L. specialize (H x L).
  unfold Rabs in H. destruct (Rcase_abs (delta x)); lra.
Qed.

(** |δ_x| <= ε for every token implies ‖softmax(z) - softmax(z + δ)‖₁ <= ε. *)
Theorem rdk_perturbed_target_corrected : (forall x, (x < V)%nat -> Rabs (delta x) <= epsilon) -> off <= epsilon.
Proof.
  intros H. pose proof (rdk_perturbed_target_sharp H) as S. pose proof (H 0%nat some_token) as Z.
  pose proof (Rabs_pos (delta 0%nat)). pose proof (tanh_le (epsilon / 2)). lra.
Qed.

(** If no logit is off by more than ε, ‖softmax(z) - softmax(z + δ)‖₁ <= 2 tanh(ε/2), whatever the vocabulary. *)
Theorem rdk_perturbations_harmless_corrected :
  (forall x, (x < V)%nat -> Rabs (delta x) <= epsilon) -> off <= 2 * tanh (epsilon / 2).
Proof. exact rdk_perturbed_target_sharp. Qed.

End Errors.

(** * Where the bounds are attained *)

(** Two tokens whose logits differ by d, and then by -d. *)
Lemma two_tokens z z' d : z 1%nat = z 0%nat + d -> z' 0%nat = z' 1%nat + d ->
  0 <= d -> norm1 2 (fun x => softmax 2 z x - softmax 2 z' x) = 2 * tanh (d / 2).
Proof.
  intros A B P. pose proof (exp_pos (z 0%nat)). pose proof (exp_pos (z' 1%nat)). pose proof (exp_pos (d / 2)).
  unfold norm1, softmax. cbn [sum]. rewrite A, B, !exp_plus, tanh_quotient, exp_Ropp.
  set (a := exp (z 0%nat)) in *. set (b := exp (z' 1%nat)) in *.
  assert (E : exp d = exp (d / 2) * exp (d / 2)) by (rewrite <- exp_plus; f_equal; field).
  assert (O : 1 <= exp (d / 2)).
  { rewrite <- exp_0. apply exp_le. lra. }
  rewrite E. set (k := exp (d / 2)) in *. assert (K : 0 < k * k) by nra.
  assert (C : 0 < k * k + 1) by lra.
  replace (a / (0 + a + a * (k * k)) - b * (k * k) / (0 + b * (k * k) + b)) with (- ((k * k - 1) / (k * k + 1)))
    by (field; repeat split; nra).
  replace (a * (k * k) / (0 + a + a * (k * k)) - b / (0 + b * (k * k) + b)) with ((k * k - 1) / (k * k + 1))
    by (field; repeat split; nra).
  assert (Q : 0 <= (k * k - 1) / (k * k + 1)) by (apply Rmult_le_pos; [nra | left; now apply Rinv_0_lt_compat]).
  rewrite Rabs_Ropp, Rabs_pos_eq by easy. field. repeat split; nra.
Qed.

(** Numbers on two tokens. *)
Definition pair (a b : R) (x : nat) : R := if Nat.eqb x 0 then a else b.

(** Two tokens with logits -ε/4 and ε/4, of which the first rises by ε: ‖softmax(z) - softmax(z + δ)‖₁ = 2 tanh(ε/4), and
    ‖δ‖₁ = ε, for every ε >= 0. *)
Theorem rdk_softmax_lipschitz_sharp_attained epsilon : 0 <= epsilon ->
  norm1 2 (pair epsilon 0) = epsilon /\
  off 2 (pair (- epsilon / 4) (epsilon / 4)) (pair epsilon 0) = 2 * tanh (epsilon / 4).
Proof.
  intros P. split.
  - unfold norm1, pair. simpl. rewrite Rabs_R0, (Rabs_pos_eq epsilon) by easy. ring.
  - unfold off. replace (tanh (epsilon / 4)) with (tanh (epsilon / 2 / 2)) by (f_equal; field).
    apply two_tokens; unfold pair; simpl; lra.
Qed.

(** Two tokens with logits -ε/2 and ε/2, perturbed by δ = (ε, -ε): ‖softmax(z) - softmax(z + δ)‖₁ = 2 tanh(ε/2), for every
    ε >= 0. *)
Theorem rdk_perturbed_target_sharp_attained epsilon : 0 <= epsilon ->
  (forall x, Rabs (pair epsilon (- epsilon) x) = epsilon) /\
  off 2 (pair (- epsilon / 2) (epsilon / 2)) (pair epsilon (- epsilon)) = 2 * tanh (epsilon / 2).
Proof.
  intros P. split.
  - intros x. unfold pair. destruct (Nat.eqb x 0); [|rewrite Rabs_Ropp]; now apply Rabs_pos_eq.
  - unfold off. apply two_tokens; unfold pair; simpl; lra.
Qed.

(** RDK: the derivative of the softmax, and its norms. *)

Require Import Reals Lra Lia List Arith.
Require Import laws lossless rdk dobrushin slopes softmax curvature.
Open Scope R_scope.

(** J = diag(p) - p pᵀ, and its product with a change δ of the logits. *)
Definition jacobian (p : nat -> R) (i j : nat) : R := p i * ((if Nat.eqb i j then 1 else 0) - p j).
Definition change (V : nat) (p delta : nat -> R) (i : nat) : R := sum V (fun j => jacobian p i j * delta j).

(** One logit alone. *)
Definition unit (j x : nat) : R := if Nat.eqb x j then 1 else 0.

Lemma sum_unit V f j : (j < V)%nat -> sum V (fun x => f x * unit j x) = f j.
Proof.
  intros L. rewrite <- (sum_point V f j L). apply sum_ext. intros x _. unfold unit. destruct (Nat.eqb x j); ring.
Qed.

Lemma column V p j : law V p -> (j < V)%nat -> sum V (fun i => Rabs (jacobian p i j)) = 2 * p j * (1 - p j).
Proof.
  intros P L. pose proof (law_nonneg V p j P L) as N. pose proof (law_le_1 V p j P L) as M.
  rewrite (sum_ext V _ (fun i => p j * p i + (1 - 2 * p j) * (p i * unit j i))).
  - rewrite sum_plus, !sum_scale, sum_unit by easy. destruct P as [_ One]. rewrite One. ring.
  - intros i I. pose proof (law_nonneg V p i P I) as A. unfold jacobian, unit. destruct (Nat.eqb_spec i j) as [->|D].
    + rewrite Rabs_pos_eq by (apply Rmult_le_pos; lra). ring.
    + replace (p i * (0 - p j)) with (- (p i * p j)) by ring. rewrite Rabs_Ropp, Rabs_pos_eq by (apply Rmult_le_pos; lra). ring.
Qed.

Lemma half_at_most x : 2 * x * (1 - x) <= / 2.
Proof. pose proof (Rle_0_sqr (1 - 2 * x)) as S. unfold Rsqr in S. lra. Qed.

Lemma by_columns V p delta : law V p ->
  norm1 V (change V p delta) <= sum V (fun j => 2 * p j * (1 - p j) * Rabs (delta j)).
Proof.
  intros P. unfold norm1, change. apply (Rle_trans _ (sum V (fun i => sum V (fun j => Rabs (jacobian p i j) * Rabs (delta j))))).
  - apply sum_le. intros i _. eapply Rle_trans; [apply sum_abs|]. right. apply sum_ext. intros. apply Rabs_mult.
  - right. rewrite sum_swap. apply sum_ext. intros j L. now rewrite sum_scale_right, column.
Qed.

Lemma change_unit V p j : (j < V)%nat -> forall i, change V p (unit j) i = jacobian p i j.
Proof. intros L i. unfold change. now rewrite (sum_unit V (jacobian p i)). Qed.

Lemma largest_attained n f : (0 < n)%nat -> (forall x, (x < n)%nat -> 0 <= f x) -> exists x, (x < n)%nat /\ largest n f = f x.
Proof.
  induction n as [|[|n] IH]; intros L N; [lia| |].
  - exists 0%nat. split; [lia|]. simpl. apply Rmax_right. apply N. lia.
  - destruct IH as [x [X E]]; [lia | intros; apply N; lia |].
    change (largest (S (S n)) f) with (Rmax (largest (S n) f) (f (S n))). rewrite E.
    destruct (Rle_dec (f x) (f (S n))) as [H|H].
    + exists (S n). split; [lia|]. now apply Rmax_right.
    + exists x. split; [lia|]. apply Rmax_left. lra.
Qed.

(** J is the derivative of the softmax; its column j has ℓ1 norm 2 p_j (1 - p_j), for every law p; the largest of these is the
    operator norm of J on ℓ1, which a single logit attains, and is at most ½. *)
Theorem rdk_softmax_jacobian V p : (0 < V)%nat -> law V p ->
  (forall z i j, (i < V)%nat -> (j < V)%nat ->
    derivable_pt_lim (fun t => softmax V (fun y => z y + t * unit j y) i) 0 (jacobian (softmax V z) i j)) /\
  (forall j, (j < V)%nat -> sum V (fun i => Rabs (jacobian p i j)) = 2 * p j * (1 - p j)) /\
  let operator := largest V (fun j => 2 * p j * (1 - p j)) in
  (forall delta, norm1 V (change V p delta) <= operator * norm1 V delta) /\
  (exists j, (j < V)%nat /\ norm1 V (unit j) = 1 /\ norm1 V (change V p (unit j)) = operator) /\
  operator <= / 2.
Proof.
  intros L P. split; [|split; [intros; now apply column|]].
  - intros z i j I J. eapply derive_eq; [apply (path_derive V L z (unit j))|]. unfold jacobian.
    assert (Z : forall x, (x < V)%nat -> softmax V (fun y => z y + 0 * unit j y) x = softmax V z x).
    { intros x X. unfold softmax. replace (z x + 0 * unit j x) with (z x) by ring. f_equal. apply sum_ext. intros. f_equal. ring. }
    rewrite Z by easy. f_equal. rewrite sum_unit, Z by easy. reflexivity.
  - intros operator. split; [|split].
    + intros delta. eapply Rle_trans; [now apply by_columns|]. unfold norm1. rewrite <- sum_scale. apply sum_le. intros j J.
      apply Rmult_le_compat_r; [apply Rabs_pos|]. apply (largest_term V (fun j => 2 * p j * (1 - p j)) j J).
    + destruct (largest_attained V (fun j => 2 * p j * (1 - p j)) L) as [j [J E]].
      * intros x X. pose proof (law_nonneg V p x P X). pose proof (law_le_1 V p x P X). apply Rmult_le_pos; lra.
      * exists j. split; [easy|]. split.
        -- unfold norm1. rewrite (sum_ext V _ (fun x => 1 * unit j x)).
           ++ now rewrite (sum_unit V (fun _ => 1)).
           ++ intros x _. unfold unit. destruct (Nat.eqb x j); [rewrite Rabs_R1 | rewrite Rabs_R0]; ring.
        -- unfold operator. rewrite E, <- (column V p j P J).
           unfold norm1. apply sum_ext. intros i _. now rewrite change_unit.
    + apply largest_bound; [lra|]. intros. apply half_at_most.
Qed.

(** ‖Jδ‖₁ <= Σ 2 p_j (1 - p_j) |δ_j| <= ½ ‖δ‖₁, and ‖Jδ‖₁ <= max |δ_j|, for every law p and every δ. *)
Theorem rdk_softmax_jacobian_norms V p delta : law V p ->
  norm1 V (change V p delta) <= sum V (fun j => 2 * p j * (1 - p j) * Rabs (delta j)) /\
  sum V (fun j => 2 * p j * (1 - p j) * Rabs (delta j)) <= / 2 * norm1 V delta /\
  norm1 V (change V p delta) <= largest V (fun j => Rabs (delta j)).
Proof.
  intros P. split; [now apply by_columns|]. split.
  - unfold norm1. rewrite <- sum_scale. apply sum_le. intros j _. apply Rmult_le_compat_r; [apply Rabs_pos | apply half_at_most].
  - destruct P as [N One]. set (mu := sum V (fun j => p j * delta j)).
    assert (C : forall i, (i < V)%nat -> change V p delta i = p i * (delta i - mu)).
    { intros i I. unfold change, jacobian.
      rewrite (sum_ext V _ (fun j => p i * delta j * unit i j - p i * (p j * delta j))).
      - rewrite sum_minus, sum_unit, sum_scale by easy. fold mu. ring.
      - intros j _. unfold unit. rewrite (Nat.eqb_sym j i). destruct (Nat.eqb i j); ring. }
    set (e := fun i => if Rle_dec 0 (delta i - mu) then 1 else -1).
    set (m := sum V (fun i => p i * e i)). set (top := largest V (fun j => Rabs (delta j))).
    assert (E : norm1 V (change V p delta) = sum V (fun i => p i * ((e i - m) * delta i))).
    { unfold norm1. rewrite (sum_ext V _ (fun i => p i * e i * delta i - mu * (p i * e i))).
      - rewrite sum_minus, sum_scale. fold m.
        rewrite (sum_ext V (fun i => p i * ((e i - m) * delta i)) (fun i => p i * e i * delta i - m * (p i * delta i)))
          by (intros; ring).
        rewrite sum_minus, sum_scale. fold mu. ring.
      - intros i I. rewrite C, Rabs_mult, (Rabs_pos_eq (p i)) by (easy || now apply N). unfold e.
        destruct (Rle_dec 0 (delta i - mu)); [rewrite Rabs_pos_eq | rewrite Rabs_left]; lra. }
    assert (M : -1 <= m <= 1).
    { unfold m. split; [rewrite <- (Rmult_1_r (-1)), <- One, <- sum_scale | rewrite <- One]; apply sum_le; intros i I;
        specialize (N i I); unfold e; destruct (Rle_dec 0 (delta i - mu)); lra. }
    rewrite E. apply (Rle_trans _ (sum V (fun i => top * (p i - m * (p i * e i))))).
    + apply sum_le. intros i I. specialize (N i I).
      replace (top * (p i - m * (p i * e i))) with (p i * ((1 - m * e i) * top)) by ring.
      apply Rmult_le_compat_l; [easy|].
      pose proof (largest_term V (fun j => Rabs (delta j)) i I) as T. fold top in T. simpl in T.
      assert (A : Rabs (e i - m) = 1 - m * e i)
        by (unfold e; destruct (Rle_dec 0 (delta i - mu)); [rewrite Rabs_pos_eq | rewrite Rabs_left1]; lra).
      eapply Rle_trans; [apply Rle_abs|]. rewrite Rabs_mult, A. apply Rmult_le_compat_l; [rewrite <- A; apply Rabs_pos | easy].
    + rewrite sum_scale, sum_minus, sum_scale, One. fold m.
      assert (0 <= top).
      { unfold top. clear. induction V as [|n IH]; simpl; [lra|]. eapply Rle_trans; [exact IH | apply Rmax_l]. }
      pose proof (Rle_0_sqr m) as S. unfold Rsqr in S. nra.
Qed.

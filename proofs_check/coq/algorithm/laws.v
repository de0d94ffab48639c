(** Finite sums, laws over V tokens, and programs that toss coins, as the finite distributions which they induce.

    A distribution is a list of weights and outcomes; an outcome may stand there twice. Nothing here knows of drafts or targets. *)

Require Import Reals Lra Lia List Arith.
Import ListNotations.
Open Scope R_scope.

(** * Sums over the tokens 0, …, n - 1 *)

Fixpoint sum (n : nat) (f : nat -> R) : R :=
  match n with O => 0 | S m => sum m f + f m end.

Lemma sum_ext n f g : (forall x, (x < n)%nat -> f x = g x) -> sum n f = sum n g.
Proof. induction n; simpl; intros H; [easy|]. rewrite IHn, H; auto with arith. Qed.

Lemma sum_plus n f g : sum n (fun x => f x + g x) = sum n f + sum n g.
Proof. induction n; simpl; [lra|]. rewrite IHn. lra. Qed.

Lemma sum_minus n f g : sum n (fun x => f x - g x) = sum n f - sum n g.
Proof. induction n; simpl; [lra|]. rewrite IHn. lra. Qed.

Lemma sum_scale n c f : sum n (fun x => c * f x) = c * sum n f.
Proof. induction n; simpl; [lra|]. rewrite IHn. lra. Qed.

Lemma sum_scale_right n c f : sum n (fun x => f x * c) = sum n f * c.
Proof. induction n; simpl; [lra|]. rewrite IHn. lra. Qed.

Lemma sum_zero n : sum n (fun _ => 0) = 0.
Proof. induction n; simpl; lra. Qed.

Lemma sum_constant n c : sum n (fun _ => c) = INR n * c.
Proof. induction n; [simpl; ring|]. cbn [sum]. rewrite IHn, S_INR. ring. Qed.

Lemma sum_le n f g : (forall x, (x < n)%nat -> f x <= g x) -> sum n f <= sum n g.
Proof. induction n; simpl; intros H; [lra|]. apply Rplus_le_compat; auto with arith. Qed.

Lemma sum_nonneg n f : (forall x, (x < n)%nat -> 0 <= f x) -> 0 <= sum n f.
Proof. intros H. rewrite <- (sum_zero n). now apply sum_le. Qed.

Lemma sum_swap n m f : sum n (fun x => sum m (fun y => f x y)) = sum m (fun y => sum n (fun x => f x y)).
Proof. induction n; simpl; [now rewrite sum_zero|]. rewrite IHn. now rewrite <- sum_plus. Qed.

Lemma sum_abs n f : Rabs (sum n f) <= sum n (fun x => Rabs (f x)).
Proof.
  induction n; simpl; [rewrite Rabs_R0; lra|].
  eapply Rle_trans; [apply Rabs_triang|]. lra.
Qed.

Lemma sum_point n f y : (y < n)%nat -> sum n (fun x => if Nat.eqb x y then f x else 0) = f y.
Proof.
  induction n; intros H; [lia|]. simpl. destruct (Nat.eqb_spec n y) as [->|N].
  - rewrite (sum_ext y _ (fun _ => 0)), sum_zero; [lra|].
    intros x L. destruct (Nat.eqb_spec x y); [lia|easy].
  - rewrite IHn by lia. lra.
Qed.

Lemma sum_term n f y : (forall x, (x < n)%nat -> 0 <= f x) -> (y < n)%nat -> f y <= sum n f.
Proof.
  induction n; intros H L; [lia|]. simpl.
  destruct (Nat.eq_dec y n) as [->|N].
  - assert (0 <= sum n f) by (apply sum_nonneg; auto with arith). lra.
  - assert (f y <= sum n f) by (apply IHn; [auto with arith | lia]).
    assert (0 <= f n) by auto with arith. lra.
Qed.

Lemma sum_zero_terms n f : (forall x, (x < n)%nat -> 0 <= f x) -> sum n f = 0 -> forall x, (x < n)%nat -> f x = 0.
Proof. intros H Z x L. pose proof (sum_term n f x H L). specialize (H x L). lra. Qed.

(** * Laws *)

Definition law (V : nat) (p : nat -> R) : Prop :=
  (forall x, (x < V)%nat -> 0 <= p x) /\ sum V p = 1.

Lemma law_nonneg V p x : law V p -> (x < V)%nat -> 0 <= p x.
Proof. intros [H _]. apply H. Qed.

Lemma law_le_1 V p x : law V p -> (x < V)%nat -> p x <= 1.
Proof. intros [H S] L. rewrite <- S. now apply sum_term. Qed.

(** Total variation: half of what two laws differ by. *)
Definition tv (V : nat) (p q : nat -> R) : R := / 2 * sum V (fun x => Rabs (p x - q x)).

(** Of two laws it is what one has above the other. *)
Lemma tv_positive V o p : sum V o = sum V p -> tv V o p = sum V (fun y => Rmax 0 (o y - p y)).
Proof.
  intros S. unfold tv.
  rewrite (sum_ext V (fun y => Rabs (o y - p y)) (fun y => 2 * Rmax 0 (o y - p y) - (o y - p y))).
  - rewrite !sum_minus, sum_scale, S. lra.
  - intros y _. unfold Rabs, Rmax. destruct (Rcase_abs (o y - p y)), (Rle_dec 0 (o y - p y)); lra.
Qed.

Lemma tv_triangle V o p q : tv V o q <= tv V o p + tv V p q.
Proof.
  unfold tv. rewrite <- Rmult_plus_distr_l, <- sum_plus. apply Rmult_le_compat_l; [lra|]. apply sum_le.
  intros x _. replace (o x - q x) with ((o x - p x) + (p x - q x)) by ring. apply Rabs_triang.
Qed.

Lemma tv_sym V o p : tv V o p = tv V p o.
Proof. unfold tv. f_equal. apply sum_ext. intros x _. apply Rabs_minus_sym. Qed.

Definition overlap (V : nat) (p q : nat -> R) : R := sum V (fun x => Rmin (p x) (q x)).

(** * Programs *)

Definition program (A : Type) : Type := list (R * A).

Definition ret {A} (a : A) : program A := [(1, a)].

Definition bind {A B} (d : program A) (f : A -> program B) : program B :=
  flat_map (fun wa => map (fun vb => (fst wa * fst vb, snd vb)) (f (snd wa))) d.

Notation "x <- d ;; e" := (bind d (fun x => e)) (at level 61, d at next level, right associativity).

Definition draw (V : nat) (p : nat -> R) : program nat := map (fun x => (p x, x)) (seq 0 V).

Definition coin (a : R) : program bool := [(a, true); (1 - a, false)].

(** ** What they are expected to give *)

Fixpoint expect {A} (d : program A) (f : A -> R) : R :=
  match d with [] => 0 | (w, a) :: e => w * f a + expect e f end.

Definition indicator (b : bool) : R := if b then 1 else 0.

(** Probability that an outcome passes a test; of one token among outcomes that are tokens. *)
Definition chance {A} (d : program A) (test : A -> bool) : R := expect d (fun a => indicator (test a)).

Definition output (d : program nat) (y : nat) : R := chance d (fun x => Nat.eqb x y).

Lemma expect_app {A} (d e : program A) f : expect (d ++ e) f = expect d f + expect e f.
Proof. induction d as [|[w a] d IH]; simpl; [lra|]. rewrite IH. lra. Qed.

Lemma expect_scaled {A} w (d : program A) f : expect (map (fun vb => (w * fst vb, snd vb)) d) f = w * expect d f.
Proof. induction d as [|[v b] d IH]; simpl; [lra|]. rewrite IH. lra. Qed.

Lemma expect_bind {A B} (d : program A) (k : A -> program B) f :
  expect (bind d k) f = expect d (fun a => expect (k a) f).
Proof.
  induction d as [|[w a] d IH]; [easy|].
  change (bind ((w, a) :: d) k) with (map (fun vb => (w * fst vb, snd vb)) (k a) ++ bind d k).
  simpl. now rewrite expect_app, IH, expect_scaled.
Qed.

Lemma expect_ret {A} (a : A) f : expect (ret a) f = f a.
Proof. simpl. lra. Qed.

Lemma expect_coin a f : expect (coin a) f = a * f true + (1 - a) * f false.
Proof. simpl. lra. Qed.

Lemma expect_draw V p f : expect (draw V p) f = sum V (fun x => p x * f x).
Proof.
  unfold draw. induction V; [easy|].
  rewrite seq_S, map_app, expect_app, IHV. simpl. lra.
Qed.

Lemma expect_ext {A} (d : program A) f g : (forall a, f a = g a) -> expect d f = expect d g.
Proof. intros H. induction d as [|[w a] d IH]; simpl; [easy|]. now rewrite H, IH. Qed.

(** ** What they may give *)

Definition outcomes {A} (d : program A) : list A := map snd d.

Lemma expect_ext_in {A} (d : program A) f g : (forall a, In a (outcomes d) -> f a = g a) -> expect d f = expect d g.
Proof.
  induction d as [|[w a] d IH]; simpl; intros H; [easy|].
  rewrite H, IH; auto.
Qed.

Lemma outcomes_bind {A B} (d : program A) (k : A -> program B) b :
  In b (outcomes (bind d k)) -> exists a, In a (outcomes d) /\ In b (outcomes (k a)).
Proof.
  unfold outcomes, bind. intros H. apply in_map_iff in H as [[v b'] [<- H]].
  apply in_flat_map in H as [[w a] [I H]]. apply in_map_iff in H as [[u c] [E H]].
  inversion E; subst. exists a. split; apply in_map_iff; [exists (w, a) | exists (u, b')]; auto.
Qed.

Lemma expect_plus {A} (d : program A) f g : expect d (fun a => f a + g a) = expect d f + expect d g.
Proof. induction d as [|[w a] d IH]; simpl; [lra|]. rewrite IH. lra. Qed.

Lemma expect_scale {A} (d : program A) c f : expect d (fun a => c * f a) = c * expect d f.
Proof. induction d as [|[w a] d IH]; simpl; [lra|]. rewrite IH. lra. Qed.

Lemma expect_const {A} (d : program A) c : expect d (fun _ => c) = expect d (fun _ => 1) * c.
Proof. induction d as [|[w a] d IH]; simpl; [lra|]. rewrite IH. lra. Qed.

Lemma expect_zero {A} (d : program A) f : (forall a, In a (outcomes d) -> f a = 0) -> expect d f = 0.
Proof.
  intros H. rewrite (expect_ext_in d f (fun _ => 0)) by easy. rewrite expect_const. lra.
Qed.

Lemma output_expect V (d : program nat) p :
  (forall f, expect d f = sum V (fun x => p x * f x)) -> forall y, (y < V)%nat -> output d y = p y.
Proof.
  intros H y L. unfold output, chance. rewrite H, <- (sum_point V p y L).
  apply sum_ext. intros x _. unfold indicator. destruct (Nat.eqb x y); lra.
Qed.

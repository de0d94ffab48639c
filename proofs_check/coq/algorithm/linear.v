(** RDK: how many operations an application takes, in linear time and by a dense matrix. *)

Require Import Reals Lra Lia List Arith.
Require Import laws lossless rdk dobrushin sqs lattice rejections distortion slopes softmax curvature taylor.
Import ListNotations.
Open Scope R_scope.

(** * Programs whose operations are counted *)

(** What a program gives, and how many operations it has done. *)
Definition counted (A : Type) : Type := (A * nat)%type.
Definition gives {A} (m : counted A) : A := fst m.
Definition operations {A} (m : counted A) : nat := snd m.

Definition done {A} (a : A) : counted A := (a, 0%nat).
Definition go {A B} (m : counted A) (k : A -> counted B) : counted B :=
  (gives (k (gives m)), (operations m + operations (k (gives m)))%nat).

(** Additions, subtractions, multiplications, divisions, comparisons and exponentials are one operation each. *)
Definition adding (x y : R) : counted R := (x + y, 1%nat).
Definition subtracting (x y : R) : counted R := (x - y, 1%nat).
Definition multiplying (x y : R) : counted R := (x * y, 1%nat).
Definition dividing (x y : R) : counted R := (x / y, 1%nat).
Definition larger (x y : R) : counted R := (Rmax x y, 1%nat).
Definition exponentiating (x : R) : counted R := (exp x, 1%nat).

(** A vector of n entries, one computed after the other and kept; the sum of n entries, and their maximum. *)
Fixpoint each (n : nat) (f : nat -> counted R) : counted (nat -> R) :=
  match n with
  | O => done (fun _ => 0)
  | S m => go (each m f) (fun g => go (f m) (fun y => done (fun j => if Nat.eqb j m then y else g j)))
  end.
Fixpoint total (n : nat) (f : nat -> R) : counted R :=
  match n with
  | O => done 0
  | S O => done (f 0%nat)
  | S m => go (total m f) (fun s => adding s (f m))
  end.
Fixpoint maximum (n : nat) (f : nat -> R) : counted R :=
  match n with
  | O => done 0
  | S O => done (f 0%nat)
  | S m => go (maximum m f) (fun s => larger s (f m))
  end.
Definition product (n : nat) (f g : nat -> R) : counted R := go (each n (fun i => multiplying (f i) (g i))) (total n).

(** * The maps of the paper *)

Section Maps.

Variable V : nat.

(** s/τ, s = Σ q'_i c_i. *)
Definition tilt (q c : nat -> R) (tau : R) : counted R := go (product V q c) (fun s => dividing s tau).

(** 1/V [1 + s/τ (π V - 1)/V]. *)
Definition affine_map (q c pi : nat -> R) (tau : R) : counted (nat -> R) :=
  go (tilt q c tau) (fun t =>
  each V (fun j => go (multiplying (pi j) (INR V)) (fun a => go (subtracting a 1) (fun b => go (multiplying t b) (fun d =>
    go (dividing d (INR V)) (fun e => go (adding 1 e) (fun f => dividing f (INR V)))))))).

(** (1 + s/τ π)/(V + s/τ). *)
Definition normalised_map (q c pi : nat -> R) (tau : R) : counted (nat -> R) :=
  go (tilt q c tau) (fun t => go (adding (INR V) t) (fun n =>
  each V (fun j => go (multiplying t (pi j)) (fun a => go (adding 1 a) (fun b => dividing b n))))).

(** The softmax of s/τ π, its largest entry taken off first. *)
Definition exponential_map (q c pi : nat -> R) (tau : R) : counted (nat -> R) :=
  go (tilt q c tau) (fun t => go (each V (fun j => multiplying t (pi j))) (fun z => go (maximum V z) (fun m =>
  go (each V (fun j => go (subtracting (z j) m) exponentiating)) (fun e => go (total V e) (fun s => each V (fun j => dividing (e j) s)))))).

(** 1/V [1 + (u - ū)/τ], u = Ωᵀq', of Ω with factors U, λ of rank r, and a diagonal d. *)
Definition first_order_map (rank : nat) (U : nat -> nat -> R) (lam d q : nat -> R) (tau : R) : counted (nat -> R) :=
  go (each rank (fun r => go (product V q (fun i => U i r)) (fun a => multiplying a (lam r)))) (fun w =>
  go (each V (fun j => go (product rank w (U j)) (fun a => go (multiplying (q j) (d j)) (fun b => adding a b)))) (fun u =>
  go (total V u) (fun s => go (dividing s (INR V)) (fun mean =>
  each V (fun j => go (subtracting (u j) mean) (fun a => go (dividing a tau) (fun b => go (adding 1 b) (fun e => dividing e (INR V)))))))))
  .

(** Algorithm 1: Mᵀq', of all rows, and of those of some tokens. *)
Definition dense_map (q : nat -> R) (M : nat -> nat -> R) : counted (nat -> R) := each V (fun j => product V q (fun i => M i j)).
Definition rows_map (tokens : list nat) (q : nat -> R) (M : nat -> nat -> R) : counted (nat -> R) :=
  each V (fun j => product (length tokens) (fun k => q (nth k tokens 0%nat)) (fun k => M (nth k tokens 0%nat) j)).

(** The tokens that carry draft mass. *)
Definition drafted (q : nat -> R) (x : nat) : bool := if Rlt_dec 0 (q x) then true else false.

(** Ω with factors and a diagonal. *)
Definition factors (rank : nat) (U : nat -> nat -> R) (lam d : nat -> R) (i j : nat) : R :=
  sum rank (fun r => U i r * lam r * U j r) + if Nat.eqb i j then d i else 0.

(** ** Their operations and what they give *)

Lemma each_gives n f j : (j < n)%nat -> gives (each n f) j = gives (f j).
Proof.
  induction n as [|n IH]; intros L; [lia|]. cbn [each]. unfold go, gives at 1. simpl. destruct (Nat.eqb_spec j n) as [->|N]; [easy|].
  apply IH. lia.
Qed.

Lemma each_operations n f k : (forall j, (j < n)%nat -> operations (f j) = k) -> operations (each n f) = (n * k)%nat.
Proof.
  induction n as [|n IH]; intros H; [easy|]. cbn [each]. unfold go, operations at 1. cbn [snd].
  change (snd (f n)) with (operations (f n)). rewrite IH by auto. rewrite (H n) by lia. simpl. lia.
Qed.

Lemma total_gives n f : gives (total n f) = sum n f.
Proof.
  induction n as [|[|n] IH]; [easy | unfold gives; simpl; ring |]. change (gives (total (S n) f) + f (S n) = sum (S n) f + f (S n)).
  now rewrite IH.
Qed.

Lemma total_operations n f : operations (total n f) = (n - 1)%nat.
Proof.
  induction n as [|[|n] IH]; [easy | easy |]. change (operations (total (S n) f) + 1 = S (S n) - 1)%nat. rewrite IH. lia.
Qed.

Lemma maximum_operations n f : operations (maximum n f) = (n - 1)%nat.
Proof.
  induction n as [|[|n] IH]; [easy | easy |]. change (operations (maximum (S n) f) + 1 = S (S n) - 1)%nat. rewrite IH. lia.
Qed.

Lemma go_gives {A B} (m : counted A) (k : A -> counted B) : gives (go m k) = gives (k (gives m)).
Proof. easy. Qed.

Lemma go_operations {A B} (m : counted A) (k : A -> counted B) :
  operations (go m k) = (operations m + operations (k (gives m)))%nat.
Proof. easy. Qed.

Lemma dividing_gives x y : gives (dividing x y) = x / y.
Proof. easy. Qed.

Lemma product_gives n f g : gives (product n f g) = sum n (fun i => f i * g i).
Proof.
  unfold product. rewrite go_gives, total_gives. apply sum_ext. intros i L. now rewrite each_gives.
Qed.

Lemma product_operations n f g : operations (product n f g) = (n + (n - 1))%nat.
Proof. unfold product. rewrite go_operations, total_operations, (each_operations _ _ 1) by easy. lia. Qed.

Hypothesis some_token : (0 < V)%nat.

Lemma tilt_gives q c tau : gives (tilt q c tau) = score V q c / tau.
Proof. unfold tilt. rewrite go_gives, product_gives. easy. Qed.

Lemma tilt_operations q c tau : operations (tilt q c tau) = (2 * V)%nat.
Proof. unfold tilt. rewrite go_operations, product_operations. simpl. lia. Qed.

Lemma ones : sum V (fun _ => 1) = INR V.
Proof. rewrite sum_constant. ring. Qed.

(** Per step the linear-time forms take at most 8V operations (affine and exponential) and 6V (normalised), the first-order form
    of rank R at most (4R + 7)V; Algorithm 1 with a dense M takes from V² to 2V², and from |I|V to 2|I|V on the rows of the
    tokens I that carry draft mass; all give what they should. *)
Theorem rdk_linear_time (q c pi lam d : nat -> R) (U M : nat -> nat -> R) (tau : R) (rank : nat) :
  law V q -> law V pi -> (0 < rank)%nat ->
  let s := score V q c in
  let I := listed V (drafted q) in
  ((forall j, (j < V)%nat -> gives (affine_map q c pi tau) j = affine V s tau pi j) /\
   (operations (affine_map q c pi tau) <= 8 * V)%nat) /\
  ((forall j, (j < V)%nat -> gives (normalised_map q c pi tau) j = normalised V s tau pi j) /\
   (operations (normalised_map q c pi tau) <= 6 * V)%nat) /\
  ((forall j, (j < V)%nat -> gives (exponential_map q c pi tau) j = exponential V s tau pi j) /\
   (operations (exponential_map q c pi tau) <= 8 * V)%nat) /\
  ((forall j, (j < V)%nat -> gives (first_order_map rank U lam d q tau) j = first_order V q (factors rank U lam d) tau j) /\
   (operations (first_order_map rank U lam d q tau) <= (4 * rank + 7) * V)%nat) /\
  ((forall j, (j < V)%nat -> gives (dense_map q M) j = image V q M j) /\
   (V * V <= operations (dense_map q M) <= 2 * (V * V))%nat) /\
  ((forall j, (j < V)%nat -> gives (rows_map I q M) j = image V q M j) /\
   (length I * V <= operations (rows_map I q M) <= 2 * (length I * V))%nat).
Proof.
  intros Q P Rk s I. assert (NV : INR V <> 0) by (apply not_0_INR; lia).
  split; [|split; [|split; [|split; [|split]]]].
  - split.
    + intros j L. unfold affine_map. rewrite go_gives, each_gives, tilt_gives by easy. cbn [go gives fst adding subtracting multiplying dividing].
      fold s. unfold affine. set (t := s / tau). field. easy.
    + unfold affine_map. rewrite go_operations, tilt_operations, (each_operations _ _ 6) by easy. lia.
  - split.
    + intros j L. unfold normalised_map. rewrite !go_gives, each_gives, tilt_gives by easy.
      cbn [go gives fst adding subtracting multiplying dividing]. fold s. unfold normalised. destruct P as [_ One].
      rewrite sum_plus, sum_scale, One, ones. f_equal. ring.
    + unfold normalised_map. rewrite !go_operations, tilt_operations, (each_operations _ _ 3) by easy. simpl. lia.
  - split.
    + intros j L. unfold exponential_map. rewrite !go_gives.
      set (z := gives (each V (fun k => multiplying (gives (tilt q c tau)) (pi k)))). set (m := gives (maximum V z)).
      rewrite each_gives by easy.
      rewrite total_gives, dividing_gives, each_gives by easy.
      assert (Z : forall k, (k < V)%nat -> z k = s / tau * pi k) by (intros k K; unfold z; now rewrite each_gives, tilt_gives).
      rewrite (sum_ext V _ (fun k => exp (- m) * exp (s / tau * pi k))).
      2: { intros k K. rewrite each_gives by easy. cbn [go gives fst subtracting exponentiating]. rewrite Z, <- exp_plus by easy. f_equal. ring. }
      cbn [go gives fst subtracting exponentiating]. rewrite Z, sum_scale by easy. unfold exponential, softmax.
      replace (s / tau * pi j - m) with (- m + s / tau * pi j) by ring. rewrite exp_plus. field.
      split; apply Rgt_not_eq; [apply weights_positive; easy | apply exp_pos].
    + unfold exponential_map. rewrite !go_operations, tilt_operations, maximum_operations, total_operations.
      rewrite (each_operations _ _ 1), (each_operations _ _ 2), (each_operations _ _ 1) by easy. lia.
  - split.
    + intros j L. unfold first_order_map. rewrite !go_gives.
      set (w := gives (each rank _)). set (u := gives (each V (fun k => go (product rank w (U k)) _))). rewrite each_gives by easy.
      assert (E : forall k, (k < V)%nat -> u k = image V q (factors rank U lam d) k).
      { intros k K. unfold u. rewrite each_gives by easy. rewrite !go_gives, product_gives. cbn [gives fst adding multiplying].
        unfold image, factors. rewrite (sum_ext V (fun i => q i * _)
          (fun i => sum rank (fun r => q i * (U i r * lam r * U k r)) + (if Nat.eqb i k then q i * d i else 0))).
        - rewrite sum_plus, (sum_point V (fun i => q i * d i)), sum_swap by easy. f_equal. apply sum_ext. intros r Lr. unfold w.
          rewrite each_gives, go_gives, product_gives by easy. cbn [gives fst multiplying]. rewrite <- !sum_scale_right.
          apply sum_ext. intros i _. ring.
        - intros i _. rewrite Rmult_plus_distr_l, <- sum_scale. f_equal. destruct (Nat.eqb i k); ring. }
      cbn [go gives fst adding subtracting multiplying dividing]. rewrite total_gives, (sum_ext V u (image V q (factors rank U lam d))) by easy.
      rewrite E by easy. unfold first_order. set (t := _ / tau). field. easy.
    + unfold first_order_map. rewrite !go_operations, total_operations. rewrite (each_operations _ _ (V + (V - 1) + 1)).
      2: { intros r _. now rewrite go_operations, product_operations. }
      rewrite (each_operations _ _ (rank + (rank - 1) + 2)).
      2: { intros j _. now rewrite go_operations, product_operations. }
      rewrite (each_operations _ _ 4) by easy. cbn [operations snd dividing].
      destruct V as [|n]; [lia|]. destruct rank as [|r]; [lia|]. nia.
  - split.
    + intros j L. unfold dense_map. now rewrite each_gives, product_gives.
    + unfold dense_map. rewrite (each_operations _ _ (V + (V - 1))) by (intros; apply product_operations).
      destruct V as [|n]; [lia|]. nia.
  - split.
    + intros j L. unfold rows_map. rewrite each_gives, product_gives by easy.
      unfold I. rewrite <- (sum_listed V (drafted q) (fun x => q x * M x j)). apply sum_ext. intros x X. unfold drafted.
      destruct (Rlt_dec 0 (q x)) as [|N]; [easy|]. assert (q x = 0) as ->; [|ring]. pose proof (law_nonneg V q x Q X). lra.
    + unfold rows_map. rewrite (each_operations _ _ (length I + (length I - 1))) by (intros; apply product_operations).
      assert (0 < length I)%nat; [|destruct (length I) as [|k]; [lia | nia]].
      destruct (length I) eqn:E; [|lia]. exfalso. pose proof (sum_listed V (drafted q) q) as S. fold I in S. rewrite E in S.
      destruct Q as [Q0 Q1]. assert (A : sum V q = 0).
      { transitivity (sum V (fun x => if drafted q x then q x else 0)); [|exact S]. apply sum_ext. intros x X. unfold drafted.
        specialize (Q0 x X). destruct (Rlt_dec 0 (q x)); lra. }
      lra.
Qed.

End Maps.

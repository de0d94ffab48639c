(** Trees of which only a child's number matters (Sequoia, Chen et al. 2024): child number j of any node that is reached is accepted
    with a probability of its own. *)

Require Import Reals Lra Lia List Arith Psatz.
Require Import laws lossless tree.
Import ListNotations.
Open Scope R_scope.

Section Arities.

(** With which probability each child is accepted, the first one first. *)
Variable a : nat -> R.

(** How many drafts are accepted from a node on, whose children from number j on are left: one of them is, or none. *)
Definition scaled (w : R) (d : program nat) : program nat := map (fun vb => (w * fst vb, snd vb)) d.
Fixpoint walk (s : shape) (j : nat) : program nat :=
  match s with
  | Nothing => [(1 - sum j a, 0%nat)]
  | Child below after => scaled (a j) (n <- walk below 0 ;; ret (S n)) ++ walk after (S j)
  end.
Definition accepted (s : shape) : R := expect (walk s 0) INR.

Fixpoint size (s : shape) : nat := match s with Nothing => O | Child below after => S (size below + size after) end.

(** No node has more than K children; left more at this one. *)
Fixpoint narrow (K left : nat) (s : shape) : Prop :=
  match s, left with
  | Nothing, _ => True
  | Child below after, S fewer => narrow K K below /\ narrow K fewer after
  | Child _ _, O => False
  end.

(** The full tree of some levels with K children at each node. *)
Fixpoint row (k : nat) (below : shape) : shape := match k with O => Nothing | S fewer => Child below (row fewer below) end.
Fixpoint full (K levels : nat) : shape := match levels with O => Nothing | S fewer => row K (full K fewer) end.

Fixpoint worth (s : shape) (j : nat) : R :=
  match s with Nothing => 0 | Child below after => a j * (1 + worth below 0) + worth after (S j) end.

Lemma walk_sure s : forall j, expect (walk s j) (fun _ => 1) = 1 - sum j a.
Proof.
  induction s as [|below IHb after IHa]; intros j; cbn [walk]; [simpl; ring|].
  unfold scaled. rewrite expect_app, expect_scaled, IHa, expect_bind. cbn [sum].
  rewrite (expect_ext _ _ (fun _ => 1)) by (intros; now rewrite expect_ret). rewrite IHb. simpl. ring.
Qed.

Lemma walk_worth s : forall j, expect (walk s j) INR = worth s j.
Proof.
  induction s as [|below IHb after IHa]; intros j; cbn [walk worth]; [simpl; ring|].
  unfold scaled. rewrite expect_app, expect_scaled, IHa, expect_bind. f_equal. f_equal.
  rewrite (expect_ext _ _ (fun n => 1 + INR n)) by (intros n; rewrite expect_ret, S_INR; ring).
  rewrite expect_plus, IHb, walk_sure. simpl. ring.
Qed.

Lemma accepted_worth s : accepted s = worth s 0.
Proof. apply walk_worth. Qed.

Hypothesis a_nonneg : forall j, 0 <= a j.

(** A tree in which no node has more than K children accepts A/(1 - A) on average at most, A the sum of the first K
    probabilities, below 1, however many nodes it has. *)
Theorem tree_fixed_arity K s : let A := sum K a in A < 1 -> narrow K K s -> accepted s <= A / (1 - A).
Proof.
  intros A A1 N. rewrite accepted_worth. set (B := A / (1 - A)).
  assert (AN : 0 <= A) by (apply sum_nonneg; intros; apply a_nonneg).
  assert (E : A * (1 + B) = B) by (unfold B; field; lra).
  assert (BN : 0 <= B) by (apply Rmult_le_pos; [easy | left; apply Rinv_0_lt_compat; lra]).
  assert (G : forall t left j, narrow K left t -> (left + j = K)%nat -> worth t j <= (A - sum j a) * (1 + B)).
  { induction t as [|below IHb after IHa]; intros left j H L.
    - simpl. apply Rmult_le_pos; [|lra]. assert (M : sum j a <= A); [|lra]. unfold A. clear - a_nonneg L.
      rewrite <- L. clear L. induction left as [|n IH]; [simpl; lra|]. simpl. pose proof (a_nonneg (n + j)). lra.
    - destruct left as [|left]; [easy|]. destruct H as [Hb Ha]. cbn [worth].
      specialize (IHb K 0%nat Hb ltac:(lia)). specialize (IHa left (S j) Ha ltac:(lia)). cbn [sum] in IHa, IHb.
      rewrite Rminus_0_r, E in IHb. pose proof (a_nonneg j).
      assert (a j * (1 + worth below 0) <= a j * (1 + B)) by (apply Rmult_le_compat_l; lra). lra. }
  specialize (G s K 0%nat N ltac:(lia)). cbn [sum] in G. rewrite Rminus_0_r, E in G. exact G.
Qed.

Lemma row_worth k below j : worth (row k below) j = (sum (j + k) a - sum j a) * (1 + worth below 0).
Proof.
  revert j. induction k as [|k IH]; intros j; cbn [row worth]; [rewrite Nat.add_0_r; ring|].
  rewrite IH. replace (S j + k)%nat with (j + S k)%nat by lia. cbn [sum]. ring.
Qed.

(** Where the first K probabilities fall short of 1 by e >= 0, the full tree of D levels with K children accepts D (1 - D e) on
    average at least. *)
Theorem tree_full_tree K D : let e := 1 - sum K a in 0 <= e -> INR D * (1 - INR D * e) <= accepted (full K D).
Proof.
  intros e E. rewrite accepted_worth. assert (AN : 0 <= sum K a) by (apply sum_nonneg; intros; apply a_nonneg).
  induction D as [|D IH]; [simpl; lra|]. cbn [full]. rewrite row_worth, S_INR. cbn [Nat.add sum]. rewrite Rminus_0_r.
  replace (sum K a) with (1 - e) in * by (unfold e; ring). pose proof (pos_INR D) as N. set (d := INR D) in *.
  apply (Rle_trans _ ((1 - e) * (1 + d * (1 - d * e)))).
  - assert (0 <= e * d) by now apply Rmult_le_pos. assert (0 <= (e * d) * (e * d)) by now apply Rmult_le_pos. nra.
  - apply Rmult_le_compat_l; lra.
Qed.

(** ** The best tree *)

(** The most that trees of n nodes accept. *)
Definition is_most (n : nat) (v : R) : Prop :=
  (exists s, size s = n /\ accepted s = v) /\ forall s, size s = n -> accepted s <= v.

(** What a split into parts gives, from child number j on: each part is a child and what is below it. *)
Fixpoint split_worth (F : nat -> R) (j : nat) (parts : list nat) : R :=
  match parts with [] => 0 | n :: more => a j * (1 + F (n - 1)%nat) + split_worth F (S j) more end.
Definition is_split (n : nat) (parts : list nat) : Prop := Forall (fun part => (0 < part)%nat) parts /\ fold_right Nat.add O parts = n.

(** All trees of n nodes. *)
Fixpoint shapes (fuel n : nat) : list shape :=
  match fuel with
  | O => [Nothing]
  | S fewer =>
      match n with
      | O => [Nothing]
      | S m => flat_map (fun k => flat_map (fun below => map (Child below) (shapes fewer (m - k))) (shapes fewer k)) (seq 0 (S m))
      end
  end.

Lemma shapes_iff fuel : forall n s, (n <= fuel)%nat -> (In s (shapes fuel n) <-> size s = n).
Proof.
  induction fuel as [|fewer IH]; intros n s L.
  - replace n with 0%nat by lia. simpl. split; [intros [<-|[]]; easy|]. destruct s; [auto | easy].
  - destruct n as [|m]; [simpl; split; [intros [<-|[]]; easy | destruct s; [auto | easy]]|]. cbn [shapes]. rewrite in_flat_map. split.
    + intros [k [K H]]. apply in_seq in K. apply in_flat_map in H as [below [B H]]. apply in_map_iff in H as [after [<- C]].
      apply IH in B; [|lia]. apply IH in C; [|lia]. simpl. lia.
    + destruct s as [|below after]; [easy|]. cbn [size]. intros E. exists (size below). split; [apply in_seq; lia|].
      apply in_flat_map. exists below. split; [apply IH; lia|]. apply in_map, IH; lia.
Qed.

Lemma some_largest (f : shape -> R) l : l <> [] -> exists s, In s l /\ forall t, In t l -> f t <= f s.
Proof.
  induction l as [|t l IH]; [easy|]. intros _. destruct l as [|u l]; [exists t; split; [now left | intros t' [<-|[]]; lra]|].
  destruct IH as [s [I M]]; [easy|]. destruct (Rle_lt_dec (f t) (f s)) as [H|H].
  - exists s. split; [now right|]. intros t' [<-|J]; [easy | now apply M].
  - exists t. split; [now left|]. intros t' [<-|J]; [lra|]. specialize (M t' J). lra.
Qed.

Fixpoint line (n : nat) : shape := match n with O => Nothing | S m => Child (line m) Nothing end.

Lemma most_exists n : exists v, is_most n v.
Proof.
  destruct (some_largest accepted (shapes n n)) as [s [I M]].
  - assert (H : In (line n) (shapes n n)).
    { apply shapes_iff; [lia|]. induction n as [|n IH]; [easy|]. simpl. rewrite IH. lia. }
    intros E. now rewrite E in H.
  - exists (accepted s). apply shapes_iff in I; [|lia]. split; [now exists s|]. intros t T. apply M, shapes_iff; [lia | easy].
Qed.

Fixpoint parts_of (s : shape) : list nat := match s with Nothing => [] | Child below after => S (size below) :: parts_of after end.

Lemma parts_split s : is_split (size s) (parts_of s).
Proof.
  induction s as [|below _ after [P S]]; [split; [constructor | easy]|]. split; [constructor; [lia | exact P]|]. simpl. rewrite S. lia.
Qed.

Section Best.

Variable F : nat -> R.
Hypothesis F_most : forall n, is_most n (F n).

Lemma worth_parts s j : worth s j <= split_worth F j (parts_of s).
Proof.
  revert j. induction s as [|below _ after IHa]; intros j; cbn [worth parts_of split_worth]; [lra|].
  apply Rplus_le_compat; [|apply IHa]. apply Rmult_le_compat_l; [apply a_nonneg|]. apply Rplus_le_compat_l.
  replace (S (size below) - 1)%nat with (size below) by lia. rewrite <- accepted_worth. now apply F_most.
Qed.

Lemma split_tree parts : Forall (fun part => (0 < part)%nat) parts ->
  forall j, exists s, size s = fold_right Nat.add O parts /\ worth s j = split_worth F j parts.
Proof.
  induction 1 as [|n more P _ IH]; intros j; [now exists Nothing|]. destruct (IH (S j)) as [after [S W]].
  destruct (F_most (n - 1)) as [[below [B V]] _]. exists (Child below after). cbn [size worth fold_right split_worth]. split; [lia|].
  now rewrite <- accepted_worth, V, W.
Qed.

Lemma recursion n : (exists parts, is_split n parts /\ F n = split_worth F 0 parts) /\
  forall parts, is_split n parts -> split_worth F 0 parts <= F n.
Proof.
  assert (Most : forall parts, is_split n parts -> split_worth F 0 parts <= F n).
  { intros parts [P S]. destruct (split_tree parts P 0) as [s [E W]]. rewrite <- W, <- accepted_worth. apply F_most. congruence. }
  split; [|exact Most]. destruct (F_most n) as [[s [E V]] _]. exists (parts_of s). pose proof (parts_split s) as P. rewrite E in P.
  split; [exact P|]. apply Rle_antisym; [|now apply Most]. rewrite <- V, accepted_worth. apply worth_parts.
Qed.

End Best.

(** What the best tree of n nodes accepts, F(n), exists, and F(0) = 0 and F(n) = max Σⱼ aⱼ (1 + F(nⱼ - 1)) over the splits of n into
    positive parts n₁ + n₂ + …: one split gives it, and none gives more. *)
Theorem tree_sequoia_dp : (forall n, exists v, is_most n v) /\
  forall F, (forall n, is_most n (F n)) -> F 0%nat = 0 /\
    forall n, (exists parts, is_split n parts /\ F n = split_worth F 0 parts) /\
      forall parts, is_split n parts -> split_worth F 0 parts <= F n.
Proof.
  split; [exact most_exists|]. intros F M. split; [|intros n; now apply recursion].
  destruct (M 0%nat) as [[s [E V]] _]. destruct s; [|easy]. rewrite <- V, accepted_worth. easy.
Qed.

End Arities.

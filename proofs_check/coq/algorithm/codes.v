(** SQS: how many bits sets of tokens and lattice points take, and when fewer tokens save bits. *)

Require Import Reals Lra Lia List Arith ZArith Psatz FinFun.
Require Import laws sqs lattice distortion positive thresholds best.
Import ListNotations.
Open Scope R_scope.

(** * Codes of a fixed length *)

Definition fixed_code {A} (messages : list A) (bits : nat) (code : A -> list bool) : Prop :=
  (forall a, In a messages -> length (code a) = bits) /\
  (forall a b, In a messages -> In b messages -> code a = code b -> a = b).

Fixpoint bit_words (n : nat) : list (list bool) :=
  match n with O => [[]] | S m => map (cons false) (bit_words m) ++ map (cons true) (bit_words m) end.

Lemma bit_words_length n : length (bit_words n) = (2 ^ n)%nat.
Proof. induction n as [|n IH]; [easy|]. cbn [bit_words]. rewrite app_length, !map_length, IH. simpl. lia. Qed.

Lemma in_bit_words n : forall w, In w (bit_words n) <-> length w = n.
Proof.
  induction n as [|n IH]; intros w; cbn [bit_words].
  - destruct w; simpl; split; try easy; [now left | intros [H|[]]; easy].
  - rewrite in_app_iff, !in_map_iff. split.
    + intros [[v [<- H]]|[v [<- H]]]; apply IH in H; simpl; lia.
    + destruct w as [|[|] w]; simpl; intros H; [easy | right | left]; exists w; (split; [easy | apply IH; lia]).
Qed.

Lemma once_map_cons {A} (a : A) l : NoDup l -> NoDup (map (cons a) l).
Proof. intros H. apply Injective_map_NoDup; [|exact H]. intros x y E. now inversion E. Qed.

Lemma once_app {A} (l m : list A) : NoDup l -> NoDup m -> (forall a, In a l -> In a m -> False) -> NoDup (l ++ m).
Proof.
  intros L M D. induction L as [|a l N L IH]; [exact M|]. simpl. constructor.
  - rewrite in_app_iff. intros [H|H]; [easy | apply (D a); [now left | exact H]].
  - apply IH. intros b B. apply D. now right.
Qed.

Lemma bit_words_once n : NoDup (bit_words n).
Proof.
  induction n as [|n IH]; [repeat constructor; easy|]. cbn [bit_words].
  apply once_app; [now apply once_map_cons | now apply once_map_cons |].
  intros w H G. apply in_map_iff in H as [v [<- _]]. apply in_map_iff in G as [u [E _]]. easy.
Qed.

(** Codes of fewer bits than ⌈log₂⌉ of the number of messages do not tell them apart. *)
Lemma code_needs {A} (messages : list A) bits code : NoDup messages -> messages <> [] -> fixed_code messages bits code ->
  (Nat.log2_up (length messages) <= bits)%nat.
Proof.
  intros N Some [L I]. apply Nat.log2_up_le_pow2; [destruct messages; [easy | simpl; lia]|].
  rewrite <- bit_words_length, <- (map_length code). apply NoDup_incl_length.
  - clear Some. induction N as [|a l Out N IH]; [constructor|]. simpl. constructor.
    + rewrite in_map_iff. intros [b [E B]]. apply Out. rewrite (I a b) by (try (now left); try (now right); easy). exact B.
    + apply IH; [intros; apply L; now right | intros; apply I; now right || easy].
  - intros w W. apply in_map_iff in W as [a [<- H]]. apply in_bit_words. now apply L.
Qed.

Section Position.

Context {A : Type}.
Variable decide : forall a b : A, {a = b} + {a <> b}.

Fixpoint position (a : A) (l : list A) : nat :=
  match l with [] => O | b :: more => if decide a b then O else S (position a more) end.

Lemma position_nth a l d : In a l -> (position a l < length l)%nat /\ nth (position a l) l d = a.
Proof.
  induction l as [|b l IH]; intros H; [easy|]. simpl. destruct (decide a b) as [->|N]; [split; [lia | easy]|].
  destruct H as [->|H]; [easy|]. destruct (IH H). split; [lia | easy].
Qed.

Definition numbered (messages : list A) (bits : nat) (a : A) : list bool := nth (position a messages) (bit_words bits) [].

Lemma numbered_code messages bits : (length messages <= 2 ^ bits)%nat -> fixed_code messages bits (numbered messages bits).
Proof.
  intros L. split.
  - intros a H. apply in_bit_words. apply nth_In. rewrite bit_words_length.
    destruct (position_nth a messages a H). lia.
  - intros a b H G E. destruct (position_nth a messages a H) as [P Na], (position_nth b messages a G) as [Q Nb].
    rewrite <- Na, <- Nb. f_equal. apply (NoDup_nth (bit_words bits) []); [apply bit_words_once | | | exact E];
      rewrite bit_words_length; lia.
Qed.

Lemma numbered_least messages : messages <> [] ->
  fixed_code messages (Nat.log2_up (length messages)) (numbered messages (Nat.log2_up (length messages))).
Proof.
  intros N. apply numbered_code. apply Nat.log2_up_le_pow2; [destruct messages; [easy | simpl; lia] | easy].
Qed.

End Position.

(** * How many lattice points, and how many sets *)

Fixpoint combinations (n k : nat) : nat :=
  match n, k with _, O => 1 | O, S _ => 0 | S m, S j => combinations m j + combinations m k end.

Lemma combinations_above n k : (n < k)%nat -> combinations n k = 0%nat.
Proof.
  revert k. induction n as [|n IH]; intros [|k] L; try lia; [easy|]. simpl. rewrite !IH by lia. easy.
Qed.

Lemma combinations_all n : combinations n n = 1%nat.
Proof. induction n as [|n IH]; [easy|]. simpl. rewrite IH, combinations_above by lia. easy. Qed.

Lemma combinations_none n : combinations n 0 = 1%nat.
Proof. now destruct n. Qed.

(** The binomial coefficients of Coq's library. *)
Lemma combinations_C n : forall k, (k <= n)%nat -> INR (combinations n k) = C n k.
Proof.
  assert (Zero : forall m, C m 0 = 1).
  { intros m. unfold C. rewrite Nat.sub_0_r. simpl fact. pose proof (INR_fact_neq_0 m). simpl. field. easy. }
  assert (All : forall m, C m m = 1).
  { intros m. unfold C. rewrite Nat.sub_diag. simpl (fact 0). pose proof (INR_fact_neq_0 m). simpl. field. easy. }
  induction n as [|n IH]; intros [|k] L; try lia; [now rewrite Zero | now rewrite Zero |].
  cbn [combinations]. destruct (Nat.eq_dec k n) as [->|N].
  - rewrite combinations_all, combinations_above, All by lia. easy.
  - rewrite plus_INR, IH, IH by lia. apply pascal. lia.
Qed.

(** K whole numbers whose sum is l. *)
Fixpoint lattice_points (K l : nat) : list (list nat) :=
  match K with
  | O => if Nat.eqb l 0 then [[]] else []
  | S j => flat_map (fun c => map (cons c) (lattice_points j (l - c))) (seq 0 (S l))
  end.

Lemma in_points K : forall l c, In c (lattice_points K l) <-> length c = K /\ list_sum c = l.
Proof.
  induction K as [|K IH]; intros l c.
  - simpl. destruct (Nat.eqb_spec l 0) as [->|N]; destruct c; simpl; split; try easy; try (now left).
    + intros [H|[]]; easy.
    + intros [_ H]. lia.
  - cbn [lattice_points]. rewrite in_flat_map. split.
    + intros [n [N H]]. apply in_map_iff in H as [d [<- H]]. apply IH in H as [H G]. apply in_seq in N. simpl. lia.
    + destruct c as [|n d]; simpl; intros [H G]; [easy|]. exists n. split; [apply (proj2 (in_seq (S l) 0 n)); lia|].
      apply in_map. apply IH. lia.
Qed.

Lemma once_flat_map {A B} (f : A -> list B) l : NoDup l -> (forall a, In a l -> NoDup (f a)) ->
  (forall a b x, In x (f a) -> In x (f b) -> a = b) -> NoDup (flat_map f l).
Proof.
  intros N. induction N as [|a l Out N IH]; intros F D; [constructor|]. simpl. apply once_app.
  - apply F. now left.
  - apply IH; [intros; apply F; now right | exact D].
  - intros x X Y. apply in_flat_map in Y as [b [I Y]]. apply Out. now rewrite (D a b x X Y).
Qed.

Lemma points_once K : forall l, NoDup (lattice_points K l).
Proof.
  induction K as [|K IH]; intros l; cbn [lattice_points]; [destruct (Nat.eqb l 0); repeat constructor; easy|].
  apply once_flat_map; [apply seq_NoDup | intros; now apply once_map_cons |].
  intros a b x X Y. apply in_map_iff in X as [u [<- _]]. apply in_map_iff in Y as [v [E _]]. now inversion E.
Qed.

Lemma points_shift K l : length (lattice_points (S K) (S l)) =
  (length (lattice_points K (S l)) + length (lattice_points (S K) l))%nat.
Proof.
  cbn [lattice_points]. change (seq 0 (S (S l))) with (0%nat :: seq 1 (S l)). rewrite <- seq_shift.
  cbn [flat_map]. rewrite app_length, map_length, Nat.sub_0_r. f_equal.
  induction (seq 0 (S l)) as [|c more IH]; [easy|]. cbn [map flat_map]. now rewrite !app_length, !map_length, IH.
Qed.

(** Stars and bars. *)
Lemma points_count K : forall l, length (lattice_points (S K) l) = combinations (l + K) K.
Proof.
  induction K as [|K IH]; intros l.
  - rewrite combinations_none. induction l as [|l J]; [easy|]. rewrite points_shift, J. easy.
  - induction l as [|l J].
    + rewrite combinations_all. cbn [lattice_points seq flat_map]. rewrite app_nil_r, map_length, Nat.sub_0_r.
      change (length (lattice_points (S K) 0) = 1%nat). rewrite IH. apply combinations_all.
    + rewrite points_shift, IH, J. replace (S l + K)%nat with (l + S K)%nat by lia. easy.
Qed.

(** Sets of K of V tokens, as V marks. *)
Fixpoint subsets (V K : nat) : list (list bool) :=
  match V with
  | O => if Nat.eqb K 0 then [[]] else []
  | S v => map (cons false) (subsets v K) ++ match K with O => [] | S j => map (cons true) (subsets v j) end
  end.

Definition marked (s : list bool) : nat := length (filter (fun b => b) s).
Definition mask (s : list bool) (x : nat) : bool := nth x s false.

Lemma in_subsets V : forall K s, In s (subsets V K) <-> length s = V /\ marked s = K.
Proof.
  induction V as [|V IH]; intros K s; cbn [subsets].
  - destruct (Nat.eqb_spec K 0) as [->|N]; destruct s; simpl; split; try easy; try (now left).
    + intros [H|[]]; easy.
    + intros [_ H]. unfold marked in H. simpl in H. lia.
  - rewrite in_app_iff, in_map_iff. destruct s as [|[|] s].
    + split; [|now intros [H _]]. intros [[u [E _]]|H]; [easy|]. destruct K; [easy|]. apply in_map_iff in H as [u [E _]]. easy.
    + unfold marked. simpl. split.
      * intros [[u [E _]]|H]; [easy|]. destruct K; [easy|]. apply in_map_iff in H as [u [E H]]. inversion E; subst.
        apply IH in H as [H G]. unfold marked in G. lia.
      * intros [H G]. right. destruct K; [easy|]. apply in_map. apply IH. unfold marked. lia.
    + unfold marked. simpl. split.
      * intros [[u [E H]]|H]; [inversion E; subst; apply IH in H as [H G]; unfold marked in G; lia|].
        destruct K; [easy|]. apply in_map_iff in H as [u [E _]]. easy.
      * intros [H G]. left. exists s. split; [easy|]. apply IH. unfold marked. lia.
Qed.

Lemma subsets_once V : forall K, NoDup (subsets V K).
Proof.
  induction V as [|V IH]; intros K; cbn [subsets]; [destruct (Nat.eqb K 0); repeat constructor; easy|].
  apply once_app; [now apply once_map_cons | destruct K; [constructor | now apply once_map_cons] |].
  intros s H G. apply in_map_iff in H as [u [<- _]]. destruct K; [easy|]. apply in_map_iff in G as [v [E _]]. easy.
Qed.

Lemma subsets_count V : forall K, length (subsets V K) = combinations V K.
Proof.
  induction V as [|V IH]; intros K; cbn [subsets]; [now destruct K|].
  rewrite app_length, map_length, IH. destruct K as [|K]; [simpl; now rewrite combinations_none|].
  rewrite map_length, IH. simpl. lia.
Qed.

(** * What the quantiser sends *)

Lemma list_sum_map (f : nat -> nat) n : INR (list_sum (map f (seq 0 n))) = sum n (fun x => INR (f x)).
Proof.
  induction n as [|n IH]; [easy|]. rewrite seq_S, map_app, list_sum_app, plus_INR, IH. simpl. rewrite Nat.add_0_r. easy.
Qed.

Lemma nth_map_seq (f : nat -> nat) n x : (x < n)%nat -> nth x (map f (seq 0 n)) 0%nat = f x.
Proof.
  intros L. rewrite (nth_indep _ 0%nat (f 0%nat)) by (now rewrite map_length, seq_length).
  rewrite map_nth, seq_nth by easy. easy.
Qed.

Lemma list_sum_nth c : INR (list_sum c) = sum (length c) (fun x => INR (nth x c 0%nat)).
Proof.
  rewrite <- list_sum_map. do 2 f_equal. apply (nth_ext _ _ 0%nat 0%nat); [now rewrite map_length, seq_length|].
  intros x L. now rewrite nth_map_seq.
Qed.

Lemma counts_on_lattice K l q : (0 < l)%nat -> law K q -> exists c, In c (lattice_points K l) /\
  forall x, (x < K)%nat -> counts K l q x = INR (nth x c 0%nat).
Proof.
  intros L Q. set (f := fun x => Z.to_nat (Int_part (counts K l q x))).
  assert (F : forall x, (x < K)%nat -> INR (f x) = counts K l q x).
  { intros x X. destruct (counts_whole K l q x) as [z E]. unfold f. rewrite E, (whole_part_of (IZR z) z) by lra.
    pose proof (counts_nonneg K l q Q x X) as N. rewrite E in *. apply le_IZR in N.
    rewrite INR_IZR_INZ, Z2Nat.id; easy. }
  exists (map f (seq 0 K)). split.
  - apply in_points. split; [now rewrite map_length, seq_length|]. apply INR_eq.
    rewrite list_sum_map, (sum_ext K _ (counts K l q)) by easy. now apply counts_sum.
  - intros x X. now rewrite nth_map_seq, F.
Qed.

(** A lattice point is rounded to itself. *)
Lemma lattice_kept K l c : (0 < l)%nat -> In c (lattice_points K l) -> let q x := INR (nth x c 0%nat) / INR l in
  law K q /\ forall x, (x < K)%nat -> counts K l q x = INR (nth x c 0%nat).
Proof.
  intros L H q. apply in_points in H as [Length Sum]. assert (P : 0 < INR l) by now apply lt_0_INR.
  assert (Q : law K q).
  { split.
    - intros x _. unfold q. apply Rmult_le_pos; [apply pos_INR | left; now apply Rinv_0_lt_compat].
    - unfold q, Rdiv. rewrite sum_scale_right, <- Length, <- list_sum_nth, Sum. field. lra. }
  assert (E : forall x, INR l * q x = INR (nth x c 0%nat)) by (intros; unfold q; field; lra).
  assert (F : forall x, floor (INR l * q x) = INR (nth x c 0%nat)).
  { intros x. unfold floor. rewrite E, INR_IZR_INZ. now rewrite (whole_part_of _ (Z.of_nat (nth x c 0%nat))) by lra. }
  assert (U : units K l q = 0%nat).
  { apply INR_eq. rewrite <- (units_sum K l q Q L). rewrite (sum_ext K _ (fun _ => 0)), sum_zero; [easy|].
    intros x _. unfold remainder. rewrite F, E. ring. }
  split; [exact Q|]. intros x _. unfold counts. rewrite U, F. simpl. ring.
Qed.

Lemma some_points K l : (0 < K)%nat -> lattice_points K l <> [].
Proof.
  intros P E. assert (H : In (l :: repeat 0%nat (K - 1)) (lattice_points K l)); [|now rewrite E in H].
  apply in_points. simpl. rewrite repeat_length. split; [lia|].
  enough (list_sum (repeat 0%nat (K - 1)) = 0%nat) by lia. induction (K - 1)%nat; [easy | simpl; lia].
Qed.

(** The counts that rounding gives over K tokens are the lists of K whole numbers whose sum is ℓ, and each is one;
    they are C(ℓ + K - 1, K - 1); codes of ⌈log₂⌉ of it bits tell them apart, and no code of a fixed length is shorter. *)
Theorem sqs_bits K l : (0 < K)%nat -> (0 < l)%nat ->
  (forall q, law K q -> exists c, In c (lattice_points K l) /\
    forall x, (x < K)%nat -> counts K l q x = INR (nth x c 0%nat)) /\
  (forall c, In c (lattice_points K l) -> exists q, law K q /\
    forall x, (x < K)%nat -> counts K l q x = INR (nth x c 0%nat)) /\
  NoDup (lattice_points K l) /\ INR (length (lattice_points K l)) = C (l + K - 1) (K - 1) /\
  (exists code, fixed_code (lattice_points K l) (Nat.log2_up (length (lattice_points K l))) code) /\
  (forall bits code, fixed_code (lattice_points K l) bits code ->
    (Nat.log2_up (length (lattice_points K l)) <= bits)%nat).
Proof.
  intros P L. split; [intros q Q; now apply counts_on_lattice|]. split.
  { intros c H. exists (fun x => INR (nth x c 0%nat) / INR l). now apply lattice_kept. }
  split; [apply points_once|]. split.
  { destruct K as [|K]; [lia|]. rewrite points_count, combinations_C by lia. f_equal; lia. }
  split.
  - eexists. apply (numbered_least (list_eq_dec Nat.eq_dec)), some_points, P.
  - intros bits code. apply code_needs; [apply points_once | now apply some_points].
Qed.

Lemma size_mask V s : length s = V -> size V (mask s) = marked s.
Proof.
  intros <-. unfold size, listed, marked. induction s as [|b s IH] using rev_ind; [easy|].
  rewrite app_length, Nat.add_1_r, seq_S, !filter_app, !app_length. f_equal.
  - rewrite <- IH. f_equal. apply filter_ext_in. intros x X. apply in_seq in X. unfold mask. now rewrite app_nth1.
  - simpl. unfold mask. rewrite app_nth2, Nat.sub_diag by lia. simpl. now destruct b.
Qed.

Lemma mask_of V kept : exists s, length s = V /\ forall x, (x < V)%nat -> kept x = mask s x.
Proof.
  exists (map kept (seq 0 V)). split; [now rewrite map_length, seq_length|]. intros x L. unfold mask.
  rewrite (nth_indep _ false (kept 0%nat)) by (now rewrite map_length, seq_length).
  rewrite map_nth, seq_nth by easy. easy.
Qed.

Lemma size_ext V a b : (forall x, (x < V)%nat -> a x = b x) -> size V a = size V b.
Proof.
  intros H. unfold size, listed. f_equal. apply filter_ext_in. intros x X. apply in_seq in X. apply H. lia.
Qed.

(** The law that has its mass on a set, evenly. *)
Definition even_on (K : nat) (kept : nat -> bool) (x : nat) : R := if kept x then / INR K else 0.

Lemma even_on_law V kept : (0 < size V kept)%nat -> law V (even_on (size V kept) kept).
Proof.
  intros P. apply lt_0_INR in P. split.
  - intros x _. unfold even_on. destruct (kept x); [left; now apply Rinv_0_lt_compat | lra].
  - unfold even_on. rewrite (sum_listed V kept (fun _ => / INR (size V kept))), sum_constant.
    change (length (listed V kept)) with (size V kept). field. lra.
Qed.

(** Every set of K tokens is what the K likeliest of some law are, and what some threshold keeps of it; they are C(V, K).
    Codes of ⌈log₂ C(V, K)⌉ bits tell them apart and no code of a fixed length is shorter; the sizes 1, …, V take ⌈log₂ V⌉ bits,
    and a code that has the size first takes the sum for all the sets but the empty one. *)
Theorem sqs_subset_bits V K : (0 < K)%nat -> (K <= V)%nat ->
  (forall s, In s (subsets V K) -> exists q, law V q /\ is_top V K q (mask s) /\
    exists beta, forall x, (x < V)%nat -> thresholds.kept V true q beta x = mask s x) /\
  (forall kept, size V kept = K -> exists s, In s (subsets V K) /\ forall x, (x < V)%nat -> kept x = mask s x) /\
  NoDup (subsets V K) /\ INR (length (subsets V K)) = C V K /\
  (exists code, fixed_code (subsets V K) (Nat.log2_up (length (subsets V K))) code) /\
  (forall bits code, fixed_code (subsets V K) bits code -> (Nat.log2_up (length (subsets V K)) <= bits)%nat) /\
  (forall bits code, fixed_code (seq 1 V) bits code -> (Nat.log2_up V <= bits)%nat) /\
  (exists code : list bool -> list bool, (forall J s, (0 < J)%nat -> In s (subsets V J) ->
      length (code s) = (Nat.log2_up V + Nat.log2_up (length (subsets V J)))%nat) /\
    (forall s t, length s = V -> length t = V -> (0 < marked s)%nat -> (0 < marked t)%nat ->
      (firstn (Nat.log2_up V) (code s) = firstn (Nat.log2_up V) (code t) -> marked s = marked t) /\
      (code s = code t -> s = t))).
Proof.
  intros P L. split.
  { intros s H. apply in_subsets in H as [Length Marks]. pose proof (size_mask V s Length) as Size. rewrite Marks in Size.
    assert (Pos : 0 < / INR K) by (apply Rinv_0_lt_compat; now apply lt_0_INR).
    exists (even_on K (mask s)). split; [rewrite <- Size; apply even_on_law; lia|]. split.
    - split; [exact Size|]. intros x y _ _ X Y. unfold even_on. rewrite X, Y. lra.
    - exists (/ INR K). intros x X. unfold thresholds.kept.
      assert (Mass : even_on K (mask s) x = if mask s x then / INR K else 0) by easy.
      destruct (mask s x) eqn:E; destruct (Rle_dec (/ INR K) (even_on K (mask s) x)); try easy; try lra.
      destruct (Nat.eqb_spec x (top V (even_on K (mask s)))) as [T|T]; [|easy].
      exfalso. destruct (top_most V (even_on K (mask s)) ltac:(lia)) as [_ Most]. rewrite <- T in Most.
      rewrite Mass in Most.
      assert (Z : law V (even_on K (mask s))) by (rewrite <- Size; apply even_on_law; lia). destruct Z as [_ One].
      assert (sum V (even_on K (mask s)) <= sum V (fun _ => 0)) by (apply sum_le; intros; now apply Most).
      rewrite sum_zero in *. lra. }
  assert (Some : forall J, (J <= V)%nat -> subsets V J <> []).
  { intros J H E. pose proof (subsets_count V J) as N. rewrite E in N. simpl in N.
    assert (0 < combinations V J)%nat; [|lia]. clear - H. revert J H. induction V as [|v IH]; intros [|J] H; simpl; try lia.
    specialize (IH J ltac:(lia)). lia. }
  split.
  { intros kept H. destruct (mask_of V kept) as [s [Length E]]. exists s. split; [|exact E].
    apply in_subsets. split; [exact Length|]. rewrite <- H, <- (size_mask V s Length). symmetry. now apply size_ext. }
  split; [apply subsets_once|]. split; [rewrite subsets_count; now apply combinations_C|]. split.
  { eexists. apply (numbered_least (list_eq_dec Bool.bool_dec)), Some, L. }
  split; [intros bits code; apply code_needs; [apply subsets_once | now apply Some]|]. split.
  { intros bits code H. apply code_needs in H; [now rewrite seq_length in H | apply seq_NoDup | destruct V; [lia | easy]]. }
  set (first := numbered Nat.eq_dec (seq 1 V) (Nat.log2_up V)).
  set (second := fun J => numbered (list_eq_dec Bool.bool_dec) (subsets V J) (Nat.log2_up (length (subsets V J)))).
  assert (First : fixed_code (seq 1 V) (Nat.log2_up V) first).
  { apply numbered_code. rewrite seq_length. now apply Nat.log2_up_le_pow2; [lia|]. }
  assert (Second : forall J, (J <= V)%nat -> fixed_code (subsets V J) (Nat.log2_up (length (subsets V J))) (second J))
    by (intros; now apply numbered_least, Some).
  assert (Most : forall s, (marked s <= length s)%nat).
  { induction s as [|[|] s IH]; unfold marked in *; simpl; lia. }
  exists (fun s => first (marked s) ++ second (marked s) s). split.
  - intros J s J0 H. pose proof H as G. apply in_subsets in G as [Length <-]. specialize (Most s).
    rewrite app_length. destruct First as [-> _]; [|apply in_seq; lia].
    destruct (Second (marked s)) as [-> _]; [lia | easy | easy].
  - intros s t Ls Lt Ms Mt. pose proof (Most s). pose proof (Most t). destruct First as [Length Apart].
    assert (Lf : length (first (marked s)) = Nat.log2_up V) by (apply Length, in_seq; lia).
    assert (Lg : length (first (marked t)) = Nat.log2_up V) by (apply Length, in_seq; lia).
    assert (Head : firstn (Nat.log2_up V) (first (marked s) ++ second (marked s) s)
        = firstn (Nat.log2_up V) (first (marked t) ++ second (marked t) t) -> marked s = marked t).
    { rewrite <- Lf at 1. rewrite <- Lg at 1. rewrite !firstn_app, !Nat.sub_diag, !firstn_all, !firstn_O, !app_nil_r.
      apply Apart; apply in_seq; lia. }
    split; [exact Head|]. intros E. assert (M : marked s = marked t) by (apply Head; now rewrite E).
    rewrite M in E. apply app_inv_head in E. destruct (Second (marked t) ltac:(lia)) as [_ A].
    apply A; [apply in_subsets; now split | apply in_subsets; now split | exact E].
Qed.

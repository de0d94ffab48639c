(** SQS: at equal bits the lattice over all tokens is, for the law that fares worst, no farther than that over fewer tokens. *)

Require Import Reals Lra Lia List Arith ZArith NArith Bool.
Require Import laws sqs lattice distortion.
Import ListNotations.
Open Scope R_scope.

(** * Code words, and which lattice over all tokens has no more *)

(** n (n - 1) ... over k!, each quotient a whole number. *)
Fixpoint choose (n k : N) (steps : nat) : N :=
  match steps with O => 1%N | S j => (choose n k j * (n - N.of_nat j) / N.of_nat (S j))%N end.
Definition binomial (n k : nat) : N := choose (N.of_nat n) (N.of_nat k) k.

(** Sets of K tokens of V, and points of the lattice at resolution l over them. *)
Definition words (V K l : nat) : N := (binomial V K * binomial (l + K - 1) (K - 1))%N.

(** * Laws that fare badly on the first K tokens *)

(** The first M tokens are likelier, the others equal: u units of the lattice for the first, M/K of a unit more for each. *)
Definition hard_unit (V K l M : nat) : R := INR M / (INR K * INR l + (INR V - INR K) * INR M).
Definition hard (V K l M : nat) (x : nat) : R :=
  if Nat.eqb x 0 then hard_unit V K l M * (1 + (INR l - INR M) * INR K / INR M) else hard_unit V K l M.
Definition flat (V : nat) (x : nat) : R := / INR V.
Definition first (K : nat) (x : nat) : bool := Nat.ltb x K.

(** A set of K tokens, none of which is less likely than any other token. *)
Definition is_top (V K : nat) (q : nat -> R) (kept : nat -> bool) : Prop :=
  size V kept = K /\ forall x y, (x < V)%nat -> (y < V)%nat -> kept x = true -> kept y = false -> q y <= q x.

Lemma filter_all {A} (test : A -> bool) l : (forall a, In a l -> test a = true) -> filter test l = l.
Proof.
  induction l as [|a l IH]; intros H; [easy|]. simpl. rewrite H by now left. f_equal. apply IH. intros b B. apply H. now right.
Qed.
Lemma filter_none {A} (test : A -> bool) l : (forall a, In a l -> test a = false) -> filter test l = [].
Proof.
  induction l as [|a l IH]; intros H; [easy|]. simpl. rewrite H by now left. apply IH. intros b B. apply H. now right.
Qed.

Lemma listed_first V K : (K <= V)%nat -> listed V (first K) = seq 0 K.
Proof.
  intros L. unfold listed. replace V with (K + (V - K))%nat by lia. rewrite seq_app, filter_app, filter_all, filter_none.
  - apply app_nil_r.
  - intros x I. apply in_seq in I. apply Nat.ltb_ge. lia.
  - intros x I. apply in_seq in I. apply Nat.ltb_lt. lia.
Qed.

Lemma size_first V K : (K <= V)%nat -> size V (first K) = K.
Proof. intros L. unfold size. now rewrite listed_first, seq_length. Qed.

(** Of equal remainders the first are rounded up. *)
Lemma argmax_first n m f free c : (forall x, (x < n)%nat -> f x = c) ->
  (forall x, (x < n)%nat -> free x = negb (Nat.ltb x m)) -> argmax n f free = if Nat.ltb m n then Some m else None.
Proof.
  intros F. induction n as [|n IH]; intros H; [easy|]. simpl. rewrite IH by (intros; (apply F || apply H); lia).
  rewrite (H n) by lia. destruct (Nat.ltb_spec m n) as [A|A].
  - destruct (Nat.ltb_spec n m); [lia|]. simpl. destruct (Nat.ltb_spec m (S n)); [|lia].
    rewrite (F n), (F m) by lia. destruct (Rle_dec c c); [easy | lra].
  - destruct (Nat.ltb_spec n m) as [B|B]; simpl; destruct (Nat.ltb_spec m (S n)); try lia; [easy|]. f_equal. lia.
Qed.

Lemma chosen_first n m f c : (forall x, (x < n)%nat -> f x = c) -> (m <= n)%nat ->
  forall x, (x < n)%nat -> chosen n f m x = Nat.ltb x m.
Proof.
  intros F. induction m as [|m IH]; intros L x X; [easy|]. cbn [chosen].
  rewrite (argmax_first n m f _ c F) by (intros y Y; rewrite IH by lia; easy).
  destruct (Nat.ltb_spec m n); [|lia]. rewrite IH by lia.
  destruct (Nat.ltb_spec x m), (Nat.eqb_spec x m), (Nat.ltb_spec x (S m)); simpl; try easy; lia.
Qed.

Lemma sum_split n k f : (k <= n)%nat ->
  sum n f = sum n (fun x => if Nat.ltb x k then f x else 0) + sum n (fun x => if Nat.ltb x k then 0 else f x).
Proof. intros L. rewrite <- sum_plus. apply sum_ext. intros x _. destruct (Nat.ltb x k); ring. Qed.

Lemma sum_below n k f : (k <= n)%nat -> sum n (fun x => if Nat.ltb x k then f x else 0) = sum k f.
Proof.
  intros L. induction n as [|n IH]; [now replace k with 0%nat by lia|]. cbn [sum].
  destruct (Nat.eq_dec k (S n)) as [->|N].
  - cbn [sum]. destruct (Nat.ltb_spec n (S n)); [|lia]. f_equal. apply sum_ext. intros x X.
    destruct (Nat.ltb_spec x (S n)); [easy | lia].
  - rewrite IH by lia. destruct (Nat.ltb_spec n k); [lia | ring].
Qed.

Lemma sum_from n k c : (k <= n)%nat -> sum n (fun x => if Nat.ltb x k then 0 else c) = (INR n - INR k) * c.
Proof.
  intros L. assert (E : sum n (fun _ => c) = INR n * c) by apply sum_constant.
  rewrite (sum_split n k (fun _ => c) L), (sum_below n k (fun _ => c) L), sum_constant in E. lra.
Qed.

Section Hard.

Variables V K l M : nat.
Hypothesis sizes : (0 < M /\ M < K /\ K < V /\ M <= l)%nat.

Notation u := (hard_unit V K l M).
Notation q := (hard V K l M).
Notation kept := (first K).

Lemma numbers : 0 < INR M /\ INR M < INR K /\ INR K < INR V /\ INR M <= INR l /\ 0 < INR K * INR l + (INR V - INR K) * INR M.
Proof.
  destruct sizes as [A [B [C D]]]. apply lt_INR in A, B, C. apply le_INR in D. simpl in A.
  repeat split; try easy. apply Rplus_lt_le_0_compat; [apply Rmult_lt_0_compat; lra | apply Rmult_le_pos; lra].
Qed.

Lemma unit_pos : 0 < u.
Proof. pose proof numbers. unfold hard_unit. apply Rmult_lt_0_compat; [easy | now apply Rinv_0_lt_compat]. Qed.

Lemma hard_pos x : 0 < q x.
Proof.
  pose proof numbers as N. pose proof unit_pos as U. unfold hard. destruct (Nat.eqb x 0); [|easy].
  apply Rmult_lt_0_compat; [easy|]. assert (0 <= (INR l - INR M) * INR K / INR M); [|lra].
  apply Rmult_le_pos; [apply Rmult_le_pos; lra | left; now apply Rinv_0_lt_compat].
Qed.

Lemma hard_sum n : (0 < n)%nat -> sum n q = u * (INR n + (INR l - INR M) * INR K / INR M).
Proof.
  intros N. transitivity (sum n (fun x => u + (if Nat.eqb x 0 then u * ((INR l - INR M) * INR K / INR M) else 0))).
  - apply sum_ext. intros x _. unfold hard. destruct (Nat.eqb x 0); ring.
  - rewrite sum_plus, sum_constant, (sum_point n (fun _ => u * ((INR l - INR M) * INR K / INR M))) by easy. ring.
Qed.

Lemma hard_law : law V q.
Proof.
  split; [intros x _; left; apply hard_pos|]. rewrite hard_sum by (destruct sizes; lia).
  pose proof numbers. unfold hard_unit. field. lra.
Qed.

Lemma hard_mass : sum V (on_kept q kept) = u * INR K * INR l / INR M.
Proof.
  destruct sizes as [A [B [C D]]]. pose proof numbers.
  change (sum V (on_kept q kept)) with (sum V (fun x => if Nat.ltb x K then q x else 0)).
  rewrite (sum_below V K q) by lia. rewrite hard_sum by lia. field. lra.
Qed.

Lemma hard_some : 0 < sum V (on_kept q kept).
Proof.
  rewrite hard_mass. pose proof numbers. pose proof unit_pos.
  apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; lra | apply Rinv_0_lt_compat; lra].
Qed.

Lemma hard_top : is_top V K q kept.
Proof.
  destruct sizes as [A [B [C D]]]. split; [apply size_first; lia|]. intros x y X Y F G.
  apply Nat.ltb_lt in F. apply Nat.ltb_ge in G. pose proof numbers. pose proof unit_pos. unfold hard.
  destruct (Nat.eqb_spec y 0); [lia|]. destruct (Nat.eqb x 0); [|lra].
  assert (0 <= (INR l - INR M) * INR K / INR M) by
    (apply Rmult_le_pos; [apply Rmult_le_pos; lra | left; now apply Rinv_0_lt_compat]).
  assert (0 <= u * ((INR l - INR M) * INR K / INR M)) by (apply Rmult_le_pos; lra). lra.
Qed.

Notation law_inside := (inside V q kept).

Lemma token i : (i < K)%nat -> nth i (listed V kept) 0%nat = i.
Proof. destruct sizes as [A [B [C D]]]. intros L. rewrite listed_first by lia. now rewrite seq_nth. Qed.

Lemma hard_inside i : (i < K)%nat ->
  INR l * law_inside i = INR (if Nat.eqb i 0 then l - M else 0) + INR M / INR K.
Proof.
  intros L. unfold inside. rewrite token by easy. unfold sparsified. rewrite hard_mass. unfold on_kept, first.
  destruct (Nat.ltb_spec i K); [|lia]. pose proof numbers. pose proof unit_pos. unfold hard.
  destruct (Nat.eqb i 0); [rewrite minus_INR by (destruct sizes; lia)|]; simpl INR; field; lra.
Qed.

Lemma share : 0 <= INR M / INR K < 1.
Proof.
  pose proof numbers. split; [apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra]|].
  apply (Rmult_lt_reg_l (INR K)); [lra|]. replace (INR K * (INR M / INR K)) with (INR M) by (field; lra). lra.
Qed.

Lemma hard_floor i : (i < K)%nat -> floor (INR l * law_inside i) = INR (if Nat.eqb i 0 then l - M else 0).
Proof.
  intros L. rewrite hard_inside by easy. unfold floor. rewrite (whole_part_of _ (Z.of_nat (if Nat.eqb i 0 then l - M else 0)));
    rewrite <- INR_IZR_INZ; [easy|]. pose proof share. lra.
Qed.

Lemma hard_remainder i : (i < K)%nat -> remainder l law_inside i = INR M / INR K.
Proof. intros L. unfold remainder. rewrite hard_floor, hard_inside by easy. ring. Qed.

Lemma l_positive : (0 < l)%nat.
Proof. destruct sizes. lia. Qed.

Lemma inside_is_law : law K law_inside.
Proof.
  destruct sizes as [A [B [C D]]]. pose proof (inside_law V q kept hard_law hard_some) as H.
  rewrite size_first in H by lia. exact H.
Qed.

Lemma hard_units : units K l law_inside = M.
Proof.
  apply INR_eq. rewrite <- (units_sum K l law_inside inside_is_law l_positive).
  rewrite (sum_ext K _ (fun _ => INR M / INR K)) by (intros; now apply hard_remainder). rewrite sum_constant.
  pose proof numbers. field. lra.
Qed.

(** Of the tokens that are kept, those after the first M are rounded to nothing; the others are dropped. *)
Lemma hard_nothing x : (x < V)%nat -> (M <= x)%nat -> sent V q kept l x = 0.
Proof.
  destruct sizes as [A [B [C D]]]. intros X L. destruct (kept x) eqn:E; [|now apply sent_elsewhere].
  apply Nat.ltb_lt in E. rewrite <- (token x E) at 1. rewrite sent_at by (rewrite size_first; lia).
  rewrite size_first by lia. unfold rounded, counts. rewrite hard_floor, hard_units by easy.
  rewrite (chosen_first K M _ (INR M / INR K)); [|intros; now apply hard_remainder|lia|easy].
  destruct (Nat.ltb_spec x M); [lia|]. destruct (Nat.eqb_spec x 0); [lia|]. simpl. unfold Rdiv. ring.
Qed.

Lemma hard_loss : (INR V - INR M) * u <= tv V q (sent V q kept l).
Proof.
  destruct sizes as [A [B [C D]]]. rewrite (tv_sent V q kept l hard_law hard_some l_positive).
  rewrite <- (sum_from V M u) by lia. apply sum_le. intros x X. destruct (Nat.ltb_spec x M); [apply Rmax_l|].
  rewrite hard_nothing by easy. eapply Rle_trans; [|apply Rmax_r]. unfold hard. destruct (Nat.eqb_spec x 0); [lia | lra].
Qed.

End Hard.

(** * The flat law *)

Section Flat.

Variables V K l : nat.
Hypothesis sizes : (0 < K /\ K < V /\ 0 < l)%nat.

Lemma flat_law : law V (flat V).
Proof.
  destruct sizes as [A [B C]]. apply lt_INR in A, B. simpl in A. unfold flat.
  split; [intros; left; apply Rinv_0_lt_compat; lra|]. rewrite sum_constant. field. lra.
Qed.

Lemma flat_some : 0 < sum V (on_kept (flat V) (first K)).
Proof.
  destruct sizes as [A [B C]].
  change (sum V (on_kept (flat V) (first K))) with (sum V (fun x => if Nat.ltb x K then / INR V else 0)).
  rewrite (sum_below V K (fun _ => / INR V)), sum_constant by lia. apply lt_INR in A, B. simpl in A.
  apply Rmult_lt_0_compat; [easy | apply Rinv_0_lt_compat; lra].
Qed.

Lemma flat_loss : (INR V - INR K) / INR V <= tv V (flat V) (sent V (flat V) (first K) l).
Proof.
  destruct sizes as [A [B C]].
  eapply Rle_trans; [|apply (dropped_le V (flat V) (first K) l flat_law flat_some C)].
  change (dropped V (flat V) (first K)) with (sum V (fun x => if Nat.ltb x K then 0 else / INR V)).
  rewrite (sum_from V K (/ INR V)) by lia. apply Rle_refl.
Qed.

End Flat.

(** * All sizes up to ten tokens, all resolutions up to 24 *)

(** m (V - m) over V L, m the smaller of L and V/2, against d over e. *)
Definition within (V L d e : nat) : bool :=
  let m := Nat.min L (V / 2) in (N.of_nat (m * (V - m)) * N.of_nat e <=? N.of_nat d * N.of_nat (V * L))%N.

Definition is_worse (V K l L : nat) : bool :=
  within V L (V - K) V
  || existsb (fun M => if Nat.ltb M K then within V L ((V - M) * M) (K * l + (V - K) * M) else false) (seq 1 l).

(** The finest lattice, looked up in a table of points from resolution 1 on; that it is so is checked. *)
Fixpoint below (points : list N) (number : N) : nat :=
  match points with w :: more => if (w <=? number)%N then S (below more number) else O | [] => O end.
Definition table (V : nat) : list N := map (words V V) (seq 1 28).

Definition scheme_passes (V : nat) (points : list N) (K l : nat) : bool :=
  let number := words V K l in
  match below points number with
  | O => false
  | S L => Nat.ltb (S L) 28 && (nth L points 0 <=? number)%N && (number <? nth (S L) points 0)%N && is_worse V K l (S L)
  end.

Definition every_scheme : bool :=
  forallb (fun V =>
    let points := table V in
    forallb (fun K => forallb (scheme_passes V points K) (seq 1 24)) (seq 1 (V - 1))) (seq 2 9).

Lemma table_at V L : (L < 28)%nat -> nth L (table V) 0%N = words V V (S L).
Proof.
  intros H. unfold table. rewrite (nth_indep _ 0%N (words V V 0)) by (rewrite map_length, seq_length; easy).
  now rewrite map_nth, seq_nth.
Qed.

Lemma within_is V L d e : (0 < V)%nat -> (0 < L)%nat -> (0 < e)%nat -> within V L d e = true ->
  largest_distance V L <= INR d / INR e.
Proof.
  intros Vp Lp E H. unfold within in H. rewrite <- !Nnat.Nat2N.inj_mul in H. apply N.leb_le in H.
  assert (H' : (Nat.min L (V / 2) * (V - Nat.min L (V / 2)) * e <= d * (V * L))%nat) by lia. clear H.
  apply le_INR in H'. rename H' into H. rewrite !mult_INR in H.
  assert (M : (middle V L <= V)%nat) by (unfold middle; pose proof (Nat.div_mod_eq V 2); lia).
  change (Nat.min L (V / 2)) with (middle V L) in H. rewrite minus_INR in H by easy.
  unfold largest_distance. apply lt_INR in Vp, Lp, E. simpl in Vp, Lp, E.
  apply (Rmult_le_reg_r (INR V * INR L * INR e)); [apply Rmult_lt_0_compat; [now apply Rmult_lt_0_compat | easy]|].
  replace (INR (middle V L) * (INR V - INR (middle V L)) / (INR V * INR L) * (INR V * INR L * INR e))
    with (INR (middle V L) * (INR V - INR (middle V L)) * INR e) by (field; lra).
  replace (INR d / INR e * (INR V * INR L * INR e)) with (INR d * (INR V * INR L)) by (field; lra). exact H.
Qed.

(** For all V <= 10, K < V and l <= 24: the finest lattice over all V tokens that has no more points than K-SQS has words (sets of
    K tokens times points of the lattice at l over them) is from every law at most as far as K-SQS is from some law whose K
    likeliest tokens it keeps. *)
Theorem sqs_best_size V K l : (V <= 10)%nat -> (0 < K)%nat -> (K < V)%nat -> (0 < l)%nat -> (l <= 24)%nat ->
  exists L, (0 < L)%nat /\ (words V V L <= words V K l < words V V (S L))%N /\
  exists q kept, law V q /\ is_top V K q kept /\ 0 < sum V (on_kept q kept) /\
    forall p, law V p -> tv V p (rounded V L p) <= tv V q (sent V q kept l).
Proof.
  intros V10 K0 KV l0 l24. assert (A : every_scheme = true) by vm_cast_no_check (eq_refl true).
  unfold every_scheme in A. rewrite forallb_forall in A. specialize (A V). rewrite in_seq in A. cbv zeta in A.
  assert (B : scheme_passes V (table V) K l = true).
  { assert (I : (2 <= V < 2 + 9)%nat) by lia. specialize (A I). rewrite forallb_forall in A. specialize (A K).
    rewrite in_seq in A. assert (J : (1 <= K < 1 + (V - 1))%nat) by lia. specialize (A J). rewrite forallb_forall in A.
    apply A, in_seq. lia. }
  clear A. unfold scheme_passes in B. cbv zeta in B. destruct (below (table V) (words V K l)) as [|L']; [easy|].
  apply andb_prop in B as [B W]. apply andb_prop in B as [B F2]. apply andb_prop in B as [B F1]. apply Nat.ltb_lt in B.
  rewrite table_at in F1, F2 by lia. apply N.leb_le in F1. apply N.ltb_lt in F2. set (L := S L') in *.
  exists L. split; [unfold L; lia|]. split; [easy|]. apply orb_prop in W as [W|W].
  - exists (flat V), (first K). assert (sizes : (0 < K /\ K < V /\ 0 < l)%nat) by lia.
    split; [now apply (flat_law V K l)|]. split.
    { split; [apply size_first; lia|]. intros. unfold flat. lra. }
    split; [now apply (flat_some V K l)|]. intros p P.
    eapply Rle_trans; [apply largest_distance_bounds; [easy | unfold L; lia]|].
    eapply Rle_trans; [|now apply flat_loss]. apply within_is in W; [|unfold L; lia..]. rewrite minus_INR in W by lia. exact W.
  - apply existsb_exists in W as [M [J W]]. apply in_seq in J. destruct (Nat.ltb_spec M K) as [MK|]; [|easy].
    assert (sizes : (0 < M /\ M < K /\ K < V /\ M <= l)%nat) by lia.
    exists (hard V K l M), (first K). split; [now apply hard_law|]. split; [now apply hard_top|].
    split; [now apply hard_some|]. intros p P.
    eapply Rle_trans; [apply largest_distance_bounds; [easy | unfold L; lia]|].
    eapply Rle_trans; [|now apply hard_loss]. apply within_is in W; [|lia|unfold L; lia|].
    + rewrite mult_INR, plus_INR, !mult_INR, !minus_INR in W by lia. unfold hard_unit. unfold Rdiv in *. lra.
    + assert (0 < K * l)%nat by (apply Nat.mul_pos_pos; lia). lia.
Qed.

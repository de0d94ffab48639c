(** Draft and target that race with the same exponentials (Daliri et al. 2024): how often one token wins both races, and how often
    any coupling can have the two agree. *)

Require Import Reals Lra Lia Arith Psatz.
Require Import laws lossless slopes several paths dobrushin gaussian.
Open Scope R_scope.

(** * Races *)

Fixpoint product (n : nat) (f : nat -> R) : R :=
  match n with O => 1 | S m => product m f * f m end.

(** The token of the least time e/p, of those with mass: the first of equals. *)
Fixpoint winner (n : nat) (p e : nat -> R) : nat :=
  match n with
  | O => O
  | S m =>
      let w := winner m p e in
      if Rlt_dec 0 (p m) then
        if Rlt_dec 0 (p w) then
          if Rlt_dec (e m / p m) (e w / p w) then m else w
        else m
      else w
  end.

Lemma winner_wins n p e : (exists i, (i < n)%nat /\ 0 < p i) ->
  (winner n p e < n)%nat /\ 0 < p (winner n p e) /\
  forall i, (i < n)%nat -> 0 < p i -> e (winner n p e) / p (winner n p e) <= e i / p i.
Proof.
  induction n as [|n IH]; intros [i [L P]]; [lia|]. cbn [winner]. set (w := winner n p e) in *.
  assert (Before : (exists i, (i < n)%nat /\ 0 < p i) \/ forall i, (i < n)%nat -> ~ 0 < p i).
  { clear. induction n as [|n [[i [L P]]|H]].
    - right. lia.
    - left. exists i. split; [lia | easy].
    - destruct (Rlt_dec 0 (p n)) as [P|P]; [left; exists n; split; [lia | easy]|]. right. intros i L.
      destruct (Nat.eq_dec i n) as [->|]; [easy | apply H; lia]. }
  destruct Before as [B|B].
  - destruct (IH B) as [WL [WP WM]]. destruct (Rlt_dec 0 (p n)) as [N|N].
    + destruct (Rlt_dec 0 (p w)) as [_|W]; [|easy]. destruct (Rlt_dec (e n / p n) (e w / p w)) as [F|F].
      * split; [lia|]. split; [easy|]. intros k K KP. destruct (Nat.eq_dec k n) as [->|]; [lra|].
        specialize (WM k ltac:(lia) KP). lra.
      * split; [lia|]. split; [easy|]. intros k K KP. destruct (Nat.eq_dec k n) as [->|]; [lra|]. apply WM; [lia | easy].
    + split; [lia|]. split; [easy|]. intros k K KP. destruct (Nat.eq_dec k n) as [->|]; [easy|]. apply WM; [lia | easy].
  - assert (E : i = n) by (destruct (Nat.eq_dec i n) as [|D]; [easy | exfalso; apply (B i); [lia | easy]]). subst i.
    destruct (Rlt_dec 0 (p n)) as [_|]; [|easy].
    assert (First : forall k, (k < S n)%nat -> 0 < p k -> e n / p n <= e k / p k).
    { intros k K KP. destruct (Nat.eq_dec k n) as [->|D]; [lra|]. exfalso. apply (B k); [lia | easy]. }
    destruct (Rlt_dec 0 (p w)) as [W|W]; [|split; [lia | split; [easy | exact First]]].
    destruct n as [|n]; [|exfalso; apply (B w); [|easy]].
    + assert (Z : w = 0%nat) by easy. rewrite Z. destruct (Rlt_dec (e 0%nat / p 0%nat) (e 0%nat / p 0%nat)); split; auto; split; auto.
    + clear - B. assert (G : forall m, (winner (S m) p e < S m)%nat); [|apply G]. clear. induction m as [|m IH].
      * simpl. destruct (Rlt_dec 0 (p 0%nat)); [|lia]. destruct (Rlt_dec (e 0%nat / p 0%nat) (e 0%nat / p 0%nat)); lia.
      * change (winner (S (S m)) p e) with (let w := winner (S m) p e in
          if Rlt_dec 0 (p (S m)) then if Rlt_dec 0 (p w) then if Rlt_dec (e (S m) / p (S m)) (e w / p w) then S m else w
          else S m else w). cbv zeta.
        destruct (Rlt_dec 0 (p (S m))), (Rlt_dec 0 (p (winner (S m) p e))); try lia.
        destruct (Rlt_dec (e (S m) / p (S m)) (e (winner (S m) p e) / p (winner (S m) p e))); lia.
Qed.

Lemma winner_is n p e j : (forall i, (i < n)%nat -> 0 <= p i) -> (j < n)%nat -> 0 < p j ->
  (winner n p e = j -> (forall i, (i < n)%nat -> 0 < e i) -> forall i, (i < n)%nat -> p i / p j * e j <= e i) /\
  ((forall i, (i < n)%nat -> i <> j -> p i / p j * e j < e i) -> winner n p e = j).
Proof.
  intros P L PJ. destruct (winner_wins n p e) as [WL [WP WM]]; [now exists j|]. split.
  - intros <- Pos i I. destruct (P i I) as [PI|PI].
    + specialize (WM i I PI). set (v := winner n p e) in *. apply (Rmult_le_compat_l (p i)) in WM; [|lra].
      replace (p i * (e i / p i)) with (e i) in WM by (field; lra).
      replace (p i * (e v / p v)) with (p i / p v * e v) in WM by (field; lra). exact WM.
    + rewrite <- PI. specialize (Pos i I). unfold Rdiv. lra.
  - intros H. destruct (Nat.eq_dec (winner n p e) j) as [|D]; [easy|]. exfalso. specialize (H _ WL D).
    specialize (WM j L PJ). set (v := winner n p e) in *. apply (Rmult_le_compat_l (p v)) in WM; [|lra].
    replace (p v * (e v / p v)) with (e v) in WM by (field; lra).
    replace (p v * (e j / p j)) with (p v / p j * e j) in WM by (field; lra). lra.
Qed.

Lemma law_has_mass V p : law V p -> exists i, (i < V)%nat /\ 0 < p i.
Proof.
  intros [N S]. assert (G : forall n, (forall x, (x < n)%nat -> 0 <= p x) -> sum n p <> 0 -> exists i, (i < n)%nat /\ 0 < p i).
  { induction n as [|n IH]; simpl; intros H Z; [easy|]. destruct (H n) as [P|P]; [lia | exists n; split; [lia | easy]|].
    destruct IH as [i [L P']]; [intros; apply H; lia | lra | exists i; split; [lia | easy]]. }
  apply G; [exact N | lra].
Qed.

Section Race.

Variable Outcome : Type.
Variable probability : (Outcome -> Prop) -> R.
Hypothesis measure : is_probability Outcome probability.

(** A random token whose probabilities are those of a law; and a joint law of two tokens that has two laws for its own. *)
Definition has_law (V : nat) (X : Outcome -> nat) (p : nat -> R) : Prop :=
  forall j, (j < V)%nat -> probability (fun w => X w = j) = p j.
Definition coupling (V : nat) (X Y : Outcome -> nat) (q p : nat -> R) : Prop := has_law V X q /\ has_law V Y p.

(** V independent exponential variables of mean 1, by the probability that each of them is above a number of its own. *)
Definition independent_exponentials (V : nat) (E : Outcome -> nat -> R) : Prop :=
  forall t, (forall i, (i < V)%nat -> 0 <= t i) ->
    probability (fun w => forall i, (i < V)%nat -> t i < E w i) = product V (fun i => exp (- t i)).

Lemma same_event (A B : Outcome -> Prop) : (forall w, A w <-> B w) -> probability A = probability B.
Proof. intros H. destruct measure as [_ [M _]]. apply Rle_antisym; apply M; intros; now apply H. Qed.

Lemma impossible (A : Outcome -> Prop) : (forall w, ~ A w) -> probability A = 0.
Proof.
  intros H. destruct measure as [_ [_ Add]]. pose proof (Add A A ltac:(intros w [B _]; now apply (H w))) as D.
  rewrite (same_event (fun w => A w \/ A w) A) in D by tauto. lra.
Qed.

Lemma event_range (A : Outcome -> Prop) : 0 <= probability A <= 1.
Proof.
  destruct measure as [One [M _]]. split.
  - rewrite <- (impossible (fun _ => False)) by easy. apply M. easy.
  - rewrite <- One. apply M. easy.
Qed.

(** Of events that exclude one another, each of which holds or does not, the probabilities add up. *)
Lemma one_of_several n (A : nat -> Outcome -> Prop) : (forall i k w, (i < n)%nat -> (k < n)%nat -> A i w -> A k w -> i = k) ->
  probability (fun w => exists i, (i < n)%nat /\ A i w) = sum n (fun i => probability (A i)).
Proof.
  induction n as [|n IH]; intros D; [apply impossible; intros w [i [L _]]; lia|]. cbn [sum].
  rewrite <- IH by (intros i k w I K; apply D; lia). destruct measure as [_ [_ Add]].
  rewrite <- (Add (fun w => exists i, (i < n)%nat /\ A i w) (A n)).
  - apply same_event. intros w. split.
    + intros [i [L H]]. destruct (Nat.eq_dec i n) as [->|]; [now right | left; exists i; split; [lia | easy]].
    + intros [[i [L H]]|H]; [exists i; split; [lia | easy] | exists n; split; [lia | easy]].
  - intros w [[i [L H]] H']. specialize (D i n w ltac:(lia) ltac:(lia) H H'). lia.
Qed.

Lemma less_or_more (A B C : Outcome -> Prop) : (forall w, B w \/ ~ B w) -> (forall w, A w -> B w \/ C w) ->
  probability A <= probability B + probability C.
Proof.
  intros D H. destruct measure as [_ [M Add]]. apply (Rle_trans _ (probability (fun w => B w \/ (C w /\ ~ B w)))).
  - apply M. intros w W. specialize (D w). specialize (H w W). tauto.
  - rewrite (Add B (fun w => C w /\ ~ B w)) by tauto. apply Rplus_le_compat_l, M. tauto.
Qed.

Lemma less_what (A B : Outcome -> Prop) : (forall w, B w -> A w) -> (forall w, B w \/ ~ B w) ->
  probability (fun w => A w /\ ~ B w) = probability A - probability B.
Proof.
  intros H D. destruct measure as [_ [_ Add]].
  assert (S : probability A = probability B + probability (fun w => A w /\ ~ B w)); [|lra].
  rewrite <- Add by tauto. apply same_event. intros w. specialize (D w). specialize (H w). tauto.
Qed.

(** ** What any coupling can do *)

Lemma no_other_token V X p : law V p -> has_law V X p -> probability (fun w => ~ (X w < V)%nat) = 0.
Proof.
  intros [_ S] H. rewrite (opposite Outcome probability measure (fun w => (X w < V)%nat)) by (intros w; lia).
  rewrite (same_event (fun w => (X w < V)%nat) (fun w => exists i, (i < V)%nat /\ X w = i)).
  - rewrite one_of_several by (intros; congruence). rewrite (sum_ext V _ p) by (intros; now apply H). lra.
  - intros w. split; [intros L; now exists (X w) | now intros [i [L ->]]].
Qed.

Lemma agreement V X Y p : law V p -> has_law V X p ->
  probability (fun w => X w = Y w) = sum V (fun j => probability (fun w => X w = j /\ Y w = j)).
Proof.
  intros P H. rewrite <- (one_of_several V (fun j w => X w = j /\ Y w = j)) by (intros i k w _ _ [A _] [B _]; congruence).
  destruct measure as [_ [M _]]. apply Rle_antisym.
  - rewrite <- (Rplus_0_r (probability (fun w => exists i, _))), <- (no_other_token V X p P H). apply less_or_more.
    + intros w. destruct (Nat.eq_dec (X w) (Y w)) as [E|E]; [|right; intros [i [_ [A B]]]; congruence].
      destruct (lt_dec (X w) V) as [L|L]; [left; exists (X w); auto | right; intros [i [I [A B]]]; lia].
    + intros w E. destruct (lt_dec (X w) V) as [L|L]; [left; exists (X w); auto | now right].
  - apply M. intros w [i [_ [A B]]]. congruence.
Qed.

Lemma coupling_bound V X Y q p : law V q -> law V p -> coupling V X Y q p ->
  (forall j, (j < V)%nat -> probability (fun w => X w = j /\ Y w = j) <= Rmin (p j) (q j)) /\
  probability (fun w => X w = Y w) <= 1 - tv V p q.
Proof.
  intros Q P [HX HY]. assert (T : forall j, (j < V)%nat -> probability (fun w => X w = j /\ Y w = j) <= Rmin (p j) (q j)).
  { intros j L. destruct measure as [_ [M _]]. apply Rmin_glb.
    - rewrite <- (HY j L). apply M. tauto.
    - rewrite <- (HX j L). apply M. tauto. }
  split; [exact T|]. rewrite (agreement V X Y q Q HX), <- (overlap_tv V q p) by easy. apply sum_le. intros j L.
  rewrite Rmin_comm. now apply T.
Qed.

(** ** One exponential against multiples of it *)

Section Exponentials.

Variable V : nat.
Variable E : Outcome -> nat -> R.
Hypothesis noise : independent_exponentials V E.

Lemma product_exp n t : product n (fun i => exp (- t i)) = exp (- sum n t).
Proof.
  induction n as [|n IH]; cbn [product sum]; [now rewrite Ropp_0, exp_0|]. rewrite IH, <- exp_plus. f_equal. ring.
Qed.

Lemma above t : (forall i, (i < V)%nat -> 0 <= t i) ->
  probability (fun w => forall i, (i < V)%nat -> t i < E w i) = exp (- sum V t).
Proof. intros T. now rewrite (noise t T), product_exp. Qed.

Lemma above_decided t w n : (forall i, (i < n)%nat -> t i < E w i) \/ ~ (forall i, (i < n)%nat -> t i < E w i).
Proof.
  induction n as [|n [IH|IH]]; [left; lia | | right; intros H; apply IH; intros i L; apply H; lia].
  destruct (Rlt_dec (t n) (E w n)) as [H|H]; [|right; intros G; apply H, G; lia]. left. intros i L.
  destruct (Nat.eq_dec i n) as [->|]; [easy | apply IH; lia].
Qed.

Definition put (c : nat -> R) (j : nat) (x : R) (i : nat) : R := if Nat.eqb i j then x else c i.

Lemma put_sum c j x : (j < V)%nat -> sum V (put c j x) = sum V c - c j + x.
Proof.
  intros L. rewrite (sum_ext V _ (fun i => c i + (if Nat.eqb i j then x - c i else 0))).
  - rewrite sum_plus, (sum_point V (fun i => x - c i) j L). ring.
  - intros i _. unfold put. destruct (Nat.eqb_spec i j) as [->|]; ring.
Qed.

(** One variable between two numbers, each other above a number of its own. *)
Definition slot (c : nat -> R) (j : nat) (a b : R) (w : Outcome) : Prop :=
  (forall i, (i < V)%nat -> i <> j -> c i < E w i) /\ a < E w j <= b.

Lemma slot_probability c j a b : (j < V)%nat -> (forall i, (i < V)%nat -> 0 <= c i) -> 0 <= a <= b ->
  probability (slot c j a b) = exp (- (sum V c - c j + a)) - exp (- (sum V c - c j + b)).
Proof.
  intros L C A. assert (P : forall x, 0 <= x -> forall i, (i < V)%nat -> 0 <= put c j x i).
  { intros x X i I. unfold put. destruct (Nat.eqb i j); [easy | now apply C]. }
  rewrite <- !put_sum by easy. rewrite <- (above (put c j a) (P a ltac:(lra))), <- (above (put c j b) (P b ltac:(lra))).
  rewrite <- less_what.
  - apply same_event. intros w. unfold slot, put. split.
    + intros [H [HA HB]]. split.
      * intros i I. destruct (Nat.eqb_spec i j) as [->|N]; [easy | now apply H].
      * intros G. specialize (G j L). rewrite Nat.eqb_refl in G. lra.
    + intros [H G]. split; [|split].
      * intros i I N. specialize (H i I). destruct (Nat.eqb_spec i j); easy.
      * specialize (H j L). now rewrite Nat.eqb_refl in H.
      * apply Rnot_lt_le. intros B. apply G. intros i I. specialize (H i I).
        destruct (Nat.eqb i j) eqn:EQ; [apply Nat.eqb_eq in EQ; now rewrite EQ | exact H].
  - intros w H i I. specialize (H i I). unfold put in *. destruct (Nat.eqb_spec i j); lra.
  - intros w. apply above_decided.
Qed.

Lemma exp_times x k : exp (- (INR k * x)) = exp (- x) ^ k.
Proof.
  induction k as [|k IH]; [simpl; now rewrite Rmult_0_l, Ropp_0, exp_0|]. rewrite S_INR. cbn [pow]. rewrite <- IH, <- exp_plus.
  f_equal. ring.
Qed.

Lemma geometric x n : sum n (fun k => x ^ k) * (1 - x) = 1 - x ^ n.
Proof. induction n as [|n IH]; cbn [sum pow]; [ring|]. rewrite Rmult_plus_distr_r, IH. ring. Qed.

Lemma which_slot h y n : 0 < y <= INR n * h -> exists k, (k < n)%nat /\ INR k * h < y <= INR k * h + h.
Proof.
  induction n as [|n IH]; intros Y; [simpl in Y; lra|]. destruct (Rle_lt_dec y (INR n * h)) as [H|H].
  - destruct IH as [k [L K]]; [lra | exists k; split; [lia | easy]].
  - exists n. rewrite S_INR in Y. split; [lia | lra].
Qed.

Lemma one_slot h k l y : 0 <= h -> INR k * h < y <= INR k * h + h -> INR l * h < y <= INR l * h + h -> k = l.
Proof.
  intros H K L. destruct (Nat.lt_trichotomy k l) as [C|[C|C]]; [exfalso | easy | exfalso].
  - assert (INR k + 1 <= INR l) by (rewrite <- S_INR; apply le_INR; lia). nra.
  - assert (INR l + 1 <= INR k) by (rewrite <- S_INR; apply le_INR; lia). nra.
Qed.

Section Multiples.

Variable W : Outcome -> Prop.
Variable r : nat -> R.
Variable j : nat.
Hypothesis j_token : (j < V)%nat.
Hypothesis r_nonneg : forall i, (i < V)%nat -> 0 <= r i.
Hypothesis r_one : r j = 1.
Hypothesis below : forall w, W w -> (forall i, (i < V)%nat -> 0 < E w i) -> forall i, (i < V)%nat -> r i * E w j <= E w i.
Hypothesis enough_above : forall w, 0 < E w j -> (forall i, (i < V)%nat -> i <> j -> r i * E w j < E w i) -> W w.

Notation total := (sum V r).

Lemma total_large : 1 <= total.
Proof. rewrite <- r_one. now apply (sum_term V r j). Qed.

Lemma positive_almost_surely : probability (fun w => ~ (forall i, (i < V)%nat -> 0 < E w i)) = 0.
Proof.
  rewrite (opposite Outcome probability measure) by (intros w; apply (above_decided (fun _ => 0))).
  rewrite (above (fun _ => 0)) by (intros; lra). rewrite sum_zero, Ropp_0, exp_0. ring.
Qed.

Lemma tail_small n : (0 < n)%nat -> exp (- INR n) <= / INR n.
Proof.
  intros N. assert (P : 0 < INR n) by now apply lt_0_INR. rewrite exp_Ropp. apply Rinv_le_contravar; [easy|].
  pose proof (exp_above (INR n) ltac:(lra)). lra.
Qed.

(** Steps of 1/n, n² of them: the probability is within 2/n of 1/Σ r. *)
Lemma within_steps n : (0 < n)%nat -> / total - 2 * / INR n <= probability W <= / total + 2 * / INR n.
Proof.
  intros N. pose proof total_large as S1. assert (P : 0 < INR n) by now apply lt_0_INR. set (h := / INR n).
  assert (H0 : 0 < h) by now apply Rinv_0_lt_compat.
  assert (H1 : h <= 1).
  { unfold h. rewrite <- Rinv_1. apply Rinv_le_contravar; [lra | now apply (le_INR 1)]. }
  set (m := (n * n)%nat). assert (MH : INR m * h = INR n) by (unfold m, h; rewrite mult_INR; field; lra).
  assert (HS : 0 < h * total) by (apply Rmult_lt_0_compat; lra).
  set (x := exp (- (h * total))). set (G := sum m (fun k => x ^ k)).
  assert (X0 : 0 < x) by apply exp_pos.
  assert (XL : 1 - h * total <= x) by (apply exp_below; lra).
  assert (XU : h * total / (1 + h * total) <= 1 - x).
  { unfold x. rewrite exp_Ropp. pose proof (exp_above (h * total) ltac:(lra)) as A.
    assert (/ exp (h * total) <= / (1 + h * total)) by (apply Rinv_le_contravar; lra).
    replace (h * total / (1 + h * total)) with (1 - / (1 + h * total)) by (field; lra). lra. }
  assert (X1 : 0 < 1 - x).
  { apply (Rlt_le_trans _ (h * total / (1 + h * total))); [|easy]. apply Rdiv_lt_0_compat; lra. }
  assert (GE : G * (1 - x) = 1 - x ^ m) by apply geometric.
  assert (XM : 0 <= x ^ m <= h).
  { split; [apply pow_le; lra|]. unfold x. rewrite <- exp_times. apply (Rle_trans _ (exp (- INR n))).
    - apply exp_le. replace (INR m * (h * total)) with (INR m * h * total) by ring. rewrite MH. nra.
    - now apply tail_small. }
  assert (GN : 0 <= G) by (apply sum_nonneg; intros; apply pow_le; lra).
  split.
  - set (B := fun k => slot (fun i => r i * (INR k * h + h)) j (INR k * h) (INR k * h + h)).
    assert (PB : forall k, probability (B k) = x ^ k * (x * (exp h - 1))).
    { intros k. unfold B. assert (K : 0 <= INR k * h) by (apply Rmult_le_pos; [apply pos_INR | lra]).
      rewrite slot_probability; [|easy| |lra].
      2: { intros i I. apply Rmult_le_pos; [now apply r_nonneg | lra]. }
      rewrite sum_scale_right, r_one. unfold x. rewrite <- exp_times, Rmult_minus_distr_l, Rmult_1_r, Rmult_minus_distr_l, <- !exp_plus.
      f_equal; [|f_equal]; f_equal; ring. }
    apply (Rle_trans _ (sum m (fun k => probability (B k)))).
    + rewrite (sum_ext m _ (fun k => x ^ k * (x * (exp h - 1)))) by (intros; apply PB). rewrite sum_scale_right. fold G.
      pose proof (exp_above h ltac:(lra)) as A.
      apply (Rle_trans _ (G * (1 - x) * (x * / total))).
      * rewrite GE. assert (IS : / total <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
        assert (IP : 0 < / total) by (apply Rinv_0_lt_compat; lra).
        assert (E1 : total * / total = 1) by (apply Rinv_r; lra).
        apply (Rle_trans _ ((1 - h) * (x * / total))).
        -- apply (Rle_trans _ ((1 - h) * ((1 - h * total) * / total))).
           ++ replace ((1 - h) * ((1 - h * total) * / total))
                with (/ total - h * (total * / total) - h * / total + h * h * (total * / total)) by ring.
              rewrite E1. nra.
           ++ apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_r; lra.
        -- apply Rmult_le_compat_r; [apply Rmult_le_pos; lra | lra].
      * replace (G * (1 - x) * (x * / total)) with (G * (x * ((1 - x) * / total))) by ring.
        apply Rmult_le_compat_l; [easy|]. apply Rmult_le_compat_l; [lra|]. apply (Rmult_le_reg_r total); [lra|].
        replace ((1 - x) * / total * total) with (1 - x) by (field; lra). nra.
    + rewrite <- one_of_several.
      * destruct measure as [_ [M _]]. apply M. intros w [k [_ [A [C D]]]].
        assert (K : 0 <= INR k * h) by (apply Rmult_le_pos; [apply pos_INR | lra]). apply enough_above; [lra|]. intros i I D'.
        specialize (A i I D'). pose proof (r_nonneg i I). apply (Rle_lt_trans _ (r i * (INR k * h + h))); [|easy].
        now apply Rmult_le_compat_l.
      * intros k l w _ _ [_ K] [_ L]. exact (one_slot h k l (E w j) (Rlt_le _ _ H0) K L).
  - set (U := fun k => slot (fun i => r i * (INR k * h)) j (INR k * h) (INR k * h + h)).
    assert (PU : forall k, probability (U k) = x ^ k * (1 - exp (- h))).
    { intros k. unfold U. assert (K : 0 <= INR k * h) by (apply Rmult_le_pos; [apply pos_INR | lra]).
      rewrite slot_probability; [|easy| |lra].
      2: { intros i I. apply Rmult_le_pos; [now apply r_nonneg | lra]. }
      rewrite sum_scale_right, r_one. unfold x. rewrite <- exp_times, Rmult_minus_distr_l, Rmult_1_r, <- !exp_plus.
      f_equal; f_equal; ring. }
    set (T := fun w => forall i, (i < V)%nat -> put (fun _ => 0) j (INR n) i < E w i).
    assert (PT : probability T <= h).
    { unfold T. rewrite above.
      - rewrite put_sum, sum_zero by easy. replace (0 - 0 + INR n) with (INR n) by ring. now apply tail_small.
      - intros i I. unfold put. destruct (Nat.eqb i j); lra. }
    apply (Rle_trans _ (0 + (probability T + sum m (fun k => probability (U k))))).
    + rewrite <- positive_almost_surely. apply (Rle_trans _ (probability (fun w => ~ (forall i, (i < V)%nat -> 0 < E w i))
        + probability (fun w => T w \/ exists k, (k < m)%nat /\ U k w))).
      * apply less_or_more.
        -- intros w. destruct (above_decided (fun _ => 0) w V); tauto.
        -- intros w H. destruct (above_decided (fun _ => 0) w V) as [Pos|]; [right|now left].
           destruct (Rle_lt_dec (E w j) (INR n)) as [F|F].
           ++ right. destruct (which_slot h (E w j) m) as [k [K KH]]; [rewrite MH; split; [now apply Pos | easy]|].
              exists k. split; [easy|]. split; [|easy]. intros i I _. pose proof (below w H Pos i I) as R.
              pose proof (r_nonneg i I) as [RI|RI]; [nra|]. rewrite <- RI, Rmult_0_l. now apply Pos.
           ++ left. intros i I. unfold put. destruct (Nat.eqb i j) eqn:EQ; [apply Nat.eqb_eq in EQ; now rewrite EQ | now apply Pos].
      * apply Rplus_le_compat_l. rewrite <- (one_of_several m U).
        -- apply less_or_more; [intros w; apply above_decided | tauto].
        -- intros k l w _ _ [_ K] [_ L]. exact (one_slot h k l (E w j) (Rlt_le _ _ H0) K L).
    + rewrite (sum_ext m _ (fun k => x ^ k * (1 - exp (- h)))) by (intros; apply PU). rewrite sum_scale_right. fold G.
      assert (B : G * (1 - exp (- h)) <= / total + h).
      2: { rewrite Rplus_0_l. replace (/ total + 2 * h) with (h + (/ total + h)) by ring. now apply Rplus_le_compat. }
      pose proof (exp_below h ltac:(lra)) as A.
      apply (Rle_trans _ (G * ((1 - x) * (/ total + h)))).
      * apply Rmult_le_compat_l; [easy|]. apply (Rle_trans _ h); [lra|].
        apply (Rle_trans _ (h * total / (1 + h * total) * (/ total + h))); [right; field; lra|].
        apply Rmult_le_compat_r; [|easy]. assert (0 < / total) by (apply Rinv_0_lt_compat; lra). lra.
      * rewrite <- Rmult_assoc, GE. assert (0 < / total) by (apply Rinv_0_lt_compat; lra). nra.
Qed.

Lemma race_probability : probability W = / total.
Proof.
  destruct (Req_dec (probability W) (/ total)) as [D|D]; [easy|]. exfalso.
  assert (Pos : 0 < Rabs (probability W - / total) / 2) by (assert (0 < Rabs (probability W - / total)) by (apply Rabs_pos_lt; lra); lra).
  destruct (archimed_cor1 _ Pos) as [n [A N]]. pose proof (within_steps n N) as B.
  assert (Rabs (probability W - / total) <= 2 * / INR n) by (apply Rabs_le; lra). lra.
Qed.

End Multiples.

(** ** The token that wins one race, and the one that wins both *)

Lemma winner_has_mass p e : law V p -> 0 < p (winner V p e).
Proof. intros P. now destruct (winner_wins V p e (law_has_mass V p P)) as [_ [H _]]. Qed.

Lemma ratio_nonneg p i j : law V p -> (i < V)%nat -> 0 < p j -> 0 <= p i / p j.
Proof. intros P I J. apply Rmult_le_pos; [now apply (law_nonneg V) | left; now apply Rinv_0_lt_compat]. Qed.

Lemma winner_law p : law V p -> has_law V (fun w => winner V p (E w)) p.
Proof.
  intros P j L. destruct (law_nonneg V p j P L) as [PJ|Z].
  - rewrite (race_probability (fun w => winner V p (E w) = j) (fun i => p i / p j) j L).
    + unfold Rdiv. rewrite sum_scale_right. destruct P as [_ ->]. rewrite Rmult_1_l. apply Rinv_inv.
    + intros i I. now apply ratio_nonneg.
    + apply Rinv_r. lra.
    + intros w H Pos. now apply (winner_is V p (E w) j (proj1 P) L PJ).
    + intros w _ H. now apply (winner_is V p (E w) j (proj1 P) L PJ).
  - rewrite <- Z. apply impossible. intros w H. pose proof (winner_has_mass p (E w) P) as M. rewrite H in M. lra.
Qed.

(** 1/Σᵢ max(pᵢ/pⱼ, qᵢ/qⱼ); nothing for a token that one of the laws does not have. *)
Definition wins_both (p q : nat -> R) (j : nat) : R :=
  if Rlt_dec 0 (p j) then if Rlt_dec 0 (q j) then / sum V (fun i => Rmax (p i / p j) (q i / q j)) else 0 else 0.

Lemma both_won p q j : law V p -> law V q -> (j < V)%nat ->
  probability (fun w => winner V q (E w) = j /\ winner V p (E w) = j) = wins_both p q j.
Proof.
  intros P Q L. unfold wins_both. destruct (Rlt_dec 0 (p j)) as [PJ|PJ]; [destruct (Rlt_dec 0 (q j)) as [QJ|QJ]|].
  - rewrite (race_probability (fun w => winner V q (E w) = j /\ winner V p (E w) = j)
      (fun i => Rmax (p i / p j) (q i / q j)) j L); [easy | | | |].
    + intros i I. eapply Rle_trans; [now apply (ratio_nonneg p i j) | apply Rmax_l].
    + unfold Rdiv. rewrite !Rinv_r by lra. apply Rmax_left. lra.
    + intros w [HQ HP] Pos i I. pose proof (proj1 (winner_is V p (E w) j (proj1 P) L PJ) HP Pos i I).
      pose proof (proj1 (winner_is V q (E w) j (proj1 Q) L QJ) HQ Pos i I). unfold Rmax. destruct (Rle_dec (p i / p j) (q i / q j)); lra.
    + intros w J H. split.
      * apply (winner_is V q (E w) j (proj1 Q) L QJ). intros i I D. apply (Rle_lt_trans _ (Rmax (p i / p j) (q i / q j) * E w j)); [|now apply H].
        apply Rmult_le_compat_r; [lra | apply Rmax_r].
      * apply (winner_is V p (E w) j (proj1 P) L PJ). intros i I D. apply (Rle_lt_trans _ (Rmax (p i / p j) (q i / q j) * E w j)); [|now apply H].
        apply Rmult_le_compat_r; [lra | apply Rmax_l].
  - apply impossible. intros w [H _]. pose proof (winner_has_mass q (E w) Q) as M. rewrite H in M. lra.
  - apply impossible. intros w [_ H]. pose proof (winner_has_mass p (E w) P) as M. rewrite H in M. lra.
Qed.

(** Draft and target race with the same exponentials: a token j of both laws wins both races with probability
    1/Σᵢ max(pᵢ/pⱼ, qᵢ/qⱼ), any other token with none; the two agree with the sum of that; and X ∼ q, Y ∼ p. *)
Theorem coupling_formula p q : law V p -> law V q ->
  let X w := winner V q (E w) in let Y w := winner V p (E w) in
  (forall j, (j < V)%nat -> probability (fun w => X w = j /\ Y w = j) = wins_both p q j) /\
  probability (fun w => X w = Y w) = sum V (wins_both p q) /\ has_law V X q /\ has_law V Y p.
Proof.
  intros P Q X Y. assert (B : forall j, (j < V)%nat -> probability (fun w => X w = j /\ Y w = j) = wins_both p q j)
    by (intros; now apply both_won).
  split; [exact B|]. split; [|split; now apply winner_law].
  rewrite (agreement V X Y q Q) by now apply winner_law. now apply sum_ext.
Qed.

(** Draft and target that race with the same exponentials agree with probability 1 - TV(p, q) at most, and on a token j with
    min(pⱼ, qⱼ) at most; so does every coupling of the two laws: two random tokens, on one probability, of which one has the law
    q and the other the law p. *)
Theorem coupling_attains_any_corrected p q : law V p -> law V q ->
  let bounded X Y := probability (fun w => X w = Y w) <= 1 - tv V p q /\
    forall j, (j < V)%nat -> probability (fun w => X w = j /\ Y w = j) <= Rmin (p j) (q j) in
  bounded (fun w => winner V q (E w)) (fun w => winner V p (E w)) /\
  forall X Y, coupling V X Y q p -> bounded X Y.
Proof.
  intros P Q bounded. assert (All : forall X Y, coupling V X Y q p -> bounded X Y)
    by (intros X Y C; destruct (coupling_bound V X Y q p Q P C); now split).
  split; [|exact All]. apply All. split; now apply winner_law.
Qed.

Lemma overlap_largest p q : law V p -> law V q ->
  overlap V p q = 1 - tv V p q /\ sum V (fun i => Rmax (p i) (q i)) = 1 + tv V p q.
Proof.
  intros P Q. assert (O : overlap V p q = 1 - tv V p q) by (rewrite tv_sym; now apply overlap_tv). split; [exact O|].
  assert (T : overlap V p q + sum V (fun i => Rmax (p i) (q i)) = 2); [|lra]. unfold overlap. rewrite <- sum_plus.
  rewrite (sum_ext V _ (fun i => p i + q i)).
  - rewrite sum_plus. destruct P as [_ ->], Q as [_ ->]. lra.
  - intros i _. unfold Rmin, Rmax. destruct (Rle_dec (p i) (q i)); lra.
Qed.

Lemma tv_range p q : law V p -> law V q -> 0 <= tv V p q <= 1.
Proof.
  intros P Q. split.
  - unfold tv. apply Rmult_le_pos; [lra|]. apply sum_nonneg. intros. apply Rabs_pos.
  - destruct (overlap_largest p q P Q) as [O _]. assert (0 <= overlap V p q); [|lra].
    apply sum_nonneg. intros i I. apply Rmin_glb; now apply (law_nonneg V).
Qed.

Lemma wins_both_least p q j : law V p -> law V q -> (j < V)%nat ->
  Rmin (p j) (q j) / sum V (fun i => Rmax (p i) (q i)) <= wins_both p q j.
Proof.
  intros P Q L. pose proof (tv_range p q P Q) as T. destruct (overlap_largest p q P Q) as [_ M]. unfold wins_both.
  assert (Z : forall x y, x <= 0 -> Rmin (p j) (q j) = x -> x / y <= 0 \/ y <= 0).
  { intros x y X _. destruct (Rle_lt_dec y 0) as [H|H]; [now right | left]. apply Rinv_0_lt_compat in H. unfold Rdiv. nra. }
  set (m := sum V (fun i => Rmax (p i) (q i))) in *.
  destruct (Rlt_dec 0 (p j)) as [PJ|PJ]; [destruct (Rlt_dec 0 (q j)) as [QJ|QJ]|].
  2: { destruct (Z (Rmin (p j) (q j)) m) as [H|H]; try easy; [|lra]. eapply Rle_trans; [apply Rmin_r | lra]. }
  2: { destruct (Z (Rmin (p j) (q j)) m) as [H|H]; try easy; [|lra]. eapply Rle_trans; [apply Rmin_l | lra]. }
  set (s := Rmin (p j) (q j)). assert (S0 : 0 < s) by now apply Rmin_glb_lt.
  assert (SP : s <= p j) by apply Rmin_l. assert (SQ : s <= q j) by apply Rmin_r.
  replace (s / m) with (/ (m / s)) by (field; lra). apply Rinv_le_contravar.
  - apply (Rlt_le_trans _ 1); [lra|]. eapply Rle_trans; [|apply (sum_term V _ j)].
    + right. cbv beta. unfold Rdiv. rewrite !Rinv_r by lra. now rewrite Rmax_left by lra.
    + intros i I. cbv beta. eapply Rle_trans; [now apply (ratio_nonneg p i j) | apply Rmax_l].
    + exact L.
  - unfold m, Rdiv. rewrite <- sum_scale_right. apply sum_le. intros i I.
    assert (G : forall r : nat -> R, law V r -> s <= r j -> r i <= Rmax (p i) (q i) -> r i * / r j <= Rmax (p i) (q i) * / s).
    { intros r RL RS RM. apply Rmult_le_compat; [now apply (law_nonneg V) | left; apply Rinv_0_lt_compat; lra | easy|].
      now apply Rinv_le_contravar. }
    apply Rmax_lub; [apply G; try easy; apply Rmax_l | apply G; try easy; apply Rmax_r].
Qed.

(** Draft and target that race with the same exponentials agree with probability (1 - TV)/(1 + TV) at least, which is
    1 - 2 TV at least. *)
Theorem coupling_minhash_bound p q : law V p -> law V q ->
  (1 - tv V p q) / (1 + tv V p q) <= probability (fun w => winner V q (E w) = winner V p (E w)) /\
  1 - 2 * tv V p q <= (1 - tv V p q) / (1 + tv V p q).
Proof.
  intros P Q. pose proof (tv_range p q P Q) as T. destruct (overlap_largest p q P Q) as [O M]. split.
  - destruct (coupling_formula p q P Q) as [_ [-> _]]. rewrite <- O, <- M. unfold overlap, Rdiv at 1.
    rewrite <- sum_scale_right. apply sum_le. intros j L. now apply wins_both_least.
  - apply (Rmult_le_reg_r (1 + tv V p q)); [lra|].
    replace ((1 - tv V p q) / (1 + tv V p q) * (1 + tv V p q)) with (1 - tv V p q) by (field; lra). nra.
Qed.

(** The minhash coupling: a uniform point on the union of what lies under the two laws, its token first, and whether it lies under
    both; where it does it is the draft and the target's token. *)
Definition minhash (p q : nat -> R) : program (nat * bool) :=
  x <- draw V (fun x => Rmax (p x) (q x) / sum V (fun i => Rmax (p i) (q i))) ;;
  (is_both <- coin (Rmin (p x) (q x) / Rmax (p x) (q x)) ;; ret (x, is_both)).

(** Draft and target that race with the same exponentials agree at least as often as by the minhash coupling, in all and token by
    token. *)
Theorem coupling_pareto p q : law V p -> law V q ->
  let X w := winner V q (E w) in let Y w := winner V p (E w) in
  chance (minhash p q) snd <= probability (fun w => X w = Y w) /\
  forall j, (j < V)%nat ->
    chance (minhash p q) (fun o => andb (snd o) (Nat.eqb (fst o) j)) <= probability (fun w => X w = j /\ Y w = j).
Proof.
  intros P Q. cbv zeta. destruct (coupling_formula p q P Q) as [Token [All _]].
  set (m := sum V (fun i => Rmax (p i) (q i))).
  assert (Mean : forall f, expect (minhash p q) (fun o => if snd o then f (fst o) else 0) = sum V (fun x => Rmin (p x) (q x) / m * f x)).
  { intros f. unfold minhash. rewrite expect_bind, expect_draw. apply sum_ext. intros x L. fold m.
    rewrite expect_bind, expect_coin, !expect_ret. simpl. rewrite Rmult_0_r, Rplus_0_r.
    pose proof (law_nonneg V p x P L) as A. pose proof (law_nonneg V q x Q L) as B.
    destruct (Rle_lt_dec (Rmax (p x) (q x)) 0) as [Z|D].
    - pose proof (Rmax_l (p x) (q x)). pose proof (Rmax_r (p x) (q x)). replace (p x) with 0 by lra. replace (q x) with 0 by lra.
      rewrite Rmax_left, Rmin_left by lra. unfold Rdiv. ring.
    - set (largest := Rmax (p x) (q x)) in *. replace (largest / m * (Rmin (p x) (q x) / largest * f x))
        with (Rmin (p x) (q x) / m * f x * (largest * / largest)) by (unfold Rdiv; ring).
      rewrite Rinv_r by lra. ring. }
  split.
  - rewrite All. unfold chance. rewrite (expect_ext _ _ (fun o : nat * bool => if snd o then 1 else 0)) by (intros [x b]; now destruct b).
    rewrite (Mean (fun _ => 1)). apply sum_le. intros j L. rewrite Rmult_1_r. now apply wins_both_least.
  - intros j L. rewrite (Token j L). unfold chance.
    rewrite (expect_ext _ _ (fun o : nat * bool => if snd o then indicator (Nat.eqb (fst o) j) else 0)) by (intros [x b]; now destruct b).
    rewrite (Mean (fun x => indicator (Nat.eqb x j))).
    rewrite (sum_ext V _ (fun x => if Nat.eqb x j then Rmin (p x) (q x) / m else 0)).
    + rewrite (sum_point V (fun x => Rmin (p x) (q x) / m) j L). now apply wins_both_least.
    + intros x _. unfold indicator. destruct (Nat.eqb x j); ring.
Qed.

End Exponentials.

(** For every 0 <= t <= 1 there are laws with TV(p, q) = t, over three tokens, of which draft and target that race with the same
    exponentials agree with probability (1 - t)/(1 + t): no larger bound holds in total variation alone. *)
Theorem coupling_minhash_attained E t : independent_exponentials 3 E -> 0 <= t <= 1 ->
  exists p q, law 3 p /\ law 3 q /\ tv 3 p q = t /\
    probability (fun w => winner 3 q (E w) = winner 3 p (E w)) = (1 - t) / (1 + t).
Proof.
  intros N T. set (p := fun x => match x with O => 1 - t | S O => t | _ => 0 end).
  set (q := fun x => match x with O => 1 - t | S O => 0 | _ => t end). exists p, q.
  assert (P : law 3 p) by (split; [intros x _; unfold p; destruct x as [|[|x]]; lra | simpl; lra]).
  assert (Q : law 3 q) by (split; [intros x _; unfold q; destruct x as [|[|x]]; lra | simpl; lra]).
  split; [exact P|]. split; [exact Q|]. split.
  - unfold tv. simpl. replace (1 - t - (1 - t)) with 0 by ring. rewrite Rabs_R0, (Rabs_pos_eq (t - 0)), (Rabs_left1 (0 - t)) by lra.
    lra.
  - destruct (coupling_formula 3 E N p q P Q) as [_ [-> _]]. cbn [sum]. unfold wins_both.
    assert (Z1 : (if Rlt_dec 0 (q 1%nat) then / sum 3 (fun i => Rmax (p i / p 1%nat) (q i / q 1%nat)) else 0) = 0)
      by (destruct (Rlt_dec 0 (q 1%nat)) as [H|]; [simpl in H; lra | easy]).
    rewrite Z1. destruct (Rlt_dec 0 (p 2%nat)) as [H|_]; [simpl in H; lra|].
    destruct (Rlt_dec 0 (p 0%nat)) as [A|A]; [destruct (Rlt_dec 0 (q 0%nat)) as [_|B]; [|easy]|].
    + simpl in A |- *. assert (W : 0 <= t / (1 - t)) by (apply Rmult_le_pos; [lra | left; now apply Rinv_0_lt_compat]).
      rewrite Rmax_left by lra. rewrite (Rmax_left (t / (1 - t))) by (unfold Rdiv in *; lra).
      rewrite (Rmax_right (0 / (1 - t))) by (unfold Rdiv in *; lra). destruct (Rlt_dec 0 t); field; lra.
    + simpl in A. replace (1 - t) with 0 by lra. destruct (Rlt_dec 0 (p 1%nat)); unfold Rdiv; ring.
Qed.

(** Of two tokens draft and target that race with the same exponentials agree with probability 1 - TV(p, q). *)
Theorem coupling_attains_two_tokens E p q : independent_exponentials 2 E -> law 2 p -> law 2 q ->
  probability (fun w => winner 2 q (E w) = winner 2 p (E w)) = 1 - tv 2 p q.
Proof.
  intros N P Q. destruct (coupling_formula 2 E N p q P Q) as [_ [-> _]]. rewrite tv_sym, <- (overlap_tv 2 p q P Q).
  apply sum_ext. intros j L. unfold wins_both. pose proof (law_nonneg 2 p j P L) as PN. pose proof (law_nonneg 2 q j Q L) as QN.
  destruct (Rlt_dec 0 (p j)) as [PJ|PJ]; [destruct (Rlt_dec 0 (q j)) as [QJ|QJ]|].
  2: { rewrite Rmin_right; lra. }
  2: { rewrite Rmin_left; lra. }
  assert (Two : forall r, law 2 r -> 0 < r j -> r 0%nat / r j = (if Nat.eqb j 0 then 1 else / r j - 1) /\
    r 1%nat / r j = (if Nat.eqb j 0 then / r j - 1 else 1)).
  { intros r [_ R] J. simpl in R. destruct j as [|[|j]]; [| |lia]; simpl.
    - split; [field; lra|]. replace (r 1%nat) with (1 - r 0%nat) by lra. field. lra.
    - split; [|field; lra]. replace (r 0%nat) with (1 - r 1%nat) by lra. field. lra. }
  destruct (Two p P PJ) as [P0 P1]. destruct (Two q Q QJ) as [Q0 Q1]. cbn [sum]. rewrite P0, P1, Q0, Q1.
  assert (M : Rmax (/ p j - 1) (/ q j - 1) = / Rmin (p j) (q j) - 1).
  { destruct (Rle_lt_dec (p j) (q j)) as [H|H].
    - rewrite (Rmin_left (p j)) by lra. apply Rmax_left. assert (/ q j <= / p j) by now apply Rinv_le_contravar. lra.
    - rewrite (Rmin_right (p j)) by lra. apply Rmax_right. assert (/ p j <= / q j) by (apply Rinv_le_contravar; lra). lra. }
  assert (S0 : 0 < Rmin (p j) (q j)) by now apply Rmin_glb_lt.
  destruct (Nat.eqb j 0); rewrite M, (Rmax_left 1 1) by lra; field; lra.
Qed.

End Race.

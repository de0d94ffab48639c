(** Greedy drafts that are accepted for sure: how far a law must be from the target before its most likely token is refused. *)

Require Import Reals Lra Lia List Arith Bool.
Require Import laws lossless slopes several ears paths.
Import ListNotations.
Open Scope R_scope.

(** * Logarithms *)

Lemma exp_tangent v : 1 + v <= exp v.
Proof.
  destruct (Rle_dec 0 v) as [P|N]; [now apply exp_above|]. pose proof (exp_below (- v) ltac:(lra)) as B.
  replace (- - v) with v in B by ring. lra.
Qed.

Lemma logarithm_above t : 0 < t -> 1 - / t <= logarithm t.
Proof.
  intros P. pose proof (exp_tangent (- logarithm t)) as T. rewrite exp_Ropp, exp_logarithm in T by easy. lra.
Qed.

Lemma logarithm_quotient a b : 0 < a -> 0 < b -> logarithm (a / b) = logarithm a - logarithm b.
Proof.
  intros A B. unfold Rdiv. rewrite logarithm_mult, logarithm_inverse by (easy || now apply Rinv_0_lt_compat). ring.
Qed.

Lemma logarithm_monotone a b : 0 < a -> a <= b -> logarithm a <= logarithm b.
Proof.
  intros A [L|<-]; [|lra]. assert (B : 0 < b) by lra. pose proof (logarithm_above (b / a) ltac:(now apply Rdiv_lt_0_compat)) as T.
  rewrite logarithm_quotient in T by easy. assert (/ (b / a) <= 1); [|lra].
  replace (/ (b / a)) with (a / b) by (field; lra). apply (Rmult_le_reg_r b); [easy|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

(** p log(p/c), 0 where p is 0. *)
Definition weighted (p c : R) : R := if Rlt_dec 0 p then p * logarithm (p / c) else 0.

Lemma weighted_tangent p c u : 0 <= p -> 0 < c -> (0 < p -> 0 < u) -> weighted p c + p * (1 - u / c) <= weighted p u.
Proof.
  intros P C U. unfold weighted. destruct (Rlt_dec 0 p) as [H|H]; [|replace p with 0 by lra; lra].
  specialize (U H). rewrite !logarithm_quotient by easy.
  pose proof (logarithm_above (c / u) ltac:(now apply Rdiv_lt_0_compat)) as T. rewrite logarithm_quotient in T by easy.
  replace (/ (c / u)) with (u / c) in T by (field; lra). nra.
Qed.

Lemma weighted_self p : weighted p p = 0.
Proof.
  unfold weighted. destruct (Rlt_dec 0 p); [|easy]. replace (p / p) with 1 by (field; lra). rewrite logarithm_1. ring.
Qed.

Lemma divergence_weighted V p q : divergence V p q = sum V (fun x => weighted (p x) (q x)).
Proof. easy. Qed.

(** * Pools *)

Section Pools.

Variable V : nat.
Variable p : nat -> R.
Hypothesis target_law : law V p.

(** A token b, and those above a level c; c is the mean of the target over them. *)
Definition pooled (b : nat) (c : R) (x : nat) : bool := Nat.eqb x b || if Rlt_dec c (p x) then true else false.
Definition is_mean (b : nat) (c : R) : Prop :=
  c * sum V (fun x => if pooled b c x then 1 else 0) = sum V (fun x => if pooled b c x then p x else 0).

(** Σ p log(p/c) over the pool. *)
Definition radius (b : nat) (c : R) : R := sum V (fun x => if pooled b c x then weighted (p x) c else 0).

(** The target with c on the pool. *)
Definition cut_down (b : nat) (c : R) (x : nat) : R := if pooled b c x then c else p x.

(** A law that is largest at a refused token, alone or among others. *)
Definition mode_refused (refused : nat -> bool) (q : nat -> R) : Prop :=
  exists r, (r < V)%nat /\ refused r = true /\ forall x, (x < V)%nat -> q x <= q r.

(** A refused token that no other refused one is likelier than. *)
Definition likeliest (refused : nat -> bool) (b : nat) : Prop :=
  (b < V)%nat /\ refused b = true /\ forall x, (x < V)%nat -> refused x = true -> p x <= p b.

(** The least divergence from the target of laws that are largest at a refused token is so much: no finite one is less, and one
    is as much. *)
Definition is_least_divergence (refused : nat -> bool) (v : R) : Prop :=
  (forall q, law V q -> mode_refused refused q -> ~ is_infinite V p q -> v <= divergence V p q) /\
  exists q, law V q /\ mode_refused refused q /\ ~ is_infinite V p q /\ divergence V p q = v.

Lemma pool_split b c : (b < V)%nat ->
  sum V (fun x => if pooled b c x then p x - c else 0)
  = (p b - c) - Rmax 0 (p b - c) + sum V (fun x => Rmax 0 (p x - c)).
Proof.
  intros B. rewrite (sum_ext V _ (fun x => (if Nat.eqb x b then (p x - c) - Rmax 0 (p x - c) else 0) + Rmax 0 (p x - c))).
  - now rewrite sum_plus, sum_point.
  - intros x _. unfold pooled. destruct (Nat.eqb x b); simpl; [ring|].
    destruct (Rlt_dec c (p x)); [rewrite Rmax_right | rewrite Rmax_left]; lra.
Qed.

Lemma mean_sum b c : is_mean b c <-> sum V (fun x => if pooled b c x then p x - c else 0) = 0.
Proof.
  unfold is_mean. rewrite (sum_ext V (fun x => if pooled b c x then p x - c else 0)
    (fun x => (if pooled b c x then p x else 0) - c * (if pooled b c x then 1 else 0))).
  - rewrite sum_minus, sum_scale. split; lra.
  - intros x _. destruct (pooled b c x); ring.
Qed.

Lemma above_nonneg c : 0 <= sum V (fun x => Rmax 0 (p x - c)).
Proof. apply sum_nonneg. intros. apply Rmax_l. Qed.

Lemma mean_equation b c : (b < V)%nat -> is_mean b c <-> c - p b = sum V (fun x => Rmax 0 (p x - c)).
Proof.
  intros B. rewrite mean_sum, pool_split by easy. pose proof (above_nonneg c). destruct (Rle_dec (p b) c) as [L|L].
  - rewrite (Rmax_left 0 (p b - c)) by lra. split; lra.
  - rewrite (Rmax_right 0 (p b - c)) by lra. split; [|lra]. intros Z.
    pose proof (sum_term V (fun x => Rmax 0 (p x - c)) b (fun x _ => Rmax_l _ _) B) as T. cbv beta in T.
    rewrite Rmax_right in T by lra. lra.
Qed.

Lemma above_continuous n : continuity (fun c => sum n (fun x => Rmax 0 (p x - c))).
Proof.
  induction n as [|n IH]; [apply continuity_const; now intros a b|]. cbn [sum].
  apply (continuity_plus (fun c => sum n (fun x => Rmax 0 (p x - c))) (fun c => Rmax 0 (p n - c))); [exact IH|].
  assert (D : continuity (fun c => p n - c)).
  { apply (continuity_minus (fun _ => p n) id); [apply continuity_const; now intros a b | apply derivable_continuous, derivable_id]. }
  assert (E : forall c, / 2 * ((p n - c) + Rabs (p n - c)) = Rmax 0 (p n - c)).
  { intros c. unfold Rabs, Rmax. destruct (Rcase_abs (p n - c)), (Rle_dec 0 (p n - c)); lra. }
  intros c. apply (continuity_pt_locally_ext (fun c => / 2 * ((p n - c) + Rabs (p n - c))) _ 1 c Rlt_0_1 (fun c _ => E c)).
  apply (continuity_pt_scal (fun c => (p n - c) + Rabs (p n - c))).
  apply (continuity_pt_plus (fun c => p n - c) (fun c => Rabs (p n - c))); [apply D|].
  apply (continuity_pt_comp (fun c => p n - c) Rabs); [apply D | apply Rcontinuity_abs].
Qed.

Lemma mean_exists b : (b < V)%nat -> exists c, is_mean b c.
Proof.
  intros B. destruct (IVT (fun c => (c - p b) - sum V (fun x => Rmax 0 (p x - c))) (p b - 1) 2) as [c [_ E]].
  - apply (continuity_minus (fun c => c - p b) (fun c => sum V (fun x => Rmax 0 (p x - c)))); [|apply above_continuous].
    apply (continuity_minus id (fun _ => p b)); [apply derivable_continuous, derivable_id | apply continuity_const; now intros u v].
  - pose proof (law_le_1 V p b target_law B). lra.
  - pose proof (above_nonneg (p b - 1)). lra.
  - rewrite (sum_ext V _ (fun _ => 0)), sum_zero.
    + pose proof (law_le_1 V p b target_law B). lra.
    + intros x L. pose proof (law_le_1 V p x target_law L). apply Rmax_left. lra.
  - exists c. apply mean_equation; [easy | lra].
Qed.

Lemma mean_once b c c' : (b < V)%nat -> is_mean b c -> is_mean b c' -> c' = c.
Proof.
  intros B. rewrite !mean_equation by easy.
  assert (H : forall u v, u < v -> u - p b = sum V (fun x => Rmax 0 (p x - u)) -> v - p b = sum V (fun x => Rmax 0 (p x - v)) -> False).
  { intros u v L U W. assert (sum V (fun x => Rmax 0 (p x - v)) <= sum V (fun x => Rmax 0 (p x - u))); [|lra].
    apply sum_le. intros x _. unfold Rmax. destruct (Rle_dec 0 (p x - v)), (Rle_dec 0 (p x - u)); lra. }
  intros E E'. destruct (Rtotal_order c c') as [L|[->|L]]; [exfalso; eauto | easy | exfalso; eauto].
Qed.

Section Level.

Variable b : nat.
Variable c : R.
Hypothesis inside : (b < V)%nat.
Hypothesis mean : is_mean b c.

Lemma mean_above : p b <= c.
Proof. apply mean_equation in mean; [|easy]. pose proof (above_nonneg c). lra. Qed.

Lemma mean_positive : 0 < c.
Proof.
  pose proof mean_above as A. pose proof (law_nonneg V p b target_law inside) as P.
  destruct (Rlt_dec 0 c) as [|N]; [easy|]. exfalso. assert (Z : c = 0) by lra. apply mean_equation in mean; [|easy].
  assert (E : sum V (fun x => Rmax 0 (p x - c)) = 1).
  { destruct target_law as [N' One]. rewrite <- One. apply sum_ext. intros x L. specialize (N' x L). rewrite Rmax_right; lra. }
  lra.
Qed.

Lemma cut_down_most x : (x < V)%nat -> cut_down b c x <= c.
Proof.
  intros L. unfold cut_down, pooled. destruct (Nat.eqb_spec x b); simpl; [lra|]. destruct (Rlt_dec c (p x)); lra.
Qed.

Lemma cut_down_there : cut_down b c b = c.
Proof. unfold cut_down, pooled. now rewrite Nat.eqb_refl. Qed.

Lemma cut_down_law : law V (cut_down b c).
Proof.
  split.
  - intros x L. unfold cut_down. destruct (pooled b c x); [pose proof mean_positive; lra | now apply (law_nonneg V)].
  - transitivity (sum V p - sum V (fun x => if pooled b c x then p x - c else 0)).
    + rewrite <- sum_minus. apply sum_ext. intros x _. unfold cut_down. destruct (pooled b c x); ring.
    + apply mean_sum in mean. rewrite mean. destruct target_law as [_ ->]. ring.
Qed.

Lemma cut_down_finite : ~ is_infinite V p (cut_down b c).
Proof.
  intros [x [L [P Z]]]. unfold cut_down in Z. pose proof mean_positive. destruct (pooled b c x); lra.
Qed.

Lemma cut_down_divergence : divergence V p (cut_down b c) = radius b c.
Proof.
  rewrite divergence_weighted. apply sum_ext. intros x _. unfold cut_down. destruct (pooled b c x); [easy | apply weighted_self].
Qed.

Lemma cut_down_tv : tv V p (cut_down b c) = c - p b.
Proof.
  rewrite tv_positive by (destruct cut_down_law as [_ ->]; apply target_law). pose proof mean_above as A.
  apply mean_equation in mean; [|easy]. rewrite mean. apply sum_ext. intros x _. unfold cut_down, pooled.
  destruct (Nat.eqb_spec x b) as [->|N]; simpl; [easy|]. destruct (Rlt_dec c (p x)); [easy|].
  rewrite !Rmax_left; lra.
Qed.

(** A law whose mode is b. *)
Lemma mode_there q : law V q -> (forall x, (x < V)%nat -> q x <= q b) -> ~ is_infinite V p q -> radius b c <= divergence V p q.
Proof.
  intros Q Mode Finite. pose proof mean_positive as C.
  set (y := fun x => p x - q x + (if pooled b c x then q x * (c - p x) / c else 0)).
  assert (Y : 0 <= sum V y).
  { unfold y. rewrite sum_plus, sum_minus. destruct target_law as [_ ->], Q as [_ QOne]. rewrite QOne.
    apply (Rle_trans _ (q b / c * - sum V (fun x => if pooled b c x then p x - c else 0))).
    - apply mean_sum in mean. rewrite mean. lra.
    - rewrite Rminus_eq_0, Rplus_0_l. replace (- sum V _) with (-1 * sum V (fun x => if pooled b c x then p x - c else 0)) by ring.
      rewrite <- !sum_scale. apply sum_le. intros x L. destruct (pooled b c x) eqn:E; [|lra]. specialize (Mode x L).
      replace (q b / c * (-1 * (p x - c))) with (/ c * (q b * (c - p x))) by (field; lra).
      replace (q x * (c - p x) / c) with (/ c * (q x * (c - p x))) by (field; lra).
      apply Rmult_le_compat_l; [left; now apply Rinv_0_lt_compat|]. unfold pooled in E.
      destruct (Nat.eqb_spec x b) as [->|N]; [lra|]. simpl in E. destruct (Rlt_dec c (p x)); [nra | easy]. }
  apply (Rle_trans _ (radius b c + sum V y)); [lra|]. unfold radius. rewrite <- sum_plus, divergence_weighted. apply sum_le.
  intros x L. pose proof (law_nonneg V p x target_law L) as P. pose proof (law_nonneg V q x Q L) as QX.
  assert (F : 0 < p x -> 0 < q x).
  { intros PX. destruct QX as [|Z]; [easy|]. exfalso. apply Finite. exists x. auto. }
  unfold y. destruct (pooled b c x).
  - pose proof (weighted_tangent (p x) c (q x) P C F) as T.
    replace (p x - q x + q x * (c - p x) / c) with (p x * (1 - q x / c)) by (field; lra). exact T.
  - destruct P as [P|Z].
    + pose proof (weighted_tangent (p x) (p x) (q x) ltac:(lra) P F) as T. rewrite weighted_self in T.
      replace (p x * (1 - q x / p x)) with (p x - q x) in T by (field; lra). lra.
    + rewrite <- Z. unfold weighted. destruct (Rlt_dec 0 0); lra.
Qed.

(** Two tokens exchanged. *)
Definition swapped (r : nat) (q : nat -> R) (x : nat) : R := if Nat.eqb x b then q r else if Nat.eqb x r then q b else q x.

Lemma swap_sum r (f g : nat -> R) : (r < V)%nat -> r <> b -> (forall x, (x < V)%nat -> x <> b -> x <> r -> f x = g x) ->
  sum V f - sum V g = (f b - g b) + (f r - g r).
Proof.
  intros L N E. rewrite <- sum_minus, <- (sum_point V (fun x => f x - g x) b inside), <- (sum_point V (fun x => f x - g x) r L).
  rewrite <- sum_plus. apply sum_ext. intros x X. destruct (Nat.eqb_spec x b) as [->|Nb].
  - destruct (Nat.eqb_spec b r); [lia | ring].
  - destruct (Nat.eqb_spec x r) as [->|Nr]; [ring|]. rewrite (E x X Nb Nr). ring.
Qed.

(** A law whose mode is a token that is no likelier than b. *)
Lemma mode_elsewhere q r : law V q -> (r < V)%nat -> p r <= p b -> (forall x, (x < V)%nat -> q x <= q r) -> ~ is_infinite V p q ->
  radius b c <= divergence V p q.
Proof.
  intros Q L PB Mode Finite. destruct (Nat.eq_dec r b) as [->|N]; [now apply mode_there|].
  set (q' := swapped r q).
  assert (There : q' b = q r) by (unfold q', swapped; now rewrite Nat.eqb_refl).
  assert (Here : q' r = q b) by (unfold q', swapped; destruct (Nat.eqb_spec r b); [lia | now rewrite Nat.eqb_refl]).
  assert (Else : forall x, x <> b -> x <> r -> q' x = q x)
    by (intros x A B; unfold q', swapped; destruct (Nat.eqb_spec x b), (Nat.eqb_spec x r); easy).
  assert (F : forall x, (x < V)%nat -> 0 < p x -> 0 < q x).
  { intros x X P. destruct (law_nonneg V q x Q X) as [|Z]; [easy|]. exfalso. apply Finite. exists x. auto. }
  apply (Rle_trans _ (divergence V p q')).
  - apply mode_there.
    + split.
      * intros x X. unfold q', swapped. destruct (Nat.eqb x b); [now apply (law_nonneg V)|].
        destruct (Nat.eqb x r); now apply (law_nonneg V).
      * destruct Q as [_ One]. rewrite <- One. apply Rminus_diag_uniq. rewrite (swap_sum r) by (easy || (intros; now apply Else)).
        rewrite There, Here. ring.
    + intros x X. rewrite There. unfold q', swapped. destruct (Nat.eqb x b); [lra|]. destruct (Nat.eqb x r); now apply Mode.
    + intros [x [X [P Z]]]. unfold q', swapped in Z. destruct (Nat.eqb_spec x b) as [->|Nb].
      * pose proof (Mode b inside). pose proof (F b inside P). lra.
      * destruct (Nat.eqb_spec x r) as [->|Nr]; [|specialize (F x X P); lra]. pose proof (F b inside ltac:(lra)). lra.
  - apply Rminus_le. rewrite !divergence_weighted, (swap_sum r) by (easy || (intros; now rewrite Else)). rewrite There, Here.
    pose proof (law_nonneg V p b target_law inside) as P0. pose proof (law_nonneg V p r target_law L) as R0. unfold weighted.
    destruct (Rlt_dec 0 (p b)) as [PP|PP]; destruct (Rlt_dec 0 (p r)) as [RP|RP]; try lra.
    + pose proof (F b inside PP) as QB. pose proof (F r L RP) as QR. rewrite !logarithm_quotient by easy.
      pose proof (logarithm_monotone (q b) (q r) QB (Mode b inside)). nra.
    + pose proof (F b inside PP) as QB. pose proof (Mode b inside) as M. rewrite !logarithm_quotient by lra.
      pose proof (logarithm_monotone (q b) (q r) QB M). nra.
Qed.

End Level.

(** For a non-empty set of refused tokens the level of a likeliest one is there once. *)
Lemma least_divergence refused b c : likeliest refused b -> is_mean b c -> is_least_divergence refused (radius b c).
Proof.
  intros [B [RB Most]] M. split.
  - intros q Q [r [L [RR Mode]]] F. apply (mode_elsewhere b c B M q r); auto.
  - exists (cut_down b c). split; [now apply cut_down_law|]. split; [|split; [now apply cut_down_finite | now apply cut_down_divergence]].
    exists b. split; [easy|]. split; [easy|]. intros x L. rewrite cut_down_there. now apply cut_down_most.
Qed.

Lemma likeliest_exists refused : (exists x, (x < V)%nat /\ refused x = true) -> exists b, likeliest refused b.
Proof.
  unfold likeliest. clear target_law. induction V as [|n IH]; intros [x [L E]]; [lia|].
  assert (D : (exists y, (y < n)%nat /\ refused y = true) \/ forall y, (y < n)%nat -> refused y = false).
  { clear. induction n as [|n IH]; [right; lia|]. destruct IH as [[y [Y E]]|N]; [left; exists y; split; [lia | easy]|].
    destruct (refused n) eqn:E; [left; exists n; split; [lia | easy]|]. right. intros y Y.
    destruct (Nat.eq_dec y n) as [->|]; [easy | apply N; lia]. }
  destruct D as [H|N].
  - destruct (IH H) as [b [B [RB M]]]. destruct (refused n) eqn:RN.
    + destruct (Rle_dec (p n) (p b)) as [A|A].
      * exists b. split; [lia|]. split; [easy|]. intros y Y RY. destruct (Nat.eq_dec y n) as [->|]; [easy | apply M; [lia | easy]].
      * exists n. split; [lia|]. split; [easy|]. intros y Y RY. destruct (Nat.eq_dec y n) as [->|]; [lra|].
        assert (p y <= p b) by (apply M; [lia | easy]). lra.
    + exists b. split; [lia|]. split; [easy|]. intros y Y RY. destruct (Nat.eq_dec y n) as [->|]; [congruence | apply M; [lia | easy]].
  - assert (x = n) as ->. { destruct (Nat.eq_dec x n); [easy|]. rewrite N in E by lia. easy. }
    exists n. split; [lia|]. split; [easy|]. intros y Y RY. destruct (Nat.eq_dec y n) as [->|]; [lra|]. rewrite N in RY by lia. easy.
Qed.

(** The least divergence for a set of refused tokens, in closed form: whichever likeliest one is taken. *)
Definition has_closed_form (refused : nat -> bool) : Prop :=
  (exists b, likeliest refused b) /\
  forall b, likeliest refused b ->
    exists c, is_mean b c /\ (forall c', is_mean b c' -> c' = c) /\ is_least_divergence refused (radius b c).

Lemma closed_form refused : (exists x, (x < V)%nat /\ refused x = true) -> has_closed_form refused.
Proof.
  intros Some. split; [now apply likeliest_exists|]. intros b L. destruct (mean_exists b (proj1 L)) as [c M]. exists c.
  split; [easy|]. split; [intros c' M'; apply (mean_once b c c' (proj1 L) M M') | now apply least_divergence].
Qed.

(** For any non-empty set of rejected tokens the least KL(p ‖ q) over laws q that are largest at a rejected token is
    Σ p(x) log(p(x)/c) over S and b, b the likeliest rejected token, c the mean of p over S and b, S the tokens whose mass is
    above c: there is one such c; and it is attained. *)
Theorem greedy_any_set refused : (exists x, (x < V)%nat /\ refused x = true) ->
  (exists b, likeliest refused b) /\
  forall b, likeliest refused b ->
    exists c, is_mean b c /\ (forall c', is_mean b c' -> c' = c) /\ is_least_divergence refused (radius b c).
Proof. apply closed_form. Qed.

(** Where tokens with p(x) >= p₁ - τ are accepted, and some are not, the least KL(p ‖ q) over laws q that are largest at a
    rejected token has the form of greedy.any-set, and is attained. *)
Theorem greedy_additive tau : let refused x := if Rlt_dec (p x) (largest V p - tau) then true else false in
  (exists x, (x < V)%nat /\ refused x = true) -> has_closed_form refused.
Proof. intros refused. apply closed_form. Qed.

(** Where tokens with p(x) >= ρ p₁ are accepted, and some are not, the least KL(p ‖ q) over laws q that are largest at a rejected
    token has the form of greedy.any-set, and is attained. *)
Theorem greedy_multiplicative rho : let refused x := if Rlt_dec (p x) (rho * largest V p) then true else false in
  (exists x, (x < V)%nat /\ refused x = true) -> has_closed_form refused.
Proof. intros refused. apply closed_form. Qed.

(** Where tokens with p(x) >= min(ε, δ exp(-H(p))) are accepted, typical acceptance, and some are not, the
    least KL(p ‖ q) over laws q that are largest at a rejected token has the form of greedy.any-set, and is attained. *)
Theorem greedy_entropy epsilon delta : let H := - sum V (fun x => weighted (p x) 1) in
  let refused x := if Rlt_dec (p x) (Rmin epsilon (delta * exp (- H))) then true else false in
  (exists x, (x < V)%nat /\ refused x = true) -> has_closed_form refused.
Proof. intros H refused. apply closed_form. Qed.

(** For a criterion that rejects the tokens below a level, some at least, the least KL(p ‖ q) over laws q that are largest at a
    rejected token is Σ p(x) log(p(x)/c) over S and b, b the likeliest rejected token, c the mean of p over S and b, S the
    accepted tokens whose mass is above c; it is attained.  S is found from the likeliest down: of tokens taken in this order
    the next one is above the mean of those and b just where it is above c. *)
Theorem greedy_level_set threshold : let refused x := if Rlt_dec (p x) threshold then true else false in
  let in_pool b c x := (Nat.eqb x b || negb (refused x) && if Rlt_dec c (p x) then true else false)%bool in
  let is_mean_of_accepted b c :=
    c * sum V (fun x => if in_pool b c x then 1 else 0) = sum V (fun x => if in_pool b c x then p x else 0) in
  (exists x, (x < V)%nat /\ refused x = true) ->
  (exists b, likeliest refused b) /\
  forall b, likeliest refused b -> exists c, is_mean_of_accepted b c /\ (forall c', is_mean_of_accepted b c' -> c' = c) /\
    is_least_divergence refused (sum V (fun x => if in_pool b c x then weighted (p x) c else 0)) /\
    forall taken z, (z < V)%nat -> refused z = false -> taken z = false ->
      (forall x, (x < V)%nat -> taken x = true -> refused x = false /\ p z <= p x) ->
      (forall x, (x < V)%nat -> refused x = false -> taken x = false -> p x <= p z) ->
      let so_far x := (Nat.eqb x b || taken x)%bool in
      sum V (fun x => if so_far x then p x else 0) < p z * sum V (fun x => if so_far x then 1 else 0) <-> c < p z.
Proof.
  intros refused in_pool is_mean_of_accepted Some. destruct (closed_form refused Some) as [E F]. split; [exact E|].
  intros b L. destruct (F b L) as [c [M [Once Least]]]. exists c.
  assert (Same : forall d, p b <= d -> forall x, (x < V)%nat -> in_pool b d x = pooled b d x).
  { intros d D x X. unfold in_pool, pooled. destruct (Nat.eqb x b); [easy|]. simpl. destruct (refused x) eqn:R; [|easy].
    destruct L as [_ [_ Most]]. specialize (Most x X R). simpl. destruct (Rlt_dec d (p x)); [lra | easy]. }
  assert (Mean : forall d, p b <= d -> (is_mean_of_accepted b d <-> is_mean b d)).
  { intros d D. unfold is_mean_of_accepted, is_mean.
    rewrite (sum_ext V (fun x => if in_pool b d x then 1 else 0) (fun x => if pooled b d x then 1 else 0)),
      (sum_ext V (fun x => if in_pool b d x then p x else 0) (fun x => if pooled b d x then p x else 0));
      [easy | intros x X; now rewrite Same | intros x X; now rewrite Same]. }
  pose proof (mean_above b c (proj1 L) M) as A.
  assert (Above : forall d, is_mean_of_accepted b d -> p b <= d).
  { intros d D. destruct (Rle_dec (p b) d) as [|N]; [easy|]. exfalso. unfold is_mean_of_accepted in D.
    assert (Z : sum V (fun x => if in_pool b d x then p x - d else 0) = 0).
    { rewrite (sum_ext V _ (fun x => (if in_pool b d x then p x else 0) - d * (if in_pool b d x then 1 else 0))).
      - rewrite sum_minus, sum_scale. lra.
      - intros x _. destruct (in_pool b d x); ring. }
    assert (T : forall x, (x < V)%nat -> 0 <= (if in_pool b d x then p x - d else 0)).
    { intros x X. unfold in_pool. destruct (Nat.eqb_spec x b) as [->|]; simpl; [lra|].
      destruct (negb (refused x)); simpl; [|lra]. destruct (Rlt_dec d (p x)); lra. }
    pose proof (sum_term V _ b T (proj1 L)) as S. cbv beta in S. unfold in_pool at 1 in S. rewrite Nat.eqb_refl in S.
    simpl in S. lra. }
  split; [now apply Mean|]. split; [intros c' M'; apply Once; apply Mean; [now apply Above | exact M']|].
  split; [rewrite (sum_ext V _ (fun x => if pooled b c x then weighted (p x) c else 0)); [exact Least | intros x X; now rewrite Same]|].
  intros taken z Z Accepted Untaken Taken Others so_far. destruct L as [B [RB Most]].
  assert (Zero : sum V (fun x => if pooled b c x then p x - c else 0) = 0).
  { rewrite (sum_ext V _ (fun x => (if pooled b c x then p x else 0) - c * (if pooled b c x then 1 else 0))).
    - rewrite sum_minus, sum_scale. unfold is_mean in M. lra.
    - intros x _. destruct (pooled b c x); ring. }
  assert (Gap : sum V (fun x => if so_far x then p x - p z else 0)
    = sum V (fun x => if so_far x then p x else 0) - p z * sum V (fun x => if so_far x then 1 else 0)).
  { rewrite <- sum_scale, <- sum_minus. apply sum_ext. intros x _. destruct (so_far x); ring. }
  split.
  - intros Lower. destruct (Rlt_dec c (p z)) as [|Below]; [easy|]. exfalso.
    assert (T : sum V (fun x => if pooled b c x then p x - c else 0) <= sum V (fun x => if so_far x then p x - p z else 0)); [|lra].
    apply sum_le. intros x X. unfold so_far, pooled. destruct (Nat.eqb x b); [simpl; lra|]. simpl.
    destruct (taken x) eqn:T; [destruct (Taken x X T); destruct (Rlt_dec c (p x)); lra|]. destruct (Rlt_dec c (p x)) as [C|]; [|lra].
    destruct (refused x) eqn:R; [specialize (Most x X R); lra | specialize (Others x X R T); lra].
  - intros Above'.
    assert (T : forall x, (x < V)%nat -> 0 <= (if pooled b c x then p x - c else 0) - (if so_far x then p x - p z else 0)).
    { intros x X. unfold so_far, pooled. destruct (Nat.eqb x b); [simpl; lra|]. simpl.
      destruct (taken x) eqn:T; [destruct (Taken x X T); destruct (Rlt_dec c (p x)); lra | destruct (Rlt_dec c (p x)); lra]. }
    pose proof (sum_term V _ b T B) as S. cbv beta in S. rewrite sum_minus in S. unfold so_far, pooled at 1 in S.
    rewrite Nat.eqb_refl in S. cbn [orb] in S. fold so_far in S.
    change (fun x => if (Nat.eqb x b || taken x)%bool then p x - p z else 0) with (fun x => if so_far x then p x - p z else 0) in S. lra.
Qed.

End Pools.

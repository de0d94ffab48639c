(** SpecHub (Sun et al. 2024): lossless, and as good as any rule for its drafts. *)

Require Import Reals Lra Lia List Arith Bool.
Require Import laws lossless several certain.
Import ListNotations.
Open Scope R_scope.

Section Hub.

Variable V : nat.
Variables p q : nat -> R.
Variable a : nat.
Hypothesis target_law : law V p.
Hypothesis draft_law : law V q.
Hypothesis inside : (a < V)%nat.

Notation is_a := (fun x => Nat.eqb x a).
Notation others := (outside q is_a).
Notation others_law := (outside_law V q is_a).

(** Two drafts of which one is a, the most likely token: (i, a) with q(i), (a, i) with q(a) q(i)/(1 - q(a)); a alone where q has no
    other token. *)
Definition hub : program (list nat) :=
  x <- draw V q ;;
  if Nat.eqb x a then (if Rlt_dec (q a) 1 then (i <- draw V others_law ;; ret [a; i]) else ret [a]) else ret [x; a].

(** Masses of the pairs (i, a) and (a, i); what of these is emitted as i; as a; and what no pair has taken of the target. *)
Definition target_others (x : nat) : R := if Nat.eqb x a then 0 else p x.
Definition second (x : nat) : R := if Rlt_dec (q a) 1 then q a * others_law x else if Nat.eqb x a then q a else 0.
Definition from_first (x : nat) : R := Rmin (target_others x) (others x).
Definition from_second (x : nat) : R := Rmin (target_others x - from_first x) (second x).
Definition rest_first : R := sum V (fun x => others x - from_first x).
Definition rest_second : R := sum V (fun x => second x - from_second x).
Definition hub_second : R := Rmin (p a) rest_second.
Definition hub_first : R := Rmin (p a - hub_second) rest_first.
Definition untaken (x : nat) : R := if Nat.eqb x a then p a - hub_second - hub_first else p x - from_first x - from_second x.

(** The token beside a is kept with the share of its pair's mass that is emitted as it; else a with the share of what is left of such
    pairs; else a token is drawn of what no pair has taken. *)
Definition spechub (xs : list nat) : program (nat * bool) :=
  let at_first := Nat.eqb (hd 0%nat xs) a in
  let z := if at_first then last xs 0%nat else hd 0%nat xs in
  kept <- coin (if at_first then Rmin 1 (from_second z / second z) else Rmin 1 (from_first z / others z)) ;;
  if kept then ret (z, true)
  else (taken <- coin (if at_first then Rmin 1 (hub_second / rest_second) else Rmin 1 (hub_first / rest_first)) ;;
        if taken then ret (a, true) else (y <- draw V (made_law V untaken p) ;; ret (y, false))).

Lemma others_mass : sum V others = 1 - q a.
Proof.
  destruct draft_law as [_ One]. rewrite <- One, <- (sum_point V q a inside), <- sum_minus. apply sum_ext. intros x _. unfold outside.
  destruct (Nat.eqb x a); ring.
Qed.

Lemma top_range : 0 <= q a <= 1.
Proof. split; [now apply (law_nonneg V) | now apply (law_le_1 V)]. Qed.

Lemma others_nonneg x : (x < V)%nat -> 0 <= others x.
Proof. now apply outside_nonneg. Qed.

Lemma second_nonneg x : (x < V)%nat -> 0 <= second x.
Proof.
  intros L. pose proof top_range. unfold second. destruct (Rlt_dec (q a) 1).
  - apply Rmult_le_pos; [lra | now apply outside_law_nonneg].
  - destruct (Nat.eqb x a); lra.
Qed.

Lemma second_mass : sum V second = q a.
Proof.
  pose proof top_range as T. unfold second. destruct (Rlt_dec (q a) 1) as [L|L].
  - rewrite sum_scale. destruct (outside_law_law V q is_a draft_law) as [_ ->]; [rewrite others_mass; lra | ring].
  - now rewrite (sum_point V (fun _ => q a)).
Qed.

Lemma others_target x : (x < V)%nat -> 0 <= target_others x.
Proof. intros L. unfold target_others. destruct (Nat.eqb x a); [lra | now apply (law_nonneg V)]. Qed.

Lemma first_range x : (x < V)%nat -> 0 <= from_first x <= others x.
Proof.
  intros L. unfold from_first. split; [apply Rmin_glb; [now apply others_target | now apply others_nonneg] | apply Rmin_r].
Qed.

Lemma second_range x : (x < V)%nat -> 0 <= from_second x <= second x.
Proof.
  intros L. unfold from_second. split; [apply Rmin_glb; [|now apply second_nonneg] | apply Rmin_r].
  pose proof (Rmin_l (target_others x) (others x)). unfold from_first. lra.
Qed.

Lemma both_pairs x : (x < V)%nat -> from_first x + from_second x = Rmin (target_others x) (others_law x).
Proof.
  intros L. pose proof (others_target x L) as P. pose proof (others_nonneg x L) as O. pose proof (second_nonneg x L) as S.
  assert (E : from_first x + from_second x = Rmin (target_others x) (others x + second x)).
  { unfold from_second, from_first, Rmin. destruct (Rle_dec (target_others x) (others x)), (Rle_dec (target_others x) (others x + second x));
      destruct (Rle_dec _ (second x)); lra. }
  rewrite E. unfold second, outside_law. rewrite others_mass. pose proof top_range as T. destruct (Rlt_dec (q a) 1) as [H|H].
  - f_equal. field. lra.
  - assert (Z : sum V others = 0) by (rewrite others_mass; lra).
    assert (ZX : others x = 0) by now apply (sum_zero_terms V others others_nonneg Z). rewrite ZX. unfold Rdiv. rewrite Rmult_0_l.
    rewrite Rplus_0_l. unfold target_others in *. destruct (Nat.eqb x a); [|easy]. rewrite !Rmin_left; lra.
Qed.

Lemma rest_range : 0 <= rest_first /\ 0 <= rest_second.
Proof.
  split; apply sum_nonneg; intros x L; [pose proof (first_range x L) | pose proof (second_range x L)]; lra.
Qed.

Lemma pairs_mass : rest_first + rest_second = 1 - sum V (fun x => Rmin (target_others x) (others_law x)).
Proof.
  unfold rest_first, rest_second. rewrite !sum_minus, others_mass, second_mass.
  rewrite (sum_ext V (fun x => Rmin (target_others x) (others_law x)) (fun x => from_first x + from_second x))
    by (intros; now rewrite both_pairs).
  rewrite sum_plus. ring.
Qed.

Lemma target_others_mass : sum V target_others = 1 - p a.
Proof.
  destruct target_law as [_ One]. rewrite <- One, <- (sum_point V p a inside), <- sum_minus. apply sum_ext. intros x _. unfold target_others.
  destruct (Nat.eqb x a); ring.
Qed.

Lemma hub_takes_all : hub_first + hub_second = p a.
Proof.
  pose proof pairs_mass as M. pose proof rest_range as [R1 R2]. pose proof (law_nonneg V p a target_law inside) as P.
  assert (S : sum V (fun x => Rmin (target_others x) (others_law x)) <= sum V target_others) by (apply sum_le; intros; apply Rmin_l).
  rewrite target_others_mass in S. unfold hub_first, hub_second, Rmin.
  destruct (Rle_dec (p a) rest_second); destruct (Rle_dec _ rest_first); lra.
Qed.

Lemma hub_range : 0 <= hub_first <= rest_first /\ 0 <= hub_second <= rest_second.
Proof.
  pose proof rest_range as [R1 R2]. pose proof (law_nonneg V p a target_law inside) as P. unfold hub_first, hub_second.
  pose proof (Rmin_l (p a) rest_second). pose proof (Rmin_r (p a) rest_second).
  repeat split; try apply Rmin_r; apply Rmin_glb; lra.
Qed.

Lemma untaken_nonneg x : (x < V)%nat -> 0 <= untaken x.
Proof.
  intros L. pose proof hub_takes_all. unfold untaken. destruct (Nat.eqb_spec x a) as [->|N]; [lra|].
  pose proof (both_pairs x L) as B. unfold target_others in B. destruct (Nat.eqb_spec x a); [easy|].
  pose proof (Rmin_l (p x) (others_law x)). lra.
Qed.

Lemma untaken_mass : sum V untaken = rest_first - hub_first + (rest_second - hub_second).
Proof.
  pose proof hub_takes_all as H. pose proof pairs_mass as M.
  rewrite (sum_ext V untaken (fun x => target_others x - Rmin (target_others x) (others_law x))).
  - rewrite sum_minus, target_others_mass. lra.
  - intros x L. rewrite <- both_pairs by easy. unfold untaken, target_others. destruct (Nat.eqb_spec x a) as [->|N]; [|ring].
    pose proof (both_pairs a L) as B. unfold target_others in B. rewrite Nat.eqb_refl in B.
    rewrite Rmin_left in B by now apply outside_law_nonneg. lra.
Qed.

Lemma pair_value (m u : nat -> R) (f : nat * bool -> R) c x : 0 <= u x <= m x ->
  m x * (Rmin 1 (u x / m x) * f (x, true) + (1 - Rmin 1 (u x / m x)) * c) = u x * f (x, true) + (m x - u x) * c.
Proof. intros U. rewrite <- (quotient_mass (u x) (m x) U) at 3 4. ring. Qed.

Lemma spechub_value f : expect (xs <- hub ;; spechub xs) f
  = sum V (fun x => Rmin (target_others x) (others_law x) * f (x, true)) + p a * f (a, true) + sum V (fun y => untaken y * f (y, false)).
Proof.
  set (L := sum V (fun y => made_law V untaken p y * f (y, false))).
  set (c := Rmin 1 (hub_first / rest_first) * f (a, true) + (1 - Rmin 1 (hub_first / rest_first)) * L).
  set (d := Rmin 1 (hub_second / rest_second) * f (a, true) + (1 - Rmin 1 (hub_second / rest_second)) * L).
  assert (D : expect (y <- draw V (made_law V untaken p) ;; ret (y, false)) f = L).
  { rewrite expect_bind, expect_draw. apply sum_ext. intros y _. now rewrite expect_ret. }
  assert (First : forall x, x <> a -> expect (spechub [x; a]) f
    = Rmin 1 (from_first x / others x) * f (x, true) + (1 - Rmin 1 (from_first x / others x)) * c).
  { intros x N. unfold spechub. simpl hd. destruct (Nat.eqb_spec x a) as [|_]; [easy|].
    now rewrite expect_bind, expect_coin, expect_ret, expect_bind, expect_coin, expect_ret, D. }
  assert (Second : forall xs z, hd 0%nat xs = a -> last xs 0%nat = z -> expect (spechub xs) f
    = Rmin 1 (from_second z / second z) * f (z, true) + (1 - Rmin 1 (from_second z / second z)) * d).
  { intros xs z H Z. unfold spechub. rewrite H, Nat.eqb_refl, Z.
    now rewrite expect_bind, expect_coin, expect_ret, expect_bind, expect_coin, expect_ret, D. }
  set (pairs := sum V (fun x => second x * (Rmin 1 (from_second x / second x) * f (x, true) + (1 - Rmin 1 (from_second x / second x)) * d))).
  rewrite expect_bind. unfold hub. rewrite expect_bind, expect_draw.
  rewrite (sum_ext V _ (fun x => others x * (Rmin 1 (from_first x / others x) * f (x, true) + (1 - Rmin 1 (from_first x / others x)) * c)
    + (if Nat.eqb x a then pairs else 0))).
  - rewrite sum_plus, (sum_point V (fun _ => pairs)) by easy. pose proof hub_range as [H1 H2].
    rewrite (sum_ext V _ _ (fun x X => pair_value others from_first f c x (first_range x X))).
    unfold pairs. rewrite (sum_ext V _ _ (fun x X => pair_value second from_second f d x (second_range x X))).
    rewrite !sum_plus, !sum_scale_right. fold rest_first rest_second.
    assert (C : rest_first * c = hub_first * f (a, true) + (rest_first - hub_first) * L).
    { unfold c. pose proof (quotient_mass hub_first rest_first H1) as Q. set (m := Rmin 1 (hub_first / rest_first)) in *. rewrite <- Q. ring. }
    assert (E : rest_second * d = hub_second * f (a, true) + (rest_second - hub_second) * L).
    { unfold d. pose proof (quotient_mass hub_second rest_second H2) as Q. set (m := Rmin 1 (hub_second / rest_second)) in *. rewrite <- Q. ring. }
    rewrite C, E. rewrite <- (made_law_mean V untaken p (fun y => f (y, false)) untaken_nonneg). fold L. rewrite untaken_mass.
    rewrite (sum_ext V (fun x => Rmin (target_others x) (others_law x) * f (x, true))
      (fun x => from_first x * f (x, true) + from_second x * f (x, true))).
    + rewrite sum_plus, <- hub_takes_all. ring.
    + intros x X. rewrite <- both_pairs by easy. ring.
  - intros x X. unfold outside at 1. destruct (Nat.eqb_spec x a) as [->|N].
    + rewrite Rmult_0_l, Rplus_0_l. unfold pairs, second at 1. destruct (Rlt_dec (q a) 1) as [T|T].
      * rewrite expect_bind, expect_draw, <- sum_scale. apply sum_ext. intros i I. rewrite expect_ret, (Second [a; i] i) by easy.
        unfold second. destruct (Rlt_dec (q a) 1); [ring | easy].
      * rewrite expect_ret, (Second [a] a) by easy. rewrite (sum_ext V _ (fun x => if Nat.eqb x a then
          q a * (Rmin 1 (from_second x / second x) * f (x, true) + (1 - Rmin 1 (from_second x / second x)) * d) else 0)).
        -- now rewrite sum_point.
        -- intros y _. destruct (Nat.eqb y a); ring.
    + rewrite expect_ret, First by easy. ring.
Qed.

Lemma spechub_emits y : (y < V)%nat -> chance (xs <- hub ;; spechub xs) (fun o => Nat.eqb (fst o) y) = p y.
Proof.
  intros L. unfold chance. rewrite spechub_value. simpl fst.
  assert (Point : forall g, sum V (fun x => g x * indicator (Nat.eqb x y)) = g y).
  { intros g. rewrite <- (sum_point V g y L). apply sum_ext. intros x _. unfold indicator. destruct (Nat.eqb x y); ring. }
  rewrite !Point. rewrite <- both_pairs by easy. unfold untaken, indicator. rewrite (Nat.eqb_sym a y). destruct (Nat.eqb_spec y a) as [->|N]; [|ring].
  pose proof hub_takes_all. pose proof (both_pairs a L) as B. unfold target_others in B. rewrite Nat.eqb_refl in B.
  rewrite Rmin_left in B by now apply outside_law_nonneg. lra.
Qed.

(** SpecHub emits with law p, a the most likely token of q. *)
Theorem multi_spechub_lossless : (forall x, (x < V)%nat -> q x <= q a) ->
  forall y, (y < V)%nat -> chance (xs <- hub ;; spechub xs) (fun o => Nat.eqb (fst o) y) = p y.
Proof. intros _. apply spechub_emits. Qed.

Lemma hub_shape xs : In xs (outcomes hub) -> exists i, (i < V)%nat /\ ((xs = [i; a] /\ i <> a) \/ xs = [a; i] \/ (xs = [a] /\ i = a)).
Proof.
  unfold hub. intros H. apply outcomes_bind in H as [x [X H]]. apply drawn_inside in X. destruct (Nat.eqb_spec x a) as [->|N].
  - destruct (Rlt_dec (q a) 1).
    + apply outcomes_bind in H as [i [I [<-|[]]]]. apply drawn_inside in I. exists i. auto.
    + destruct H as [<-|[]]. exists a. auto.
  - destruct H as [<-|[]]. exists x. auto.
Qed.

Lemma hub_weights w xs : In (w, xs) hub -> 0 <= w.
Proof.
  assert (P : proper hub); [|apply P]. apply proper_bind; [now apply proper_draw|]. intros x _. destruct (Nat.eqb x a); [|apply proper_ret].
  destruct (Rlt_dec (q a) 1) as [T|T]; [|apply proper_ret]. apply proper_bind; [|intros; apply proper_ret].
  apply proper_draw, outside_law_law; [easy | rewrite others_mass; lra].
Qed.

Lemma hub_often x : (x < V)%nat ->
  expect hub (fun xs => if existsb (Nat.eqb x) xs then 1 else 0) <= if Nat.eqb x a then 1 else others_law x.
Proof.
  intros L. pose proof top_range as T. destruct (Nat.eqb_spec x a) as [->|N].
  - assert (P : proper hub).
    { apply proper_bind; [now apply proper_draw|]. intros x _. destruct (Nat.eqb x a); [|apply proper_ret].
      destruct (Rlt_dec (q a) 1) as [H|H]; [|apply proper_ret]. apply proper_bind; [|intros; apply proper_ret].
      apply proper_draw, outside_law_law; [easy | rewrite others_mass; lra]. }
    destruct P as [W One]. apply (Rle_trans _ (expect hub (fun _ => 1))); [|lra]. apply expect_le_in; [exact W|]. intros xs _.
    destruct (existsb (Nat.eqb a) xs); lra.
  - unfold hub. rewrite expect_bind, expect_draw.
    rewrite (sum_ext V _ (fun z => (if Nat.eqb z x then q z else 0)
      + (if Nat.eqb z a then q a * (if Rlt_dec (q a) 1 then others_law x else 0) else 0))).
    + rewrite sum_plus, (sum_point V q), (sum_point V (fun _ => q a * _)) by easy. unfold outside_law. rewrite others_mass. unfold outside.
      destruct (Nat.eqb_spec x a); [easy|]. destruct (Rlt_dec (q a) 1) as [H|H]; [right; field; lra|].
      assert (Z : sum V others = 0) by (rewrite others_mass; lra).
      pose proof (sum_zero_terms V others others_nonneg Z x L) as O. unfold outside in O. destruct (Nat.eqb_spec x a); [easy|].
      rewrite O. unfold Rdiv. lra.
    + intros z Z. destruct (Nat.eqb_spec z a) as [->|M].
      * destruct (Nat.eqb_spec a x); [subst; easy|]. destruct (Rlt_dec (q a) 1) as [H|H].
        -- rewrite expect_bind, expect_draw. rewrite Rplus_0_l. f_equal. rewrite <- (sum_point V others_law x L). apply sum_ext. intros i _.
           rewrite expect_ret. simpl. destruct (Nat.eqb_spec x a); [easy|]. rewrite (Nat.eqb_sym x i). destruct (Nat.eqb i x); simpl; ring.
        -- rewrite expect_ret. simpl. destruct (Nat.eqb_spec x a); [easy|]. simpl. ring.
      * rewrite expect_ret. simpl. rewrite (Nat.eqb_sym x z). destruct (Nat.eqb z x); simpl; [ring|]. destruct (Nat.eqb_spec x a); [easy|].
        simpl. ring.
Qed.

(** The acceptance of SpecHub is α*(p, hub), the best of all lossless rules for its drafts, a the most likely token of q: it is
    p(a) + Σ min(p, q̃) over the others, as of greedy drafts. *)
Theorem multi_spechub_optimal : (forall x, (x < V)%nat -> q x <= q a) ->
  accepts (xs <- hub ;; spechub xs) = greedy_acceptance V p q is_a /\
  is_best_acceptance V p hub (accepts (xs <- hub ;; spechub xs)).
Proof.
  intros _.
  assert (E : accepts (xs <- hub ;; spechub xs) = sum V (fun x => Rmin (p x) (if Nat.eqb x a then 1 else others_law x))).
  { unfold accepts, chance. rewrite spechub_value. unfold indicator. simpl.
    rewrite (sum_ext V (fun y => untaken y * 0) (fun _ => 0)), sum_zero by (intros; ring).
    rewrite (sum_ext V (fun x => Rmin (p x) _) (fun x => Rmin (target_others x) (others_law x) * 1 + (if Nat.eqb x a then p a else 0))).
    - rewrite sum_plus, (sum_point V (fun _ => p a)) by easy. ring.
    - intros x L. unfold target_others. destruct (Nat.eqb_spec x a) as [->|N]; [|ring].
      rewrite (Rmin_left (p a) 1) by now apply (law_le_1 V). rewrite Rmin_left by now apply outside_law_nonneg. ring. }
  split.
  { rewrite E. apply sum_ext. intros x L. destruct (Nat.eqb_spec x a) as [->|N]; [|easy]. apply Rmin_left. now apply (law_le_1 V). }
  split.
  - intros decide Rule. rewrite E.
    apply (no_rule_accepts_more V p hub hub_weights decide (fun x => if Nat.eqb x a then 1 else others_law x) Rule hub_often).
  - exists spechub. split; [|easy]. pose proof rest_range as [R1 R2]. pose proof hub_range as [H1 H2].
    assert (Z : forall xs, In xs (outcomes hub) -> let z := if Nat.eqb (hd 0%nat xs) a then last xs 0%nat else hd 0%nat xs in
      (z < V)%nat /\ In z xs /\ In a xs).
    { intros xs D. destruct (hub_shape xs D) as [i [I [[-> N]|[->|[-> ->]]]]]; simpl.
      - destruct (Nat.eqb_spec i a); [easy | auto].
      - rewrite Nat.eqb_refl. auto.
      - rewrite Nat.eqb_refl. auto. }
    split; [|split; [|split; [|exact spechub_emits]]].
    + intros xs D. destruct (Z xs D) as [ZV _]. set (z := if Nat.eqb (hd 0%nat xs) a then last xs 0%nat else hd 0%nat xs) in *.
      pose proof (first_range z ZV). pose proof (second_range z ZV). unfold spechub. fold z. apply proper_bind.
      * apply proper_coin. destruct (Nat.eqb (hd 0%nat xs) a); apply quotient_range; lra.
      * intros [|] _; [apply proper_ret|]. apply proper_bind.
        -- apply proper_coin. destruct (Nat.eqb (hd 0%nat xs) a); apply quotient_range; lra.
        -- intros [|] _; [apply proper_ret|]. apply proper_bind; [|intros; apply proper_ret].
           now apply proper_draw, made_law_law, target_law; apply untaken_nonneg.
    + intros xs x D H. destruct (Z xs D) as [_ [ZI AI]]. unfold spechub in H. apply outcomes_bind in H as [[|] [_ H]].
      * destruct H as [F|[]]. inversion F; subst. exact ZI.
      * apply outcomes_bind in H as [[|] [_ H]]; [destruct H as [F|[]]; now inversion F; subst|].
        apply outcomes_bind in H as [y [_ [F|[]]]]. now inversion F.
    + intros xs o D H. destruct (Z xs D) as [ZV _]. unfold spechub in H. apply outcomes_bind in H as [[|] [_ H]].
      * destruct H as [<-|[]]. exact ZV.
      * apply outcomes_bind in H as [[|] [_ H]]; [destruct H as [<-|[]]; exact inside|].
        apply outcomes_bind in H as [y [Y [<-|[]]]]. now apply drawn_inside in Y.
Qed.

End Hub.

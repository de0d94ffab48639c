(** Greedy drafts that are accepted for sure, by the two largest masses of the target, and by nested criteria. *)

Require Import Reals Lra Lia List Arith Bool.
Require Import laws lossless slopes several ears paths sqs lattice rejections distortion best certificates.
Import ListNotations.
Open Scope R_scope.

(** * Criteria, one within the other *)

(** A criterion that rejects a part of what another rejects has no smaller certificate: no law that is largest at a token that it
    rejects is nearer than the least KL(p ‖ q) for the other, and where it rejects some token its least is at least that. *)
Theorem greedy_nested V p fewer refused v : law V p -> (forall x, (x < V)%nat -> fewer x = true -> refused x = true) ->
  is_least_divergence V p refused v ->
  (forall q, law V q -> mode_refused V fewer q -> ~ is_infinite V p q -> v <= divergence V p q) /\
  (forall v', is_least_divergence V p fewer v' -> v <= v') /\
  ((exists x, (x < V)%nat /\ fewer x = true) -> exists v', is_least_divergence V p fewer v').
Proof.
  intros P Within [Least _].
  assert (H : forall q, law V q -> mode_refused V fewer q -> ~ is_infinite V p q -> v <= divergence V p q).
  { intros q Q [r [L [F Mode]]] Finite. apply Least; [easy | exists r; auto | easy]. }
  split; [exact H|]. split.
  - intros v' [_ [q [Q [Mode [Finite <-]]]]]. now apply H.
  - intros Some. destruct (closed_form V p P fewer Some) as [[b B] Each]. destruct (Each b B) as [c [_ [_ L]]]. now exists (radius V p b c).
Qed.

(** Additive criterion, that accepts tokens with p(x) >= p₁ - τ: the least KL(p ‖ q) over laws q whose mode is refused is the
    least over refused b of Σ p(x) log(p(x)/λ) over A, which holds b and the tokens above λ, the mean of p over A: for every b it is
    the least over the laws whose mode is b, and attained. *)
Theorem relaxed_certificate_additive V p tau : law V p ->
  let refused x := if Rlt_dec (p x) (largest V p - tau) then true else false in
  (forall b, (b < V)%nat -> exists lambda, is_mean V p b lambda /\ (forall lambda', is_mean V p b lambda' -> lambda' = lambda) /\
    is_least_divergence V p (Nat.eqb b) (radius V p b lambda)) /\
  ((exists x, (x < V)%nat /\ refused x = true) ->
    exists b lambda, (b < V)%nat /\ refused b = true /\ is_mean V p b lambda /\
      is_least_divergence V p refused (radius V p b lambda) /\
      forall b' lambda', (b' < V)%nat -> refused b' = true -> is_mean V p b' lambda' -> radius V p b lambda <= radius V p b' lambda').
Proof.
  intros P refused.
  assert (One : forall b c, (b < V)%nat -> is_mean V p b c -> is_least_divergence V p (Nat.eqb b) (radius V p b c)).
  { intros b c B M. apply least_divergence; [easy | | easy]. split; [easy|]. split; [apply Nat.eqb_refl|].
    intros x _ E. apply Nat.eqb_eq in E as ->. lra. }
  split.
  - intros b B. destruct (mean_exists V p P b B) as [c M]. exists c. split; [easy|].
    split; [intros c' M'; now apply (mean_once V p b c c') | now apply One].
  - intros Some. destruct (closed_form V p P refused Some) as [[b B] Each]. destruct (Each b B) as [c [M [_ Least]]]. exists b, c.
    split; [apply B|]. split; [apply B|]. split; [easy|]. split; [easy|]. intros b' c' B' R' M'.
    apply (greedy_nested V p (Nat.eqb b') refused); [easy | | easy | now apply One].
    intros x _ E. apply Nat.eqb_eq in E as <-. easy.
Qed.

(** ** The m likeliest tokens are accepted *)

Lemma filter_within {A} (f g : A -> bool) l : (forall a, In a l -> f a = true -> g a = true) ->
  (length (filter f l) <= length (filter g l))%nat.
Proof.
  induction l as [|a l IH]; intros H; [easy|]. simpl. assert (L : (length (filter f l) <= length (filter g l))%nat)
    by (apply IH; intros b I; apply H; now right).
  destruct (f a) eqn:F; [rewrite (H a) by (easy || now left); simpl; lia|]. destruct (g a); simpl; lia.
Qed.

Lemma filter_more {A} (f g : A -> bool) l b : In b l -> f b = false -> g b = true -> (forall a, In a l -> f a = true -> g a = true) ->
  (length (filter f l) < length (filter g l))%nat.
Proof.
  induction l as [|a l IH]; intros I F G H; [easy|]. simpl. destruct I as [->|I].
  - rewrite F, G. simpl. assert ((length (filter f l) <= length (filter g l))%nat); [|lia].
    apply filter_within. intros c C. apply H. now right.
  - assert (L : (length (filter f l) < length (filter g l))%nat) by (apply IH; try easy; intros c C; apply H; now right).
    destruct (f a) eqn:E; [rewrite (H a) by (easy || now left); simpl; lia|]. destruct (g a); simpl; lia.
Qed.

(** Where the m likeliest tokens are accepted, m < V, the least KL(p ‖ q) over laws q that are largest at a rejected token is
    Σ p(x) log(p(x)/c) over S and b, b the likeliest rejected token, c the mean of p over S and b, S the tokens above c; it is
    attained; b has mass p_{m+1}: no more than m tokens are likelier, and more than m as likely. *)
Theorem greedy_top_m V p m accepted : law V p -> (m < V)%nat -> is_top V m p accepted ->
  let refused x := negb (accepted x) in
  has_closed_form V p refused /\
  forall b, likeliest V p refused b ->
    (size V (fun x => if Rlt_dec (p b) (p x) then true else false) <= m < size V (fun x => if Rle_dec (p b) (p x) then true else false))%nat.
Proof.
  intros P L [Size Top] refused. split.
  - apply closed_form; [easy|]. assert (D : (exists x, (x < V)%nat /\ refused x = true) \/ forall x, (x < V)%nat -> accepted x = true).
    { clear - refused. induction V as [|n IH]; [right; lia|]. destruct IH as [[y [Y E]]|N]; [left; exists y; split; [lia | easy]|].
      destruct (accepted n) eqn:E; [right | left; exists n; unfold refused; rewrite E; split; [lia | easy]].
      intros x X. destruct (Nat.eq_dec x n) as [->|]; [easy | apply N; lia]. }
    destruct D as [D|D]; [exact D|]. exfalso. unfold size, listed in Size. rewrite filter_all, seq_length in Size; [lia|].
    intros x I. apply in_seq in I. apply D. lia.
  - intros b [B [RB Most]]. unfold refused in RB. apply negb_true_iff in RB. unfold size, listed in *. rewrite <- Size. split.
    + apply filter_within. intros x I. apply in_seq in I. destruct (Rlt_dec (p b) (p x)) as [A|A]; [|easy]. intros _.
      destruct (accepted x) eqn:E; [easy|]. assert (p x <= p b) by (apply Most; [lia | unfold refused; now rewrite E]). lra.
    + apply (filter_more _ _ _ b); [apply in_seq; lia | easy | destruct (Rle_dec (p b) (p b)); [easy | lra] |].
      intros x I E. apply in_seq in I. assert (p b <= p x) by (apply Top; easy || lia). now destruct (Rle_dec (p b) (p x)).
Qed.

(** * Total variation *)

(** For any non-empty set of rejected tokens the least TV(p, q) over laws q that are largest at a rejected token is c - p(b), b the
    likeliest rejected token, c the mean of p over b and the tokens above c; it is attained. *)
Theorem greedy_any_tv V p refused : law V p -> (exists x, (x < V)%nat /\ refused x = true) ->
  (exists b, likeliest V p refused b) /\
  forall b, likeliest V p refused b -> exists c, is_mean V p b c /\ (forall c', is_mean V p b c' -> c' = c) /\
    (forall q, law V q -> mode_refused V refused q -> c - p b <= tv V p q) /\
    exists q, law V q /\ mode_refused V refused q /\ tv V p q = c - p b.
Proof.
  intros P Some. split; [now apply likeliest_exists|]. intros b [B [RB Most]]. destruct (mean_exists V p P b B) as [c M]. exists c.
  split; [easy|]. split; [intros c' M'; now apply (mean_once V p b c c')|]. split.
  - intros q Q [r [L [RR Mode]]]. destruct (Rle_dec c (q r)) as [H|H].
    + rewrite tv_sym, tv_positive by (destruct Q as [_ ->]; now destruct P as [_ ->]).
      apply (Rle_trans _ (Rmax 0 (q r - p r))); [eapply Rle_trans; [|apply Rmax_r]; specialize (Most r L RR); lra|].
      apply (sum_term V (fun x => Rmax 0 (q x - p x))); [intros; apply Rmax_l | easy].
    + rewrite tv_positive by (destruct Q as [_ ->]; now destruct P as [_ ->]).
      apply (mean_equation V p b c B) in M. rewrite M. apply sum_le. intros x X. specialize (Mode x X).
      unfold Rmax. destruct (Rle_dec 0 (p x - c)), (Rle_dec 0 (p x - q x)); lra.
  - exists (cut_down p b c). split; [now apply cut_down_law|]. split; [|now apply cut_down_tv].
    exists b. split; [easy|]. split; [easy|]. intros x X. rewrite cut_down_there. now apply (cut_down_most V).
Qed.

(** * The two largest masses *)

(** Tokens a and b of the largest mass, and of the largest of all others. *)
Definition first_two (V : nat) (p : nat -> R) (a b : nat) : Prop :=
  (a < V)%nat /\ (b < V)%nat /\ a <> b /\ p b <= p a /\ forall x, (x < V)%nat -> x <> a -> p x <= p b.

(** A law that has a alone on top, and one that has as much on another token. *)
Definition alone_on_top (V : nat) (q : nat -> R) (a : nat) : Prop := forall x, (x < V)%nat -> x <> a -> q x < q a.
Definition as_much_elsewhere (V : nat) (q : nat -> R) (a : nat) : Prop := exists x, (x < V)%nat /\ x <> a /\ q a <= q x.

Lemma not_alone V q a : ~ as_much_elsewhere V q a -> alone_on_top V q a.
Proof. intros N x L E. destruct (Rlt_le_dec (q x) (q a)); [easy|]. exfalso. apply N. now exists x. Qed.

Lemma elsewhere_mode V q a : (a < V)%nat -> as_much_elsewhere V q a -> mode_refused V (fun x => negb (Nat.eqb x a)) q.
Proof.
  intros A [x [L [N E]]]. destruct (likeliest_exists V q (fun _ => true)) as [r [R [_ Most]]]; [now exists a|].
  destruct (Nat.eq_dec r a) as [->|D].
  - exists x. split; [easy|]. split; [destruct (Nat.eqb_spec x a); easy|]. intros y Y. specialize (Most y Y eq_refl). lra.
  - exists r. split; [easy|]. split; [destruct (Nat.eqb_spec r a); easy|]. intros y Y. now apply Most.
Qed.

Section Two.

Variable V : nat.
Variable p : nat -> R.
Variables a b : nat.
Hypothesis target_law : law V p.
Hypothesis two : first_two V p a b.

Notation middle := ((p a + p b) / 2).

Lemma second_likeliest : likeliest V p (fun x => negb (Nat.eqb x a)) b.
Proof.
  destruct two as [A [B [N [_ Most]]]]. split; [easy|]. split; [destruct (Nat.eqb_spec b a); [lia | easy]|].
  intros x L E. apply Most; [easy|]. now destruct (Nat.eqb_spec x a).
Qed.

Lemma middle_mean : is_mean V p b middle.
Proof.
  destruct two as [A [B [N [Order Most]]]]. apply mean_equation; [easy|].
  rewrite (sum_ext V _ (fun x => if Nat.eqb x a then Rmax 0 (p x - middle) else 0)).
  - rewrite sum_point by easy. rewrite Rmax_right; lra.
  - intros x L. destruct (Nat.eqb_spec x a) as [|D]; [easy|]. specialize (Most x L D). apply Rmax_left. lra.
Qed.

Lemma two_radius : radius V p b middle = weighted (p a) middle + weighted (p b) middle.
Proof.
  destruct two as [A [B [N [Order Most]]]]. unfold radius.
  rewrite (sum_ext V _ (fun x => (if Nat.eqb x a then weighted (p x) middle else 0) + (if Nat.eqb x b then weighted (p x) middle else 0))).
  - now rewrite sum_plus, !sum_point.
  - intros x L. unfold pooled. destruct (Nat.eqb_spec x b) as [->|D]; simpl.
    + destruct (Nat.eqb_spec b a); [lia | ring].
    + destruct (Nat.eqb_spec x a) as [->|E].
      * destruct (Rlt_dec middle (p a)) as [|H]; [ring|]. replace middle with (p a) by lra. rewrite weighted_self. ring.
      * specialize (Most x L E). destruct (Rlt_dec middle (p x)); lra.
Qed.

Lemma first_positive : 0 < p a.
Proof.
  destruct two as [A [B [N [Order Most]]]]. destruct (Rlt_dec 0 (p a)) as [|H]; [easy|]. exfalso.
  assert (S : sum V p <= sum V (fun _ => 0)).
  { apply sum_le. intros x L. destruct (Nat.eq_dec x a) as [->|D]; [lra | specialize (Most x L D); lra]. }
  rewrite sum_zero in S. destruct target_law as [_ One]. lra.
Qed.

Lemma two_bound q : law V q -> ~ is_infinite V p q -> as_much_elsewhere V q a ->
  weighted (p a) middle + weighted (p b) middle <= divergence V p q.
Proof.
  intros Q F E. rewrite <- two_radius. apply (least_divergence V p target_law _ b middle second_likeliest middle_mean); [easy | | easy].
  apply elsewhere_mode; [apply two | easy].
Qed.

Lemma two_attained : exists q, law V q /\ ~ is_infinite V p q /\ as_much_elsewhere V q a /\
  divergence V p q = weighted (p a) middle + weighted (p b) middle /\ tv V p q = (p a - p b) / 2.
Proof.
  destruct two as [A [B [N [Order Most]]]]. exists (cut_down p b middle). pose proof middle_mean as M.
  split; [now apply cut_down_law|]. split; [now apply cut_down_finite|]. split; [|split].
  - exists b. split; [easy|]. split; [auto|]. rewrite cut_down_there. now apply (cut_down_most V).
  - rewrite <- two_radius. now apply cut_down_divergence.
  - rewrite (cut_down_tv V p target_law b middle B M). field.
Qed.

(** p₁ > p₂ the two largest of p: KL(p ‖ q) < p₁ log(2 p₁/(p₁ + p₂)) + p₂ log(2 p₂/(p₁ + p₂)) implies argmax q = argmax p, and no
    larger constant does: it is the least divergence of a law q that has as much on another token, and attained. *)
Theorem relaxed_certificate_strict : p b < p a ->
  let bound := p a * logarithm (2 * p a / (p a + p b)) + (if Rlt_dec 0 (p b) then p b * logarithm (2 * p b / (p a + p b)) else 0) in
  (forall q, law V q -> ~ is_infinite V p q -> divergence V p q < bound -> alone_on_top V q a) /\
  (forall q, law V q -> ~ is_infinite V p q -> as_much_elsewhere V q a -> bound <= divergence V p q) /\
  exists q, law V q /\ ~ is_infinite V p q /\ as_much_elsewhere V q a /\ divergence V p q = bound.
Proof.
  intros Order bound. pose proof first_positive as P.
  assert (Positive : 0 <= p b) by (apply (law_nonneg V); [easy | apply two]).
  assert (E : bound = weighted (p a) middle + weighted (p b) middle).
  { unfold bound, weighted. destruct (Rlt_dec 0 (p a)); [|lra].
    replace (2 * p a / (p a + p b)) with (p a / middle) by (field; lra).
    replace (2 * p b / (p a + p b)) with (p b / middle) by (field; lra). easy. }
  rewrite E. split; [|split].
  - intros q Q F L. apply not_alone. intros N. pose proof (two_bound q Q F N). lra.
  - apply two_bound.
  - destruct two_attained as [q [Q [F [M [D _]]]]]. now exists q.
Qed.

(** argmax q ≠ argmax p implies TV(p, q) >= (p₁ - p₂)/2; no larger constant does: it is attained. *)
Theorem greedy_reject_tv :
  (forall q, law V q -> as_much_elsewhere V q a -> (p a - p b) / 2 <= tv V p q) /\
  exists q, law V q /\ as_much_elsewhere V q a /\ tv V p q = (p a - p b) / 2.
Proof.
  split; [|destruct two_attained as [q [Q [_ [M [_ T]]]]]; now exists q]. intros q Q M. destruct second_likeliest as [B [RB Most]].
  destruct (greedy_any_tv V p (fun x => negb (Nat.eqb x a)) target_law) as [_ G]; [now exists b|].
  destruct (G b (conj B (conj RB Most))) as [c [Mc [Once [Lower _]]]]. rewrite <- (Once middle middle_mean) in Lower.
  replace ((p a - p b) / 2) with (middle - p b) by field. apply Lower; [easy|]. apply elsewhere_mode; [apply two | easy].
Qed.

End Two.

(** * The margin alone *)

Lemma log_sum a b x y : 0 <= a -> 0 <= b -> 0 < x -> 0 < y -> weighted (a + b) (x + y) <= weighted a x + weighted b y.
Proof.
  intros A B X Y. set (T := (a + b) / (x + y)).
  assert (One : forall u z, 0 <= u -> 0 < z -> 0 < T -> u * logarithm T + (u - z * T) <= weighted u z).
  { intros u z U Z P. destruct U as [U|<-].
    - pose proof (weighted_tangent u (u / T) z ltac:(lra) ltac:(now apply Rdiv_lt_0_compat) (fun _ => Z)) as W.
      unfold weighted at 1 in W. destruct (Rlt_dec 0 u); [|lra].
      replace (u / (u / T)) with T in W by (field; lra). replace (u * (1 - z / (u / T))) with (u - z * T) in W by (field; lra). lra.
    - unfold weighted. destruct (Rlt_dec 0 0); [lra|]. assert (0 <= z * T) by (apply Rmult_le_pos; lra). lra. }
  unfold weighted at 1. destruct (Rlt_dec 0 (a + b)) as [P|P].
  - assert (0 < T) by (apply Rdiv_lt_0_compat; lra). pose proof (One a x A X H). pose proof (One b y B Y H).
    assert (E : (x + y) * T = a + b) by (unfold T; field; lra). fold T. lra.
  - unfold weighted. destruct (Rlt_dec 0 a), (Rlt_dec 0 b); lra.
Qed.

(** Binary entropy, in nats. *)
Definition binary_entropy (t : R) : R := - weighted t 1 - weighted (1 - t) 1.

Lemma weighted_half t : 0 <= t -> weighted t (/ 2) = weighted t 1 + t * logarithm 2.
Proof.
  intros T. unfold weighted. destruct (Rlt_dec 0 t); [|replace t with 0 by lra; ring].
  rewrite !logarithm_quotient, logarithm_inverse, logarithm_1 by lra. ring.
Qed.

Lemma margin_bound m : 0 <= m <= 1 ->
  logarithm 2 - binary_entropy ((1 + m) / 2) = weighted ((1 + m) / 2) (/ 2) + weighted ((1 - m) / 2) (/ 2).
Proof.
  intros M. unfold binary_entropy. rewrite !weighted_half by lra. replace (1 - (1 + m) / 2) with ((1 - m) / 2) by field. field.
Qed.

(** Two tokens. *)
Definition two_tokens (u v : R) (x : nat) : R := if Nat.eqb x 0 then u else v.

(** With the margin m = p₁ - p₂ alone: KL(p ‖ q) < log 2 - h((1 + m)/2) implies argmax q = argmax p, h binary entropy, in nats; and
    this is the best constant in m: attained by two tokens. *)
Theorem relaxed_certificate_margin :
  (forall V p a b q, law V p -> first_two V p a b -> law V q -> ~ is_infinite V p q ->
    divergence V p q < logarithm 2 - binary_entropy ((1 + (p a - p b)) / 2) -> alone_on_top V q a) /\
  (forall m, 0 <= m <= 1 -> exists p q, law 2 p /\ first_two 2 p 0 1 /\ p 0%nat - p 1%nat = m /\ law 2 q /\ ~ is_infinite 2 p q /\
    as_much_elsewhere 2 q 0 /\ divergence 2 p q = logarithm 2 - binary_entropy ((1 + m) / 2)).
Proof.
  split.
  - intros V p a b q P Two Q F D. apply not_alone. intros E. pose proof (two_bound V p a b P Two q Q F E) as B.
    pose proof (first_positive V p a b P Two) as PA. destruct Two as [A [Bb [N [Order Most]]]].
    pose proof (law_nonneg V p b P Bb) as PB.
    assert (S : p a + p b <= 1).
    { destruct P as [P0 P1]. rewrite <- P1.
      apply (Rle_trans _ (sum V (fun x => (if Nat.eqb x a then p x else 0) + (if Nat.eqb x b then p x else 0)))).
      - rewrite sum_plus, !sum_point by easy. lra.
      - apply sum_le. intros x L. specialize (P0 x L). destruct (Nat.eqb_spec x a), (Nat.eqb_spec x b); lra || lia. }
    rewrite margin_bound in D by lra. apply (Rlt_irrefl (divergence V p q)).
    eapply Rlt_le_trans; [exact D|]. eapply Rle_trans; [|exact B].
    destruct S as [S|S].
    + set (r := (1 - (p a + p b)) / 2). assert (0 < r) by (unfold r; lra).
      pose proof (log_sum (p a) r ((p a + p b) / 2) r ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)) as LA.
      pose proof (log_sum (p b) r ((p a + p b) / 2) r ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)) as LB.
      rewrite weighted_self in LA, LB.
      replace (p a + r) with ((1 + (p a - p b)) / 2) in LA by (unfold r; field).
      replace (p b + r) with ((1 - (p a - p b)) / 2) in LB by (unfold r; field).
      replace ((p a + p b) / 2 + r) with (/ 2) in LA, LB by (unfold r; field). lra.
    + replace ((1 + (p a - p b)) / 2) with (p a) by lra. replace ((1 - (p a - p b)) / 2) with (p b) by lra.
      replace ((p a + p b) / 2) with (/ 2) by lra. lra.
  - intros m M. exists (two_tokens ((1 + m) / 2) ((1 - m) / 2)), (two_tokens (/ 2) (/ 2)). unfold two_tokens.
    split; [split; [intros [|[|x]] _; simpl; lra | simpl; field]|].
    split; [split; [lia|]; split; [lia|]; split; [lia|]; split; [simpl; lra | intros [|[|x]] L D; simpl; lra || lia]|].
    split; [simpl; field|]. split; [split; [intros [|[|x]] _; simpl; lra | simpl; field]|].
    split; [intros [[|x] [_ [_ Z]]]; simpl in Z; lra|].
    split; [exists 1%nat; split; [lia|]; split; [lia | simpl; lra]|].
    rewrite margin_bound by easy. rewrite divergence_weighted. simpl. ring.
Qed.

(** * From the draft to the target *)

Lemma sqrt_logarithm x : 0 < x -> logarithm (sqrt x) = logarithm x / 2.
Proof.
  intros P. pose proof (sqrt_lt_R0 x P) as S. rewrite <- (sqrt_sqrt x) at 2 by lra. rewrite logarithm_mult by easy. field.
Qed.

Section Reverse.

Variable V : nat.
Variable p : nat -> R.
Variables a d : nat.
Hypothesis target_law : law V p.
Hypothesis inside_a : (a < V)%nat.
Hypothesis inside_d : (d < V)%nat.
Hypothesis apart : a <> d.
Hypothesis positive_a : 0 < p a.
Hypothesis positive_d : 0 < p d.

(** The target with the geometric mean of two masses on both, made a law. *)
Definition total : R := 1 - Rsqr (sqrt (p a) - sqrt (p d)).
Definition evened (x : nat) : R := (if (Nat.eqb x a || Nat.eqb x d)%bool then sqrt (p a) * sqrt (p d) else p x) / total.

Lemma roots : 0 < sqrt (p a) /\ 0 < sqrt (p d) /\ sqrt (p a) * sqrt (p a) = p a /\ sqrt (p d) * sqrt (p d) = p d.
Proof. repeat split; (now apply sqrt_lt_R0) || (apply sqrt_sqrt; lra). Qed.

Lemma two_points (f g : nat -> R) : (forall x, (x < V)%nat -> x <> a -> x <> d -> f x = g x) ->
  sum V f = sum V g + (f a - g a) + (f d - g d).
Proof.
  intros E. assert (D : sum V f - sum V g = (f a - g a) + (f d - g d)); [|lra].
  rewrite <- sum_minus, <- (sum_point V (fun x => f x - g x) a inside_a), <- (sum_point V (fun x => f x - g x) d inside_d).
  rewrite <- sum_plus. apply sum_ext. intros x X. destruct (Nat.eqb_spec x a) as [->|Na].
  - destruct (Nat.eqb_spec a d); [lia | ring].
  - destruct (Nat.eqb_spec x d) as [->|Other]; [ring|]. rewrite (E x X Na Other). ring.
Qed.

Lemma two_masses : p a + p d <= 1.
Proof.
  destruct target_law as [N One]. pose proof (two_points p (fun x => if (Nat.eqb x a || Nat.eqb x d)%bool then 0 else p x)) as E.
  rewrite E in One.
  - rewrite Nat.eqb_refl, (Nat.eqb_refl d), orb_true_r in One. simpl in One.
    assert (0 <= sum V (fun x => if (Nat.eqb x a || Nat.eqb x d)%bool then 0 else p x)); [|lra].
    apply sum_nonneg. intros x L. specialize (N x L). destruct (Nat.eqb x a || Nat.eqb x d)%bool; lra.
  - intros x _ A D. destruct (Nat.eqb_spec x a), (Nat.eqb_spec x d); easy.
Qed.

Lemma total_positive : 0 < total.
Proof.
  destruct roots as [A [D [SA SD]]]. pose proof two_masses. assert (0 < sqrt (p a) * sqrt (p d)) by now apply Rmult_lt_0_compat.
  unfold total, Rsqr. lra.
Qed.

Lemma evened_there : evened a = sqrt (p a) * sqrt (p d) / total /\ evened d = sqrt (p a) * sqrt (p d) / total.
Proof. unfold evened. rewrite !Nat.eqb_refl, orb_true_r. easy. Qed.

Lemma evened_else x : x <> a -> x <> d -> evened x = p x / total.
Proof. intros A D. unfold evened. destruct (Nat.eqb_spec x a), (Nat.eqb_spec x d); easy. Qed.

Lemma evened_law : law V evened.
Proof.
  destruct roots as [A [D [SA SD]]]. pose proof total_positive as T. split.
  - intros x L. unfold evened. pose proof (law_nonneg V p x target_law L) as P.
    assert (0 <= sqrt (p a) * sqrt (p d)) by (apply Rmult_le_pos; lra).
    apply Rmult_le_pos; [destruct (Nat.eqb x a || Nat.eqb x d)%bool; lra | left; now apply Rinv_0_lt_compat].
  - rewrite (two_points evened (fun x => p x / total)) by (intros; now apply evened_else). destruct evened_there as [-> ->].
    unfold Rdiv. rewrite sum_scale_right. destruct target_law as [_ ->].
    replace (1 * / total + (sqrt (p a) * sqrt (p d) * / total - p a * / total) + (sqrt (p a) * sqrt (p d) * / total - p d * / total))
      with ((1 - (sqrt (p a) * sqrt (p a) + sqrt (p d) * sqrt (p d) - 2 * (sqrt (p a) * sqrt (p d)))) * / total)
      by (rewrite SA, SD; ring).
    unfold total, Rsqr. field. pose proof total_positive as Z. unfold total, Rsqr in Z. lra.
Qed.

Lemma through_evened q : law V q -> ~ is_infinite V q p ->
  divergence V q p = divergence V q evened - logarithm total + (q d - q a) * (logarithm (p a) - logarithm (p d)) / 2.
Proof.
  intros Q F. destruct roots as [A [D [SA SD]]]. pose proof total_positive as T.
  assert (Pos : forall x, (x < V)%nat -> 0 < q x -> 0 < p x).
  { intros x L P. destruct (law_nonneg V p x target_law L) as [|Z]; [easy|]. exfalso. apply F. exists x. auto. }
  assert (G : sqrt (p a) * sqrt (p d) > 0) by now apply Rmult_lt_0_compat.
  assert (Split : forall x u, (x < V)%nat -> 0 < u -> (0 < q x -> 0 < p x) ->
    weighted (q x) (p x) = weighted (q x) u + q x * (logarithm u - logarithm (p x))).
  { intros x u L U P. unfold weighted. destruct (Rlt_dec 0 (q x)) as [QX|QX].
    - rewrite !logarithm_quotient by auto. ring.
    - pose proof (law_nonneg V q x Q L). replace (q x) with 0 by lra. ring. }
  rewrite !divergence_weighted.
  rewrite (two_points (fun x => weighted (q x) (p x)) (fun x => weighted (q x) (evened x) - q x * logarithm total)).
  - rewrite sum_minus, sum_scale_right. destruct Q as [Q0 ->]. destruct evened_there as [EA ED].
    assert (E : 0 < sqrt (p a) * sqrt (p d) / total) by now apply Rdiv_lt_0_compat.
    rewrite (Split a (evened a)), (Split d (evened d)) by (rewrite ?EA, ?ED; auto).
    rewrite EA, ED, logarithm_quotient, logarithm_mult, !sqrt_logarithm by easy. field.
  - intros x L NA Other. pose proof (evened_else x NA Other) as E. destruct (law_nonneg V q x Q L) as [QX|QX].
    + specialize (Pos x L QX). rewrite (Split x (evened x)) by (rewrite ?E; auto; now apply Rdiv_lt_0_compat).
      rewrite E, logarithm_quotient by easy. ring.
    + rewrite <- QX. unfold weighted. destruct (Rlt_dec 0 0); lra.
Qed.

Lemma gibbs q u : law V q -> law V u -> ~ is_infinite V q u -> 0 <= divergence V q u.
Proof.
  intros Q U F. rewrite divergence_weighted. apply (Rle_trans _ (sum V (fun x => q x - u x))).
  - rewrite sum_minus. destruct Q as [_ ->], U as [_ ->]. lra.
  - apply sum_le. intros x L. pose proof (law_nonneg V u x U L) as UX. destruct (law_nonneg V q x Q L) as [QX|<-].
    + assert (P : 0 < u x) by (destruct UX as [|Z]; [easy | exfalso; apply F; exists x; auto]).
      pose proof (weighted_tangent (q x) (q x) (u x) ltac:(lra) QX (fun _ => P)) as T. rewrite weighted_self in T.
      replace (q x * (1 - u x / q x)) with (q x - u x) in T by (field; lra). lra.
    + unfold weighted. destruct (Rlt_dec 0 0); lra.
Qed.

Lemma reverse_bound q : law V q -> ~ is_infinite V q p -> p d <= p a -> q a <= q d -> - logarithm total <= divergence V q p.
Proof.
  intros Q F O E. rewrite through_evened by easy. pose proof total_positive as T. destruct roots as [A [D _]].
  assert (G : 0 <= divergence V q evened).
  { apply gibbs; [easy | exact evened_law |]. intros [x [L [P Z]]]. apply F. exists x. split; [easy|]. split; [easy|].
    assert (GM : 0 < sqrt (p a) * sqrt (p d)) by now apply Rmult_lt_0_compat.
    assert (I : 0 < / total) by now apply Rinv_0_lt_compat. unfold evened in Z.
    destruct (Nat.eqb x a || Nat.eqb x d)%bool; unfold Rdiv in Z; apply Rmult_integral in Z; lra. }
  pose proof (logarithm_monotone (p d) (p a) positive_d O). assert (0 <= (q d - q a) * (logarithm (p a) - logarithm (p d)));
    [apply Rmult_le_pos|]; lra.
Qed.

Lemma evened_divergence : ~ is_infinite V evened p /\ divergence V evened p = - logarithm total.
Proof.
  assert (F : ~ is_infinite V evened p).
  { intros [x [L [P Z]]]. unfold evened in P. destruct (Nat.eqb_spec x a) as [->|A]; [lra|].
    destruct (Nat.eqb_spec x d) as [->|D]; [lra|]. simpl in P. rewrite Z in P. unfold Rdiv in P. lra. }
  split; [easy|]. rewrite (through_evened evened evened_law F). destruct evened_there as [-> ->].
  assert (Z : divergence V evened evened = 0); [|rewrite Z; unfold Rdiv; ring].
  rewrite divergence_weighted, (sum_ext V _ (fun _ => 0)), sum_zero; [easy|]. intros x _. apply weighted_self.
Qed.

End Reverse.

Lemma reverse_two V p a b q : law V p -> first_two V p a b -> 0 < p b -> law V q -> ~ is_infinite V q p ->
  as_much_elsewhere V q a -> - logarithm (1 - Rsqr (sqrt (p a) - sqrt (p b))) <= divergence V q p.
Proof.
  intros P [A [B [N [Order Most]]]] PB Q F [x [L [D E]]].
  assert (W : exists d, (d < V)%nat /\ a <> d /\ 0 < p d /\ p d <= p b /\ q a <= q d).
  { pose proof (Most x L D) as MX. destruct (law_nonneg V p x P L) as [PX|PX]; [exists x; auto 6|].
    exists b. split; [easy|]. split; [easy|]. split; [easy|]. split; [lra|].
    assert (Z : q x = 0). { destruct (law_nonneg V q x Q L) as [H|H]; [|easy]. exfalso. apply F. exists x. auto. }
    pose proof (law_nonneg V q b Q B). lra. }
  destruct W as [d [Ld [Other [Pd [Od Ed]]]]]. assert (PA : 0 < p a) by lra.
  pose proof (reverse_bound V p a d P A Ld Other PA Pd q Q F ltac:(lra) Ed) as R. eapply Rle_trans; [|exact R].
  apply Ropp_le_contravar. apply logarithm_monotone; [now apply (total_positive V p a d)|]. unfold total.
  assert (sqrt (p d) <= sqrt (p b)) by (apply sqrt_le_1; lra). assert (sqrt (p b) <= sqrt (p a)) by (apply sqrt_le_1; lra).
  unfold Rsqr. assert ((sqrt (p a) - sqrt (p b)) * (sqrt (p a) - sqrt (p b)) <= (sqrt (p a) - sqrt (p d)) * (sqrt (p a) - sqrt (p d))); [|lra].
  apply Rmult_le_compat; lra.
Qed.

(** p₂ > 0: KL(q ‖ p) < -log(1 - (√p₁ - √p₂)²) implies argmax q = argmax p, and no larger constant does. *)
Theorem relaxed_certificate_reverse V p a b : law V p -> first_two V p a b -> 0 < p b ->
  let bound := - logarithm (1 - Rsqr (sqrt (p a) - sqrt (p b))) in
  (forall q, law V q -> ~ is_infinite V q p -> divergence V q p < bound -> alone_on_top V q a) /\
  exists q, law V q /\ ~ is_infinite V q p /\ as_much_elsewhere V q a /\ divergence V q p = bound.
Proof.
  intros P Two PB bound. split.
  - intros q Q F L. apply not_alone. intros E. pose proof (reverse_two V p a b q P Two PB Q F E). unfold bound in L. lra.
  - destruct Two as [A [B [N [Order Most]]]]. exists (evened p a b). assert (PA : 0 < p a) by lra.
    destruct (evened_divergence V p a b P A B N PA PB) as [F D].
    split; [now apply evened_law|]. split; [easy|]. split; [|exact D]. exists b. split; [easy|]. split; [auto|].
    destruct (evened_there p a b) as [-> ->]. lra.
Qed.

(** With the margin δ = p₁ - p₂ < 1 alone: KL(q ‖ p) < -1/2 log(1 - δ²) certifies the greedy draft, and this is the best constant
    in δ: attained by two tokens. *)
Theorem greedy_margin_reverse :
  (forall V p a b q, law V p -> first_two V p a b -> p a - p b < 1 -> law V q -> ~ is_infinite V q p ->
    divergence V q p < - (logarithm (1 - Rsqr (p a - p b)) / 2) -> alone_on_top V q a) /\
  (forall delta, 0 <= delta < 1 -> exists p q, law 2 p /\ first_two 2 p 0 1 /\ p 0%nat - p 1%nat = delta /\ law 2 q /\
    ~ is_infinite 2 q p /\ as_much_elsewhere 2 q 0 /\ divergence 2 q p = - (logarithm (1 - Rsqr delta) / 2)).
Proof.
  split.
  - intros V p a b q P Two M Q F D. apply not_alone. intros E. pose proof Two as [A [B [N [Order Most]]]].
    assert (PB : 0 < p b).
    { destruct (law_nonneg V p b P B) as [|Z]; [easy|]. exfalso. assert (S : sum V p <= p a); [|destruct P as [_ One]; lra].
      rewrite <- (sum_point V p a A). apply sum_le. intros x L. destruct (Nat.eqb_spec x a) as [->|D']; [lra|].
      specialize (Most x L D'). lra. }
    assert (PA : 0 < p a) by lra.
    pose proof (reverse_two V p a b q P Two PB Q F E) as R. pose proof (total_positive V p a b P A B N PA PB) as T.
    destruct (roots p a b PA PB) as [RA [RB [SA SB]]]. pose proof (two_masses V p a b P A B N) as S. unfold total in T.
    set (u := sqrt (p a)) in *. set (v := sqrt (p b)) in *. set (Z := 1 - Rsqr (u - v)) in *.
    assert (Square : Z * Z <= 1 - Rsqr (p a - p b)).
    { rewrite <- SA, <- SB. rewrite <- SA, <- SB in S. unfold Z, Rsqr. set (k := (u - v) * (u - v)). set (l := (u + v) * (u + v)).
      assert (K : 0 <= k) by (unfold k; apply Rle_0_sqr). assert (KL : k + l <= 2) by (unfold k, l; lra).
      replace ((u * u - v * v) * (u * u - v * v)) with (k * l) by (unfold k, l; ring). nra. }
    assert (logarithm (Z * Z) <= logarithm (1 - Rsqr (p a - p b))) by (apply logarithm_monotone; [now apply Rmult_lt_0_compat | easy]).
    rewrite logarithm_mult in H by easy. lra.
  - intros m M. exists (two_tokens ((1 + m) / 2) ((1 - m) / 2)), (two_tokens (/ 2) (/ 2)). unfold two_tokens.
    split; [split; [intros [|[|x]] _; simpl; lra | simpl; field]|].
    split; [split; [lia|]; split; [lia|]; split; [lia|]; split; [simpl; lra | intros [|[|x]] L D; simpl; lra || lia]|].
    split; [simpl; field|]. split; [split; [intros [|[|x]] _; simpl; lra | simpl; field]|].
    split; [intros [[|x] [_ [_ Z]]]; simpl in Z; lra|].
    split; [exists 1%nat; split; [lia|]; split; [lia | simpl; lra]|].
    rewrite divergence_weighted. simpl. unfold weighted. destruct (Rlt_dec 0 (/ 2)); [|lra].
    replace (1 - Rsqr m) with ((1 + m) * (1 - m)) by (unfold Rsqr; ring).
    replace (/ 2 / ((1 + m) / 2)) with (/ (1 + m)) by (field; lra). replace (/ 2 / ((1 - m) / 2)) with (/ (1 - m)) by (field; lra).
    rewrite !logarithm_inverse, logarithm_mult by lra. field.
Qed.

(** Tactics for steps that those of the prelude leave open: substitution by one equation, reciprocals, whole numbers. *)
From Simspec Require Export prelude.

(** What an equation says of a name is put in everywhere; [subst] might take another equation. *)
Ltac put E := lazymatch type of E with ?v = _ => try rewrite E in *; clear E; try clear v end.

(** What is known of a reciprocal once the sign of the number is. *)
Lemma inv_above b n : b > 0 -> b ^ n * / (b ^ n) = 1 /\ / (b ^ n) > 0.
Proof.
  intro H. assert (P : 0 < b ^ n) by (apply pow_lt; exact H).
  split; [apply Rinv_r; lra | apply Rlt_gt, Rinv_0_lt_compat, P].
Qed.
Lemma inv_positive b : b > 0 -> b * / b = 1 /\ / b > 0.
Proof. intro H. split; [apply Rinv_r; lra | apply Rlt_gt, Rinv_0_lt_compat, H]. Qed.
Lemma inv_negative b : b < 0 -> b * / b = 1 /\ / b < 0.
Proof. intro H. split; [apply Rinv_r; lra | apply Rinv_lt_0_compat, H]. Qed.

(** Values of functions at a few places, and of one function at what another gives. *)
Lemma ln_one x : x = 1 -> ln x = 0.
Proof. intros ->. exact ln_1. Qed.
Lemma exp_zero x : x = 0 -> exp x = 1.
Proof. intros ->. exact exp_0. Qed.
Lemma exp_minus x : exp (- 1 * x) = / exp x.
Proof. replace (- 1 * x) with (- x) by ring. apply exp_Ropp. Qed.
Lemma exp_twice x : exp (2 * x) = exp x * exp x.
Proof. rewrite <- exp_plus. f_equal. ring. Qed.
Lemma ln_part x : 0 < x -> ln (1 / x) = - ln x.
Proof. intro H. unfold Rdiv. rewrite Rmult_1_l. apply ln_Rinv, H. Qed.
Lemma ln_quotient x y : 0 < x -> 0 < y -> ln (x / y) = ln x - ln y.
Proof. intros P Q. unfold Rdiv. rewrite ln_mult, ln_Rinv; [ring | | | apply Rinv_0_lt_compat]; assumption. Qed.
Ltac evaluated := rewrite ?ln_1, ?exp_0, ?sqrt_1, ?sqrt_0, ?Rabs_R0, ?pow1, ?ln_exp in *; repeat match goal with
  | |- context [exp (ln ?a)] => rewrite (exp_ln a) by (first [positive | lra])
  | H : context [exp (ln ?a)] |- _ => rewrite (exp_ln a) in H by (first [positive | lra])
  | |- context [ln (1 / ?a)] => rewrite (ln_part a) by (first [positive | lra])
  | H : context [ln (1 / ?a)] |- _ => rewrite (ln_part a) in H by (first [positive | lra])
  | |- context [ln ?a] => rewrite (ln_one a) by by_field
  | |- context [exp ?a] => tryif constr_eq a 1 then fail else rewrite (exp_zero a) by by_field
  | H : context [ln ?a] |- _ => rewrite (ln_one a) in H by by_field
  | H : context [exp ?a] |- _ => tryif constr_eq a 1 then fail else rewrite (exp_zero a) in H by by_field
  end.
(** Functions of what is equal are written alike; exponentials of sums are products. *)
Ltac unified := repeat match goal with
  | |- context [exp ?a] => match goal with |- context [exp ?b] => tryif constr_eq a b then fail else replace (exp a) with (exp b) by (f_equal; by_field) end
  | |- context [ln ?a] => match goal with |- context [ln ?b] => tryif constr_eq a b then fail else replace (ln a) with (ln b) by (f_equal; by_field) end
  end.
Ltac apart := rewrite ?exp_plus, ?exp_minus, ?exp_twice in *; evaluated.

(** The conditions at which a lemma is used, where what is known of whole numbers is said of real ones. *)
Ltac whole_side := first [apply le_IZR | apply lt_IZR | split; apply le_IZR]; whole; lra.
Ltac further_side := first [side | whole_side | solve [intros; whole_side] | solve [evaluated; lra]].

Lemma moved_eq {l r l' r' : R} : l' = r' -> l - r = l' - r' -> l = r.
Proof. lra. Qed.
Lemma moved_le {l r l' r' : R} : l' <= r' -> l - r = l' - r' -> l <= r.
Proof. lra. Qed.
Lemma moved_ge {l r l' r' : R} : l' >= r' -> l - r = l' - r' -> l >= r.
Proof. lra. Qed.
Lemma moved_lt {l r l' r' : R} : l' < r' -> l - r = l' - r' -> l < r.
Proof. lra. Qed.
Lemma moved_gt {l r l' r' : R} : l' > r' -> l - r = l' - r' -> l > r.
Proof. lra. Qed.

(** Whole numbers that are the same, inside functions of them, are written as they are in another statement. *)
Ltac same_numbers G := repeat match goal with
  | |- context [?f ?i] => match type of i with Z => match type of G with context [f ?j] =>
      tryif constr_eq i j then fail else (let E := fresh in assert (E : i = j) by lia; rewrite E; clear E) end end
  end.
Ltac merged := cbv beta; repeat rewrite <- exp_plus; by_parts.
Ltac compared G := first
  [ exact G | lra
  | solve [first [apply (moved_eq G) | apply (moved_le G) | apply (moved_ge G) | apply (moved_lt G) | apply (moved_gt G)];
      first [by_field | by_parts | solve [whole; by_parts] | logs | solve [whole; logs] | merged]] ].
Ltac further_becomes G := cbv beta in *; first
  [ becomes G | solve [evaluated; compared G] | solve [same_numbers G; compared G] | solve [apart; compared G]
  | solve [whole; evaluated; try same_numbers G; whole; powers; compared G]
  | solve [whole; evaluated; powers; arithmetic] ].

(** The terms of a sum, logarithms among them taken apart. *)
Ltac further_expansion := cbv beta; first [by_expansion | solve [evaluated; by_parts]
  | solve [repeat first [rewrite ln_mult by positive | rewrite ln_Rinv by positive]; by_field] | solve [arithmetic]].
Ltac by_sums := first [by_parts | solve [cbv beta; repeat (apply Sum_ext; intros; cbv beta); by_parts] | solve [by_merging]].
Ltac further_start := cbv beta; evaluated; unified; by_parts.
Ltac further_slopes := first [by_exponents | solve [cbv beta; simpl INR; simpl pred; unified; by_field]].
Ltac at_one_place := cbv beta; first [by_parts | arithmetic].

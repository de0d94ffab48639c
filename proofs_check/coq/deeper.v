(** Tactics for the steps that further scripts leave open: numbers, powers of products, functions of what equations say. *)
From Coq Require Import Nsatz.
From Simspec Require Export further.
Open Scope R_scope.

(** ** Logarithms of numbers: ln ((1 + z) / (1 - z)) is 2 (z + z^3 / 3 + z^5 / 5 + ...) *)

Definition log_sum (z : R) : R := 2 * (z + z ^ 3 / 3 + z ^ 5 / 5 + z ^ 7 / 7 + z ^ 9 / 9 + z ^ 11 / 11 + z ^ 13 / 13 + z ^ 15 / 15).
Lemma log_derivative z : -1 < z < 1 -> derivable_pt_lim (fun t => ln (1 + t) + - ln (1 + - t)) z (2 / (1 - z ^ 2)).
Proof.
  intro range. eapply D_is.
  - apply (D_plus (fun t => ln (1 + t)) (fun t => - ln (1 + - t))); [| apply (D_opp (fun t => ln (1 + - t)))].
    + apply (D_ln (fun t => 1 + t)); [apply (D_plus (fun _ => 1) (fun t => t)); [apply D_const | apply D_id] | lra].
    + apply (D_ln (fun t => 1 + - t)); [| lra].
      apply (D_plus (fun _ => 1) (fun t => - t)); [apply D_const | apply (D_opp (fun t => t)), D_id].
  - field. repeat split; nra.
Qed.
Lemma sum_derivative c z :
  derivable_pt_lim (fun t => log_sum t + c * t ^ 17) z
    (2 * (1 + z ^ 2 + z ^ 4 + z ^ 6 + z ^ 8 + z ^ 10 + z ^ 12 + z ^ 14) + 17 * c * z ^ 16).
Proof. unfold log_sum, Rdiv. eapply D_is; [derivative | simpl INR; simpl pred; field]. Qed.
Lemma log_near z : 0 <= z <= 1 / 3 -> log_sum z <= ln ((1 + z) / (1 - z)) <= log_sum z + 9 / 68 * z ^ 17.
Proof.
  intro range. unfold Rdiv. rewrite ln_mult, ln_Rinv; [| lra | lra | apply Rinv_0_lt_compat; lra].
  change (1 - z) with (1 + - z).
  assert (H : forall t, 0 <= t <= z -> 2 / (1 - t ^ 2) = 2 * (1 + t ^ 2 + t ^ 4 + t ^ 6 + t ^ 8 + t ^ 10 + t ^ 12 + t ^ 14) + 2 * t ^ 16 * / (1 - t ^ 2)
      /\ 0 <= t ^ 16 /\ 0 < / (1 - t ^ 2) <= 9 / 8).
  { intros t Ht. assert (1 - t ^ 2 >= 8 / 9) by nra. split; [field; lra |].
    split; [apply pow_le; lra |]. split; [apply Rinv_0_lt_compat; lra |].
    replace (9 / 8) with (/ (8 / 9)) by field. apply Rinv_le_contravar; lra. }
  split.
  - pose proof (grows (fun t => (ln (1 + t) + - ln (1 + - t)) + - (log_sum t + 0 * t ^ 17))
      (fun t => 2 / (1 - t ^ 2) + - (2 * (1 + t ^ 2 + t ^ 4 + t ^ 6 + t ^ 8 + t ^ 10 + t ^ 12 + t ^ 14) + 17 * 0 * t ^ 16)) 0 z) as G.
    cbv beta in G. rewrite Ropp_0, Rplus_0_r, ln_1 in G. unfold log_sum in *. enough (E : 0 <= ln (1 + z) + - ln (1 + - z) + - (2 * (z + z ^ 3 / 3 + z ^ 5 / 5 + z ^ 7 / 7 + z ^ 9 / 9 + z ^ 11 / 11 + z ^ 13 / 13 + z ^ 15 / 15) + 0 * z ^ 17)) by lra.
    eapply Rle_trans; [| apply G].
    + right. field.
    + lra.
    + intros t Ht. apply D_plus; [apply log_derivative; lra | apply (D_opp (fun t => log_sum t + 0 * t ^ 17)), sum_derivative].
    + intros t Ht. destruct (H t) as [-> [P Q]]; [lra |]. nra.
  - pose proof (grows (fun t => (log_sum t + 9 / 68 * t ^ 17) + - (ln (1 + t) + - ln (1 + - t)))
      (fun t => (2 * (1 + t ^ 2 + t ^ 4 + t ^ 6 + t ^ 8 + t ^ 10 + t ^ 12 + t ^ 14) + 17 * (9 / 68) * t ^ 16) + - (2 / (1 - t ^ 2))) 0 z) as G.
    cbv beta in G. rewrite Ropp_0, Rplus_0_r, ln_1 in G. enough (E : 0 <= log_sum z + 9 / 68 * z ^ 17 + - (ln (1 + z) + - ln (1 + - z))) by lra.
    eapply Rle_trans; [| apply G].
    + right. unfold log_sum. field.
    + lra.
    + intros t Ht. apply D_plus; [apply sum_derivative | apply (D_opp (fun t => ln (1 + t) + - ln (1 + - t))), log_derivative; lra].
    + intros t Ht. destruct (H t) as [-> [P Q]]; [lra |]. nra.
Qed.
Lemma ln_above n x y : 0 < y -> x = 2 ^ n * y -> ln x = INR n * ln 2 + ln y.
Proof. intros P ->. rewrite ln_mult, ln_pow; [ring | lra | apply pow_lt; lra | exact P]. Qed.
Lemma ln_below n x y : 0 < x -> y = 2 ^ n * x -> ln x = - INR n * ln 2 + ln y.
Proof. intros P ->. rewrite ln_mult, ln_pow; [ring | lra | apply pow_lt; lra | exact P]. Qed.
Lemma ln_two : 693147178 / 1000000000 <= ln 2 <= 693147182 / 1000000000.
Proof.
  replace 2 with ((1 + 1 / 3) / (1 - 1 / 3)) by field. pose proof (log_near (1 / 3) ltac:(lra)) as G. unfold log_sum in G. lra.
Qed.
Lemma ln_grows a b : 0 < a -> a <= b -> ln a <= ln b.
Proof. intros P [less | ->]; [apply Rlt_le, ln_increasing; assumption | right; reflexivity]. Qed.
Lemma exp_within a low high : 0 < low -> 0 < high -> ln low <= a -> a <= ln high -> low <= exp a <= high.
Proof.
  intros P Q L H. rewrite <- (exp_ln low P), <- (exp_ln high Q).
  split; [destruct L as [L | ->]; [left; apply exp_increasing, L | right; reflexivity] |].
  destruct H as [H | ->]; [left; apply exp_increasing, H | right; reflexivity].
Qed.
Lemma sqrt_within x low high : 0 <= low -> 0 <= high -> low * low <= x -> x <= high * high -> low <= sqrt x <= high.
Proof. intros P Q L H. rewrite <- (sqrt_square low P), <- (sqrt_square high Q). split; apply sqrt_le_1_alt; assumption. Qed.

(** ** Powers of products and reciprocals *)

Lemma pw_product a b n : pw (a * b) n = pw a n * pw b n.
Proof. apply Rpow_mult_distr. Qed.
Lemma pw_inverse a n : pw (/ a) n = / pw a n.
Proof. unfold pw. apply pow_inv. Qed.
Lemma pw_one n : pw 1 n = 1.
Proof. apply pow1. Qed.
Lemma exp_opposite x y : x + y = 0 -> exp x * exp y = 1.
Proof. intro H. rewrite <- exp_plus, H. apply exp_0. Qed.
Lemma inverse_of {x : R} : 0 < x -> x * / x = 1.
Proof. intro H. apply Rinv_r. lra. Qed.
Ltac powers_apart := rewrite ?pw_product, ?pw_inverse, ?pw_one in *.
Ltac by_powers := cbv beta; powers_apart; by_field.

(** Reciprocals are numbers of which the product with another is one; equations follow from equations between polynomials. *)
Ltac reciprocal x := let E := fresh "E" in assert (E : x * / x = 1) by (apply Rinv_r; nonzero);
  let r := fresh "r" in set (r := / x) in *; clearbody r.
Ltac reciprocals := unfold Rdiv in *; repeat match goal with
  | |- context [/ ?x] => reciprocal x
  | H : context [/ ?x] |- _ => reciprocal x
  end.
Ltac by_equations := cbv beta; powers_apart; reciprocals; nsatz.

(** A place that an equation between real numbers says is another. *)
Ltac real_places := repeat match goal with
  | |- context [?f ?i] => match type of i with Z => match goal with H : context [f ?j] |- _ =>
      tryif constr_eq i j then fail else
      (let E := fresh in assert (E : i = j) by (apply eq_IZR; whole; lra); rewrite E in *; clear E) end end
  end.

(** Functions of sums and products are taken apart. *)
Ltac deeper_logs := first [logs
  | solve [repeat first [rewrite ln_quotient by positive | rewrite ln_mult by positive | rewrite ln_Rinv by positive]; evaluated; by_parts]].
Ltac by_functions := cbv beta; evaluated; apart; first [by_field | lra | by_parts | solve [logs] | solve [by_powers] | arithmetic].
Ltac deeper_expansion := first [further_expansion | solve [by_powers]].

Lemma same_inverse a b c : c * a = 1 -> c * b = 1 -> a = b.
Proof. intros E F. replace a with (a * (c * b)) by (rewrite F; ring). replace b with ((c * a) * b) at 2 by (rewrite E; ring). ring. Qed.

(** Cases of which the second one is strict: what is multiplied with a bound there is positive. *)
Lemma min_cases_strict a b : (b >= a /\ Rmin a b = a) \/ (a > b /\ Rmin a b = b).
Proof. destruct (Rle_lt_dec a b); [left; split; [lra | apply Rmin_left; lra] | right; split; [lra | apply Rmin_right; lra]]. Qed.
Lemma max_cases_strict a b : (a >= b /\ Rmax a b = a) \/ (b > a /\ Rmax a b = b).
Proof. destruct (Rle_lt_dec b a); [left; split; [lra | apply Rmax_left; lra] | right; split; [lra | apply Rmax_right; lra]]. Qed.
Lemma abs_cases_strict a : (a >= 0 /\ Rabs a = a) \/ (- a > 0 /\ Rabs a = - a).
Proof. destruct (Rle_lt_dec 0 a); [left; split; [lra | apply Rabs_pos_eq; lra] | right; split; [lra | apply Rabs_left; lra]]. Qed.

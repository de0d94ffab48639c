(** Tactics for functions of what is known: absolute values of products, exponentials of multiples, roots of numbers. *)
From Simspec Require Export deeper.
Open Scope R_scope.

(** ** Absolute values of products and quotients; a factor of known sign leaves. *)

Ltac sign_known a := first [rewrite (Rabs_pos_eq a) in * by positive | rewrite (Rabs_left1 a) in * by lra].
Ltac absolute_factors := unfold Rdiv in *; rewrite ?Rabs_Ropp, ?Rabs_mult, ?Rabs_inv, ?Rabs_Rabsolu, <- ?RPow_abs in *;
  repeat match goal with
  | |- context [Rabs ?a] => sign_known a
  | H : context [Rabs ?a] |- _ => sign_known a
  end.

(** ** Exponentials of sums are products, those of multiples are powers. *)

Lemma exp_power n x a : a = INR n * x -> exp a = exp x ^ n.
Proof.
  intros ->. induction n as [|n IH]; [rewrite Rmult_0_l; exact exp_0 |].
  rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, exp_plus, IH. simpl. ring.
Qed.
Lemma exp_power_inverse n x a : a = - INR n * x -> exp a = / exp x ^ n.
Proof. intros ->. rewrite (exp_power n (- x)) by ring. rewrite exp_Ropp. apply pow_inv. Qed.
Ltac multiple a x := first
  [ rewrite (exp_power_inverse 1 x a) in * by (simpl INR; ring)
  | rewrite (exp_power 2 x a) in * by (simpl INR; ring) | rewrite (exp_power_inverse 2 x a) in * by (simpl INR; ring)
  | rewrite (exp_power 3 x a) in * by (simpl INR; ring) | rewrite (exp_power_inverse 3 x a) in * by (simpl INR; ring)
  | rewrite (exp_power 4 x a) in * by (simpl INR; ring) | rewrite (exp_power_inverse 4 x a) in * by (simpl INR; ring) ].
Ltac exponent a := match a with context [?x] => is_var x; tryif constr_eq a x then fail else multiple a x end.
Ltac multiples := rewrite ?exp_plus in *; repeat match goal with
  | |- context [exp ?a] => exponent a
  | H : context [exp ?a] |- _ => exponent a
  end.

(** ** Powers of roots of numbers *)

Ltac root_known a := lazymatch goal with
  | _ : sqrt a * sqrt a = a |- _ => fail
  | _ => let E := fresh "E" in assert (E : sqrt a * sqrt a = a) by (apply sqrt_sqrt; lra); pose proof (sqrt_pos a)
  end.
Ltac roots_known := repeat match goal with
  | |- context [sqrt ?a] => root_known a
  | H : context [sqrt ?a] |- _ => root_known a
  end.
Ltac root_powers := repeat match goal with
  | E : sqrt ?a * sqrt ?a = ?a |- _ =>
      let r := fresh "r" in set (r := sqrt a) in *; clearbody r;
      let T := fresh "T" in assert (T : r ^ 3 = a * r) by (replace (r ^ 3) with (r * r * r) by ring; rewrite E; reflexivity);
      assert (r ^ 4 = a * a) by (replace (r ^ 4) with (r * r * (r * r)) by ring; rewrite E; reflexivity)
  end.
Ltac functions_roots := cbv beta; roots_known; root_powers; first
  [ lra | solve [match goal with E : ?r * ?r = _ |- _ => first [ring [E] | field [E]; nonzero] end] | solve [nra] ].

(** ** Whole parts *)

Lemma floor_moved x y n : x = y + IZR n -> IZR (Int_part x) = IZR (Int_part y) + IZR n.
Proof.
  intros ->. rewrite <- plus_IZR. f_equal. unfold Int_part. destruct (archimed y) as [L H].
  rewrite <- (tech_up (y + IZR n) (up y + n)); [ring | |]; rewrite plus_IZR; lra.
Qed.
Ltac functions_floor := match goal with
  | |- IZR (Int_part ?x) = IZR (Int_part ?y) => f_equal; f_equal; by_parts
  | |- IZR (Int_part ?x) = IZR (Int_part ?y) + IZR ?n => apply floor_moved; by_parts
  | |- IZR (Int_part ?x) = IZR ?n + IZR (Int_part ?y) => rewrite (Rplus_comm (IZR n)); apply floor_moved; by_parts
  end.

(** ** Polynomials of a number between 0 and 1: sums of products of x (1 - x) and (x - 1/2)^2 *)

Ltac functions_between x := let u := fresh "u" in let v := fresh "v" in
  assert (u : 0 <= x * (1 - x)) by (apply Rmult_le_pos; lra); pose proof (pow2_ge_0 (x - 1 / 2)) as v;
  pose proof (Rmult_le_pos _ _ u u); pose proof (Rmult_le_pos _ _ u v); pose proof (Rmult_le_pos _ _ v v); lra.

(** ** Steps *)

Ltac functions_side := first [further_side | by_field | solve [unfold Rdiv; positive]].
Ltac functions_becomes G := cbv beta in *; first
  [ solve [absolute_factors; first [lra | compared G]] | solve [multiples; compared G] | further_becomes G].
Ltac functions_start := first [solve [cbv beta; rewrite ?Rmult_0_r, ?exp_0; by_field] | further_start].
Ltac functions_slopes := first [solve [cbv beta; simpl INR; simpl pred; multiples; by_field] | further_slopes].
Ltac functions_expansion := cbv beta; first
  [solve [rewrite ?exp_plus; by_field] | deeper_expansion | solve [rewrite ?exp_plus; by_parts] | solve [multiples; by_parts]].

(** More of what names that are defined meet: signs, sums of marks, and the largest first. *)
From Simspec Require Export defined texts ranked.

(** ** Lemmas *)

Lemma over_pos n d other : (d <> 0 -> 0 < n / d) -> 0 < other -> 0 < over n d other.
Proof. intros N O. unfold over. destruct (Req_EM_T d 0) as [E|E]; [exact O | exact (N E)]. Qed.
Lemma over_flip n d other : over n d other = over (- n) (- d) other.
Proof. unfold over. destruct (Req_EM_T d 0), (Req_EM_T (- d) 0); try lra. field. lra. Qed.
Lemma over_square_pos p : 0 <= p -> 0 < over (p ^ 2) p 1.
Proof. intro P. apply over_pos; [intro N; replace (p ^ 2 / p) with p by (field; exact N); lra | lra]. Qed.
Lemma product_le_1 a b : 0 <= a -> a <= 1 -> 0 <= b -> b <= 1 -> a * b <= 1.
Proof. intros. nra. Qed.
Lemma marked_le_1 b : marked b <= 1.
Proof. unfold marked. destruct b; lra. Qed.
Lemma mark_square b : marked b ^ 2 = marked b.
Proof. unfold marked. destruct b; lra. Qed.
Lemma Int_part_nonneg r : 0 <= r -> (0 <= Int_part r)%Z.
Proof. intro H. pose proof (base_Int_part r) as [_ L]. assert (-1 < Int_part r)%Z by (apply lt_IZR; lra). lia. Qed.
(** A sum of whole numbers, none below 0, is 0, or 1 and more. *)
Lemma Sum_whole_cases lo hi f : (forall k, (lo <= k <= hi)%Z -> is_whole (f k)) -> (forall k, (lo <= k <= hi)%Z -> 0 <= f k) ->
  Sum lo hi f = 0 \/ 1 <= Sum lo hi f.
Proof.
  intros W P. destruct (whole_Sum lo hi f W) as [z E]. pose proof (Sum_nonneg lo hi f P) as N. rewrite E in *.
  destruct (Z.eq_dec z 0) as [->|D]; [left; reflexivity | right]. apply IZR_le. apply le_IZR in N. lia.
Qed.

(** ** Tactics *)

(** All names opened; a section says which they are. *)
Ltac opened := fail.

Ltac known := match goal with
  | H : forall _, _ |- _ => solve [apply H; lia | apply H; assumption | apply H | apply Rge_le, H; lia | apply Rge_le, H | apply Rlt_le, Rgt_lt, H; lia | apply Rlt_le, H; lia | apply Rlt_le, H]
  end.
(** A number that is not negative, below another, at most 1, or positive. *)
Ltac wide_not_negative := first
  [ lra | assumption | known
  | apply marked_nonneg | apply sqrt_pos | apply Rabs_pos | apply is_zero_nonneg | apply not_below_nonneg | apply at_largest_nonneg | apply delta_nonneg
  | apply pow2_ge_0 | apply Rlt_le, exp_pos
  | match goal with
    | |- 0 <= over ?n ?d _ => first [solve [apply over_nonneg; wide_not_negative] | solve [rewrite (over_flip n d); apply over_nonneg; wide_not_negative]]
    | |- 0 <= - (?a + -1) => solve [enough (a <= 1) by lra; wide_below]
    | |- 0 <= ?a + -1 * ?b => solve [apply Rle_trans with (a - b); [enough (b <= a) by lra; wide_below | lra]]
    | |- 0 <= ?a + (-1) * ?b => solve [enough (b <= a) by lra; wide_below]
    | |- 0 <= - ?b + ?a => solve [enough (b <= a) by lra; wide_below]
    | |- 0 <= -1 * ?b + ?a => solve [enough (b <= a) by lra; wide_below]
    | |- 0 <= ?a + ?b => solve [apply Rplus_le_le_0_compat; wide_not_negative]
    | |- 0 <= ?a * ?b => solve [apply Rmult_le_pos; wide_not_negative]
    | |- 0 <= ?a / ?b => solve [apply Rmult_le_pos; [wide_not_negative | apply Rlt_le, Rinv_0_lt_compat; wide_positive]]
    | |- 0 <= / ?b => solve [apply Rlt_le, Rinv_0_lt_compat; wide_positive]
    | |- 0 <= ?a ^ _ => solve [apply pow_le; wide_not_negative]
    | |- 0 <= Sum _ _ _ => apply Sum_nonneg; intros; cbv beta; wide_not_negative
    | |- 0 <= Rmax ?a ?b => first [solve [apply Rle_trans with a; [wide_not_negative | apply Rmax_l]] | apply Rle_trans with b; [wide_not_negative | apply Rmax_r]]
    | |- 0 <= Rmin _ _ => apply Rmin_glb; wide_not_negative
    | |- 0 <= IZR (whole_marked _) => rewrite whole_marked_IZR; apply marked_nonneg
    | |- 0 <= IZR (Int_part _) => apply IZR_le, Int_part_nonneg; wide_not_negative
    | |- 0 <= IZR _ => apply IZR_le; solve [lia | known]
    end
  | progress opened; cbv beta; wide_not_negative ]
with wide_below := first
  [ lra | assumption | known | apply Rmin_l | apply Rmin_r | apply Rmax_l | apply Rmax_r | apply marked_le_1
  | match goal with
    | |- Rmin ?a ?b <= _ => first [solve [apply Rle_trans with a; [apply Rmin_l | wide_below]] | solve [apply Rle_trans with b; [apply Rmin_r | wide_below]]]
    | |- over ?n ?d _ <= 1 => first [solve [apply over_le_1; first [wide_below | wide_not_negative]]
        | solve [rewrite (over_flip n d); apply over_le_1; first [wide_below | wide_not_negative]]]
    | |- - (?a + -1) <= - (?b + -1) => solve [enough (b <= a) by lra; wide_below]
    | |- ?a <= ?a + ?b => solve [enough (0 <= b) by lra; wide_not_negative]
    | |- ?a * ?b <= 1 => solve [apply product_le_1; first [wide_not_negative | wide_below]]
    | |- Sum ?lo ?hi ?g <= Sum ?lo ?hi ?f => solve [apply Sum_le; intros; cbv beta; wide_below]
    | |- Sum ?lo ?hi ?g <= 1 => match goal with H : Sum lo hi ?f = 1 |- _ => rewrite <- H; apply Sum_le; intros; cbv beta; wide_below end
    | |- ?v * Rmin ?a ?b <= ?q => solve [apply Rle_trans with (1 * Rmin a b);
        [apply Rmult_le_compat_r; [wide_not_negative | wide_below] | rewrite Rmult_1_l; wide_below]]
    | |- ?b * ?a <= ?a => solve [rewrite <- (Rmult_1_l a) at 2; apply Rmult_le_compat_r; [wide_not_negative | wide_below]]
    | |- ?a * ?b <= ?a => solve [rewrite <- (Rmult_1_r a) at 2; apply Rmult_le_compat_l; [wide_not_negative | wide_below]]
    | |- _ <= Rmin _ _ => apply Rmin_glb; wide_below
    | |- ?e <= 1 => match goal with H : Sum ?lo ?hi ?f = 1 |- _ => match goal with R : (lo <= ?k <= hi)%Z |- _ =>
        apply Rle_trans with (Sum lo hi f); [refine (Sum_term lo hi f k _ R); intros; cbv beta; wide_not_negative | lra] end end
    end
  | progress opened; cbv beta; wide_below ]
with wide_positive := first
  [ lra | assumption | known | apply exp_pos | apply over_square_pos; wide_not_negative
  | match goal with
    | |- 0 < over _ _ _ => apply over_pos; [intro; wide_quotient | wide_positive]
    | |- 0 < ?a + ?b => first [apply Rplus_lt_le_0_compat; [wide_positive | wide_not_negative] | apply Rplus_le_lt_0_compat; [wide_not_negative | wide_positive]]
    | |- 0 < ?a * ?b => apply Rmult_lt_0_compat; wide_positive
    | |- 0 < ?a / ?b => apply Rdiv_lt_0_compat; wide_positive
    | |- 0 < / ?b => apply Rinv_0_lt_compat; wide_positive
    | |- 0 < sqrt _ => apply sqrt_lt_R0; wide_positive
    | |- 0 < ?a ^ _ => apply pow_lt; wide_positive
    | |- 0 < Rmin _ _ => apply Rmin_glb_lt; wide_positive
    | |- 0 < Rmax ?a ?b => first [apply Rlt_le_trans with a; [wide_positive | apply Rmax_l] | apply Rlt_le_trans with b; [wide_positive | apply Rmax_r]]
    end
  | progress opened; cbv beta; wide_positive ]
with wide_quotient := match goal with
  | N : ?d <> 0 |- 0 < ?n / ?d =>
      let P := fresh in assert (P : 0 < d) by (let Q := fresh in assert (Q : 0 <= d) by wide_not_negative; lra);
      apply Rdiv_lt_0_compat; [first [wide_positive | nra] | exact P]
  end.

(** That a number is 0 or 1; and that one is whole. *)
Ltac zero_or_one := first
  [ match goal with H : forall _, _ |- _ => solve [apply mark_cases; apply H; first [lia | assumption]] end
  | match goal with |- marked ?b = 0 \/ _ => destruct b; [right | left]; reflexivity end
  | match goal with |- IZR (whole_marked ?b) = 0 \/ _ => destruct b; [right | left]; reflexivity end
  | match goal with |- not_below ?e = 0 \/ _ => unfold not_below; destruct (Rle_lt_dec 0 e); [right | left]; reflexivity end
  | match goal with |- is_zero ?e = 0 \/ _ => unfold is_zero; destruct (Req_EM_T e 0); [right | left]; reflexivity end
  | match goal with |- delta ?a ?b = 0 \/ _ => unfold delta; destruct (Z.eq_dec a b); [right | left]; reflexivity end
  | match goal with |- largest ?lo ?hi ?f = 0 \/ _ => unfold largest;
      let R := fresh in assert (R : (lo <= largest_at lo hi f <= hi)%Z) by (apply largest_range; lia);
      set (largest_at lo hi f) in *; cbv beta; zero_or_one end
  | match goal with |- ?a * ?b = 0 \/ _ => assert (a = 0 \/ a = 1) as [-> | ->] by zero_or_one; [left; ring | rewrite Rmult_1_l; zero_or_one] end
  | progress opened; cbv beta; zero_or_one ].
Ltac wholly := cbv beta; first
  [ apply whole_IZR | apply whole_marked_is
  | match goal with
    | |- is_whole (_ + _) => apply whole_plus; wholly
    | |- is_whole (_ * _) => apply whole_mult; wholly
    | |- is_whole (- _) => apply whole_opp; wholly
    | |- is_whole (Sum _ _ _) => apply whole_Sum; intros; wholly
    | |- is_whole ?e => assert (e = 0 \/ e = 1) as [-> | ->] by zero_or_one; [apply (whole_IZR 0) | apply (whole_IZR 1)]
    end
  | progress opened; wholly ].

(** The first of a set: of whole marks, what their number is, and the order of those taken and left. *)
Ltac meets_ranked := rewrite ?whole_marked_IZR; match goal with
  | |- marked _ ^ 2 = marked _ => apply mark_square
  | |- (0 <= whole_marked ?b)%Z => destruct b; simpl; lia
  | |- (0 <= marked _) => apply marked_nonneg
  | |- marked (ranked ?lo ?hi ?f ?u ?n ?k) <= _ => apply (ranked_set lo hi f u n k); cbv beta; zero_or_one
  | |- Sum ?lo ?hi ?s = _ => match s with context [ranked lo hi ?f ?u ?n _] =>
      transitivity (Sum lo hi (fun k => marked (ranked lo hi f u n k)));
      [ apply Sum_ext; intros; cbv beta; rewrite ?whole_marked_IZR; reflexivity
      | apply ranked_total; [lia | wholly | intros; cbv beta; zero_or_one] ] end
  | X : (?lo <= ?x <= ?hi)%Z, Y : (?lo <= ?y <= ?hi)%Z |- context [ranked ?lo ?hi ?f ?u ?n ?y] =>
      match goal with |- context [ranked lo hi f u n x] =>
        apply Rle_ge; let E := fresh in assert (E : u y = 0 \/ u y = 1) by (cbv beta; zero_or_one);
        let G := fresh in pose proof (ranked_order lo hi f u n x y X Y E) as G; cbv beta in G; refine (Rle_trans _ _ _ G _); apply Req_le; ring
      end
  end.

(** A mark of a sum of marks: the sum is 0, or 1 and more. *)
Ltac sum_cases := repeat match goal with
  | |- context [Sum ?lo ?hi ?f] => lazymatch goal with
      | _ : Sum lo hi f = 0 \/ 1 <= Sum lo hi f |- _ => fail
      | _ => assert (Sum lo hi f = 0 \/ 1 <= Sum lo hi f) by (apply Sum_whole_cases; intros; cbv beta; [wholly | wide_not_negative])
      end
  end.
(** Roots, and quotients where the denominator is 0, and where it is not. *)
Ltac least_of_zero := rewrite ?Rmult_0_l, ?Rmult_0_r, ?Rplus_0_l, ?Rplus_0_r; first
  [ lra | ring
  | match goal with |- context [Rmin ?a ?b] =>
      first [rewrite (Rmin_right a b) by (first [lra | wide_not_negative]) | rewrite (Rmin_left a b) by (first [lra | wide_not_negative])]; first [lra | ring] end
  | match goal with |- context [Rmax ?a ?b] =>
      first [rewrite (Rmax_left a b) by (first [lra | wide_below]) | rewrite (Rmax_right a b) by (first [lra | wide_below])]; first [lra | ring] end ].
Ltac root_signs := repeat match goal with
  | |- context [sqrt ?e] => lazymatch goal with _ : 0 <= sqrt e |- _ => fail | _ => pose proof (sqrt_pos e) end
  end.
Ltac zeros_in_goal := repeat match goal with
  | E : ?t = 0 |- context [?t] => rewrite E
  | E : ?t = 1 |- context [?t] => rewrite E
  end.
Ltac meets_flag := match goal with
  | |- ?e * (1 + -1 * ?e) = 0 => let H := fresh in assert (e = 0 \/ e = 1) as [H | H] by zero_or_one; rewrite H; ring
  | |- (1 + -1 * ?e) * ?e = 0 => let H := fresh in assert (e = 0 \/ e = 1) as [H | H] by zero_or_one; rewrite H; ring
  | |- ?e ^ 2 = ?e => let H := fresh in assert (e = 0 \/ e = 1) as [H | H] by zero_or_one; rewrite H; ring
  end.
Ltac meets_root := match goal with
  | |- sqrt ?e ^ 2 = ?r => replace e with r by ring; apply pow2_sqrt; wide_not_negative
  end.
Ltac meets_over := match goal with |- context [over ?n ?d ?other] =>
    unfold over; let E := fresh "E" in destruct (Req_EM_T d 0) as [E | E];
    [ root_signs; first [solve [zeros_in_goal; least_of_zero] | solve [vanish; at_tokens; zeros_in_goal; least_of_zero]]
    | solve [lra | field; other_than_0] ]
  end.
(** Names on texts, by the same tactics. *)
Ltac wide_text_ranges := repeat match goal with
  | |- context [on_texts ?V ?f ?s ?n] => let X := fresh "at_text" in
      first
        [ assert (0 <= on_texts V f s n <= 1) by (apply on_texts_between; [lia | lra | intros; cbv beta; split; [wide_not_negative | wide_below]])
        | assert (0 <= on_texts V f s n) by (apply on_texts_nonneg; [lia | lra | intros; cbv beta; wide_not_negative])
        | idtac ];
      set (X := on_texts V f s n) in *; clearbody X
  end.
Ltac meets_wide_text :=
  repeat match goal with |- context [on_texts ?V ?f ?s (child_of ?V ?c ?x)] => rewrite (on_texts_child V f s c x) by lia; cbv beta end;
  wide_text_ranges; first
    [ lra | wide_not_negative | wide_below
    | match goal with |- context [over ?n ?d ?other] => unfold over; let E := fresh "E" in destruct (Req_EM_T d 0) as [E | E];
        [ rewrite ?E; first [lra | rewrite Rmin_right by wide_not_negative; lra | rewrite Rmin_left by wide_not_negative; lra]
        | solve [lra | field; other_than_0] ] end ].
Ltac meets_wide := cbv beta; first
  [ meets_ranked
  | match goal with |- context [on_texts] => meets_wide_text end
  | match goal with
    | |- context [is_zero ?e] => let P := fresh in assert (P : 0 <= e) by wide_not_negative; pose proof (is_zero_positive e P); lra
    end
  | solve [wide_not_negative] | solve [apply Rle_ge; wide_not_negative] | solve [wide_positive] | solve [apply Rlt_gt; wide_positive]
  | solve [wide_below]
  | meets_flag | meets_root | meets_over
  | solve [sum_cases; decide_conditions; lra]
  | solve [decide_conditions; first [lra | apply Rlt_gt; first [wide_positive | nra] | is_not_0; nra]] ].

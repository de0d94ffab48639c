(** Lenience with a levelled residual: of all rules that accept as often the one closest to the target, in every divergence. *)

Require Import Reals Lra Lia List Arith Bool.
Require Import laws lossless slopes ears rdk dobrushin relaxed several paths certificates.
Import ListNotations.
Open Scope R_scope.

(** A convex function between 0 and infinity has a slope everywhere, and is above its tangents; where its limit at 0 is finite, there
    too. *)
Definition has_slopes (f g : R -> R) : Prop := forall r s, 0 < r -> 0 < s -> f r + g r * (s - r) <= f s.
Definition has_slopes_at_0 (f g : R -> R) : Prop := forall r, 0 < r -> f r + g r * (0 - r) <= f 0.

(** The f-divergence of two laws, M the limit of the slopes at infinity or a bound of them: Σ p f(o/p), and M o where p is 0. *)
Definition f_divergence (V : nat) (f : R -> R) (M : R) (o p : nat -> R) : R :=
  sum V (fun x => if Rlt_dec 0 (p x) then p x * f (o x / p x) else M * o x).

Section Levels.

Variable V : nat.
Variables p q : nat -> R.
Variable l : R.
Hypothesis target_law : law V p.
Hypothesis draft_law : law V q.
Hypothesis lenient : 0 < l <= 1.

(** Lenience l keeps a draft with min(1, p/(l q)): of each token min(q, p/l). *)
Definition lenience (x : nat) : R := Rmin 1 (p x / (l * q x)).
Definition kept_leniently (x : nat) : R := Rmin (q x) (p x / l).

(** The levelled residual, (a p - q)₊ made a law, at the level a where that fills what is refused; and the law q clipped. *)
Definition levelled (a : R) (x : nat) : R := Rmax 0 (a * p x - q x) / sum V (fun y => Rmax 0 (a * p y - q y)).
Definition clipped (a : R) (x : nat) : R := Rmax (a * p x) (Rmin (q x) (p x / l)).
Definition is_level (a : R) : Prop := 0 <= a <= 1 /\ sum V (fun x => Rmax 0 (a * p x - q x)) = 1 - sum V kept_leniently.
Definition lenient_rule (a : R) : program nat := rule V q lenience (fun _ => levelled a).

Lemma over_l : 1 <= / l.
Proof. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. Qed.

Lemma target_over x : (x < V)%nat -> p x <= p x / l.
Proof.
  intros L. pose proof (law_nonneg V p x target_law L). pose proof over_l. unfold Rdiv. rewrite <- (Rmult_1_r (p x)) at 1.
  apply Rmult_le_compat_l; lra.
Qed.

Lemma kept_is x : (x < V)%nat -> kept q lenience x = kept_leniently x.
Proof.
  intros L. unfold kept, lenience, kept_leniently. pose proof (law_nonneg V p x target_law L) as P.
  pose proof (target_over x L). destruct (law_nonneg V q x draft_law L) as [Q|<-].
  - replace (p x / (l * q x)) with (p x / l / q x) by (field; lra). rewrite keep_mass by lra. apply Rmin_comm.
  - rewrite Rmult_0_l, Rmin_left; lra.
Qed.

Lemma lenience_share x : (x < V)%nat -> 0 <= lenience x <= 1.
Proof.
  intros L. unfold lenience. pose proof (law_nonneg V p x target_law L) as P. destruct (law_nonneg V q x draft_law L) as [Q|<-].
  - apply keep_range; [easy | apply Rmult_lt_0_compat; lra].
  - rewrite Rmult_0_r. unfold Rdiv. rewrite Rinv_0, Rmult_0_r, Rmin_right; lra.
Qed.

Lemma kept_least_q x : kept_leniently x <= q x.
Proof. apply Rmin_l. Qed.

Lemma kept_range : 0 <= sum V kept_leniently <= 1.
Proof.
  split.
  - apply sum_nonneg. intros x L. pose proof (law_nonneg V p x target_law L). pose proof (target_over x L).
    apply Rmin_glb; [now apply (law_nonneg V) | lra].
  - destruct draft_law as [_ <-]. apply sum_le. intros. apply kept_least_q.
Qed.

(** What is clipped is what is kept, and the residual beside it. *)
Lemma clipped_is a x : 0 <= a <= 1 -> (x < V)%nat -> clipped a x = kept_leniently x + Rmax 0 (a * p x - q x).
Proof.
  intros A L. unfold clipped, kept_leniently. pose proof (target_over x L). pose proof (law_nonneg V p x target_law L).
  assert (a * p x <= p x) by nra. unfold Rmax, Rmin.
  destruct (Rle_dec (q x) (p x / l)), (Rle_dec 0 (a * p x - q x)); destruct (Rle_dec (a * p x) _); lra.
Qed.

Lemma fills_continuous n : continuity (fun a => sum n (fun x => Rmax 0 (a * p x - q x))).
Proof.
  induction n as [|n IH]; [apply continuity_const; now intros u v|]. cbn [sum].
  apply (continuity_plus (fun a => sum n (fun x => Rmax 0 (a * p x - q x))) (fun a => Rmax 0 (a * p n - q n))); [exact IH|].
  assert (D : continuity (fun a => a * p n - q n)).
  { apply (continuity_minus (fun a => a * p n) (fun _ => q n)); [|apply continuity_const; now intros u v].
    apply (continuity_mult id (fun _ => p n)); [apply derivable_continuous, derivable_id | apply continuity_const; now intros u v]. }
  assert (E : forall a, / 2 * ((a * p n - q n) + Rabs (a * p n - q n)) = Rmax 0 (a * p n - q n)).
  { intros a. unfold Rabs, Rmax. destruct (Rcase_abs (a * p n - q n)), (Rle_dec 0 (a * p n - q n)); lra. }
  intros a. apply (continuity_pt_locally_ext (fun a => / 2 * ((a * p n - q n) + Rabs (a * p n - q n))) _ 1 a Rlt_0_1 (fun a _ => E a)).
  apply (continuity_pt_scal (fun a => (a * p n - q n) + Rabs (a * p n - q n))).
  apply (continuity_pt_plus (fun a => a * p n - q n) (fun a => Rabs (a * p n - q n))); [apply D|].
  apply (continuity_pt_comp (fun a => a * p n - q n) Rabs); [apply D | apply Rcontinuity_abs].
Qed.

Lemma level_exists : exists a, is_level a.
Proof.
  set (F := fun a => sum V (fun x => Rmax 0 (a * p x - q x)) - (1 - sum V kept_leniently)). pose proof kept_range as K.
  assert (Z : F 0 = - (1 - sum V kept_leniently)).
  { unfold F. rewrite (sum_ext V _ (fun _ => 0)), sum_zero; [ring|]. intros x L. pose proof (law_nonneg V q x draft_law L).
    apply Rmax_left. lra. }
  assert (O : 0 <= F 1).
  { unfold F. assert (1 <= sum V (fun x => kept_leniently x + Rmax 0 (1 * p x - q x))).
    - destruct target_law as [_ One]. rewrite <- One at 1. apply sum_le. intros x L. rewrite <- clipped_is by (easy || lra). unfold clipped.
      rewrite Rmult_1_l. apply Rmax_l.
    - rewrite sum_plus in H. lra. }
  destruct (Req_dec (F 1) 0) as [E1|N1]; [exists 1; split; [lra | unfold F in E1; lra]|].
  destruct (Req_dec (F 0) 0) as [E0|N0]; [exists 0; split; [lra | unfold F in E0; lra]|].
  destruct (IVT F 0 1) as [a [A E]]; [| lra | lra | lra |].
  - unfold F. apply (continuity_minus (fun a => sum V (fun x => Rmax 0 (a * p x - q x))) (fun _ => 1 - sum V kept_leniently));
      [apply fills_continuous | apply continuity_const; now intros u v].
  - exists a. split; [lra | unfold F in E; lra].
Qed.

Section Level.

Variable a : R.
Hypothesis level : is_level a.

Lemma lenient_output y : (y < V)%nat -> output (lenient_rule a) y = clipped a y.
Proof.
  intros L. destruct level as [A E]. unfold lenient_rule. rewrite (rule_with V q lenience draft_law) by easy. unfold kept_mass.
  rewrite kept_is, clipped_is by easy. unfold refused, kept_mass. rewrite (sum_ext V (kept q lenience) kept_leniently) by (intros; now apply kept_is).
  rewrite <- E. f_equal. unfold levelled. destruct (Req_dec (sum V (fun x => Rmax 0 (a * p x - q x))) 0) as [Z|N]; [|field; easy].
  rewrite Z, (sum_zero_terms V (fun x => Rmax 0 (a * p x - q x))); [ring | intros; apply Rmax_l | exact Z | easy].
Qed.

Lemma clipped_law : law V (clipped a).
Proof.
  destruct level as [A E]. split.
  - intros x L. unfold clipped. eapply Rle_trans; [|apply Rmax_l]. apply Rmult_le_pos; [lra | now apply (law_nonneg V)].
  - rewrite (sum_ext V _ _ (fun x L => clipped_is a x A L)), sum_plus, E. ring.
Qed.

(** Any rule: it keeps of drafts from q the mass h, no more than it emits, and accepts as often. *)
Variables h o : nat -> R.
Hypothesis h_least : forall x, (x < V)%nat -> h x <= q x /\ h x <= o x.
Hypothesis o_law : law V o.
Hypothesis as_often : sum V kept_leniently <= sum V h.

Lemma closest eta : 0 <= eta -> sum V (fun x => Rmax 0 (clipped a x - eta * p x)) <= sum V (fun x => Rmax 0 (o x - eta * p x)).
Proof.
  intros Eta. destruct level as [A E]. destruct (Rle_dec eta a) as [Low|High].
  - rewrite (sum_ext V (fun x => Rmax 0 (clipped a x - eta * p x)) (fun x => clipped a x - eta * p x)).
    + apply (Rle_trans _ (sum V (fun x => o x - eta * p x))).
      * rewrite !sum_minus. destruct clipped_law as [_ ->], o_law as [_ ->]. lra.
      * apply sum_le. intros. apply Rmax_r.
    + intros x L. apply Rmax_right. pose proof (law_nonneg V p x target_law L). unfold clipped.
      pose proof (Rmax_l (a * p x) (Rmin (q x) (p x / l))). assert (eta * p x <= a * p x) by nra. lra.
  - destruct (Rle_dec (/ l) eta) as [Top|Mid].
    + rewrite (sum_ext V _ (fun _ => 0)), sum_zero; [apply sum_nonneg; intros; apply Rmax_l|]. intros x L. apply Rmax_left.
      pose proof (law_nonneg V p x target_law L). pose proof (target_over x L). unfold clipped.
      assert (p x / l <= eta * p x) by (unfold Rdiv; rewrite Rmult_comm; nra). assert (a * p x <= eta * p x) by nra.
      assert (Rmax (a * p x) (Rmin (q x) (p x / l)) <= eta * p x); [|lra]. apply Rmax_lub; [easy|].
      eapply Rle_trans; [apply Rmin_r | easy].
    + assert (S : sum V (fun x => h x - kept_leniently x) <= sum V (fun x => Rmax 0 (o x - eta * p x) - Rmax 0 (clipped a x - eta * p x))).
      { apply sum_le. intros x L. destruct (h_least x L) as [HQ HO]. pose proof (law_nonneg V p x target_law L) as P.
        assert (EP : eta * p x <= p x / l) by (unfold Rdiv; rewrite (Rmult_comm (p x)); nra). assert (AP : a * p x <= eta * p x) by nra.
        unfold clipped, kept_leniently. unfold Rmin. destruct (Rle_dec (q x) (p x / l)) as [B|B].
        - unfold Rmax. destruct (Rle_dec (a * p x) (q x)); repeat destruct Rle_dec; lra.
        - unfold Rmax. destruct (Rle_dec (a * p x) (p x / l)); repeat destruct Rle_dec; lra. }
      rewrite !sum_minus in S. lra.
Qed.

(** Where nothing is refused, every such rule emits what is kept. *)
Lemma none_refused : a = 0 -> forall x, (x < V)%nat -> o x = clipped a x.
Proof.
  intros Z. destruct level as [A E]. assert (Full : sum V kept_leniently = 1).
  { rewrite Z in E. rewrite (sum_ext V _ (fun _ => 0)), sum_zero in E; [lra|]. intros x L. pose proof (law_nonneg V q x draft_law L).
    apply Rmax_left. lra. }
  assert (HO : forall x, (x < V)%nat -> o x - h x = 0).
  { apply (sum_zero_terms V (fun x => o x - h x)); [intros x L; destruct (h_least x L); lra|]. rewrite sum_minus. destruct o_law as [_ ->].
    assert (sum V h <= 1); [|lra]. destruct o_law as [_ <-]. apply sum_le. intros x L. now apply h_least. }
  assert (HQ : forall x, (x < V)%nat -> q x - h x = 0).
  { apply (sum_zero_terms V (fun x => q x - h x)); [intros x L; destruct (h_least x L); lra|]. rewrite sum_minus. destruct draft_law as [_ ->].
    assert (sum V h <= 1); [|lra]. destruct draft_law as [_ <-]. apply sum_le. intros x L. now apply h_least. }
  assert (KQ : forall x, (x < V)%nat -> q x - kept_leniently x = 0).
  { apply (sum_zero_terms V (fun x => q x - kept_leniently x)); [intros x L; pose proof (kept_least_q x); lra|]. rewrite sum_minus.
    destruct draft_law as [_ ->]. lra. }
  intros x L. specialize (HO x L). specialize (HQ x L). specialize (KQ x L). rewrite clipped_is by easy.
  pose proof (law_nonneg V q x draft_law L). rewrite Z, Rmax_left by lra. lra.
Qed.

Lemma closest_kl : ~ is_infinite V o p -> divergence V (clipped a) p <= divergence V o p.
Proof.
  intros F. destruct level as [A E]. rewrite !divergence_weighted. pose proof clipped_law as C.
  assert (Pos : forall x, (x < V)%nat -> 0 < o x -> 0 < p x).
  { intros x L P. destruct (law_nonneg V p x target_law L) as [|Z]; [easy|]. exfalso. apply F. exists x. auto. }
  destruct (Req_dec a 0) as [Z|N].
  - right. apply sum_ext. intros x L. now rewrite (none_refused Z x L).
  - assert (PA : 0 < a) by lra. set (LA := logarithm a). set (LL := logarithm (/ l)).
    assert (PL : 0 < / l) by (apply Rinv_0_lt_compat; lra).
    assert (Order : LA <= LL) by (apply logarithm_monotone; [easy | pose proof over_l; lra]).
    assert (S : sum V (fun x => (o x - clipped a x) * (1 + LA) + (LL - LA) * (h x - kept_leniently x))
      <= sum V (fun x => weighted (o x) (p x) - weighted (clipped a x) (p x))).
    { apply sum_le. intros x L. destruct (h_least x L) as [HQ HO]. pose proof (law_nonneg V o x o_law L) as O0.
      pose proof (law_nonneg V q x draft_law L) as Q0. destruct (law_nonneg V p x target_law L) as [P|P].
      - assert (CP : 0 < clipped a x).
        { unfold clipped. eapply Rlt_le_trans; [|apply Rmax_l]. now apply Rmult_lt_0_compat. }
        assert (AP : a * p x <= p x / l) by (pose proof (target_over x L); nra).
        set (lam := logarithm (clipped a x / p x)).
        assert (T : (o x - clipped a x) * (1 + lam) <= weighted (o x) (p x) - weighted (clipped a x) (p x)).
        { unfold weighted at 2. destruct (Rlt_dec 0 (clipped a x)); [|easy]. fold lam. destruct O0 as [O0|<-].
          - pose proof (weighted_tangent (o x) (o x) (clipped a x) ltac:(lra) O0 (fun _ => CP)) as W. rewrite weighted_self in W.
            unfold weighted in W |- *. destruct (Rlt_dec 0 (o x)); [|lra]. unfold lam. rewrite !logarithm_quotient in * by easy.
            replace (o x * (1 - clipped a x / o x)) with (o x - clipped a x) in W by (field; lra). lra.
          - unfold weighted. destruct (Rlt_dec 0 0); lra. }
        apply (Rle_trans _ ((o x - clipped a x) * (1 + lam))); [|exact T].
        assert (Slope : (LL - LA) * (h x - kept_leniently x) <= (o x - clipped a x) * (lam - LA)); [|lra].
        destruct (Rle_dec (q x) (a * p x)) as [Q1|Q1].
        + assert (CA : clipped a x = a * p x) by (unfold clipped; apply Rmax_left; eapply Rle_trans; [apply Rmin_l | easy]).
          assert (lam = LA) as ->. { unfold lam. rewrite CA. unfold LA. f_equal. field. lra. }
          assert (kept_leniently x = q x) as -> by (apply Rmin_left; lra). nra.
        + assert (CK : clipped a x = kept_leniently x) by (unfold clipped; apply Rmax_right; apply Rmin_glb; lra).
          rewrite CK in CP, T |- *.
          assert (LamA : LA <= lam).
          { unfold lam. apply logarithm_monotone; [easy|]. apply (Rmult_le_reg_r (p x)); [easy|].
            unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, CK by lra. apply Rmin_glb; lra. }
          assert (LamL : lam <= LL).
          { unfold lam. apply logarithm_monotone; [rewrite CK; now apply Rdiv_lt_0_compat|]. apply (Rmult_le_reg_r (p x)); [easy|].
            unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, CK, (Rmult_comm (/ l)) by lra. apply Rmin_r. }
          destruct (Rle_dec (q x) (p x / l)) as [Q2|Q2].
          * assert (KQ : kept_leniently x = q x) by now apply Rmin_left. rewrite KQ in *.
            destruct (Rle_dec (q x) (o x)); nra.
          * assert (KP : kept_leniently x = p x / l) by (apply Rmin_right; lra).
            assert (lam = LL) as ->. { unfold lam. rewrite CK, KP. unfold LL. f_equal. field. lra. } nra.
      - assert (OZ : o x = 0). { destruct O0 as [O0|]; [|easy]. specialize (Pos x L O0). lra. }
        assert (CZ : clipped a x = 0).
        { unfold clipped. rewrite <- P. unfold Rdiv. rewrite Rmult_0_r, Rmult_0_l, Rmin_right by easy. apply Rmax_left. lra. }
        assert (KZ : kept_leniently x = 0) by (unfold kept_leniently; rewrite <- P; unfold Rdiv; rewrite Rmult_0_l; now apply Rmin_right).
        rewrite OZ, CZ, KZ. rewrite OZ in HO. nra. }
    rewrite sum_plus, sum_scale_right, sum_scale, !sum_minus in S. destruct C as [_ C1], o_law as [_ O1]. rewrite C1, O1 in S.
    assert (0 <= (LL - LA) * (sum V h - sum V kept_leniently)) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma closest_f f g M : has_slopes f g -> (forall x, (x < V)%nat -> 0 < p x -> o x = 0 -> has_slopes_at_0 f g) ->
  (is_infinite V o p -> forall r, 0 < r -> g r <= M) -> f_divergence V f M (clipped a) p <= f_divergence V f M o p.
Proof.
  intros Slopes AtZero Off. destruct level as [A E]. pose proof clipped_law as C. unfold f_divergence.
  destruct (Req_dec a 0) as [Z|N].
  { right. apply sum_ext. intros x L. now rewrite (none_refused Z x L). }
  assert (PA : 0 < a) by lra. assert (PL : 0 < / l) by (apply Rinv_0_lt_compat; lra).
  assert (Rise : forall u v, 0 < u -> u <= v -> g u <= g v).
  { intros u v U [W|<-]; [|lra]. pose proof (Slopes u v U ltac:(lra)). pose proof (Slopes v u ltac:(lra) U). nra. }
  set (LA := g a). set (LL := g (/ l)).
  assert (Order : LA <= LL) by (apply Rise; [easy | pose proof over_l; lra]).
  assert (S : sum V (fun x => (o x - clipped a x) * LA + (LL - LA) * (h x - kept_leniently x))
    <= sum V (fun x => (if Rlt_dec 0 (p x) then p x * f (o x / p x) else M * o x)
      - (if Rlt_dec 0 (p x) then p x * f (clipped a x / p x) else M * clipped a x))).
  { apply sum_le. intros x L. destruct (h_least x L) as [HQ HO]. pose proof (law_nonneg V o x o_law L) as O0.
    pose proof (law_nonneg V q x draft_law L) as Q0. pose proof (law_nonneg V p x target_law L) as P0. destruct (Rlt_dec 0 (p x)) as [P|P].
    - assert (AP : a * p x <= p x / l) by (pose proof (target_over x L); nra).
      assert (CP : 0 < clipped a x). { unfold clipped. eapply Rlt_le_trans; [|apply Rmax_l]. now apply Rmult_lt_0_compat. }
      set (r := clipped a x / p x). assert (R0 : 0 < r) by now apply Rdiv_lt_0_compat.
      assert (RP : r * p x = clipped a x) by (unfold r; field; lra).
      assert (T : f r + g r * (o x / p x - r) <= f (o x / p x)).
      { destruct O0 as [O0|O0]; [apply Slopes; [easy | now apply Rdiv_lt_0_compat]|]. rewrite <- O0. unfold Rdiv at 1 2. rewrite Rmult_0_l.
        apply (AtZero x); easy. }
      apply (Rmult_le_compat_l (p x)) in T; [|lra].
      replace (p x * (f r + g r * (o x / p x - r))) with (p x * f r + g r * (o x - clipped a x)) in T by (rewrite <- RP; field; lra).
      assert (Slope : (LL - LA) * (h x - kept_leniently x) <= (o x - clipped a x) * (g r - LA)); [|lra].
      destruct (Rle_dec (q x) (a * p x)) as [Q1|Q1].
      + assert (CA : clipped a x = a * p x) by (unfold clipped; apply Rmax_left; eapply Rle_trans; [apply Rmin_l | easy]).
        assert (r = a) as -> by (unfold r; rewrite CA; field; lra).
        assert (kept_leniently x = q x) as -> by (apply Rmin_left; lra). fold LA. nra.
      + assert (CK : clipped a x = kept_leniently x) by (unfold clipped; apply Rmax_right; apply Rmin_glb; lra).
        assert (K : a * p x <= kept_leniently x <= p x / l) by (split; [apply Rmin_glb; lra | apply Rmin_r]).
        assert (LamA : LA <= g r). { apply Rise; [easy|]. apply (Rmult_le_reg_r (p x)); [easy|]. lra. }
        assert (LamL : g r <= LL).
        { apply Rise; [easy|]. apply (Rmult_le_reg_r (p x)); [easy|]. rewrite RP, CK, (Rmult_comm (/ l)). apply K. }
        destruct (Rle_dec (q x) (p x / l)) as [Q2|Q2].
        * assert (KQ : kept_leniently x = q x) by now apply Rmin_left. rewrite CK, KQ in *. destruct (Rle_dec (q x) (o x)); nra.
        * assert (KP : kept_leniently x = p x / l) by (apply Rmin_right; lra).
          assert (r = / l) as -> by (unfold r; rewrite CK, KP; field; lra). fold LL. rewrite CK. nra.
    - assert (PZ : p x = 0) by lra.
      assert (CZ : clipped a x = 0).
      { unfold clipped. rewrite PZ. unfold Rdiv. rewrite Rmult_0_r, Rmult_0_l, Rmin_right by easy. apply Rmax_left. lra. }
      assert (KZ : kept_leniently x = 0) by (unfold kept_leniently; rewrite PZ; unfold Rdiv; rewrite Rmult_0_l; now apply Rmin_right).
      rewrite CZ, KZ. destruct O0 as [O0|O0]; [|rewrite <- O0 in *; nra].
      assert (LL <= M) by (apply Off; [exists x; auto | easy]). nra. }
  rewrite sum_plus, sum_scale_right, sum_scale, !sum_minus in S. destruct C as [_ C1], o_law as [_ O1]. rewrite C1, O1 in S.
  assert (0 <= (LL - LA) * (sum V h - sum V kept_leniently)) by (apply Rmult_le_pos; lra). lra.
Qed.

End Level.

Lemma any_rule_keeps b replacement : (forall x, (x < V)%nat -> 0 <= b x <= 1) -> (forall x, (x < V)%nat -> law V (replacement x)) ->
  (forall x, (x < V)%nat -> kept q b x <= q x /\ kept q b x <= output (rule V q b replacement) x) /\
  law V (output (rule V q b replacement)).
Proof.
  intros B R.
  assert (N : forall y, (y < V)%nat -> 0 <= replaced V q b replacement y).
  { intros y L. apply sum_nonneg. intros x X. specialize (B x X). apply Rmult_le_pos; [apply Rmult_le_pos|].
    - now apply (law_nonneg V).
    - lra.
    - now apply (law_nonneg V), L; apply R. }
  assert (K : forall x, (x < V)%nat -> 0 <= kept q b x <= q x).
  { intros x L. specialize (B x L). pose proof (law_nonneg V q x draft_law L). unfold kept. split; [apply Rmult_le_pos; lra|].
    rewrite <- (Rmult_1_r (q x)) at 2. apply Rmult_le_compat_l; lra. }
  split.
  - intros x L. rewrite rule_output by easy. specialize (N x L). specialize (K x L). lra.
  - split; [intros x L; rewrite rule_output by easy; specialize (N x L); specialize (K x L); lra|].
    rewrite (output_total V p q target_law draft_law) by easy. apply target_law.
Qed.

(** Of all rules on drafts from q that accept at least as often as lenience l, lenience with the levelled residual norm((a p - q)₊) emits
    the law closest to p in every f-divergence, o* = clip(q, a p, p/l): for every η >= 0, Σ (o* - η p)₊ <= Σ (output - η p)₊, and for
    every convex f, D_f(o* ‖ p) <= D_f(output ‖ p) where that is finite: f has a limit at 0 if a token of p is not emitted, and its
    slopes have a bound M, which D_f counts for the mass of tokens with p = 0, if one of them is emitted. *)
Theorem ears_best_tradeoff_every_divergence : exists a, is_level a /\
  (forall y, (y < V)%nat -> output (lenient_rule a) y = clipped a y) /\
  forall b replacement, (forall x, (x < V)%nat -> 0 <= b x <= 1) -> (forall x, (x < V)%nat -> law V (replacement x)) ->
    ears.acceptance V q lenience <= ears.acceptance V q b ->
    let o := output (rule V q b replacement) in
    (forall eta, 0 <= eta ->
      sum V (fun x => Rmax 0 (output (lenient_rule a) x - eta * p x)) <= sum V (fun x => Rmax 0 (o x - eta * p x))) /\
    forall f g M, has_slopes f g -> (forall x, (x < V)%nat -> 0 < p x -> o x = 0 -> has_slopes_at_0 f g) ->
      (is_infinite V o p -> forall r, 0 < r -> g r <= M) -> f_divergence V f M (output (lenient_rule a)) p <= f_divergence V f M o p.
Proof.
  destruct level_exists as [a A]. exists a. split; [exact A|]. pose proof (lenient_output a A) as O. split; [exact O|].
  intros b replacement B R Often o. destruct (any_rule_keeps b replacement B R) as [K OL].
  assert (More : sum V kept_leniently <= sum V (kept q b)).
  { unfold ears.acceptance in Often. rewrite !expect_draw in Often. change (sum V (kept q lenience) <= sum V (kept q b)) in Often.
    rewrite (sum_ext V (kept q lenience) kept_leniently) in Often; [easy | intros; now apply kept_is]. }
  split.
  - intros eta Eta. rewrite (sum_ext V (fun x => Rmax 0 (output (lenient_rule a) x - eta * p x)) (fun x => Rmax 0 (clipped a x - eta * p x)))
      by (intros x L; now rewrite O).
    now apply (closest a A (kept q b)).
  - intros f g M Slopes AtZero Off. unfold f_divergence at 1.
    rewrite (sum_ext V _ (fun x => if Rlt_dec 0 (p x) then p x * f (clipped a x / p x) else M * clipped a x)) by (intros x L; now rewrite O).
    now apply (closest_f a A (kept q b) o K OL More f g M).
Qed.

(** Of all rules on drafts from q that accept at least as often as lenience l, lenience with the levelled residual emits the law closest
    to p: KL(clip(q, a p, p/l) ‖ p) <= KL(output ‖ p), which is infinite where a token with p = 0 is emitted; EARS at the same
    acceptance, too, is at least as far. *)
Theorem ears_best_tradeoff_kl : exists a, is_level a /\
  (forall y, (y < V)%nat -> output (lenient_rule a) y = clipped a y) /\ ~ is_infinite V (clipped a) p /\
  (forall b replacement, (forall x, (x < V)%nat -> 0 <= b x <= 1) -> (forall x, (x < V)%nat -> law V (replacement x)) ->
    ears.acceptance V q lenience <= ears.acceptance V q b ->
    is_infinite V (output (rule V q b replacement)) p \/
    divergence V (clipped a) p <= divergence V (output (rule V q b replacement)) p) /\
  forall beta, 0 <= beta -> ears.acceptance V q lenience <= ears.acceptance V q (passes p q (tolerance V p beta)) ->
    is_infinite V (output (ears V p q beta)) p \/ divergence V (clipped a) p <= divergence V (output (ears V p q beta)) p.
Proof.
  destruct level_exists as [a A]. exists a. split; [exact A|]. split; [exact (lenient_output a A)|].
  assert (Either : forall o, is_infinite V o p \/ ~ is_infinite V o p).
  { intros o. unfold is_infinite. clear. induction V as [|n IH]; [right; intros [x [L _]]; lia|].
    destruct IH as [[x [L H]]|N]; [left; exists x; split; [lia | easy]|].
    destruct (Rlt_dec 0 (o n)) as [O|O]; [destruct (Req_dec (p n) 0) as [P|P]|].
    - left. exists n. auto.
    - right. intros [x [L [H Z]]]. destruct (Nat.eq_dec x n) as [->|]; [easy | apply N; exists x; split; [lia | easy]].
    - right. intros [x [L [H Z]]]. destruct (Nat.eq_dec x n) as [->|]; [easy | apply N; exists x; split; [lia | easy]]. }
  assert (Often : forall b, ears.acceptance V q lenience <= ears.acceptance V q b -> sum V kept_leniently <= sum V (kept q b)).
  { intros b H. unfold ears.acceptance in H. rewrite !expect_draw in H. change (sum V (kept q lenience) <= sum V (kept q b)) in H.
    rewrite (sum_ext V (kept q lenience) kept_leniently) in H; [easy | intros; now apply kept_is]. }
  split; [|split].
  - intros [x [L [C Z]]]. unfold clipped in C. rewrite Z in C. unfold Rdiv in C. rewrite Rmult_0_r, Rmult_0_l in C.
    rewrite Rmin_right in C by now apply (law_nonneg V). rewrite Rmax_left in C; lra.
  - intros b replacement B R H. destruct (any_rule_keeps b replacement B R) as [K OL].
    destruct (Either (output (rule V q b replacement))) as [I|I]; [now left | right].
    apply (closest_kl a A (kept q b)); try easy. now apply Often.
  - intros beta B H. destruct (Either (output (ears V p q beta))) as [I|I]; [now left | right].
    pose proof (tolerance_nonneg V p target_law beta B) as T. set (t := tolerance V p beta) in *.
    assert (O : forall y, (y < V)%nat -> output (ears V p q beta) y = p y + gain p q t y - sum V (gain p q t) * residual V p q y)
      by (intros y L; now apply (output_gain V p q target_law draft_law t)).
    apply (closest_kl a A (kept q (passes p q t))).
    + intros x L. rewrite (kept_gain V p q target_law draft_law) by easy. split.
      * unfold gain. pose proof (Rmin_l (Rmax 0 (q x - p x)) (t * q x)) as G. set (g := Rmin (Rmax 0 (q x - p x)) (t * q x)) in *.
        unfold Rmin, Rmax in G |- *. destruct (Rle_dec (p x) (q x)), (Rle_dec 0 (q x - p x)); lra.
      * pose proof (acceptance_gain V p q target_law draft_law t T) as AG. unfold ears. fold t. rewrite rule_output by easy.
        rewrite (kept_gain V p q target_law draft_law) by easy. unfold replaced. rewrite sum_scale_right.
        assert (0 <= sum V (fun x0 => q x0 * (1 - passes p q t x0)) * residual V p q x); [|lra].
        apply Rmult_le_pos; [|apply residual_nonneg]. apply sum_nonneg. intros z Z.
        pose proof (law_nonneg V q z draft_law Z). assert (passes p q t z <= 1) by apply Rmin_l. apply Rmult_le_pos; lra.
    + assert (Total : sum V (output (ears V p q beta)) = 1).
      { rewrite (sum_ext V _ _ O), sum_minus, sum_plus, sum_scale. destruct target_law as [P0 P1]. rewrite P1.
        destruct (Req_dec (sum V (excess p q)) 0) as [Z|N].
        - assert (sum V (gain p q t) = 0) as ->; [|ring]. rewrite (sum_ext V (gain p q t) (fun _ => 0)), sum_zero; [easy|]. intros x L.
          assert (X : excess q p x = 0).
          { apply (sum_zero_terms V (excess q p)); [intros; apply Rmax_l | | easy].
            rewrite <- (excess_both V p q (conj P0 P1) draft_law). exact Z. }
          unfold gain. unfold excess in X. rewrite X. apply Rmin_left. apply Rmult_le_pos; [easy | now apply (law_nonneg V)].
        - unfold residual, Rdiv. rewrite sum_scale_right, Rinv_r by easy. ring. }
      split; [|exact Total]. intros x L. unfold ears. fold t. rewrite rule_output by easy. apply Rplus_le_le_0_compat.
      * rewrite (kept_gain V p q target_law draft_law) by easy. pose proof (gain_nonneg V p q draft_law t x T L).
        assert (0 <= Rmin (p x) (q x)) by (apply Rmin_glb; now apply (law_nonneg V)). lra.
      * unfold replaced. rewrite sum_scale_right. apply Rmult_le_pos; [|apply residual_nonneg]. apply sum_nonneg. intros z Z.
        pose proof (law_nonneg V q z draft_law Z). assert (passes p q t z <= 1) by apply Rmin_l. apply Rmult_le_pos; lra.
    + now apply Often.
    + exact I.
Qed.

End Levels.

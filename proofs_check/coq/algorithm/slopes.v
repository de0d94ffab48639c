(** Functions whose derivative has a sign: what the mean value theorem is used for, from the completeness of the reals alone. *)

Require Import Reals Lra.
Open Scope R_scope.

Section Slopes.

Variables f f' : R -> R.
Variables a b : R.
Hypothesis ends : a <= b.
Hypothesis derivative : forall t, a <= t <= b -> derivable_pt_lim f t (f' t).
Hypothesis not_falling : forall t, a <= t <= b -> 0 <= f' t.

(** Up to t the function never falls faster than with slope -ε. *)
Let good (epsilon t : R) : Prop := a <= t <= b /\ forall s, a <= s <= t -> f a - epsilon * (s - a) <= f s.

(** Near t the function is its tangent to within ε times the distance. *)
Lemma near t epsilon : a <= t <= b -> 0 < epsilon ->
  exists h0, 0 < h0 /\ forall h, Rabs h < h0 -> Rabs (f (t + h) - f t - h * f' t) <= epsilon * Rabs h.
Proof.
  intros T E. destruct (derivative t T epsilon E) as [d D]. exists d. split; [apply cond_pos|]. intros h H.
  destruct (Req_dec h 0) as [->|N]; [rewrite Rplus_0_r, Rmult_0_l, Rabs_R0; replace (f t - f t - 0) with 0 by ring;
    rewrite Rabs_R0; lra|].
  specialize (D h N H). replace (f (t + h) - f t - h * f' t) with (((f (t + h) - f t) / h - f' t) * h) by (field; easy).
  rewrite Rabs_mult. apply Rmult_le_compat_r; [apply Rabs_pos | lra].
Qed.

Lemma good_end epsilon : 0 < epsilon -> f a - epsilon * (b - a) <= f b.
Proof.
  intros E. destruct (completeness (good epsilon)) as [m [U L]].
  - exists b. intros t [[_ T] _]. exact T.
  - exists a. split; [lra|]. intros s S. replace s with a by lra. lra.
  - assert (A : a <= m). { apply U. split; [lra|]. intros s S. replace s with a by lra. lra. }
    assert (B : m <= b) by (apply L; intros t [[_ T] _]; exact T).
    assert (Below : forall s, a <= s < m -> f a - epsilon * (s - a) <= f s).
    { intros s S. destruct (Rle_lt_dec (f a - epsilon * (s - a)) (f s)) as [H|H]; [exact H|]. exfalso.
      assert (m <= s); [|lra]. apply L. intros t [T G]. destruct (Rle_lt_dec t s) as [H'|H']; [exact H'|].
      specialize (G s). lra. }
    assert (At : f a - epsilon * (m - a) <= f m).
    { destruct (Rle_lt_dec (f a - epsilon * (m - a)) (f m)) as [H|H]; [exact H|]. exfalso.
      set (gap := f a - epsilon * (m - a) - f m). assert (P : 0 < gap) by (unfold gap; lra).
      assert (A' : a < m) by (destruct A as [A|A]; [exact A | exfalso; subst m; lra]).
      destruct (near m 1 (conj A B) Rlt_0_1) as [h0 [H0 N]]. pose proof (not_falling m (conj A B)) as F.
      set (k := f' m + 1). assert (K : 0 < k) by (unfold k; lra).
      set (h := Rmin (Rmin (h0 / 2) ((m - a) / 2)) (gap / (2 * k))).
      assert (H1 : 0 < h).
      { apply Rmin_glb_lt; [apply Rmin_glb_lt; lra|]. apply Rmult_lt_0_compat; [easy|]. apply Rinv_0_lt_compat. lra. }
      assert (H2 : h <= h0 / 2) by (eapply Rle_trans; [apply Rmin_l | apply Rmin_l]).
      assert (H3 : h <= (m - a) / 2) by (eapply Rle_trans; [apply Rmin_l | apply Rmin_r]).
      assert (H4 : h * k <= gap / 2).
      { apply (Rle_trans _ (gap / (2 * k) * k)); [apply Rmult_le_compat_r; [lra | apply Rmin_r]|]. right. field. lra. }
      specialize (N (- h)). rewrite Rabs_Ropp, Rabs_pos_eq in N by lra. specialize (N ltac:(lra)).
      pose proof (Below (m + - h) ltac:(lra)) as G.
      assert (N' : f (m + - h) - f m - - h * f' m <= 1 * h) by (eapply Rle_trans; [apply Rle_abs | exact N]).
      unfold gap, k in *. assert (0 <= epsilon * h) by (apply Rmult_le_pos; lra). nra. }
    destruct B as [B|B]; [exfalso | subst m; exact At].
    destruct (near m epsilon (conj A (Rlt_le _ _ B)) E) as [h0 [H0 N]].
    pose proof (not_falling m (conj A (Rlt_le _ _ B))) as F.
    set (h := Rmin (h0 / 2) (b - m)). assert (H1 : 0 < h) by (apply Rmin_glb_lt; lra).
    assert (H2 : h <= h0 / 2) by apply Rmin_l. assert (H3 : h <= b - m) by apply Rmin_r.
    assert (m + h <= m); [|lra]. apply U. split; [lra|]. intros s S.
    destruct (Rlt_le_dec s m) as [T|T]; [apply Below; lra|].
    specialize (N (s - m)). rewrite Rabs_pos_eq in N by lra. specialize (N ltac:(lra)).
    replace (m + (s - m)) with s in N by ring.
    assert (N' : - (f s - f m - (s - m) * f' m) <= epsilon * (s - m))
      by (eapply Rle_trans; [apply Rle_abs | rewrite Rabs_Ropp; exact N]).
    assert (0 <= (s - m) * f' m) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma monotone : f a <= f b.
Proof.
  destruct (Rle_lt_dec (f a) (f b)) as [H|H]; [exact H|]. exfalso.
  set (gap := f a - f b). assert (P : 0 < gap) by (unfold gap; lra).
  assert (D : 0 < b - a + 1) by lra.
  assert (E : 0 < gap / (2 * (b - a + 1))) by (apply Rmult_lt_0_compat; [easy | apply Rinv_0_lt_compat; lra]).
  pose proof (good_end _ E) as G.
  assert (S : gap / (2 * (b - a + 1)) * (b - a + 1) = gap / 2) by (field; lra).
  set (e := gap / (2 * (b - a + 1))) in *. unfold gap in *. nra.
Qed.

End Slopes.

Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof.
  intros L. apply (monotone exp exp x y L); [intros; apply derivable_pt_lim_exp | intros; left; apply exp_pos].
Qed.

(** What the consequences in [relaxed] rest on: a divergence grows when mass moves from where a law has less than another to where
    it has more. *)

Require Import Reals Lra.

Open Scope R_scope.

Definition term (v w : R) : R := v * ln (v / w).

Lemma log_below z : 0 < z -> ln z <= z - 1.
Proof. intros P. pose proof (exp_ineq1_le (ln z)) as H. rewrite exp_ln in H by easy. lra. Qed.

(** v ln (v/w) is above its tangents. *)
Lemma tangent w u v : 0 < w -> 0 < u -> 0 <= v -> term u w + (ln (u / w) + 1) * (v - u) <= term v w.
Proof.
  intros W U V. unfold term. destruct V as [V|<-]; [|rewrite Rmult_0_l; lra].
  assert (E : ln (u / v) = ln (u / w) - ln (v / w)).
  { unfold Rdiv. rewrite !ln_mult, !ln_Rinv; try easy; try now apply Rinv_0_lt_compat. lra. }
  assert (B : v * ln (u / v) <= u - v).
  { replace (u - v) with (v * (u / v - 1)) by (field; lra).
    apply Rmult_le_compat_l; [lra|]. apply log_below. now apply Rdiv_lt_0_compat. }
  rewrite E in B. lra.
Qed.

Lemma log_sign a b : 0 < a -> 0 < b -> (b <= a -> 0 <= ln (a / b)) /\ (a <= b -> ln (a / b) <= 0).
Proof.
  intros A B. unfold Rdiv. rewrite ln_mult, ln_Rinv by (easy || now apply Rinv_0_lt_compat).
  split; intros [L|E]; try (subst; lra); apply ln_increasing in L; lra.
Qed.

(** Of a divergence two terms: a token has o, which is at least its w in the other law, and the rest r, which is at most its v. The
    more of the rest is on the token, the larger they are. *)
Theorem moved o r w v d : 0 < w -> w <= o -> 0 <= d -> d <= r -> r <= v ->
  term o w + term r v <= term (o + d) w + term (r - d) v.
Proof.
  intros W O [D|<-] R V; [|now rewrite Rplus_0_r, Rminus_0_r; right].
  assert (0 < r) by lra. assert (0 < v) by lra. assert (0 < o) by lra.
  pose proof (tangent w o (o + d) W ltac:(lra) ltac:(lra)) as T.
  pose proof (tangent v r (r - d) ltac:(lra) ltac:(lra) ltac:(lra)) as S.
  pose proof (proj1 (log_sign o w ltac:(lra) W) O) as L. pose proof (proj2 (log_sign r v ltac:(lra) ltac:(lra)) V) as M.
  assert (0 <= d * (ln (o / w) - ln (r / v))) by (apply Rmult_le_pos; lra). lra.
Qed.

(** Tokens that are taken for one are no farther from each other than apart: the inequality of the logarithm's sums. *)
Theorem together a b w v : 0 <= a -> 0 <= b -> 0 < w -> 0 < v -> term (a + b) (w + v) <= term a w + term b v.
Proof.
  intros A B W V. destruct (Req_dec (a + b) 0) as [E|N].
  { replace a with 0 by lra. replace b with 0 by lra. unfold term. rewrite Rplus_0_l, !Rmult_0_l. lra. }
  set (c := (a + b) / (w + v)).
  assert (P : 0 < c) by (apply Rdiv_lt_0_compat; lra).
  pose proof (tangent w (c * w) a W ltac:(now apply Rmult_lt_0_compat) A) as S.
  pose proof (tangent v (c * v) b V ltac:(now apply Rmult_lt_0_compat) B) as T.
  assert (I : c * w + c * v = a + b) by (unfold c; field; lra).
  unfold term in *. fold c. replace (c * w / w) with c in S by (field; lra). replace (c * v / v) with c in T by (field; lra).
  replace ((a + b) * ln c) with (c * w * ln c + c * v * ln c) by (rewrite <- I; ring).
  assert (J : (ln c + 1) * (a - c * w) + (ln c + 1) * (b - c * v) = 0).
  { rewrite <- Rmult_plus_distr_l. replace (a - c * w + (b - c * v)) with 0 by lra. ring. }
  lra.
Qed.

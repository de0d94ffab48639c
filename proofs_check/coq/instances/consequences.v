(** What joins claims to the parts of them that are stated. For [relaxed]: a divergence grows when mass moves from where a law has
    less than another to where it has more. For [hierarchical]: prices bound what a linear program can reach. *)

Require Import Reals Lra List.
Import ListNotations.

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

(** * Prices *)

Fixpoint total {A} (f : A -> R) (l : list A) : R := match l with [] => 0 | a :: m => f a + total f m end.

Lemma total_at_most {A} (f g : A -> R) l : (forall a, In a l -> f a <= g a) -> total f l <= total g l.
Proof.
  induction l as [|a m IH]; intros H; simpl; [lra|].
  pose proof (H a (or_introl eq_refl)). specialize (IH (fun b I => H b (or_intror I))). lra.
Qed.

Lemma total_times {A} c (f : A -> R) l : total (fun a => c * f a) l = c * total f l.
Proof. induction l as [|a m IH]; simpl; [lra|]. rewrite IH. lra. Qed.

Lemma total_sum {A} (f g : A -> R) l : total (fun a => f a + g a) l = total f l + total g l.
Proof. induction l as [|a m IH]; simpl; [lra|]. rewrite IH. lra. Qed.

Lemma total_same {A} (f g : A -> R) l : (forall a, In a l -> f a = g a) -> total f l = total g l.
Proof. intros H. apply Rle_antisym; apply total_at_most; intros a I; rewrite (H a I); lra. Qed.

Lemma exchanged {A B} (f : A -> B -> R) l m : total (fun a => total (f a) m) l = total (fun b => total (fun a => f a b) l) m.
Proof.
  induction l as [|a l IH]; simpl; [induction m as [|b m IH]; simpl; lra|].
  rewrite IH, <- total_sum. now apply total_same.
Qed.

(** Ways w of mass x(w) that add up to what is wanted in every row: if no way is worth more than the prices of its parts, all are
    together worth no more than the prices of what is wanted. *)
Theorem priced {W I} (ways : list W) (rows : list I) (x worth : W -> R) (part : W -> I -> R) (price wanted : I -> R) :
  (forall w, In w ways -> 0 <= x w) ->
  (forall w, In w ways -> worth w <= total (fun i => part w i * price i) rows) ->
  (forall i, In i rows -> total (fun w => x w * part w i) ways = wanted i) ->
  total (fun w => x w * worth w) ways <= total (fun i => wanted i * price i) rows.
Proof.
  intros P D E.
  apply Rle_trans with (total (fun w => total (fun i => x w * part w i * price i) rows) ways).
  - apply total_at_most. intros w H. apply Rle_trans with (x w * total (fun i => part w i * price i) rows).
    + apply Rmult_le_compat_l; auto.
    + rewrite <- total_times. right. apply total_same. intros. ring.
  - rewrite exchanged. right. apply total_same. intros i H. rewrite <- (E i H).
    rewrite (total_same _ (fun w => price i * (x w * part w i))) by (intros; ring). rewrite total_times. ring.
Qed.

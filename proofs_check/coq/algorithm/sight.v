(** Exact matching with candidates that may depend on the samples that the target will draw. *)

Require Import Reals Lra Lia List Arith Bool.
Require Import laws.
Import ListNotations.
Open Scope R_scope.

Section Sight.

Variable V : nat.
Variable p : nat -> R.
Variable after : nat -> nat -> R.
Variable offered : nat -> nat -> R.
Hypothesis first_law : law V p.
Hypothesis second_law : forall x, law V (after x).

(** The target's first sample x is emitted, and the sample y that would follow it is drawn. The first is a candidate with a
    probability that may depend on both: then y is emitted, too; else the text goes on from x in another call, with a new sample. *)
Definition with_sight : program (nat * nat) :=
  x <- draw V p ;;
  (y <- draw V (after x) ;;
   (is_candidate <- coin (offered x y) ;;
    if is_candidate then ret (x, y) else (z <- draw V (after x) ;; ret (x, z)))).

Definition is_text (x y : nat) (text : nat * nat) : bool := Nat.eqb (fst text) x && Nat.eqb (snd text) y.

(** The law of the first two tokens differs from the target's by p(x) P(y | x) (o(x, y) - Σ_z P(z | x) o(x, z)). *)
Theorem tree_exact_match_seen_corrected x y : (x < V)%nat -> (y < V)%nat ->
  chance with_sight (is_text x y) - p x * after x y
  = p x * after x y * (offered x y - sum V (fun z => after x z * offered x z)).
Proof.
  intros X Y. set (m := sum V (fun z => after x z * offered x z)).
  assert (Second : forall w, sum V (fun z => after w z * indicator (is_text x y (w, z))) = if Nat.eqb w x then after w y else 0).
  { intros w. destruct (Nat.eqb w x) eqn:E.
    - rewrite <- (sum_point V (after w) y Y). apply sum_ext. intros z _. unfold is_text, indicator. cbn [fst snd]. rewrite E.
      simpl. destruct (Nat.eqb z y); ring.
    - rewrite (sum_ext V _ (fun _ => 0)), sum_zero; [easy|]. intros z _. unfold is_text, indicator. cbn [fst snd]. rewrite E.
      simpl. ring. }
  assert (E : chance with_sight (is_text x y) = p x * (after x y * offered x y + (1 - m) * after x y)); [|rewrite E; ring].
  unfold chance, with_sight. rewrite expect_bind, expect_draw.
  rewrite (sum_ext V _ (fun w => if Nat.eqb w x then p w * (after w y * offered w y
    + (1 - sum V (fun z => after w z * offered w z)) * after w y) else 0)).
  - now rewrite sum_point.
  - intros w W. rewrite expect_bind, expect_draw.
    rewrite (sum_ext V _ (fun v => offered w v * (after w v * indicator (is_text x y (w, v)))
      + (after w v - after w v * offered w v) * (if Nat.eqb w x then after w y else 0))).
    + rewrite sum_plus, sum_scale_right, sum_minus. destruct (second_law w) as [_ ->].
      destruct (Nat.eqb w x) eqn:C.
      * rewrite (sum_ext V _ (fun v => if Nat.eqb v y then after w v * offered w v else 0)).
        -- rewrite sum_point by easy. ring.
        -- intros v _. unfold is_text, indicator. cbn [fst snd]. rewrite C. simpl. destruct (Nat.eqb v y); ring.
      * rewrite (sum_ext V _ (fun _ => 0)), sum_zero; [ring|]. intros v _. unfold is_text, indicator. cbn [fst snd]. rewrite C.
        simpl. ring.
    + intros v _. rewrite expect_bind, expect_coin, expect_ret, expect_bind, expect_draw.
      rewrite (sum_ext V _ (fun z => after w z * indicator (is_text x y (w, z)))) by (intros z _; now rewrite expect_ret).
      rewrite Second. ring.
Qed.

End Sight.

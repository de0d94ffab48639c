(** Statements of EARS. A draft is kept where the coin is at most p/q + t, with t = β (1 - max p). *)

Require Import vocabulary.

Definition tolerance (p : law) (beta : Q) : Q := beta * (1 - largest p).
Definition keeps_at (p q : law) (t : Q) (x : nat) : Q := if at_ q x =? 0 then 1 else min 1 (at_ p x / at_ q x + t).
Definition keeps (p q : law) (beta : Q) : nat -> Q := keeps_at p q (tolerance p beta).
Definition ears (p q : law) (beta : Q) : program nat := step_by q (keeps p q beta) (fun _ => residual p q).
Definition ears_fresh (p q : law) (beta : Q) : program nat := step_by q (keeps p q beta) (fun _ => p).
Definition bias (p : law) (d : program nat) : Q := tv (output (length p) d) p.

Definition ears_fidelity_fresh (p q : law) (beta : Q) : bool := lossless p (ears_fresh p q beta).
Definition ears_fidelity_residual (p q : law) (beta : Q) : bool := lossless p (ears p q beta).
Definition ears_beta_zero_fresh (p q : law) : bool := lossless p (ears_fresh p q 0).
Definition ears_bias_bound_fresh (p q : law) (beta : Q) : bool := bias p (ears_fresh p q beta) <=? tolerance p beta.

(** Probability that a token is drafted which the target never says, and kept. *)
Definition ears_support (p q : law) (beta : Q) : bool :=
  expect (draw q) (fun x => if at_ p x =? 0 then keeps p q beta x else 0) <=? 0.

Definition ears_drop_unit (before after drop : Q) : bool := distance (100 * (before - after) / before) drop <=? 1 # 200.

Definition worth (p q : law) (beta speed fidelity : Q) : Q :=
  speed * accepted_by q (keeps p q beta) - fidelity * bias p (ears p q beta).
Definition ears_beta_optimal (p q : law) (beta speed fidelity share : Q) : bool :=
  max (worth p q 0 speed fidelity) (worth p q beta speed fidelity) <? worth p q (share * beta) speed fidelity.

Definition ears_threshold_proportional_literal (coin beta uncertainty times : Q) : bool :=
  coin - beta * (times * uncertainty) =? times * (coin - beta * uncertainty).

(** Coins at most p/q (the first test), or else at most p/q + t (the second): can one test decide for a token drafted? *)
Definition ears_critical_path (p q : law) (beta : Q) : bool :=
  forallb (fun x => negb (0 <? at_ q x) ||
    negb (ratio p q x + (keeps p q beta x - ratio p q x) =? keeps_at p q (tolerance p beta) x)) (tokens p).

(** Two signals in two contexts, of one mean bias: EARS' own, and another that gains something else somewhere. *)
Definition gained (p q : law) (t : Q) : Q := accepted_by q (keeps_at p q t) - overlap p q.
Definition paid (p q : law) (t : Q) : Q := bias p (step_by q (keeps_at p q t) (fun _ => residual p q)).
Definition own (beta : Q) (p : law) : Q := tolerance p beta.
Definition over_contexts (f : law -> law -> Q -> Q) (p q : matrix) (t : list Q) : Q := sum (zip (fun g t => g t) (zip f p q) t).
Definition ears_other_uncertainty_assumes (p q : matrix) (beta : Q) (u : list Q) : bool :=
  (over_contexts paid p q (map (own beta) p) =? over_contexts paid p q u) &&
  existsb negb (zip Qeq_bool (zip (fun g t => g t) (zip gained p q) (map (own beta) p)) (zip (fun g t => g t) (zip gained p q) u)).
Definition ears_other_uncertainty (p q : matrix) (beta : Q) (u : list Q) : bool :=
  over_contexts gained p q (map (own beta) p) <? over_contexts gained p q u.

(** Tokens per call where the law of a context serves a whole block: 1 + a + … + a^γ at the acceptance a of that context. *)
Definition tokens_per_call (gamma : nat) (p q : law) (t : Q) : Q :=
  sum (map (power (accepted_by q (keeps_at p q t))) (seq 0 (S gamma))).
Definition ears_other_uncertainty_same_tokens_assumes (p q : matrix) (beta : Q) (u : list Q) : bool :=
  over_contexts paid p q (map (own beta) p) =? over_contexts paid p q u.
Definition ears_other_uncertainty_same_tokens (p q : matrix) (beta : Q) (u : list Q) (gamma : nat) : bool :=
  over_contexts (tokens_per_call gamma) p q (map (own beta) p) =? over_contexts (tokens_per_call gamma) p q u.

(** Statements about training a draft, and about text of an older policy. *)

Require Import vocabulary logarithms.

(** The derivative of KL(p‖·) at q towards r is Σ p (q - r)/q where q has every token of p. *)
Definition kl_slope (p q r : law) : Q :=
  sum (map (fun x => if at_ p x =? 0 then 0 else at_ p x * (at_ q x - at_ r x) / at_ q x) (tokens p)).
Definition loss_kl_best_assumes (p q rival : law) : bool := kl_slope p q rival =? 0.
Definition loss_kl_best (p q rival : law) : bool := overlap p rival <=? overlap p q.

(** KL(p‖q) less the entropy of p is the mean of -ln q; laws that are nowhere zero. *)
Definition mean_log (p q : law) : real := total (zip (fun a b => if a =? 0 then Num 0 else Times (Num a) (Ln b)) p q).
Definition loss_kl_orders_assumes (p q rival : law) : bool := negb (may_be_at_most (mean_log p q) (mean_log p rival)).
Definition loss_kl_orders (p q rival : law) : bool := overlap p rival <=? overlap p q.

(** Drafts of q that p refused and the new policy keeps, with a number of its own. *)
Definition kept_later (p after q : law) : program (option nat) :=
  x <- draw q ;; (old <- coin (ratio p q x) ;; (new <- coin (ratio after q x) ;; ret (if negb old && new then Some x else None))).
Definition is_token (x : nat) (y : option nat) : bool := match y with Some y => Nat.eqb x y | None => false end.
Definition loss_reuse (p after q : law) : bool :=
  equal (normalised (map (fun x => chance (kept_later p after q) (is_token x)) (tokens q)) after) after.

(** The derivative of TV(p, ·) at q towards r: what is lost where q is below p, or is p and falls. *)
Definition tv_slope (p q r : law) : Q :=
  sum (map (fun x => let d := at_ r x - at_ q x in
    if (at_ q x <? at_ p x) || ((at_ q x =? at_ p x) && (d <? 0)) then - d else 0) (tokens p)).
Definition has_tokens_of (p q : law) : bool := forallb (fun x => (at_ p x =? 0) || negb (at_ q x =? 0)) (tokens p).
(** The mixture is convex: q is a minimiser for the weight l where l KL' + (1 - l) TV' ≥ 0, for a positive l if for l = 1 or for
    all small ones; without a token of p that the rival has, KL' is -∞. *)
Definition loss_mixture_assumes (p q rival : law) : bool := (0 <? tv_slope p q rival) && has_tokens_of p rival.
Definition loss_mixture (p q rival : law) : bool :=
  has_tokens_of p q && ((0 <=? kl_slope p q rival) || (0 <? tv_slope p q rival)).

(** Statements about several drafts of one token, and about two laws that share their noise. *)

Require Import vocabulary.

(** Whether a draft was kept, and the token. *)
Definition outcome : Type := bool * nat.
Definition emitted (d : program outcome) : program nat := o <- d ;; ret (snd o).
Definition acceptance (d : program outcome) : Q := chance d fst.

(** Recursive rejection: each draft is tested against what is left of p; with replacement against q, else against what is left of q. *)
Fixpoint recursive (replace : bool) (p q : law) (xs : list nat) : program outcome :=
  match xs with
  | [] => y <- draw p ;; ret (false, y)
  | x :: more => kept <- coin (ratio p q x) ;;
      if kept then ret (true, x) else recursive replace (residual p q) (if replace then q else without q x) more
  end.
Fixpoint independent (k : nat) (q : law) : program (list nat) :=
  match k with O => ret [] | S j => x <- draw q ;; (xs <- independent j q ;; ret (x :: xs)) end.

(** No more drafts than the law has tokens. *)
Fixpoint distinct (k : nat) (q : law) : program (list nat) :=
  match k with
  | O => ret []
  | S j => x <- draw q ;;
      (xs <- (if at_ q x =? 1 then ret [] else distinct j (without q x)) ;; ret (x :: xs))
  end.
Definition rrs (k : nat) (p q : law) : program outcome := xs <- independent k q ;; recursive true p q xs.
Definition rrsw (k : nat) (p q : law) : program outcome := xs <- distinct k q ;; recursive false p q xs.

Definition support (q : law) : nat := length (filter (fun m => 0 <? m) q).
Definition multi_cover_rrs_assumes (p q : law) (k : nat) : bool :=
  Nat.leb (support q) k && forallb (fun b => b) (zip (fun a b => implies (b =? 0) (a =? 0)) p q).
Definition multi_cover_rrs (p q : law) (k : nat) : bool := acceptance (rrs k p q) =? 1.

(** Another order: of places; by falling mass, equals as they come. *)
Definition placed (order xs : list nat) : list nat := flat_map (fun i => firstn 1 (skipn i xs)) order.
Fixpoint insert (p : law) (x : nat) (xs : list nat) : list nat :=
  match xs with [] => [x] | y :: more => if at_ p y <? at_ p x then x :: xs else y :: insert p x more end.
Definition falling (p : law) (xs : list nat) : list nat := fold_right (insert p) [] (rev xs).
Definition multi_order_rrsw_fixed (p q : law) (k : nat) (order : list nat) : bool :=
  lossless p (emitted (xs <- distinct k q ;; recursive false p q (placed order xs))).
Definition multi_order_by_p (p q : law) (k : nat) : bool :=
  lossless p (emitted (xs <- independent k q ;; recursive true p q (falling p xs))).
Definition multi_order_by_q (p q : law) (k : nat) : bool :=
  lossless p (emitted (xs <- independent k q ;; recursive true p q (falling q xs))).
Definition once (xs : list nat) : list nat := rev (nodup Nat.eq_dec (rev xs)).
Definition multi_skip_duplicates (p q : law) (k : nat) : bool :=
  lossless p (emitted (xs <- independent k q ;; recursive true p q (once xs))).

(** The k - 1 most likely tokens for sure and one of the rest: what of p can be accepted. *)
Fixpoint covered (k : nat) (p q : law) : Q :=
  match k with
  | S (S j as m) => at_ p (argmax q)
      + covered m (map (fun x => if Nat.eqb x (argmax q) then 0 else at_ p x) (tokens p))
          (map (fun x => if Nat.eqb x (argmax q) then 0 else at_ q x) (tokens q))
  | _ => overlap p (normalised q q)
  end.
(** The optimum without replacement is at least what recursive rejection reaches. *)
Definition multi_greedy_over_swor (p q : law) (k : nat) : bool := acceptance (rrsw k p q) <=? covered k p q.
(** SpecHub accepts what greedy pairs can. *)
Definition multi_spechub_over_rrs_always (p q : law) : bool := acceptance (rrs 2 p q) <=? covered 2 p q.
Definition multi_spechub_over_rrs_top_safe_assumes (p q : law) : bool := largest q <=? at_ p (argmax q).
Definition multi_spechub_over_rrs_top_safe (p q : law) : bool := acceptance (rrs 2 p q) <=? covered 2 p q.
Definition multi_spechub_over_rrsw (p q : law) : bool := acceptance (rrsw 2 p q) <=? covered 2 p q.

(** Drafts below a threshold are dropped, and the target draws; else the draft is tested, the verifier told q. *)
Definition stop_dropped_told_q (p q : law) (t : Q) : bool :=
  lossless p (x <- draw q ;; if at_ q x <? t then draw p else
    (kept <- coin (ratio p q x) ;; if kept then ret x else draw (residual p q))).

(** Two races with one set of exponential times, won by the same token x: rate by rate the later of the two. *)
Definition race (p q : law) : Q :=
  sum (map (fun x => if (at_ p x =? 0) || (at_ q x =? 0) then 0
    else 1 / sum (map (fun y => max (at_ p y / at_ p x) (at_ q y / at_ q x)) (tokens p))) (tokens p)).
Definition coupling_attains_any (p q : law) : bool := race p q =? overlap p q.

(** A rule keeps k of the drafts and replaces by r; it is on the frontier; what it emits lies on the line of p and q. *)
Definition emits (k r : law) : law := zip plus k (scaled (1 - sum k) r).
Definition relaxed_ensemble_pareto_unique_assumes (p q k r : law) : bool :=
  forallb (fun b => b) (zip at_most k q) && is_law r && (sum k =? overlap p q + tv (emits k r) p).
Definition relaxed_ensemble_pareto_unique (p q k r : law) : bool :=
  let o := emits k r in
  forallb (fun x => forallb (fun y => (at_ o x - at_ p x) * (at_ q y - at_ p y) =? (at_ o y - at_ p y) * (at_ q x - at_ p x))
    (tokens p)) (tokens p).

(** K-SEQ: every draft passes with min(1, p/(ρ q)), one of them at least. *)
Fixpoint strict (rho : Q) (p q : law) (xs : list nat) : program bool :=
  match xs with
  | [] => ret false
  | x :: more => kept <- coin (min 1 (at_ p x / (rho * at_ q x))) ;; if kept then ret true else strict rho p q more
  end.
Definition passed (rho : Q) (p q : law) (k : nat) : Q := chance (xs <- independent k q ;; strict rho p q xs) (fun b => b).
(** No token may come out too often: what passes is ρ times as much as one draft brings, or less. Then K-SEQ is lossless, and
    it is from the least such ρ on; K always is one. *)
Definition strict_enough (p q : law) (k : nat) (rho : Q) : bool := passed rho p q k <=? rho * passed rho p q 1.
Fixpoint halved (enough : Q -> bool) (n : nat) (low high : Q) : Q :=
  match n with
  | O => high
  | S m => let middle := (low + high) / 2 in if enough middle then halved enough m low middle else halved enough m middle high
  end.
(** A consequence: at a lossless ρ just above the least one K-SEQ accepts at most what it does there. *)
Definition multi_kseq_under_rrsw (p q : law) (k : nat) : bool :=
  let enough := strict_enough p q k in
  passed (if enough 1 then 1 else halved enough 20 1 (whole k)) p q k <=? acceptance (rrsw k p q).

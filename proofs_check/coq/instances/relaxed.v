(** Statements about relaxed rules: a tolerance and who should get it, FSD, Cactus on what is a fraction, texts read again. *)

Require Import vocabulary logarithms.

(** * A tolerance for each context *)

(** Context c keeps min(q, p + t q). *)
Definition tolerant (p q : law) (t : Q) : Q := sum (zip min q (zip plus p (scaled t q))).
Definition mean_of (w f : list Q) : Q := sum (zip times w f).
Fixpoint tolerated (p q : matrix) (t : list Q) : list Q :=
  match p, q, t with a :: p', b :: q', s :: t' => tolerant a b s :: tolerated p' q' t' | _, _, _ => [] end.
(** What tolerances accept on average, and what their mean accepts. *)
Definition as_given (w : law) (p q : matrix) (t : list Q) : Q := mean_of w (tolerated p q t).
Definition all_alike (w : law) (p q : matrix) (t : list Q) : Q := as_given w p q (map (fun _ => mean_of w t) t).
Definition uncertain (beta : Q) (p : matrix) : list Q := map (fun one => beta * (1 - largest one)) p.

Definition relaxed_tolerance_constant (w : law) (p q : matrix) (other : list Q) : bool :=
  as_given w p q other <=? all_alike w p q other.
Definition relaxed_tolerance_uncertain (w : law) (p q : matrix) (beta : Q) : bool :=
  all_alike w p q (uncertain beta p) <=? as_given w p q (uncertain beta p).

(** * Two drafts and more, one after the other *)

(** Both drafts are counted: the first with k, the second after it. *)
Definition of_two (k after : list Q) : Q := sum (zip (fun m a => m * (1 + a)) k after).
Definition within (p q : law) (k : list Q) : bool :=
  forallb (fun x => (min (at_ p x) (at_ q x) <=? at_ k x) && (at_ k x <=? at_ q x)) (tokens q).
Definition relaxed_text_greedy_assumes (p q k other : list Q) : bool := within p q k && within p q other && (sum k =? sum other).
Definition relaxed_text_greedy (after k other : list Q) : bool := of_two other after <=? of_two k after.

(** Drafts in a row are accepted at these rates, each if all before it are. *)
Fixpoint in_a_row (rates : list Q) : Q := match rates with [] => 0 | a :: more => a * (1 + in_a_row more) end.
Definition raised_at (n : nat) (by_ : Q) (rates : list Q) : list Q :=
  map (fun m => if Nat.eqb m n then at_ rates m + by_ else at_ rates m) (tokens rates).
(** A place that is reached with R gets paid/R, so that the price is the same; no rate is above one. *)
Definition gained (rates : list Q) (place : nat) (paid : Q) : Q :=
  in_a_row (raised_at place (paid / product (firstn place rates)) rates) - in_a_row rates.
Definition in_room (rates : list Q) (paid : Q) (place : nat) : bool :=
  let reached := product (firstn place rates) in (0 <? reached) && (paid <=? reached * (1 - at_ rates place)).
Definition relaxed_allocation_early_assumes (rates : list Q) (first second : nat) (paid : Q) : bool :=
  Nat.ltb first second && in_room rates paid first && in_room rates paid second.
Definition relaxed_allocation_early (rates : list Q) (first second : nat) (paid : Q) : bool :=
  gained rates second paid <=? gained rates first paid.

(** * FSD: a step keeps its draft where the total variation is at most T *)

Definition fuzzy (p q : law) (T : Q) (replacement : law) : program nat :=
  step_by q (fun _ => if tv p q <=? T then 1 else 0) (fun _ => replacement).
Definition relaxed_fsd_law_residual (p q : law) (threshold : Q) : bool :=
  equal (output (length p) (fuzzy p q threshold (residual p q))) (if tv p q <=? threshold then q else p).
(** All thresholds from 0 to 1: those below the total variation are alike, and so are those from it on. *)
Definition relaxed_fsd_generalises (p q : law) : bool :=
  existsb (fun T => accepted_by q (fun _ => if tv p q <=? T then 1 else 0) =? overlap p q) [0; tv p q; 1].

(** * Cactus: h(x) = min(1, p(x) + √(2 δ p(x) (1 - p(x)))), on other tokens in proportion to p *)

(** Whether h < 1, by squares. Half of χ² is a fraction: the root stands in it as a square, on the token and on the others. *)
Definition below_one (p : law) (x : nat) (delta : Q) : bool :=
  let m := at_ p x in 2 * delta * m * (1 - m) <? (1 - m) * (1 - m).
Definition half_chi_squared (p : law) (x : nat) (delta : Q) : Q :=
  let m := at_ p x in let room := 1 - m in
  let up := if below_one p x delta then 2 * delta * m * room else room * room in
  (if m =? 0 then 0 else up / m + sum (map (fun y => if Nat.eqb x y then 0 else at_ p y * up / (room * room)) (tokens p))) / 2.
Definition relaxed_cactus_chi2 (p : law) (token : nat) (delta : Q) : bool :=
  let found := half_chi_squared p token delta in if below_one p token delta then found =? delta else found <=? delta.

(** A fraction that is not above h, to 2^-40 where there is a root: the square of the part added is compared. *)
Definition raised_to (p : law) (x : nat) (delta : Q) : Q :=
  let m := at_ p x in let square := 2 * delta * m * (1 - m) in
  let root := Qred (Z.sqrt (Qfloor (square * (2 ^ 80 # 1))) # (2 ^ 40)) in
  if below_one p x delta then if (0 <=? root) && (root * root <=? square) then m + root else m else 1.
Definition times_log (v w : Q) : real := if v =? 0 then Num 0 else Times (Num v) (Ln (v / w)).

(** KL(H‖p) is v ln (v/p) + (1 - v) ln ((1 - v)/(1 - p)) at v = h, and rises with v from p on ([moved] in [consequences]): a
    consequence is the bound at a fraction that is not above h. *)
Definition relaxed_cactus_kl_step (p : law) (token : nat) (delta : Q) : bool :=
  let m := at_ p token in let v := raised_to p token delta in
  may_be_at_most (Plus (times_log v m) (times_log (1 - v) (1 - m))) (Num delta).
(** A token whose q is above p comes out with min(q, h): no rest, in proportion to p and less than it, is above q there. With all
    other tokens taken for one, KL is not larger ([together] in [consequences]); it rises with each of those ([moved]). So a
    consequence is the bound on that, at fractions that are not above h. *)
Definition relaxed_cactus_kl_output (p q : law) (delta : Q) : bool :=
  let liked := filter (fun x => at_ p x <? at_ q x) (tokens p) in
  let out := fun x => min (at_ q x) (raised_to p x delta) in
  let other := fun f : nat -> Q => 1 - sum (map f liked) in
  may_be_at_most
    (Plus (total (map (fun x => times_log (out x) (at_ p x)) liked)) (times_log (other out) (other (at_ p))))
    (Num delta).

(** * Typical acceptance: tokens above min(ε, δ exp(-H)) are kept, ε = 0.09 and δ = 0.3 *)

(** Certainly no more than that, by logarithms. All others count as typical: the statement is false only where they are too few. *)
Definition untypical (limit : between) (m : Q) : bool :=
  (m <=? (9 # 100)) && ((m =? 0) || match limit, ln_between m with Some l, Some x => snd x <? fst l | _, _ => false end).
Definition relaxed_typical_more (p q : law) : bool :=
  let limit := enclosure (Minus (Ln (3 # 10)) (entropy p)) in
  overlap p q <=? sum (zip (fun a b => if untypical limit a then 0 else b) p q).

(** * SLEM over the tokens a and aa. A text is known by its length; it is read again from the left, the longest token first. *)

Definition letters (t : list nat) : nat := fold_right (fun x n => S x + n)%nat O t.
Definition read (n : nat) : list nat := repeat 1%nat (n / 2) ++ repeat O (n mod 2).
(** Laws after up to two tokens: the shorter contexts first, then in their order. *)
Definition after (laws : matrix) (t : list nat) : law := row laws (fold_left (fun n x => 2 * n + S x)%nat t O).
Fixpoint continued (laws : matrix) (n : nat) (t : list nat) : program (list nat) :=
  match n with O => ret t | S m => x <- draw (after laws t) ;; continued laws m (t ++ [x]) end.
(** One round: samples of the target as long as they are the draft's tokens, and the first that is not; at most `most`. *)
Fixpoint round (laws : matrix) (most : nat) (context draft : list nat) : program (list nat) :=
  match most with
  | O => ret []
  | S m => y <- draw (after laws context) ;;
      match draft with
      | x :: more => if Nat.eqb x y then (rest <- round laws m (context ++ [y]) more ;; ret (y :: rest)) else ret [y]
      | [] => ret [y]
      end
  end.
(** Rounds until three tokens are there, of which each makes one or more; drafts are a, aa and aaa. *)
Fixpoint rounds (laws : matrix) (drafts : law) (n : nat) (emitted : list nat) : program (list nat) :=
  match n with
  | O => ret emitted
  | S m => if Nat.leb 3 (length emitted) then ret emitted else
      d <- draw drafts ;; (new <- round laws (3 - length emitted) (read (letters emitted)) (read (S d)) ;;
        rounds laws drafts m (emitted ++ new))
  end.
Definition is_text (s t : list nat) : bool := if list_eq_dec Nat.eq_dec s t then true else false.
Definition relaxed_slem_text (laws : matrix) (drafts : law) : bool :=
  forallb (fun t => chance (rounds laws drafts 3 []) (is_text t) =? chance (continued laws 3 []) (is_text t))
    (flat_map (fun x => flat_map (fun y => map (fun z => [x; y; z]) [0; 1]%nat) [0; 1]%nat) [0; 1]%nat).

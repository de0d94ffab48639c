(** Further statements about blocks: hierarchical verification, the most that a lossless rule can keep, and what a lossy one may. *)

Require Import vocabulary block.

(** * Prefixes with their joint laws *)

(** A prefix of the drafts, P and Q of it, and the largest ratio P/Q of it and shorter ones. *)
Record prefix : Type := Prefix { upto : text; P : Q; R : Q; top : Q }.
Fixpoint along (p q : model) (now : prefix) (xs : list nat) (longest : list prefix) : list prefix :=
  match xs with
  | [] => now :: longest
  | x :: more =>
      let a := P now * at_ (p (upto now)) x in
      let b := R now * at_ (q (upto now)) x in
      along p q (Prefix (x :: upto now) a b (max (top now) (a / b))) more (now :: longest)
  end.
Definition none : prefix := Prefix [] 1 1 1.
Definition all_prefixes (p q : model) (xs : list nat) : list prefix := along p q none xs [].

(** Of the continuations by one token: what the target has above the draft, and the reverse. *)
Definition more_of (c : Q) (p q : model) (at_here : prefix) : law :=
  excess (scaled (P at_here / c) (p (upto at_here))) (scaled (R at_here) (q (upto at_here))).
Definition less_of (c : Q) (p q : model) (at_here : prefix) : law :=
  excess (scaled (R at_here) (q (upto at_here))) (scaled (P at_here / c) (p (upto at_here))).
Definition share_of (more less : Q) : Q := if more =? 0 then 0 else if less <=? more then 1 else more / less.

(** ** Naive: a branch of the draft is kept, and what follows up to gamma tokens is drawn where nothing was drafted *)

Fixpoint drawn_on (p q : model) (n : nat) (now : prefix) (asked : list text) : program (list text) :=
  match n with
  | O => ret asked
  | S m =>
      let t := upto now in
      x <- draw (normalised (more_of 1 p q now) (p t)) ;;
      drawn_on p q m (Prefix (x :: t) (P now * at_ (p t) x) (R now * at_ (q t) x) 1) (t :: asked)
  end.
(** After which texts a target law is drawn from; on the drafted path all laws are there already. *)
Fixpoint naive_from (p q : model) (gamma : nat) (shorter : list prefix) : program (list text) :=
  match shorter with
  | [] => ret []
  | now :: more =>
      kept <- coin (match upto now with [] => 1 | _ => share_of (sum (more_of 1 p q now)) (sum (less_of 1 p q now)) end) ;;
      if kept then drawn_on p q (gamma - length (upto now)) now [] else naive_from p q gamma more
  end.
Definition naive (p q : model) (xs : list nat) : program (list text) :=
  match all_prefixes p q xs with
  | whole_block :: shorter => kept <- coin (min 1 (P whole_block / R whole_block)) ;;
      if kept then ret [upto whole_block] else naive_from p q (length xs) shorter
  | [] => ret []
  end.
Definition on_path (p q : model) (xs : list nat) (t : text) : bool :=
  existsb (fun one => same t (upto one)) (all_prefixes p q xs).
Definition block_hsd_laws (p q : matrix) (gamma : nat) : bool :=
  chance (xs <- drafts (markov q) gamma [] ;; (asked <- naive (markov p) (markov q) xs ;;
    ret (forallb (on_path (markov p) (markov q) xs) asked))) negb =? 0.

(** ** Capped: P is divided by the largest ratio before, and one token follows the prefix that is kept *)

Definition then_one (after otherwise : law) (t : text) : program ending :=
  y <- draw (normalised after otherwise) ;; ret (length t, y :: t).
Definition whole_kept (before : prefix) (now : prefix) : Q := min 1 (P now / (R now * top before)).
Fixpoint capped_from (p q : model) (shorter : list prefix) : program ending :=
  match shorter with
  | [] => ret (O, [])
  | now :: more =>
      let c := top now in
      let less := sum (less_of c p q now) in
      kept <- coin (match upto now with [] => 1 | _ => if less =? 0 then 1 else share_of (sum (more_of c p q now)) less end) ;;
      if kept then then_one (more_of c p q now) (p (upto now)) (upto now) else capped_from p q more
  end.
Definition capped (p q : model) (xs : list nat) : program ending :=
  match all_prefixes p q xs with
  | now :: ((before :: _) as shorter) =>
      kept <- coin (whole_kept before now) ;;
      if kept then then_one (p (upto now)) [] (upto now) else capped_from p q shorter
  | _ => then_one (p []) [] []
  end.

(** ** As a package indexes it: i tokens are judged, and followed, by the branch of i - 1; the whole by the ratio of one less *)

Fixpoint one_too_low (p q : model) (shorter : list prefix) : program ending :=
  match shorter with
  | [] => ret (O, [])
  | now :: longer =>
      match longer with
      | [] => then_one (more_of (top now) p q now) (p (upto now)) (upto now)
      | before :: _ =>
          let c := top before in
          kept <- coin (share_of (sum (more_of c p q before)) (sum (less_of c p q before))) ;;
          if kept then then_one (more_of c p q before) (p (upto now)) (upto now) else one_too_low p q longer
      end
  end.
Definition packaged (p q : model) (xs : list nat) : program ending :=
  match all_prefixes p q xs with
  | now :: ((before :: more) as shorter) =>
      let looked_at := match more with [] => now | _ => before end in
      kept <- coin (min 1 (P looked_at / R looked_at / top before)) ;;
      if kept then then_one (p (upto now)) [] (upto now) else one_too_low p q shorter
  | _ => then_one (p []) [] []
  end.
Definition block_hsd_lossless_package (p q : matrix) (gamma : nat) : bool :=
  has_law (length (row p 0)) (gamma + 1) (markov p) (ended (packaged (markov p) (markov q)) (markov q) gamma).

(** More for some is read as: more on the example, on which every text is followed by (1/3, 2/3), drafted by (2/3, 1/3). *)
Definition keeps (rule : model -> model -> list nat -> program ending) (p q : model) (gamma : nat) : Q :=
  mean_kept (ended (rule p q) q gamma).
Definition third : model := fun _ => [1 # 3; 2 # 3].
Definition two_thirds : model := fun _ => [2 # 3; 1 # 3].
Definition block_hsd_more_capped (p q : matrix) (gamma : nat) : bool :=
  (keeps block (markov p) (markov q) gamma <=? keeps capped (markov p) (markov q) gamma)
  && (keeps block third two_thirds 2 <? keeps capped third two_thirds 2).

(** * The most that a lossless rule keeps that emits one token after the drafts kept *)

(** Such a rule is a joint law of drafts, how many are kept, and the token: for each text of gamma + 1 tokens what it brings is
    the target's. Give a price to each block of drafts and to each text, so that no way to end is worth more drafts than its
    block's price and the mean price of the texts that it can become. Then no such rule keeps more on average than all prices
    together, at the probabilities of drafts and texts ([priced] in [consequences]): a solution of the dual program. *)
Definition number (V : nat) (t : text) : nat := fold_right (fun x n => n * V + x)%nat O t.
Definition mean_price (p : model) (T : nat) (price : text -> Q) (t : text) : Q := expect (sample p (T - length t) t) price.
Definition dearer (p : model) (gamma V : nat) (of_block of_text : text -> Q) : bool :=
  forallb (fun xs => forallb (fun n => forallb (fun y =>
    whole n <=? of_block xs + mean_price p (S gamma) of_text (y :: skipn (gamma - n) xs))
    (seq 0 V)) (seq 0 (S gamma))) (texts V gamma).
Definition all_prices (p q : model) (gamma : nat) (of_block of_text : text -> Q) : Q :=
  expect (sample q gamma []) of_block + mean_price p (S gamma) of_text [].
Definition block_price (t : text) : Q := at_ [-1 # 3; 0; 1; 2] (number 2 t).
Definition text_price (t : text) : Q := at_ [7 # 3; 7 # 3; 2; 2; 1; 1; 0; 0] (number 2 t).
Definition block_example_ideal_one_token (p q : matrix) (gamma : nat) : bool :=
  implies (dearer (markov p) gamma (length (row p 0)) block_price text_price)
    ((12 # 9) <=? all_prices (markov p) (markov q) gamma block_price text_price).

(** * Lossy rules *)

(** Keeps of each prefix a share of min(Q, K P), K what it keeps of the one before: a share by place, and whether P is at least
    Q there. Of the next token what the target has and no draft fills. *)
Definition shared (shares : list Q) (p q : model) (kept : Q) (t : text) : law :=
  map (fun y => let a := at_ (p t) y in let b := at_ (q t) y in
    at_ shares ((if b <=? a then S else id) (2 * length t)%nat) * min b (kept * a)) (tokens (p t)).
(** Prefixes with what is kept of them, given the drafts; the longest first. *)
Fixpoint kept_along (shares : list Q) (p q : model) (kept : Q) (t : text) (xs : list nat) (longest : list (Q * text)) :=
  match xs with
  | [] => (kept, t) :: longest
  | x :: more =>
      kept_along shares p q (at_ (shared shares p q kept t) x / at_ (q t) x) (x :: t) more ((kept, t) :: longest)
  end.
Fixpoint some_kept (shares : list Q) (p q : model) (shorter : list (Q * text)) : program ending :=
  match shorter with
  | [] => ret (O, [])
  | (kept, t) :: more =>
      let filled := shared shares p q kept t in
      here <- coin (match t with [] => 1 | _ => if sum filled =? 1 then 0 else (kept - sum filled) / (1 - sum filled) end) ;;
      if here then then_one (excess (scaled kept (p t)) filled) (p t) t else some_kept shares p q more
  end.
Definition sharing (shares : list Q) (p q : model) (xs : list nat) : program ending :=
  match kept_along shares p q 1 [] xs [] with
  | (kept, t) :: shorter => all_of_it <- coin kept ;;
      if all_of_it then then_one (p t) [] t else some_kept shares p q shorter
  | [] => ret (O, [])
  end.
(** A coin between such a rule, or a block that stops early, and one that keeps every draft. *)
Definition always (p : model) (xs : list nat) : program ending := then_one (p (rev xs)) [] (rev xs).
Definition either (p q : model) (shares : option law) (w : Q) (xs : list nat) : program ending :=
  lossy <- coin w ;; if lossy then always p xs else
    match shares with Some some => sharing some p q xs | None => block_early p q xs end.
Definition apart (V T : nat) (p : model) (d : program ending) : Q :=
  sum (map (fun t => distance (chance (first_tokens p T d) (same t)) (chance (sample p T []) (same t))) (texts V T)) / 2.
Definition block_lossy_price (p q : matrix) (gamma : nat) (shares : option law) (w : Q) : bool :=
  let rule := ended (either (markov p) (markov q) shares w) (markov q) gamma in
  mean_kept rule <=? keeps block (markov p) (markov q) gamma
    + whole gamma * apart (length (row p 0)) (gamma + 1) (markov p) rule.

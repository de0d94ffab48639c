(** Examples of papers, over the fractions: the methods are programs that toss coins, and what they give is computed. *)

Require Import QArith Qabs Qminmax Lqa Lia List Bool.
Import ListNotations.
Open Scope Q_scope.

(** * Programs, as the finite distributions that they induce *)

Definition program (A : Type) : Type := list (Q * A).
Definition ret {A} (a : A) : program A := [(1, a)].
Definition bind {A B} (d : program A) (f : A -> program B) : program B :=
  flat_map (fun wa => map (fun vb => (fst wa * fst vb, snd vb)) (f (snd wa))) d.
Notation "x <- d ;; e" := (bind d (fun x => e)) (at level 61, d at next level, right associativity).

Definition draw (V : nat) (p : nat -> Q) : program nat := map (fun x => (p x, x)) (seq 0 V).
Definition coin (a : Q) : program bool := [(a, true); (1 - a, false)].

Definition total (xs : list Q) : Q := fold_right Qplus 0 xs.
Definition expect {A} (d : program A) (f : A -> Q) : Q := total (map (fun wa => fst wa * f (snd wa)) d).
Definition output (d : program nat) (y : nat) : Q := expect d (fun x => if Nat.eqb x y then 1 else 0).
Definition sum (V : nat) (f : nat -> Q) : Q := total (map f (seq 0 V)).
Definition tv (V : nat) (p q : nat -> Q) : Q := (1 # 2) * sum V (fun x => Qabs (p x - q x)).
Definition number (n : nat) : Q := inject_Z (Z.of_nat n).

(** A law that is written out. *)
Definition of_list (masses : list Q) (x : nat) : Q := nth x masses 0.
Definition law (V : nat) (p : nat -> Q) : bool := forallb (fun x => Qle_bool 0 (p x)) (seq 0 V) && Qeq_bool (sum V p) 1.

(** * Token and block verification, with laws that are the same after every text *)

Section Verification.

Variable V : nat.
Variables p q : nat -> Q.

Fixpoint drafts (gamma : nat) : program (list nat) :=
  match gamma with O => ret [] | S g => x <- draw V q ;; (xs <- drafts g ;; ret (x :: xs)) end.

(** How many drafts are kept token by token: each with probability min(1, p/q), up to the first that is not. *)
Fixpoint token (xs : list nat) : program nat :=
  match xs with
  | [] => ret O
  | x :: more => kept <- coin (Qmin 1 (p x / q x)) ;; if kept then (n <- token more ;; ret (S n)) else ret O
  end.

(** How many are kept by the block, from the longest prefix to the shortest: the whole block passes with r, a shorter prefix with
    Z/(Z + 1 - r), Z the mass of (r p - q)₊. *)
Definition mass (r : Q) : Q := sum V (fun y => Qmax 0 (r * p y - q y)).
Fixpoint longest (r : Q) (xs : list nat) : program (option nat) :=
  match xs with
  | [] => kept <- coin r ;; ret (if kept then Some O else None)
  | x :: more =>
      found <- longest (Qmin 1 (r * p x / q x)) more ;;
      match found with
      | Some n => ret (Some (S n))
      | None => kept <- coin (mass r / (mass r + 1 - r)) ;; ret (if kept then Some O else None)
      end
  end.
Definition block (xs : list nat) : program nat :=
  found <- longest 1 xs ;; ret (match found with Some n => n | None => O end).

(** E[τ]: the mean number of drafts that are kept. *)
Definition mean_kept (verify : list nat -> program nat) (gamma : nat) : Q := expect (xs <- drafts gamma ;; verify xs) number.

End Verification.

Definition target : nat -> Q := of_list [1 # 3; 2 # 3].
Definition draft : nat -> Q := of_list [2 # 3; 1 # 3].

(** With p = (1/3, 2/3), q = (2/3, 1/3) after every text and two drafts, E[τ] is 10/9 token by token and 11/9 by the block. *)
Theorem block_example :
  mean_kept 2 draft (token target draft) 2 == 10 # 9 /\ mean_kept 2 draft (block 2 target draft) 2 == 11 # 9.
Proof. split; vm_compute; reflexivity. Qed.

(** * Any verifier of this example that emits the drafts it keeps and one token more *)

(** w x1 x2 τ y: the probability that of the drafts x1, x2 the first τ are kept, and y comes after them. *)
Definition verifier : Type := nat -> nat -> nat -> nat -> Q.
Definition both (f : nat -> Q) : Q := f O + f 1%nat.
Definition if_same (x y : nat) (a : Q) : Q := if Nat.eqb x y then a else 0.

Definition is_verifier (w : verifier) : Prop :=
  (forall x1 x2 tau y, (x1 < 2)%nat -> (x2 < 2)%nat -> (tau < 3)%nat -> (y < 2)%nat -> 0 <= w x1 x2 tau y) /\
  forall x1 x2, (x1 < 2)%nat -> (x2 < 2)%nat ->
    both (fun y => w x1 x2 0%nat y + w x1 x2 1%nat y + w x1 x2 2%nat y) == 1.

(** The probability of three tokens, where what is emitted is continued with the target. *)
Definition emitted (w : verifier) (a b c : nat) : Q :=
  both (fun x1 => both (fun x2 => draft x1 * draft x2 * both (fun y =>
    if_same y a (w x1 x2 0%nat y * target b * target c)
    + if_same x1 a (if_same y b (w x1 x2 1%nat y * target c))
    + if_same x1 a (if_same x2 b (if_same y c (w x1 x2 2%nat y)))))).

Definition is_lossless (w : verifier) : Prop := forall a b c, (a < 2)%nat -> (b < 2)%nat -> (c < 2)%nat ->
  emitted w a b c == target a * target b * target c.

Definition mean_kept_of (w : verifier) : Q :=
  both (fun x1 => both (fun x2 => draft x1 * draft x2 * both (fun y => w x1 x2 1%nat y + 2 * w x1 x2 2%nat y))).

(** Block verification as such a verifier: how many it keeps, and what it draws then. *)
Fixpoint block_emits (r : Q) (xs : list nat) : program (option (nat * nat)) :=
  match xs with
  | [] => kept <- coin r ;; if kept then (y <- draw 2 target ;; ret (Some (O, y))) else ret None
  | x :: more =>
      found <- block_emits (Qmin 1 (r * target x / draft x)) more ;;
      match found with
      | Some (n, y) => ret (Some (S n, y))
      | None =>
          let z := mass 2 target draft r in
          kept <- coin (z / (z + 1 - r)) ;;
          if kept then (y <- draw 2 (fun y => Qmax 0 (r * target y - draft y) / z) ;; ret (Some (O, y))) else ret None
      end
  end.
Definition by_block : verifier := fun x1 x2 tau y =>
  expect (block_emits 1 [x1; x2]) (fun o => match o with
    | Some (n, z) => if Nat.eqb n tau && Nat.eqb z y then 1 else 0 | None => 0 end).

(** Each token, and each number of kept drafts, in turn. *)
Ltac each_token := repeat match goal with
  | H : (?x < 2)%nat |- _ => destruct x as [|[|x]]; [clear H | clear H | exfalso; lia]
  | H : (?x < 3)%nat |- _ => destruct x as [|[|[|x]]]; [clear H | clear H | clear H | exfalso; lia]
  end.

(** Of lossless verifiers that emit the kept drafts and one more token, for these laws and two drafts, the largest E[τ] is 11/9,
    that of block verification. *)
Theorem block_example_ideal_one_token_corrected :
  (forall w, is_verifier w -> is_lossless w -> mean_kept_of w <= 11 # 9) /\
  is_verifier by_block /\ is_lossless by_block /\ mean_kept_of by_block == 11 # 9.
Proof.
  assert (Z : (0 < 2)%nat) by lia. assert (O : (1 < 2)%nat) by lia.
  split; [|split; [split|split]].
  - intros w [N S] L.
    pose proof (S 0 0 Z Z)%nat as S00. pose proof (S 0 1 Z O)%nat as S01.
    pose proof (S 1 0 O Z)%nat as S10. pose proof (S 1 1 O O)%nat as S11.
    pose proof (L 0 0 0 Z Z Z)%nat as L000. pose proof (L 0 0 1 Z Z O)%nat as L001.
    pose proof (L 0 1 0 Z O Z)%nat as L010. pose proof (L 0 1 1 Z O O)%nat as L011.
    pose proof (L 1 0 0 O Z Z)%nat as L100. pose proof (L 1 0 1 O Z O)%nat as L101.
    pose proof (L 1 1 0 O O Z)%nat as L110. pose proof (L 1 1 1 O O O)%nat as L111.
    assert (P : forall x1 x2, (x1 < 2)%nat -> (x2 < 2)%nat ->
      0 <= w x1 x2 0%nat 0%nat /\ 0 <= w x1 x2 0%nat 1%nat /\ 0 <= w x1 x2 1%nat 0%nat /\ 0 <= w x1 x2 1%nat 1%nat /\
      0 <= w x1 x2 2%nat 0%nat /\ 0 <= w x1 x2 2%nat 1%nat) by (intros; repeat split; apply N; lia).
    pose proof (P 0 0 Z Z)%nat as P00. pose proof (P 0 1 Z O)%nat as P01.
    pose proof (P 1 0 O Z)%nat as P10. pose proof (P 1 1 O O)%nat as P11. clear P N S L.
    cbv [emitted mean_kept_of both if_same target draft of_list nth Nat.eqb] in *. lra.
  - intros x1 x2 tau y A B C D. each_token; vm_compute; discriminate.
  - intros x1 x2 A B. each_token; vm_compute; reflexivity.
  - intros x y z A B C. each_token; vm_compute; reflexivity.
  - vm_compute. reflexivity.
Qed.

(** * A verifier of this example that emits three tokens, whatever it keeps *)

(** The joint probability of a text, and (P target - R draft)₊ of a branch with the joint probabilities P and R. *)
Definition joint (f : nat -> Q) (xs : list nat) : Q := fold_right (fun x m => f x * m) 1 xs.
Definition beyond (P R : Q) (f g : nat -> Q) (x : nat) : Q := Qmax 0 (P * f x - R * g x).

(** Naive hierarchical verification of one prefix: it is kept with the ratio of what the target has beyond the draft among its
    continuations, and what the draft has beyond the target, at most 1. *)
Definition keeps_prefix (xs : list nat) : program bool :=
  let gain := sum 2 (beyond (joint target xs) (joint draft xs) target draft) in
  let loss := sum 2 (beyond (joint draft xs) (joint target xs) draft target) in
  coin (if Qle_bool gain 0 then 0 else gain / Qmax gain loss).

(** The longest of its prefixes of n tokens or fewer that is kept; the empty one where no other is. *)
Fixpoint longest_kept (n : nat) (xs : list nat) : program nat :=
  match n with
  | O => ret O
  | S m => kept <- keeps_prefix (firstn n xs) ;; if kept then ret n else longest_kept m xs
  end.

(** A text continued by n tokens, each drawn from what is left of the joint target law; of the target where nothing is. *)
Fixpoint continued (n : nat) (xs : list nat) : program (list nat) :=
  match n with
  | O => ret xs
  | S m =>
      let rest := beyond (joint target xs) (joint draft xs) target draft in
      y <- draw 2 (if Qle_bool (sum 2 rest) 0 then target else fun y => rest y / sum 2 rest) ;; continued m (xs ++ [y])
  end.

(** What a call emits, and how many drafts it keeps: the whole block with min(1, P/R), a token of the target after it. *)
Definition hierarchical (xs : list nat) : program (list nat * nat) :=
  let n := length xs in
  whole <- coin (Qmin 1 (joint target xs / joint draft xs)) ;;
  if whole then (y <- draw 2 target ;; ret (xs ++ [y], n))
  else (kept <- longest_kept (n - 1) xs ;; text <- continued (n - kept) (firstn kept xs) ;; ret (text, kept)).

(** Its first tokens, continued with the target. *)
Fixpoint with_target (n : nat) (xs : list nat) : program (list nat) :=
  match n with O => ret xs | S m => y <- draw 2 target ;; with_target m (xs ++ [y]) end.
Definition three_tokens : program (list nat) :=
  xs <- drafts 2 draft 2 ;; (o <- hierarchical xs ;; with_target (3 - length (fst o)) (fst o)).
Definition is_text (xs ys : list nat) : Q := if list_eq_dec Nat.eq_dec xs ys then 1 else 0.

(** For these laws and two drafts, naive hierarchical verification, which after the kept drafts emits further tokens, is lossless
    and reaches E[τ] = 12/9. *)
Theorem block_example_ideal_any :
  (forall a b c, (a < 2)%nat -> (b < 2)%nat -> (c < 2)%nat ->
    expect three_tokens (is_text [a; b; c]) == target a * target b * target c) /\
  expect (xs <- drafts 2 draft 2 ;; hierarchical xs) (fun o => number (snd o)) == 12 # 9.
Proof.
  split.
  - intros a b c A B C. each_token; vm_compute; reflexivity.
  - vm_compute. reflexivity.
Qed.

(** * EARS with a fresh draw after a rejection *)

Section Ears.

Variable V : nat.
Variables p q : nat -> Q.

Definition largest (f : nat -> Q) : Q := fold_right Qmax 0 (map f (seq 0 V)).
Definition passes (t : Q) (x : nat) : Q := Qmin 1 (p x / q x + t).
Definition fresh (t : Q) : program nat := x <- draw V q ;; (kept <- coin (passes t x) ;; if kept then ret x else draw V p).
Definition accepts (t : Q) : Q := expect (draw V q) (passes t).
Definition bias (t : Q) : Q := tv V (output (fresh t)) p.

(** The two signals: 1 - max p, and the variance 1 - Σ p². *)
Definition one_minus_max : Q := 1 - largest p.
Definition variance : Q := 1 - sum V (fun x => p x * p x).

End Ears.

(** Contexts are pairs of a target and a draft law; a signal gives a tolerance for each target. *)
Definition contexts : Type := list ((nat -> Q) * (nat -> Q)).
Definition mean (xs : list Q) : Q := total xs / number (length xs).
Definition mean_accepted (V : nat) (signal : (nat -> Q) -> Q) (cs : contexts) : Q :=
  mean (map (fun c => accepts V (fst c) (snd c) (signal (fst c))) cs).
Definition mean_bias (V : nat) (signal : (nat -> Q) -> Q) (cs : contexts) : Q :=
  mean (map (fun c => bias V (fst c) (snd c) (signal (fst c))) cs).
Definition laws (V : nat) (cs : contexts) : Prop := forall c, In c cs -> law V (fst c) = true /\ law V (snd c) = true.

Definition ears_signal (V : nat) (beta : Q) (p : nat -> Q) : Q := beta * one_minus_max V p.
Definition variance_signal (V : nat) (scale : Q) (p : nat -> Q) : Q := scale * variance V p.

(** After a rejection a fresh draw: at equal mean TV(output, p) over contexts, the variance of the target, scaled, accepts more
    than 1 - max p in some contexts, and less in others. *)
Theorem ears_other_uncertainty_fresh :
  (exists V cs beta scale, laws V cs /\ 0 < beta <= 1 /\ 0 < scale /\
    mean_bias V (variance_signal V scale) cs == mean_bias V (ears_signal V beta) cs /\
    mean_accepted V (ears_signal V beta) cs < mean_accepted V (variance_signal V scale) cs) /\
  (exists V cs beta scale, laws V cs /\ 0 < beta <= 1 /\ 0 < scale /\
    mean_bias V (variance_signal V scale) cs == mean_bias V (ears_signal V beta) cs /\
    mean_accepted V (variance_signal V scale) cs < mean_accepted V (ears_signal V beta) cs).
Proof.
  split.
  - exists 2%nat, [(of_list [3 # 4; 1 # 4], of_list [1; 0]); (of_list [1 # 2; 1 # 2], of_list [1; 0])], (1 # 2), (5 # 11).
    split; [intros c [<-|[<-|[]]]; split; vm_compute; reflexivity|]. split; [split; lra|]. split; [lra|].
    split; [vm_compute; reflexivity|]. vm_compute. reflexivity.
  - exists 2%nat, [(of_list [1 # 2; 1 # 2], of_list [1; 0]); (of_list [1 # 4; 3 # 4], of_list [2 # 3; 1 # 3])], 1, (6 # 7).
    split; [intros c [<-|[<-|[]]]; split; vm_compute; reflexivity|]. split; [split; lra|]. split; [lra|].
    split; [vm_compute; reflexivity|]. vm_compute. reflexivity.
Qed.

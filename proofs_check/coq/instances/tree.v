(** Statements about trees of drafts. A text has its last token first, as for blocks. *)

Require Import vocabulary logarithms block.

(** A tree is the children of its root; a drafted one has each with its token, in the order in which they are tested. *)
Inductive shape : Type := Shape (children : list shape).
Inductive drafted : Type := Drafted (children : list (nat * drafted)).

(** Laws by context, the shorter contexts first, then in order of their tokens; longer ones have the last row. *)
Definition by_context (table : matrix) : model := fun t =>
  row table (Nat.min (fold_right (fun x n => n * length (row table 0) + S x)%nat O t) (length table - 1)).
(** A context by its length alone. *)
Definition by_length (table : matrix) : model := fun t => row table (Nat.min (length t) (length table - 1)).

(** * Fixed candidates: a tree is the list of its nodes, a node the text that it ends *)

Fixpoint mass (p : model) (t : text) : Q := match t with [] => 1 | x :: before => mass p before * at_ (p before) x end.
(** A candidate is accepted when it is what the target says. *)
Definition accepted_of (p : model) (nodes : list text) : Q := sum (map (mass p) nodes).
Definition listed (nodes : list text) (t : text) : bool := existsb (same t) nodes.
(** What may be a node next. *)
Definition open_ (V : nat) (nodes : list text) : list text :=
  filter (fun t => negb (listed nodes t)) (flat_map (fun t => map (fun x => x :: t) (seq 0 V)) ([] :: nodes)).
(** Trees with n nodes more, in every order in which they can be grown. *)
Fixpoint grown (V n : nat) (nodes : list text) : list (list text) :=
  match n with O => [nodes] | S m => flat_map (fun t => grown V m (t :: nodes)) (open_ V nodes) end.

(** The first text in order of tokens, of the shorter ones, of the most likely ones. *)
Fixpoint earlier (s t : list nat) : bool :=
  match s, t with
  | x :: s', y :: t' => Nat.ltb x y || (Nat.eqb x y && earlier s' t')
  | [], _ :: _ => true
  | _, [] => false
  end.
Definition preferred (q : model) (s t : text) : bool :=
  (mass q t <? mass q s) || ((mass q t =? mass q s)
    && (Nat.ltb (length s) (length t) || (Nat.eqb (length s) (length t) && earlier (rev s) (rev t)))).
Definition most_preferred (q : model) (among : list text) : text :=
  match among with [] => [] | t :: more => fold_left (fun best s => if preferred q s best then s else best) more t end.
Fixpoint likeliest (q : model) (V n : nat) (nodes : list text) : list text :=
  match n with O => nodes | S m => likeliest q V m (most_preferred q (open_ V nodes) :: nodes) end.

Definition tree_eagle_best_any (target draft : matrix) (nodes : nat) : bool :=
  let V := length (row target 0) in
  forallb (fun other =>
    accepted_of (by_context target) other <=? accepted_of (by_context target) (likeliest (by_context draft) V nodes []))
    (grown V nodes []).
Definition tree_over_chain (target draft : matrix) (gamma : nat) : bool :=
  let p := by_context target in let q := by_context draft in
  existsb (fun some => mean_kept (ended (block p q) q gamma) <=? accepted_of p some) (grown (length (row target 0)) gamma []).

(** * Target-only verification: one coin u at a node, a child is accepted if u is at most the mass of the children up to it *)

Definition besides (p : law) (taken : list nat) : law :=
  normalised (map (fun x => if existsb (Nat.eqb x) taken then 0 else at_ p x) (tokens p)) p.
Fixpoint by_one_coin (p : model) (t : text) (tree : drafted) : program ending :=
  match tree with
  | Drafted children =>
      (fix test (c : Q) (left : list (nat * drafted)) : program ending :=
        match left with
        | [] => y <- draw (besides (p t) (map fst children)) ;; ret (length t, y :: t)
        | (x, below) :: more =>
            let up := min 1 (c + at_ (p t) x) in
            kept <- coin (if c =? 1 then 1 else (up - c) / (1 - c)) ;;
            if kept then by_one_coin p (x :: t) below else test up more
        end) 0 children
  end.
Fixpoint levels (tree : drafted) : nat :=
  match tree with Drafted children => fold_right (fun child n => Nat.max (S (levels (snd child))) n) O children end.
Definition tree_target_only (target : matrix) (tree : drafted) : bool :=
  has_law (length (row target 0)) (S (levels tree)) (by_context target) (by_one_coin (by_context target) [] tree).

(** * Exact matching with sight: the first sample x is a candidate with offered(x, y), y the sample that would follow it *)

Definition tree_exact_match_seen (p : law) (after offered : matrix) : bool :=
  has_law (length p) 2 (first_then p after)
    (x <- draw p ;; (y <- draw (row after x) ;; (candidate <- coin (at_ (row offered x) y) ;;
      if candidate then ret (1%nat, [y; x]) else z <- draw (row after x) ;; ret (O, [z; x])))).

(** * Drafted trees: children of a node are drawn from the draft law there, independent or without replacement *)

(** Where all tokens of the law are drawn already, the other children are missing. *)
Definition but (s : list Q) (x : nat) : list Q := map (fun y => if Nat.eqb x y then 0 else at_ s y) (tokens s).
Fixpoint drawn (q : model) (replace : bool) (t : text) (tree : shape) : program drafted :=
  match tree with
  | Shape below =>
      children <- (fix siblings (s : list Q) (wanted : list shape) : program (list (nat * drafted)) :=
        match wanted with
        | [] => ret []
        | one :: others =>
            if sum s =? 0 then ret []
            else x <- draw (normalised s s) ;; (child <- drawn q replace (x :: t) one ;;
              (rest <- siblings (if replace then s else but s x) others ;; ret ((x, child) :: rest)))
        end) (q t) below ;; ret (Drafted children)
  end.

(** How many drafts recursive rejection accepts, from the root down. *)
Fixpoint down (p q : model) (replace : bool) (t : text) (tree : drafted) : program nat :=
  match tree with
  | Drafted children =>
      (fix test (m s : law) (left : list (nat * drafted)) : program nat :=
        match left with
        | [] => ret (length t)
        | (x, below) :: more => kept <- coin (ratio m s x) ;;
            if kept then down p q replace (x :: t) below
            else test (residual m s) (if replace then s else without s x) more
        end) (p t) (q t) children
  end.

(** And traversal: a node is visited after its children, the first child first, and is kept with a; a child that is deleted
    takes (a M - S)₊ of what its parent has left, none where the node is deleted. *)
Fixpoint up (p q : model) (replace : bool) (t : text) (a : Q) (tree : drafted) : program (option nat) :=
  match tree with
  | Drafted children =>
      (fix visit (m s : law) (a : Q) (left : list (nat * drafted)) : program (option nat) :=
        match left with
        | [] => kept <- coin (match t with [] => 1 | _ => a end) ;; ret (if kept then Some (length t) else None)
        | (x, below) :: more =>
            found <- up p q replace (x :: t) (min 1 (a * at_ m x / at_ s x)) below ;;
            match found with
            | Some n => ret (Some n)
            | None =>
                let over := excess (scaled a m) s in
                let z := sum over in
                visit (normalised over m) (if replace then s else without s x)
                  (if z + (1 - a) =? 0 then 1 else z / (z + (1 - a))) more
            end
        end) (p t) (q t) a children
  end.
Definition counted (n : option nat) : Q := match n with Some m => whole m | None => 0 end.
Definition traversal_accepts_as_many (shape : shape) (target draft : matrix) (replace : bool) : bool :=
  let p := by_length target in let q := by_length draft in
  let trees := drawn q replace [] shape in
  expect (tree <- trees ;; down p q replace [] tree) whole <=? expect (tree <- trees ;; up p q replace [] 1 tree) counted.
Definition tree_traversal_over_rrs (shape : shape) (target draft : matrix) (replace : bool) : bool :=
  traversal_accepts_as_many shape target draft replace.
Definition two_levels_of_pairs : shape := let pair := Shape [Shape []; Shape []] in Shape [pair; pair].
Definition tree_traversal_full_swor (target draft : matrix) : bool :=
  traversal_accepts_as_many two_levels_of_pairs target draft false.

(** * Where both tokens have mass 1/2 after every text: the full tree of some levels *)

Fixpoint up_to (n : nat) (f : nat -> Q) : Q := match n with O => 0 | S m => up_to m f + f n end.
Definition nodes_of_level (d : nat) : Q := power 2 d.
(** Each text of d tokens has a probability of 2^-d; the entropy is ln 2, and the second moment of surprisal its square. E[τ] + C
    and the bound are taken times μ². False only where the bound is certainly above. *)
Definition tree_speed_of_light_tight (levels allowance : nat) : bool :=
  let accepted := up_to levels (fun d => nodes_of_level d * power (1 # 2) d) in
  let mu := Ln 2 in
  may_be_at_most (Times (Plus mu (Times mu mu)) (Ln (up_to levels nodes_of_level)))
    (Times (Num (accepted + whole allowance)) (Times mu mu)).

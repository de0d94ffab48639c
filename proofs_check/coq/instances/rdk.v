(** Statements about speculative decoding itself, and of RDK. *)

Require Import vocabulary logarithms.

Definition acceptance (p q : law) : Q := overlap p q.
Definition drafter_kernel (p q : law) : law := excess q p.
Definition squares (f : list Q) : Q := sum (map (fun a => a * a) f).

(** The draft that RDK draws from: TLI's law, moved by the affinity. *)
Definition rdk (q : law) (shared : list bool) (M : matrix) : law := moved (restricted q shared) M.

Definition sd_inverse_proportional (p q p2 q2 : law) : bool :=
  acceptance p q * sum (drafter_kernel p q) =? acceptance p2 q2 * sum (drafter_kernel p2 q2).

Definition rdk_small_overlap_draft_assumes (q : law) (shared : list bool) : bool := 0 <? sum (where_ shared q).
Definition rdk_small_overlap_draft (p q : law) (shared : list bool) : bool :=
  acceptance p (restricted q shared) <=? sum (where_ shared q).

Definition rdk_minimise_kernel_l2_assumes (p q q2 : law) : bool :=
  squares (drafter_kernel p q) <=? squares (drafter_kernel p q2).
Definition rdk_minimise_kernel_l2 (p q q2 : law) : bool := acceptance p q2 <=? acceptance p q.

(** Ω = 0, the covariance of what does not vary, has W = exp(Ω/τ) = 1 throughout, and M = W with normalised rows. *)
Definition rdk_any_drafter_assumes (W M : matrix) : bool :=
  forallb (forallb (fun w => w =? 1)) W && matrices_equal M (map (fun w => normalised w w) W).
Definition rdk_any_drafter (p q : law) (shared : list bool) (M : matrix) : bool :=
  acceptance p (restricted q shared) <=? acceptance p (rdk q shared M).

Definition rdk_no_extra_data_assumes (M M2 : matrix) : bool := row_stochastic M && row_stochastic M2.
Definition rdk_no_extra_data (q : law) (shared : list bool) (M M2 : matrix) : bool := equal (rdk q shared M) (rdk q shared M2).

Definition rdk_never_worse_assumes (M : matrix) : bool := row_stochastic M.
Definition rdk_never_worse (p q : law) (shared : list bool) (M : matrix) : bool :=
  acceptance p (restricted q shared) <=? acceptance p (rdk q shared M).

Definition rdk_percentage (kept vocab : nat) : bool := 100 * whole kept / whole vocab =? 25 # 100000.

Definition rdk_tli_is_transport_fixed (q q2 : law) (weight : Q) (shared : list bool) : bool :=
  equal (restricted (mixed weight q q2) shared) (mixed weight (restricted q shared) (restricted q2 shared)).

(** Normalised exponentials, each times the sum of the row of covariances, are said to be those; the exponentials' sum is multiplied
    out. Whether a times b may be c times d, each enclosed once. *)
Definition products_may_agree (a b c d : between) : bool :=
  let l := multiplied a b in let r := multiplied c d in perhaps_at_most l r && perhaps_at_most r l.
Definition rdk_affinity_rows (omega : matrix) (tau : Q) : bool :=
  forallb (fun covariances =>
    let weights := map (fun c => enclosure (Exp (c / tau))) covariances in
    let all := fold_right summed (enclosure (Num 0)) weights in
    forallb (fun b => b) (zip (fun c w => products_may_agree w (enclosure (Num (sum covariances))) (enclosure (Num c)) all)
      covariances weights)) omega.

(** The three linear-time forms of a drafter that knows a law: affine, normalised, exponential. The first two have values, of the
    third the exponentials are compared, each sum multiplied out. *)
Definition pull (q : law) (shared : list bool) (c : list Q) (tau : Q) : Q := sum (zip times (restricted q shared) c) / tau.
Definition affine (known : law) (s : Q) : law :=
  let share := 1 / whole (length known) in map (fun m => share * (1 + s * (m - share))) known.
Definition normal (known : law) (s : Q) : law := map (fun m => (1 + s * m) / (whole (length known) + s)) known.
Definition same_exponential (a b : law) (s : Q) : bool :=
  let weights := map (fun m => enclosure (Exp (s * m))) in
  let f := weights a in let g := weights b in
  let all := fold_right summed (enclosure (Num 0)) in let of_f := all f in let of_g := all g in
  forallb (fun b => b) (zip (fun x y => products_may_agree x of_g y of_f) f g).
Definition rdk_approximator_available_target (p p2 : law) (prior : option law) (q : law) (shared : list bool) (c : list Q) (tau : Q) (form : nat) : bool :=
  let known := match prior with Some one => one | None => p end in
  let known2 := match prior with Some one => one | None => p2 end in
  let s := pull q shared c tau in
  match form with
  | O => equal (affine known s) (affine known2 s)
  | S O => equal (normal known s) (normal known2 s)
  | _ => same_exponential known known2 s
  end.

(** Mean acceptance over contexts of weights w; mean laws. *)
Definition accepted (w : law) (p q M : matrix) : Q := sum (zip times w (zip (fun p q => overlap p (moved q M)) p q)).
Definition mean_law (w : law) (laws : matrix) : law :=
  map (fun y => sum (zip (fun m f => m * at_ f y) w laws)) (tokens (row laws 0)).
Definition rdk_best_affinity_means_assumes (w : law) (p q M : matrix) : bool :=
  equal (moved (mean_law w q) M) (mean_law w p).
Definition rdk_best_affinity_means (w : law) (p q M other : matrix) : bool := accepted w p q other <=? accepted w p q M.

(** Affinities that send each draft token to one token: all of them are tried, against one that sends some to several. *)
Fixpoint single_targets (V rows : nat) : list matrix :=
  match rows with O => [[]] | S m => flat_map (fun y => map (cons (point V y)) (single_targets V m)) (seq 0 V) end.
Definition best_single (w : law) (p q : matrix) : Q :=
  let V := length (row p 0) in largest (map (accepted w p q) (single_targets V V)).
Definition rdk_best_affinity_one_target (w : law) (p q M : matrix) : bool := accepted w p q M <=? best_single w p q.

(** Logits z_a on the first tokens, z_b on the others, so that the first share some mass t of the target's law, strictly between 0
    and 1. What is said to have a probability of 99.46 % then holds for some interval of t, and that is what is stated here. Both
    acceptances are linear in t between the masses at which a token of the target meets what is drafted. *)
Definition grouped (t : Q) (above V : nat) : law :=
  map (fun x => if Nat.ltb x above then t / whole above else (1 - t) / whole (V - above)) (seq 0 V).
Definition advantage (above : nat) (d : law) (M : matrix) (share t : Q) : Q :=
  let p := grouped t above (length d) in overlap p (moved d M) - overlap p (scaled share d).
Definition meets (above V : nat) (f : law) : list Q :=
  map (fun x => if Nat.ltb x above then whole above * at_ f x else 1 - whole (V - above) * at_ f x) (seq 0 V).
Fixpoint put (a : Q) (f : list Q) : list Q := match f with b :: g => if a <=? b then a :: f else b :: put a g | [] => [a] end.
Definition in_order (f : list Q) : list Q := fold_right put [] f.
Fixpoint some_cell (gain : Q -> Q) (ends : list Q) : bool :=
  match ends with
  | a :: ((b :: _) as more) =>
      ((a <? b) && ((0 <? gain a) || (0 <? gain b) || ((gain a =? 0) && (gain b =? 0)))) || some_cell gain more
  | _ => false
  end.
Definition somewhere_no_worse (above : nat) (d : law) (M : matrix) (share : Q) : bool :=
  let V := length d in
  let inner := filter (fun t => (0 <? t) && (t <? 1)) (meets above V (scaled share d) ++ meets above V (moved d M)) in
  some_cell (advantage above d M share) (in_order (0 :: 1 :: inner)).
Definition rdk_gaussian_advantage_assumes (mu_a mu_b sigma_a sigma_b : Q) (above : nat) (d : law) (M : matrix) : bool :=
  (mu_b + 3 * sigma_b <=? mu_a - 3 * sigma_a) && row_stochastic M && forallb (fun m => m =? 0) (firstn above d).
Definition rdk_gaussian_advantage (above : nat) (d : law) (M : matrix) : bool := somewhere_no_worse above d M 1.
Definition rdk_gaussian_advantage_vanilla_assumes (mu_a mu_b sigma_a sigma_b : Q) (above : nat) (d : law) (M : matrix) (share : Q) : bool :=
  rdk_gaussian_advantage_assumes mu_a mu_b sigma_a sigma_b above d M && (0 <? share) && (share <=? 1).
Definition rdk_gaussian_advantage_vanilla (above : nat) (d : law) (M : matrix) (share : Q) : bool :=
  somewhere_no_worse above d M share.

Definition rdk_mean_probability_concentrated_assumes (p : law) : bool := Nat.leb 2 (length p).
Definition rdk_mean_probability_concentrated (p : law) : bool :=
  1 # 2 <? sum (where_ (most_likely (Nat.div (length p) 2) p) p).

(** Bytes of a dense matrix over a vocabulary that is named, in a format that is named. *)
Definition entry (number : text) : Z := if same number "float16" then 2 else 4.
Definition rdk_memory (vocabulary number : text) : bool :=
  let V := if same vocabulary "128K" then 128256%Z else 200000%Z in (V * V * entry number <=? 80 * 10 ^ 9)%Z.

Definition rdk_perturbations_harmless (vocabulary : text) (error : Q) : bool :=
  let V := if same vocabulary "GPT-2" then 50257 else if same vocabulary "Llama 3.1" then 128256 else 200000 in
  V * error / 2 <=? 2.

(** Logits are logarithms of weights, their errors logarithms of ratios; the largest error and something to spare are ε. *)
Definition rdk_perturbed_target_assumes (spare : Q) : bool := 0 <=? spare.
Definition rdk_perturbed_target (w ratio : list Q) (spare : Q) : bool :=
  let after := zip times w ratio in
  let most := largest (map (fun r => max r (1 / r)) ratio) in
  may_be_at_most (Num (2 * tv (normalised w []) (normalised after []))) (Times (Num (1 # 2)) (Plus (Ln most) (Num spare))).

(** Logits add where masses do: weights of one token are multiplied, those of none are 1. *)
Definition by_logits (w : list Q) (to : list nat) : law :=
  let made := map (fun x => product (zip (fun m y => if Nat.eqb x y then m else 1) w to)) (tokens w) in normalised made [].
Definition rdk_project_logits (w : list Q) (to : list nat) : bool :=
  equal (by_logits w to) (moved (normalised w []) (map (point (length w)) to)).

(** Ω = κ p pᵀ and a diagonal, within one per cent of c pᵀ with c = κ p. With u = Ωᵀq, the coefficient of 1/τ is zero for some choice
    of c if for some s each u less their mean is s (p - 1/V): where some p is not 1/V, that s is a quotient. *)
Definition rdk_taylor_order_approximate_assumes (p : law) (kappa : Q) (diag : list Q) : bool :=
  forallb (fun b => b) (zip (fun m e => (0 <=? e) && (100 * e <=? kappa * m * m)) p diag).
Definition rdk_taylor_order_approximate (p q : law) (kappa : Q) (diag : list Q) : bool :=
  let V := whole (length p) in
  let u := zip plus (scaled (kappa * sum (zip times p q)) p) (zip times diag q) in
  let wanted := map (fun a => a - sum u / V) u in
  let slope := map (fun m => m - 1 / V) p in
  let choices := 0 :: zip over wanted slope in
  existsb (fun s => forallb (fun b => b) (zip (fun a b => a =? s * b) wanted slope)) choices.

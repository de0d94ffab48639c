(** Statements about speculative decoding itself, and of RDK. *)

Require Import vocabulary.

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

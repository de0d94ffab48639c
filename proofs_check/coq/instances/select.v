(** Statements about choosing among drafters from text that was emitted. *)

Require Import vocabulary folk.

(** Of two drafters, the one whose tokens are emitted more often comes first. *)
Definition select_matches_greedy_assumes (p q rival : law) : bool := match_accepts p (top rival) <? match_accepts p (top q).
Definition select_matches_greedy (p q rival : law) : bool := overlap p rival <=? overlap p q.
Definition select_matches_sampled_assumes (p q rival : law) : bool := match_accepts p rival <? match_accepts p q.
Definition select_matches_sampled (p q rival : law) : bool := overlap p rival <=? overlap p q.

(** Contexts with their weights w; in each a drafter is used with a probability, and its drafts are accepted with a rate. *)
Definition over_contexts (w f : list Q) : Q := sum (zip times w f).
Definition own_share (w rates used : list Q) : Q := over_contexts w (zip times used rates) / over_contexts w used.
Definition select_accepted_share_assumes (w rates used other_rates other_used : list Q) : bool :=
  own_share w other_rates other_used <? own_share w rates used.
Definition select_accepted_share (w rates other_rates : list Q) : bool := over_contexts w other_rates <=? over_contexts w rates.

(** A rule keeps min(q, c p) of each token, and else draws from what is left of p. *)
Definition keeps_of (c : Q) (p q : law) : law := zip min q (scaled c p).
Definition relaxed_token (c : Q) (p q : law) : program nat :=
  step_by q (fun x => if at_ q x =? 0 then 0 else min 1 (c * at_ p x / at_ q x))
    (fun _ => normalised (excess p (keeps_of c p q)) p).
Definition rate_after (p rival : matrix) (x : nat) : Q := overlap (row p (S x)) (row rival (S x)).
Definition select_relaxed (p : matrix) (q : law) (rival : matrix) (c : Q) : bool :=
  expect (relaxed_token c (row p 0) q) (rate_after p rival) =? expect (draw (row p 0)) (rate_after p rival).

(** Gumbel list coupling (Rowan et al. 2025): K drafts race with noise of their own each, the target with the least noise of every
    token over all K streams. *)

Require Import Reals Lra Lia List Arith.
Require Import laws lossless tree several gaussian race.
Import ListNotations.
Open Scope R_scope.

Lemma sum_pairs K V f : sum (K * V) f = sum K (fun l => sum V (fun x => f (l * V + x)%nat)).
Proof.
  assert (Add : forall n m, sum (n + m) f = sum n f + sum m (fun x => f (n + x)%nat)).
  { intros n m. induction m as [|m IH]; [rewrite Nat.add_0_r; simpl; ring|]. rewrite Nat.add_succ_r. cbn [sum]. rewrite IH. ring. }
  induction K as [|K IH]; [easy|]. cbn [sum]. rewrite <- IH, <- Add. f_equal. lia.
Qed.

Lemma of_pair V l x : (x < V)%nat -> ((l * V + x) mod V = x /\ (l * V + x) / V = l)%nat.
Proof.
  intros L. rewrite Nat.add_comm. split; [rewrite Nat.mod_add by lia; now apply Nat.mod_small|].
  rewrite Nat.div_add, Nat.div_small by lia. lia.
Qed.

Lemma pair_of V k : (0 < V)%nat -> (k = k / V * V + k mod V)%nat.
Proof. intros L. rewrite (Nat.mul_comm (k / V)). apply Nat.div_mod. lia. Qed.

Lemma pair_less V K l x : (x < V)%nat -> (l < K)%nat -> (l * V + x < K * V)%nat.
Proof. intros X L. nia. Qed.

Section Lists.

Variable Outcome : Type.
Variable probability : (Outcome -> Prop) -> R.
Hypothesis measure : is_probability Outcome probability.

(** K streams of V tokens each: the noise of token x in stream l has the place l V + x. *)
Variables K V : nat.
Variable E : Outcome -> nat -> R.
Hypothesis noise : independent_exponentials Outcome probability (K * V) E.

Variables p q : nat -> R.
Hypothesis target_law : law V p.
Hypothesis draft_law : law V q.
Hypothesis some_draft : (0 < K)%nat.

(** The draft of a stream; where the target's race ends, which token wins it, and in which stream. *)
Definition drafted (l : nat) (w : Outcome) : nat := winner V q (fun x => E w (l * V + x)%nat).
Definition ending (w : Outcome) : nat := winner (K * V) (fun k => p (k mod V)) (E w).
Definition token (w : Outcome) : nat := (ending w mod V)%nat.
Definition stream (w : Outcome) : nat := (ending w / V)%nat.

(** The right side of the lemma, token by token, and as it is shorter; nothing for a token that one of the laws does not have. *)
Definition matching (j : nat) : R :=
  if Rlt_dec 0 (p j) then if Rlt_dec 0 (q j) then
    INR K / sum V (fun i => Rmax (p i / p j) (q i / q j) + (INR K - 1) * (p i / p j)) else 0 else 0.
Definition lacks (j : nat) : R := sum V (fun i => Rmax 0 (q i * p j / q j - p i)).
Definition shorter (j : nat) : R := if Rlt_dec 0 (q j) then p j * INR K / (INR K + lacks j) else 0.

Lemma V_some : (0 < V)%nat.
Proof. destruct V as [|n]; [destruct target_law as [_ S]; simpl in S; lra | lia]. Qed.

Lemma K_one : 1 <= INR K.
Proof. now apply (le_INR 1). Qed.

Lemma weight_nonneg k : 0 <= p (k mod V).
Proof. apply (law_nonneg V); [easy|]. apply Nat.mod_upper_bound. pose proof V_some. lia. Qed.

Lemma ending_place w : (ending w < K * V)%nat /\ 0 < p (token w).
Proof.
  destruct (law_has_mass V p target_law) as [i [I P]].
  destruct (winner_wins (K * V) (fun k => p (k mod V)) (E w)) as [A [B _]]; [|now split].
  exists i. split; [pose proof (pair_less V K 0 i I some_draft); lia|]. rewrite Nat.mod_small by easy. exact P.
Qed.

Lemma ending_is w j l : (j < V)%nat -> (l < K)%nat -> 0 < p j ->
  (ending w = (l * V + j)%nat -> (forall k, (k < K * V)%nat -> 0 < E w k) ->
    forall k, (k < K * V)%nat -> p (k mod V) / p j * E w (l * V + j)%nat <= E w k) /\
  ((forall k, (k < K * V)%nat -> k <> (l * V + j)%nat -> p (k mod V) / p j * E w (l * V + j)%nat < E w k) ->
    ending w = (l * V + j)%nat).
Proof.
  intros J L P. destruct (of_pair V l j J) as [M _].
  pose proof (winner_is (K * V) (fun k => p (k mod V)) (E w) (l * V + j) (fun k _ => weight_nonneg k) (pair_less V K l j J L)) as H.
  cbv beta in H. rewrite M in H. exact (H P).
Qed.

(** One stream, in which the target's winner j ends it, and which drafts j as well. *)
Lemma stream_matches j l : (j < V)%nat -> (l < K)%nat ->
  probability (fun w => ending w = (l * V + j)%nat /\ drafted l w = j) = matching j / INR K.
Proof.
  intros J L. pose proof K_one as K1. unfold matching. destruct (of_pair V l j J) as [M D].
  destruct (Rlt_dec 0 (p j)) as [P|P]; [destruct (Rlt_dec 0 (q j)) as [Q|Q]|].
  - set (r := fun k => if Nat.eqb (k / V) l then Rmax (p (k mod V) / p j) (q (k mod V) / q j) else p (k mod V) / p j).
    assert (Ratio : forall k, 0 <= p (k mod V) / p j).
    { intros k. apply Rmult_le_pos; [apply weight_nonneg | left; now apply Rinv_0_lt_compat]. }
    rewrite (race_probability Outcome probability measure (K * V) E noise _ r (l * V + j)%nat (pair_less V K l j J L)).
    + assert (Total : sum (K * V) r = sum V (fun i => Rmax (p i / p j) (q i / q j) + (INR K - 1) * (p i / p j))).
      { rewrite sum_pairs, (sum_plus V (fun i => Rmax (p i / p j) (q i / q j))), sum_scale.
        rewrite (sum_ext K _ (fun l' => sum V (fun i => p i / p j) + (if Nat.eqb l' l then
          sum V (fun i => Rmax (p i / p j) (q i / q j)) - sum V (fun i => p i / p j) else 0))).
        - rewrite sum_plus, sum_constant, (sum_point K (fun _ => _ - _) l L). ring.
        - intros l' _. destruct (Nat.eqb_spec l' l) as [->|N].
          + rewrite (sum_ext V _ (fun i => Rmax (p i / p j) (q i / q j))); [ring|]. intros i I. unfold r.
            destruct (of_pair V l i I) as [-> ->]. now rewrite Nat.eqb_refl.
          + rewrite (sum_ext V _ (fun i => p i / p j)); [ring|]. intros i I. unfold r. destruct (of_pair V l' i I) as [-> ->].
            destruct (Nat.eqb_spec l' l); easy. }
      assert (R1 : r (l * V + j)%nat = 1).
      { unfold r. rewrite M, D, Nat.eqb_refl. unfold Rdiv. rewrite !Rinv_r by lra. apply Rmax_left. lra. }
      assert (O : 1 <= sum (K * V) r).
      { rewrite <- R1. apply (sum_term (K * V) r); [|now apply pair_less]. intros k _. unfold r.
        destruct (Nat.eqb (k / V) l); [|apply Ratio]. eapply Rle_trans; [apply Ratio | apply Rmax_l]. }
      rewrite Total in O |- *. field. split; lra.
    + intros k _. unfold r. destruct (Nat.eqb (k / V) l); [|apply Ratio]. eapply Rle_trans; [apply Ratio | apply Rmax_l].
    + unfold r. rewrite M, D, Nat.eqb_refl. unfold Rdiv. rewrite !Rinv_r by lra. apply Rmax_left. lra.
    + intros w [HP HQ] Pos k KL. pose proof (proj1 (ending_is w j l J L P) HP Pos k KL) as A. unfold r.
      destruct (Nat.eqb_spec (k / V) l) as [S|]; [|exact A].
      assert (B : q (k mod V) / q j * E w (l * V + j)%nat <= E w k).
      { pose proof (proj1 (winner_is V q (fun x => E w (l * V + x)%nat) j (proj1 draft_law) J Q) HQ) as B.
        cbv beta in B. specialize (B (fun i I => Pos _ (pair_less V K l i I L)) (k mod V)%nat
          (Nat.mod_upper_bound k V ltac:(pose proof V_some; lia))). rewrite <- S in B at 2. now rewrite <- pair_of in B by apply V_some. }
      unfold Rmax. destruct (Rle_dec (p (k mod V) / p j) (q (k mod V) / q j)); easy.
    + intros w Pos H. split.
      * apply (ending_is w j l J L P). intros k KL N. specialize (H k KL N). eapply Rle_lt_trans; [|exact H].
        apply Rmult_le_compat_r; [lra|]. unfold r. destruct (Nat.eqb (k / V) l); [apply Rmax_l | lra].
      * apply (winner_is V q (fun x => E w (l * V + x)%nat) j (proj1 draft_law) J Q). intros i I N.
        specialize (H (l * V + i)%nat (pair_less V K l i I L) ltac:(lia)). destruct (of_pair V l i I) as [A B].
        eapply Rle_lt_trans; [|exact H]. apply Rmult_le_compat_r; [lra|]. unfold r. rewrite A, B, Nat.eqb_refl. apply Rmax_r.
  - unfold Rdiv. rewrite Rmult_0_l. apply (impossible Outcome probability measure). intros w [_ H].
    assert (0 < q (drafted l w)) by (apply winner_has_mass; easy). rewrite H in *. lra.
  - unfold Rdiv. rewrite Rmult_0_l. apply (impossible Outcome probability measure). intros w [H _].
    pose proof (proj2 (ending_place w)) as A. unfold token in A. rewrite H, M in A. lra.
Qed.

(** The target's race ends in each stream alike, with the target's law. *)
Lemma ending_law j l : (j < V)%nat -> (l < K)%nat -> probability (fun w => ending w = (l * V + j)%nat) = p j / INR K.
Proof.
  intros J L. pose proof K_one as K1. destruct (of_pair V l j J) as [M D]. destruct (law_nonneg V p j target_law J) as [P|Z].
  - rewrite (race_probability Outcome probability measure (K * V) E noise _ (fun k => p (k mod V) / p j) (l * V + j)%nat
      (pair_less V K l j J L)).
    + rewrite sum_pairs. rewrite (sum_ext K _ (fun _ => / p j)).
      * rewrite sum_constant. field. lra.
      * intros l' _. rewrite (sum_ext V _ (fun i => p i * / p j)).
        -- rewrite sum_scale_right. destruct target_law as [_ ->]. ring.
        -- intros i I. now destruct (of_pair V l' i I) as [-> _].
    + intros k _. apply Rmult_le_pos; [apply weight_nonneg | left; now apply Rinv_0_lt_compat].
    + rewrite M. apply Rinv_r. lra.
    + intros w H Pos. now apply (ending_is w j l J L P).
    + intros w _ H. now apply (ending_is w j l J L P).
  - rewrite <- Z. unfold Rdiv. rewrite Rmult_0_l. apply (impossible Outcome probability measure). intros w H.
    pose proof (proj2 (ending_place w)) as A. unfold token in A. rewrite H, M in A. lra.
Qed.

Lemma place_of w j : (j < V)%nat -> (token w = j <-> exists l, (l < K)%nat /\ ending w = (l * V + j)%nat).
Proof.
  intros J. split.
  - intros <-. exists (stream w). split.
    + unfold stream. apply Nat.div_lt_upper_bound; [pose proof V_some; lia|]. rewrite Nat.mul_comm. apply ending_place.
    + apply pair_of, V_some.
  - intros [l [_ H]]. unfold token. rewrite H. now apply of_pair.
Qed.

Lemma stream_of w l j : (j < V)%nat -> ending w = (l * V + j)%nat -> stream w = l.
Proof. intros J H. unfold stream. rewrite H. now apply of_pair. Qed.

(** The target's token has the target's law. *)
Lemma token_law : has_law Outcome probability V token p.
Proof.
  intros j J. pose proof K_one as K1. rewrite (same_event Outcome probability measure _ _ (fun w => place_of w j J)).
  rewrite (one_of_several Outcome probability measure).
  - rewrite (sum_ext K _ (fun _ => p j / INR K)) by (intros l L; now apply ending_law). rewrite sum_constant. field. lra.
  - intros l l' w _ _ A B. rewrite A in B. pose proof V_some. nia.
Qed.

Lemma own_stream j : (j < V)%nat -> probability (fun w => token w = j /\ drafted (stream w) w = j) = matching j.
Proof.
  intros J. pose proof K_one as K1.
  rewrite (same_event Outcome probability measure _ (fun w => exists l, (l < K)%nat /\ (ending w = (l * V + j)%nat /\ drafted l w = j))).
  - rewrite (one_of_several Outcome probability measure).
    + rewrite (sum_ext K _ (fun _ => matching j / INR K)) by (intros l L; now apply stream_matches). rewrite sum_constant. field. lra.
    + intros l l' w _ _ [A _] [B _]. rewrite A in B. pose proof V_some. nia.
  - intros w. rewrite (place_of w j J). split.
    + intros [[l [L H]] D]. exists l. rewrite (stream_of w l j J H) in D. auto.
    + intros [l [L [H D]]]. rewrite (stream_of w l j J H). split; [now exists l | exact D].
Qed.

Lemma own_stream_all : probability (fun w => drafted (stream w) w = token w) = sum V matching.
Proof.
  rewrite (same_event Outcome probability measure _ (fun w => exists j, (j < V)%nat /\ (token w = j /\ drafted (stream w) w = j))).
  - rewrite (one_of_several Outcome probability measure) by (intros i k w _ _ [A _] [B _]; congruence). apply sum_ext.
    intros j J. now apply own_stream.
  - intros w. split.
    + intros H. exists (token w). repeat split; [|exact H]. apply Nat.mod_upper_bound. pose proof V_some. lia.
    + intros [j [_ [A B]]]. congruence.
Qed.

Lemma stream_less w : (stream w < K)%nat.
Proof.
  unfold stream. apply Nat.div_lt_upper_bound; [pose proof V_some; lia|]. rewrite Nat.mul_comm. apply ending_place.
Qed.

Lemma matching_shorter j : (j < V)%nat -> matching j = shorter j.
Proof.
  intros J. pose proof K_one as K1. unfold matching, shorter. pose proof (law_nonneg V p j target_law J) as N.
  destruct (Rlt_dec 0 (p j)) as [P|P]; destruct (Rlt_dec 0 (q j)) as [Q|Q]; try easy.
  - assert (LN : 0 <= lacks j) by (apply sum_nonneg; intros; apply Rmax_l).
    replace (sum V (fun i => Rmax (p i / p j) (q i / q j) + (INR K - 1) * (p i / p j))) with ((INR K + lacks j) / p j); [field; lra|].
    rewrite (sum_ext V _ (fun i => INR K * / p j * p i + / p j * Rmax 0 (q i * p j / q j - p i))).
    + rewrite sum_plus, !sum_scale. fold (lacks j). destruct target_law as [_ ->]. field. lra.
    + intros i I. assert (IP : 0 < / p j) by now apply Rinv_0_lt_compat.
      assert (X : Rmax (p i / p j) (q i / q j) = / p j * p i + / p j * Rmax 0 (q i * p j / q j - p i)).
      { replace (q i / q j) with (/ p j * (q i * p j / q j)) by (field; lra). replace (p i / p j) with (/ p j * p i) by (field; lra).
        rewrite RmaxRmult by lra. rewrite <- Rmult_plus_distr_l. f_equal. unfold Rmax.
        destruct (Rle_dec (p i) (q i * p j / q j)), (Rle_dec 0 (q i * p j / q j - p i)); lra. }
      rewrite X. unfold Rdiv. ring.
  - replace (p j) with 0 by lra. unfold Rdiv. ring.
Qed.

(** The target's token is among the K drafts at least with probability Σⱼ K/Σᵢ [max(pᵢ/pⱼ, qᵢ/qⱼ) + (K - 1) pᵢ/pⱼ]. *)
Theorem coupling_list_lemma : sum V matching <= probability (fun w => exists l, (l < K)%nat /\ drafted l w = token w).
Proof.
  rewrite <- own_stream_all. destruct measure as [_ [M _]]. apply M. intros w H. exists (stream w).
  split; [apply stream_less | exact H].
Qed.

(** The right side of the lemma is the probability that the stream in which the target's token won drafts it, and is
    Σⱼ pⱼ K/(K + Lⱼ) with Lⱼ = Σᵢ (qᵢ pⱼ/qⱼ - pᵢ)₊; for one draft it is the probability that draft and target agree. *)
Theorem coupling_list_exact_corrected :
  probability (fun w => drafted (stream w) w = token w) = sum V matching /\ sum V matching = sum V shorter /\
  (K = 1%nat -> probability (fun w => drafted 0 w = token w) = sum V matching).
Proof.
  split; [exact own_stream_all|]. split; [apply sum_ext; intros; now apply matching_shorter|].
  intros One. rewrite <- own_stream_all. apply (same_event Outcome probability measure). intros w.
  pose proof (stream_less w). now replace (stream w) with 0%nat by lia.
Qed.

Lemma lacks_most j : (j < V)%nat -> 0 < q j -> lacks j <= p j * (1 - q j) / q j.
Proof.
  intros J Q. unfold lacks. pose proof (law_nonneg V p j target_law J) as PN.
  assert (IQ : 0 < / q j) by now apply Rinv_0_lt_compat.
  apply (Rle_trans _ (sum V (fun i => q i * (p j / q j) - (if Nat.eqb i j then q i * (p j / q j) else 0)))).
  - apply sum_le. intros i I. pose proof (law_nonneg V p i target_law I). pose proof (law_nonneg V q i draft_law I).
    assert (0 <= q i * (p j / q j)) by (apply Rmult_le_pos; [easy | apply Rmult_le_pos; lra]).
    replace (q i * p j / q j) with (q i * (p j / q j)) by (unfold Rdiv; ring).
    destruct (Nat.eqb_spec i j) as [->|]; apply Rmax_lub; try lra. replace (q j * (p j / q j)) with (p j) by (field; lra). lra.
  - rewrite sum_minus, sum_scale_right, (sum_point V (fun i => q i * (p j / q j)) j J). destruct draft_law as [_ ->].
    right. field. lra.
Qed.

Lemma matched_least j : (j < V)%nat -> matching j <= probability (fun w => token w = j /\ exists l, (l < K)%nat /\ drafted l w = j).
Proof.
  intros J. rewrite <- (own_stream j J). destruct measure as [_ [M _]]. apply M. intros w [A B]. split; [exact A|].
  exists (stream w). split; [apply stream_less | exact B].
Qed.

Lemma given_token j m bound : (j < V)%nat -> 0 < p j -> bound * p j <= m -> bound <= m / probability (fun w => token w = j).
Proof.
  intros J P H. rewrite (token_law j J). apply (Rmult_le_reg_r (p j)); [easy|]. replace (m / p j * p j) with m by (field; lra). easy.
Qed.

(** The target's token is j with probability pⱼ, and given that it is, one of the K drafts is j with probability
    1/(1 + pⱼ (1 - qⱼ)/(K qⱼ)) at least; where the draft has no j that is none. *)
Theorem coupling_list_conditional_sharp j : (j < V)%nat -> 0 < p j ->
  probability (fun w => token w = j) = p j /\
  (if Rlt_dec 0 (q j) then 1 / (1 + p j * (1 - q j) / (INR K * q j)) else 0)
    <= probability (fun w => token w = j /\ exists l, (l < K)%nat /\ drafted l w = j) / probability (fun w => token w = j).
Proof.
  intros J P. pose proof K_one as K1. split; [now apply token_law|]. apply given_token; try easy.
  eapply Rle_trans; [|now apply matched_least]. rewrite matching_shorter by easy. unfold shorter.
  destruct (Rlt_dec 0 (q j)) as [Q|_]; [|lra]. pose proof (lacks_most j J Q) as L.
  assert (LN : 0 <= lacks j) by (apply sum_nonneg; intros; apply Rmax_l). set (most := p j * (1 - q j) / q j) in *.
  replace (1 / (1 + p j * (1 - q j) / (INR K * q j)) * p j) with (p j * INR K * / (INR K + most)).
  - unfold Rdiv. apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|]. apply Rinv_le_contravar; lra.
  - unfold most. pose proof (law_le_1 V q j draft_law J). assert (0 <= p j * (1 - q j)) by (apply Rmult_le_pos; lra).
    assert (0 < INR K * q j) by (apply Rmult_lt_0_compat; lra). field. repeat split; try lra; nra.
Qed.

(** Given that the target's token is j, one of the K drafts is j with probability 1/(1 + pⱼ/(K qⱼ)) at least; where the draft has
    no j that is none. *)
Theorem coupling_list_conditional j : (j < V)%nat -> 0 < p j ->
  (if Rlt_dec 0 (q j) then 1 / (1 + p j / (INR K * q j)) else 0)
    <= probability (fun w => token w = j /\ exists l, (l < K)%nat /\ drafted l w = j) / probability (fun w => token w = j).
Proof.
  intros J P. pose proof K_one as K1. destruct (coupling_list_conditional_sharp j J P) as [_ Sharp].
  eapply Rle_trans; [|exact Sharp]. destruct (Rlt_dec 0 (q j)) as [Q|_]; [|lra].
  pose proof (law_le_1 V q j draft_law J). assert (D : 0 < INR K * q j) by (apply Rmult_lt_0_compat; lra).
  assert (I : 0 < / (INR K * q j)) by now apply Rinv_0_lt_compat. unfold Rdiv. rewrite !Rmult_1_l.
  assert (A : 0 <= p j * (1 - q j) * / (INR K * q j)) by (repeat apply Rmult_le_pos; lra).
  assert (B : p j * (1 - q j) * / (INR K * q j) <= p j * / (INR K * q j)) by (apply Rmult_le_compat_r; [lra | nra]).
  apply Rinv_le_contravar; lra.
Qed.

Lemma matching_least j : (j < V)%nat -> Rmin (p j) (INR K * q j) <= 2 * matching j.
Proof.
  intros J. pose proof K_one as K1. rewrite matching_shorter by easy. unfold shorter.
  pose proof (law_nonneg V p j target_law J) as PN. pose proof (law_nonneg V q j draft_law J) as QN.
  destruct (Rlt_dec 0 (q j)) as [Q|Q].
  - pose proof (lacks_most j J Q) as L. assert (LN : 0 <= lacks j) by (apply sum_nonneg; intros; apply Rmax_l).
    pose proof (law_le_1 V q j draft_law J) as Q1.
    assert (B : q j * lacks j <= p j).
    { apply (Rmult_le_compat_l (q j)) in L; [|lra]. replace (q j * (p j * (1 - q j) / q j)) with (p j * (1 - q j)) in L by (field; lra).
      nra. }
    apply (Rmult_le_reg_r (INR K + lacks j)); [lra|].
    replace (2 * (p j * INR K / (INR K + lacks j)) * (INR K + lacks j)) with (2 * p j * INR K) by (field; lra).
    rewrite Rmult_plus_distr_l.
    assert (Rmin (p j) (INR K * q j) * INR K <= p j * INR K) by (apply Rmult_le_compat_r; [lra | apply Rmin_l]).
    assert (Rmin (p j) (INR K * q j) * lacks j <= INR K * q j * lacks j) by (apply Rmult_le_compat_r; [lra | apply Rmin_r]).
    assert (INR K * (q j * lacks j) <= INR K * p j) by (apply Rmult_le_compat_l; lra). lra.
  - replace (q j) with 0 by lra. rewrite Rmult_0_r, Rmin_right; lra.
Qed.

End Lists.

(** Recursive rejection of independent drafts leaves of the target what is above as many times the draft's law. *)
Lemma refused_least V q : law V q -> forall k before r, law V r ->
  sum V (fun x => Rmax 0 (r x - INR k * q x))
    <= expect (several V (alike q) always k before) (fun xs => expect (tested V (alike q) xs before r) (fun o => if snd o then 0 else 1)).
Proof.
  intros Q. induction k as [|k IH]; intros before r P.
  - cbn [several]. rewrite expect_ret, tested_last. right. apply sum_ext. intros x L. simpl. pose proof (law_nonneg V r x P L).
    rewrite Rmax_right; lra.
  - rewrite (several_next V (alike q) always) by easy. unfold alike at 1.
    set (e := sum V (excess r q)). assert (N : 0 <= e) by (apply sum_nonneg; intros; apply Rmax_l).
    rewrite (sum_ext V (fun x => q x * _) (fun x => (q x - Rmin (r x) (q x)) * (if Rlt_dec 0 e then
      expect (several V (alike q) always k (x :: before)) (fun xs => expect (tested V (alike q) xs (x :: before) (residual V r q))
        (fun o => if snd o then 0 else 1)) else 0))).
    2: { intros x L. destruct (law_nonneg V q x Q L) as [D|D].
         - rewrite (expect_ext _ _ (fun xs => Rmin 1 (r x / q x) * 0 + (1 - Rmin 1 (r x / q x)) *
             expect (tested V (alike q) xs (x :: before) (residual V r q)) (fun o => if snd o then 0 else 1)))
             by (intros; apply (tested_next V (alike q))).
           rewrite (expect_second (several V (alike q) always k (x :: before))) by now apply several_sure.
           rewrite <- (keep_mass (r x) (q x)) by (try (now apply (law_nonneg V)); lra).
           destruct (Rlt_dec 0 e) as [Pos|Zero]; [ring|].
           rewrite (kept_without_excess V r q x P Q L D) by (unfold e in *; lra). ring.
         - rewrite (Rmin_right (r x) (q x)) by (rewrite <- D; now apply (law_nonneg V)). rewrite <- D. ring. }
    destruct (Rlt_dec 0 e) as [Pos|Zero].
    + apply (Rle_trans _ (sum V (fun x => (q x - Rmin (r x) (q x)) * sum V (fun y => Rmax 0 (residual V r q y - INR k * q y))))).
      * rewrite sum_scale_right, sum_minus. destruct Q as [QN One]. rewrite One.
        change (sum V (fun x => Rmin (r x) (q x))) with (overlap V r q).
        rewrite (refused_is_excess V r q P (conj QN One)). fold e. rewrite <- sum_scale. apply sum_le. intros y L.
        assert (e1 : e <= 1).
        { unfold e. rewrite <- (refused_is_excess V r q P (conj QN One)). assert (0 <= overlap V r q); [|lra].
          apply sum_nonneg. intros z Z. apply Rmin_glb; [now apply (law_nonneg V) | now apply QN]. }
        pose proof (QN y L). pose proof (pos_INR k). assert (KQ : 0 <= INR k * q y) by now apply Rmult_le_pos.
        pose proof (Rmax_l 0 (residual V r q y - INR k * q y)) as M0. pose proof (Rmax_r 0 (residual V r q y - INR k * q y)) as M1.
        apply Rmax_lub; [now apply Rmult_le_pos; lra|]. rewrite S_INR.
        apply (Rle_trans _ (e * (residual V r q y - INR k * q y))); [|apply Rmult_le_compat_l; lra].
        unfold residual. fold e. replace (e * (excess r q y / e - INR k * q y)) with (excess r q y - e * (INR k * q y)) by (field; lra).
        assert (e * (INR k * q y) <= 1 * (INR k * q y)) by (apply Rmult_le_compat_r; lra).
        pose proof (Rmax_r 0 (r y - q y)). unfold excess. lra.
      * apply sum_le. intros x L. apply Rmult_le_compat_l; [pose proof (Rmin_r (r x) (q x)); lra|]. now apply IH, residual_law.
    + rewrite (sum_ext V (fun x => (q x - _) * 0) (fun _ => 0)), sum_zero by (intros; ring). right.
      rewrite (sum_ext V _ (fun _ => 0)), sum_zero; [easy|]. intros x L.
      assert (Z : excess r q x = 0) by (apply (sum_zero_terms V (excess r q)); [intros; apply Rmax_l | unfold e in *; lra | easy]).
      unfold excess in Z. pose proof (Rmax_r 0 (r x - q x)). pose proof (law_nonneg V q x Q L). pose proof (pos_INR k).
      rewrite S_INR. assert (0 <= INR k * q x) by now apply Rmult_le_pos. rewrite Rmax_left; lra.
Qed.

(** The list coupling of K drafts matches at least half as often as recursive rejection of K drafts accepts: twice its probability is
    at least Σ min(p, K q), which is at least that acceptance. *)
Theorem coupling_list_over_rrs_corrected Outcome probability K V E p q : is_probability Outcome probability ->
  independent_exponentials Outcome probability (K * V) E -> law V p -> law V q -> (0 < K)%nat ->
  sum V (fun x => Rmin (p x) (INR K * q x))
    <= 2 * probability (fun w => exists l, (l < K)%nat /\ drafted Outcome V E q l w = token Outcome K V E p w) /\
  accepts (recursive V (alike q) always p K) <= sum V (fun x => Rmin (p x) (INR K * q x)).
Proof.
  intros M N P Q K0. split.
  - eapply Rle_trans; [|apply Rmult_le_compat_l; [lra | now apply (coupling_list_lemma Outcome probability M K V E N p q)]].
    rewrite <- sum_scale. apply sum_le. intros j J. now apply (matching_least K V p q P Q K0).
  - unfold accepts, chance. rewrite (expect_ext _ _ (fun o : nat * bool => 1 + -1 * (if snd o then 0 else 1)))
      by (intros [y [|]]; unfold indicator; simpl; ring).
    rewrite expect_plus, (recursive_sure V p q P Q), expect_scale. unfold recursive. rewrite expect_bind.
    pose proof (refused_least V q Q K [] p P) as R.
    assert (S : sum V (fun x => Rmin (p x) (INR K * q x)) = 1 - sum V (fun x => Rmax 0 (p x - INR K * q x))); [|lra].
    destruct P as [_ <-]. rewrite <- sum_minus. apply sum_ext. intros x _. unfold Rmin, Rmax.
    destruct (Rle_dec (p x) (INR K * q x)), (Rle_dec 0 (p x - INR K * q x)); lra.
Qed.

(** The right side of the list matching lemma does not fall with the number of drafts. *)
Theorem coupling_list_monotone V p q K K' : law V p -> law V q -> (0 < K)%nat -> (K <= K')%nat ->
  sum V (matching K V p q) <= sum V (matching K' V p q).
Proof.
  intros P Q K0 L. assert (K1 : 1 <= INR K) by (now apply (le_INR 1)). assert (L' : INR K <= INR K') by now apply le_INR.
  apply sum_le. intros j J. rewrite !matching_shorter by (easy || lia). unfold shorter. destruct (Rlt_dec 0 (q j)) as [D|]; [|lra].
  pose proof (law_nonneg V p j P J) as N. assert (LN : 0 <= lacks V p q j) by (apply sum_nonneg; intros; apply Rmax_l).
  set (l := lacks V p q j) in *. unfold Rdiv. rewrite !Rmult_assoc. apply Rmult_le_compat_l; [easy|].
  apply (Rmult_le_reg_r ((INR K + l) * (INR K' + l))); [apply Rmult_lt_0_compat; lra|].
  replace (INR K * / (INR K + l) * ((INR K + l) * (INR K' + l))) with (INR K * (INR K' + l)) by (field; lra).
  replace (INR K' * / (INR K' + l) * ((INR K + l) * (INR K' + l))) with (INR K' * (INR K + l)) by (field; lra).
  assert (INR K * l <= INR K' * l) by (apply Rmult_le_compat_r; lra). lra.
Qed.

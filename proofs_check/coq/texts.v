(** Names on texts: a number for each text over V tokens, and what a name is there by what it was one token before. *)
From Simspec Require Export defined.

(** ** Definitions *)

(** Texts are numbered by length, then by tokens: the empty one is 1, and what a text becomes with one token more is its child. *)
Definition child_of (V c x : Z) : Z := ((Z.max 1 c - 1) * V + Z.min V (Z.max 1 x) + 1)%Z.
Definition parent (V n : Z) : Z := ((n - 2) / V + 1)%Z.
Definition last_token (V n : Z) : Z := ((n - 2) mod V + 1)%Z.
Fixpoint along (V : Z) (first : R) (step : Z -> Z -> R -> R) (length : nat) (n : Z) : R :=
  match length with
  | O => first
  | S shorter =>
      if Z_le_dec n 1 then first else step (parent V n) (last_token V n) (along V first step shorter (parent V n))
  end.
(** What is `first` at the empty text, and at each other one a `step` from what it is without the last token. *)
Definition on_texts (V : Z) (first : R) (step : Z -> Z -> R -> R) (n : Z) : R := along V first step (Z.to_nat n) n.

(** ** What they meet *)

Lemma child_of_range V c x : (1 <= V)%Z -> (1 <= child_of V c x)%Z.
Proof. intro H. unfold child_of. assert (0 <= (Z.max 1 c - 1) * V)%Z by (apply Z.mul_nonneg_nonneg; lia). lia. Qed.

Lemma parent_child V c x : (1 <= c)%Z -> (1 <= x <= V)%Z -> parent V (child_of V c x) = c /\ last_token V (child_of V c x) = x.
Proof.
  intros C X. unfold parent, last_token, child_of. rewrite (Z.max_r 1 c), (Z.max_r 1 x), (Z.min_r V x) by lia.
  replace ((c - 1) * V + x + 1 - 2)%Z with ((x - 1) + (c - 1) * V)%Z by ring.
  rewrite Z.div_add, Z.mod_add, Z.div_small, Z.mod_small by lia. lia.
Qed.

Lemma parent_less V n : (1 <= V)%Z -> (2 <= n)%Z -> (1 <= parent V n < n)%Z.
Proof.
  intros H N. unfold parent. assert (0 <= (n - 2) / V)%Z by (apply Z.div_pos; lia).
  assert ((n - 2) / V <= n - 2)%Z by (apply Z.div_le_upper_bound; nia). lia.
Qed.

Lemma along_longer V first step : (1 <= V)%Z -> forall k m n, (n <= Z.of_nat k)%Z -> (n <= Z.of_nat m)%Z ->
  along V first step k n = along V first step m n.
Proof.
  intros H k. induction k as [|k IH]; intros m n K M.
  - destruct m; [reflexivity|]. simpl. destruct (Z_le_dec n 1); [reflexivity | lia].
  - destruct m as [|m]; simpl; destruct (Z_le_dec n 1); try reflexivity; [lia|].
    rewrite (IH m); [reflexivity | |]; pose proof (parent_less V n H); lia.
Qed.

Lemma on_texts_first V first step : on_texts V first step 1 = first.
Proof. reflexivity. Qed.

Lemma on_texts_step V first step n : (1 <= V)%Z -> (2 <= n)%Z ->
  on_texts V first step n = step (parent V n) (last_token V n) (on_texts V first step (parent V n)).
Proof.
  intros H N. unfold on_texts at 1. destruct (Z.to_nat n) eqn:E; [lia|]. simpl. destruct (Z_le_dec n 1); [lia|].
  f_equal. apply along_longer; [exact H | |]; pose proof (parent_less V n H N); lia.
Qed.

Lemma on_texts_child V first step c x : (1 <= c)%Z -> (1 <= x <= V)%Z ->
  on_texts V first step (child_of V c x) = step c x (on_texts V first step c).
Proof.
  intros C X. pose proof (parent_child V c x C X) as [P L]. rewrite on_texts_step; [rewrite P, L; reflexivity | lia |].
  unfold child_of. assert (0 <= (Z.max 1 c - 1) * V)%Z by (apply Z.mul_nonneg_nonneg; lia). lia.
Qed.

Lemma on_texts_all (P : R -> Prop) V first step : (1 <= V)%Z -> P first ->
  (forall c x v, (1 <= c)%Z -> (1 <= x <= V)%Z -> P v -> P (step c x v)) -> forall n, P (on_texts V first step n).
Proof.
  intros H F S n. unfold on_texts. generalize (Z.to_nat n) at 1. intro k. revert n.
  induction k as [|k IH]; intro n; simpl; [exact F|]. destruct (Z_le_dec n 1); [exact F|].
  apply S; [| | apply IH].
  - pose proof (parent_less V n H). lia.
  - unfold last_token. pose proof (Z.mod_pos_bound (n - 2) V). lia.
Qed.
Lemma on_texts_nonneg V first step : (1 <= V)%Z -> 0 <= first ->
  (forall c x v, (1 <= c)%Z -> (1 <= x <= V)%Z -> 0 <= v -> 0 <= step c x v) -> forall n, 0 <= on_texts V first step n.
Proof. exact (on_texts_all (fun v => 0 <= v) V first step). Qed.
Lemma on_texts_between V first step : (1 <= V)%Z -> 0 <= first <= 1 ->
  (forall c x v, (1 <= c)%Z -> (1 <= x <= V)%Z -> 0 <= v <= 1 -> 0 <= step c x v <= 1) ->
  forall n, 0 <= on_texts V first step n <= 1.
Proof. exact (on_texts_all (fun v => 0 <= v <= 1) V first step). Qed.

(** ** Tactics *)

(** What is known of a name on texts: that it is between 0 and 1, or not negative; and of sums, that they are not negative. *)
Ltac text_ranges := repeat match goal with
  | |- context [on_texts ?V ?f ?s ?n] => let X := fresh "at_text" in
      first
        [ assert (0 <= on_texts V f s n <= 1) by (apply on_texts_between; [lia | lra | intros; cbv beta; split; [not_negative | meets_inequality]])
        | assert (0 <= on_texts V f s n) by (apply on_texts_nonneg; [lia | lra | intros; cbv beta; not_negative])
        | idtac ];
      set (X := on_texts V f s n) in *; clearbody X
  end.
Ltac sum_signs := repeat match goal with
  | |- context [Sum ?lo ?hi ?f] => lazymatch goal with
      | _ : 0 <= Sum lo hi f |- _ => fail
      | _ => assert (0 <= Sum lo hi f) by (apply Sum_nonneg; intros; cbv beta; not_negative)
      end
  end.
Ltac meets_text :=
  repeat match goal with |- context [on_texts ?V ?f ?s (child_of ?V ?c ?x)] => rewrite (on_texts_child V f s c x) by lia; cbv beta end;
  first [ exact (on_texts_first _ _ _)
  | text_ranges; first [lra | solve [meets]
    | sum_signs; first [lra | not_negative
      | match goal with |- context [over ?n ?d ?other] => unfold over; let E := fresh "E" in destruct (Req_EM_T d 0) as [E | E];
          [first [lra | nra] | solve [lra | field; other_than_0]] end
      | match goal with |- over _ _ _ <= 1 => apply over_le_1; lra end ] ] ].

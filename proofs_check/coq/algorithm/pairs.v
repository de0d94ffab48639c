(** TASC-ft's enrichment with n-grams of two tokens, and byte-pair encoding: pairs counted by their places and by runs. *)

Require Import Arith Lia List Bool.
Import ListNotations.

(** A text is a list of ids, a corpus a list of texts; a pair of ids. *)
Definition pair : Type := (nat * nat)%type.
Definition same_pair (g h : pair) : bool := Nat.eqb (fst g) (fst h) && Nat.eqb (snd g) (snd h).

(** * Algorithm 1 of TASC *)

(** All places at which a pair stands. *)
Fixpoint places (g : pair) (text : list nat) : nat :=
  match text with
  | x :: ((y :: _) as more) => (if same_pair (x, y) g then 1 else 0) + places g more
  | _ => 0
  end.

(** Those that a pass from the left merges, no two of which overlap: the tokens that merging saves. *)
Fixpoint saved (g : pair) (text : list nat) : nat :=
  match text with
  | x :: ((y :: more) as rest) => if same_pair (x, y) g then S (saved g more) else saved g rest
  | _ => 0
  end.

(** The pass: each occurrence becomes a new token. *)
Fixpoint merged (g : pair) (new : nat) (text : list nat) : list nat :=
  match text with
  | x :: ((y :: more) as rest) => if same_pair (x, y) g then new :: merged g new more else x :: merged g new rest
  | _ => text
  end.

Definition in_corpus (count : pair -> list nat -> nat) (corpus : list (list nat)) (g : pair) : nat :=
  list_sum (map (count g) corpus).

(** Pairs of ids below n, in their order. *)
Definition pairs (n : nat) : list pair := list_prod (seq 0 n) (seq 0 n).

(** Merge reward of an n-gram of two tokens, freq (n - 1). *)
Definition reward (freq : pair -> nat) (g : pair) : nat := freq g * (2 - 1).

(** Of the pairs that occur the one of the largest reward; of equal rewards the first. *)
Fixpoint best (worth : pair -> nat) (all : list pair) : option pair :=
  match all with
  | [] => None
  | g :: more =>
      match best worth more with
      | Some h => if Nat.leb (worth h) (worth g) then Some g else Some h
      | None => if Nat.ltb 0 (worth g) then Some g else None
      end
  end.

(** Up to so many new tokens, the ids of which begin at vocab, by a frequency; no collision limit sets any pair aside. *)
Fixpoint enriched (freq : list (list nat) -> pair -> nat) (budget vocab : nat) (corpus : list (list nat)) : list pair :=
  match budget with
  | O => []
  | S less =>
      match best (reward (freq corpus)) (pairs vocab) with
      | Some g => g :: enriched freq less (S vocab) (map (merged g vocab) corpus)
      | None => []
      end
  end.

(** * Byte-pair encoding *)

(** Runs of equal tokens, each with its length. *)
Fixpoint runs (text : list nat) : list (nat * nat) :=
  match text with
  | [] => []
  | x :: more =>
      match runs more with
      | (y, n) :: rest => if Nat.eqb x y then (x, S n) :: rest else (x, 1) :: (y, n) :: rest
      | [] => [(x, 1)]
      end
  end.

(** Two different tokens make a pair where their runs follow each other; a run of n equal tokens is worth so many pairs. *)
Fixpoint neighbours (g : pair) (rs : list (nat * nat)) : nat :=
  match rs with
  | (x, _) :: (((y, _) :: _) as more) => (if same_pair (x, y) g then 1 else 0) + neighbours g more
  | _ => 0
  end.
Definition within (worth : nat -> nat) (g : pair) (rs : list (nat * nat)) : nat :=
  list_sum (map (fun r => if same_pair (fst r, fst r) g then worth (snd r) else 0) rs).
Definition by_runs (worth : nat -> nat) (g : pair) (text : list nat) : nat := neighbours g (runs text) + within worth g (runs text).

(** The largest count, and the first pair that has it. *)
Definition most_frequent (count : pair -> nat) (all : list pair) : option pair :=
  let most := list_max (map count all) in
  if Nat.eqb most 0 then None else find (fun g => Nat.eqb (count g) most) all.

Fixpoint byte_pairs (worth : nat -> nat) (merges vocab : nat) (corpus : list (list nat)) : list pair :=
  match merges with
  | O => []
  | S less =>
      match most_frequent (in_corpus (by_runs worth) corpus) (pairs vocab) with
      | Some g => g :: byte_pairs worth less (S vocab) (map (merged g vocab) corpus)
      | None => []
      end
  end.

(** * They are the same *)

Lemma first_run text : match runs text with
  | (y, n) :: _ => exists more, text = y :: more /\ (0 < n)
  | [] => text = []
  end.
Proof.
  induction text as [|x text IH]; [easy|]. simpl. destruct (runs text) as [|[y n] rest].
  - now exists text; split; [|lia].
  - destruct (Nat.eqb x y); exists text; split; (easy || lia).
Qed.

Lemma within_cons worth g x n rs : within worth g ((x, n) :: rs) = (if same_pair (x, x) g then worth n else 0) + within worth g rs.
Proof. easy. Qed.

Lemma same_pair_eq g h : same_pair g h = true <-> g = h.
Proof.
  unfold same_pair. destruct g as [a b], h as [c d]. simpl. rewrite andb_true_iff, !Nat.eqb_eq.
  split; [intros [-> ->]; easy | intros E; now inversion E].
Qed.

(** Counted place by place or run by run there are as many. *)
Lemma places_by_runs g text : places g text = by_runs (fun n => n - 1) g text.
Proof.
  unfold by_runs. induction text as [|x text IH]; [easy|].
  destruct text as [|y text].
  - simpl. unfold within. simpl. now destruct (same_pair (x, x) g).
  - change (places g (x :: y :: text)) with ((if same_pair (x, y) g then 1 else 0) + places g (y :: text)). rewrite IH.
    pose proof (first_run (y :: text)) as F. change (runs (x :: y :: text)) with (match runs (y :: text) with
      | (z, n) :: rest => if Nat.eqb x z then (x, S n) :: rest else (x, 1) :: (z, n) :: rest | [] => [(x, 1)] end).
    destruct (runs (y :: text)) as [|[z n] rest]; [easy|]. destruct F as [more [E P]]. inversion E; subst z. clear E IH.
    destruct (Nat.eqb_spec x y) as [->|N].
    + rewrite !within_cons. assert (H : neighbours g ((y, S n) :: rest) = neighbours g ((y, n) :: rest)) by now destruct rest.
      rewrite H. destruct (same_pair (y, y) g); lia.
    + change (neighbours g ((x, 1) :: (y, n) :: rest)) with ((if same_pair (x, y) g then 1 else 0) + neighbours g ((y, n) :: rest)).
      rewrite !within_cons. destruct (same_pair (x, x) g); lia.
Qed.

(** Two different tokens never overlap with themselves. *)
Lemma saved_apart g : fst g <> snd g -> forall n text, (length text <= n) -> saved g text = places g text.
Proof.
  intros D. induction n as [|n IH]; intros text L; [destruct text; [easy | simpl in L; lia]|].
  destruct text as [|x [|y more]]; [easy | easy |].
  change (saved g (x :: y :: more)) with (if same_pair (x, y) g then S (saved g more) else saved g (y :: more)).
  change (places g (x :: y :: more)) with ((if same_pair (x, y) g then 1 else 0) + places g (y :: more)). simpl in L.
  destruct (same_pair (x, y) g) eqn:E; [|rewrite IH by (simpl; lia); easy].
  apply same_pair_eq in E as <-. simpl in D. rewrite IH by lia. destruct more as [|z more]; [easy|].
  change (places (x, y) (y :: z :: more)) with ((if same_pair (y, z) (x, y) then 1 else 0) + places (x, y) (z :: more)).
  destruct (same_pair (y, z) (x, y)) eqn:F; [|easy]. apply same_pair_eq in F. inversion F. now subst.
Qed.

Lemma half_next n : S (S n) / 2 = S (n / 2).
Proof. change (S (S n)) with (2 + n). replace (2 + n) with (n + 1 * 2) by lia. rewrite Nat.div_add by lia. lia. Qed.

(** A run of L equal tokens holds ⌊L/2⌋ pairs, no two of which overlap. *)
Lemma saved_run a : forall n text, (length text <= n) ->
  saved (a, a) text = within (fun n => n / 2) (a, a) (runs text).
Proof.
  induction n as [|n IH]; intros text L; [destruct text; [easy | simpl in L; lia]|].
  assert (Next : forall x rest, runs (x :: rest) = match runs rest with
      | (z, n) :: more => if Nat.eqb x z then (x, S n) :: more else (x, 1) :: (z, n) :: more | [] => [(x, 1)] end) by easy.
  assert (Alone : within (fun n => n / 2) (a, a) [(a, 1)] = 0)
    by (unfold within; cbn [map fst snd list_sum fold_right]; now destruct (same_pair (a, a) (a, a))).
  destruct text as [|x [|y more]]; [easy | |].
  { simpl. unfold within. cbn [map fst snd list_sum fold_right]. now destruct (same_pair (x, x) (a, a)). }
  simpl in L. change (saved (a, a) (x :: y :: more)) with (if same_pair (x, y) (a, a) then S (saved (a, a) more) else saved (a, a) (y :: more)).
  destruct (same_pair (x, y) (a, a)) eqn:E.
  - apply same_pair_eq in E. inversion E; subst x y. rewrite (IH more) by lia. rewrite (Next a (a :: more)), (Next a more).
    assert (T : same_pair (a, a) (a, a) = true) by now apply same_pair_eq.
    destruct (runs more) as [|[z m] rest].
    + rewrite Nat.eqb_refl, within_cons, T. easy.
    + destruct (Nat.eqb_spec a z) as [<-|N]; rewrite Nat.eqb_refl, !within_cons, ?T.
      * rewrite half_next. lia.
      * easy.
  - rewrite (IH (y :: more)) by (simpl; lia). rewrite (Next x (y :: more)). pose proof (first_run (y :: more)) as F.
    destruct (runs (y :: more)) as [|[z m] rest]; [easy|]. destruct F as [tail [Q P]]. inversion Q; subst z.
    destruct (Nat.eqb_spec x y) as [->|N]; rewrite !within_cons.
    + destruct (same_pair (y, y) (a, a)); [easy | lia].
    + destruct (same_pair (x, x) (a, a)); simpl; lia.
Qed.

Lemma runs_differ text : forall x n y m before after, runs text = before ++ (x, n) :: (y, m) :: after -> x <> y.
Proof.
  induction text as [|z text IH]; intros x n y m before after E; [now destruct before|]. simpl in E.
  destruct (runs text) as [|[t k] rest] eqn:R.
  - destruct before as [|b [|b' before]]; now inversion E.
  - destruct (Nat.eqb_spec z t) as [->|N].
    + destruct before as [|b before]; simpl in E.
      * inversion E; subst. apply (IH x k y m [] after). easy.
      * assert (T : rest = before ++ (x, n) :: (y, m) :: after) by now inversion E.
        apply (IH x n y m ((t, k) :: before) after). simpl. now rewrite T.
    + destruct before as [|b before]; simpl in E; inversion E; subst; [easy|]. apply (IH x n y m before after). easy.
Qed.

Lemma no_neighbours a rs : (forall x n y m before after, rs = before ++ (x, n) :: (y, m) :: after -> x <> y) -> neighbours (a, a) rs = 0.
Proof.
  induction rs as [|[x n] rs IH]; intros D; [easy|]. destruct rs as [|[y m] rs]; [easy|].
  change (neighbours (a, a) ((x, n) :: (y, m) :: rs)) with ((if same_pair (x, y) (a, a) then 1 else 0) + neighbours (a, a) ((y, m) :: rs)).
  rewrite IH.
  - destruct (same_pair (x, y) (a, a)) eqn:E; [|easy]. exfalso. apply same_pair_eq in E. inversion E; subst.
    now apply (D a n a m [] rs).
  - intros x' n' y' m' before after E. apply (D x' n' y' m' ((x, n) :: before) after). simpl. now rewrite E.
Qed.

Lemma nothing_within worth g rs : fst g <> snd g -> within worth g rs = 0.
Proof.
  intros D. induction rs as [|[x n] rs IH]; [easy|]. rewrite within_cons, IH. destruct (same_pair (x, x) g) eqn:E; [|easy].
  apply same_pair_eq in E as <-. easy.
Qed.

Lemma saved_by_runs g text : saved g text = by_runs (fun n => n / 2) g text.
Proof.
  unfold by_runs. destruct g as [a b]. destruct (Nat.eq_dec a b) as [<-|D].
  - rewrite (saved_run a (length text) text) by easy. rewrite no_neighbours; [easy|]. intros x n y m before after E. now apply (runs_differ text x n y m before after).
  - rewrite (saved_apart (a, b) D (length text) text) by easy. rewrite places_by_runs. unfold by_runs. now rewrite !nothing_within.
Qed.

(** The first pair of the largest reward is the first of the largest count. *)
Lemma best_spec worth all : match best worth all with
  | Some g => exists before after, all = before ++ g :: after /\ 0 < worth g /\
      (forall h, In h before -> worth h < worth g) /\ (forall h, In h after -> worth h <= worth g)
  | None => forall h, In h all -> worth h = 0
  end.
Proof.
  induction all as [|g all IH]; [easy|]. simpl. destruct (best worth all) as [k|].
  - destruct IH as [before [after [-> [P [B A]]]]]. destruct (Nat.leb_spec (worth k) (worth g)) as [L|L].
    + exists [], (before ++ k :: after). split; [easy|]. split; [lia|]. split; [easy|]. intros h I. apply in_app_iff in I as [I|[<-|I]].
      * specialize (B h I). lia.
      * easy.
      * specialize (A h I). lia.
    + exists (g :: before), after. split; [easy|]. split; [easy|]. split; [|easy]. intros h [<-|I]; auto.
  - destruct (Nat.ltb_spec 0 (worth g)) as [L|L].
    + exists [], all. split; [easy|]. split; [easy|]. split; [easy|]. intros h I. rewrite IH by easy. lia.
    + intros h [<-|I]; [lia | now apply IH].
Qed.

Lemma find_first (f : pair -> bool) before g after : (forall h, In h before -> f h = false) -> f g = true ->
  find f (before ++ g :: after) = Some g.
Proof.
  intros B G. induction before as [|h before IH]; simpl; [now rewrite G|]. rewrite B by now left. apply IH. intros k K. apply B. now right.
Qed.

Lemma best_most worth all : best worth all = most_frequent worth all.
Proof.
  pose proof (best_spec worth all) as S. unfold most_frequent. destruct (best worth all) as [g|].
  - destruct S as [before [after [E [P [B A]]]]].
    assert (M : list_max (map worth all) = worth g).
    { apply Nat.le_antisymm.
      - apply list_max_le. apply Forall_forall. intros n I. apply in_map_iff in I as [h [<- I]]. rewrite E in I.
        apply in_app_iff in I as [I|[<-|I]]; [specialize (B h I); lia | easy | now apply A].
      - assert (I : In (worth g) (map worth all)) by (apply in_map; rewrite E; apply in_app_iff; right; now left).
        pose proof (list_max_le (map worth all) (list_max (map worth all))) as [H _]. specialize (H (Nat.le_refl _)).
        rewrite Forall_forall in H. now apply H. }
    rewrite M. destruct (Nat.eqb_spec (worth g) 0); [lia|]. rewrite E. symmetry. apply find_first; [|apply Nat.eqb_refl].
    intros h I. apply Nat.eqb_neq. specialize (B h I). lia.
  - assert (M : list_max (map worth all) = 0).
    { apply Nat.le_0_r. apply list_max_le. apply Forall_forall. intros n I. apply in_map_iff in I as [h [<- I]]. rewrite S by easy. lia. }
    now rewrite M.
Qed.

Lemma best_ext f g all : (forall h, f h = g h) -> best f all = best g all.
Proof. intros E. induction all as [|h all IH]; [easy|]. simpl. rewrite IH. destruct (best g all); now rewrite !E. Qed.

Lemma same_merges freq worth : (forall corpus g, freq corpus g = in_corpus (by_runs worth) corpus g) ->
  forall budget vocab corpus, enriched freq budget vocab corpus = byte_pairs worth budget vocab corpus.
Proof.
  intros E. induction budget as [|less IH]; intros vocab corpus; [easy|]. cbn [enriched byte_pairs]. rewrite <- best_most.
  rewrite (best_ext (reward (freq corpus)) (in_corpus (by_runs worth) corpus)).
  - destruct (best _ (pairs vocab)); [|easy]. now rewrite IH.
  - intros h. unfold reward. rewrite E. lia.
Qed.

Lemma corpus_ext count other corpus g : (forall text, count g text = other g text) -> in_corpus count corpus g = in_corpus other corpus g.
Proof. intros E. unfold in_corpus. f_equal. apply map_ext. exact E. Qed.

(** With n-grams of two tokens and no collision limit, and where freq counts all occurrences, as byte-pair encoding's pair count does,
    Algorithm 1 makes the merges of byte-pair encoding, in the same order: of equal counts both take the first pair in the order of
    ids.  For every corpus, vocabulary and number of merges. *)
Theorem tasc_bpe freq : (forall corpus g, freq corpus g = in_corpus places corpus g) ->
  forall budget vocab corpus, enriched freq budget vocab corpus = byte_pairs (fun n => n - 1) budget vocab corpus.
Proof.
  intros E. apply same_merges. intros corpus g. rewrite E. apply corpus_ext. apply places_by_runs.
Qed.

(** With n-grams of two tokens, no collision limit and freq counting every occurrence, Algorithm 1 makes the merges of byte-pair
    encoding, in the same order. *)
Theorem tasc_bpe_all_occurrences budget vocab corpus :
  enriched (in_corpus places) budget vocab corpus = byte_pairs (fun n => n - 1) budget vocab corpus.
Proof. now apply tasc_bpe. Qed.

(** With n-grams of two tokens and no collision limit, the reward as tokens saved makes the merges of byte-pair encoding that counts a
    run of L equal tokens as ⌊L/2⌋ pairs; the tokens that are saved are those that the pass merges. *)
Theorem tasc_bpe_as_printed_corrected budget vocab corpus :
  enriched (in_corpus saved) budget vocab corpus = byte_pairs (fun n => n / 2) budget vocab corpus /\
  forall g new, list_sum (map (@length nat) corpus) = list_sum (map (@length nat) (map (merged g new) corpus)) + in_corpus saved corpus g.
Proof.
  split; [apply same_merges; intros c g; apply corpus_ext; apply saved_by_runs|]. intros g new.
  assert (One : forall n text, length text <= n -> length text = length (merged g new text) + saved g text).
  { induction n as [|n IH]; intros text L; [destruct text; [easy | simpl in L; lia]|]. destruct text as [|x [|y more]]; [easy | easy |].
    simpl in L. change (merged g new (x :: y :: more))
      with (if same_pair (x, y) g then new :: merged g new more else x :: merged g new (y :: more)).
    change (saved g (x :: y :: more)) with (if same_pair (x, y) g then S (saved g more) else saved g (y :: more)).
    destruct (same_pair (x, y) g).
    - specialize (IH more ltac:(lia)). simpl. lia.
    - specialize (IH (y :: more) ltac:(simpl; lia)). cbn [length] in *. lia. }
  unfold in_corpus. induction corpus as [|text corpus IH]; [easy|]. cbn [map list_sum fold_right].
  unfold list_sum in IH. rewrite IH. pose proof (One (length text) text (Nat.le_refl _)). lia.
Qed.

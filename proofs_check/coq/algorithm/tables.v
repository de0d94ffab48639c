(** What papers say of their printed figures: each statement is computed from the figures, as fractions. *)

Require Import QArith Qabs Lqa Lia ZArith String List Bool.
Require Import figures.
Import ListNotations.
Open Scope Q_scope.
Open Scope string_scope.

(** * What is decided by computing *)

Definition below (a b : Q) : bool := negb (Qle_bool b a).

Lemma at_most_is a b : Qle_bool a b = true -> a <= b.
Proof. apply Qle_bool_iff. Qed.

Lemma below_is a b : below a b = true -> a < b.
Proof.
  unfold below. intros H. apply Qnot_le_lt. intros L. apply Qle_bool_iff in L. rewrite L in H. discriminate.
Qed.

(** A test that all members of a list pass, or all pairs of one. *)
Lemma every {A} (test : A -> bool) l : forallb test l = true -> forall a, In a l -> test a = true.
Proof. intros H. now apply forallb_forall. Qed.

Lemma every_pair {A B} (test : A -> B -> bool) l :
  forallb (fun c => test (fst c) (snd c)) l = true -> forall a b, In (a, b) l -> test a b = true.
Proof. intros H a b I. exact (every _ l H (a, b) I). Qed.

(** * TASC: scores and run times *)

(** The figure beside a number. *)
Fixpoint entry (table : list (nat * string)) (n : nat) : Q :=
  match table with [] => 0 | (m, s) :: more => if Nat.eqb m n then value s else entry more n end.

(** In Table 5 no number of added tokens scores above 250, in any of the three metrics. *)
Theorem tasc_best_budget : forall m added score, In (added, score) (table_5 m) -> value score <= entry (table_5 m) 250.
Proof.
  intros m added score I. apply at_most_is. revert added score I.
  apply (every_pair (fun _ score => Qle_bool (value score) (entry (table_5 m) 250))). destruct m; vm_compute; reflexivity.
Qed.

Definition is_slot (m : metric) : bool := match m with Slot => true | _ => false end.
Definition gain (m : metric) (score : string) : Q := value score - entry (table_5 m) 0.

(** Of the nine scores of Table 5 with added tokens all but one are above those with none, by 0.4 to 1.6 points, and both are
    attained; slot F1 at 1,000 tokens is 0.25 points below. *)
Theorem tasc_table5_gain_corrected :
  length (filter (fun c => negb (Nat.eqb (fst c) 0)) (flat_map table_5 [Intent; Slot; Joint])) = 9%nat /\
  (forall m added score, In (added, score) (table_5 m) -> added <> 0%nat -> ~ (m = Slot /\ added = 1000%nat) ->
    2 # 5 <= gain m score <= 8 # 5) /\
  (exists added score, In (added, score) (table_5 Joint) /\ gain Joint score == 2 # 5) /\
  (exists added score, In (added, score) (table_5 Joint) /\ gain Joint score == 8 # 5) /\
  (exists score, In (1000%nat, score) (table_5 Slot) /\ gain Slot score == - (1 # 4)).
Proof.
  split; [reflexivity|]. split.
  - intros m added score I N F.
    set (test := fun added score => Nat.eqb added 0 || (is_slot m && Nat.eqb added 1000)
      || (Qle_bool (2 # 5) (gain m score) && Qle_bool (gain m score) (8 # 5))).
    assert (T : test added score = true) by (revert added score I N F; intros added score I _ _; revert added score I;
      apply every_pair; destruct m; vm_compute; reflexivity).
    unfold test in T. apply orb_prop in T as [T|T].
    + exfalso. apply orb_prop in T as [T|T]; [now apply N, Nat.eqb_eq|].
      apply andb_prop in T as [M T]. apply F. split; [now destruct m | now apply Nat.eqb_eq].
    + apply andb_prop in T as [A B]. split; now apply at_most_is.
  - split; [|split].
    + exists 1000%nat, "63.4". split; [simpl; tauto | reflexivity].
    + exists 250%nat, "64.6". split; [simpl; tauto | reflexivity].
    + exists "76.2". split; [simpl; tauto | reflexivity].
Qed.

(** Milliseconds that an added token saves, interval by interval. *)
Definition number (n : nat) : Q := inject_Z (Z.of_nat n).
Fixpoint gains (table : list (nat * string)) : list Q :=
  match table with
  | (m, before) :: (((n, after) :: _) as more) => (value before - value after) / (number n - number m) :: gains more
  | _ => []
  end.

Definition first_gain (table : list (nat * string)) : Q := hd 0 (gains table).

(** In Table 5 each of the first 250 tokens saves more than 25 times what any later token saves. *)
Theorem tasc_table5_diminishing_corrected :
  map fst (firstn 2 times_5) = [0; 250]%nat /\ forall later, In later (tl (gains times_5)) -> 25 * later < first_gain times_5.
Proof.
  split; [reflexivity|]. intros later I. apply below_is. revert later I.
  apply (every (fun later => below (25 * later) (first_gain times_5))). vm_compute. reflexivity.
Qed.

(** In Table 8 each of the first 150 tokens saves more than three times what any later token saves. *)
Theorem tasc_table8_diminishing_corrected :
  map fst (firstn 2 times_8) = [0; 150]%nat /\ forall later, In later (tl (gains times_8)) -> 3 * later < first_gain times_8.
Proof.
  split; [reflexivity|]. intros later I. apply below_is. revert later I.
  apply (every (fun later => below (3 * later) (first_gain times_8))). vm_compute. reflexivity.
Qed.

(** What a number of tokens saves, of what 1,000 save. *)
Definition share_saved (table : list (nat * string)) (n : nat) : Q :=
  (entry table 0 - entry table n) / (entry table 0 - entry table 1000).

(** Of what 1,000 tokens save, 500 save 431/460 in Table 5 and 3/5 in Table 8. *)
Theorem tasc_cutoff_500_corrected : share_saved times_5 500 == 431 # 460 /\ share_saved times_8 500 == 3 # 5.
Proof. split; reflexivity. Qed.

(** A single epoch scores lowest in Table 7, on both tasks. *)
Theorem tasc_epochs_one : forall t epochs score, In (epochs, score) (table_7 t) -> entry (table_7 t) 1 <= value score.
Proof.
  intros t epochs score I. apply at_most_is. revert epochs score I.
  apply (every_pair (fun _ score => Qle_bool (entry (table_7 t) 1) (value score))). destruct t; vm_compute; reflexivity.
Qed.

(** In Table 7 the longest training scores at least 0.009 below a shorter one, on both tasks. *)
Theorem tasc_epochs_decrease : forall t, exists longest last shorter better,
  In (longest, last) (table_7 t) /\ In (shorter, better) (table_7 t) /\
  (forall epochs score, In (epochs, score) (table_7 t) -> epochs <= longest)%nat /\ (shorter < longest)%nat /\
  value last + (9 # 1000) <= value better.
Proof.
  intros []; [exists 10%nat, "0.637", 5%nat, "0.655" | exists 5%nat, "0.625", 3%nat, "0.634"];
    (split; [simpl; tauto|]; split; [simpl; tauto|]; split;
      [|split; [lia | apply at_most_is; vm_compute; reflexivity]]);
    intros epochs score I; apply Nat.leb_le; revert epochs score I;
    [apply (every_pair (fun epochs _ => Nat.leb epochs 10)) | apply (every_pair (fun epochs _ => Nat.leb epochs 5))];
    vm_compute; reflexivity.
Qed.

(** In Table 7 three epochs score highest on MASSIVE, and within 0.008 of the highest on EUR-LEX, which five have. *)
Theorem tasc_epochs_three_corrected :
  (forall epochs score, In (epochs, score) (table_7 Massive) -> value score <= entry (table_7 Massive) 3) /\
  (forall epochs score, In (epochs, score) (table_7 EurLex) -> value score <= entry (table_7 EurLex) 3 + (8 # 1000)) /\
  (forall epochs score, In (epochs, score) (table_7 EurLex) -> value score <= entry (table_7 EurLex) 5).
Proof.
  split; [|split]; intros epochs score I; apply at_most_is; revert epochs score I.
  - apply (every_pair (fun _ score => Qle_bool (value score) (entry (table_7 Massive) 3))). vm_compute. reflexivity.
  - apply (every_pair (fun _ score => Qle_bool (value score) (entry (table_7 EurLex) 3 + (8 # 1000)))).
    vm_compute. reflexivity.
  - apply (every_pair (fun _ score => Qle_bool (value score) (entry (table_7 EurLex) 5))). vm_compute. reflexivity.
Qed.

(** * TASC: sizes, settings, factors *)

(** The two printed sizes of EUR-LEX differ by a factor between 2.8 and 3. *)
Theorem tasc_eurlex_size_corrected : 28 # 10 <= value eurlex_second / value eurlex_first <= 3.
Proof. split; apply at_most_is; vm_compute; reflexivity. Qed.

(** Settings of the full grid, with so many seeds. *)
Definition grid (seeds : nat) : nat := seeds * fold_right Nat.mul 1%nat (map snd varied).

Lemma all_alike budgets n : (forall b, In b budgets -> b = n) -> list_sum budgets = (length budgets * n)%nat.
Proof.
  induction budgets as [|b more IH]; intros H; [reflexivity|]. simpl. rewrite (H b) by now left.
  rewrite IH; [reflexivity|]. intros c I. apply H. now right.
Qed.

(** One seed alone makes 12 settings, 4 more than the 8 printed; and 124 runs in 8 settings are 15½ token budgets a setting on
    average, so that not all settings have the same number of budgets. *)
Theorem tasc_settings_corrected :
  grid 1 = 12%nat /\ grid 1 = (settings + 4)%nat /\ number runs / number settings == 31 # 2 /\
  forall budgets, length budgets = settings -> list_sum budgets = runs -> ~ exists n, forall b, In b budgets -> b = n.
Proof.
  split; [reflexivity|]. split; [reflexivity|]. split; [reflexivity|]. intros budgets L S [n H].
  apply all_alike in H. rewrite L, S in H. unfold runs, settings in H. lia.
Qed.

(** No speed-up factor that is printed for added tokens is larger than 2.31. *)
Theorem tasc_speedup_range_most_corrected : forall place factor, In (place, factor) factors -> value factor <= 231 # 100.
Proof.
  intros place factor I. apply at_most_is. revert place factor I.
  apply (every_pair (fun _ factor => Qle_bool (value factor) (231 # 100))). vm_compute. reflexivity.
Qed.

(** By the printed factors the larger model gains between a seventh and a sixth of what the smaller gains. *)
Theorem tasc_speedup_range_slightly_corrected : exists small large,
  In ("C.4, Qwen2.5-0.5B", small) factors /\ In ("C.4, Mistral-7B", large) factors /\
  1 # 7 <= (value large - 1) / (value small - 1) <= 1 # 6.
Proof.
  exists "2.31", "1.19". split; [simpl; tauto|]. split; [simpl; tauto|]. split; apply at_most_is; vm_compute; reflexivity.
Qed.

(** Weights of low-rank adapters of all projections of attention and feed-forward layers; rows that so many tokens add to the
    embedding; and all rows of embedding and head. *)
Definition adapters (rank : Z) : Q := inject_Z (rank * layers * (2 * (2 * width) + 2 * (width + keys) + 3 * (width + inner))).
Definition new_rows (tokens : Z) : Q := inject_Z (tokens * width).
Definition both_whole : Q := inject_Z (2 * vocabulary * width).

(** With adapters of rank 16 and 500 added tokens the rise is 1000/29232 (3.4 %) if the new rows of the embedding are trained,
    twice that (6.8 %) with those of the head, and below 0.4 % where embedding and head are retrained whole. *)
Theorem tasc_trainable_share_corrected :
  new_rows 500 / adapters 16 == 1000 # 29232 /\ distance (1000 # 29232) (34 # 1000) <= 1 # 2000 /\
  2 * new_rows 500 / adapters 16 == 2 * (1000 # 29232) /\ distance (2 * (1000 # 29232)) (68 # 1000) <= 1 # 2000 /\
  2 * new_rows 500 / (adapters 16 + both_whole) < 4 # 1000.
Proof.
  split; [reflexivity|]. split; [apply at_most_is; vm_compute; reflexivity|]. split; [reflexivity|].
  split; [apply at_most_is; vm_compute; reflexivity|]. apply below_is. vm_compute. reflexivity.
Qed.

(** * TASC, Table 1 *)

Definition name (r : row) : string := fst (fst r).
Definition printed (c : column) (r : row) : string :=
  match r, c with (_, (_, _, change), _), Change => change | (_, _, (_, _, ratio)), Ratio => ratio end.

(** What a column should be: ΔH in percent from the two entropies, and the ratio of the two counts. *)
Definition follows (c : column) (r : row) : Q :=
  match r, c with
  | (_, (input, output, _), _), Change => 100 * (value output - value input) / value input
  | (_, _, (before, after, _)), Ratio => value before / value after
  end.

Definition same_column (a b : column) : bool := match a, b with Change, Change | Ratio, Ratio => true | _, _ => false end.

(** A cell: the recomputed one where there is one, else as printed. *)
Definition cell (c : column) (r : row) : string :=
  match find (fun e => String.eqb (fst (fst e)) (name r) && same_column (snd (fst e)) c) recomputed with
  | Some (_, _, figure) => figure
  | None => printed c r
  end.

Definition cells : list (row * column) := flat_map (fun r => [(r, Change); (r, Ratio)]) table_1.

Lemma cells_are_all r c : In r table_1 -> In (r, c) cells.
Proof. intros I. apply in_flat_map. exists r. split; [easy|]. destruct c; simpl; tauto. Qed.

(** Table 1 with twelve cells recomputed: every ΔH and every ratio is what its printed entropies and counts give, rounded to
    the last place shown; the other ten of the 22 cells are as printed. *)
Theorem tasc_table1_columns_corrected :
  length cells = 22%nat /\
  length (filter (fun e => negb (String.eqb (cell (snd e) (fst e)) (printed (snd e) (fst e)))) cells) = 12%nat /\
  forall r c, In r table_1 -> distance (follows c r) (value (cell c r)) <= unit_of (cell c r) / 2.
Proof.
  split; [reflexivity|]. split; [vm_compute; reflexivity|]. intros r c I. apply at_most_is. apply (cells_are_all r c) in I.
  revert r c I.
  apply (every_pair (fun r c => Qle_bool (distance (follows c r) (value (cell c r))) (unit_of (cell c r) / 2))).
  vm_compute. reflexivity.
Qed.

(** A row's name is its task, and its domain in brackets if it has one. *)
Definition task_of (r : row) : string :=
  match index 0 " (" (name r) with Some at_bracket => substring 0 at_bracket (name r) | None => name r end.
Definition domain_of (r : row) : string :=
  match index 0 " (" (name r) with
  | Some at_bracket => substring (at_bracket + 2) (String.length (name r) - at_bracket - 3) (name r)
  | None => ""
  end.

(** The figures of a column in the groups of two rows or more that share a key, where one row may be left out. *)
Definition groups (key : row -> string) (c : column) (left_out : option string) : list (list Q) :=
  let stays r := negb (String.eqb (key r) "") && match left_out with Some n => negb (String.eqb (name r) n) | None => true end in
  let rows := filter stays table_1 in
  let group k := map (fun r => value (printed c r)) (filter (fun r => String.eqb (key r) k) rows) in
  filter (fun g => Nat.ltb 1 (length g)) (map group (nodup string_dec (map key rows))).

Definition within (key : row -> string) (c : column) (left_out : option string) : Q := pooled_variance (groups key c left_out).

Example domains : map domain_of (firstn 3 table_1) = ["Finance"; "Medical"; ""].
Proof. reflexivity. Qed.
Example three_summaries : map (@length Q) (groups task_of Change None) = [3]%nat.
Proof. reflexivity. Qed.
Example legal_and_medical : map (@length Q) (groups domain_of Change None) = [2; 4]%nat.
Proof. reflexivity. Qed.

(** In ΔH and in the ratio of Table 1, rows of one task differ less than rows of one domain: the variance within tasks is below
    that within domains. *)
Theorem tasc_task_over_domain_printed : forall c, within task_of c None < within domain_of c None.
Proof. intros []; apply below_is; vm_compute; reflexivity. Qed.

(** In ΔH rows of one task differ less than rows of one domain whichever row of Table 1 is left out. *)
Theorem tasc_task_over_domain_any_row_corrected : forall r, In r table_1 ->
  within task_of Change (Some (name r)) < within domain_of Change (Some (name r)).
Proof.
  intros r I. apply below_is. revert r I.
  apply (every (fun r => below (within task_of Change (Some (name r))) (within domain_of Change (Some (name r))))).
  vm_compute. reflexivity.
Qed.

(** * PAD, EARS, RDK *)

(** The largest speed-up that Table 1 of PAD prints is 2.33, to two digits 2.3. *)
Theorem pad_abstract_speedup_corrected :
  (exists share speed, In (share, speed) speed_ups /\ value speed == 233 # 100) /\
  (forall share speed, In (share, speed) speed_ups -> value speed <= 233 # 100) /\
  distance (233 # 100) (23 # 10) <= 1 # 20.
Proof.
  split; [exists "70.8", "2.33"; split; [simpl; tauto | reflexivity]|].
  split; [|apply at_most_is; vm_compute; reflexivity]. intros share speed I. apply at_most_is. revert share speed I.
  apply (every_pair (fun _ speed => Qle_bool (value speed) (233 # 100))). vm_compute. reflexivity.
Qed.

(** The speed-up by the formula: (ηγ + 1)/(γc + 1), where c = 1/3.94. *)
Definition cost : Q := 1 / value target_cost.
Definition speed_up (gamma : nat) (eta : Q) : Q := (eta * number gamma + 1) / (number gamma * cost + 1).
Definition ratio_of (share : string) : Q := value share / 100.

(** One number of drafts γ from 1 to 64 gives all nine printed speed-ups within 0.1. *)
Theorem pad_table1 : length speed_ups = 9%nat /\ exists gamma, (1 <= gamma <= 64)%nat /\
  forall share speed, In (share, speed) speed_ups -> distance (speed_up gamma (ratio_of share)) (value speed) <= 1 # 10.
Proof.
  split; [reflexivity|]. exists 11%nat. split; [lia|]. intros share speed I. apply at_most_is. revert share speed I.
  apply (every_pair (fun share speed => Qle_bool (distance (speed_up 11 (ratio_of share)) (value speed)) (1 # 10))).
  vm_compute. reflexivity.
Qed.

(** Within the rounding of the printed digits: some ratio and some speed-up that round to them are equal by the formula. *)
Definition rounds_to (gamma : nat) (share speed : string) : Prop := exists eta s,
  distance eta (ratio_of share) <= unit_of share / 200 /\ distance s (value speed) <= unit_of speed / 2 /\ s == speed_up gamma eta.

(** The weight of η in the formula, and what rounding allows. *)
Definition weight (gamma : nat) : Q := number gamma / (number gamma * cost + 1).
Definition room (gamma : nat) (share speed : string) : Q := unit_of speed / 2 + unit_of share / 200 * weight gamma.

Lemma cost_positive : 0 < cost.
Proof. apply below_is. vm_compute. reflexivity. Qed.

Lemma number_nonneg n : 0 <= number n.
Proof. unfold number, Qle. simpl. lia. Qed.

Lemma rounds_near gamma share speed :
  rounds_to gamma share speed -> distance (speed_up gamma (ratio_of share)) (value speed) <= room gamma share speed.
Proof.
  intros [eta [s [E [S F]]]]. unfold distance, room in *. pose proof cost_positive as C. pose proof (number_nonneg gamma) as N.
  assert (D : 0 < number gamma * cost + 1).
  { assert (0 <= number gamma * cost) by (apply Qmult_le_0_compat; lra). lra. }
  assert (W : 0 <= weight gamma) by (apply Qle_shift_div_l; [easy|]; lra).
  assert (X : speed_up gamma (ratio_of share) - value speed == (ratio_of share - eta) * weight gamma + (s - value speed)).
  { rewrite F. unfold speed_up, weight. field. lra. }
  rewrite X. eapply Qle_trans; [apply Qabs_triangle|]. rewrite Qabs_Qmult, (Qabs_pos (weight gamma)) by easy.
  rewrite (Qplus_comm (unit_of speed / 2)). apply Qplus_le_compat; [|easy].
  apply Qmult_le_compat_r; [|easy]. now rewrite Qabs_Qminus.
Qed.

Definition near (gamma : nat) (c : string * string) : bool :=
  Qle_bool (distance (speed_up gamma (ratio_of (fst c))) (value (snd c))) (1 # 10).
Definition far (gamma : nat) (c : string * string) : bool :=
  below (room gamma (fst c) (snd c)) (distance (speed_up gamma (ratio_of (fst c))) (value (snd c))).

(** Of the numbers of drafts γ from 1 to 64 exactly 9, …, 13 give all nine printed speed-ups within 0.1; none gives all nine
    within the rounding of the printed digits of η and S. *)
Theorem pad_table1_sharp : forall gamma, (1 <= gamma <= 64)%nat ->
  ((forall share speed, In (share, speed) speed_ups -> distance (speed_up gamma (ratio_of share)) (value speed) <= 1 # 10)
    <-> (9 <= gamma <= 13)%nat) /\
  ~ (forall share speed, In (share, speed) speed_ups -> rounds_to gamma share speed).
Proof.
  intros gamma L. assert (I : In gamma (seq 1 64)) by (apply in_seq; lia).
  assert (N : eqb (forallb (near gamma) speed_ups) (Nat.leb 9 gamma && Nat.leb gamma 13) = true).
  { revert gamma L I. intros gamma _ I. revert gamma I.
    apply (every (fun gamma => eqb (forallb (near gamma) speed_ups) (Nat.leb 9 gamma && Nat.leb gamma 13))).
    vm_compute. reflexivity. }
  assert (F : existsb (far gamma) speed_ups = true).
  { revert gamma L I N. intros gamma _ I _. revert gamma I. apply (every (fun gamma => existsb (far gamma) speed_ups)).
    vm_compute. reflexivity. }
  apply eqb_prop in N. split; [split|].
  - intros H. assert (T : forallb (near gamma) speed_ups = true).
    { apply forallb_forall. intros [share speed] J. apply Qle_bool_iff. now apply H. }
    rewrite N in T. apply andb_prop in T as [A B]. apply Nat.leb_le in A, B. lia.
  - intros [A B] share speed J. apply Nat.leb_le in A, B. rewrite A, B in N. change (true && true)%bool with true in N.
    apply at_most_is. exact (every _ _ N (share, speed) J).
  - intros H. apply existsb_exists in F as [[share speed] [J F]]. apply below_is in F.
    apply (Qlt_not_le _ _ F). now apply (rounds_near gamma share speed), H.
Qed.

(** The drop is the difference of the printed accuracies in percentage points: 96.44 - 95.60 = 0.84. *)
Theorem ears_drop_unit_corrected : value accuracy_before - value accuracy_after == value accuracy_drop.
Proof. reflexivity. Qed.

(** Bytes of a dense V × V matrix, and of the two vectors of the linear form; in tenths of a GB. *)
Definition dense (V : Z) (f : format) : Z := V * V * bytes f.
Definition linear (V : Z) (f : format) : Z := 2 * V * bytes f.
Definition in_tenths (n : Z) : Z := (n + 5 * 10 ^ 7) / 10 ^ 8.

(** For the vocabularies of 128K and of 200K tokens a dense matrix takes 65.8 and 160 GB in float32, 32.9 and 80 GB in float16,
    to a tenth of a GB; the linear form takes two vectors, V/2 times less. *)
Theorem rdk_memory_corrected :
  (exists small large, vocabularies = [("128K", small); ("200K", large)] /\
    in_tenths (dense small Float32) = 658 /\ in_tenths (dense large Float32) = 1600 /\
    in_tenths (dense small Float16) = 329 /\ in_tenths (dense large Float16) = 800)%Z /\
  forall label V f, In (label, V) vocabularies -> (linear V f * V = 2 * dense V f)%Z.
Proof.
  split; [exists 128256%Z, 200000%Z; vm_compute; repeat split|]. intros label V f _. unfold linear, dense. ring.
Qed.

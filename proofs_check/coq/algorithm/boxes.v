(** What is computed of PAD's labels by rollouts: both errors at the corners of boxes of utilities, and one error where there are
    fewer rollouts. *)

Require Import Reals Lra Lia List Arith ZArith Bool.
Require Import laws binomials labels.
Import ListNotations.
Open Scope R_scope.

(** Ends of the boxes between the first, 0.3, and the last, 1: numerators over 2^24. *)
Definition inner_ends : list Z :=
  [
   5033278; 5033399; 5033531; 5033672; 5033824; 5033989; 5034166; 5034356; 5034562; 5034784; 5035023; 5035281; 5035558;
   5035857; 5036180; 5036528; 5036903; 5037307; 5037742; 5038212; 5038717; 5039263; 5039851; 5040484; 5041167; 5041903;
   5042697; 5043552; 5044474; 5045468; 5046539; 5047693; 5048938; 5050279; 5051725; 5053284; 5054963; 5056774; 5058726;
   5060829; 5063097; 5065541; 5068176; 5071015; 5074076; 5077375; 5080932; 5084765; 5088897; 5093350; 5098150; 5103325;
   5108902; 5114913; 5121393; 5128378; 5135906; 5144021; 5152768; 5162196; 5172358; 5183312; 5195119; 5207846; 5221564;
   5236350; 5252288; 5269467; 5287984; 5307943; 5329457; 5352646; 5377642; 5404584; 5433624; 5464927; 5498667; 5535035;
   5574236; 5616489; 5662034; 5711126; 5764041; 5821078; 5882557; 5948824; 6020252; 6097243; 6180231; 6269682; 6366100;
   6470027; 6582049; 6702795; 6832946; 6973233; 7124447; 7287438; 7463123; 7652491; 7856608; 8076622; 8313772; 8569392;
   8844921; 9141909; 9462028; 9807080; 10179005; 10579897; 11012012; 11477783; 11979829; 12520977; 13104272; 13732996;
   14410688; 15141161; 15928527
  ]%Z.

Definition first_end : Z * Z := (3, 10)%Z.
Definition later_ends : list (Z * Z) := map (fun a => (a, 2 ^ 24)%Z) inner_ends ++ [(1, 1)%Z].

Definition utility_at (e : Z * Z) : R := success_rate (fst e) (snd e).
Definition is_rate (e : Z * Z) : bool := ((0 <? fst e) && (fst e <=? snd e))%Z.
Definition law_of (n : nat) (e : Z * Z) : list (Z * Z) := bounds_table n (fst e) (snd e).
Definition utility_dropped (e : Z * Z) : Z * Z := (4 * fst e, 5 * snd e)%Z.

(** Whether a part of all pairs of outcomes is nineteen twentieths at least. *)
Definition is_most (first second : list (Z * Z)) (part : Z) : bool :=
  (19 * (upper_total first * upper_total second) <=? 20 * part)%Z.

(** At the corners of all boxes both labels are right nineteen times of twenty, as computed. *)
Fixpoint boxes (n : nat) (cuts : list nat) (low : list (Z * Z)) (ends : list (Z * Z)) : bool :=
  match ends with
  | [] => true
  | e :: more =>
      let high := law_of n e in
      let less := law_of n (utility_dropped e) in
      is_rate e && is_most high low (paired (lows high) cuts (rests (lows low)))
      && is_most low less (paired (lows low) cuts (running_sums 0 (lows less))) && boxes n cuts high more
  end.

(** With so many rollouts or fewer, of utility 0.3 before the draft and after it, "pivot" is said more than once in twenty times,
    as computed. *)
Fixpoint errs (n : nat) (cuts : list nat) : bool :=
  match n with
  | O => true
  | S m =>
      let law := law_of n first_end in
      (upper_total law * upper_total law <? 20 * paired (lows law) cuts (running_sums 0 (lows law)))%Z && errs m cuts
  end.

Definition enough_rollouts : nat := 1139.

Definition cuts : list nat := map least_without (seq 0 (S enough_rollouts)).

Lemma boxes_pass : boxes enough_rollouts cuts (law_of enough_rollouts first_end) later_ends = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

Lemma fewer_err : errs (pred enough_rollouts) cuts = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

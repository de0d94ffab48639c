; tasc.added-tokens-sharp: the text loses what the merges save: at first
; S_0 is S[0]
(set-logic QF_NRA)
(declare-const S_0 Real)
(push 1)
(assert (= S_0 0.0))
(assert (not (= S_0 0.0)))
(check-sat)
(pop 1)
(reset)
; tasc.added-tokens-sharp: the text loses what the merges save: one more
; length_0 is length[0]
; S_n is S[n]
; length_n is length[n]
; g_n is g[n]
; r_n is r[n]
; S_n___1 is S[n + 1]
; length_n___1 is length[n + 1]
(set-logic QF_NRA)
(declare-const length_0 Real)
(declare-const S_n Real)
(declare-const length_n Real)
(declare-const g_n Real)
(declare-const r_n Real)
(declare-const S_n___1 Real)
(declare-const length_n___1 Real)
(push 1)
(assert (= (+ (* (- 1.0) length_0) S_n length_n) 0.0))
(assert (= (+ (* (- 1.0) S_n) (* (- 1.0) g_n r_n) S_n___1 r_n) 0.0))
(assert (= (+ (* (- 1.0) length_n) (* (- 1.0) r_n) (* g_n r_n) length_n___1) 0.0))
(assert (not (= (+ (* (- 1.0) length_0) S_n___1 length_n___1) 0.0)))
(check-sat)
(pop 1)
(reset)
; tasc.added-tokens-sharp: behind the place: the strings
; X_h__m is X[h, m]
; after_h__m is after[h, m]
; X_h__m___1 is X[h, m + 1]
; X_h___1__m is X[h + 1, m]
; after_h__m___1 is after[h, m + 1]
(set-logic QF_NRA)
(declare-const X_h__m Real)
(declare-const after_h__m Real)
(declare-const X_h__m___1 Real)
(declare-const X_h___1__m Real)
(declare-const after_h__m___1 Real)
(push 1)
(assert (= (+ (* (- 1.0) X_h__m) (* X_h__m after_h__m) (* (- 1.0) X_h__m___1 after_h__m) X_h___1__m) 0.0))
(assert (= (+ (* after_h__m after_h__m) (* (- 1.0) after_h__m)) 0.0))
(assert (= (+ (* (- 1.0) after_h__m after_h__m___1) after_h__m) 0.0))
(assert (= (+ (* after_h__m___1 after_h__m___1) (* (- 1.0) after_h__m___1)) 0.0))
(assert (not (= (+ (* X_h___1__m after_h__m) (* (- 1.0) X_h__m___1 after_h__m)) 0.0)))
(check-sat)
(pop 1)
(reset)
; tasc.added-tokens-sharp: behind the place: the next
; val_h__m is val[h, m]
; after_h__m___1 is after[h, m + 1]
; val_h__m___1 is val[h, m + 1]
; after_h__m is after[h, m]
; power_h__m___1 is power[h, m + 1]
; val_h___1__m is val[h + 1, m]
(set-logic QF_NRA)
(declare-const val_h__m Real)
(declare-const after_h__m___1 Real)
(declare-const val_h__m___1 Real)
(declare-const after_h__m Real)
(declare-const power_h__m___1 Real)
(declare-const val_h___1__m Real)
(push 1)
(assert (= (+ (* (- 1.0) val_h__m) (* after_h__m___1 val_h__m) (* (- 1.0) after_h__m___1 val_h__m___1) (* after_h__m power_h__m___1 val_h__m) (* (- 1.0) after_h__m___1 power_h__m___1 val_h__m) val_h___1__m) 0.0))
(assert (= (+ (* after_h__m after_h__m) (* (- 1.0) after_h__m)) 0.0))
(assert (= (+ (* (- 1.0) after_h__m after_h__m___1) after_h__m) 0.0))
(assert (= (+ (* after_h__m___1 after_h__m___1) (* (- 1.0) after_h__m___1)) 0.0))
(assert (not (= (+ (* after_h__m val_h___1__m) (* (- 1.0) after_h__m val_h__m___1)) 0.0)))
(check-sat)
(pop 1)
(reset)
; tasc.added-tokens-sharp: behind the place: its power
; power_h__m is power[h, m]
; after_h__m___1 is after[h, m + 1]
; after_h__m is after[h, m]
; power_h__m___1 is power[h, m + 1]
; power_h___1__m is power[h + 1, m]
(set-logic QF_NRA)
(declare-const power_h__m Real)
(declare-const after_h__m___1 Real)
(declare-const after_h__m Real)
(declare-const power_h__m___1 Real)
(declare-const power_h___1__m Real)
(push 1)
(assert (= (+ (* (- 1.0) power_h__m) (* after_h__m___1 power_h__m) (* (- 1.0) after_h__m power_h__m___1) (* after_h__m power_h__m power_h__m___1) (* (- 1.0) after_h__m___1 power_h__m power_h__m___1) power_h___1__m) 0.0))
(assert (= (+ (* after_h__m after_h__m) (* (- 1.0) after_h__m)) 0.0))
(assert (= (+ (* (- 1.0) after_h__m after_h__m___1) after_h__m) 0.0))
(assert (= (+ (* after_h__m___1 after_h__m___1) (* (- 1.0) after_h__m___1)) 0.0))
(assert (not (= (+ (* after_h__m power_h___1__m) (* (- 1.0) after_h__m power_h__m___1)) 0.0)))
(check-sat)
(pop 1)
(reset)
; tasc.added-tokens-sharp: behind the place: joined
; X_h___1__m is X[h + 1, m]
; after_h__m is after[h, m]
; X_h__m___1 is X[h, m + 1]
; val_h___1__m is val[h + 1, m]
; val_h__m___1 is val[h, m + 1]
; power_h___1__m is power[h + 1, m]
; power_h__m___1 is power[h, m + 1]
(set-logic QF_NRA)
(declare-const X_h___1__m Real)
(declare-const after_h__m Real)
(declare-const X_h__m___1 Real)
(declare-const val_h___1__m Real)
(declare-const val_h__m___1 Real)
(declare-const power_h___1__m Real)
(declare-const power_h__m___1 Real)
(push 1)
(assert (= (+ (* X_h___1__m after_h__m) (* (- 1.0) X_h__m___1 after_h__m)) 0.0))
(assert (= (+ (* after_h__m val_h___1__m) (* (- 1.0) after_h__m val_h__m___1)) 0.0))
(assert (= (+ (* after_h__m power_h___1__m) (* (- 1.0) after_h__m power_h__m___1)) 0.0))
(assert (not (= (+ (* after_h__m val_h___1__m) (* (- 1.0) after_h__m val_h__m___1) (* X_h___1__m after_h__m power_h___1__m) (* (- 1.0) X_h__m___1 after_h__m power_h__m___1)) 0.0)))
(check-sat)
(pop 1)
(reset)
; tasc.added-tokens-sharp: behind the place: as before
; val_h__m is val[h, m]
; X_h__m is X[h, m]
; power_h__m is power[h, m]
; X_h__m___1 is X[h, m + 1]
; val_h__m___1 is val[h, m + 1]
; power_h__m___1 is power[h, m + 1]
; X_h__m___2 is X[h, m + 2]
; after_h__m is after[h, m]
; after_h__m___1 is after[h, m + 1]
(set-logic QF_NRA)
(declare-const val_h__m Real)
(declare-const X_h__m Real)
(declare-const power_h__m Real)
(declare-const X_h__m___1 Real)
(declare-const val_h__m___1 Real)
(declare-const power_h__m___1 Real)
(declare-const X_h__m___2 Real)
(declare-const after_h__m Real)
(declare-const after_h__m___1 Real)
(push 1)
(assert (= (+ (* (- 1.0) val_h__m) (* (- 1.0) X_h__m power_h__m) X_h__m___1) 0.0))
(assert (= (+ (* (- 1.0) val_h__m___1) (* (- 1.0) X_h__m___1 power_h__m___1) X_h__m___2) 0.0))
(assert (= (+ (* after_h__m after_h__m) (* (- 1.0) after_h__m)) 0.0))
(assert (= (+ (* (- 1.0) after_h__m after_h__m___1) after_h__m) 0.0))
(assert (= (+ (* after_h__m___1 after_h__m___1) (* (- 1.0) after_h__m___1)) 0.0))
(assert (not (= (+ (* after_h__m val_h__m___1) (* (- 1.0) X_h__m___1 after_h__m) (* X_h__m___1 after_h__m after_h__m___1) (* X_h__m___1 after_h__m power_h__m___1) (* (- 1.0) X_h__m___2 after_h__m after_h__m___1)) 0.0)))
(check-sat)
(pop 1)
(reset)
; tasc.added-tokens-sharp: behind the place: together
; val_h___1__m is val[h + 1, m]
; X_h___1__m is X[h + 1, m]
; power_h___1__m is power[h + 1, m]
; X_h___1__m___1 is X[h + 1, m + 1]
; after_h__m is after[h, m]
; val_h__m___1 is val[h, m + 1]
; X_h__m___1 is X[h, m + 1]
; power_h__m___1 is power[h, m + 1]
; after_h__m___1 is after[h, m + 1]
; X_h__m___2 is X[h, m + 2]
(set-logic QF_NRA)
(declare-const val_h___1__m Real)
(declare-const X_h___1__m Real)
(declare-const power_h___1__m Real)
(declare-const X_h___1__m___1 Real)
(declare-const after_h__m Real)
(declare-const val_h__m___1 Real)
(declare-const X_h__m___1 Real)
(declare-const power_h__m___1 Real)
(declare-const after_h__m___1 Real)
(declare-const X_h__m___2 Real)
(push 1)
(assert (= (+ (* (- 1.0) val_h___1__m) (* (- 1.0) X_h___1__m power_h___1__m) X_h___1__m___1) 0.0))
(assert (= (+ (* after_h__m val_h___1__m) (* (- 1.0) after_h__m val_h__m___1) (* X_h___1__m after_h__m power_h___1__m) (* (- 1.0) X_h__m___1 after_h__m power_h__m___1)) 0.0))
(assert (= (+ (* after_h__m val_h__m___1) (* (- 1.0) X_h__m___1 after_h__m) (* X_h__m___1 after_h__m after_h__m___1) (* X_h__m___1 after_h__m power_h__m___1) (* (- 1.0) X_h__m___2 after_h__m after_h__m___1)) 0.0))
(assert (not (= (+ (* X_h___1__m___1 after_h__m) (* (- 1.0) X_h__m___1 after_h__m) (* X_h__m___1 after_h__m after_h__m___1) (* (- 1.0) X_h__m___2 after_h__m after_h__m___1)) 0.0)))
(check-sat)
(pop 1)
(reset)
; tasc.added-tokens-sharp: at the place: the strings
; X_h__m is X[h, m]
; after_h__m is after[h, m]
; X_h__m___1 is X[h, m + 1]
; X_h___1__m is X[h + 1, m]
; after_h__m___1 is after[h, m + 1]
(set-logic QF_NRA)
(declare-const X_h__m Real)
(declare-const after_h__m Real)
(declare-const X_h__m___1 Real)
(declare-const X_h___1__m Real)
(declare-const after_h__m___1 Real)
(push 1)
(assert (= (+ (* (- 1.0) X_h__m) (* X_h__m after_h__m) (* (- 1.0) X_h__m___1 after_h__m) X_h___1__m) 0.0))
(assert (= (+ (* after_h__m after_h__m) (* (- 1.0) after_h__m)) 0.0))
(assert (= (+ (* (- 1.0) after_h__m after_h__m___1) after_h__m) 0.0))
(assert (= (+ (* after_h__m___1 after_h__m___1) (* (- 1.0) after_h__m___1)) 0.0))
(assert (not (= (+ (* X_h__m after_h__m) (* X_h___1__m after_h__m___1) (* (- 1.0) X_h__m after_h__m___1) (* (- 1.0) X_h___1__m after_h__m)) 0.0)))
(check-sat)
(pop 1)
(reset)
; tasc.added-tokens-sharp: at the place: the next
; val_h__m is val[h, m]
; after_h__m___1 is after[h, m + 1]
; val_h__m___1 is val[h, m + 1]
; after_h__m is after[h, m]
; power_h__m___1 is power[h, m + 1]
; val_h___1__m is val[h + 1, m]
(set-logic QF_NRA)
(declare-const val_h__m Real)
(declare-const after_h__m___1 Real)
(declare-const val_h__m___1 Real)
(declare-const after_h__m Real)
(declare-const power_h__m___1 Real)
(declare-const val_h___1__m Real)
(push 1)
(assert (= (+ (* (- 1.0) val_h__m) (* after_h__m___1 val_h__m) (* (- 1.0) after_h__m___1 val_h__m___1) (* after_h__m power_h__m___1 val_h__m) (* (- 1.0) after_h__m___1 power_h__m___1 val_h__m) val_h___1__m) 0.0))
(assert (= (+ (* after_h__m after_h__m) (* (- 1.0) after_h__m)) 0.0))
(assert (= (+ (* (- 1.0) after_h__m after_h__m___1) after_h__m) 0.0))
(assert (= (+ (* after_h__m___1 after_h__m___1) (* (- 1.0) after_h__m___1)) 0.0))
(assert (not (= (+ (* after_h__m val_h__m___1) (* after_h__m___1 val_h___1__m) (* (- 1.0) after_h__m val_h___1__m) (* (- 1.0) after_h__m___1 val_h__m___1) (* after_h__m power_h__m___1 val_h__m) (* (- 1.0) after_h__m___1 power_h__m___1 val_h__m)) 0.0)))
(check-sat)
(pop 1)
(reset)
; tasc.added-tokens-sharp: at the place: its power
; power_h__m is power[h, m]
; after_h__m___1 is after[h, m + 1]
; after_h__m is after[h, m]
; power_h__m___1 is power[h, m + 1]
; power_h___1__m is power[h + 1, m]
(set-logic QF_NRA)
(declare-const power_h__m Real)
(declare-const after_h__m___1 Real)
(declare-const after_h__m Real)
(declare-const power_h__m___1 Real)
(declare-const power_h___1__m Real)
(push 1)
(assert (= (+ (* (- 1.0) power_h__m) (* after_h__m___1 power_h__m) (* (- 1.0) after_h__m power_h__m___1) (* after_h__m power_h__m power_h__m___1) (* (- 1.0) after_h__m___1 power_h__m power_h__m___1) power_h___1__m) 0.0))
(assert (= (+ (* after_h__m after_h__m) (* (- 1.0) after_h__m)) 0.0))
(assert (= (+ (* (- 1.0) after_h__m after_h__m___1) after_h__m) 0.0))
(assert (= (+ (* after_h__m___1 after_h__m___1) (* (- 1.0) after_h__m___1)) 0.0))
(assert (not (= (+ (* after_h__m___1 power_h___1__m) (* (- 1.0) after_h__m power_h___1__m) (* after_h__m power_h__m power_h__m___1) (* (- 1.0) after_h__m___1 power_h__m power_h__m___1)) 0.0)))
(check-sat)
(pop 1)
(reset)
; tasc.added-tokens-sharp: at the place: joined
; X_h__m is X[h, m]
; after_h__m is after[h, m]
; X_h___1__m is X[h + 1, m]
; after_h__m___1 is after[h, m + 1]
; val_h__m___1 is val[h, m + 1]
; val_h___1__m is val[h + 1, m]
; power_h__m___1 is power[h, m + 1]
; val_h__m is val[h, m]
; power_h___1__m is power[h + 1, m]
; power_h__m is power[h, m]
(set-logic QF_NRA)
(declare-const X_h__m Real)
(declare-const after_h__m Real)
(declare-const X_h___1__m Real)
(declare-const after_h__m___1 Real)
(declare-const val_h__m___1 Real)
(declare-const val_h___1__m Real)
(declare-const power_h__m___1 Real)
(declare-const val_h__m Real)
(declare-const power_h___1__m Real)
(declare-const power_h__m Real)
(push 1)
(assert (= (+ (* X_h__m after_h__m) (* X_h___1__m after_h__m___1) (* (- 1.0) X_h__m after_h__m___1) (* (- 1.0) X_h___1__m after_h__m)) 0.0))
(assert (= (+ (* after_h__m val_h__m___1) (* after_h__m___1 val_h___1__m) (* (- 1.0) after_h__m val_h___1__m) (* (- 1.0) after_h__m___1 val_h__m___1) (* after_h__m power_h__m___1 val_h__m) (* (- 1.0) after_h__m___1 power_h__m___1 val_h__m)) 0.0))
(assert (= (+ (* after_h__m___1 power_h___1__m) (* (- 1.0) after_h__m power_h___1__m) (* after_h__m power_h__m power_h__m___1) (* (- 1.0) after_h__m___1 power_h__m power_h__m___1)) 0.0))
(assert (not (= (+ (* after_h__m val_h__m___1) (* after_h__m___1 val_h___1__m) (* (- 1.0) after_h__m val_h___1__m) (* (- 1.0) after_h__m___1 val_h__m___1) (* X_h___1__m after_h__m___1 power_h___1__m) (* after_h__m power_h__m___1 val_h__m) (* (- 1.0) X_h___1__m after_h__m power_h___1__m) (* (- 1.0) after_h__m___1 power_h__m___1 val_h__m) (* X_h__m after_h__m power_h__m power_h__m___1) (* (- 1.0) X_h__m after_h__m___1 power_h__m power_h__m___1)) 0.0)))
(check-sat)
(pop 1)
(reset)
; tasc.added-tokens-sharp: at the place: as before
; val_h__m is val[h, m]
; X_h__m is X[h, m]
; power_h__m is power[h, m]
; X_h__m___1 is X[h, m + 1]
; val_h__m___1 is val[h, m + 1]
; power_h__m___1 is power[h, m + 1]
; X_h__m___2 is X[h, m + 2]
; after_h__m is after[h, m]
; after_h__m___1 is after[h, m + 1]
(set-logic QF_NRA)
(declare-const val_h__m Real)
(declare-const X_h__m Real)
(declare-const power_h__m Real)
(declare-const X_h__m___1 Real)
(declare-const val_h__m___1 Real)
(declare-const power_h__m___1 Real)
(declare-const X_h__m___2 Real)
(declare-const after_h__m Real)
(declare-const after_h__m___1 Real)
(push 1)
(assert (= (+ (* (- 1.0) val_h__m) (* (- 1.0) X_h__m power_h__m) X_h__m___1) 0.0))
(assert (= (+ (* (- 1.0) val_h__m___1) (* (- 1.0) X_h__m___1 power_h__m___1) X_h__m___2) 0.0))
(assert (= (+ (* after_h__m after_h__m) (* (- 1.0) after_h__m)) 0.0))
(assert (= (+ (* (- 1.0) after_h__m after_h__m___1) after_h__m) 0.0))
(assert (= (+ (* after_h__m___1 after_h__m___1) (* (- 1.0) after_h__m___1)) 0.0))
(assert (not (= (+ (* (* after_h__m___1 after_h__m___1) X_h__m___1) (* X_h__m___1 after_h__m) (* after_h__m___1 val_h__m___1) (* (- 1.0) (* after_h__m___1 after_h__m___1) X_h__m___2) (* (- 1.0) X_h__m___1 after_h__m___1) (* (- 1.0) after_h__m val_h__m___1) (* X_h__m___2 after_h__m after_h__m___1) (* after_h__m___1 power_h__m___1 val_h__m) (* (- 1.0) X_h__m___1 after_h__m after_h__m___1) (* (- 1.0) after_h__m power_h__m___1 val_h__m) (* X_h__m after_h__m___1 power_h__m power_h__m___1) (* (- 1.0) X_h__m after_h__m power_h__m power_h__m___1)) 0.0)))
(check-sat)
(pop 1)
(reset)
; tasc.added-tokens-sharp: at the place: together
; val_h___1__m is val[h + 1, m]
; X_h___1__m is X[h + 1, m]
; power_h___1__m is power[h + 1, m]
; X_h___1__m___1 is X[h + 1, m + 1]
; after_h__m is after[h, m]
; val_h__m___1 is val[h, m + 1]
; after_h__m___1 is after[h, m + 1]
; power_h__m___1 is power[h, m + 1]
; val_h__m is val[h, m]
; X_h__m is X[h, m]
; power_h__m is power[h, m]
; X_h__m___1 is X[h, m + 1]
; X_h__m___2 is X[h, m + 2]
(set-logic QF_NRA)
(declare-const val_h___1__m Real)
(declare-const X_h___1__m Real)
(declare-const power_h___1__m Real)
(declare-const X_h___1__m___1 Real)
(declare-const after_h__m Real)
(declare-const val_h__m___1 Real)
(declare-const after_h__m___1 Real)
(declare-const power_h__m___1 Real)
(declare-const val_h__m Real)
(declare-const X_h__m Real)
(declare-const power_h__m Real)
(declare-const X_h__m___1 Real)
(declare-const X_h__m___2 Real)
(push 1)
(assert (= (+ (* (- 1.0) val_h___1__m) (* (- 1.0) X_h___1__m power_h___1__m) X_h___1__m___1) 0.0))
(assert (= (+ (* after_h__m val_h__m___1) (* after_h__m___1 val_h___1__m) (* (- 1.0) after_h__m val_h___1__m) (* (- 1.0) after_h__m___1 val_h__m___1) (* X_h___1__m after_h__m___1 power_h___1__m) (* after_h__m power_h__m___1 val_h__m) (* (- 1.0) X_h___1__m after_h__m power_h___1__m) (* (- 1.0) after_h__m___1 power_h__m___1 val_h__m) (* X_h__m after_h__m power_h__m power_h__m___1) (* (- 1.0) X_h__m after_h__m___1 power_h__m power_h__m___1)) 0.0))
(assert (= (+ (* (* after_h__m___1 after_h__m___1) X_h__m___1) (* X_h__m___1 after_h__m) (* after_h__m___1 val_h__m___1) (* (- 1.0) (* after_h__m___1 after_h__m___1) X_h__m___2) (* (- 1.0) X_h__m___1 after_h__m___1) (* (- 1.0) after_h__m val_h__m___1) (* X_h__m___2 after_h__m after_h__m___1) (* after_h__m___1 power_h__m___1 val_h__m) (* (- 1.0) X_h__m___1 after_h__m after_h__m___1) (* (- 1.0) after_h__m power_h__m___1 val_h__m) (* X_h__m after_h__m___1 power_h__m power_h__m___1) (* (- 1.0) X_h__m after_h__m power_h__m power_h__m___1)) 0.0))
(assert (not (= (+ (* (* after_h__m___1 after_h__m___1) X_h__m___1) (* X_h__m___1 after_h__m) (* X_h___1__m___1 after_h__m___1) (* (- 1.0) (* after_h__m___1 after_h__m___1) X_h__m___2) (* (- 1.0) X_h__m___1 after_h__m___1) (* (- 1.0) X_h___1__m___1 after_h__m) (* X_h__m___2 after_h__m after_h__m___1) (* (- 1.0) X_h__m___1 after_h__m after_h__m___1)) 0.0)))
(check-sat)
(pop 1)
(reset)
; tasc.added-tokens-sharp: before the place: the strings
; X_h__m is X[h, m]
; after_h__m is after[h, m]
; X_h__m___1 is X[h, m + 1]
; X_h___1__m is X[h + 1, m]
; after_h__m___1 is after[h, m + 1]
(set-logic QF_NRA)
(declare-const X_h__m Real)
(declare-const after_h__m Real)
(declare-const X_h__m___1 Real)
(declare-const X_h___1__m Real)
(declare-const after_h__m___1 Real)
(push 1)
(assert (= (+ (* (- 1.0) X_h__m) (* X_h__m after_h__m) (* (- 1.0) X_h__m___1 after_h__m) X_h___1__m) 0.0))
(assert (= (+ (* after_h__m after_h__m) (* (- 1.0) after_h__m)) 0.0))
(assert (= (+ (* (- 1.0) after_h__m after_h__m___1) after_h__m) 0.0))
(assert (= (+ (* after_h__m___1 after_h__m___1) (* (- 1.0) after_h__m___1)) 0.0))
(assert (not (= (+ (* (- 1.0) X_h__m) (* X_h__m after_h__m___1) (* (- 1.0) X_h___1__m after_h__m___1) X_h___1__m) 0.0)))
(check-sat)
(pop 1)
(reset)
; tasc.added-tokens-sharp: before the place: the next
; val_h__m is val[h, m]
; after_h__m___1 is after[h, m + 1]
; val_h__m___1 is val[h, m + 1]
; after_h__m is after[h, m]
; power_h__m___1 is power[h, m + 1]
; val_h___1__m is val[h + 1, m]
(set-logic QF_NRA)
(declare-const val_h__m Real)
(declare-const after_h__m___1 Real)
(declare-const val_h__m___1 Real)
(declare-const after_h__m Real)
(declare-const power_h__m___1 Real)
(declare-const val_h___1__m Real)
(push 1)
(assert (= (+ (* (- 1.0) val_h__m) (* after_h__m___1 val_h__m) (* (- 1.0) after_h__m___1 val_h__m___1) (* after_h__m power_h__m___1 val_h__m) (* (- 1.0) after_h__m___1 power_h__m___1 val_h__m) val_h___1__m) 0.0))
(assert (= (+ (* after_h__m after_h__m) (* (- 1.0) after_h__m)) 0.0))
(assert (= (+ (* (- 1.0) after_h__m after_h__m___1) after_h__m) 0.0))
(assert (= (+ (* after_h__m___1 after_h__m___1) (* (- 1.0) after_h__m___1)) 0.0))
(assert (not (= (+ (* (- 1.0) val_h__m) (* after_h__m___1 val_h__m) (* (- 1.0) after_h__m___1 val_h___1__m) val_h___1__m) 0.0)))
(check-sat)
(pop 1)
(reset)
; tasc.added-tokens-sharp: before the place: its power
; power_h__m is power[h, m]
; after_h__m___1 is after[h, m + 1]
; after_h__m is after[h, m]
; power_h__m___1 is power[h, m + 1]
; power_h___1__m is power[h + 1, m]
(set-logic QF_NRA)
(declare-const power_h__m Real)
(declare-const after_h__m___1 Real)
(declare-const after_h__m Real)
(declare-const power_h__m___1 Real)
(declare-const power_h___1__m Real)
(push 1)
(assert (= (+ (* (- 1.0) power_h__m) (* after_h__m___1 power_h__m) (* (- 1.0) after_h__m power_h__m___1) (* after_h__m power_h__m power_h__m___1) (* (- 1.0) after_h__m___1 power_h__m power_h__m___1) power_h___1__m) 0.0))
(assert (= (+ (* after_h__m after_h__m) (* (- 1.0) after_h__m)) 0.0))
(assert (= (+ (* (- 1.0) after_h__m after_h__m___1) after_h__m) 0.0))
(assert (= (+ (* after_h__m___1 after_h__m___1) (* (- 1.0) after_h__m___1)) 0.0))
(assert (not (= (+ (* (- 1.0) power_h__m) (* after_h__m___1 power_h__m) (* (- 1.0) after_h__m___1 power_h___1__m) power_h___1__m) 0.0)))
(check-sat)
(pop 1)
(reset)
; tasc.added-tokens-sharp: before the place: joined
; X_h__m is X[h, m]
; after_h__m___1 is after[h, m + 1]
; X_h___1__m is X[h + 1, m]
; val_h__m is val[h, m]
; val_h___1__m is val[h + 1, m]
; power_h__m is power[h, m]
; power_h___1__m is power[h + 1, m]
(set-logic QF_NRA)
(declare-const X_h__m Real)
(declare-const after_h__m___1 Real)
(declare-const X_h___1__m Real)
(declare-const val_h__m Real)
(declare-const val_h___1__m Real)
(declare-const power_h__m Real)
(declare-const power_h___1__m Real)
(push 1)
(assert (= (+ (* (- 1.0) X_h__m) (* X_h__m after_h__m___1) (* (- 1.0) X_h___1__m after_h__m___1) X_h___1__m) 0.0))
(assert (= (+ (* (- 1.0) val_h__m) (* after_h__m___1 val_h__m) (* (- 1.0) after_h__m___1 val_h___1__m) val_h___1__m) 0.0))
(assert (= (+ (* (- 1.0) power_h__m) (* after_h__m___1 power_h__m) (* (- 1.0) after_h__m___1 power_h___1__m) power_h___1__m) 0.0))
(assert (not (= (+ (* (- 1.0) val_h__m) (* X_h___1__m power_h___1__m) (* after_h__m___1 val_h__m) (* (- 1.0) X_h__m power_h__m) (* (- 1.0) after_h__m___1 val_h___1__m) (* X_h__m after_h__m___1 power_h__m) (* (- 1.0) X_h___1__m after_h__m___1 power_h___1__m) val_h___1__m) 0.0)))
(check-sat)
(pop 1)
(reset)
; tasc.added-tokens-sharp: before the place: as before
; val_h__m is val[h, m]
; X_h__m is X[h, m]
; power_h__m is power[h, m]
; X_h__m___1 is X[h, m + 1]
; val_h__m___1 is val[h, m + 1]
; power_h__m___1 is power[h, m + 1]
; X_h__m___2 is X[h, m + 2]
; after_h__m is after[h, m]
; after_h__m___1 is after[h, m + 1]
(set-logic QF_NRA)
(declare-const val_h__m Real)
(declare-const X_h__m Real)
(declare-const power_h__m Real)
(declare-const X_h__m___1 Real)
(declare-const val_h__m___1 Real)
(declare-const power_h__m___1 Real)
(declare-const X_h__m___2 Real)
(declare-const after_h__m Real)
(declare-const after_h__m___1 Real)
(push 1)
(assert (= (+ (* (- 1.0) val_h__m) (* (- 1.0) X_h__m power_h__m) X_h__m___1) 0.0))
(assert (= (+ (* (- 1.0) val_h__m___1) (* (- 1.0) X_h__m___1 power_h__m___1) X_h__m___2) 0.0))
(assert (= (+ (* after_h__m after_h__m) (* (- 1.0) after_h__m)) 0.0))
(assert (= (+ (* (- 1.0) after_h__m after_h__m___1) after_h__m) 0.0))
(assert (= (+ (* after_h__m___1 after_h__m___1) (* (- 1.0) after_h__m___1)) 0.0))
(assert (not (= (+ (* (- 1.0) X_h__m___1) (* (* after_h__m___1 after_h__m___1) X_h__m___2) (* X_h__m power_h__m) (* (- 1.0) (* after_h__m___1 after_h__m___1) X_h__m___1) (* (- 1.0) X_h__m___2 after_h__m___1) (* (- 1.0) after_h__m___1 val_h__m) (* 2.0 X_h__m___1 after_h__m___1) (* (- 1.0) X_h__m after_h__m___1 power_h__m) val_h__m) 0.0)))
(check-sat)
(pop 1)
(reset)
; tasc.added-tokens-sharp: before the place: together
; val_h___1__m is val[h + 1, m]
; X_h___1__m is X[h + 1, m]
; power_h___1__m is power[h + 1, m]
; X_h___1__m___1 is X[h + 1, m + 1]
; val_h__m is val[h, m]
; after_h__m___1 is after[h, m + 1]
; X_h__m is X[h, m]
; power_h__m is power[h, m]
; X_h__m___1 is X[h, m + 1]
; X_h__m___2 is X[h, m + 2]
(set-logic QF_NRA)
(declare-const val_h___1__m Real)
(declare-const X_h___1__m Real)
(declare-const power_h___1__m Real)
(declare-const X_h___1__m___1 Real)
(declare-const val_h__m Real)
(declare-const after_h__m___1 Real)
(declare-const X_h__m Real)
(declare-const power_h__m Real)
(declare-const X_h__m___1 Real)
(declare-const X_h__m___2 Real)
(push 1)
(assert (= (+ (* (- 1.0) val_h___1__m) (* (- 1.0) X_h___1__m power_h___1__m) X_h___1__m___1) 0.0))
(assert (= (+ (* (- 1.0) val_h__m) (* X_h___1__m power_h___1__m) (* after_h__m___1 val_h__m) (* (- 1.0) X_h__m power_h__m) (* (- 1.0) after_h__m___1 val_h___1__m) (* X_h__m after_h__m___1 power_h__m) (* (- 1.0) X_h___1__m after_h__m___1 power_h___1__m) val_h___1__m) 0.0))
(assert (= (+ (* (- 1.0) X_h__m___1) (* (* after_h__m___1 after_h__m___1) X_h__m___2) (* X_h__m power_h__m) (* (- 1.0) (* after_h__m___1 after_h__m___1) X_h__m___1) (* (- 1.0) X_h__m___2 after_h__m___1) (* (- 1.0) after_h__m___1 val_h__m) (* 2.0 X_h__m___1 after_h__m___1) (* (- 1.0) X_h__m after_h__m___1 power_h__m) val_h__m) 0.0))
(assert (not (= (+ (* (- 1.0) X_h__m___1) (* (* after_h__m___1 after_h__m___1) X_h__m___2) (* (- 1.0) (* after_h__m___1 after_h__m___1) X_h__m___1) (* (- 1.0) X_h__m___2 after_h__m___1) (* (- 1.0) X_h___1__m___1 after_h__m___1) (* 2.0 X_h__m___1 after_h__m___1) X_h___1__m___1) 0.0)))
(check-sat)
(pop 1)
(reset)
; tasc.added-tokens-sharp: one string more
; X_h___1__m___1 is X[h + 1, m + 1]
; after_h__m is after[h, m]
; X_h__m___1 is X[h, m + 1]
; after_h__m___1 is after[h, m + 1]
; X_h__m___2 is X[h, m + 2]
(set-logic QF_NRA)
(declare-const X_h___1__m___1 Real)
(declare-const after_h__m Real)
(declare-const X_h__m___1 Real)
(declare-const after_h__m___1 Real)
(declare-const X_h__m___2 Real)
(push 1)
(assert (= (+ (* X_h___1__m___1 after_h__m) (* (- 1.0) X_h__m___1 after_h__m) (* X_h__m___1 after_h__m after_h__m___1) (* (- 1.0) X_h__m___2 after_h__m after_h__m___1)) 0.0))
(assert (= (+ (* (* after_h__m___1 after_h__m___1) X_h__m___1) (* X_h__m___1 after_h__m) (* X_h___1__m___1 after_h__m___1) (* (- 1.0) (* after_h__m___1 after_h__m___1) X_h__m___2) (* (- 1.0) X_h__m___1 after_h__m___1) (* (- 1.0) X_h___1__m___1 after_h__m) (* X_h__m___2 after_h__m after_h__m___1) (* (- 1.0) X_h__m___1 after_h__m after_h__m___1)) 0.0))
(assert (= (+ (* (- 1.0) X_h__m___1) (* (* after_h__m___1 after_h__m___1) X_h__m___2) (* (- 1.0) (* after_h__m___1 after_h__m___1) X_h__m___1) (* (- 1.0) X_h__m___2 after_h__m___1) (* (- 1.0) X_h___1__m___1 after_h__m___1) (* 2.0 X_h__m___1 after_h__m___1) X_h___1__m___1) 0.0))
(assert (not (= (+ (* (- 1.0) X_h__m___1) (* X_h__m___1 after_h__m___1) (* (- 1.0) X_h__m___2 after_h__m___1) X_h___1__m___1) 0.0)))
(check-sat)
(pop 1)
(reset)
; tasc.added-tokens-sharp: one join more
; X_0__top is X[0, top]
; X_h__top is X[h, top]
; after_h__top is after[h, top]
; X_h__top___1 is X[h, top + 1]
; X_h___1__top is X[h + 1, top]
; val_h__top is val[h, top]
; power_h__top is power[h, top]
(set-logic QF_NRA)
(declare-const X_0__top Real)
(declare-const X_h__top Real)
(declare-const after_h__top Real)
(declare-const X_h__top___1 Real)
(declare-const X_h___1__top Real)
(declare-const val_h__top Real)
(declare-const power_h__top Real)
(push 1)
(assert (= (+ (* (- 1.0) X_0__top) X_h__top) 0.0))
(assert (= (+ (* (- 1.0) X_h__top) (* X_h__top after_h__top) (* (- 1.0) X_h__top___1 after_h__top) X_h___1__top) 0.0))
(assert (= (+ (* (- 1.0) val_h__top) (* (- 1.0) X_h__top power_h__top) X_h__top___1) 0.0))
(assert (= (+ (- 1.0) after_h__top) 0.0))
(assert (= val_h__top 0.0))
(assert (= (+ (- 1.0) power_h__top) 0.0))
(assert (not (= (+ (* (- 1.0) X_0__top) X_h___1__top) 0.0)))
(check-sat)
(pop 1)
(reset)
; tasc.added-tokens-sharp: no longer
; length_0 is length[0]
; S_K is S[K]
; length_K is length[K]
(set-logic QF_NRA)
(declare-const length_0 Real)
(declare-const S_K Real)
(declare-const length_K Real)
(push 1)
(assert (= (+ (* (- 1.0) length_0) S_K length_K) 0.0))
(assert (not (<= (+ (* (- 1.0) length_0) S_K length_K) 0.0)))
(check-sat)
(pop 1)
(reset)
; tasc.added-tokens-sharp: and no shorter
; length_0 is length[0]
; S_K is S[K]
; length_K is length[K]
(set-logic QF_NRA)
(declare-const length_0 Real)
(declare-const S_K Real)
(declare-const length_K Real)
(push 1)
(assert (= (+ (* (- 1.0) length_0) S_K length_K) 0.0))
(assert (not (<= (+ (* (- 1.0) S_K) (* (- 1.0) length_K) length_0) 0.0)))
(check-sat)
(pop 1)

; tasc.reward-decreasing-sharp: rewards do not rise
; r_n___1 is r[n + 1]
; r_n is r[n]
(set-logic QF_NRA)
(declare-const r_n___1 Real)
(declare-const limited Real)
(declare-const r_n Real)
(push 1)
(assert (>= (+ (* (- 1.0) r_n___1) (* limited r_n___1) (* (- 1.0) limited r_n) r_n) 0.0))
(assert (= limited 0.0))
(assert (not (<= (+ (* (- 1.0) r_n) r_n___1) 0.0)))
(check-sat)
(pop 1)
(reset)
; tasc.reward-decreasing-sharp: saves its reward
; N_0 is N[0]
; N_1 is N[1]
; r_0 is r[0]
(set-logic QF_NRA)
(declare-const N_0 Real)
(declare-const N_1 Real)
(declare-const r_0 Real)
(push 1)
(assert (= (+ (* (- 1.0) N_0) N_1 r_0) 0.0))
(assert (not (<= (+ (* (- 1.0) N_0) N_1 r_0) 0.0)))
(check-sat)
(pop 1)
(reset)
; tasc.reward-decreasing-sharp: one more
; N_0 is N[0]
; r_n is r[n]
; N_n___1 is N[n + 1]
; N_n___2 is N[n + 2]
; r_n___1 is r[n + 1]
(set-logic QF_NRA)
(declare-const N_0 Real)
(declare-const n Real)
(declare-const r_n Real)
(declare-const N_n___1 Real)
(declare-const N_n___2 Real)
(declare-const r_n___1 Real)
(assert (>= n 0.0))
(push 1)
(assert (<= (+ (* (- 1.0) N_0) (* n r_n) N_n___1 r_n) 0.0))
(assert (= (+ (* (- 1.0) N_n___1) N_n___2 r_n___1) 0.0))
(assert (<= (+ (* (- 1.0) r_n) r_n___1) 0.0))
(assert (not (<= (+ (* (- 1.0) N_0) (* 2.0 r_n___1) (* n r_n___1) N_n___2) 0.0)))
(check-sat)
(pop 1)
(reset)
; tasc.reward-decreasing-sharp: divided by their number
; N_0 is N[0]
; r_n is r[n]
; N_n___1 is N[n + 1]
(set-logic QF_NRA)
(declare-const N_0 Real)
(declare-const n Real)
(declare-const r_n Real)
(declare-const N_n___1 Real)
(declare-const D Real)
(assert (>= n 0.0))
(assert (>= D 0.0))
(push 1)
(assert (<= (+ (* (- 1.0) N_0) (* n r_n) N_n___1 r_n) 0.0))
(assert (>= (+ (* (- 1.0) D) N_n___1) 0.0))
(assert (>= D 0.0))
(assert (not (<= (+ D (* (- 1.0) N_0) (* n r_n) r_n) 0.0)))
(check-sat)
(pop 1)

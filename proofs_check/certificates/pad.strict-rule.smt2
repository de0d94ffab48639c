; pad.strict-rule: what is kept is worth at least the average
; q_s__x is q[s, x]
; f_h__s__x is f[h, s, x]
; k_h__s__x is k[h, s, x]
; U_h___1__s is U[h + 1, s]
; U_h__step_s__x is U[h, step[s, x]]
(set-logic QF_NRA)
(declare-const q_s__x Real)
(declare-const f_h__s__x Real)
(declare-const k_h__s__x Real)
(declare-const U_h___1__s Real)
(declare-const U_h__step_s__x Real)
(assert (>= q_s__x 0.0))
(push 1)
(assert (= (+ (* (- 1.0) q_s__x) (* f_h__s__x q_s__x) k_h__s__x) 0.0))
(assert (>= (+ (* (- 1.0) U_h___1__s) (* U_h___1__s f_h__s__x) (* (- 1.0) U_h__step_s__x f_h__s__x) U_h__step_s__x) 0.0))
(assert (not (>= (+ (* U_h__step_s__x k_h__s__x) (* (- 1.0) U_h___1__s k_h__s__x)) 0.0)))
(check-sat)
(pop 1)
(reset)
; pad.strict-rule: a kept mass is not negative
; q_s__x is q[s, x]
; f_h__s__x is f[h, s, x]
; k_h__s__x is k[h, s, x]
(set-logic QF_NRA)
(declare-const q_s__x Real)
(declare-const f_h__s__x Real)
(declare-const k_h__s__x Real)
(assert (>= q_s__x 0.0))
(push 1)
(assert (= (+ (* (- 1.0) q_s__x) (* f_h__s__x q_s__x) k_h__s__x) 0.0))
(assert (= (+ (* f_h__s__x f_h__s__x) (* (- 1.0) f_h__s__x)) 0.0))
(assert (not (>= k_h__s__x 0.0)))
(check-sat)
(pop 1)
(reset)
; pad.strict-rule: kept is a part of the draft
; q_s__x is q[s, x]
; f_h__s__x is f[h, s, x]
; k_h__s__x is k[h, s, x]
(set-logic QF_NRA)
(declare-const q_s__x Real)
(declare-const f_h__s__x Real)
(declare-const k_h__s__x Real)
(assert (>= q_s__x 0.0))
(push 1)
(assert (= (+ (* (- 1.0) q_s__x) (* f_h__s__x q_s__x) k_h__s__x) 0.0))
(assert (= (+ (* f_h__s__x f_h__s__x) (* (- 1.0) f_h__s__x)) 0.0))
(assert (not (<= (+ (* (- 1.0) q_s__x) k_h__s__x) 0.0)))
(check-sat)
(pop 1)
(reset)
; pad.strict-rule: an emitted mass is not negative
; k_h__s__x is k[h, s, x]
; p_s__x is p[s, x]
; Sum_k_h__s__x____x__1__V is Sum(k[h, s, x], (x, 1, V))
; o_h__s__x is o[h, s, x]
; Sum_q_s__x____x__1__V is Sum(q[s, x], (x, 1, V))
(set-logic QF_NRA)
(declare-const k_h__s__x Real)
(declare-const p_s__x Real)
(declare-const Sum_k_h__s__x____x__1__V Real)
(declare-const o_h__s__x Real)
(declare-const Sum_q_s__x____x__1__V Real)
(assert (>= p_s__x 0.0))
(assert (>= Sum_q_s__x____x__1__V 0.0))
(push 1)
(assert (= (+ (* (- 1.0) k_h__s__x) (* (- 1.0) p_s__x) (* p_s__x Sum_k_h__s__x____x__1__V) o_h__s__x) 0.0))
(assert (>= k_h__s__x 0.0))
(assert (<= (+ (* (- 1.0) Sum_q_s__x____x__1__V) Sum_k_h__s__x____x__1__V) 0.0))
(assert (= (+ (- 1.0) Sum_q_s__x____x__1__V) 0.0))
(assert (not (>= o_h__s__x 0.0)))
(check-sat)
(pop 1)
(reset)
; pad.strict-rule: a step loses nothing
; sum_0 is Sum(U[h, step[s, x]]*k[h, s, x], (x, 1, V))
; sum_1 is Sum(U[h, step[s, x]]*p[s, x], (x, 1, V))
; Sum_k_h__s__x____x__1__V is Sum(k[h, s, x], (x, 1, V))
; sum_3 is Sum(U[h, step[s, x]]*o[h, s, x], (x, 1, V))
; U_h___1__s is U[h + 1, s]
(set-logic QF_NRA)
(declare-const sum_0 Real)
(declare-const sum_1 Real)
(declare-const Sum_k_h__s__x____x__1__V Real)
(declare-const sum_3 Real)
(declare-const U_h___1__s Real)
(push 1)
(assert (>= (+ (* (- 1.0) sum_0) (* (- 1.0) sum_1) (* sum_1 Sum_k_h__s__x____x__1__V) sum_3) 0.0))
(assert (>= (+ (* (- 1.0) U_h___1__s Sum_k_h__s__x____x__1__V) sum_0) 0.0))
(assert (= (+ (* (- 1.0) sum_1) U_h___1__s) 0.0))
(assert (not (<= (+ (* (- 1.0) sum_3) sum_1) 0.0)))
(check-sat)
(pop 1)
(reset)
; pad.strict-rule: weighted with the law of a step
; U_h__step_s__x is U[h, step[s, x]]
; W_h__step_s__x is W[h, step[s, x]]
; o_h__s__x is o[h, s, x]
(set-logic QF_NRA)
(declare-const U_h__step_s__x Real)
(declare-const W_h__step_s__x Real)
(declare-const o_h__s__x Real)
(push 1)
(assert (>= (+ (* (- 1.0) U_h__step_s__x) W_h__step_s__x) 0.0))
(assert (>= o_h__s__x 0.0))
(assert (not (>= (+ (* W_h__step_s__x o_h__s__x) (* (- 1.0) U_h__step_s__x o_h__s__x)) 0.0)))
(check-sat)
(pop 1)
(reset)
; pad.strict-rule: one token more
; sum_0 is Sum(W[h, step[s, x]]*o[h, s, x], (x, 1, V))
; W_h___1__s is W[h + 1, s]
; sum_2 is Sum(U[h, step[s, x]]*p[s, x], (x, 1, V))
; U_h___1__s is U[h + 1, s]
; sum_4 is Sum(U[h, step[s, x]]*o[h, s, x], (x, 1, V))
(set-logic QF_NRA)
(declare-const sum_0 Real)
(declare-const W_h___1__s Real)
(declare-const sum_2 Real)
(declare-const U_h___1__s Real)
(declare-const sum_4 Real)
(push 1)
(assert (= (+ (* (- 1.0) sum_0) W_h___1__s) 0.0))
(assert (= (+ (* (- 1.0) sum_2) U_h___1__s) 0.0))
(assert (<= (+ (* (- 1.0) sum_4) sum_2) 0.0))
(assert (>= (+ (* (- 1.0) sum_4) sum_0) 0.0))
(assert (not (>= (+ (* (- 1.0) U_h___1__s) W_h___1__s) 0.0)))
(check-sat)
(pop 1)

; sd.speedup: tokens of the blocks that end earlier
; A_n is A[n]
; R_n is R[n]
; Sum_w_n__x____x__1__C is Sum(w[n, x], (x, 1, C))
(set-logic QF_NRA)
(declare-const A_n Real)
(declare-const R_n Real)
(declare-const Sum_w_n__x____x__1__C Real)
(push 1)
(assert (= (+ (- 1.0) (* (- 1.0) A_n) R_n Sum_w_n__x____x__1__C) 0.0))
(assert (not (= (+ (- 1.0) (* (- 1.0) A_n) R_n Sum_w_n__x____x__1__C) 0.0)))
(check-sat)
(pop 1)
(reset)
; sd.speedup: time of the target saved per unit of time, numerator and denominator divided by its time for one call
; A_n is A[n]
; R_n is R[n]
; Sum_w_n__x____x__1__C is Sum(w[n, x], (x, 1, C))
(set-logic QF_NRA)
(declare-const A_n Real)
(declare-const R_n Real)
(declare-const Sum_w_n__x____x__1__C Real)
(declare-const t_p Real)
(declare-const t_q Real)
(assert (> t_p 0.0))
(assert (>= t_q 0.0))
(push 1)
(assert (= (+ (- 1.0) (* (- 1.0) A_n) R_n Sum_w_n__x____x__1__C) 0.0))
(assert (> t_p 0.0))
(assert (>= t_q 0.0))
(assert (not (= (+ (* (- 1.0) t_p) (* t_p R_n) (* t_p Sum_w_n__x____x__1__C) (* (- 1.0) t_p A_n)) 0.0)))
(check-sat)
(pop 1)

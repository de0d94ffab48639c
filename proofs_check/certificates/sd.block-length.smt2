; sd.block-length: one term more
; S_n is S[n]
; alpha__n is alpha**n
; S_n___1 is S[n + 1]
(set-logic QF_NRA)
(declare-const S_n Real)
(declare-const alpha Real)
(declare-const alpha__n Real)
(declare-const S_n___1 Real)
(assert (>= alpha 0.0))
(assert (>= alpha__n 0.0))
(push 1)
(assert (= (+ (* (- 1.0) S_n) (* (- 1.0) alpha alpha__n) S_n___1) 0.0))
(assert (= (+ (- 1.0) (* alpha alpha__n) (* (- 1.0) alpha S_n) S_n) 0.0))
(assert (>= alpha 0.0))
(assert (not (= (+ (- 1.0) (* (* alpha alpha) alpha__n) (* (- 1.0) alpha S_n___1) S_n___1) 0.0)))
(check-sat)
(pop 1)
(reset)
; sd.block-length: α is not one
; S_n is S[n]
; Sum_w_n__x____x__1__C is Sum(w[n, x], (x, 1, C))
; R_n is R[n]
; alpha__n is alpha**n
(set-logic QF_NRA)
(declare-const S_n Real)
(declare-const n Real)
(declare-const Sum_w_n__x____x__1__C Real)
(declare-const R_n Real)
(declare-const alpha Real)
(declare-const alpha__n Real)
(assert (>= n 0.0))
(assert (>= alpha 0.0))
(assert (>= alpha__n 0.0))
(push 1)
(assert (= (+ (* (- 1.0) S_n) (* n Sum_w_n__x____x__1__C) R_n Sum_w_n__x____x__1__C) 0.0))
(assert (= (+ (- 1.0) (* alpha alpha__n) (* (- 1.0) alpha S_n) S_n) 0.0))
(assert (> (+ 1.0 (* (- 1.0) alpha)) 0.0))
(assert (>= alpha 0.0))
(assert (not (= (+ (- 1.0) (* alpha alpha__n) (* n Sum_w_n__x____x__1__C) (* (- 1.0) alpha R_n) (* (- 1.0) alpha Sum_w_n__x____x__1__C) (* (- 1.0) alpha n Sum_w_n__x____x__1__C) R_n Sum_w_n__x____x__1__C) 0.0)))
(check-sat)
(pop 1)

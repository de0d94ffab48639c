; pad.soundness-flip: a cell of the coin has some mass
; a_x is a[x]
; q_x is q[x]
(set-logic QF_NRA)
(declare-const a_x Real)
(declare-const q_x Real)
(assert (>= a_x 0.0))
(assert (>= q_x 0.0))
(push 1)
(assert (<= (+ (- 1.0) a_x) 0.0))
(assert (not (>= (* a_x q_x) 0.0)))
(check-sat)
(pop 1)
(reset)
; pad.soundness-flip: accepted only if it was before
; f_x is f[x]
(set-logic QF_NRA)
(declare-const f_x Real)
(assert (>= f_x 0.0))
(push 1)
(assert (<= (+ (- 1.0) f_x) 0.0))
(assert (not (<= 0.0 0.0)))
(check-sat)
(pop 1)
(reset)
; pad.soundness-flip: times its mass
; a_x is a[x]
; q_x is q[x]
(set-logic QF_NRA)
(declare-const a_x Real)
(declare-const q_x Real)
(assert (>= a_x 0.0))
(assert (>= q_x 0.0))
(push 1)
(assert (<= 0.0 0.0))
(assert (>= (* a_x q_x) 0.0))
(assert (not (<= 0.0 0.0)))
(check-sat)
(pop 1)
(reset)
; pad.soundness-flip: a cell of the coin has some mass
; a_x is a[x]
; q_x is q[x]
(set-logic QF_NRA)
(declare-const a_x Real)
(declare-const q_x Real)
(assert (>= a_x 0.0))
(assert (>= q_x 0.0))
(push 1)
(assert (<= (+ (- 1.0) a_x) 0.0))
(assert (not (>= (+ (* (- 1.0) a_x q_x) q_x) 0.0)))
(check-sat)
(pop 1)
(reset)
; pad.soundness-flip: accepted only if it was before
; f_x is f[x]
; h_x is h[x]
(set-logic QF_NRA)
(declare-const f_x Real)
(declare-const h_x Real)
(assert (>= f_x 0.0))
(assert (>= h_x 0.0))
(push 1)
(assert (<= (+ (- 1.0) f_x) 0.0))
(assert (not (<= (+ (* (- 1.0) h_x) (* f_x h_x)) 0.0)))
(check-sat)
(pop 1)
(reset)
; pad.soundness-flip: times its mass
; h_x is h[x]
; f_x is f[x]
; a_x is a[x]
; q_x is q[x]
(set-logic QF_NRA)
(declare-const h_x Real)
(declare-const f_x Real)
(declare-const a_x Real)
(declare-const q_x Real)
(assert (>= h_x 0.0))
(assert (>= f_x 0.0))
(assert (>= a_x 0.0))
(assert (>= q_x 0.0))
(push 1)
(assert (<= (+ (* (- 1.0) h_x) (* f_x h_x)) 0.0))
(assert (>= (+ (* (- 1.0) a_x q_x) q_x) 0.0))
(assert (not (<= (+ (* (- 1.0) h_x q_x) (* a_x h_x q_x) (* f_x h_x q_x) (* (- 1.0) a_x f_x h_x q_x)) 0.0)))
(check-sat)
(pop 1)

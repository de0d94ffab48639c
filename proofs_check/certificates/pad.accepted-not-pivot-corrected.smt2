; pad.accepted-not-pivot-corrected: no pivot lacks the flag
; t_x is t[x]
; h_x is h[x]
(set-logic QF_NRA)
(declare-const t_x Real)
(declare-const h_x Real)
(push 1)
(assert (= (+ (* t_x t_x) (* (- 1.0) t_x)) 0.0))
(assert (not (= (+ (* (- 1.0) (* t_x t_x)) (* (* t_x t_x) h_x) (* (- 1.0) h_x t_x) t_x) 0.0)))
(check-sat)
(pop 1)

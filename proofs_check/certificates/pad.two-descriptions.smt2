; pad.two-descriptions: what the rule keeps
; q_x is q[x]
; p_x is p[x]
; a_x is a[x]
; f_x is f[x]
(set-logic QF_NRA)
(declare-const q_x Real)
(declare-const p_x Real)
(declare-const a_x Real)
(declare-const f_x Real)
(push 1)
(assert (>= (+ (* (- 1.0) q_x) p_x) 0.0))
(assert (= (+ (* (- 1.0) q_x) (* a_x q_x)) 0.0))
(assert (not (= (+ (* (- 1.0) f_x q_x) (* a_x f_x q_x)) 0.0)))
(check-sat)
(pop 1)
(push 1)
(assert (>= (+ (* (- 1.0) p_x) q_x) 0.0))
(assert (= (+ (* (- 1.0) p_x) (* a_x q_x)) 0.0))
(assert (not (= (+ (* (- 1.0) f_x p_x) (* a_x f_x q_x)) 0.0)))
(check-sat)
(pop 1)
(reset)
; pad.two-descriptions: what the rule emits
; q_x is q[x]
; p_x is p[x]
; f_x is f[x]
; a_x is a[x]
; sum_4 is Sum(f[x]*Min(p[x], q[x]), (x, 1, V))
; sum_5 is Sum(a[x]*f[x]*q[x], (x, 1, V))
; r_x is r[x]
(set-logic QF_NRA)
(declare-const q_x Real)
(declare-const p_x Real)
(declare-const f_x Real)
(declare-const a_x Real)
(declare-const sum_4 Real)
(declare-const sum_5 Real)
(declare-const r_x Real)
(push 1)
(assert (>= (+ (* (- 1.0) q_x) p_x) 0.0))
(assert (= (+ (* (- 1.0) f_x q_x) (* a_x f_x q_x)) 0.0))
(assert (= (+ (* (- 1.0) sum_4) sum_5) 0.0))
(assert (not (= (+ (* r_x sum_4) (* (- 1.0) f_x q_x) (* (- 1.0) r_x sum_5) (* a_x f_x q_x)) 0.0)))
(check-sat)
(pop 1)
(push 1)
(assert (>= (+ (* (- 1.0) p_x) q_x) 0.0))
(assert (= (+ (* (- 1.0) f_x p_x) (* a_x f_x q_x)) 0.0))
(assert (= (+ (* (- 1.0) sum_4) sum_5) 0.0))
(assert (not (= (+ (* r_x sum_4) (* (- 1.0) f_x p_x) (* (- 1.0) r_x sum_5) (* a_x f_x q_x)) 0.0)))
(check-sat)
(pop 1)

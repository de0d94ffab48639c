; ears.gamma-scaling-sharp: EARS keeps at least as much
; q_s__x is q[s, x]
; p_s__x is p[s, x]
; t_s is t[s]
(set-logic QF_NRA)
(declare-const q_s__x Real)
(declare-const p_s__x Real)
(declare-const t_s Real)
(assert (>= q_s__x 0.0))
(assert (>= p_s__x 0.0))
(push 1)
(assert (>= (+ (* (- 1.0) q_s__x) p_s__x) 0.0))
(assert (>= (+ (* (- 1.0) q_s__x) (* t_s q_s__x) p_s__x) 0.0))
(assert (>= t_s 0.0))
(assert (not (>= 0.0 0.0)))
(check-sat)
(pop 1)
(push 1)
(assert (>= (+ (* (- 1.0) q_s__x) p_s__x) 0.0))
(assert (>= (+ (* (- 1.0) p_s__x) (* (- 1.0) t_s q_s__x) q_s__x) 0.0))
(assert (>= t_s 0.0))
(assert (not (>= (+ (* (- 1.0) q_s__x) (* t_s q_s__x) p_s__x) 0.0)))
(check-sat)
(pop 1)
(push 1)
(assert (>= (+ (* (- 1.0) p_s__x) q_s__x) 0.0))
(assert (>= (+ (* (- 1.0) q_s__x) (* t_s q_s__x) p_s__x) 0.0))
(assert (>= t_s 0.0))
(assert (not (>= (+ (* (- 1.0) p_s__x) q_s__x) 0.0)))
(check-sat)
(pop 1)
(push 1)
(assert (>= (+ (* (- 1.0) p_s__x) q_s__x) 0.0))
(assert (>= (+ (* (- 1.0) p_s__x) (* (- 1.0) t_s q_s__x) q_s__x) 0.0))
(assert (>= t_s 0.0))
(assert (not (>= (* t_s q_s__x) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.gamma-scaling-sharp: min(p, q)
; q_s__x is q[s, x]
; p_s__x is p[s, x]
(set-logic QF_NRA)
(declare-const q_s__x Real)
(declare-const p_s__x Real)
(assert (>= q_s__x 0.0))
(assert (>= p_s__x 0.0))
(push 1)
(assert (>= (+ (* (- 1.0) q_s__x) p_s__x) 0.0))
(assert (not (>= q_s__x 0.0)))
(check-sat)
(pop 1)
(push 1)
(assert (>= (+ (* (- 1.0) p_s__x) q_s__x) 0.0))
(assert (not (>= p_s__x 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.gamma-scaling-sharp: a rate
; sum_0 is Sum(Min(p[s, x], q[s, x]), (x, 1, V))
; a_s is a[s]
(set-logic QF_NRA)
(declare-const sum_0 Real)
(declare-const a_s Real)
(assert (>= sum_0 0.0))
(push 1)
(assert (= (+ (* (- 1.0) sum_0) a_s) 0.0))
(assert (>= sum_0 0.0))
(assert (not (>= a_s 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.gamma-scaling-sharp: EARS accepts as often
; sum_0 is Sum(Min(p[s, x], q[s, x]), (x, 1, V))
; a_s is a[s]
; sum_2 is Sum(Min(p[s, x] + q[s, x]*t[s], q[s, x]), (x, 1, V))
; b_s is b[s]
(set-logic QF_NRA)
(declare-const sum_0 Real)
(declare-const a_s Real)
(declare-const sum_2 Real)
(declare-const b_s Real)
(assert (>= sum_0 0.0))
(push 1)
(assert (= (+ (* (- 1.0) sum_0) a_s) 0.0))
(assert (= (+ (* (- 1.0) sum_2) b_s) 0.0))
(assert (>= (+ (* (- 1.0) sum_0) sum_2) 0.0))
(assert (not (>= (+ (* (- 1.0) a_s) b_s) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.gamma-scaling-sharp: a block has a token: without drafts
; L_0__s is L[0, s]
; M_0__s is M[0, s]
; b_s is b[s]
; L_0__place_s is L[0, place[s]]
; L_1__s is L[1, s]
; a_s is a[s]
; M_0__place_s is M[0, place[s]]
; M_1__s is M[1, s]
(set-logic QF_NRA)
(declare-const L_0__s Real)
(declare-const M_0__s Real)
(declare-const b_s Real)
(declare-const L_0__place_s Real)
(declare-const L_1__s Real)
(declare-const a_s Real)
(declare-const M_0__place_s Real)
(declare-const M_1__s Real)
(push 1)
(assert (= (+ (- 1.0) L_0__s) 0.0))
(assert (= (+ (- 1.0) M_0__s) 0.0))
(assert (= (+ (- 1.0) (* (- 1.0) b_s L_0__place_s) L_1__s) 0.0))
(assert (= (+ (- 1.0) (* (- 1.0) a_s M_0__place_s) M_1__s) 0.0))
(assert (= (+ (- 1.0) L_0__place_s) 0.0))
(assert (= (+ (- 1.0) M_0__place_s) 0.0))
(assert (>= a_s 0.0))
(assert (>= (+ (* (- 1.0) a_s) b_s) 0.0))
(assert (not (>= (+ (- 1.0) M_0__s) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.gamma-scaling-sharp: a block has a token: at the next place
; M_n__place_s is M[n, place[s]]
; a_s is a[s]
; b_s is b[s]
(set-logic QF_NRA)
(declare-const M_n__place_s Real)
(declare-const a_s Real)
(declare-const b_s Real)
(push 1)
(assert (>= (+ (- 1.0) M_n__place_s) 0.0))
(assert (>= a_s 0.0))
(assert (>= (+ (* (- 1.0) a_s) b_s) 0.0))
(assert (not (>= (* a_s M_n__place_s) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.gamma-scaling-sharp: a block has a token: one draft more
; a_s is a[s]
; M_n__place_s is M[n, place[s]]
; M_n___1__s is M[n + 1, s]
(set-logic QF_NRA)
(declare-const a_s Real)
(declare-const M_n__place_s Real)
(declare-const M_n___1__s Real)
(push 1)
(assert (= (+ (- 1.0) (* (- 1.0) a_s M_n__place_s) M_n___1__s) 0.0))
(assert (>= (* a_s M_n__place_s) 0.0))
(assert (not (>= (+ (- 1.0) M_n___1__s) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.gamma-scaling-sharp: a draft more adds to M: without drafts
; L_0__s is L[0, s]
; M_0__s is M[0, s]
; b_s is b[s]
; L_0__place_s is L[0, place[s]]
; L_1__s is L[1, s]
; a_s is a[s]
; M_0__place_s is M[0, place[s]]
; M_1__s is M[1, s]
(set-logic QF_NRA)
(declare-const L_0__s Real)
(declare-const M_0__s Real)
(declare-const b_s Real)
(declare-const L_0__place_s Real)
(declare-const L_1__s Real)
(declare-const a_s Real)
(declare-const M_0__place_s Real)
(declare-const M_1__s Real)
(push 1)
(assert (= (+ (- 1.0) L_0__s) 0.0))
(assert (= (+ (- 1.0) M_0__s) 0.0))
(assert (= (+ (- 1.0) (* (- 1.0) b_s L_0__place_s) L_1__s) 0.0))
(assert (= (+ (- 1.0) (* (- 1.0) a_s M_0__place_s) M_1__s) 0.0))
(assert (= (+ (- 1.0) L_0__place_s) 0.0))
(assert (= (+ (- 1.0) M_0__place_s) 0.0))
(assert (>= a_s 0.0))
(assert (>= (+ (* (- 1.0) a_s) b_s) 0.0))
(assert (not (>= (+ (* (- 1.0) M_0__s) M_1__s) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.gamma-scaling-sharp: a draft more adds to M: at the next place
; M_n__place_s is M[n, place[s]]
; M_n___1__place_s is M[n + 1, place[s]]
; a_s is a[s]
; b_s is b[s]
(set-logic QF_NRA)
(declare-const M_n__place_s Real)
(declare-const M_n___1__place_s Real)
(declare-const a_s Real)
(declare-const b_s Real)
(push 1)
(assert (>= (+ (* (- 1.0) M_n__place_s) M_n___1__place_s) 0.0))
(assert (>= a_s 0.0))
(assert (>= (+ (* (- 1.0) a_s) b_s) 0.0))
(assert (not (>= (+ (* a_s M_n___1__place_s) (* (- 1.0) a_s M_n__place_s)) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.gamma-scaling-sharp: a draft more adds to M: one draft more
; M_n___1__s is M[n + 1, s]
; a_s is a[s]
; M_n__place_s is M[n, place[s]]
; M_n___1__place_s is M[n + 1, place[s]]
; M_n___2__s is M[n + 2, s]
(set-logic QF_NRA)
(declare-const M_n___1__s Real)
(declare-const a_s Real)
(declare-const M_n__place_s Real)
(declare-const M_n___1__place_s Real)
(declare-const M_n___2__s Real)
(push 1)
(assert (= (+ (* (- 1.0) M_n___1__s) (* a_s M_n__place_s) (* (- 1.0) a_s M_n___1__place_s) M_n___2__s) 0.0))
(assert (>= (+ (* a_s M_n___1__place_s) (* (- 1.0) a_s M_n__place_s)) 0.0))
(assert (not (>= (+ (* (- 1.0) M_n___1__s) M_n___2__s) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.gamma-scaling-sharp: and at least as much to L: without drafts
; L_0__s is L[0, s]
; M_0__s is M[0, s]
; b_s is b[s]
; L_0__place_s is L[0, place[s]]
; L_1__s is L[1, s]
; a_s is a[s]
; M_0__place_s is M[0, place[s]]
; M_1__s is M[1, s]
(set-logic QF_NRA)
(declare-const L_0__s Real)
(declare-const M_0__s Real)
(declare-const b_s Real)
(declare-const L_0__place_s Real)
(declare-const L_1__s Real)
(declare-const a_s Real)
(declare-const M_0__place_s Real)
(declare-const M_1__s Real)
(push 1)
(assert (= (+ (- 1.0) L_0__s) 0.0))
(assert (= (+ (- 1.0) M_0__s) 0.0))
(assert (= (+ (- 1.0) (* (- 1.0) b_s L_0__place_s) L_1__s) 0.0))
(assert (= (+ (- 1.0) (* (- 1.0) a_s M_0__place_s) M_1__s) 0.0))
(assert (= (+ (- 1.0) L_0__place_s) 0.0))
(assert (= (+ (- 1.0) M_0__place_s) 0.0))
(assert (>= a_s 0.0))
(assert (>= (+ (* (- 1.0) a_s) b_s) 0.0))
(assert (not (>= (+ (* (- 1.0) L_0__s) (* (- 1.0) M_1__s) L_1__s M_0__s) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.gamma-scaling-sharp: and at least as much to L: at the next place
; L_n__place_s is L[n, place[s]]
; M_n___1__place_s is M[n + 1, place[s]]
; L_n___1__place_s is L[n + 1, place[s]]
; M_n__place_s is M[n, place[s]]
; a_s is a[s]
; b_s is b[s]
(set-logic QF_NRA)
(declare-const L_n__place_s Real)
(declare-const M_n___1__place_s Real)
(declare-const L_n___1__place_s Real)
(declare-const M_n__place_s Real)
(declare-const a_s Real)
(declare-const b_s Real)
(push 1)
(assert (>= (+ (* (- 1.0) L_n__place_s) (* (- 1.0) M_n___1__place_s) L_n___1__place_s M_n__place_s) 0.0))
(assert (>= a_s 0.0))
(assert (>= (+ (* (- 1.0) a_s) b_s) 0.0))
(assert (>= (+ (* (- 1.0) M_n__place_s) M_n___1__place_s) 0.0))
(assert (not (>= (+ (* a_s M_n__place_s) (* b_s L_n___1__place_s) (* (- 1.0) a_s M_n___1__place_s) (* (- 1.0) b_s L_n__place_s)) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.gamma-scaling-sharp: and at least as much to L: one draft more
; L_n___1__s is L[n + 1, s]
; M_n___2__s is M[n + 2, s]
; a_s is a[s]
; M_n___1__place_s is M[n + 1, place[s]]
; b_s is b[s]
; L_n__place_s is L[n, place[s]]
; M_n__place_s is M[n, place[s]]
; L_n___1__place_s is L[n + 1, place[s]]
; L_n___2__s is L[n + 2, s]
; M_n___1__s is M[n + 1, s]
(set-logic QF_NRA)
(declare-const L_n___1__s Real)
(declare-const M_n___2__s Real)
(declare-const a_s Real)
(declare-const M_n___1__place_s Real)
(declare-const b_s Real)
(declare-const L_n__place_s Real)
(declare-const M_n__place_s Real)
(declare-const L_n___1__place_s Real)
(declare-const L_n___2__s Real)
(declare-const M_n___1__s Real)
(push 1)
(assert (= (+ (* (- 1.0) L_n___1__s) (* (- 1.0) M_n___2__s) (* a_s M_n___1__place_s) (* b_s L_n__place_s) (* (- 1.0) a_s M_n__place_s) (* (- 1.0) b_s L_n___1__place_s) L_n___2__s M_n___1__s) 0.0))
(assert (>= (+ (* a_s M_n__place_s) (* b_s L_n___1__place_s) (* (- 1.0) a_s M_n___1__place_s) (* (- 1.0) b_s L_n__place_s)) 0.0))
(assert (not (>= (+ (* (- 1.0) L_n___1__s) (* (- 1.0) M_n___2__s) L_n___2__s M_n___1__s) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.gamma-scaling-sharp: times the difference
; M_n__place_s is M[n, place[s]]
; M_n___1__place_s is M[n + 1, place[s]]
; a_s is a[s]
; b_s is b[s]
(set-logic QF_NRA)
(declare-const M_n__place_s Real)
(declare-const M_n___1__place_s Real)
(declare-const a_s Real)
(declare-const b_s Real)
(push 1)
(assert (>= (+ (* (- 1.0) M_n__place_s) M_n___1__place_s) 0.0))
(assert (>= a_s 0.0))
(assert (>= (+ (* (- 1.0) a_s) b_s) 0.0))
(assert (not (>= (+ (* a_s M_n__place_s) (* b_s M_n___1__place_s) (* (- 1.0) a_s M_n___1__place_s) (* (- 1.0) b_s M_n__place_s)) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.gamma-scaling-sharp: times the rate
; L_n__place_s is L[n, place[s]]
; M_n___1__place_s is M[n + 1, place[s]]
; L_n___1__place_s is L[n + 1, place[s]]
; M_n__place_s is M[n, place[s]]
; a_s is a[s]
; b_s is b[s]
(set-logic QF_NRA)
(declare-const L_n__place_s Real)
(declare-const M_n___1__place_s Real)
(declare-const L_n___1__place_s Real)
(declare-const M_n__place_s Real)
(declare-const a_s Real)
(declare-const b_s Real)
(push 1)
(assert (>= (+ (* (- 1.0) L_n__place_s) (* (- 1.0) M_n___1__place_s) L_n___1__place_s M_n__place_s) 0.0))
(assert (>= a_s 0.0))
(assert (>= (+ (* (- 1.0) a_s) b_s) 0.0))
(assert (not (>= (+ (* b_s L_n___1__place_s) (* b_s M_n__place_s) (* (- 1.0) b_s L_n__place_s) (* (- 1.0) b_s M_n___1__place_s)) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.gamma-scaling-sharp: crosswise: without drafts
; L_0__s is L[0, s]
; M_0__s is M[0, s]
; b_s is b[s]
; L_0__place_s is L[0, place[s]]
; L_1__s is L[1, s]
; a_s is a[s]
; M_0__place_s is M[0, place[s]]
; M_1__s is M[1, s]
(set-logic QF_NRA)
(declare-const L_0__s Real)
(declare-const M_0__s Real)
(declare-const b_s Real)
(declare-const L_0__place_s Real)
(declare-const L_1__s Real)
(declare-const a_s Real)
(declare-const M_0__place_s Real)
(declare-const M_1__s Real)
(push 1)
(assert (= (+ (- 1.0) L_0__s) 0.0))
(assert (= (+ (- 1.0) M_0__s) 0.0))
(assert (= (+ (- 1.0) (* (- 1.0) b_s L_0__place_s) L_1__s) 0.0))
(assert (= (+ (- 1.0) (* (- 1.0) a_s M_0__place_s) M_1__s) 0.0))
(assert (= (+ (- 1.0) L_0__place_s) 0.0))
(assert (= (+ (- 1.0) M_0__place_s) 0.0))
(assert (>= a_s 0.0))
(assert (>= (+ (* (- 1.0) a_s) b_s) 0.0))
(assert (not (>= (+ (* L_1__s M_0__s) (* (- 1.0) L_0__s M_1__s)) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.gamma-scaling-sharp: crosswise: times the rates
; L_n___1__place_s is L[n + 1, place[s]]
; M_n__place_s is M[n, place[s]]
; L_n__place_s is L[n, place[s]]
; M_n___1__place_s is M[n + 1, place[s]]
; a_s is a[s]
; b_s is b[s]
(set-logic QF_NRA)
(declare-const L_n___1__place_s Real)
(declare-const M_n__place_s Real)
(declare-const L_n__place_s Real)
(declare-const M_n___1__place_s Real)
(declare-const a_s Real)
(declare-const b_s Real)
(push 1)
(assert (>= (+ (* L_n___1__place_s M_n__place_s) (* (- 1.0) L_n__place_s M_n___1__place_s)) 0.0))
(assert (>= a_s 0.0))
(assert (>= (+ (* (- 1.0) a_s) b_s) 0.0))
(assert (not (>= (+ (* a_s b_s L_n___1__place_s M_n__place_s) (* (- 1.0) a_s b_s L_n__place_s M_n___1__place_s)) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.gamma-scaling-sharp: crosswise: at the next place
; a_s is a[s]
; b_s is b[s]
; L_n___1__place_s is L[n + 1, place[s]]
; M_n__place_s is M[n, place[s]]
; L_n__place_s is L[n, place[s]]
; M_n___1__place_s is M[n + 1, place[s]]
(set-logic QF_NRA)
(declare-const a_s Real)
(declare-const b_s Real)
(declare-const L_n___1__place_s Real)
(declare-const M_n__place_s Real)
(declare-const L_n__place_s Real)
(declare-const M_n___1__place_s Real)
(push 1)
(assert (>= (+ (* a_s b_s L_n___1__place_s M_n__place_s) (* (- 1.0) a_s b_s L_n__place_s M_n___1__place_s)) 0.0))
(assert (>= a_s 0.0))
(assert (>= (+ (* (- 1.0) a_s) b_s) 0.0))
(assert (>= (+ (* a_s M_n__place_s) (* b_s M_n___1__place_s) (* (- 1.0) a_s M_n___1__place_s) (* (- 1.0) b_s M_n__place_s)) 0.0))
(assert (>= (+ (* b_s L_n___1__place_s) (* b_s M_n__place_s) (* (- 1.0) b_s L_n__place_s) (* (- 1.0) b_s M_n___1__place_s)) 0.0))
(assert (not (>= (+ (* a_s M_n__place_s) (* b_s L_n___1__place_s) (* (- 1.0) a_s M_n___1__place_s) (* (- 1.0) b_s L_n__place_s) (* a_s b_s L_n___1__place_s M_n__place_s) (* (- 1.0) a_s b_s L_n__place_s M_n___1__place_s)) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.gamma-scaling-sharp: crosswise: one draft more
; a_s is a[s]
; M_n___1__place_s is M[n + 1, place[s]]
; b_s is b[s]
; L_n__place_s is L[n, place[s]]
; L_n___2__s is L[n + 2, s]
; M_n___1__s is M[n + 1, s]
; M_n__place_s is M[n, place[s]]
; L_n___1__place_s is L[n + 1, place[s]]
; L_n___1__s is L[n + 1, s]
; M_n___2__s is M[n + 2, s]
(set-logic QF_NRA)
(declare-const a_s Real)
(declare-const M_n___1__place_s Real)
(declare-const b_s Real)
(declare-const L_n__place_s Real)
(declare-const L_n___2__s Real)
(declare-const M_n___1__s Real)
(declare-const M_n__place_s Real)
(declare-const L_n___1__place_s Real)
(declare-const L_n___1__s Real)
(declare-const M_n___2__s Real)
(push 1)
(assert (= (+ (* a_s M_n___1__place_s) (* b_s L_n__place_s) (* L_n___2__s M_n___1__s) (* (- 1.0) a_s M_n__place_s) (* (- 1.0) b_s L_n___1__place_s) (* (- 1.0) L_n___1__s M_n___2__s) (* a_s b_s L_n__place_s M_n___1__place_s) (* (- 1.0) a_s b_s L_n___1__place_s M_n__place_s)) 0.0))
(assert (>= (+ (* a_s M_n__place_s) (* b_s L_n___1__place_s) (* (- 1.0) a_s M_n___1__place_s) (* (- 1.0) b_s L_n__place_s) (* a_s b_s L_n___1__place_s M_n__place_s) (* (- 1.0) a_s b_s L_n__place_s M_n___1__place_s)) 0.0))
(assert (not (>= (+ (* L_n___2__s M_n___1__s) (* (- 1.0) L_n___1__s M_n___2__s)) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.gamma-scaling-sharp: the ratio
; L_n___1__s is L[n + 1, s]
; M_n__s is M[n, s]
; L_n__s is L[n, s]
; M_n___1__s is M[n + 1, s]
(set-logic QF_NRA)
(declare-const L_n___1__s Real)
(declare-const M_n__s Real)
(declare-const L_n__s Real)
(declare-const M_n___1__s Real)
(push 1)
(assert (>= (+ (* L_n___1__s M_n__s) (* (- 1.0) L_n__s M_n___1__s)) 0.0))
(assert (>= (+ (- 1.0) M_n__s) 0.0))
(assert (>= (+ (- 1.0) M_n___1__s) 0.0))
(assert (not (>= (+ (* L_n___1__s M_n__s) (* (- 1.0) L_n__s M_n___1__s)) 0.0)))
(check-sat)
(pop 1)

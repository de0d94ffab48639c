; ears.gamma-scaling: EARS keeps at least as much
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
; ears.gamma-scaling: min(p, q)
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
; ears.gamma-scaling: a rate
; sum_1 is Sum(Min(p[s, x], q[s, x]), (x, 1, V))
(set-logic QF_NRA)
(declare-const a Real)
(declare-const sum_1 Real)
(assert (>= sum_1 0.0))
(push 1)
(assert (= (+ (* (- 1.0) a) sum_1) 0.0))
(assert (>= sum_1 0.0))
(assert (not (>= a 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.gamma-scaling: EARS accepts as often
; sum_1 is Sum(Min(p[s, x] + q[s, x]*t[s], q[s, x]), (x, 1, V))
; sum_3 is Sum(Min(p[s, x], q[s, x]), (x, 1, V))
(set-logic QF_NRA)
(declare-const b Real)
(declare-const sum_1 Real)
(declare-const a Real)
(declare-const sum_3 Real)
(assert (>= sum_3 0.0))
(push 1)
(assert (= (+ (* (- 1.0) b) sum_1) 0.0))
(assert (= (+ (* (- 1.0) a) sum_3) 0.0))
(assert (>= (+ (* (- 1.0) sum_3) sum_1) 0.0))
(assert (not (>= (+ b (* (- 1.0) a)) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.gamma-scaling: a block has a token: without drafts
; B_0 is B[0]
; A_0 is A[0]
; B_1 is B[1]
; A_1 is A[1]
(set-logic QF_NRA)
(declare-const B_0 Real)
(declare-const A_0 Real)
(declare-const b Real)
(declare-const B_1 Real)
(declare-const a Real)
(declare-const A_1 Real)
(push 1)
(assert (= (+ (- 1.0) B_0) 0.0))
(assert (= (+ (- 1.0) A_0) 0.0))
(assert (= (+ (- 1.0) (* (- 1.0) b B_0) B_1) 0.0))
(assert (= (+ (- 1.0) (* (- 1.0) a A_0) A_1) 0.0))
(assert (= (+ (- 1.0) B_0) 0.0))
(assert (= (+ (- 1.0) A_0) 0.0))
(assert (>= a 0.0))
(assert (>= (+ b (* (- 1.0) a)) 0.0))
(assert (not (>= (+ (- 1.0) A_0) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.gamma-scaling: a block has a token: at the next place
; A_n is A[n]
(set-logic QF_NRA)
(declare-const A_n Real)
(declare-const a Real)
(declare-const b Real)
(push 1)
(assert (>= (+ (- 1.0) A_n) 0.0))
(assert (>= a 0.0))
(assert (>= (+ b (* (- 1.0) a)) 0.0))
(assert (not (>= (* a A_n) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.gamma-scaling: a block has a token: one draft more
; A_n is A[n]
; A_n___1 is A[n + 1]
(set-logic QF_NRA)
(declare-const a Real)
(declare-const A_n Real)
(declare-const A_n___1 Real)
(push 1)
(assert (= (+ (- 1.0) (* (- 1.0) a A_n) A_n___1) 0.0))
(assert (>= (* a A_n) 0.0))
(assert (not (>= (+ (- 1.0) A_n___1) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.gamma-scaling: a draft more adds to M: without drafts
; B_0 is B[0]
; A_0 is A[0]
; B_1 is B[1]
; A_1 is A[1]
(set-logic QF_NRA)
(declare-const B_0 Real)
(declare-const A_0 Real)
(declare-const b Real)
(declare-const B_1 Real)
(declare-const a Real)
(declare-const A_1 Real)
(push 1)
(assert (= (+ (- 1.0) B_0) 0.0))
(assert (= (+ (- 1.0) A_0) 0.0))
(assert (= (+ (- 1.0) (* (- 1.0) b B_0) B_1) 0.0))
(assert (= (+ (- 1.0) (* (- 1.0) a A_0) A_1) 0.0))
(assert (= (+ (- 1.0) B_0) 0.0))
(assert (= (+ (- 1.0) A_0) 0.0))
(assert (>= a 0.0))
(assert (>= (+ b (* (- 1.0) a)) 0.0))
(assert (not (>= (+ (* (- 1.0) A_0) A_1) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.gamma-scaling: a draft more adds to M: at the next place
; A_n is A[n]
; A_n___1 is A[n + 1]
(set-logic QF_NRA)
(declare-const A_n Real)
(declare-const A_n___1 Real)
(declare-const a Real)
(declare-const b Real)
(push 1)
(assert (>= (+ (* (- 1.0) A_n) A_n___1) 0.0))
(assert (>= a 0.0))
(assert (>= (+ b (* (- 1.0) a)) 0.0))
(assert (not (>= (+ (* a A_n___1) (* (- 1.0) a A_n)) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.gamma-scaling: a draft more adds to M: one draft more
; A_n___1 is A[n + 1]
; A_n is A[n]
; A_n___2 is A[n + 2]
(set-logic QF_NRA)
(declare-const A_n___1 Real)
(declare-const a Real)
(declare-const A_n Real)
(declare-const A_n___2 Real)
(push 1)
(assert (= (+ (* (- 1.0) A_n___1) (* a A_n) (* (- 1.0) a A_n___1) A_n___2) 0.0))
(assert (>= (+ (* a A_n___1) (* (- 1.0) a A_n)) 0.0))
(assert (not (>= (+ (* (- 1.0) A_n___1) A_n___2) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.gamma-scaling: and at least as much to L: without drafts
; B_0 is B[0]
; A_0 is A[0]
; B_1 is B[1]
; A_1 is A[1]
(set-logic QF_NRA)
(declare-const B_0 Real)
(declare-const A_0 Real)
(declare-const b Real)
(declare-const B_1 Real)
(declare-const a Real)
(declare-const A_1 Real)
(push 1)
(assert (= (+ (- 1.0) B_0) 0.0))
(assert (= (+ (- 1.0) A_0) 0.0))
(assert (= (+ (- 1.0) (* (- 1.0) b B_0) B_1) 0.0))
(assert (= (+ (- 1.0) (* (- 1.0) a A_0) A_1) 0.0))
(assert (= (+ (- 1.0) B_0) 0.0))
(assert (= (+ (- 1.0) A_0) 0.0))
(assert (>= a 0.0))
(assert (>= (+ b (* (- 1.0) a)) 0.0))
(assert (not (>= (+ (* (- 1.0) A_1) (* (- 1.0) B_0) A_0 B_1) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.gamma-scaling: and at least as much to L: at the next place
; A_n___1 is A[n + 1]
; B_n is B[n]
; A_n is A[n]
; B_n___1 is B[n + 1]
(set-logic QF_NRA)
(declare-const A_n___1 Real)
(declare-const B_n Real)
(declare-const A_n Real)
(declare-const B_n___1 Real)
(declare-const a Real)
(declare-const b Real)
(push 1)
(assert (>= (+ (* (- 1.0) A_n___1) (* (- 1.0) B_n) A_n B_n___1) 0.0))
(assert (>= a 0.0))
(assert (>= (+ b (* (- 1.0) a)) 0.0))
(assert (>= (+ (* (- 1.0) A_n) A_n___1) 0.0))
(assert (not (>= (+ (* a A_n) (* b B_n___1) (* (- 1.0) a A_n___1) (* (- 1.0) b B_n)) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.gamma-scaling: and at least as much to L: one draft more
; A_n___2 is A[n + 2]
; B_n___1 is B[n + 1]
; A_n___1 is A[n + 1]
; B_n is B[n]
; A_n is A[n]
; B_n___2 is B[n + 2]
(set-logic QF_NRA)
(declare-const A_n___2 Real)
(declare-const B_n___1 Real)
(declare-const a Real)
(declare-const A_n___1 Real)
(declare-const b Real)
(declare-const B_n Real)
(declare-const A_n Real)
(declare-const B_n___2 Real)
(push 1)
(assert (= (+ (* (- 1.0) A_n___2) (* (- 1.0) B_n___1) (* a A_n___1) (* b B_n) (* (- 1.0) a A_n) (* (- 1.0) b B_n___1) A_n___1 B_n___2) 0.0))
(assert (>= (+ (* a A_n) (* b B_n___1) (* (- 1.0) a A_n___1) (* (- 1.0) b B_n)) 0.0))
(assert (not (>= (+ (* (- 1.0) A_n___2) (* (- 1.0) B_n___1) A_n___1 B_n___2) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.gamma-scaling: times the difference
; A_n is A[n]
; A_n___1 is A[n + 1]
(set-logic QF_NRA)
(declare-const A_n Real)
(declare-const A_n___1 Real)
(declare-const a Real)
(declare-const b Real)
(push 1)
(assert (>= (+ (* (- 1.0) A_n) A_n___1) 0.0))
(assert (>= a 0.0))
(assert (>= (+ b (* (- 1.0) a)) 0.0))
(assert (not (>= (+ (* a A_n) (* b A_n___1) (* (- 1.0) a A_n___1) (* (- 1.0) b A_n)) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.gamma-scaling: times the rate
; A_n___1 is A[n + 1]
; B_n is B[n]
; A_n is A[n]
; B_n___1 is B[n + 1]
(set-logic QF_NRA)
(declare-const A_n___1 Real)
(declare-const B_n Real)
(declare-const A_n Real)
(declare-const B_n___1 Real)
(declare-const a Real)
(declare-const b Real)
(push 1)
(assert (>= (+ (* (- 1.0) A_n___1) (* (- 1.0) B_n) A_n B_n___1) 0.0))
(assert (>= a 0.0))
(assert (>= (+ b (* (- 1.0) a)) 0.0))
(assert (not (>= (+ (* b A_n) (* b B_n___1) (* (- 1.0) b A_n___1) (* (- 1.0) b B_n)) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.gamma-scaling: crosswise: without drafts
; B_0 is B[0]
; A_0 is A[0]
; B_1 is B[1]
; A_1 is A[1]
(set-logic QF_NRA)
(declare-const B_0 Real)
(declare-const A_0 Real)
(declare-const b Real)
(declare-const B_1 Real)
(declare-const a Real)
(declare-const A_1 Real)
(push 1)
(assert (= (+ (- 1.0) B_0) 0.0))
(assert (= (+ (- 1.0) A_0) 0.0))
(assert (= (+ (- 1.0) (* (- 1.0) b B_0) B_1) 0.0))
(assert (= (+ (- 1.0) (* (- 1.0) a A_0) A_1) 0.0))
(assert (= (+ (- 1.0) B_0) 0.0))
(assert (= (+ (- 1.0) A_0) 0.0))
(assert (>= a 0.0))
(assert (>= (+ b (* (- 1.0) a)) 0.0))
(assert (not (>= (+ (* A_0 B_1) (* (- 1.0) A_1 B_0)) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.gamma-scaling: crosswise: times the rates
; A_n is A[n]
; B_n___1 is B[n + 1]
; A_n___1 is A[n + 1]
; B_n is B[n]
(set-logic QF_NRA)
(declare-const A_n Real)
(declare-const B_n___1 Real)
(declare-const A_n___1 Real)
(declare-const B_n Real)
(declare-const a Real)
(declare-const b Real)
(push 1)
(assert (>= (+ (* A_n B_n___1) (* (- 1.0) A_n___1 B_n)) 0.0))
(assert (>= a 0.0))
(assert (>= (+ b (* (- 1.0) a)) 0.0))
(assert (not (>= (+ (* a b A_n B_n___1) (* (- 1.0) a b A_n___1 B_n)) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.gamma-scaling: crosswise: at the next place
; A_n is A[n]
; B_n___1 is B[n + 1]
; A_n___1 is A[n + 1]
; B_n is B[n]
(set-logic QF_NRA)
(declare-const a Real)
(declare-const b Real)
(declare-const A_n Real)
(declare-const B_n___1 Real)
(declare-const A_n___1 Real)
(declare-const B_n Real)
(push 1)
(assert (>= (+ (* a b A_n B_n___1) (* (- 1.0) a b A_n___1 B_n)) 0.0))
(assert (>= a 0.0))
(assert (>= (+ b (* (- 1.0) a)) 0.0))
(assert (>= (+ (* a A_n) (* b A_n___1) (* (- 1.0) a A_n___1) (* (- 1.0) b A_n)) 0.0))
(assert (>= (+ (* b A_n) (* b B_n___1) (* (- 1.0) b A_n___1) (* (- 1.0) b B_n)) 0.0))
(assert (not (>= (+ (* a A_n) (* b B_n___1) (* (- 1.0) a A_n___1) (* (- 1.0) b B_n) (* a b A_n B_n___1) (* (- 1.0) a b A_n___1 B_n)) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.gamma-scaling: crosswise: one draft more
; A_n___1 is A[n + 1]
; B_n is B[n]
; B_n___2 is B[n + 2]
; A_n is A[n]
; B_n___1 is B[n + 1]
; A_n___2 is A[n + 2]
(set-logic QF_NRA)
(declare-const a Real)
(declare-const A_n___1 Real)
(declare-const b Real)
(declare-const B_n Real)
(declare-const B_n___2 Real)
(declare-const A_n Real)
(declare-const B_n___1 Real)
(declare-const A_n___2 Real)
(push 1)
(assert (= (+ (* a A_n___1) (* b B_n) (* A_n___1 B_n___2) (* (- 1.0) a A_n) (* (- 1.0) b B_n___1) (* (- 1.0) A_n___2 B_n___1) (* a b A_n___1 B_n) (* (- 1.0) a b A_n B_n___1)) 0.0))
(assert (>= (+ (* a A_n) (* b B_n___1) (* (- 1.0) a A_n___1) (* (- 1.0) b B_n) (* a b A_n B_n___1) (* (- 1.0) a b A_n___1 B_n)) 0.0))
(assert (not (>= (+ (* A_n___1 B_n___2) (* (- 1.0) A_n___2 B_n___1)) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.gamma-scaling: in any state
; B_n___1 is B[n + 1]
; L_n___1__s is L[n + 1, s]
; A_n___1 is A[n + 1]
; M_n___1__s is M[n + 1, s]
; B_n is B[n]
; L_n__s is L[n, s]
; A_n is A[n]
; M_n__s is M[n, s]
(set-logic QF_NRA)
(declare-const B_n___1 Real)
(declare-const L_n___1__s Real)
(declare-const A_n___1 Real)
(declare-const M_n___1__s Real)
(declare-const B_n Real)
(declare-const L_n__s Real)
(declare-const A_n Real)
(declare-const M_n__s Real)
(push 1)
(assert (= (+ (* (- 1.0) B_n___1) L_n___1__s) 0.0))
(assert (= (+ (* (- 1.0) A_n___1) M_n___1__s) 0.0))
(assert (= (+ (* (- 1.0) B_n) L_n__s) 0.0))
(assert (= (+ (* (- 1.0) A_n) M_n__s) 0.0))
(assert (>= (+ (* A_n B_n___1) (* (- 1.0) A_n___1 B_n)) 0.0))
(assert (>= (+ (- 1.0) A_n) 0.0))
(assert (>= (+ (- 1.0) A_n___1) 0.0))
(assert (not (>= (+ (* L_n___1__s M_n__s) (* (- 1.0) L_n__s M_n___1__s)) 0.0)))
(check-sat)
(pop 1)

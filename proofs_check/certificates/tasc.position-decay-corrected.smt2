; tasc.position-decay-corrected: one draft more
; alpha_c is alpha[c]
; alive_n__c is alive[n, c]
; alive_n___1__c is alive[n + 1, c]
(set-logic QF_NRA)
(declare-const alpha_c Real)
(declare-const alive_n__c Real)
(declare-const alive_n___1__c Real)
(push 1)
(assert (= (+ (* (- 1.0) alpha_c alive_n__c) alive_n___1__c) 0.0))
(assert (>= alive_n__c 0.0))
(assert (>= alpha_c 0.0))
(assert (not (>= alive_n___1__c 0.0)))
(check-sat)
(pop 1)
(reset)
; tasc.position-decay-corrected: a pair of calls
; share_c is share[c]
; share_e is share[e]
; alive_n__c is alive[n, c]
; alive_n__e is alive[n, e]
(set-logic QF_NRA)
(declare-const share_c Real)
(declare-const share_e Real)
(declare-const alive_n__c Real)
(declare-const alive_n__e Real)
(push 1)
(assert (>= share_c 0.0))
(assert (>= share_e 0.0))
(assert (>= alive_n__c 0.0))
(assert (>= alive_n__e 0.0))
(assert (not (>= (* share_c share_e alive_n__c alive_n__e) 0.0)))
(check-sat)
(pop 1)
(reset)
; tasc.position-decay-corrected: times a square
; share_c is share[c]
; share_e is share[e]
; alive_n__c is alive[n, c]
; alive_n__e is alive[n, e]
; alpha_c is alpha[c]
; alpha_e is alpha[e]
(set-logic QF_NRA)
(declare-const share_c Real)
(declare-const share_e Real)
(declare-const alive_n__c Real)
(declare-const alive_n__e Real)
(declare-const alpha_c Real)
(declare-const alpha_e Real)
(push 1)
(assert (>= (* share_c share_e alive_n__c alive_n__e) 0.0))
(assert (not (>= (+ (* (* alpha_c alpha_c) share_c share_e alive_n__c alive_n__e) (* (* alpha_e alpha_e) share_c share_e alive_n__c alive_n__e) (* (- 2.0) alpha_c alpha_e share_c share_e alive_n__c alive_n__e)) 0.0)))
(check-sat)
(pop 1)
(reset)
; tasc.position-decay-corrected: Cauchy and Schwarz, for a pair of calls
; alpha_c is alpha[c]
; share_c is share[c]
; share_e is share[e]
; alive_n__c is alive[n, c]
; alive_n__e is alive[n, e]
; alpha_e is alpha[e]
; alive_n___1__c is alive[n + 1, c]
; alive_n___1__e is alive[n + 1, e]
; alive_n___2__c is alive[n + 2, c]
; alive_n___2__e is alive[n + 2, e]
(set-logic QF_NRA)
(declare-const alpha_c Real)
(declare-const share_c Real)
(declare-const share_e Real)
(declare-const alive_n__c Real)
(declare-const alive_n__e Real)
(declare-const alpha_e Real)
(declare-const alive_n___1__c Real)
(declare-const alive_n___1__e Real)
(declare-const alive_n___2__c Real)
(declare-const alive_n___2__e Real)
(push 1)
(assert (>= (+ (* (* alpha_c alpha_c) share_c share_e alive_n__c alive_n__e) (* (* alpha_e alpha_e) share_c share_e alive_n__c alive_n__e) (* (- 2.0) alpha_c alpha_e share_c share_e alive_n__c alive_n__e)) 0.0))
(assert (= (+ (* (- 1.0) alpha_c alive_n__c) alive_n___1__c) 0.0))
(assert (= (+ (* (- 1.0) alpha_e alive_n__e) alive_n___1__e) 0.0))
(assert (= (+ (* (- 1.0) alpha_c alive_n___1__c) alive_n___2__c) 0.0))
(assert (= (+ (* (- 1.0) alpha_e alive_n___1__e) alive_n___2__e) 0.0))
(assert (not (>= (+ (* share_c share_e alive_n__c alive_n___2__e) (* share_c share_e alive_n__e alive_n___2__c) (* (- 2.0) share_c share_e alive_n___1__c alive_n___1__e)) 0.0)))
(check-sat)
(pop 1)
(reset)
; tasc.position-decay-corrected: log-convexity
; sum_0 is Sum(alive[n + 1, x]*share[x], (x, 1, C))
; sum_1 is Sum(alive[n, x]*share[x], (x, 1, C))
; sum_2 is Sum(alive[n + 2, x]*share[x], (x, 1, C))
(set-logic QF_NRA)
(declare-const sum_0 Real)
(declare-const sum_1 Real)
(declare-const sum_2 Real)
(push 1)
(assert (>= (+ (* (- 2.0) (* sum_0 sum_0)) (* 2.0 sum_1 sum_2)) 0.0))
(assert (not (>= (+ (* (- 1.0) (* sum_0 sum_0)) (* sum_1 sum_2)) 0.0)))
(check-sat)
(pop 1)
(reset)
; tasc.position-decay-corrected: with moments
; sum_0 is Sum(alive[n + 1, x]*share[x], (x, 1, C))
; sum_1 is Sum(alive[n, x]*share[x], (x, 1, C))
; sum_2 is Sum(alive[n + 2, x]*share[x], (x, 1, C))
; sum_3 is Sum(alpha[x]*alpha[x]**n*share[x], (x, 1, C))
(set-logic QF_NRA)
(declare-const sum_0 Real)
(declare-const sum_1 Real)
(declare-const sum_2 Real)
(declare-const sum_3 Real)
(push 1)
(assert (>= (+ (* (- 1.0) (* sum_0 sum_0)) (* sum_1 sum_2)) 0.0))
(assert (= (+ (* (- 1.0) sum_3) sum_0) 0.0))
(assert (not (>= (+ (* (- 1.0) (* sum_3 sum_3)) (* sum_1 sum_2)) 0.0)))
(check-sat)
(pop 1)

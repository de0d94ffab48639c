; sqs.bandwidth-support: no token
; kept_0__s is kept[0, s]
; points_0__s is points[0, s]
(set-logic QF_NRA)
(declare-const weight Real)
(declare-const kept_0__s Real)
(declare-const points_0__s Real)
(assert (>= weight 0.0))
(assert (>= kept_0__s 0.0))
(assert (>= points_0__s 0.0))
(push 1)
(assert (>= (+ (* (- 1.0) weight kept_0__s) points_0__s) 0.0))
(assert (not (<= (+ (* (- 1.0) points_0__s) (* weight kept_0__s)) 0.0)))
(check-sat)
(pop 1)
(reset)
; sqs.bandwidth-support: one token more
; kept_n__s is kept[n, s]
; more_s is more[s]
; kept_n__before_s is kept[n, before[s]]
; kept_n___1__s is kept[n + 1, s]
; points_n__s is points[n, s]
; points_n__before_s is points[n, before[s]]
; points_n___1__s is points[n + 1, s]
(set-logic QF_NRA)
(declare-const kept_n__s Real)
(declare-const more_s Real)
(declare-const kept_n__before_s Real)
(declare-const kept_n___1__s Real)
(declare-const points_n__s Real)
(declare-const points_n__before_s Real)
(declare-const points_n___1__s Real)
(declare-const weight Real)
(assert (>= kept_n__s 0.0))
(assert (>= more_s 0.0))
(assert (>= kept_n__before_s 0.0))
(assert (>= kept_n___1__s 0.0))
(assert (>= points_n__s 0.0))
(assert (>= points_n__before_s 0.0))
(assert (>= points_n___1__s 0.0))
(assert (>= weight 0.0))
(push 1)
(assert (= (+ (* (- 1.0) kept_n__s) (* (- 1.0) more_s kept_n__before_s) kept_n___1__s) 0.0))
(assert (>= (+ (* (- 1.0) points_n__s) (* (- 1.0) more_s points_n__before_s) points_n___1__s) 0.0))
(assert (<= (+ (* (- 1.0) points_n__s) (* weight kept_n__s)) 0.0))
(assert (<= (+ (* (- 1.0) points_n__before_s) (* weight kept_n__before_s)) 0.0))
(assert (= (+ (* more_s more_s) (* (- 1.0) more_s)) 0.0))
(assert (not (<= (+ (* (- 1.0) points_n___1__s) (* weight kept_n___1__s)) 0.0)))
(check-sat)
(pop 1)

; pad.label-noise-corrected: no utility is below the first end
(set-logic QF_NRA)
(declare-const first_end Real)
(declare-const last_end Real)
(declare-const U Real)
(push 1)
(assert (<= (+ (- 3.0) (* 10.0 first_end)) 0.0))
(assert (>= (+ (- 1.0) last_end) 0.0))
(assert (>= (+ (- 3.0) (* 10.0 U)) 0.0))
(assert (<= (+ (- 1.0) U) 0.0))
(assert (not (>= (+ U (* (- 1.0) first_end)) 0.0)))
(check-sat)
(pop 1)
(reset)
; pad.label-noise-corrected: nor above the last
(set-logic QF_NRA)
(declare-const first_end Real)
(declare-const last_end Real)
(declare-const U Real)
(push 1)
(assert (<= (+ (- 3.0) (* 10.0 first_end)) 0.0))
(assert (>= (+ (- 1.0) last_end) 0.0))
(assert (>= (+ (- 3.0) (* 10.0 U)) 0.0))
(assert (<= (+ (- 1.0) U) 0.0))
(assert (not (<= (+ U (* (- 1.0) last_end)) 0.0)))
(check-sat)
(pop 1)
(reset)
; pad.label-noise-corrected: before the first
; label_k__m is label[k, m]
; alarm_0__k__m is alarm[0, k, m]
; label_more_k___m is label[more[k], m]
; alarm_0__more_k___m is alarm[0, more[k], m]
(set-logic QF_NRA)
(declare-const label_k__m Real)
(declare-const alarm_0__k__m Real)
(declare-const label_more_k___m Real)
(declare-const alarm_0__more_k___m Real)
(push 1)
(assert (= (+ (* (- 1.0) label_k__m) alarm_0__k__m) 0.0))
(assert (= (+ (* (- 1.0) label_more_k___m) alarm_0__more_k___m) 0.0))
(assert (>= (+ (* (- 1.0) label_k__m) label_more_k___m) 0.0))
(assert (not (>= (+ (* (- 1.0) alarm_0__k__m) alarm_0__more_k___m) 0.0)))
(check-sat)
(pop 1)
(reset)
; pad.label-noise-corrected: after one more
; alarm_n__k__m is alarm[n, k, m]
; alarm_n__k__more_m is alarm[n, k, more[m]]
; alarm_n__more_k___m is alarm[n, more[k], m]
; alarm_n__more_k___more_m is alarm[n, more[k], more[m]]
; alarm_n___1__k__m is alarm[n + 1, k, m]
; indexed_6 is alarm[n, more[more[k]], m]
; indexed_7 is alarm[n, more[more[k]], more[m]]
; alarm_n___1__more_k___m is alarm[n + 1, more[k], m]
(set-logic QF_NRA)
(declare-const alarm_n__k__m Real)
(declare-const U Real)
(declare-const alarm_n__k__more_m Real)
(declare-const alarm_n__more_k___m Real)
(declare-const alarm_n__more_k___more_m Real)
(declare-const alarm_n___1__k__m Real)
(declare-const indexed_6 Real)
(declare-const indexed_7 Real)
(declare-const alarm_n___1__more_k___m Real)
(declare-const lower Real)
(declare-const upper Real)
(assert (>= lower 0.0))
(assert (>= upper 0.0))
(push 1)
(assert (= (+ (* (- 1.0) alarm_n__k__m) (* (* U U) alarm_n__k__more_m) (* (* U U) alarm_n__more_k___m) (* (- 1.0) U alarm_n__k__more_m) (* (- 1.0) U alarm_n__more_k___m) (* (- 1.0) (* U U) alarm_n__k__m) (* (- 1.0) (* U U) alarm_n__more_k___more_m) (* 2.0 U alarm_n__k__m) alarm_n___1__k__m) 0.0))
(assert (= (+ (* (- 1.0) alarm_n__more_k___m) (* (* U U) alarm_n__more_k___more_m) (* (* U U) indexed_6) (* (- 1.0) U alarm_n__more_k___more_m) (* (- 1.0) U indexed_6) (* (- 1.0) (* U U) alarm_n__more_k___m) (* (- 1.0) (* U U) indexed_7) (* 2.0 U alarm_n__more_k___m) alarm_n___1__more_k___m) 0.0))
(assert (>= (+ (* (- 1.0) alarm_n__k__m) alarm_n__more_k___m) 0.0))
(assert (>= (+ (* (- 1.0) alarm_n__more_k___m) indexed_6) 0.0))
(assert (>= (+ (* (- 1.0) alarm_n__k__more_m) alarm_n__more_k___more_m) 0.0))
(assert (>= (+ (* (- 1.0) alarm_n__more_k___more_m) indexed_7) 0.0))
(assert (>= (+ U (* (- 1.0) lower)) 0.0))
(assert (<= (+ U (* (- 1.0) upper)) 0.0))
(assert (>= (+ (- 3.0) (* 10.0 U)) 0.0))
(assert (<= (+ (- 1.0) U) 0.0))
(assert (>= lower 0.0))
(assert (<= (+ (- 1.0) lower) 0.0))
(assert (>= upper 0.0))
(assert (<= (+ (- 1.0) upper) 0.0))
(assert (not (>= (+ (* (- 1.0) alarm_n___1__k__m) alarm_n___1__more_k___m) 0.0)))
(check-sat)
(pop 1)
(reset)
; pad.label-noise-corrected: before the first
; label_k__m is label[k, m]
; alarm_0__k__m is alarm[0, k, m]
; label_k__more_m is label[k, more[m]]
; alarm_0__k__more_m is alarm[0, k, more[m]]
(set-logic QF_NRA)
(declare-const label_k__m Real)
(declare-const alarm_0__k__m Real)
(declare-const label_k__more_m Real)
(declare-const alarm_0__k__more_m Real)
(push 1)
(assert (= (+ (* (- 1.0) label_k__m) alarm_0__k__m) 0.0))
(assert (= (+ (* (- 1.0) label_k__more_m) alarm_0__k__more_m) 0.0))
(assert (>= (+ (* (- 1.0) label_k__more_m) label_k__m) 0.0))
(assert (not (>= (+ (* (- 1.0) alarm_0__k__more_m) alarm_0__k__m) 0.0)))
(check-sat)
(pop 1)
(reset)
; pad.label-noise-corrected: after one more
; alarm_n__k__m is alarm[n, k, m]
; alarm_n__k__more_m is alarm[n, k, more[m]]
; alarm_n__more_k___m is alarm[n, more[k], m]
; alarm_n__more_k___more_m is alarm[n, more[k], more[m]]
; alarm_n___1__k__m is alarm[n + 1, k, m]
; alarm_n__k__more_more_m is alarm[n, k, more[more[m]]]
; indexed_7 is alarm[n, more[k], more[more[m]]]
; alarm_n___1__k__more_m is alarm[n + 1, k, more[m]]
(set-logic QF_NRA)
(declare-const alarm_n__k__m Real)
(declare-const U Real)
(declare-const alarm_n__k__more_m Real)
(declare-const alarm_n__more_k___m Real)
(declare-const alarm_n__more_k___more_m Real)
(declare-const alarm_n___1__k__m Real)
(declare-const alarm_n__k__more_more_m Real)
(declare-const indexed_7 Real)
(declare-const alarm_n___1__k__more_m Real)
(declare-const lower Real)
(declare-const upper Real)
(assert (>= lower 0.0))
(assert (>= upper 0.0))
(push 1)
(assert (= (+ (* (- 1.0) alarm_n__k__m) (* (* U U) alarm_n__k__more_m) (* (* U U) alarm_n__more_k___m) (* (- 1.0) U alarm_n__k__more_m) (* (- 1.0) U alarm_n__more_k___m) (* (- 1.0) (* U U) alarm_n__k__m) (* (- 1.0) (* U U) alarm_n__more_k___more_m) (* 2.0 U alarm_n__k__m) alarm_n___1__k__m) 0.0))
(assert (= (+ (* (- 1.0) alarm_n__k__more_m) (* (* U U) alarm_n__k__more_more_m) (* (* U U) alarm_n__more_k___more_m) (* (- 1.0) U alarm_n__k__more_more_m) (* (- 1.0) U alarm_n__more_k___more_m) (* (- 1.0) (* U U) alarm_n__k__more_m) (* (- 1.0) (* U U) indexed_7) (* 2.0 U alarm_n__k__more_m) alarm_n___1__k__more_m) 0.0))
(assert (>= (+ (* (- 1.0) alarm_n__k__more_m) alarm_n__k__m) 0.0))
(assert (>= (+ (* (- 1.0) alarm_n__more_k___more_m) alarm_n__more_k___m) 0.0))
(assert (>= (+ (* (- 1.0) alarm_n__k__more_more_m) alarm_n__k__more_m) 0.0))
(assert (>= (+ (* (- 1.0) indexed_7) alarm_n__more_k___more_m) 0.0))
(assert (>= (+ U (* (- 1.0) lower)) 0.0))
(assert (<= (+ U (* (- 1.0) upper)) 0.0))
(assert (>= (+ (- 3.0) (* 10.0 U)) 0.0))
(assert (<= (+ (- 1.0) U) 0.0))
(assert (>= lower 0.0))
(assert (<= (+ (- 1.0) lower) 0.0))
(assert (>= upper 0.0))
(assert (<= (+ (- 1.0) upper) 0.0))
(assert (not (>= (+ (* (- 1.0) alarm_n___1__k__more_m) alarm_n___1__k__m) 0.0)))
(check-sat)
(pop 1)
(reset)
; pad.label-noise-corrected: before the first
; label_k__m is label[k, m]
; alarm_0__k__m is alarm[0, k, m]
; alarm_corner_0__k__m is alarm_corner[0, k, m]
(set-logic QF_NRA)
(declare-const label_k__m Real)
(declare-const alarm_0__k__m Real)
(declare-const alarm_corner_0__k__m Real)
(push 1)
(assert (= (+ (* (- 1.0) label_k__m) alarm_0__k__m) 0.0))
(assert (= (+ (* (- 1.0) label_k__m) alarm_corner_0__k__m) 0.0))
(assert (not (>= (+ (* (- 1.0) alarm_0__k__m) alarm_corner_0__k__m) 0.0)))
(check-sat)
(pop 1)
(reset)
; pad.label-noise-corrected: one more with the same values
; alarm_n__k__m is alarm[n, k, m]
; alarm_corner_n__k__m is alarm_corner[n, k, m]
; alarm_n__more_k___m is alarm[n, more[k], m]
; indexed_3 is alarm_corner[n, more[k], m]
; alarm_n__k__more_m is alarm[n, k, more[m]]
; indexed_5 is alarm_corner[n, k, more[m]]
; alarm_n__more_k___more_m is alarm[n, more[k], more[m]]
; indexed_7 is alarm_corner[n, more[k], more[m]]
(set-logic QF_NRA)
(declare-const alarm_n__k__m Real)
(declare-const alarm_corner_n__k__m Real)
(declare-const alarm_n__more_k___m Real)
(declare-const indexed_3 Real)
(declare-const alarm_n__k__more_m Real)
(declare-const indexed_5 Real)
(declare-const alarm_n__more_k___more_m Real)
(declare-const indexed_7 Real)
(declare-const U Real)
(declare-const lower Real)
(declare-const upper Real)
(assert (>= lower 0.0))
(assert (>= upper 0.0))
(push 1)
(assert (>= (+ (* (- 1.0) alarm_n__k__m) alarm_corner_n__k__m) 0.0))
(assert (>= (+ (* (- 1.0) alarm_n__more_k___m) indexed_3) 0.0))
(assert (>= (+ (* (- 1.0) alarm_n__k__more_m) indexed_5) 0.0))
(assert (>= (+ (* (- 1.0) alarm_n__more_k___more_m) indexed_7) 0.0))
(assert (>= (+ U (* (- 1.0) lower)) 0.0))
(assert (<= (+ U (* (- 1.0) upper)) 0.0))
(assert (>= (+ (- 3.0) (* 10.0 U)) 0.0))
(assert (<= (+ (- 1.0) U) 0.0))
(assert (>= lower 0.0))
(assert (<= (+ (- 1.0) lower) 0.0))
(assert (>= upper 0.0))
(assert (<= (+ (- 1.0) upper) 0.0))
(assert (not (>= (+ (* (- 1.0) alarm_n__k__m) (* lower alarm_n__k__m) (* lower indexed_5) (* upper alarm_n__k__m) (* upper indexed_3) (* (- 1.0) lower alarm_n__k__more_m) (* (- 1.0) lower alarm_corner_n__k__m) (* (- 1.0) upper alarm_n__more_k___m) (* (- 1.0) upper alarm_corner_n__k__m) (* lower upper alarm_n__k__more_m) (* lower upper alarm_n__more_k___m) (* lower upper alarm_corner_n__k__m) (* lower upper indexed_7) (* (- 1.0) lower upper alarm_n__k__m) (* (- 1.0) lower upper alarm_n__more_k___more_m) (* (- 1.0) lower upper indexed_5) (* (- 1.0) lower upper indexed_3) alarm_corner_n__k__m) 0.0)))
(check-sat)
(pop 1)
(reset)
; pad.label-noise-corrected: a higher value of the base
; alarm_n__k__m is alarm[n, k, m]
; alarm_n__more_k___m is alarm[n, more[k], m]
; alarm_n__k__more_m is alarm[n, k, more[m]]
; alarm_n__more_k___more_m is alarm[n, more[k], more[m]]
(set-logic QF_NRA)
(declare-const alarm_n__k__m Real)
(declare-const alarm_n__more_k___m Real)
(declare-const alarm_n__k__more_m Real)
(declare-const alarm_n__more_k___more_m Real)
(declare-const U Real)
(declare-const lower Real)
(declare-const upper Real)
(assert (>= lower 0.0))
(assert (>= upper 0.0))
(push 1)
(assert (>= (+ (* (- 1.0) alarm_n__k__m) alarm_n__more_k___m) 0.0))
(assert (>= (+ (* (- 1.0) alarm_n__k__more_m) alarm_n__more_k___more_m) 0.0))
(assert (>= (+ U (* (- 1.0) lower)) 0.0))
(assert (<= (+ U (* (- 1.0) upper)) 0.0))
(assert (>= (+ (- 3.0) (* 10.0 U)) 0.0))
(assert (<= (+ (- 1.0) U) 0.0))
(assert (>= lower 0.0))
(assert (<= (+ (- 1.0) lower) 0.0))
(assert (>= upper 0.0))
(assert (<= (+ (- 1.0) upper) 0.0))
(assert (not (>= (+ (* U alarm_n__k__m) (* upper alarm_n__more_k___m) (* (- 1.0) U alarm_n__more_k___m) (* (- 1.0) upper alarm_n__k__m) (* U lower alarm_n__k__more_m) (* U lower alarm_n__more_k___m) (* lower upper alarm_n__k__m) (* lower upper alarm_n__more_k___more_m) (* (- 1.0) U lower alarm_n__k__m) (* (- 1.0) U lower alarm_n__more_k___more_m) (* (- 1.0) lower upper alarm_n__k__more_m) (* (- 1.0) lower upper alarm_n__more_k___m)) 0.0)))
(check-sat)
(pop 1)
(reset)
; pad.label-noise-corrected: a lower value of the candidate
; alarm_n__k__more_m is alarm[n, k, more[m]]
; alarm_n__k__m is alarm[n, k, m]
; alarm_n__more_k___more_m is alarm[n, more[k], more[m]]
; alarm_n__more_k___m is alarm[n, more[k], m]
(set-logic QF_NRA)
(declare-const alarm_n__k__more_m Real)
(declare-const alarm_n__k__m Real)
(declare-const alarm_n__more_k___more_m Real)
(declare-const alarm_n__more_k___m Real)
(declare-const U Real)
(declare-const lower Real)
(declare-const upper Real)
(assert (>= lower 0.0))
(assert (>= upper 0.0))
(push 1)
(assert (>= (+ (* (- 1.0) alarm_n__k__more_m) alarm_n__k__m) 0.0))
(assert (>= (+ (* (- 1.0) alarm_n__more_k___more_m) alarm_n__more_k___m) 0.0))
(assert (>= (+ U (* (- 1.0) lower)) 0.0))
(assert (<= (+ U (* (- 1.0) upper)) 0.0))
(assert (>= (+ (- 3.0) (* 10.0 U)) 0.0))
(assert (<= (+ (- 1.0) U) 0.0))
(assert (>= lower 0.0))
(assert (<= (+ (- 1.0) lower) 0.0))
(assert (>= upper 0.0))
(assert (<= (+ (- 1.0) upper) 0.0))
(assert (not (>= (+ (* U alarm_n__k__m) (* lower alarm_n__k__more_m) (* (* U U) alarm_n__k__more_m) (* (* U U) alarm_n__more_k___m) (* (- 1.0) U alarm_n__k__more_m) (* (- 1.0) lower alarm_n__k__m) (* (- 1.0) (* U U) alarm_n__k__m) (* (- 1.0) (* U U) alarm_n__more_k___more_m) (* U lower alarm_n__k__m) (* U lower alarm_n__more_k___more_m) (* (- 1.0) U lower alarm_n__k__more_m) (* (- 1.0) U lower alarm_n__more_k___m)) 0.0)))
(check-sat)
(pop 1)
(reset)
; pad.label-noise-corrected: after one more
; alarm_n__k__m is alarm[n, k, m]
; alarm_n__k__more_m is alarm[n, k, more[m]]
; alarm_n__more_k___m is alarm[n, more[k], m]
; alarm_n__more_k___more_m is alarm[n, more[k], more[m]]
; alarm_n___1__k__m is alarm[n + 1, k, m]
; alarm_corner_n__k__m is alarm_corner[n, k, m]
; indexed_9 is alarm_corner[n, k, more[m]]
; indexed_10 is alarm_corner[n, more[k], m]
; indexed_11 is alarm_corner[n, more[k], more[m]]
; alarm_corner_n___1__k__m is alarm_corner[n + 1, k, m]
(set-logic QF_NRA)
(declare-const alarm_n__k__m Real)
(declare-const U Real)
(declare-const alarm_n__k__more_m Real)
(declare-const alarm_n__more_k___m Real)
(declare-const alarm_n__more_k___more_m Real)
(declare-const alarm_n___1__k__m Real)
(declare-const alarm_corner_n__k__m Real)
(declare-const lower Real)
(declare-const upper Real)
(declare-const indexed_9 Real)
(declare-const indexed_10 Real)
(declare-const indexed_11 Real)
(declare-const alarm_corner_n___1__k__m Real)
(assert (>= lower 0.0))
(assert (>= upper 0.0))
(push 1)
(assert (= (+ (* (- 1.0) alarm_n__k__m) (* (* U U) alarm_n__k__more_m) (* (* U U) alarm_n__more_k___m) (* (- 1.0) U alarm_n__k__more_m) (* (- 1.0) U alarm_n__more_k___m) (* (- 1.0) (* U U) alarm_n__k__m) (* (- 1.0) (* U U) alarm_n__more_k___more_m) (* 2.0 U alarm_n__k__m) alarm_n___1__k__m) 0.0))
(assert (= (+ (* (- 1.0) alarm_corner_n__k__m) (* lower alarm_corner_n__k__m) (* upper alarm_corner_n__k__m) (* (- 1.0) lower indexed_9) (* (- 1.0) upper indexed_10) (* lower upper indexed_9) (* lower upper indexed_10) (* (- 1.0) lower upper alarm_corner_n__k__m) (* (- 1.0) lower upper indexed_11) alarm_corner_n___1__k__m) 0.0))
(assert (>= (+ (* (- 1.0) alarm_n__k__m) (* lower alarm_n__k__m) (* lower indexed_9) (* upper alarm_n__k__m) (* upper indexed_10) (* (- 1.0) lower alarm_n__k__more_m) (* (- 1.0) lower alarm_corner_n__k__m) (* (- 1.0) upper alarm_n__more_k___m) (* (- 1.0) upper alarm_corner_n__k__m) (* lower upper alarm_n__k__more_m) (* lower upper alarm_n__more_k___m) (* lower upper alarm_corner_n__k__m) (* lower upper indexed_11) (* (- 1.0) lower upper alarm_n__k__m) (* (- 1.0) lower upper alarm_n__more_k___more_m) (* (- 1.0) lower upper indexed_9) (* (- 1.0) lower upper indexed_10) alarm_corner_n__k__m) 0.0))
(assert (>= (+ (* U alarm_n__k__m) (* upper alarm_n__more_k___m) (* (- 1.0) U alarm_n__more_k___m) (* (- 1.0) upper alarm_n__k__m) (* U lower alarm_n__k__more_m) (* U lower alarm_n__more_k___m) (* lower upper alarm_n__k__m) (* lower upper alarm_n__more_k___more_m) (* (- 1.0) U lower alarm_n__k__m) (* (- 1.0) U lower alarm_n__more_k___more_m) (* (- 1.0) lower upper alarm_n__k__more_m) (* (- 1.0) lower upper alarm_n__more_k___m)) 0.0))
(assert (>= (+ (* U alarm_n__k__m) (* lower alarm_n__k__more_m) (* (* U U) alarm_n__k__more_m) (* (* U U) alarm_n__more_k___m) (* (- 1.0) U alarm_n__k__more_m) (* (- 1.0) lower alarm_n__k__m) (* (- 1.0) (* U U) alarm_n__k__m) (* (- 1.0) (* U U) alarm_n__more_k___more_m) (* U lower alarm_n__k__m) (* U lower alarm_n__more_k___more_m) (* (- 1.0) U lower alarm_n__k__more_m) (* (- 1.0) U lower alarm_n__more_k___m)) 0.0))
(assert (>= (+ (- 3.0) (* 10.0 U)) 0.0))
(assert (<= (+ (- 1.0) U) 0.0))
(assert (>= lower 0.0))
(assert (<= (+ (- 1.0) lower) 0.0))
(assert (>= upper 0.0))
(assert (<= (+ (- 1.0) upper) 0.0))
(assert (not (>= (+ (* (- 1.0) alarm_n___1__k__m) alarm_corner_n___1__k__m) 0.0)))
(check-sat)
(pop 1)
(reset)
; pad.label-noise-corrected: before the first
; label_k__m is label[k, m]
; found_corner_0__k__m is found_corner[0, k, m]
; label_more_k___m is label[more[k], m]
; indexed_3 is found_corner[0, more[k], m]
(set-logic QF_NRA)
(declare-const label_k__m Real)
(declare-const found_corner_0__k__m Real)
(declare-const label_more_k___m Real)
(declare-const indexed_3 Real)
(push 1)
(assert (= (+ (* (- 1.0) label_k__m) found_corner_0__k__m) 0.0))
(assert (= (+ (* (- 1.0) label_more_k___m) indexed_3) 0.0))
(assert (>= (+ (* (- 1.0) label_k__m) label_more_k___m) 0.0))
(assert (not (>= (+ (* (- 1.0) found_corner_0__k__m) indexed_3) 0.0)))
(check-sat)
(pop 1)
(reset)
; pad.label-noise-corrected: after one more
; found_corner_n__k__m is found_corner[n, k, m]
; found_corner_n___1__k__m is found_corner[n + 1, k, m]
; indexed_3 is found_corner[n, more[k], m]
; indexed_5 is found_corner[n, k, more[m]]
; indexed_6 is found_corner[n, more[k], more[m]]
; indexed_7 is found_corner[n + 1, more[k], m]
; indexed_8 is found_corner[n, more[more[k]], m]
; indexed_9 is found_corner[n, more[more[k]], more[m]]
(set-logic QF_NRA)
(declare-const found_corner_n__k__m Real)
(declare-const found_corner_n___1__k__m Real)
(declare-const lower Real)
(declare-const indexed_3 Real)
(declare-const upper Real)
(declare-const indexed_5 Real)
(declare-const indexed_6 Real)
(declare-const indexed_7 Real)
(declare-const indexed_8 Real)
(declare-const indexed_9 Real)
(declare-const U Real)
(assert (>= lower 0.0))
(assert (>= upper 0.0))
(push 1)
(assert (= (+ (* (- 5.0) found_corner_n__k__m) (* 5.0 found_corner_n___1__k__m) (* (- 5.0) lower indexed_3) (* (- 4.0) upper indexed_5) (* 4.0 upper found_corner_n__k__m) (* 5.0 lower found_corner_n__k__m) (* (- 4.0) lower upper found_corner_n__k__m) (* (- 4.0) lower upper indexed_6) (* 4.0 lower upper indexed_5) (* 4.0 lower upper indexed_3)) 0.0))
(assert (= (+ (* (- 5.0) indexed_3) (* 5.0 indexed_7) (* (- 5.0) lower indexed_8) (* (- 4.0) upper indexed_6) (* 4.0 upper indexed_3) (* 5.0 lower indexed_3) (* (- 4.0) lower upper indexed_3) (* (- 4.0) lower upper indexed_9) (* 4.0 lower upper indexed_6) (* 4.0 lower upper indexed_8)) 0.0))
(assert (>= (+ (* (- 1.0) found_corner_n__k__m) indexed_3) 0.0))
(assert (>= (+ (* (- 1.0) indexed_3) indexed_8) 0.0))
(assert (>= (+ (* (- 1.0) indexed_5) indexed_6) 0.0))
(assert (>= (+ (* (- 1.0) indexed_6) indexed_9) 0.0))
(assert (>= (+ U (* (- 1.0) lower)) 0.0))
(assert (<= (+ U (* (- 1.0) upper)) 0.0))
(assert (>= (+ (- 3.0) (* 10.0 U)) 0.0))
(assert (<= (+ (- 1.0) U) 0.0))
(assert (>= lower 0.0))
(assert (<= (+ (- 1.0) lower) 0.0))
(assert (>= upper 0.0))
(assert (<= (+ (- 1.0) upper) 0.0))
(assert (not (>= (+ (* (- 1.0) found_corner_n___1__k__m) indexed_7) 0.0)))
(check-sat)
(pop 1)
(reset)
; pad.label-noise-corrected: before the first
; label_k__m is label[k, m]
; found_corner_0__k__m is found_corner[0, k, m]
; label_k__more_m is label[k, more[m]]
; indexed_3 is found_corner[0, k, more[m]]
(set-logic QF_NRA)
(declare-const label_k__m Real)
(declare-const found_corner_0__k__m Real)
(declare-const label_k__more_m Real)
(declare-const indexed_3 Real)
(push 1)
(assert (= (+ (* (- 1.0) label_k__m) found_corner_0__k__m) 0.0))
(assert (= (+ (* (- 1.0) label_k__more_m) indexed_3) 0.0))
(assert (>= (+ (* (- 1.0) label_k__more_m) label_k__m) 0.0))
(assert (not (>= (+ (* (- 1.0) indexed_3) found_corner_0__k__m) 0.0)))
(check-sat)
(pop 1)
(reset)
; pad.label-noise-corrected: after one more
; found_corner_n__k__m is found_corner[n, k, m]
; found_corner_n___1__k__m is found_corner[n + 1, k, m]
; indexed_3 is found_corner[n, more[k], m]
; indexed_5 is found_corner[n, k, more[m]]
; indexed_6 is found_corner[n, more[k], more[m]]
; indexed_7 is found_corner[n + 1, k, more[m]]
; indexed_8 is found_corner[n, k, more[more[m]]]
; indexed_9 is found_corner[n, more[k], more[more[m]]]
(set-logic QF_NRA)
(declare-const found_corner_n__k__m Real)
(declare-const found_corner_n___1__k__m Real)
(declare-const lower Real)
(declare-const indexed_3 Real)
(declare-const upper Real)
(declare-const indexed_5 Real)
(declare-const indexed_6 Real)
(declare-const indexed_7 Real)
(declare-const indexed_8 Real)
(declare-const indexed_9 Real)
(declare-const U Real)
(assert (>= lower 0.0))
(assert (>= upper 0.0))
(push 1)
(assert (= (+ (* (- 5.0) found_corner_n__k__m) (* 5.0 found_corner_n___1__k__m) (* (- 5.0) lower indexed_3) (* (- 4.0) upper indexed_5) (* 4.0 upper found_corner_n__k__m) (* 5.0 lower found_corner_n__k__m) (* (- 4.0) lower upper found_corner_n__k__m) (* (- 4.0) lower upper indexed_6) (* 4.0 lower upper indexed_5) (* 4.0 lower upper indexed_3)) 0.0))
(assert (= (+ (* (- 5.0) indexed_5) (* 5.0 indexed_7) (* (- 5.0) lower indexed_6) (* (- 4.0) upper indexed_8) (* 4.0 upper indexed_5) (* 5.0 lower indexed_5) (* (- 4.0) lower upper indexed_5) (* (- 4.0) lower upper indexed_9) (* 4.0 lower upper indexed_8) (* 4.0 lower upper indexed_6)) 0.0))
(assert (>= (+ (* (- 1.0) indexed_5) found_corner_n__k__m) 0.0))
(assert (>= (+ (* (- 1.0) indexed_6) indexed_3) 0.0))
(assert (>= (+ (* (- 1.0) indexed_8) indexed_5) 0.0))
(assert (>= (+ (* (- 1.0) indexed_9) indexed_6) 0.0))
(assert (>= (+ U (* (- 1.0) lower)) 0.0))
(assert (<= (+ U (* (- 1.0) upper)) 0.0))
(assert (>= (+ (- 3.0) (* 10.0 U)) 0.0))
(assert (<= (+ (- 1.0) U) 0.0))
(assert (>= lower 0.0))
(assert (<= (+ (- 1.0) lower) 0.0))
(assert (>= upper 0.0))
(assert (<= (+ (- 1.0) upper) 0.0))
(assert (not (>= (+ (* (- 1.0) indexed_7) found_corner_n___1__k__m) 0.0)))
(check-sat)
(pop 1)
(reset)
; pad.label-noise-corrected: before the first
; label_k__m is label[k, m]
; found_corner_0__k__m is found_corner[0, k, m]
; found_0__k__m is found[0, k, m]
(set-logic QF_NRA)
(declare-const label_k__m Real)
(declare-const found_corner_0__k__m Real)
(declare-const found_0__k__m Real)
(push 1)
(assert (= (+ (* (- 1.0) label_k__m) found_corner_0__k__m) 0.0))
(assert (= (+ (* (- 1.0) label_k__m) found_0__k__m) 0.0))
(assert (not (>= (+ (* (- 1.0) found_corner_0__k__m) found_0__k__m) 0.0)))
(check-sat)
(pop 1)
(reset)
; pad.label-noise-corrected: one more with the same values
; found_corner_n__k__m is found_corner[n, k, m]
; found_n__k__m is found[n, k, m]
; indexed_2 is found_corner[n, more[k], m]
; found_n__more_k___m is found[n, more[k], m]
; indexed_4 is found_corner[n, k, more[m]]
; found_n__k__more_m is found[n, k, more[m]]
; indexed_6 is found_corner[n, more[k], more[m]]
; found_n__more_k___more_m is found[n, more[k], more[m]]
(set-logic QF_NRA)
(declare-const found_corner_n__k__m Real)
(declare-const found_n__k__m Real)
(declare-const indexed_2 Real)
(declare-const found_n__more_k___m Real)
(declare-const indexed_4 Real)
(declare-const found_n__k__more_m Real)
(declare-const indexed_6 Real)
(declare-const found_n__more_k___more_m Real)
(declare-const U Real)
(declare-const lower Real)
(declare-const upper Real)
(assert (>= lower 0.0))
(assert (>= upper 0.0))
(push 1)
(assert (>= (+ (* (- 1.0) found_corner_n__k__m) found_n__k__m) 0.0))
(assert (>= (+ (* (- 1.0) indexed_2) found_n__more_k___m) 0.0))
(assert (>= (+ (* (- 1.0) indexed_4) found_n__k__more_m) 0.0))
(assert (>= (+ (* (- 1.0) indexed_6) found_n__more_k___more_m) 0.0))
(assert (>= (+ U (* (- 1.0) lower)) 0.0))
(assert (<= (+ U (* (- 1.0) upper)) 0.0))
(assert (>= (+ (- 3.0) (* 10.0 U)) 0.0))
(assert (<= (+ (- 1.0) U) 0.0))
(assert (>= lower 0.0))
(assert (<= (+ (- 1.0) lower) 0.0))
(assert (>= upper 0.0))
(assert (<= (+ (- 1.0) upper) 0.0))
(assert (not (>= (+ (* (- 5.0) found_corner_n__k__m) (* 5.0 found_n__k__m) (* (- 9.0) U found_n__k__m) (* (- 5.0) U indexed_2) (* (- 4.0) U indexed_4) (* (- 4.0) (* U U) found_n__k__more_m) (* (- 4.0) (* U U) found_n__more_k___m) (* (- 4.0) (* U U) found_corner_n__k__m) (* (- 4.0) (* U U) indexed_6) (* 4.0 U found_n__k__more_m) (* 4.0 (* U U) found_n__k__m) (* 4.0 (* U U) found_n__more_k___more_m) (* 4.0 (* U U) indexed_4) (* 4.0 (* U U) indexed_2) (* 5.0 U found_n__more_k___m) (* 9.0 U found_corner_n__k__m)) 0.0)))
(check-sat)
(pop 1)
(reset)
; pad.label-noise-corrected: a higher value of the base
; found_corner_n__k__m is found_corner[n, k, m]
; indexed_1 is found_corner[n, more[k], m]
; indexed_2 is found_corner[n, k, more[m]]
; indexed_3 is found_corner[n, more[k], more[m]]
(set-logic QF_NRA)
(declare-const found_corner_n__k__m Real)
(declare-const indexed_1 Real)
(declare-const indexed_2 Real)
(declare-const indexed_3 Real)
(declare-const U Real)
(declare-const lower Real)
(declare-const upper Real)
(assert (>= lower 0.0))
(assert (>= upper 0.0))
(push 1)
(assert (>= (+ (* (- 1.0) found_corner_n__k__m) indexed_1) 0.0))
(assert (>= (+ (* (- 1.0) indexed_2) indexed_3) 0.0))
(assert (>= (+ U (* (- 1.0) lower)) 0.0))
(assert (<= (+ U (* (- 1.0) upper)) 0.0))
(assert (>= (+ (- 3.0) (* 10.0 U)) 0.0))
(assert (<= (+ (- 1.0) U) 0.0))
(assert (>= lower 0.0))
(assert (<= (+ (- 1.0) lower) 0.0))
(assert (>= upper 0.0))
(assert (<= (+ (- 1.0) upper) 0.0))
(assert (not (>= (+ (* (- 5.0) U found_corner_n__k__m) (* (- 5.0) lower indexed_1) (* (- 4.0) (* U U) indexed_2) (* (- 4.0) (* U U) indexed_1) (* 4.0 (* U U) found_corner_n__k__m) (* 4.0 (* U U) indexed_3) (* 5.0 U indexed_1) (* 5.0 lower found_corner_n__k__m) (* (- 4.0) U lower found_corner_n__k__m) (* (- 4.0) U lower indexed_3) (* 4.0 U lower indexed_2) (* 4.0 U lower indexed_1)) 0.0)))
(check-sat)
(pop 1)
(reset)
; pad.label-noise-corrected: a lower value of the candidate
; indexed_0 is found_corner[n, k, more[m]]
; found_corner_n__k__m is found_corner[n, k, m]
; indexed_2 is found_corner[n, more[k], more[m]]
; indexed_3 is found_corner[n, more[k], m]
(set-logic QF_NRA)
(declare-const indexed_0 Real)
(declare-const found_corner_n__k__m Real)
(declare-const indexed_2 Real)
(declare-const indexed_3 Real)
(declare-const U Real)
(declare-const lower Real)
(declare-const upper Real)
(assert (>= lower 0.0))
(assert (>= upper 0.0))
(push 1)
(assert (>= (+ (* (- 1.0) indexed_0) found_corner_n__k__m) 0.0))
(assert (>= (+ (* (- 1.0) indexed_2) indexed_3) 0.0))
(assert (>= (+ U (* (- 1.0) lower)) 0.0))
(assert (<= (+ U (* (- 1.0) upper)) 0.0))
(assert (>= (+ (- 3.0) (* 10.0 U)) 0.0))
(assert (<= (+ (- 1.0) U) 0.0))
(assert (>= lower 0.0))
(assert (<= (+ (- 1.0) lower) 0.0))
(assert (>= upper 0.0))
(assert (<= (+ (- 1.0) upper) 0.0))
(assert (not (>= (+ (* (- 4.0) U found_corner_n__k__m) (* (- 4.0) upper indexed_0) (* 4.0 U indexed_0) (* 4.0 upper found_corner_n__k__m) (* (- 4.0) U lower indexed_0) (* (- 4.0) U lower indexed_3) (* (- 4.0) lower upper found_corner_n__k__m) (* (- 4.0) lower upper indexed_2) (* 4.0 U lower found_corner_n__k__m) (* 4.0 U lower indexed_2) (* 4.0 lower upper indexed_0) (* 4.0 lower upper indexed_3)) 0.0)))
(check-sat)
(pop 1)
(reset)
; pad.label-noise-corrected: after one more
; found_corner_n__k__m is found_corner[n, k, m]
; found_corner_n___1__k__m is found_corner[n + 1, k, m]
; indexed_3 is found_corner[n, more[k], m]
; indexed_5 is found_corner[n, k, more[m]]
; indexed_6 is found_corner[n, more[k], more[m]]
; found_n__k__m is found[n, k, m]
; found_n___1__k__m is found[n + 1, k, m]
; found_n__more_k___m is found[n, more[k], m]
; found_n__k__more_m is found[n, k, more[m]]
; found_n__more_k___more_m is found[n, more[k], more[m]]
(set-logic QF_NRA)
(declare-const found_corner_n__k__m Real)
(declare-const found_corner_n___1__k__m Real)
(declare-const lower Real)
(declare-const indexed_3 Real)
(declare-const upper Real)
(declare-const indexed_5 Real)
(declare-const indexed_6 Real)
(declare-const found_n__k__m Real)
(declare-const found_n___1__k__m Real)
(declare-const U Real)
(declare-const found_n__more_k___m Real)
(declare-const found_n__k__more_m Real)
(declare-const found_n__more_k___more_m Real)
(assert (>= lower 0.0))
(assert (>= upper 0.0))
(push 1)
(assert (= (+ (* (- 5.0) found_corner_n__k__m) (* 5.0 found_corner_n___1__k__m) (* (- 5.0) lower indexed_3) (* (- 4.0) upper indexed_5) (* 4.0 upper found_corner_n__k__m) (* 5.0 lower found_corner_n__k__m) (* (- 4.0) lower upper found_corner_n__k__m) (* (- 4.0) lower upper indexed_6) (* 4.0 lower upper indexed_5) (* 4.0 lower upper indexed_3)) 0.0))
(assert (= (+ (* (- 5.0) found_n__k__m) (* 5.0 found_n___1__k__m) (* (- 5.0) U found_n__more_k___m) (* (- 4.0) U found_n__k__more_m) (* (- 4.0) (* U U) found_n__k__m) (* (- 4.0) (* U U) found_n__more_k___more_m) (* 4.0 (* U U) found_n__k__more_m) (* 4.0 (* U U) found_n__more_k___m) (* 9.0 U found_n__k__m)) 0.0))
(assert (>= (+ (* (- 5.0) found_corner_n__k__m) (* 5.0 found_n__k__m) (* (- 9.0) U found_n__k__m) (* (- 5.0) U indexed_3) (* (- 4.0) U indexed_5) (* (- 4.0) (* U U) found_n__k__more_m) (* (- 4.0) (* U U) found_n__more_k___m) (* (- 4.0) (* U U) found_corner_n__k__m) (* (- 4.0) (* U U) indexed_6) (* 4.0 U found_n__k__more_m) (* 4.0 (* U U) found_n__k__m) (* 4.0 (* U U) found_n__more_k___more_m) (* 4.0 (* U U) indexed_5) (* 4.0 (* U U) indexed_3) (* 5.0 U found_n__more_k___m) (* 9.0 U found_corner_n__k__m)) 0.0))
(assert (>= (+ (* (- 5.0) U found_corner_n__k__m) (* (- 5.0) lower indexed_3) (* (- 4.0) (* U U) indexed_5) (* (- 4.0) (* U U) indexed_3) (* 4.0 (* U U) found_corner_n__k__m) (* 4.0 (* U U) indexed_6) (* 5.0 U indexed_3) (* 5.0 lower found_corner_n__k__m) (* (- 4.0) U lower found_corner_n__k__m) (* (- 4.0) U lower indexed_6) (* 4.0 U lower indexed_5) (* 4.0 U lower indexed_3)) 0.0))
(assert (>= (+ (* (- 4.0) U found_corner_n__k__m) (* (- 4.0) upper indexed_5) (* 4.0 U indexed_5) (* 4.0 upper found_corner_n__k__m) (* (- 4.0) U lower indexed_5) (* (- 4.0) U lower indexed_3) (* (- 4.0) lower upper found_corner_n__k__m) (* (- 4.0) lower upper indexed_6) (* 4.0 U lower found_corner_n__k__m) (* 4.0 U lower indexed_6) (* 4.0 lower upper indexed_5) (* 4.0 lower upper indexed_3)) 0.0))
(assert (>= (+ (- 3.0) (* 10.0 U)) 0.0))
(assert (<= (+ (- 1.0) U) 0.0))
(assert (>= lower 0.0))
(assert (<= (+ (- 1.0) lower) 0.0))
(assert (>= upper 0.0))
(assert (<= (+ (- 1.0) upper) 0.0))
(assert (not (>= (+ (* (- 1.0) found_corner_n___1__k__m) found_n___1__k__m) 0.0)))
(check-sat)
(pop 1)

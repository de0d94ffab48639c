; ears.cache: the ratio multiplied out
; p_n is p[n]
; R_n is R[n]
; q_n is q[n]
; A_n is A[n]
; u_n is u[n]
; F_n is F[n]
(set-logic QF_NRA)
(declare-const p_n Real)
(declare-const R_n Real)
(declare-const q_n Real)
(declare-const A_n Real)
(declare-const u_n Real)
(declare-const F_n Real)
(push 1)
(assert (= (+ (* (- 1.0) p_n) (* R_n q_n)) 0.0))
(assert (> q_n 0.0))
(assert (= (+ (* (- 1.0) (* A_n A_n)) A_n) 0.0))
(assert (>= (+ (* A_n p_n) (* (- 1.0) A_n q_n u_n)) 0.0))
(assert (> (+ (* (- 1.0) p_n) (* A_n p_n) (* q_n u_n) (* (- 1.0) A_n q_n u_n) A_n) 0.0))
(assert (= (+ (* (- 1.0) (* F_n F_n)) F_n) 0.0))
(assert (>= (+ (* F_n R_n) (* (- 1.0) F_n u_n)) 0.0))
(assert (> (+ (* (- 1.0) R_n) (* F_n R_n) (* (- 1.0) F_n u_n) F_n u_n) 0.0))
(assert (not (= (+ (* (- 1.0) F_n) A_n) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.cache: and in the second test
; held_n is held[n]
; p_n is p[n]
; R_n is R[n]
; q_n is q[n]
; m_n is m[n]
; B_n is B[n]
; u_n is u[n]
; G_n is G[n]
(set-logic QF_NRA)
(declare-const held_n Real)
(declare-const p_n Real)
(declare-const R_n Real)
(declare-const q_n Real)
(declare-const m_n Real)
(declare-const B_n Real)
(declare-const u_n Real)
(declare-const G_n Real)
(declare-const beta Real)
(assert (>= beta 0.0))
(push 1)
(assert (>= (+ (- 1.0) held_n) 0.0))
(assert (= (+ (* (- 1.0) p_n) (* R_n q_n)) 0.0))
(assert (> q_n 0.0))
(assert (<= (+ (- 1.0) m_n) 0.0))
(assert (= (+ (* (- 1.0) m_n) held_n) 0.0))
(assert (= (+ (* (- 1.0) (* B_n B_n)) B_n) 0.0))
(assert (>= (+ (* B_n p_n) (* (- 1.0) B_n q_n u_n)) 0.0))
(assert (> (+ (* (- 1.0) p_n) (* B_n p_n) (* q_n u_n) (* (- 1.0) B_n q_n u_n) B_n) 0.0))
(assert (= (+ (* (- 1.0) (* G_n G_n)) G_n) 0.0))
(assert (>= (+ (* beta G_n) (* G_n R_n) (* (- 1.0) G_n u_n) (* (- 1.0) beta G_n m_n)) 0.0))
(assert (> (+ (* (- 1.0) beta) (* (- 1.0) R_n) (* beta G_n) (* beta m_n) (* G_n R_n) (* (- 1.0) G_n u_n) (* (- 1.0) beta G_n m_n) G_n u_n) 0.0))
(assert (>= beta 0.0))
(assert (not (= (+ (* (- 1.0) G_n) B_n) 0.0)))
(check-sat)
(pop 1)
(push 1)
(assert (>= (+ 1.0 (* (- 1.0) held_n)) 0.0))
(assert (= (+ (* (- 1.0) p_n) (* R_n q_n)) 0.0))
(assert (> q_n 0.0))
(assert (<= (+ (- 1.0) m_n) 0.0))
(assert (= (+ (* (- 1.0) m_n) held_n) 0.0))
(assert (= (+ (* (- 1.0) (* B_n B_n)) B_n) 0.0))
(assert (>= (+ (* B_n p_n) (* beta B_n q_n) (* (- 1.0) B_n q_n u_n) (* (- 1.0) beta B_n held_n q_n)) 0.0))
(assert (> (+ (* (- 1.0) p_n) (* B_n p_n) (* q_n u_n) (* (- 1.0) beta q_n) (* beta B_n q_n) (* beta held_n q_n) (* (- 1.0) B_n q_n u_n) (* (- 1.0) beta B_n held_n q_n) B_n) 0.0))
(assert (= (+ (* (- 1.0) (* G_n G_n)) G_n) 0.0))
(assert (>= (+ (* beta G_n) (* G_n R_n) (* (- 1.0) G_n u_n) (* (- 1.0) beta G_n m_n)) 0.0))
(assert (> (+ (* (- 1.0) beta) (* (- 1.0) R_n) (* beta G_n) (* beta m_n) (* G_n R_n) (* (- 1.0) G_n u_n) (* (- 1.0) beta G_n m_n) G_n u_n) 0.0))
(assert (>= beta 0.0))
(assert (not (= (+ (* (- 1.0) G_n) B_n) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.cache: likewise
; m_n is m[n]
; p_n is p[n]
; R_n is R[n]
; q_n is q[n]
; C_n is C[n]
; u_n is u[n]
; G_n is G[n]
(set-logic QF_NRA)
(declare-const m_n Real)
(declare-const p_n Real)
(declare-const R_n Real)
(declare-const q_n Real)
(declare-const C_n Real)
(declare-const u_n Real)
(declare-const G_n Real)
(declare-const beta Real)
(assert (>= beta 0.0))
(push 1)
(assert (>= (+ (- 1.0) m_n) 0.0))
(assert (= (+ (* (- 1.0) p_n) (* R_n q_n)) 0.0))
(assert (> q_n 0.0))
(assert (<= (+ (- 1.0) m_n) 0.0))
(assert (= (+ (* (- 1.0) (* C_n C_n)) C_n) 0.0))
(assert (>= (+ (* C_n p_n) (* (- 1.0) C_n q_n u_n)) 0.0))
(assert (> (+ (* (- 1.0) p_n) (* C_n p_n) (* q_n u_n) (* (- 1.0) C_n q_n u_n) C_n) 0.0))
(assert (= (+ (* (- 1.0) (* G_n G_n)) G_n) 0.0))
(assert (>= (+ (* beta G_n) (* G_n R_n) (* (- 1.0) G_n u_n) (* (- 1.0) beta G_n m_n)) 0.0))
(assert (> (+ (* (- 1.0) beta) (* (- 1.0) R_n) (* beta G_n) (* beta m_n) (* G_n R_n) (* (- 1.0) G_n u_n) (* (- 1.0) beta G_n m_n) G_n u_n) 0.0))
(assert (>= beta 0.0))
(assert (not (= (+ (* (- 1.0) G_n) C_n) 0.0)))
(check-sat)
(pop 1)
(push 1)
(assert (>= (+ 1.0 (* (- 1.0) m_n)) 0.0))
(assert (= (+ (* (- 1.0) p_n) (* R_n q_n)) 0.0))
(assert (> q_n 0.0))
(assert (<= (+ (- 1.0) m_n) 0.0))
(assert (= (+ (* (- 1.0) (* C_n C_n)) C_n) 0.0))
(assert (>= (+ (* C_n p_n) (* beta C_n q_n) (* (- 1.0) C_n q_n u_n) (* (- 1.0) beta C_n m_n q_n)) 0.0))
(assert (> (+ (* (- 1.0) p_n) (* C_n p_n) (* q_n u_n) (* (- 1.0) beta q_n) (* beta C_n q_n) (* beta m_n q_n) (* (- 1.0) C_n q_n u_n) (* (- 1.0) beta C_n m_n q_n) C_n) 0.0))
(assert (= (+ (* (- 1.0) (* G_n G_n)) G_n) 0.0))
(assert (>= (+ (* beta G_n) (* G_n R_n) (* (- 1.0) G_n u_n) (* (- 1.0) beta G_n m_n)) 0.0))
(assert (> (+ (* (- 1.0) beta) (* (- 1.0) R_n) (* beta G_n) (* beta m_n) (* G_n R_n) (* (- 1.0) G_n u_n) (* (- 1.0) beta G_n m_n) G_n u_n) 0.0))
(assert (>= beta 0.0))
(assert (not (= (+ (* (- 1.0) G_n) C_n) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.cache: the same decision
; A_n is A[n]
; B_n is B[n]
; D_1_n is D_1[n]
; F_n is F[n]
; G_n is G[n]
; D_0_n is D_0[n]
(set-logic QF_NRA)
(declare-const A_n Real)
(declare-const B_n Real)
(declare-const D_1_n Real)
(declare-const F_n Real)
(declare-const G_n Real)
(declare-const D_0_n Real)
(push 1)
(assert (= (+ (- 2.0) (* 2.0 A_n) (* (- 1.0) A_n B_n) B_n D_1_n) 0.0))
(assert (= (+ (- 2.0) (* 2.0 F_n) (* (- 1.0) F_n G_n) D_0_n G_n) 0.0))
(assert (= (+ (* (- 1.0) F_n) A_n) 0.0))
(assert (= (+ (* (- 1.0) G_n) B_n) 0.0))
(assert (not (= (+ (* (- 1.0) D_0_n) D_1_n) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.cache: one more
; A_n is A[n]
; X_1_n is X_1[n]
; B_n is B[n]
; X_1_n___1 is X_1[n + 1]
; F_n is F[n]
; X_0_n is X_0[n]
; G_n is G[n]
; X_0_n___1 is X_0[n + 1]
(set-logic QF_NRA)
(declare-const A_n Real)
(declare-const X_1_n Real)
(declare-const B_n Real)
(declare-const X_1_n___1 Real)
(declare-const F_n Real)
(declare-const X_0_n Real)
(declare-const G_n Real)
(declare-const X_0_n___1 Real)
(push 1)
(assert (= (+ (* (- 1.0) A_n X_1_n) (* (- 1.0) B_n X_1_n) (* A_n B_n X_1_n) X_1_n___1) 0.0))
(assert (= (+ (* (- 1.0) F_n X_0_n) (* (- 1.0) G_n X_0_n) (* F_n G_n X_0_n) X_0_n___1) 0.0))
(assert (= (+ (* (- 1.0) X_0_n) X_1_n) 0.0))
(assert (= (+ (* (- 1.0) F_n) A_n) 0.0))
(assert (= (+ (* (- 1.0) G_n) B_n) 0.0))
(assert (not (= (+ (* (- 1.0) X_0_n___1) X_1_n___1) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.cache: one more
; N_1_n is N_1[n]
; X_1_n is X_1[n]
; N_1_n___1 is N_1[n + 1]
; N_0_n is N_0[n]
; X_0_n is X_0[n]
; N_0_n___1 is N_0[n + 1]
(set-logic QF_NRA)
(declare-const N_1_n Real)
(declare-const X_1_n Real)
(declare-const N_1_n___1 Real)
(declare-const N_0_n Real)
(declare-const X_0_n Real)
(declare-const N_0_n___1 Real)
(push 1)
(assert (= (+ (* (- 1.0) N_1_n) (* (- 1.0) X_1_n) N_1_n___1) 0.0))
(assert (= (+ (* (- 1.0) N_0_n) (* (- 1.0) X_0_n) N_0_n___1) 0.0))
(assert (= (+ (* (- 1.0) N_0_n) N_1_n) 0.0))
(assert (= (+ (* (- 1.0) X_0_n) X_1_n) 0.0))
(assert (not (= (+ (* (- 1.0) N_0_n___1) N_1_n___1) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.cache: −1 after a rejection
; D_0_n is D_0[n]
; D_1_n is D_1[n]
; X_0_n is X_0[n]
; X_1_n is X_1[n]
(set-logic QF_NRA)
(declare-const D_0_n Real)
(declare-const D_1_n Real)
(declare-const X_0_n Real)
(declare-const X_1_n Real)
(push 1)
(assert (= (+ (* (- 1.0) D_0_n) D_1_n) 0.0))
(assert (= (+ (* (- 1.0) X_0_n) X_1_n) 0.0))
(assert (not (= (+ (* (- 1.0) X_0_n) (* D_1_n X_1_n) (* (- 1.0) D_0_n X_0_n) X_1_n) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.cache: the same decision
; A_n is A[n]
; C_n is C[n]
; D_2_n is D_2[n]
; F_n is F[n]
; G_n is G[n]
; D_0_n is D_0[n]
(set-logic QF_NRA)
(declare-const A_n Real)
(declare-const C_n Real)
(declare-const D_2_n Real)
(declare-const F_n Real)
(declare-const G_n Real)
(declare-const D_0_n Real)
(push 1)
(assert (= (+ (- 2.0) (* 2.0 A_n) (* (- 1.0) A_n C_n) C_n D_2_n) 0.0))
(assert (= (+ (- 2.0) (* 2.0 F_n) (* (- 1.0) F_n G_n) D_0_n G_n) 0.0))
(assert (= (+ (* (- 1.0) F_n) A_n) 0.0))
(assert (= (+ (* (- 1.0) G_n) C_n) 0.0))
(assert (not (= (+ (* (- 1.0) D_0_n) D_2_n) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.cache: one more
; A_n is A[n]
; X_2_n is X_2[n]
; C_n is C[n]
; X_2_n___1 is X_2[n + 1]
; F_n is F[n]
; X_0_n is X_0[n]
; G_n is G[n]
; X_0_n___1 is X_0[n + 1]
(set-logic QF_NRA)
(declare-const A_n Real)
(declare-const X_2_n Real)
(declare-const C_n Real)
(declare-const X_2_n___1 Real)
(declare-const F_n Real)
(declare-const X_0_n Real)
(declare-const G_n Real)
(declare-const X_0_n___1 Real)
(push 1)
(assert (= (+ (* (- 1.0) A_n X_2_n) (* (- 1.0) C_n X_2_n) (* A_n C_n X_2_n) X_2_n___1) 0.0))
(assert (= (+ (* (- 1.0) F_n X_0_n) (* (- 1.0) G_n X_0_n) (* F_n G_n X_0_n) X_0_n___1) 0.0))
(assert (= (+ (* (- 1.0) X_0_n) X_2_n) 0.0))
(assert (= (+ (* (- 1.0) F_n) A_n) 0.0))
(assert (= (+ (* (- 1.0) G_n) C_n) 0.0))
(assert (not (= (+ (* (- 1.0) X_0_n___1) X_2_n___1) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.cache: one more
; N_2_n is N_2[n]
; X_2_n is X_2[n]
; N_2_n___1 is N_2[n + 1]
; N_0_n is N_0[n]
; X_0_n is X_0[n]
; N_0_n___1 is N_0[n + 1]
(set-logic QF_NRA)
(declare-const N_2_n Real)
(declare-const X_2_n Real)
(declare-const N_2_n___1 Real)
(declare-const N_0_n Real)
(declare-const X_0_n Real)
(declare-const N_0_n___1 Real)
(push 1)
(assert (= (+ (* (- 1.0) N_2_n) (* (- 1.0) X_2_n) N_2_n___1) 0.0))
(assert (= (+ (* (- 1.0) N_0_n) (* (- 1.0) X_0_n) N_0_n___1) 0.0))
(assert (= (+ (* (- 1.0) N_0_n) N_2_n) 0.0))
(assert (= (+ (* (- 1.0) X_0_n) X_2_n) 0.0))
(assert (not (= (+ (* (- 1.0) N_0_n___1) N_2_n___1) 0.0)))
(check-sat)
(pop 1)
(reset)
; ears.cache: −1 after a rejection
; D_0_n is D_0[n]
; D_2_n is D_2[n]
; X_0_n is X_0[n]
; X_2_n is X_2[n]
(set-logic QF_NRA)
(declare-const D_0_n Real)
(declare-const D_2_n Real)
(declare-const X_0_n Real)
(declare-const X_2_n Real)
(push 1)
(assert (= (+ (* (- 1.0) D_0_n) D_2_n) 0.0))
(assert (= (+ (* (- 1.0) X_0_n) X_2_n) 0.0))
(assert (not (= (+ (* (- 1.0) X_0_n) (* D_2_n X_2_n) (* (- 1.0) D_0_n X_0_n) X_2_n) 0.0)))
(check-sat)
(pop 1)

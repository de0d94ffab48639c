// One step of speculative decoding on stored logits or laws: one block a batch element.
//
// The meaning is simspec/kernels/rounds/reference.py verify; simspec/kernels/rounds/device.py says how far rounding may
// move a decision.  Rows after the first rejection are not read; of laws two numbers a draft, and the rows of one position.
#include "philox.h"
#include "softmax.h"

const i64 NOTHING = -1;  // no mass to draw from

// The token that u draws from masses (not negative) in their order; less than 0 where their sum is not positive and finite.
// Each round sums up 256 stretches and goes on in the one that u falls into.
template <class Mass>
__device__ i64 pick(i64 vocab, double u, double* lanes, Mass mass) {
    double level = 0;
    for (i64 first = 0, size = vocab, round = 0;; ++round) {
        const i64 stretch = (size + LANES - 1) / LANES;
        for (int lane = threadIdx.x; lane < LANES; lane += blockDim.x) {
            double sum = 0;
            for (i64 x = lane * stretch; x < size && x < (lane + 1) * stretch; ++x) sum += mass(first + x);
            lanes[lane] = sum;
        }
        __syncthreads();
        double total = 0;
        for (int lane = 0; lane < LANES; ++lane) total += lanes[lane];
        if (round == 0) level = u * total;
        i64 found = 0;
        double before = 0, below = 0;
        for (int lane = 0; lane < LANES && before <= level; ++lane)
            if (lanes[lane] > 0) {
                found = lane;
                below = before;
                before += lanes[lane];
            }
        __syncthreads();  // before the lanes are used again
        if (!(total > 0 && total < -minus_infinity<double>())) return total == 0 ? NOTHING : NOTHING - 1;
        first += found * stretch;
        size = size - found * stretch < stretch ? size - found * stretch : stretch;
        level -= below;
        if (stretch <= 1) return first;
    }
}

// what is drawn after n kept drafts: of max(p - q, 0) if there is a q, of p where nothing is left of it or there is none
template <class P, class Q>
__device__ void end(i64 n, bool rejected, i64 vocab, double u, double* lanes, P p, Q q, int* accepted, int* token) {
    i64 x = NOTHING;
    if (rejected)
        x = pick(vocab, u, lanes, [=](i64 i) {
            const double d = p(i) - q(i);
            return d < 0 ? 0 : d;
        });
    if (x == NOTHING) x = pick(vocab, u, lanes, p);
    if (threadIdx.x == 0) {
        accepted[blockIdx.x] = (int)n;
        token[blockIdx.x] = x < 0 ? -1 : (int)x;
    }
}

#define STEP(T)                                                                                                        \
    const T *target, const T *draft, const i64 *drafted, i64 gamma, i64 vocab, u32 k0, u32 k1, const u64 *rows,       \
        i64 position, u32 purpose, int *accepted, int *token

template <class T>
__device__ void logits(STEP(T)) {
    __shared__ T tops[2 * LANES];
    __shared__ double sums[2 * LANES];
    const i64 element = blockIdx.x;
    for (i64 n = 0;; ++n) {
        const T* a = target + (element * (gamma + 1) + n) * vocab;
        const T* b = n < gamma ? draft + (element * gamma + n) * vocab : a;
        const Both<T> laws = softmax(a, b, vocab, tops, sums);
        const philox::Words w = philox::words(k0, k1, rows[element], (u32)(position + n), purpose);
        if (n < gamma && laws.p.weight > 0 && laws.q.weight > 0) {
            const i64 x = drafted[element * gamma + n];
            const double log_q = ((double)b[x] - laws.q.maximum) + philox::log(laws.q.weight);
            const double log_p = ((double)a[x] - laws.p.maximum) + philox::log(laws.p.weight);
            if (philox::log(philox::unit(w.at[1])) + log_q < log_p) continue;
        }
        return end(n, n < gamma, vocab, philox::unit(w.at[2]), sums, laws.p, laws.q, accepted, token);
    }
}

template <class T>
__device__ void laws(STEP(T)) {
    __shared__ double sums[LANES];
    const i64 element = blockIdx.x;
    for (i64 n = 0;; ++n) {
        const T* p = target + (element * (gamma + 1) + n) * vocab;
        const T* q = n < gamma ? draft + (element * gamma + n) * vocab : p;
        const philox::Words w = philox::words(k0, k1, rows[element], (u32)(position + n), purpose);
        const i64 x = n < gamma ? drafted[element * gamma + n] : 0;
        if (n < gamma && philox::unit(w.at[1]) * (double)q[x] < (double)p[x]) continue;
        const auto mass_p = [=](i64 i) { return (double)p[i]; };
        const auto mass_q = [=](i64 i) { return (double)q[i]; };
        return end(n, n < gamma, vocab, philox::unit(w.at[2]), sums, mass_p, mass_q, accepted, token);
    }
}

#define GIVEN_STEP target, draft, drafted, gamma, vocab, k0, k1, rows, position, purpose, accepted, token

KERNEL(verify_logits_f32, STEP(float)) { logits(GIVEN_STEP); }

KERNEL(verify_logits_f64, STEP(double)) { logits(GIVEN_STEP); }

KERNEL(verify_laws_f32, STEP(float)) { laws(GIVEN_STEP); }

KERNEL(verify_laws_f64, STEP(double)) { laws(GIVEN_STEP); }

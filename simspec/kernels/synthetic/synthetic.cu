// Synthetic target and draft rows that are never stored: drawn from their counters, summed up, and drawn again.
//
// A block draws each row pair three times: for the maxima, the sums of exponentials and the overlap.  All in float64, the
// logits to the last bit those of simspec/logits/synthetic.py (gaussian or student_t, then correlated).
#include "philox.h"
#include "reduce.h"

struct Model {
    u32 k0, k1;
    u32 purpose, noise;     // of the target's draws and of the draft's own
    double df;              // infinity is Gaussian
    double rho, spread;     // correlation and sqrt(1 - rho^2)
    const double* location; // (V,)
    const double* scale;    // (V,)
};

// target logit and draft logit of one token
__device__ inline Few<double, 2> pair(const Model& m, u64 row, i64 x) {
    const double centre = m.location[x], scale = m.scale[x];
    double target = philox::student_t(m.k0, m.k1, row, (u32)x, m.purpose, m.df);
    target = target * scale + centre;
    const double noise = philox::student_t(m.k0, m.k1, row, (u32)x, m.noise, m.df) * (m.spread * scale);
    return {{target, m.rho * target + (1 - m.rho) * centre + noise}};
}

#define MODEL                                                                                                       \
    u32 k0, u32 k1, u64 first_row, u32 purpose, u32 noise, double df, double rho, double spread,   \
        const double *location, const double *scale
#define GIVEN Model{k0, k1, purpose, noise, df, rho, spread, location, scale}

// overlap of each row, NaN where a logit overflows; sound: number of the other rows
KERNEL(synthetic_overlap, MODEL, i64 vocab, double* common, u64* sound) {
    __shared__ double lanes[3 * LANES];
    const Model model = GIVEN;
    const u64 row = first_row + blockIdx.x;
    const Few<double, 2> m = fold<Maximum, 2>(vocab, lanes, [=](i64 x) { return pair(model, row, x); });
    const Few<double, 3> s = fold<Sum, 3>(vocab, lanes, [=](i64 x) {
        const Few<double, 2> z = pair(model, row, x);
        const double lost = z.at[1] - z.at[1];  // 0, or NaN: a target that overflows takes its draft along
        return Few<double, 3>{{exponential(z.at[0] - m.at[0]), exponential(z.at[1] - m.at[1]), lost}};
    });
    const double wp = 1 / s.at[0], wq = 1 / s.at[1];
    const double kept = fold<Sum, 1>(vocab, lanes, [=](i64 x) {
        const Few<double, 2> z = pair(model, row, x);
        const double p = exponential(z.at[0] - m.at[0]) * wp, q = exponential(z.at[1] - m.at[1]) * wq;
        return Few<double, 1>{{p > q ? q : p + (q - q)}};
    }).at[0];
    if (threadIdx.x == 0) {
        common[blockIdx.x] = kept + s.at[2];
        if (kept + s.at[2] >= 0) atomicAdd(sound, (u64)1);
    }
}

// the logits themselves, for a look at rows of interest
KERNEL(synthetic_logits, MODEL, i64 vocab, double* target, double* draft) {
    const Model model = GIVEN;
    for (i64 x = threadIdx.x; x < vocab; x += blockDim.x) {
        const Few<double, 2> z = pair(model, first_row + blockIdx.x, x);
        target[blockIdx.x * vocab + x] = z.at[0];
        draft[blockIdx.x * vocab + x] = z.at[1];
    }
}

// sums of the logits of each row: what it costs to draw every pair once and keep nothing
KERNEL(synthetic_sums, MODEL, i64 vocab, double* target, double* draft) {
    __shared__ double lanes[2 * LANES];
    const Model model = GIVEN;
    const u64 row = first_row + blockIdx.x;
    const Few<double, 2> s = fold<Sum, 2>(vocab, lanes, [=](i64 x) { return pair(model, row, x); });
    if (threadIdx.x == 0) {
        target[blockIdx.x] = s.at[0];
        draft[blockIdx.x] = s.at[1];
    }
}

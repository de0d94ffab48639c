// Normal and Student-t draws four tokens at a time: those that share counters (simspec/kernels/random/__init__.py).
//
// In float64 they have the bits of NumPy; in float32 (df >= 1) they are those of single.h, Student's over sqrt(df).
#ifndef SIMSPEC_DRAWS_H
#define SIMSPEC_DRAWS_H

#include "philox.h"
#include "single.h"

const int SHARED = 256, FOUR = 4 * SHARED;  // the four tokens lie 256 apart

// normal: df is so large that both laws have the same bits
__device__ inline bool is_normal(double df) { return df >= 0x1p60; }

template <bool NORMAL>
struct Doubles {
    typedef double real;
    static const bool normal = NORMAL;
    double df;

    __device__ explicit Doubles(double df) : df(df) {}
    __device__ double radius(u32 n) const { return NORMAL ? philox::normal_radius(n) : philox::student_radius(n, df); }
    static __device__ double sine(u32 n) { return philox::sine(n); }
    static __device__ double cosine(u32 n) { return philox::cosine(n); }
};

template <bool NORMAL>
struct Singles {
    typedef float real;
    static const bool normal = NORMAL;
    float high, low, rate;

    __device__ explicit Singles(double df) {
        high = __uint_as_float(__float_as_uint((float)(2.0 / df)) & ~4095u);
        low = (float)(2.0 / df - high);
        rate = (float)(2.0 / df / 0.6931471805599453);
    }
    __device__ float radius(u32 n) const {
        return NORMAL ? single::normal_radius(n) : single::student_radius(n, high, low, rate);
    }
    static __device__ float sine(u32 n) { return single::sine(n); }
    static __device__ float cosine(u32 n) { return single::cosine(n); }
};

// draws of the tokens x, x + 256, x + 512 and x + 768, where x lacks the bits of 256 and 512
template <class D, class T>
__device__ inline void draw(const D& d, u32 k0, u32 k1, u64 row, u32 x, u32 purpose, T (&z)[4]) {
    const philox::Words w = philox::words(k0, k1, row, x, purpose);
    const T r = d.radius(w.at[0]), s = d.radius(w.at[2]);
    z[0] = r * D::sine(w.at[1]);
    z[1] = s * D::sine(w.at[3]);
    if (D::normal) {
        z[2] = r * D::cosine(w.at[1]);
        z[3] = s * D::cosine(w.at[3]);
    } else {
        const philox::Words more = philox::words(k0, k1, row, x + 2 * SHARED, purpose);
        z[2] = d.radius(more.at[0]) * D::sine(more.at[1]);
        z[3] = d.radius(more.at[2]) * D::sine(more.at[3]);
    }
}

#endif

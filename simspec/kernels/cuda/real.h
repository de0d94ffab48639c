// Floats without a library: exponential of a number that is not positive, maximum that keeps NaN, and one that does not.
//
// Only + - * and bit casts, and for float32 multiply-adds that are rounded once, so host and GPU give the same bits.
// exponential(t) has relative error at most 4 u for t < 1, with u = 2^-24 or 2^-53: 0.4 u from the reduced argument (k ln 2 is
// subtracted in two parts, the first exactly), 0.2 u from the polynomial at |r| <= 0.35 (Taylor's in float64, in float32 fitted
// at Chebyshev nodes), 2.3 u from its rounding at most (less where rounded once), and none from the power of two.
// It is 1 at 0, NaN at NaN (whose bits are not everywhere the same: here they are only multiplied), and 0 below -80 or -700, where a term cannot change a sum that holds a 1
// by more than V e^-80; without a branch, as threads of a warp would wait for each other.
#ifndef SIMSPEC_REAL_H
#define SIMSPEC_REAL_H

#include "device.h"

__device__ inline float exponential(float t) {
    const float rounded = fused(t, 1.44269504f, 12582912.0f);  // 1.5 * 2^23: t / ln 2 to the nearest integer, in the low bits
    const float k = rounded - 12582912.0f;
    const float r = fused(k, -1.42860682e-6f, fused(k, -0.693145751953125f, t));
    float s = fused(r, fused(r, 0.0013933686f, 0.0083691841f), 0.041666463f);
    s = fused(r, fused(r, fused(r, fused(r, s, 0.16666505f), 0.5f), 1.0f), 1.0f);
    const float power = __uint_as_float((__float_as_uint(rounded) << 23) + 0x3F800000u);
    return t < -80.0f ? 0.0f : s * power;
}

// 2^t for -125 <= t <= 126, with relative error at most 4 u: a polynomial that is within 1.9 u, and its rounding
__device__ inline float power_of_two(float t) {
    const float rounded = t + 12582912.0f;
    const float r = t - (rounded - 12582912.0f);
    float s = fused(fused(0.0013264727f, r, 0.009671513f), r, 0.055507336f);
    s = fused(fused(fused(s, r, 0.24022242f), r, 0.693147f), r, 1.0f);
    return __uint_as_float(__float_as_uint(s) + (__float_as_uint(rounded) << 23));
}

__device__ inline double exponential(double t) {
    const double rounded = t * 1.4426950408889634 + 0x1.8p52;
    const double k = rounded - 0x1.8p52;
    const double r = (t - k * 0.6931471803691238) - k * 1.9082149292705877e-10;
    double s = 1.0 / 3628800 + r * (1.0 / 39916800 + r * (1.0 / 479001600 + r * (1.0 / 6227020800.0)));
    s = 1.0 / 720 + r * (1.0 / 5040 + r * (1.0 / 40320 + r * (1.0 / 362880 + r * s)));
    s = 1.0 / 6 + r * (1.0 / 24 + r * (1.0 / 120 + r * s));
    s = 1.0 + r * (1.0 + r * (0.5 + r * s));
    const u64 bits = ((u64)__double_as_longlong(rounded) << 52) + 0x3FF0000000000000ull;
    return t < -700.0 ? 0.0 : s * __longlong_as_double((i64)bits);
}

template <class T>
__device__ inline T larger(T x, T y) {
    return x != x || x > y ? x : y;  // NaN if either is
}

// The larger; of a number and NaN the number
__device__ inline float greater(float x, float y) { return fmaxf(x, y); }

__device__ inline double greater(double x, double y) { return fmax(x, y); }

template <class T>
__device__ inline T minus_infinity() {
    return (T)__longlong_as_double((i64)0xFFF0000000000000ull);
}

#endif

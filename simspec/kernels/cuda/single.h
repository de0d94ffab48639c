// Radii and waves of random draws in float32, as simspec/kernels/synthetic/numba_synthetic.py makes them on a CPU and derives their errors.
//
// Products are fused with sums where written so; the CPU's compiler may choose otherwise, so draws agree to rounding.
#ifndef SIMSPEC_SINGLE_H
#define SIMSPEC_SINGLE_H

#include "real.h"

namespace single {

const float GRID = 0x1p-32f, LN2_HIGH = 0.693359375f, LN2_LOW = -2.12194440e-4f;  // high part: 12 bits

// U = (n + 1/2) / 2^32 = 2^e (1 + f)
struct Logarithm {
    float power, log;  // -e, ln(1 + f)
};

__device__ inline Logarithm logarithm(u32 n) {
    const u32 bits = __float_as_uint((float)n + 0.5f);
    const int e = (int)(bits - 0x3F3504F3u) >> 23;  // the bits of sqrt(1/2)
    float f = __uint_as_float(bits - ((u32)e << 23)) - 1.0f;
    if (n >= 3037000500u) f = ((float)~n + 0.5f) * -GRID;  // U >= sqrt(1/2)
    float s = fused(-0.07634438f, f, 0.12761563f);
    s = fused(fused(fused(s, f, -0.13160197f), f, 0.1420176f), f, -0.16623355f);
    s = fused(fused(fused(fused(s, f, 0.20001227f), f, -0.25000823f), f, 0.33333331f), f, -0.5f);
    return {(float)(32 - e), fused(f * f, s, f)};
}

// Square root, rounded once, for 2^-101 <= x < 2^127, where both radii lie: the steps that sqrtf takes there, without the
// branch that looks for other numbers.
__device__ inline float root(float x) {
#ifdef __CUDACC__
    float inverse;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(x));
    const float near = x * inverse;
    return fused(fused(-near, near, x), 0.5f * inverse, near);
#else
    return sqrtf(x);
#endif
}

__device__ inline float normal_radius(u32 n) {
    const Logarithm l = logarithm(n);
    return root(fused(l.power, 2 * LN2_HIGH, fused(l.power, 2 * LN2_LOW, -2 * l.log)));
}

// sqrt(U^(-2/df) - 1), for 2/df = high + low, high of 12 bits, and rate = 2 / (df ln 2)
__device__ inline float student_radius(u32 n, float high, float low, float rate) {
    const Logarithm l = logarithm(n);
    const float fine = fused(low, l.power, -rate * l.log);
    const float rounded = fused(high, l.power, fine) + 12582912.0f;  // 1.5 * 2^23: to the nearest integer, in the low bits
    const float r = fused(high, l.power, 12582912.0f - rounded) + fine;
    float s = fused(fused(0.00015403508f, r, 0.0013390737f), r, 0.0096182376f);
    s = fused(fused(fused(s, r, 0.05550357f), r, 0.24022649f), r, 0.69314718f);
    const float scale = __uint_as_float((__float_as_uint(rounded) + 127u) << 23);
    return root(fused(r * s, scale, scale - 1.0f));
}

// distance of V = (n + 1/2) / 2^32 to the nearer of 0 and 1
__device__ inline float to_end(u32 n) { return ((float)(int)(n < ~n ? n : ~n) + 0.5f) * GRID; }

// sin(pi (V - 1/2)) = -cos(pi V)
__device__ inline float sine(u32 n) {
    const float v = to_end(n), z = v * v;
    const float s = fused(fused(fused(-0.023991954f, z, 0.2346991f), z, -1.3351642f), z, 4.0587053f);
    const float wave = fused(z * z, s, fused(z, -4.9348022f, 1.0f));
    return __uint_as_float(__float_as_uint(wave) ^ (~n & 0x80000000u));
}

// cos(pi (V - 1/2)) = sin(pi V), negative where the last bit of n is 1
__device__ inline float cosine(u32 n) {
    const float v = to_end(n), z = v * v;
    const float s = fused(fused(fused(0.077675976f, z, -0.5983081f), z, 2.5500822f), z, -5.167711f);
    const float wave = fused(v, 3.14159274f, v * fused(z, s, -8.74227766e-8f));
    return __uint_as_float(__float_as_uint(wave) ^ (n << 31));
}

}  // namespace single

#endif

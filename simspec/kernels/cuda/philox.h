// The random numbers of simspec/kernels/random/core.py on a GPU, function for function: the same bits in float64 as NumPy.
//
// Integer operations, + - * /, sqrt and bit casts only, each fixed by IEEE 754; compile without fused multiply-adds
// (--fmad=false, -ffp-contract=off).  What is drawn from which counter: simspec/kernels/random/__init__.py.
#ifndef SIMSPEC_PHILOX_H
#define SIMSPEC_PHILOX_H

#include "device.h"

namespace philox {

struct Words {
    u32 at[4];
};

// Philox4x32-10 of the counter (token, row low, row high, purpose)
__device__ inline Words words(u32 k0, u32 k1, u64 row, u32 token, u32 purpose) {
    u32 c0 = token, c1 = (u32)row, c2 = (u32)(row >> 32), c3 = purpose;
    for (int i = 0; i < 10; ++i) {
        const u64 a = 0xD2511F53ull * c0, b = 0xCD9E8D57ull * c2;
        c0 = (u32)(b >> 32) ^ c1 ^ k0;
        c1 = (u32)b;
        c2 = (u32)(a >> 32) ^ c3 ^ k1;
        c3 = (u32)a;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return {{c0, c1, c2, c3}};
}

const double LN2_HIGH = 0.6931471803691238, LN2_LOW = 1.9082149292705877e-10;  // high part: 32 bits

__device__ inline double unit(u32 word) { return (word + 0.5) * 0x1p-32; }

__device__ inline double log(double x) {
    const i64 bits = __double_as_longlong(x);
    const i64 e = (bits - 0x3FE6A09E667F3BCDll) >> 52;  // the bits of sqrt(1/2)
    const double f = __longlong_as_double(bits - (i64)((u64)e << 52)) - 1.0;
    const double s = f / (f + 2.0);
    const double s2 = s + s, z = s * s;
    double tail = 1.0 / 13 + z * (1.0 / 15 + z * (1.0 / 17 + z * (1.0 / 19 + z * (1.0 / 21 + z * (1.0 / 23)))));
    tail = z * (1.0 / 3 + z * (1.0 / 5 + z * (1.0 / 7 + z * (1.0 / 9 + z * (1.0 / 11 + z * tail)))));
    return e * LN2_HIGH + (s2 + (s2 * tail + e * LN2_LOW));
}

__device__ inline double expm1(double x) {
    const double t = x * 1.4426950408889634 + 0x1.8p52;
    const double k = t - 0x1.8p52;
    const double r = (x - k * LN2_HIGH) - k * LN2_LOW;
    const double power = __longlong_as_double((i64)(((u64)__double_as_longlong(t) << 52) + 0x3FF0000000000000ull));
    double tail = 1.0 / 3628800 +
                  r * (1.0 / 39916800 + r * (1.0 / 479001600 + r * (1.0 / 6227020800.0 + r * (1.0 / 87178291200.0))));
    tail = 1.0 / 120 + r * (1.0 / 720 + r * (1.0 / 5040 + r * (1.0 / 40320 + r * (1.0 / 362880 + r * tail))));
    tail = r * (1.0 / 2 + r * (1.0 / 6 + r * (1.0 / 24 + r * tail)));
    return power * (r + r * tail) + (power - 1.0);
}

// V - 1/2
__device__ inline double turn(u32 word) { return (word - (0x1p31 - 0.5)) * 0x1p-32; }

// sin(pi x) for |x| <= 1/2
__device__ inline double arc(double turns) {
    const double x = 3.141592653589793 * turns;
    const double z = x * x;
    double tail = -1.0 / 121645100408832000.0 +
                  z * (1.0 / 51090942171709440000.0 + z * -3.868170170630684e-23);  // -1/23!, rounded once
    tail = 1.0 / 6227020800.0 + z * (-1.0 / 1307674368000.0 + z * (1.0 / 355687428096000.0 + z * tail));
    tail = z * (-1.0 / 6 + z * (1.0 / 120 + z * (-1.0 / 5040 + z * (1.0 / 362880 + z * (-1.0 / 39916800 + z * tail)))));
    return x + x * tail;
}

__device__ inline double sine(u32 word) { return arc(turn(word)); }

__device__ inline double cosine(u32 word) { return arc(0.5 - fabs(turn(word))) * (word & 1 ? -1.0 : 1.0); }

__device__ inline double normal_radius(u32 word) { return sqrt(log(unit(word)) * -2.0); }

// sqrt(df (U^(-2/df) - 1))
__device__ inline double student_radius(u32 word, double df) { return sqrt(df * expm1(log(unit(word)) * -2.0 / df)); }

}  // namespace philox

#endif

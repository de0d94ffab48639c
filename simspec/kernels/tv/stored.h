// The types in which logits are stored, and the numbers that they are: float32, float64, and halves, which widen to float32.
#ifndef SIMSPEC_STORED_H
#define SIMSPEC_STORED_H

#include "masses.h"

const int STEP = 8;  // tokens that a lane takes at once, 256 apart

template <class T>
struct Plain {
    typedef T stored;
    typedef T real;

    static __device__ T value(T x) { return x; }
};

struct Single : Plain<float> {
    static const u32 minus_infinity_bits = 0xFF800000u;

    static __device__ u32 bits(float x) { return __float_as_uint(x); }
    static __device__ float of_bits(u32 bits) { return __uint_as_float(bits); }
};

// float16 by its bits
struct Half {
    typedef u16 stored;
    typedef float real;
    static const u32 minus_infinity_bits = 0xFC00u;

    static __device__ u32 bits(u16 x) { return x; }
    static __device__ float of_bits(u32 bits) { return value((u16)bits); }

    static __device__ float value(u16 x) {
#ifdef __CUDACC__
        float wide;
        asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(x));
        return wide;
#else
        const u32 magnitude = (x & 0x7FFFu) << 13;  // the exponent is 112 too small, or stands for infinity and NaN
        const float finite = __uint_as_float(magnitude) * 0x1p112f;
        const u32 wide = magnitude < 0x0F800000u ? __float_as_uint(finite) : magnitude | 0x7F800000u;
        return __uint_as_float(wide | (u32)(x & 0x8000u) << 16);
#endif
    }
};

// bfloat16 by its bits, the upper half of those of a float32
struct Bfloat {
    typedef u16 stored;
    typedef float real;
    static const u32 minus_infinity_bits = 0xFF80u;

    static __device__ u32 bits(u16 x) { return x; }
    static __device__ float of_bits(u32 bits) { return __uint_as_float(bits << 16); }
    static __device__ float value(u16 x) { return of_bits(x); }
};

#endif

// How many float64 instructions a device runs: eight chains a thread, which nothing but their own results delays.
#include "device.h"

// 16 steps multiplications and additions a thread; the result keeps the compiler from leaving them out
KERNEL(float64_chains, i64 steps, double factor, double* out) {
    double x[8];
    for (int c = 0; c < 8; ++c) x[c] = c + threadIdx.x;
    for (i64 i = 0; i < steps; ++i)
        for (int c = 0; c < 8; ++c) x[c] = x[c] * factor + 1.0;
    double sum = 0;
    for (int c = 0; c < 8; ++c) sum += x[c];
    out[(i64)blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

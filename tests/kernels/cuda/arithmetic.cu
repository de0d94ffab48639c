// Kernels for tests only: the functions of the headers one by one, and what the host's threads must do.
#include "draws.h"
#include "reduce.h"
#include "stored.h"

KERNEL(functions, const double* x, i64 count, double* log, double* expm1, double* fall, float* fall32) {
    const i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    log[i] = philox::log(x[i]);
    expm1[i] = philox::expm1(x[i]);
    fall[i] = exponential(-x[i]);
    fall32[i] = exponential((float)-x[i]);
}

KERNEL(polar, const u32* radius, const u32* angle, i64 count, double df, double* unit, double* sine, double* normal,
       double* student) {
    for (i64 i = threadIdx.x; i < count; i += blockDim.x) {
        unit[i] = philox::unit(radius[i]);
        sine[i] = philox::sine(angle[i]);
        normal[i] = philox::normal_radius(radius[i]) * philox::sine(angle[i]);
        student[i] = philox::student_radius(radius[i], df) * philox::sine(angle[i]);
    }
}

// of a word, in float32: two radii, Student's over sqrt(df), and two waves
KERNEL(singles, const u32* word, i64 count, double df, float* normal, float* student, float* sine, float* cosine) {
    const Singles<false> wanted(df);
    const Singles<true> gaussian(df);
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (i64)gridDim.x * blockDim.x) {
        normal[i] = gaussian.radius(word[i]);
        student[i] = wanted.radius(word[i]);
        sine[i] = Singles<true>::sine(word[i]);
        cosine[i] = Singles<true>::cosine(word[i]);
    }
}

// every second thread leaves; the others pass a number along, which takes a barrier a step
KERNEL(relay, i64 steps, u64* out, u64* visits) {
    __shared__ u64 baton[1024];
    if (threadIdx.x % 2) return;
    const unsigned last = (blockDim.x - 1) / 2 * 2, next = threadIdx.x == last ? 0 : threadIdx.x + 2;
    u64 value = threadIdx.x + 1;
    for (i64 i = 0; i < steps; ++i) {
        baton[next] = value;
        __syncthreads();
        value = baton[threadIdx.x];
        __syncthreads();
    }
    out[(u64)blockIdx.x * blockDim.x + threadIdx.x] = value;
    atomicAdd(visits, (u64)1);
}

KERNEL(doublings, const float* x, i64 count, float* power) {
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (i64)gridDim.x * blockDim.x)
        power[i] = power_of_two(x[i]);
}

KERNEL(widened, const u16* bits, i64 count, float* half, float* brain) {
    for (i64 i = threadIdx.x; i < count; i += blockDim.x) {
        half[i] = Half::value(bits[i]);
        brain[i] = Bfloat::value(bits[i]);
    }
}

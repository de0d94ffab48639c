// The k largest of n keys by one block, of equal ones the first: a histogram for each byte, then places in order.
//
// Time is linear in n; nothing is sorted, and the result does not depend on the order of the threads.
#ifndef SIMSPEC_SELECT_H
#define SIMSPEC_SELECT_H

#include "reduce.h"

struct Selection {
    u32 histogram[256];
    u32 above[LANES], level[LANES];  // of each lane's stretch of the keys
};

// order of floats as unsigned integers; minus zero counts as zero
__device__ inline u64 ordered(float x) {
    const u32 bits = __float_as_uint(x + 0.0f);
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}

__device__ inline u64 ordered(double x) {
    const u64 bits = (u64)__double_as_longlong(x + 0.0);
    return bits >> 63 ? ~bits : bits | 0x8000000000000000ull;
}

// visit(i, place) for the k largest of key(0 .. n - 1), keys of `bytes` bytes, 1 <= k <= n < 2^31; place 0 .. k - 1 in order
template <class Key, class Visit>
__device__ void largest(i64 n, i64 k, int bytes, Selection* s, Key key, Visit visit) {
    u64 edge = 0, known = 0;  // the bytes found so far, and ones in their place
    for (int shift = 8 * bytes - 8; shift >= 0; shift -= 8) {
        for (int j = threadIdx.x; j < 256; j += blockDim.x) s->histogram[j] = 0;
        __syncthreads();
        for (i64 i = threadIdx.x; i < n; i += blockDim.x)
            if (const u64 value = key(i); (value & known) == edge) atomicAdd(&s->histogram[(value >> shift) & 255], 1u);
        __syncthreads();
        int digit = 255;
        for (; s->histogram[digit] < k; --digit) k -= s->histogram[digit];
        edge |= (u64)digit << shift;
        known |= (u64)255 << shift;
        __syncthreads();
    }
    // every key above the edge is taken, and the first k of those at the edge
    const i64 stretch = (n + LANES - 1) / LANES;
    for (int lane = threadIdx.x; lane < LANES; lane += blockDim.x) {
        u32 above = 0, level = 0;
        for (i64 i = lane * stretch; i < n && i < (lane + 1) * stretch; ++i) {
            const u64 value = key(i);
            above += value > edge;
            level += value == edge;
        }
        s->above[lane] = above;
        s->level[lane] = level;
    }
    __syncthreads();
    for (int lane = threadIdx.x; lane < LANES; lane += blockDim.x) {
        i64 above = 0, level = 0;
        for (int j = 0; j < lane; ++j) {
            above += s->above[j];
            level += s->level[j];
        }
        for (i64 i = lane * stretch; i < n && i < (lane + 1) * stretch; ++i) {
            const u64 value = key(i);
            if (value > edge || (value == edge && level < k)) visit(i, above + (level < k ? level : k));
            above += value > edge;
            level += value == edge;
        }
    }
    __syncthreads();
}

#endif

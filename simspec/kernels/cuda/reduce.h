// Sums and maxima over a row by one block, in one order whatever the size of the block: 256 lanes, then a tree.
//
// Lane j takes the tokens j, j + 256, ... in turn; lanes are halved until one is left.  A block of 256 threads has a lane
// each, a smaller one takes several lanes a thread.  On a GPU the last 64 lanes are added with warp shuffles, which
// pair the same lanes, so the bits are those of the version with barriers that the host runs.
#ifndef SIMSPEC_REDUCE_H
#define SIMSPEC_REDUCE_H

#include "real.h"

const int LANES = 256;

template <class T, int N>
struct Few {
    T at[N];
};

struct Sum {
    template <class T>
    static __device__ T identity() {
        return 0;
    }
    template <class T>
    static __device__ T join(T x, T y) {
        return x + y;
    }
};

struct Maximum {
    template <class T>
    static __device__ T identity() {
        return minus_infinity<T>();
    }
    template <class T>
    static __device__ T join(T x, T y) {
        return larger(x, y);
    }
};

// lanes[i * WIDTH + ...] joined for each i < N, WIDTH a power of two of at least 64; every thread of the block gets the results
template <class Op, int N, int WIDTH = LANES, class T>
__device__ Few<T, N> block_reduce(T* lanes) {
    int half = WIDTH / 2;
#ifdef __CUDACC__
    const int least = blockDim.x >= 32 ? 64 : 1;
#else
    const int least = 1;
#endif
    __syncthreads();
    for (; half >= least; half /= 2) {
        for (int j = threadIdx.x; j < half; j += blockDim.x)
            for (int i = 0; i < N; ++i) {
                T* lane = lanes + i * WIDTH + j;
                lane[0] = Op::join(lane[0], lane[half]);
            }
        __syncthreads();
    }
#ifdef __CUDACC__
    if (blockDim.x >= 32) {
        if (threadIdx.x < 32)
            for (int i = 0; i < N; ++i) {
                T* lane = lanes + i * WIDTH + threadIdx.x;
                T value = Op::join(lane[0], lane[32]);
                for (int offset = 16; offset > 0; offset /= 2)
                    value = Op::join(value, __shfl_down_sync(0xFFFFFFFFu, value, offset));
                if (threadIdx.x == 0) lane[0] = value;
            }
        __syncthreads();
    }
#endif
    Few<T, N> result;
    for (int i = 0; i < N; ++i) result.at[i] = lanes[i * WIDTH];
    __syncthreads();  // before the lanes are used again
    return result;
}

// N sums or maxima at once of term(x) over x = 0 .. n - 1; term returns a Few<T, N>, lanes has room for N * LANES
template <class Op, int N, class T, class Term>
__device__ Few<T, N> fold(i64 n, T* lanes, Term term) {
    for (int j = threadIdx.x; j < LANES; j += blockDim.x) {
        Few<T, N> own;
        for (int i = 0; i < N; ++i) own.at[i] = Op::template identity<T>();
        for (i64 x = j; x < n; x += LANES) {
            const Few<T, N> next = term(x);
            for (int i = 0; i < N; ++i) own.at[i] = Op::join(own.at[i], next.at[i]);
        }
        for (int i = 0; i < N; ++i) lanes[i * LANES + j] = own.at[i];
    }
    return block_reduce<Op, N>(lanes);
}

#endif

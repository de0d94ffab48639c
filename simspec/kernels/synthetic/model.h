// Models of synthetic row pairs, one of each cell: target and draft logits of four tokens of a row, from their counters.
//
// In float64 the logits are to the last bit those of simspec/logits/synthetic.py (gaussian or student_t, then correlated), in
// float32 those of single.h.  Location and scale are a cell's own numbers, or arrays that all cells of a launch share.
#ifndef SIMSPEC_MODEL_H
#define SIMSPEC_MODEL_H

#include "draws.h"
#include "real.h"

__device__ inline float plus_product(float x, float y, float z) { return fused(x, y, z); }

__device__ inline double plus_product(double x, double y, double z) { return x * y + z; }

// A cell as `cuda_synthetic.table` writes it: a row of unsigned integers, floats by their bits
struct Cell {
    u64 key, first_row;
    u64 purposes;  // of the target's draws, and 2^32 times that of the draft's own
    double df;     // infinity is Gaussian
    double rho, spread;  // correlation, and sqrt(1 - rho^2)
    double location, scale;
    u64 vocab;
    u64 start;  // number of the cell's first row among all rows of the launch
};

// the cell of a row of the launch: the last that starts there or before
__device__ inline const Cell& cell_of(const u64* cells, i64 count, u64 row) {
    const Cell* const all = (const Cell*)cells;
    i64 low = 0, high = count;
    while (high - low > 1) {
        const i64 middle = (low + high) / 2;
        if (all[middle].start <= row)
            low = middle;
        else
            high = middle;
    }
    return all[low];
}

template <class D>
struct Model {
    typedef typename D::real T;
    u32 k0, k1;
    u32 purpose, noise;
    D draws;
    T rho, rest, spread;  // correlation, 1 - rho and sqrt(1 - rho^2)
    T centre, wide;       // location, and scale; of Student-t draws in float32 the scale is that times sqrt(df)
    const T *location, *scale;  // of each token, or null
    i64 vocab;

    __device__ explicit Model(const Cell& cell, const T* location = 0, const T* scale = 0)
        : k0((u32)cell.key), k1((u32)(cell.key >> 32)), purpose((u32)cell.purposes), noise((u32)(cell.purposes >> 32)),
          draws(cell.df), rho((T)cell.rho), rest((T)(1 - cell.rho)), spread((T)cell.spread), centre((T)cell.location),
          wide((T)cell.scale), location(location), scale(scale), vocab((i64)cell.vocab) {}

    // logits of the tokens x, x + 256, x + 512 and x + 768 with the cell's own location and scale
    __device__ void pairs(u64 row, u32 x, T (&target)[4], T (&draft)[4]) const {
        draw(draws, k0, k1, row, x, purpose, target);
        draw(draws, k0, k1, row, x, noise, draft);
        UNROLLED for (int i = 0; i < 4; ++i) place(centre, wide, target[i], draft[i]);
    }

    // the same with those of each token, where there are any; minus infinity beyond the vocabulary
    __device__ void logits(u64 row, i64 x, T (&target)[4], T (&draft)[4]) const {
        if (location) {
            draw(draws, k0, k1, row, (u32)x, purpose, target);
            draw(draws, k0, k1, row, (u32)x, noise, draft);
            for (int i = 0; i < 4; ++i)
                if (const i64 token = x + i * SHARED; token < vocab)
                    place(location[token], scale[token], target[i], draft[i]);
        } else {
            pairs(row, (u32)x, target, draft);
        }
        if (x + 3 * SHARED >= vocab)
            for (int i = 0; i < 4; ++i)
                if (x + i * SHARED >= vocab) target[i] = draft[i] = minus_infinity<T>();
    }

    __device__ void place(T centre, T wide, T& target, T& draft) const {
        target = plus_product(target, wide, centre);
        draft = plus_product(draft, spread * wide, plus_product(rho, target, rest * centre));
    }

    __device__ bool finite(i64 x, const T (&draft)[4]) const {  // a target that overflows takes its draft along
        bool all = true;
        for (int i = 0; i < 4; ++i) all &= x + i * SHARED >= vocab || draft[i] - draft[i] == 0;
        return all;
    }
};

// function(model, row, block, ...) with the model of the draws D<true> or D<false>
#define OF_CELL(D, function, ...)                                                                            \
    const Cell& cell = cell_of(cells, count, blockIdx.x);                                                    \
    const u64 row = cell.first_row + (blockIdx.x - cell.start);                                              \
    const auto *centres = per_token ? location : 0, *widths = per_token ? scale : 0;                         \
    if (is_normal(cell.df)) function(Model<D<true>>(cell, centres, widths), row, __VA_ARGS__);               \
    else function(Model<D<false>>(cell, centres, widths), row, __VA_ARGS__)

// location and scale are read only if per_token
#define CELLS(T) const u64 *cells, i64 count, const T *location, const T *scale, i64 per_token

#endif

// Runs every kernel that has a barrier, for ThreadSanitizer. The argument is the line of a barrier to leave out, or 0.
// Blocks of three threads: where their number divides 128, a thread first adds up lanes that it wrote itself.
#include <cstdlib>

const int V = 600, ROWS = 2, BLOCK = 3;
float a[ROWS * V], b[ROWS * V];
double location[V], scale[V], x[V], y[V], z[V], zeros[V];
double moved[ROWS * V];
int tokens[ROWS * V];
i64 counts[ROWS * V];
u64 total[4];
u32 behind[8 * 1024 * 4];

int main(int, char** arguments) {
    host::removed = std::atoi(arguments[1]);
    for (int i = 0; i < ROWS * V; ++i) {
        a[i] = (float)(i % 7);
        b[i] = (float)(i % 5);
    }
    const auto run = [](auto* kernel, auto... values) {
        void* pointers[] = {&values...};
        host::launch(kernel, 1, ROWS, BLOCK, 0, pointers);
    };
    const auto run_cluster = [](auto* kernel, auto... values) {  // of two blocks, for one pair: a step in each
        void* pointers[] = {&values...};
        host::launch(kernel, 2, 2, 64, 22528, pointers);
    };
    const i64 vocab = V, rank = 1, one = 1;
    const i64 kept[ROWS] = {3, 5};
    run(tv_f32, a, b, vocab, x);
    run_cluster(held_f32_2, a, b, vocab, x);
    const double numbers[5] = {4.0, 0.5, 0.8, 0, 0};  // df, rho, spread, location, scale
    u64 cells[10] = {3, 3, 1ull << 32, 0, 0, 0, 0, 0, V, 0};
    std::memcpy(cells + 3, numbers, sizeof numbers);
    run(overlap_f64, cells, one, location, scale, one, x, total);
    run(overlap_f32, cells, one, a, b, one, x, total);
    const auto run_pairs = [](auto* kernel, auto... values) {  // of eight blocks, for two rows one after the other
        void* pointers[] = {&values...};
        host::launch(kernel, 8, 8, 4, 8384, pointers);
    };
    run_pairs(pairs_8, cells, one, (i64)ROWS, (i64)0, behind, (i64)1024, x);
    run(affinity_rows, location, scale, zeros, kept, rank, vocab, x, y);
    run(affinity_move, location, scale, zeros, kept, rank, vocab, x, y, one, one, z);
    run(top_f32, a, vocab, (i64)300, (i64)100, tokens, counts, moved, x);
    const double edges[ROWS] = {1, 9};
    i64 offsets[ROWS + 1] = {0, 600, 900};
    run(count_f32, a, vocab, edges, one, counts);
    run(above_f32, a, vocab, offsets, (i64)100, tokens, counts, moved, x);
    const u32 last[4] = {0x7FFFFFFF, 0xFFFFFFFF, 0x7FFFFFFF, 0xFFFFFFFF};
    const int guide[6] = {0, 1, 1, 0, 1, 1}, following[2] = {0, 1};
    const double share[4] = {0.5, 0.5, 0.5, 0.5};
    const u64 rows[ROWS * BLOCK] = {1, 2, 3, 4, 5, 6};
    int accepted[ROWS * BLOCK * 4], state[ROWS * BLOCK], emitted[ROWS * BLOCK * 12];
    run(rounds, last, guide, last, guide, last, guide, share, following, (i64)2, one, (i64)2, (i64)4, 1u, 2u, rows, (u64)0, one,
        (i64)(ROWS * BLOCK), (i64)0, 0u, accepted, state, one, emitted, one, total);
    const double shift[4] = {0, 1, 0, 1};  // two states, two drafts
    run(several, last, guide, last, guide, last, guide, share, shift, share, following, (i64)2, one, (i64)2, (i64)2, (i64)4,
        1u, 2u, rows, (u64)0, one, (i64)(ROWS * BLOCK), (i64)0, 0u, accepted, state, one, emitted, one, total);
    const int order[4] = {1, 0, 0, 1};
    const double rising[4] = {0.5, 1.5, 0.5, 1.5}, above[8] = {0.5, 0.25, 1, 1, 0.5, 0.25, 1, 1};
    const int below[8] = {0, 1, 2, 2, 0, 1, 2, 2}, none[6] = {-1, 0, 0, -1, 0, 0};  // of two parts
    int drafted[ROWS * BLOCK * 2];
    u32 uniforms[ROWS * BLOCK * 2];
    double reach[ROWS * BLOCK * 2];
    run(block_rounds, last, guide, last, guide, share, order, rising, above, below, share, last, none, following, (i64)2,
        one, (i64)2, (i64)4, 1u, 2u, rows, (u64)0, one,
        (i64)(ROWS * BLOCK), (i64)0, 0u, drafted, uniforms, reach, accepted, state, one, emitted, one, total);
    const int ends[4] = {4, 3, 3, 4};  // two children, the first with one
    int whole[ROWS * BLOCK * 18];
    double parts[ROWS * BLOCK * 15];
    run(tree_rounds, last, guide, last, guide, share, order, rising, above, below, share, last, none, following, ends,
        (i64)2, one, (i64)4, (i64)2, (i64)4, 1u, 2u, rows, (u64)0, one, (i64)(ROWS * BLOCK), (i64)0, 0u, whole, parts, accepted, state, one, emitted, one, total);
    u64 relayed[ROWS * BLOCK];
    run(relay, (i64)5, relayed, total);
    return 0;
}

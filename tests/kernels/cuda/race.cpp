// Runs every kernel that has a barrier, for ThreadSanitizer. The argument is the line of a barrier to leave out, or 0.
// Blocks of three threads: where their number divides 128, a thread first adds up lanes that it wrote itself.
#include <cstdlib>

const int V = 600, ROWS = 2, BLOCK = 3;
float a[ROWS * V], b[ROWS * V], law[ROWS * V];
double location[V], scale[V], x[V], y[V], z[V], zeros[V];
double wide[ROWS * V], moved[ROWS * V];
int tokens[ROWS * V];
i64 counts[ROWS * V];
u64 total[2];

int main(int, char** arguments) {
    host::removed = std::atoi(arguments[1]);
    for (int i = 0; i < ROWS * V; ++i) {
        a[i] = (float)(i % 7);
        b[i] = (float)(i % 5);
    }
    const auto run = [](auto* kernel, auto... values) {
        void* pointers[] = {&values...};
        host::launch(kernel, ROWS, BLOCK, pointers);
    };
    const i64 vocab = V, rank = 1, one = 1;
    const i64 kept[ROWS] = {3, 5};
    run(row_stats_f32, a, vocab, x, y, z);
    run(overlap_f32, a, b, vocab, x, y);
    run(residual_f32, a, b, vocab, law);
    run(synthetic_rows, 1u, 2u, (u64)3, 0u, 1u, 4.0, 0.5, 0.8, location, scale, vocab, x, y, z, total);
    run(affinity_rows, location, scale, zeros, kept, rank, vocab, x, y);
    run(affinity_move, location, scale, zeros, kept, rank, vocab, x, y, one, one, z);
    run(first_order, wide, scale, x, zeros, rank, vocab, 2.0, y, moved);
    run(top_f32, a, vocab, (i64)300, (i64)100, tokens, counts, moved, x);
    u64 relayed[ROWS * BLOCK];
    run(relay, (i64)5, relayed, total);
    return 0;
}

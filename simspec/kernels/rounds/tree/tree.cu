// Rounds of traversal verification with independent children, driven by tables in the order of q/p: one replication a thread.
//
// The meaning is simspec/kernels/rounds/tree/reference.py run, with its float64 operations in its order; drafts and last tokens
// are found as in rounds.cu.
#include "sorted.h"

// a node that is judged: its number, the next child, its state, the token of the child, how many tokens are left of the target
struct Node {
    int number, child, state, token, many;
};

// its a; what is left of the target is (p - u q)_+ of mass d, or (r p - q)_+ of mass missing; u = 0: nothing was deleted
struct Parts {
    double a, u, d, r, missing;
};

__device__ inline void opened(Node& node, Parts& parts, int number, int state, double a) {
    node.number = number, node.child = number + 1, node.state = state, node.token = 0, node.many = 0;
    parts.a = a, parts.u = 0.0, parts.d = 1.0, parts.r = 0.0, parts.missing = 0.0;
}

__device__ inline void deleted(const Sorted& sorted, Node& node, Parts& parts) {
    const bool first = parts.u == 0.0;
    const double a = parts.a, further = first ? 1.0 / a : parts.u + parts.d / a, there = first ? a : 1.0 / further;
    i64 many = 0;
    double z = sorted.missing(node.state, there, many);
    if (z > 0.0) {
        const double missing = z, d = further * missing;
        if (!first) {
            z = a * (d / parts.d);
            z = z < a ? z : a;
        }
        parts.u = further, parts.d = d, parts.r = there, parts.missing = missing, node.many = (int)many;
    }
    const double rest = z + (1.0 - a);
    parts.a = rest > 0.0 ? z / rest : 1.0;
}

// ends: (size,), for each node the number after the last below it; whole: (count, gamma + 1, 5) and parts: as much, to work
// in; the rest as in rounds.cu, gamma the levels of the tree
KERNEL(tree_rounds, const u32* draft_last, const int* draft_guide, const u32* target_last, const int* target_guide,
       const double* ratio, const int* order, const double* rising, const double* above, const int* following,
       const int* ends, i64 vocab, i64 bits, i64 size, i64 gamma, i64 rounds, u32 k0, u32 k1, const u64* rows, i64 count,
       i64 start, u32 purpose, int* whole, double* parts, int* accepted, int* state, i64 with_tokens, int* emitted,
       i64 with_times, u64* times) {
    const i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const Guided draft{draft_last, draft_guide, vocab, bits}, target{target_last, target_guide, vocab, bits};
    const Sorted sorted{order, rising, above, vocab};
    const i64 width = rounds * (gamma + 1);
    Node* node = (Node*)whole + i * (gamma + 1);
    Parts* part = (Parts*)parts + i * (gamma + 1);
    i64 s = start, length = 0;
    for (i64 t = 0; t < rounds; ++t) {
        const u32 base = (u32)(t * size);
        i64 level = 0;
        opened(node[0], part[0], 0, (int)s, 1.0);
        for (bool found = false; !found;) {
            Node& at = node[level];
            const Parts& left = part[level];
            if (at.child < ends[at.number] && left.a > 0.0) {
                const int child = at.child;
                const u32 word = philox::words(k0, k1, rows[i], base + (u32)(child - 1), purpose).at[0];
                at.token = draft(at.state, word);
                at.child = ends[child];
                const double more = ratio[at.state * vocab + at.token] - left.u;
                const double a = left.a * (more > 0.0 ? more : 0.0) / left.d;
                ++level;
                opened(node[level], part[level], child, following[at.token], a < 1.0 ? a : 1.0);
                continue;
            }
            const u32 uniform = (u32)(at.number ? at.number - 1 : 0);
            found = at.number == 0 ||
                    philox::unit(philox::words(k0, k1, rows[i], base + uniform, purpose).at[1]) < left.a;
            if (found) {
                const u32 word = philox::words(k0, k1, rows[i], base + (u32)at.number, purpose).at[2];
                at.token = left.r == 0.0 ? target(at.state, word)
                                         : sorted.token(at.state, left.r, at.many, philox::unit(word) * left.missing);
            } else {
                --level;
                deleted(sorted, node[level], part[level]);
            }
        }
        for (i64 n = 0; n <= level; ++n) {
            const int token = node[n].token;
            if (with_tokens) emitted[i * width + length++] = token;
            if (with_times) atomicAdd(times + node[n].state * vocab + token, (u64)1);
            s = following[token];
        }
        accepted[i * rounds + t] = (int)level;
    }
    if (with_tokens)
        for (; length < width; ++length) emitted[i * width + length] = -1;
    state[i] = (int)s;
}

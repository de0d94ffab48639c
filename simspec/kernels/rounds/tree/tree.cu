// Rounds of traversal verification with independent children, driven by tables in the order of q/p: one replication a thread.
//
// The meaning is simspec/kernels/rounds/tree/reference.py run, with its float64 operations in its order; drafts and last tokens
// are found as in rounds.cu.
#include "sorted.h"

// a node that is judged: its number, the next child, its state, the token of the child, how many tokens are left of the target,
// and the word of its test; its a; what is left of the target is (p - u q)_+ of mass d, or (r p - q)_+ of mass missing; u = 0:
// nothing was deleted
struct Node {
    int number, child, state, token, many;
    u32 word;
    double a, u, d, r, missing;
};

__device__ inline Node opened(int number, int state, u32 word, double a) {
    return {number, number + 1, state, 0, 0, word, a, 0.0, 1.0, 0.0, 0.0};
}

// Nodes above the one in registers: (levels, 6, count) and (levels, 5, count), so that threads beside each other read and
// write beside each other
struct Stack {
    int* whole;
    double* parts;
    i64 count, i;

    __device__ int& integer(i64 level, int field) const { return whole[(6 * level + field) * count + i]; }
    __device__ double& real(i64 level, int field) const { return parts[(5 * level + field) * count + i]; }

    __device__ void put(i64 level, const Node& node) const {
        integer(level, 0) = node.number, integer(level, 1) = node.child, integer(level, 2) = node.state;
        integer(level, 3) = node.token, integer(level, 4) = node.many, integer(level, 5) = (int)node.word;
        real(level, 0) = node.a, real(level, 1) = node.u, real(level, 2) = node.d;
        real(level, 3) = node.r, real(level, 4) = node.missing;
    }

    __device__ Node get(i64 level) const {
        return {integer(level, 0), integer(level, 1), integer(level, 2),      integer(level, 3), integer(level, 4),
                (u32)integer(level, 5), real(level, 0), real(level, 1), real(level, 2), real(level, 3), real(level, 4)};
    }
};

__device__ inline void deleted(const Sorted& sorted, Node& node) {
    const bool first = node.u == 0.0;
    const double a = node.a, further = first ? 1.0 / a : node.u + node.d / a, there = first ? a : 1.0 / further;
    i64 many = 0;
    double z = sorted.missing(node.state, there, many);
    if (z > 0.0) {
        const double missing = z, d = further * missing;
        if (!first) {
            z = a * (d / node.d);
            z = z < a ? z : a;
        }
        node.u = further, node.d = d, node.r = there, node.missing = missing, node.many = (int)many;
    }
    const double rest = z + (1.0 - a);
    node.a = rest > 0.0 ? z / rest : 1.0;
}

// ends: (size,), for each node the number after the last below it; whole, parts: a stack; the rest as in rounds.cu, gamma the
// levels of the tree
KERNEL(tree_rounds, const u32* draft_last, const int* draft_guide, const u32* target_last, const int* target_guide,
       const double* ratio, SORTED, const int* following, const int* ends, i64 vocab, i64 bits, i64 size, i64 gamma,
       i64 rounds, u32 k0, u32 k1, NUMBERED, i64 count, i64 start, u32 purpose, int* whole, double* parts, int* accepted,
       int* state, i64 with_tokens, int* emitted, i64 with_times, u64* times) {
    const i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const u64 row = ROW;
    const Guided draft{draft_last, draft_guide, vocab, bits}, target{target_last, target_guide, vocab, bits};
    const Sorted sorted{order, rising, above, missing_guide, most, {rest_last, rest_guide, vocab, bits}};
    const i64 width = rounds * (gamma + 1);
    const Stack stack{whole, parts, count, i};
    i64 s = start, length = 0;
    for (i64 t = 0; t < rounds; ++t) {
        const u32 base = (u32)(t * size);
        i64 level = 0;
        Node at = opened(0, (int)s, 0, 1.0);
        for (bool found = false; !found;) {
            if (at.child < ends[at.number] && at.a > 0.0) {
                const int child = at.child;
                const philox::Words w = philox::words(k0, k1, row, base + (u32)(child - 1), purpose);
                at.token = draft(at.state, w.at[0]);
                at.child = ends[child];
                const double more = ratio[at.state * vocab + at.token] - at.u;
                const double a = at.a * (more > 0.0 ? more : 0.0) / at.d;
                stack.put(level++, at);
                at = opened(child, following[at.token], w.at[1], a < 1.0 ? a : 1.0);
                continue;
            }
            found = at.number == 0 || philox::unit(at.word) < at.a;
            if (found) {
                const u32 word = philox::words(k0, k1, row, base + (u32)at.number, purpose).at[2];
                at.token = at.r == 0.0 ? target(at.state, word) : sorted.token(at.state, at.r, at.many, at.missing, word);
            } else {
                at = stack.get(--level);
                deleted(sorted, at);
            }
        }
        for (i64 n = 0; n <= level; ++n) {
            const int token = n < level ? stack.integer(n, 3) : at.token;
            if (with_tokens) emitted[i * width + length++] = token;
            if (with_times) atomicAdd(times + (n < level ? stack.integer(n, 2) : at.state) * vocab + token, (u64)1);
            s = following[token];
        }
        accepted[i * rounds + t] = (int)level;
    }
    if (with_tokens)
        for (; length < width; ++length) emitted[i * width + length] = -1;
    state[i] = (int)s;
}

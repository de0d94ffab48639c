// Memory of a block whose size the launch gives, and blocks of a cluster, which read and write each other's.
//
// BLOCKS is the size of the cluster; 1 is a block alone, on any device.  On the host the blocks of a cluster run at once.
#ifndef SIMSPEC_CLUSTER_H
#define SIMSPEC_CLUSTER_H

#include "device.h"

struct alignas(16) Quad {
    u32 word[4];
};

#ifdef __CUDACC__

extern __shared__ Quad shared_quads[];

__device__ inline Quad* shared_memory() { return shared_quads; }

// until all threads of the cluster are here; what they wrote to the memory of any of its blocks is then seen
template <int BLOCKS>
__device__ inline void cluster_sync() {
    if constexpr (BLOCKS == 1) {
        __syncthreads();
    } else {
        asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
        asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
    }
}

#define CLUSTER_SYNC(BLOCKS) cluster_sync<BLOCKS>()

// what another block of the cluster has at the place where this one has `mine`
template <int BLOCKS, class T>
__device__ inline T* of_block(T* mine, int rank) {
    if constexpr (BLOCKS == 1) {
        return mine;
    } else {
        u64 theirs;
        asm volatile("mapa.u64 %0, %1, %2;" : "=l"(theirs) : "l"(mine), "r"(rank));
        return (T*)theirs;
    }
}

__device__ inline Quad load_quad(const void* from) { return *(const Quad*)from; }

// 16 bytes from global to shared memory, past the registers where the device can; the thread sees them after `copies_done`
__device__ inline void copy_quad(Quad* to, const void* from) {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((u32)__cvta_generic_to_shared(to)), "l"(from) : "memory");
#else
    *to = load_quad(from);
#endif
}

__device__ inline void copies_done() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

#else

inline Quad* shared_memory() { return reinterpret_cast<Quad*>(host::block->memory.get()); }

#define CLUSTER_SYNC(BLOCKS) host::meet_cluster(__LINE__)

template <int BLOCKS, class T>
T* of_block(T* mine, int rank) {
    const std::ptrdiff_t offset = reinterpret_cast<char*>(mine) - reinterpret_cast<char*>(host::block->memory.get());
    return reinterpret_cast<T*>(reinterpret_cast<char*>(host::cluster->blocks[rank]->memory.get()) + offset);
}

inline Quad load_quad(const void* from) {
    Quad quad;
    std::memcpy(&quad, from, sizeof quad);
    return quad;
}

inline void copy_quad(Quad* to, const void* from) { *to = load_quad(from); }

inline void copies_done() {}

#endif
#endif

// One source, two compilers: NVRTC makes GPU code of a .cu file, any C++20 compiler makes code that tests run without one.
//
// On the host each CUDA thread of a block is a std::thread, __syncthreads a std::barrier, a __shared__ variable static, and
// blocks run one after another.  So the order of threads is as free as on a GPU, and ThreadSanitizer sees a missing barrier.
// A thread that returns early leaves the barrier.  Blocks of a cluster run at once there and have no __shared__ variables, only
// the memory of cluster.h.  Not here: warps (reduce.h alone knows them), streams, memory copies.
#ifndef SIMSPEC_DEVICE_H
#define SIMSPEC_DEVICE_H

typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

#ifdef __CUDACC__

#define KERNEL(name, ...) extern "C" __global__ void name(__VA_ARGS__)

// a loop whose counter indexes an array that shall lie in registers
#define UNROLLED _Pragma("unroll")

// a kernel whose blocks come in clusters of so many, from compute capability 9.0 on
#define CLUSTER_KERNEL(blocks, name, ...) extern "C" __global__ void __cluster_dims__(blocks, 1, 1) name(__VA_ARGS__)

__device__ inline float fused(float x, float y, float z) { return __fmaf_rn(x, y, z); }  // x y + z, rounded once

#else

#include <atomic>
#include <barrier>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#define __global__
#define __device__
#define __shared__ static
#define __syncthreads() host::meet(__LINE__)
#define UNROLLED

namespace host {

struct Index {
    unsigned x = 0;
};

struct alignas(16) Chunk {
    unsigned char bytes[16];
};

// A block that runs: where its threads meet, and its memory
struct Block {
    std::barrier<> threads;
    std::unique_ptr<Chunk[]> memory;

    Block(unsigned size, unsigned shared) : threads(size), memory(new Chunk[shared / sizeof(Chunk) + 1]) {}
};

struct Cluster {
    std::barrier<> threads;
    std::vector<std::unique_ptr<Block>> blocks;

    explicit Cluster(unsigned size) : threads(size) {}
};

inline thread_local Cluster* cluster = nullptr;  // of the thread that runs
inline thread_local Block* block = nullptr;
inline int removed = 0;  // line of a barrier that does nothing: a test's negative control

inline void meet(int line) {
    if (line != removed) block->threads.arrive_and_wait();
}

inline void meet_cluster(int line) {
    if (line != removed) cluster->threads.arrive_and_wait();
}

}  // namespace host

inline thread_local host::Index threadIdx, blockIdx;
inline host::Index blockDim, gridDim;

namespace host {

template <class... A, std::size_t... I>
void run(void (*kernel)(A...), unsigned blocks, unsigned grid, unsigned size, unsigned shared, void** args,
         std::index_sequence<I...>) {
    static std::mutex one;  // launch at a time, as blocks share static variables
    std::lock_guard<std::mutex> lock(one);
    gridDim.x = grid;
    blockDim.x = size;
    for (unsigned first = 0; first < grid; first += blocks) {
        Cluster together(blocks * size);
        std::vector<std::thread> threads;
        for (unsigned b = 0; b < blocks; ++b) together.blocks.push_back(std::make_unique<Block>(size, shared));
        for (unsigned t = 0; t < blocks * size; ++t)
            threads.emplace_back([=, &together] {
                cluster = &together;
                block = together.blocks[t / size].get();
                threadIdx.x = t % size;
                blockIdx.x = first + t / size;
                kernel(*static_cast<std::remove_const_t<A>*>(args[I])...);
                block->threads.arrive_and_drop();
                cluster->threads.arrive_and_drop();
            });
        for (std::thread& thread : threads) thread.join();
    }
}

// args[i] points to the value of argument i, as in cuLaunchKernel; blocks come in clusters of so many
template <class... A>
void launch(void (*kernel)(A...), unsigned blocks, unsigned grid, unsigned size, unsigned shared, void** args) {
    run(kernel, blocks, grid, size, shared, args, std::index_sequence_for<A...>());
}

// NumPy's code of a type, after a star for a pointer to it
template <class T>
std::string code() {
    if constexpr (std::is_pointer_v<T>) return "*" + code<std::remove_cv_t<std::remove_pointer_t<T>>>();
    const char* kind = std::is_floating_point_v<T> ? "f" : std::is_unsigned_v<T> ? "u" : "i";
    return kind + std::to_string(sizeof(T));
}

template <class... A>
const char* types(void (*)(A...)) {
    static const std::string all = ((code<A>() + " ") + ...);
    return all.c_str();
}

}  // namespace host

// name(...) itself, name_launch(grid, block, shared, args) to call it by, and name_types() to check its arguments
#define CLUSTER_KERNEL(blocks, name, ...)                                                                   \
    extern "C" void name(__VA_ARGS__);                                                                      \
    extern "C" void name##_launch(unsigned grid, unsigned block, unsigned shared, void** args) {            \
        host::launch(name, blocks, grid, block, shared, args);                                              \
    }                                                                                                       \
    extern "C" const char* name##_types() { return host::types(name); }                                     \
    extern "C" void name(__VA_ARGS__)

#define KERNEL(name, ...) CLUSTER_KERNEL(1, name, __VA_ARGS__)

template <class T>
T atomicAdd(T* address, T value) {
    return std::atomic_ref<T>(*address).fetch_add(value, std::memory_order_relaxed);
}

inline float fused(float x, float y, float z) { return std::fma(x, y, z); }
inline i64 __double_as_longlong(double x) { return std::bit_cast<i64>(x); }
inline double __longlong_as_double(i64 bits) { return std::bit_cast<double>(bits); }
inline u32 __float_as_uint(float x) { return std::bit_cast<u32>(x); }
inline float __uint_as_float(u32 bits) { return std::bit_cast<float>(bits); }

#endif
#endif

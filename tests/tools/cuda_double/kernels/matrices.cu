// Products of matrices by the warp-wide instructions of tensor cores, as a matmul kernel has them:
// a warp makes 16 x 8 elements of C = A x B, all row by row in memory.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

namespace {

constexpr int kRows = 16;
constexpr int kColumns = 8;

__device__ std::uint32_t shared_address(const void* at) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(at));
}

template <class T>
__device__ void store_tile(T* c, const T (&sums)[4], int columns) {
  const int lane = threadIdx.x;
  T* row = c + (blockIdx.y * kRows + lane / 4) * columns + blockIdx.x * kColumns;
  row[lane % 4 * 2] = sums[0];
  row[lane % 4 * 2 + 1] = sums[1];
  row[8 * columns + lane % 4 * 2] = sums[2];
  row[8 * columns + lane % 4 * 2 + 1] = sums[3];
}

__device__ void multiply(float (&sums)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2],
                         __half) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ void multiply(float (&sums)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2],
                         __nv_bfloat16) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Four bytes that lie together, which may be several elements.
__device__ std::uint32_t word(const void* at) { return *static_cast<const std::uint32_t*>(at); }

template <class T, int kDepth>
__device__ void load_tiles(const T* a, const T* b, T (&left)[kRows][kDepth],
                           T (&right)[kDepth][kColumns], int columns, int depth, int from) {
  __syncwarp();
  for (int i = threadIdx.x; i < kRows * kDepth; i += 32) {
    left[i / kDepth][i % kDepth] = a[(blockIdx.y * kRows + i / kDepth) * depth + from + i % kDepth];
  }
  for (int i = threadIdx.x; i < kColumns * kDepth; i += 32) {
    right[i / kColumns][i % kColumns] =
        b[(from + i / kColumns) * columns + blockIdx.x * kColumns + i % kColumns];
  }
  __syncwarp();
}

template <class T>
__device__ void product(const T* a, const T* b, float* c, int columns, int depth) {
  __shared__ __align__(16) T left[kRows][16];
  __shared__ __align__(16) T right[16][kColumns];
  const int lane = threadIdx.x;
  float sums[4] = {};
  for (int from = 0; from < depth; from += 16) {
    load_tiles<T, 16>(a, b, left, right, columns, depth, from);
    std::uint32_t x[4];
    std::uint32_t y[2];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                 : "r"(shared_address(&left[lane % 16][lane / 16 * 8])));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                 : "=r"(y[0]), "=r"(y[1])
                 : "r"(shared_address(&right[lane % 16][0])));
    multiply(sums, x, y, T());
  }
  store_tile(c, sums, columns);
}

}  // namespace

extern "C" __global__ void half_product(const __half* a, const __half* b, float* c, int columns,
                                        int depth) {
  product(a, b, c, columns, depth);
}

extern "C" __global__ void bfloat_product(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c,
                                          int columns, int depth) {
  product(a, b, c, columns, depth);
}

// B comes column by column, so that its rows need not be transposed; in steps of 8.
extern "C" __global__ void half_product_of_columns(const __half* a, const __half* b, float* c,
                                                   int columns, int depth) {
  __shared__ __align__(16) __half left[kRows][8];
  __shared__ __align__(16) __half right[kColumns][8];
  const int lane = threadIdx.x;
  float sums[4] = {};
  for (int from = 0; from < depth; from += 8) {
    __syncwarp();
    for (int i = lane; i < kRows * 8; i += 32) {
      left[i / 8][i % 8] = a[(blockIdx.y * kRows + i / 8) * depth + from + i % 8];
    }
    for (int i = lane; i < kColumns * 8; i += 32) {
      right[i / 8][i % 8] = b[(blockIdx.x * kColumns + i / 8) * depth + from + i % 8];
    }
    __syncwarp();
    std::uint32_t x[2];
    std::uint32_t y = 0;
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                 : "=r"(x[0]), "=r"(x[1])
                 : "r"(shared_address(&left[lane % 16][0])));
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                 : "=r"(y)
                 : "r"(shared_address(&right[lane % 8][0])));
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
        "{%0,%1,%2,%3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(x[0]), "r"(x[1]), "r"(y));
  }
  store_tile(c, sums, columns);
}

// Elements of 32 bits are taken from global memory, where each lane finds its own.
extern "C" __global__ void tf32_product(const float* a, const float* b, float* c, int columns,
                                        int depth) {
  const int lane = threadIdx.x;
  const float* rows = a + (blockIdx.y * kRows + lane / 4) * depth + lane % 4;
  const float* column = b + lane % 4 * columns + blockIdx.x * kColumns + lane / 4;
  const auto rounded = [](float value) {
    std::uint32_t bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(value));
    return bits;
  };
  float sums[4] = {};
  for (int from = 0; from < depth; from += 8) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
        "{%8,%9}, {%0,%1,%2,%3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(rounded(rows[from])), "r"(rounded(rows[8 * depth + from])),
          "r"(rounded(rows[from + 4])), "r"(rounded(rows[8 * depth + from + 4])),
          "r"(rounded(column[from * columns])), "r"(rounded(column[(from + 4) * columns])));
  }
  store_tile(c, sums, columns);
}

// Bytes: B comes column by column, so that the elements of a lane lie together.
extern "C" __global__ void signed_byte_product(const std::int8_t* a, const std::int8_t* b, int* c,
                                               int columns, int depth) {
  const int lane = threadIdx.x;
  const std::int8_t* row = a + (blockIdx.y * kRows + lane / 4) * depth + lane % 4 * 4;
  const std::int8_t* column = b + (blockIdx.x * kColumns + lane / 4) * depth + lane % 4 * 4;
  int sums[4] = {};
  for (int from = 0; from < depth; from += 32, row += 32, column += 32) {
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
        : "r"(word(row)), "r"(word(row + 8 * depth)), "r"(word(row + 16)),
          "r"(word(row + 8 * depth + 16)), "r"(word(column)), "r"(word(column + 16)));
  }
  store_tile(c, sums, columns);
}

extern "C" __global__ void mixed_byte_product(const std::uint8_t* a, const std::int8_t* b, int* c,
                                              int columns, int depth) {
  const int lane = threadIdx.x;
  const std::uint8_t* row = a + (blockIdx.y * kRows + lane / 4) * depth + lane % 4 * 4;
  const std::int8_t* column = b + (blockIdx.x * kColumns + lane / 4) * depth + lane % 4 * 4;
  int sums[4] = {};
  for (int from = 0; from < depth; from += 16, row += 16, column += 16) {
    asm("mma.sync.aligned.m16n8k16.row.col.satfinite.s32.u8.s8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
        "{%0,%1,%2,%3};"
        : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
        : "r"(word(row)), "r"(word(row + 8 * depth)), "r"(word(column)));
  }
  store_tile(c, sums, columns);
}

// Sums of halves, two of which share a register; the first two steps are short ones.
extern "C" __global__ void half_sums(const __half* a, const __half* b, __half* c, int columns,
                                     int depth) {
  const int lane = threadIdx.x;
  const __half* row = a + (blockIdx.y * kRows + lane / 4) * depth + lane % 4 * 2;
  const __half* column = b + (blockIdx.x * kColumns + lane / 4) * depth + lane % 4 * 2;
  std::uint32_t sums[2] = {};
  int from = 0;
  for (; from < 16; from += 8) {
    asm("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3}, {%4}, {%0,%1};"
        : "+r"(sums[0]), "+r"(sums[1])
        : "r"(word(row + from)), "r"(word(row + 8 * depth + from)), "r"(word(column + from)));
  }
  for (; from < depth; from += 16) {
    asm("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, "
        "{%0,%1};"
        : "+r"(sums[0]), "+r"(sums[1])
        : "r"(word(row + from)), "r"(word(row + 8 * depth + from)), "r"(word(row + from + 8)),
          "r"(word(row + 8 * depth + from + 8)), "r"(word(column + from)),
          "r"(word(column + from + 8)));
  }
  __half* to = c + (blockIdx.y * kRows + lane / 4) * columns + blockIdx.x * kColumns + lane % 4 * 2;
  *reinterpret_cast<std::uint32_t*>(to) = sums[0];
  *reinterpret_cast<std::uint32_t*>(to + 8 * columns) = sums[1];
}

// Products of tiles by tensor cores, with sums of float32. Terms are halves, or float32 rounded to
// the 10 bits of TF32: as many in a word as fit, those that follow one another in a sum.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

namespace loci::cuda {

// The type that the cores take an element as.
template <class T>
struct MmaTerm {
  using Type = T;
  static __device__ T of(T value) { return value; }
};

template <>
struct MmaTerm<float> {
  using Type = std::uint32_t;
  static __device__ std::uint32_t of(float value) {
    std::uint32_t term;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(term) : "f"(value));
    return term;
  }
};

template <class T>
using mma_term_t = typename MmaTerm<T>::Type;

// The words of the terms that one instruction takes of each line.
inline constexpr int kMmaWords = 8;

// Lines of terms in shared memory, `words` long. A word more has few threads of a warp meet one
// bank, be they along a line or across.
template <class Term, int lines, int words>
struct MmaLines {
  static constexpr int kWordTerms = sizeof(std::uint32_t) / sizeof(Term);
  static constexpr int kDepth = words * kWordTerms;
  __device__ Term* operator[](int line) { return of[line]; }
  __device__ std::uint32_t word(int line, int index) const {
    return *reinterpret_cast<const std::uint32_t*>(&of[line][index * kWordTerms]);
  }
  alignas(4) Term of[lines][(words + 1) * kWordTerms];
};

// The parts of 16 rows, and of 8 columns, that a warp's threads have together.
struct MmaRows {
  std::uint32_t words[4];
};
struct MmaColumns {
  std::uint32_t words[2];
};

__device__ inline int lane_group() { return static_cast<int>(threadIdx.x) % 32 / 4; }
__device__ inline int lane_in_group() { return static_cast<int>(threadIdx.x) % 4; }

template <class Lines>
__device__ MmaRows mma_rows(const Lines& lines, int line, int word) {
  const int row = line + lane_group();
  const int at = word + lane_in_group();
  return {{lines.word(row, at), lines.word(row + 8, at), lines.word(row, at + 4),
           lines.word(row + 8, at + 4)}};
}

template <class Lines>
__device__ MmaColumns mma_columns(const Lines& lines, int line, int word) {
  const int column = line + lane_group();
  const int at = word + lane_in_group();
  return {{lines.word(column, at), lines.word(column, at + 4)}};
}

// The sums that a thread has of 16 rows and 8 columns: of two columns side by side in a row, and
// the same 8 rows below.
struct MmaSums {
  static __device__ int row(int i) { return lane_group() + i / 2 * 8; }
  static __device__ int column(int i) { return lane_in_group() * 2 + i % 2; }
  float of[4] = {};
};

#define LOCI_MMA(form, Term)                                                                   \
  __device__ inline void add_products(MmaSums& sums, const MmaRows& x, const MmaColumns& y,    \
                                      Term /*to tell forms apart*/) {                          \
    asm("mma.sync.aligned." form                                                               \
        " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                     \
        : "+f"(sums.of[0]), "+f"(sums.of[1]), "+f"(sums.of[2]), "+f"(sums.of[3])               \
        : "r"(x.words[0]), "r"(x.words[1]), "r"(x.words[2]), "r"(x.words[3]), "r"(y.words[0]), \
          "r"(y.words[1]));                                                                    \
  }

LOCI_MMA("m16n8k16.row.col.f32.f16.f16.f32", __half)
LOCI_MMA("m16n8k16.row.col.f32.bf16.bf16.f32", __nv_bfloat16)
LOCI_MMA("m16n8k8.row.col.f32.tf32.tf32.f32", std::uint32_t)

#undef LOCI_MMA

}  // namespace loci::cuda

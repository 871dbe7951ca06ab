#include "plugins/kernels/byte_product.h"

#include <array>
#include <cstdint>
#include <cstring>

#include "plugins/kernels/gemm.h"
#include "plugins/kernels/isa.h"

// clang 14 gives no registers of 64 bytes to assembler in loops that are compiled for several
// instruction sets.
#if LOCI_WIDE_ISA && !defined(__clang__)
#define LOCI_VNNI 1
#include <cpuid.h>
#else
#define LOCI_VNNI 0
#endif

namespace loci::kernels {
namespace {

// Four bytes that follow each other along the depth of a product, the first one lowest.
using Quad = std::uint32_t;
constexpr std::int64_t kQuad = 4;

#if LOCI_VNNI
struct Features {
  bool avx512_vnni = false;
  bool avx_vnni = false;
};

Features detect() {
  constexpr unsigned int kAvx512Vnni = 1U << 11;  // ecx of leaf 7
  constexpr unsigned int kAvxVnni = 1U << 4;      // eax of leaf 7, 1
  std::array<unsigned int, 4> base{};
  std::array<unsigned int, 4> more{};
  if (__get_cpuid_count(7, 0, &base[0], &base[1], &base[2], &base[3]) == 0) return {};
  if (base[0] >= 1) __get_cpuid_count(7, 1, &more[0], &more[1], &more[2], &more[3]);
  return {(base[2] & kAvx512Vnni) != 0, (more[0] & kAvxVnni) != 0};
}

bool has_instruction(Isa isa) {
  static const Features features = detect();
  return isa == Isa::kAvx512 ? features.avx512_vnni : isa == Isa::kAvx2 && features.avx_vnni;
}
#else
bool has_instruction(Isa) { return false; }
#endif

// sum[i] += the products of four bytes each of a and b[i]. The instruction takes those of a as
// unsigned and those of b as signed: of the sum the low byte alone is kept, and that is the same
// for all signs. Written in assembler, as compilers know it in functions for its very processor
// only.
struct MultiplyAddBytes {
  template <class V>
  LOCI_INLINE static void add([[maybe_unused]] V& sum, Quad a, [[maybe_unused]] const V& b) {
    [[maybe_unused]] const V all = V{} + a;
#if LOCI_VNNI
    if constexpr (sizeof(V) == 64) {
      asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(all), "v"(b));
    } else if constexpr (sizeof(V) == 32) {
      asm("%{vex%} vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(all), "v"(b));
    }
#endif
  }
};

// `count` bytes, at most four, that are `step` apart.
LOCI_INLINE inline Quad gather(const std::uint8_t* first, std::int64_t step, std::int64_t count) {
  Quad quad = 0;
  for (std::int64_t i = 0; i < count; ++i) quad |= Quad{first[i * step]} << (8 * i);
  return quad;
}

// One product, as one of quads: zeros go on where its depth ends within one.
struct Quads {
  using Step = MultiplyAddBytes;

  Quads(const Dense<std::uint8_t>& product, std::int64_t depth)
      : bytes(product), whole(depth / kQuad), rest(depth % kQuad) {}

  LOCI_INLINE Quad a(std::int64_t m, std::int64_t k) const {
    return gather(bytes.x + m * bytes.x_row + k * kQuad * bytes.x_column, bytes.x_column,
                  k < whole ? kQuad : rest);
  }
  LOCI_INLINE Quad b(std::int64_t k, std::int64_t n) const {
    return gather(bytes.y + k * kQuad * bytes.y_row + n * bytes.y_column, bytes.y_row,
                  k < whole ? kQuad : rest);
  }
  LOCI_INLINE void store(std::int64_t m, std::int64_t n, Quad sum) const {
    bytes.store(m, n, static_cast<std::uint8_t>(sum));
  }

  // Packs whole quads that lie side by side; false where they do not.
  template <std::int64_t unit>
  LOCI_INLINE bool pack_rows(Quad* panel, std::int64_t m, std::int64_t k0,
                             std::int64_t block_k) const {
    if (bytes.x_column != 1 || k0 + block_k > whole) return false;
    const std::uint8_t* first = bytes.x + m * bytes.x_row + k0 * kQuad;
    for (std::int64_t k = 0; k < block_k; ++k) {
      for (std::int64_t u = 0; u < unit; ++u) {
        std::memcpy(panel + k * unit + u, first + u * bytes.x_row + k * kQuad, sizeof *panel);
      }
    }
    return true;
  }
  // Packs rows whose bytes lie side by side, by vectors; false where they do not.
  template <std::int64_t unit>
  LOCI_INLINE bool pack_columns(Quad* panel, std::int64_t n, std::int64_t k0,
                                std::int64_t block_k) const {
    if (bytes.y_column != 1 || k0 + block_k > whole) return false;
    for (std::int64_t k = 0; k < block_k; ++k) {
      const std::uint8_t* row = bytes.y + (k0 + k) * kQuad * bytes.y_row + n;
      Quad* to = panel + k * unit;
#pragma omp simd
      for (std::int64_t u = 0; u < unit; ++u) {
        to[u] = Quad{row[u]} | Quad{row[u + bytes.y_row]} << 8 |
                Quad{row[u + 2 * bytes.y_row]} << 16 | Quad{row[u + 3 * bytes.y_row]} << 24;
      }
    }
    return true;
  }

  Dense<std::uint8_t> bytes;
  std::int64_t whole;  // quads of a line that have four bytes
  std::int64_t rest;   // bytes of the last one, if it has fewer
};

sdk::MatmulSizes in_quads(sdk::MatmulSizes sizes) {
  sizes.k = (sizes.k + kQuad - 1) / kQuad;
  return sizes;
}

struct ByteProduct {
  void launch(const sdk::Launch& launch) const {
    multiply(*host, plan, launch.workspace<Quad>(), [&](std::int64_t batch) {
      return Quads(product_of<std::uint8_t>(launch, shape, batch), shape.sizes.k);
    });
  }
  const sdk::Host* host;
  Products shape;
  GemmPlan<Quad> plan;
};

}  // namespace

bool multiplies_bytes() { return has_instruction(best_isa()); }

bool emplace_byte_product(sdk::Prepare& prepare, const Products& shape) {
  if (!shape.is_large() || !multiplies_bytes()) return false;
  const GemmPlan<Quad> plan(in_quads(shape.sizes), prepare.host().parallel_width());
  prepare.set_workspace(plan.workspace_bytes());
  prepare.emplace<ByteProduct>(&prepare.host(), shape, plan);
  return true;
}

}  // namespace loci::kernels

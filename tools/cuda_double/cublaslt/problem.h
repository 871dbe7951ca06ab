// A product as a call describes it, checked.
#pragma once

#include <cublasLt.h>

#include <cstdint>

#include "tools/cuda_double/cublaslt/descriptors.h"

namespace loci::cublaslt_double {

// D = epilogue(alpha * op(A) * op(B) + beta * C), [m, k] by [k, n].
struct Problem {
  Operation operation;
  Layout a;
  Layout b;
  Layout c;
  Layout d;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;

  [[nodiscard]] bool adds_bias() const {
    return (operation.epilogue & CUBLASLT_EPILOGUE_BIAS) != 0;
  }
  // Return the bytes of an element of A, B, C or D, and of a sum.
  [[nodiscard]] std::uint32_t element_bytes(int matrix) const;
  [[nodiscard]] std::uint32_t sum_bytes() const;
  [[nodiscard]] std::int64_t results() const { return d.batch * m * n; }
  // Returns true if all columns of all matrices begin at so many bytes where their first ones do.
  [[nodiscard]] bool are_columns_aligned(std::uint32_t bytes) const;
  // Returns the same number for the same problem, wherever its operands lie.
  [[nodiscard]] std::uint64_t fingerprint() const;
};

// Throws Refusal where the parts do not fit together, or the double has no such product.
[[nodiscard]] Problem problem_of(const Operation& operation, const Layout& a, const Layout& b,
                                 const Layout& c, const Layout& d);

}  // namespace loci::cublaslt_double

// Compares the elements that an op computed with those that it has to compute.
#pragma once

#include <string>

#include "tools/conformance/case.h"

namespace loci::conformance {

struct Verdict {
  std::string message;  // empty if all is well
  // The largest share of its bound that an element used; over 1 is a failure.
  Real worst = 0;
  [[nodiscard]] bool good() const { return message.empty(); }
  // Keeps the first message and the larger share.
  void add(const Verdict& other);
};

// How far element `i` may be from expected.values[i]; 0 if it has to be the rounded value itself.
Real bound_of(const Expected& expected, std::size_t i);

// The message names the first bad element: "float32[2, 3] element 4 at [1, 1]: got 3.5, want 3.25,
// bound 4.8e-07; 2 of 6 elements are wrong".
Verdict check(const Array& got, const Expected& expected);

// Dtype, shape and bits.
bool same_bits(const Tensor& a, const Tensor& b);

}  // namespace loci::conformance

#include "tools/conformance/broadcast.h"

#include <algorithm>

namespace loci::conformance {

Shape broadcast_shape(const Shape& a, const Shape& b) {
  Shape result = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  const int added = result.rank() - shorter.rank();
  for (int i = 0; i < shorter.rank(); ++i) {
    if (result[added + i] == 1) result.set(added + i, shorter[i]);
  }
  return result;
}

Index broadcast_index(const Shape& from, const Index& index) {
  Index result(index.end() - from.rank(), index.end());
  for (int i = 0; i < from.rank(); ++i) {
    if (from[i] == 1) result[static_cast<std::size_t>(i)] = 0;
  }
  return result;
}

}  // namespace loci::conformance

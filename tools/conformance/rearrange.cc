#include "tools/conformance/rearrange.h"

namespace loci::conformance {

Expected rearranged(const Array& x, const Shape& shape,
                    const std::function<Index(const Index&)>& source) {
  Expected out = Expected::exact(x.dtype, shape);
  for (std::size_t i = 0; i < out.size(); ++i) out.values[i] = x.at(source(index_of(shape, i)));
  return out;
}

Generator small_values(DType dtype) {
  return is_floating(dtype) ? uniform(-2, 2) : integers(0, 100);
}

}  // namespace loci::conformance

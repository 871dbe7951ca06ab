// Broadcasting as the references see it: element by element.
#pragma once

#include "tools/conformance/array.h"

namespace loci::conformance {

// NumPy's rule for shapes that fit.
Shape broadcast_shape(const Shape& a, const Shape& b);

// Where element `index` of a broadcast result comes from in an argument of shape `from`. The index
// may have more dimensions than `from`, in front.
Index broadcast_index(const Shape& from, const Index& index);

}  // namespace loci::conformance

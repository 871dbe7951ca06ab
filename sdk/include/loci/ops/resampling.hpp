// Images of another size. See loci/ops.hpp for what holds for every op.
#pragma once

#include <cstdint>
#include <loci/op_call.hpp>

namespace loci {
inline namespace v0 {

struct BilinearInterpOptions {
  // The result's height and width; or 0, and `scale`, of which the result has floor(extent * scale)
  // rows and columns.
  std::int64_t out_h = 0;
  std::int64_t out_w = 0;
  double scale = 0;
  bool align_corners = false;
  std::int64_t align_mode = 0;  // without align_corners: 0 or 1
};

// x: [batch, channels, height, width], interpolated between the two nearest rows and columns.
// Row d of the result lies at the row s of x (columns likewise), where r is 1 / scale, if that is
// given, or in / out:
//   align_corners  s = d * (in - 1) / (out - 1), or 0 if the result has one row
//   align_mode 0   s = (d + 0.5) * r - 0.5, at least 0: centres of pixels lie on each other
//   align_mode 1   s = d * r
// and out = (1 - w) * x[floor(s)] + w * x[floor(s) + 1], w = s - floor(s); the last row repeats.
// Floating.
template <class V>
LOCI_OP V bilinear_interp(const V& x, const BilinearInterpOptions& options) {
  return OpCall<V>("bilinear_interp")
      .input("x", x)
      .attr("out_h", options.out_h)
      .attr("out_w", options.out_w)
      .attr("scale", options.scale)
      .attr("align_corners", options.align_corners)
      .attr("align_mode", options.align_mode)
      .result();
}

}  // namespace v0
}  // namespace loci

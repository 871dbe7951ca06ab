// Elements around a tensor. See loci/ops.hpp for what holds for every op.
#pragma once

#include <cstdint>
#include <loci/op_call.hpp>
#include <string>
#include <type_traits>
#include <vector>

namespace loci {
inline namespace v0 {

// x with pads[i] elements in front of dimension i and pads[i + rank] behind it: ONNX's order of
// pads. Negative ones crop, first and of all dimensions, at most what there is. `mode` says what
// the new elements are, dimension by dimension:
//   constant  zeros, or the number that the function below takes
//   reflect   what is kept, mirrored at its first and last element, which are not repeated. The
//             pads are smaller than what is kept, as ONNX's runtimes demand; NumPy would mirror
//             longer ones again and again
//   edge      the first and the last element
//   wrap      what is kept again and again, as often as it takes
// The last two need at least one element to be kept. The gradient of an element is the sum over all
// places where it went, floating.
template <class V>
LOCI_OP V pad(const V& x, const std::vector<std::int64_t>& pads,
              const std::string& mode = "constant") {
  return OpCall<V>("pad").input("x", x).attr("pads", pads).attr("mode", mode).result();
}
// With constants of this value, of any arithmetic type; only mode "constant" takes one. What an
// integer dtype, or bool, does not hold is refused; a floating one rounds.
template <class V, class Number, std::enable_if_t<std::is_arithmetic_v<Number>, int> = 0>
LOCI_OP V pad(const V& x, const std::vector<std::int64_t>& pads, const std::string& mode,
              Number value) {
  OpCall<V> call("pad");
  call.input("x", x).attr("pads", pads).attr("mode", mode);
  if constexpr (std::is_floating_point_v<Number>) {
    call.attr("value", static_cast<double>(value));
  } else {
    // A double has not every integer.
    call.attr("integer", static_cast<std::int64_t>(value));
  }
  return call.result();
}

}  // namespace v0
}  // namespace loci

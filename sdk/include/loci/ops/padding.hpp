// Elements around a tensor. See loci/ops.hpp for what holds for every op.
#pragma once

#include <cstdint>
#include <limits>
#include <loci/error.hpp>
#include <loci/op_call.hpp>
#include <string>
#include <type_traits>
#include <vector>

namespace loci {
inline namespace v0 {

namespace pad_details {

// A double has not every integer, and an int64 none above 2^63 - 1.
template <class V, class Integer>
void set_integer(OpCall<V>& call, Integer value) {
  if constexpr (std::is_unsigned_v<Integer> && sizeof(Integer) == sizeof(std::uint64_t)) {
    constexpr Integer kMost = static_cast<Integer>(std::numeric_limits<std::int64_t>::max());
    if (value > kMost) {
      const auto real = static_cast<double>(value);
      // A number that rounds to 2^64 has no way back.
      if (real < 0x1p64 && static_cast<Integer>(real) == value) {
        call.attr("value", real);
        return;
      }
      throw Error(ErrorCode::kInvalidArgument,
                  "[pad] value " + std::to_string(value) +
                      " is above 2^63 - 1, and none that float64 has; give another");
    }
  }
  call.attr("integer", static_cast<std::int64_t>(value));
}

}  // namespace pad_details

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
// integer dtype, or bool, does not hold is refused; a floating one rounds. An integer above 2^63 -
// 1 has to be one that float64 has.
template <class V, class Number, std::enable_if_t<std::is_arithmetic_v<Number>, int> = 0>
LOCI_OP V pad(const V& x, const std::vector<std::int64_t>& pads, const std::string& mode,
              Number value) {
  OpCall<V> call("pad");
  call.input("x", x).attr("pads", pads).attr("mode", mode);
  if constexpr (std::is_floating_point_v<Number>) {
    call.attr("value", static_cast<double>(value));
  } else {
    pad_details::set_integer(call, value);
  }
  return call.result();
}

}  // namespace v0
}  // namespace loci

// Geometry of sliding windows: where the windows of conv2d and pool2d lie.
//
// The schemas of those ops and their kernels share it, so that both agree on every extent. Nothing
// here checks: the schemas have done so before a kernel sees the attributes. Only the options
// allocate, so that the rest may be used in a launch and from any thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace loci::sdk {

// The attributes of conv2d and pool2d that place windows. Lists are [height, width]; paddings may
// also be [top, bottom, left, right].
struct WindowOptions {
  std::vector<std::int64_t> strides{1, 1};
  std::vector<std::int64_t> paddings{0, 0};
  std::vector<std::int64_t> dilations{1, 1};
  std::string padding_algorithm = "EXPLICIT";
  bool ceil_mode = false;
  bool global_pooling = false;
};

// Elements [begin, end) of a dimension.
struct WindowRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  [[nodiscard]] constexpr std::int64_t size() const { return end - begin; }
};

// Windows along one dimension. Window o covers the inputs o * stride - before + k * dilation for k
// in [0, kernel); those outside [0, input) are padding.
struct WindowAxis {
  std::int64_t input = 0;
  std::int64_t kernel = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::int64_t before = 0;
  std::int64_t after = 0;   // under ceil_mode at least what the last window needs
  std::int64_t output = 0;  // windows; 0 if not even one fits
  // Behind the input and the padding that was asked for; ceil_mode lets a window reach beyond.
  std::int64_t padded_end = 0;

  // Inputs from the first to the last that one window covers.
  [[nodiscard]] constexpr std::int64_t span() const { return (kernel - 1) * dilation + 1; }
  // The input at which window o begins; negative within the padding.
  [[nodiscard]] constexpr std::int64_t begin(std::int64_t o) const { return o * stride - before; }
  // The inputs between the first and the last of window o, without padding; empty if all is.
  [[nodiscard]] constexpr WindowRange inside(std::int64_t o) const {
    const std::int64_t first = std::max<std::int64_t>(begin(o), 0);
    return {first, std::max(first, std::min(begin(o) + span(), input))};
  }
  // Elements of window o, without dilation, that lie in the input or in the padding that was asked
  // for: those that an average over padding divides by.
  [[nodiscard]] constexpr std::int64_t padded_size(std::int64_t o) const {
    return std::min(begin(o) + kernel, padded_end) - begin(o);
  }
  // The window whose element k is input i; -1 if there is none.
  [[nodiscard]] constexpr std::int64_t window_at(std::int64_t i, std::int64_t k) const {
    const std::int64_t first = i + before - k * dilation;
    const bool exists = first >= 0 && first % stride == 0 && first / stride < output;
    return exists ? first / stride : -1;
  }
};

struct Window2d {
  WindowAxis height;
  WindowAxis width;
};

// Each attribute and extent has to be at most this; then no sum or product here overflows.
inline constexpr std::int64_t kMaxWindowExtent = 0x7fffffff;

inline constexpr bool is_padding_algorithm(std::string_view name) {
  return name == "EXPLICIT" || name == "SAME" || name == "VALID";
}

namespace detail {

// output = ceil(input / stride); the odd element of padding goes after.
inline void pad_to_same(WindowAxis& axis) {
  axis.output = (axis.input + axis.stride - 1) / axis.stride;
  const std::int64_t covered = (axis.output - 1) * axis.stride + axis.span();
  const std::int64_t total = std::max<std::int64_t>(covered - axis.input, 0);
  axis.before = total / 2;
  axis.after = total - axis.before;
  axis.padded_end = axis.input + axis.after;
}

inline void count_windows(WindowAxis& axis, bool ceil_mode) {
  axis.padded_end = axis.input + axis.after;
  const std::int64_t room = axis.padded_end + axis.before - axis.span();
  axis.output = room < 0 ? 0 : room / axis.stride + 1;
  if (!ceil_mode || room < 0 || room % axis.stride == 0) return;
  // One more, which hangs over the end, unless it would lie in padding alone.
  if (axis.begin(axis.output) >= axis.input) return;
  ++axis.output;
  axis.after = axis.begin(axis.output - 1) + axis.span() - axis.input;
}

}  // namespace detail

// One dimension: 0 is height, 1 width. With an input of -1 (not known yet) output is -1 too (1 for
// global pooling), and the padding of "SAME" is 0.
inline WindowAxis resolve_window_axis(const WindowOptions& options, std::size_t dimension,
                                      std::int64_t input, std::int64_t kernel) {
  WindowAxis axis;
  axis.input = input;
  if (options.global_pooling) {
    axis.kernel = input;
    axis.output = input == 0 ? 0 : 1;
    axis.padded_end = input;
    return axis;
  }
  axis.kernel = kernel;
  axis.stride = options.strides[dimension];
  axis.dilation = options.dilations[dimension];
  if (options.padding_algorithm == "EXPLICIT") {
    const bool pairs = options.paddings.size() == 4;
    axis.before = options.paddings[pairs ? 2 * dimension : dimension];
    axis.after = options.paddings[pairs ? 2 * dimension + 1 : dimension];
  }
  if (input < 0) {
    axis.output = -1;
  } else if (options.padding_algorithm == "SAME") {
    detail::pad_to_same(axis);
  } else {
    detail::count_windows(axis, options.ceil_mode);
  }
  return axis;
}

// input and kernel: [height, width].
inline Window2d resolve_window(const WindowOptions& options,
                               const std::array<std::int64_t, 2>& input,
                               const std::array<std::int64_t, 2>& kernel) {
  return {resolve_window_axis(options, 0, input[0], kernel[0]),
          resolve_window_axis(options, 1, input[1], kernel[1])};
}

}  // namespace loci::sdk

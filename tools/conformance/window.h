// Where the windows of conv2d and pool2d lie, as the references see it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace loci::conformance {

struct WindowRow {
  std::int64_t input;
  std::int64_t kernel;
  std::int64_t stride;
  std::int64_t dilation;
};

struct WindowPlaces {
  std::int64_t before = 0;  // padding in front
  std::int64_t count = 0;   // windows
  std::int64_t end = 0;     // behind the input and the padding that was asked for
};

// `paddings` are [height, width] or [top, bottom, left, right]; `dimension` is 0 or 1. A window
// over the end counts in ceil_mode if it begins inside the input or the padding before it.
WindowPlaces place_windows(const WindowRow& row, const std::vector<std::int64_t>& paddings,
                           std::size_t dimension, const std::string& algorithm,
                           bool ceil_mode = false);

}  // namespace loci::conformance

// Bilinear interpolation to twice the size, as one would write it down: what the example's results
// are compared with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bilinear {

// `planes` images of height by width, one after the other; those of the result are twice as high
// and wide. Row d of the result lies at row d / 2 of the image, columns likewise.
struct Sizes {
  std::int64_t planes;
  std::int64_t height;
  std::int64_t width;

  [[nodiscard]] std::size_t image_count() const {
    return static_cast<std::size_t>(planes * height * width);
  }
  [[nodiscard]] std::size_t result_count() const { return 4 * image_count(); }
};

std::vector<float> forward(const std::vector<float>& image, const Sizes& sizes);
// The gradient of the image from that of the result.
std::vector<float> backward(const std::vector<float>& result_grad, const Sizes& sizes);

}  // namespace bilinear

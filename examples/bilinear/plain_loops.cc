#include "plain_loops.h"

#include <algorithm>

namespace bilinear {
namespace {

// Calls body(index in the result, index in the image, weight) for the four elements of the image
// that each element of the result is made of.
template <class Body>
void for_taps(const Sizes& sizes, const Body& body) {
  std::size_t result = 0;
  for (std::int64_t plane = 0; plane < sizes.planes; ++plane) {
    for (std::int64_t row = 0; row < 2 * sizes.height; ++row) {
      for (std::int64_t column = 0; column < 2 * sizes.width; ++column, ++result) {
        const float down = row % 2 == 0 ? 0.0F : 0.5F;
        const float right = column % 2 == 0 ? 0.0F : 0.5F;
        const std::int64_t top = row / 2;
        const std::int64_t left = column / 2;
        const std::int64_t rows[2] = {top, std::min(top + 1, sizes.height - 1)};
        const std::int64_t columns[2] = {left, std::min(left + 1, sizes.width - 1)};
        for (int i = 0; i < 2; ++i) {
          for (int j = 0; j < 2; ++j) {
            const float weight = (i == 0 ? 1 - down : down) * (j == 0 ? 1 - right : right);
            const std::int64_t at = (plane * sizes.height + rows[i]) * sizes.width + columns[j];
            body(result, static_cast<std::size_t>(at), weight);
          }
        }
      }
    }
  }
}

}  // namespace

std::vector<float> forward(const std::vector<float>& image, const Sizes& sizes) {
  std::vector<float> result(sizes.result_count());
  for_taps(sizes, [&](std::size_t to, std::size_t from, float weight) {
    result[to] += weight * image[from];
  });
  return result;
}

std::vector<float> backward(const std::vector<float>& result_grad, const Sizes& sizes) {
  std::vector<float> image_grad(sizes.image_count());
  for_taps(sizes, [&](std::size_t from, std::size_t to, float weight) {
    image_grad[to] += weight * result_grad[from];
  });
  return image_grad;
}

}  // namespace bilinear

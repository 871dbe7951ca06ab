// The optical handwritten digits: 1,797 images of 8x8 pixels (data/README.md).
#pragma once

#include <cstdint>
#include <loci/tensor.hpp>
#include <string>
#include <vector>

namespace digits {

inline constexpr std::int64_t kSide = 8;
inline constexpr std::int64_t kPixels = kSide * kSide;
inline constexpr std::int64_t kClasses = 10;

// Examples side by side: pixels in [0, 1], kPixels an image, and the digit that each one shows.
struct Split {
  std::vector<float> pixels;
  std::vector<std::int64_t> labels;

  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(labels.size()); }
  // Images [n, 1, 8, 8] and labels [n, 1] of the given examples.
  [[nodiscard]] loci::Tensor images(const std::vector<std::size_t>& examples) const;
  [[nodiscard]] loci::Tensor targets(const std::vector<std::size_t>& examples) const;
};

struct Dataset {
  Split train;
  Split test;
};

// Reads images.npy and labels.npy. Every fifth example is for testing. Throws loci::Error.
Dataset load(const std::string& directory);

// 0, 1, ..., size - 1.
std::vector<std::size_t> all_of(const Split& split);

}  // namespace digits

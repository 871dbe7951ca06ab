#include "dataset.h"

#include <algorithm>
#include <loci/error.hpp>
#include <loci/io.hpp>
#include <numeric>

namespace digits {
namespace {

constexpr float kBrightest = 16.0F;
constexpr std::int64_t kTestEvery = 5;

void append(const std::uint8_t* image, std::uint8_t label, Split* split) {
  for (std::int64_t i = 0; i < kPixels; ++i) {
    split->pixels.push_back(static_cast<float>(image[i]) / kBrightest);
  }
  split->labels.push_back(label);
}

}  // namespace

loci::Tensor Split::images(const std::vector<std::size_t>& examples) const {
  std::vector<float> batch;
  batch.reserve(examples.size() * kPixels);
  for (const std::size_t example : examples) {
    const auto first = pixels.begin() + static_cast<std::ptrdiff_t>(example) * kPixels;
    batch.insert(batch.end(), first, first + kPixels);
  }
  return loci::Tensor::from(batch, {static_cast<std::int64_t>(examples.size()), 1, kSide, kSide});
}

loci::Tensor Split::targets(const std::vector<std::size_t>& examples) const {
  std::vector<std::int64_t> batch;
  batch.reserve(examples.size());
  for (const std::size_t example : examples) batch.push_back(labels[example]);
  return loci::Tensor::from(batch, {static_cast<std::int64_t>(examples.size()), 1});
}

Dataset load(const std::string& directory) {
  const loci::Tensor images = loci::io::load_npy(directory + "/images.npy");
  const loci::Tensor labels = loci::io::load_npy(directory + "/labels.npy");
  const std::int64_t count = labels.numel();
  if (images.shape() != loci::Shape{count, kSide, kSide}) {
    throw loci::Error(loci::ErrorCode::kDataLoss,
                      "[digits] images.npy is " + images.shape().to_string() +
                          ", but there are labels for " + std::to_string(count) + " images of 8x8");
  }
  Dataset dataset;
  for (std::int64_t i = 0; i < count; ++i) {
    Split* split = i % kTestEvery == 0 ? &dataset.test : &dataset.train;
    append(images.data<std::uint8_t>() + i * kPixels, labels.data<std::uint8_t>()[i], split);
  }
  return dataset;
}

std::vector<std::size_t> all_of(const Split& split) {
  std::vector<std::size_t> examples(split.labels.size());
  std::iota(examples.begin(), examples.end(), std::size_t{0});
  return examples;
}

}  // namespace digits

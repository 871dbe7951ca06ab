// A stack of layers of the encoder of Vaswani et al. (2017), of any floating dtype.
#pragma once

#include <cstdint>
#include <loci/loci.hpp>
#include <memory>

namespace loci::bench {

struct EncoderSizes {
  int layers;
  std::int64_t width;
  std::int64_t heads;
};

// [batch, length, width] to the same, normalised before each part.
std::shared_ptr<nn::Module> encoder(const EncoderSizes& sizes, DType dtype);

}  // namespace loci::bench

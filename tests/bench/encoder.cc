#include "tests/bench/encoder.h"

namespace loci::bench {
namespace {

class EncoderLayer : public nn::Module {
 public:
  EncoderLayer(const EncoderSizes& sizes, const nn::ParameterOptions& parameters)
      : attention_norm_(sizes.width, 1e-5, parameters),
        attention_(sizes.width, sizes.heads, 0.0, parameters),
        norm_(sizes.width, 1e-5, parameters),
        widen_(sizes.width, 4 * sizes.width, parameters),
        narrow_(4 * sizes.width, sizes.width, parameters) {
    register_child("attention_norm", attention_norm_);
    register_child("attention", attention_);
    register_child("norm", norm_);
    register_child("widen", widen_);
    register_child("narrow", narrow_);
  }
  Tensor forward(const Tensor& x) override {
    const Tensor attended = x + attention_(attention_norm_(x));
    return attended + narrow_(gelu(widen_(norm_(attended))));
  }

 private:
  nn::LayerNorm attention_norm_;
  nn::MultiHeadAttention attention_;
  nn::LayerNorm norm_;
  nn::Linear widen_;
  nn::Linear narrow_;
};

}  // namespace

std::shared_ptr<nn::Module> encoder(const EncoderSizes& sizes, DType dtype) {
  nn::ParameterOptions parameters;
  parameters.dtype = dtype;
  auto net = std::make_shared<nn::Sequential>();
  for (int i = 0; i < sizes.layers; ++i) net->add<EncoderLayer>(sizes, parameters);
  return net;
}

}  // namespace loci::bench

#include "tests/bench/gpt_decode.h"

#include <cstdint>

namespace loci::bench {
namespace {

constexpr std::int64_t kWidth = 768;
constexpr std::int64_t kHeads = 12;
constexpr std::int64_t kPast = 512;

class Block : public nn::Module {
 public:
  Block() {
    register_child("attention_norm", attention_norm_);
    register_child("query", query_);
    register_child("key", key_);
    register_child("value", value_);
    register_child("project", project_);
    register_child("norm", norm_);
    register_child("widen", widen_);
    register_child("narrow", narrow_);
    register_parameter("past_keys", past_keys_);
    register_parameter("past_values", past_values_);
  }
  Tensor forward(const Tensor& x) override {
    const Tensor normed = attention_norm_(x);
    const Tensor keys = concat<Tensor>({past_keys_, key_(normed)}, 1);
    const Tensor values = concat<Tensor>({past_values_, value_(normed)}, 1);
    const Tensor attended = x + project_(attention(query_(normed), keys, values, kHeads));
    return attended + narrow_(gelu(widen_(norm_(attended))));
  }

 private:
  nn::LayerNorm attention_norm_{kWidth};
  nn::Linear query_{kWidth, kWidth};
  nn::Linear key_{kWidth, kWidth};
  nn::Linear value_{kWidth, kWidth};
  nn::Linear project_{kWidth, kWidth};
  nn::LayerNorm norm_{kWidth};
  nn::Linear widen_{kWidth, 4 * kWidth};
  nn::Linear narrow_{4 * kWidth, kWidth};
  Tensor past_keys_ = randn({1, kPast, kWidth});
  Tensor past_values_ = randn({1, kPast, kWidth});
};

}  // namespace

std::shared_ptr<nn::Module> gpt_decode() {
  auto net = std::make_shared<nn::Sequential>();
  for (int i = 0; i < 12; ++i) net->add<Block>();
  return net;
}

}  // namespace loci::bench

// Attention.
#pragma once

#include <cstdint>
#include <loci/export.hpp>
#include <loci/nn/dropout.hpp>
#include <loci/nn/linear.hpp>
#include <loci/nn/module.hpp>
#include <loci/nn/parameter.hpp>
#include <string>

namespace loci {
inline namespace v0 {
namespace nn {

// Scaled dot-product attention of several heads (Vaswani et al., 2017). `width` is shared out among
// the heads. Children: "query", "key", "value" and "output", each Linear(width, width).
class LOCI_PUBLIC MultiHeadAttention : public Module {
 public:
  // `dropout` is the probability that a weight is dropped in training. Throws
  // Error(kInvalidArgument) unless the heads divide the width.
  MultiHeadAttention(std::int64_t width, std::int64_t heads, double dropout = 0.0,
                     const ParameterOptions& parameters = {});

  // query: [batch, queries, width]; key and value: [batch, keys, width]; mask: what is added to the
  // scores, in their dtype, broadcast to [batch, heads, queries, keys], such as a large negative
  // number where a query must not look, or undefined. Result: like query.
  Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value,
                 const Tensor& mask = {});
  Tensor operator()(const Tensor& query, const Tensor& key, const Tensor& value,
                    const Tensor& mask = {}) {
    return forward(query, key, value, mask);
  }
  // Lets x attend to itself.
  Tensor forward(const Tensor& x) override { return forward(x, x, x); }
  using Module::operator();

  [[nodiscard]] std::string type() const override { return "MultiHeadAttention"; }
  [[nodiscard]] std::string arguments() const override;

 private:
  [[nodiscard]] Tensor in_heads(const Tensor& x) const;
  Tensor dropping(const Tensor& queries, const Tensor& keys, const Tensor& values,
                  const Tensor& mask);

  std::int64_t width_;
  std::int64_t heads_;
  Linear query_;
  Linear key_;
  Linear value_;
  Linear output_;
  Dropout dropout_;
};

}  // namespace nn
}  // namespace v0
}  // namespace loci

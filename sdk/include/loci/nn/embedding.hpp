// Tables that are read by id.
#pragma once

#include <cstdint>
#include <loci/export.hpp>
#include <loci/nn/module.hpp>
#include <loci/nn/parameter.hpp>
#include <loci/ops/indexing.hpp>
#include <string>

namespace loci {
inline namespace v0 {
namespace nn {

// embedding() of the parameter "weight", [rows, width], xavier-initialised: ids (int32 or int64,
// any shape) to [ids..., width]. Its gradient is rows unless the options say otherwise.
class LOCI_PUBLIC Embedding : public Module {
 public:
  Embedding(std::int64_t rows, std::int64_t width, const EmbeddingOptions& options = {},
            const ParameterOptions& parameters = {});

  Tensor forward(const Tensor& ids) override;
  [[nodiscard]] std::string type() const override { return "Embedding"; }
  [[nodiscard]] std::string arguments() const override;

  [[nodiscard]] const Tensor& weight() const noexcept { return weight_; }

 private:
  EmbeddingOptions options_;
  Tensor weight_;
};

}  // namespace nn
}  // namespace v0
}  // namespace loci

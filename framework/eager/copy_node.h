// A recorded copy between places, or into another tensor.
#pragma once

#include <loci/tensor.hpp>
#include <string>
#include <vector>

#include "framework/eager/node.h"

namespace loci::eager {

// Its gradient goes back to where the source was.
class CopyNode final : public Node {
 public:
  explicit CopyNode(const Tensor& from, const Tensor& to);

  [[nodiscard]] const std::string& name() const override;
  Gradients backward(const Gradients& outputs, bool creates_graph) override;

 private:
  Place source_;
};

// Records the copy if the gradient of `from` is wanted; returns whether it did.
bool record_copy(const Tensor& from, const Tensor& to);

}  // namespace loci::eager

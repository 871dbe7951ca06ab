// A recorded copy between places, or into another tensor.
#pragma once

#include <loci/tensor.hpp>
#include <string>
#include <vector>

#include "framework/eager/node.h"
#include "framework/transfer/transfer.h"

namespace loci::eager {

// Its gradient goes back to where the source was, for the same reason.
class CopyNode final : public Node {
 public:
  CopyNode(const Tensor& from, const Tensor& to, const transfer::Labels& labels);

  [[nodiscard]] const std::string& name() const override;
  Gradients backward(const Gradients& outputs, bool creates_graph) override;

 private:
  Place source_;
  transfer::Labels labels_;
};

// Records the copy if the gradient of `from` is wanted; returns whether it did. `labels` are those
// of the copy.
bool record_copy(const Tensor& from, const Tensor& to, const transfer::Labels& labels);

}  // namespace loci::eager

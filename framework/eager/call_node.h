// A recorded call of an op.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "framework/eager/call_plan.h"
#include "framework/eager/gradient_script.h"
#include "framework/eager/node.h"
#include "framework/eager/saved_tensor.h"

namespace loci::eager {

class CallNode final : public Node {
 public:
  // Saves what the gradients of the inputs in `wanted` need. `overwritten` is the flat input in
  // whose memory the call writes its first output; -1: none.
  CallNode(std::shared_ptr<const CallPlan> plan, std::uint64_t wanted, const TensorRef* values,
           const TensorList& results, std::int32_t overwritten);

  [[nodiscard]] const std::string& name() const override { return plan_->schema->name(); }
  Gradients backward(const Gradients& outputs, bool creates_graph) override;
  void release() override;
  [[nodiscard]] bool is_released() const override { return is_released_; }

 private:
  [[nodiscard]] Tensor saved_value(std::size_t position, bool creates_graph);
  void check_released() const;

  std::shared_ptr<const CallPlan> plan_;
  std::uint64_t wanted_;
  struct Saved {
    std::int32_t value;  // its number in the script
    SavedTensor tensor;
  };
  InlineList<Saved, 3> saved_;
  bool is_released_ = false;
};

// Records the call if gradients of any of its values are wanted, and makes the results its outputs.
// Returns whether it did.
bool record_call(const std::shared_ptr<const CallPlan>& plan, const TensorRef* values,
                 const TensorList& results, std::int32_t overwritten = -1);

}  // namespace loci::eager

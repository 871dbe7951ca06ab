// The node of a compiled function's results, through which no gradient goes.
#pragma once

#include <string>
#include <vector>

#include "framework/eager/node.h"

namespace loci::tracing {

// Says that results hang on tensors of which gradients are recorded, as the function that was
// compiled would; and refuses gradients, which would be lost.
class ResultNode final : public eager::Node {
 public:
  // `leaves` are those tensors.
  explicit ResultNode(const std::vector<Tensor>& leaves);

  [[nodiscard]] const std::string& name() const override;
  // Throws Error(kInvalidArgument).
  eager::Gradients backward(const eager::Gradients& outputs, bool creates_graph) override;
  // A capture may end with it: there is nothing that a replay would have to record.
  [[nodiscard]] bool is_released() const override { return true; }
};

}  // namespace loci::tracing

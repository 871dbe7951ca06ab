// The tape's nodes for tensors within a trace.
#pragma once

#include <loci/place.hpp>
#include <loci/program.hpp>
#include <memory>
#include <string>
#include <utility>

#include "framework/eager/node.h"

namespace loci::tracing {

// Makes a tensor the result of recorded ops, and has its hooks. Gradients go through the program
// instead.
class TracedNode final : public eager::Node {
 public:
  TracedNode(std::string op, Variable variable, Place place)
      : variable(std::move(variable)), place(std::move(place)), op_(std::move(op)) {}

  [[nodiscard]] const std::string& name() const override { return op_; }
  // Throws Error(kInvalidArgument): the trace has ended.
  eager::Gradients backward(const eager::Gradients& outputs, bool creates_graph) override;

  const Variable variable;
  const Place place;

 private:
  std::string op_;
};

// Makes the tensor a result of `node`, the next one of its outputs.
void add_result(const Tensor& tensor, const std::shared_ptr<eager::Node>& node);

}  // namespace loci::tracing

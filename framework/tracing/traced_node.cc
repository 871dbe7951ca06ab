#include "framework/tracing/traced_node.h"

#include "framework/core/raise.h"

namespace loci::tracing {

eager::Gradients TracedNode::backward(const eager::Gradients& /*outputs*/, bool /*creates_graph*/) {
  core::raise(ErrorCode::kInvalidArgument,
              "[backward] a result of {} was computed within a trace that has ended, and has no "
              "elements; call backward() within the function that is traced",
              op_);
}

void add_result(const Tensor& tensor, const std::shared_ptr<eager::Node>& node) {
  const auto output = static_cast<std::uint32_t>(node->outputs.size());
  node->outputs.push_back({{tensor.dtype(), tensor.shape()}, tensor.impl()->storage()->device});
  eager::set_node(tensor, node, output);
}

}  // namespace loci::tracing

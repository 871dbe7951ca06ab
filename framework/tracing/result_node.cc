#include "framework/tracing/result_node.h"

#include "framework/core/raise.h"

namespace loci::tracing {

ResultNode::ResultNode(const std::vector<Tensor>& leaves) {
  for (const Tensor& leaf : leaves) edges.push_back(eager::edge_of(leaf));
}

const std::string& ResultNode::name() const {
  static const std::string& name = *new std::string("a compiled function");
  return name;
}

eager::Gradients ResultNode::backward(const eager::Gradients& /*outputs*/, bool /*creates_graph*/) {
  core::raise(ErrorCode::kInvalidArgument,
              "[backward] it gets to a result of a compiled function, which records nothing of its "
              "ops; call backward() or grad() within the function, or go on with detach() of its "
              "result where no gradient is wanted");
}

}  // namespace loci::tracing

#include "framework/eager/copy_node.h"
#include "framework/memory/node_pool.h"

namespace loci::eager {

CopyNode::CopyNode(const Tensor& from, const Tensor& to) : source_(from.place()) {
  edges.push_back(edge_of(from));
  outputs.push_back({{to.dtype(), to.shape()}, to.impl()->storage()->device});
}

const std::string& CopyNode::name() const {
  static const std::string name = "copy";
  return name;
}

Gradients CopyNode::backward(const Gradients& given, bool) {
  Gradients result;
  result.resize(1);
  if (given[0].dense.defined()) result[0].dense = given[0].dense.to(source_);
  return result;
}

bool record_copy(const Tensor& from, const Tensor& to) {
  if (!requires_grad(from) || !is_floating(from.dtype())) return false;
  set_node(to, memory::make_pooled<CopyNode>(from, to), 0);
  return true;
}

}  // namespace loci::eager

#include "framework/eager/copy_node.h"

#include <fmt/format.h>

#include "framework/device/device_manager.h"
#include "framework/eager/placing.h"
#include "framework/eager/relocation.h"
#include "framework/memory/node_pool.h"

namespace loci::eager {
namespace {

// Labels the copy back: the gradient of the variable, for the gradient of the op.
transfer::Labels gradient_labels(const transfer::Labels& labels, const Tensor& gradient) {
  const auto derived = [](const char* name, const char* suffix) {
    return *name == '\0' ? name : transfer::intern(fmt::format("{}{}", name, suffix));
  };
  transfer::Labels result;
  result.reason = labels.reason;
  result.variable = gradient.name().empty() ? derived(labels.variable, "@GRAD")
                                            : transfer::intern(gradient.name());
  result.producer = derived(labels.consumer, "_grad");
  return result;
}

}  // namespace

CopyNode::CopyNode(const Tensor& from, const Tensor& to, const transfer::Labels& labels)
    : source_(from.place()), labels_(labels) {
  edges.push_back(edge_of(from));
  outputs.push_back({{to.dtype(), to.shape()}, to.impl()->storage()->device});
}

const std::string& CopyNode::name() const {
  static const std::string& name = *new std::string("copy");
  return name;
}

Gradients CopyNode::backward(const Gradients& given, bool) {
  Gradients result;
  result.resize(1);
  const Tensor& gradient = given[0].dense;
  if (!gradient.defined()) return result;
  device::Device& home =
      source_.is_host() ? host_device() : device::DeviceManager::instance().get(source_);
  result[0].dense = relocate(gradient, home, gradient_labels(labels_, gradient), nullptr);
  return result;
}

bool record_copy(const Tensor& from, const Tensor& to, const transfer::Labels& labels) {
  if (!requires_grad(from) || !is_floating(from.dtype())) return false;
  set_node(to, memory::make_pooled<CopyNode>(from, to, labels), 0);
  return true;
}

}  // namespace loci::eager

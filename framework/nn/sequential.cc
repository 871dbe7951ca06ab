#include <loci/nn/sequential.hpp>

#include "framework/core/raise.h"
#include "framework/eager/user_call.h"

namespace loci {
inline namespace v0 {
namespace nn {

Sequential& Sequential::add(std::shared_ptr<Module> module) {
  register_child(std::to_string(modules_.size()), module);
  modules_.push_back(std::move(module));
  return *this;
}

Module& Sequential::operator[](std::size_t index) const {
  if (index < modules_.size()) return *modules_[index];
  core::raise(ErrorCode::kInvalidArgument, "[Sequential] has {} modules, and none at {}",
              modules_.size(), index);
}

Tensor Sequential::forward(const Tensor& x) {
  const eager::UserCaller caller(__builtin_return_address(0));
  Tensor value = x;
  for (const std::shared_ptr<Module>& module : modules_) value = module->forward(value);
  return value;
}

}  // namespace nn
}  // namespace v0
}  // namespace loci

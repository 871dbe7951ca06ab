#include <loci/autograd.hpp>
#include <loci/nn/parameter.hpp>

#include "framework/core/raise.h"
#include "framework/eager/thread_state.h"
#include "framework/eager/user_call.h"

namespace loci {
inline namespace v0 {
namespace nn {

Tensor make_buffer(const Shape& shape, DType dtype, const Initializer& init) {
  const eager::UserCall user(__builtin_return_address(0));
  const NoGrad scope;
  const eager::Untraced made_now;
  OpCall<Tensor> call(init.op);
  for (const auto& [name, value] : init.attributes) call.attr(name, value);
  call.attr("shape", shape.dims()).attr("dtype", dtype);
  return call.result();
}

Tensor make_parameter(const Shape& shape, DType dtype, const Initializer& init) {
  const eager::UserCall user(__builtin_return_address(0));
  if (!is_floating(dtype)) {
    core::raise(
        ErrorCode::kInvalidArgument,
        "[nn] a parameter of {} {} has no gradient; give a floating dtype, or make a buffer",
        dtype_name(dtype), shape.to_string());
  }
  Tensor made = make_buffer(shape, dtype, init);
  made.set_requires_grad();
  return made;
}

}  // namespace nn
}  // namespace v0
}  // namespace loci

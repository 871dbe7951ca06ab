#include <fmt/format.h>

#include <loci/captured_function.hpp>
#include <utility>

#include "framework/capture/captured_function_impl.h"
#include "framework/core/environment.h"

namespace loci {
inline namespace v0 {
namespace {

std::string state_of(const CapturedForm& form) {
  switch (form.state) {
    case CaptureState::kWarmingUp: return "warming up";
    case CaptureState::kCaptured: return "captured";
    case CaptureState::kPlain: break;
  }
  return "plain";
}

}  // namespace

std::string CaptureReport::to_string() const {
  std::string text;
  for (const CapturedForm& form : forms) {
    text += fmt::format("{}: {}, {} plain calls, {} replays", form.inputs, state_of(form),
                        form.plain_calls, form.replays);
    if (form.state == CaptureState::kCaptured) {
      text += fmt::format(
          "; captured {} times, the last in {:.3f} ms; {} bytes of its own, {} of "
          "inputs",
          form.captures, static_cast<double>(form.capture_ns) / 1e6, form.peak_bytes,
          form.input_bytes);
    }
    if (form.state == CaptureState::kWarmingUp && form.estimated_bytes > 0) {
      text += fmt::format("; its graph will take {} bytes at least", form.estimated_bytes);
    }
    text += form.reason.empty() ? "\n" : fmt::format("; {}\n", form.reason);
  }
  return text + fmt::format("{} bytes held; {} captures went for others\n", bytes_held, evictions);
}

CapturedFunction::CapturedFunction(TensorFunction fn, CaptureOptions options) {
  core::check_environment();
  impl_ = std::make_shared<capture::CapturedFunctionImpl>(std::move(fn), std::move(options));
}

std::vector<Tensor> CapturedFunction::operator()(const std::vector<Tensor>& inputs) const {
  return impl_->call(inputs, __builtin_return_address(0));
}
void CapturedFunction::prepare(const std::vector<Tensor>& example) const {
  impl_->prepare(example);
}
CaptureReport CapturedFunction::report() const { return impl_->report(); }
void CapturedFunction::reset() const { impl_->reset(); }

}  // namespace v0
}  // namespace loci

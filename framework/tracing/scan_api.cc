// Scans of tensors; of one without steps a trace tells what its outputs are.
#include <loci/control_flow.hpp>

#include "framework/core/raise.h"
#include "framework/eager/interceptor.h"
#include "framework/eager/scan.h"
#include "framework/eager/thread_state.h"
#include "framework/tracing/tracer.h"

namespace loci {
namespace tracing {
namespace {

using Tensors = std::vector<Tensor>;

Tensor slice_form(const Tensor& x) {
  std::vector<std::int64_t> dims = x.shape().dims();
  dims.erase(dims.begin());
  return Tensor::empty(Shape(dims), x.dtype(), x.place());
}

// Empty outputs of the forms that the body would give: it is traced, and not run.
Tensors empty_outputs(const eager::ScanBody& body, const Tensors& carry, const Tensors& xs) {
  const TraceOptions options;  // which the tracer refers to
  Tracer tracer(options, Tracer::Purpose::kForms);
  Tensors given;
  for (const Tensor& value : carry) given.push_back(tracer.add_input(value, given.size()));
  Tensors slices;
  for (const Tensor& x : xs) {
    slices.push_back(tracer.add_input(slice_form(x), given.size() + slices.size()));
  }
  const ScanResult<Tensor> step = body(given, slices);
  Tensors outputs;
  const eager::Untraced untraced;
  for (const Tensor& y : step.ys) {
    std::vector<std::int64_t> dims = y.shape().dims();
    dims.insert(dims.begin(), 0);
    outputs.push_back(Tensor::empty(Shape(dims), y.dtype(), y.place()));
  }
  return outputs;
}

}  // namespace
}  // namespace tracing

inline namespace v0 {

ScanResult<Tensor> scan(const std::function<ScanResult<Tensor>(
                            const std::vector<Tensor>& carry, const std::vector<Tensor>& xs)>& body,
                        const std::vector<Tensor>& carry, const std::vector<Tensor>& xs,
                        const ScanOptions& options) {
  if (carry.empty() && xs.empty()) {
    core::raise(ErrorCode::kInvalidArgument,
                "[scan] has neither carried values nor stacked inputs; give at least one");
  }
  if (eager::Interceptor* interceptor = eager::thread_state().interceptor) {
    return interceptor->scan(body, carry, xs, options);
  }
  ScanResult<Tensor> result = eager::run_scan(body, carry, xs, options);
  if (eager::scan_steps(xs, options) == 0) result.ys = tracing::empty_outputs(body, carry, xs);
  return result;
}

}  // namespace v0
}  // namespace loci

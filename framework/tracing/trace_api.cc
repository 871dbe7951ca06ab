#include <loci/trace.hpp>
#include <utility>

#include "framework/core/raise.h"
#include "framework/tracing/compiled.h"
#include "framework/tracing/tracer.h"

namespace loci {
inline namespace v0 {

Traced trace(const TensorFunction& fn, const std::vector<Tensor>& examples,
             const TraceOptions& options) {
  tracing::Tracer tracer(options);
  (void)tracer.run(fn, examples);
  return tracer.finish();
}

CompiledFunction::CompiledFunction(std::shared_ptr<tracing::CompiledImpl> impl)
    : impl_(std::move(impl)) {}

std::vector<Tensor> CompiledFunction::operator()(const std::vector<Tensor>& inputs) const {
  return impl_->run(inputs);
}

Traced CompiledFunction::traced(const std::vector<Tensor>& inputs) const {
  return impl_->traced(inputs);
}

std::size_t CompiledFunction::signatures() const { return impl_->signatures(); }

std::vector<std::string> CompiledFunction::bucket_refusals() const {
  return impl_->bucket_refusals();
}

void CompiledFunction::save(const std::string& directory) const { impl_->save(directory); }

CompiledFunction compile(const TensorFunction& fn, const std::vector<Tensor>& examples,
                         const TraceOptions& options, const CompileOptions& compile_options) {
  auto impl = std::make_shared<tracing::CompiledImpl>(fn, options, compile_options);
  (void)impl->traced(examples);
  return CompiledFunction(std::move(impl));
}

}  // namespace v0
}  // namespace loci

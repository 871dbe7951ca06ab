#include <loci/executor.hpp>
#include <utility>

#include "framework/executor/executor_impl.h"

namespace loci {
inline namespace v0 {

Fetch::Fetch(const Variable& variable) : name_(variable.name()) {}
Fetch::Fetch(std::string name) : name_(std::move(name)) {}
Fetch::Fetch(const char* name) : name_(name) {}

Fetch Fetch::at(const Place& place) const {
  Fetch elsewhere = *this;
  elsewhere.place_ = place.is_host() ? nullptr : std::make_shared<const Place>(place);
  return elsewhere;
}

Executor::Executor(const Place& place, CompileOptions options, Scope scope)
    : impl_(std::make_shared<executor::ExecutorImpl>(place, std::move(options), std::move(scope))) {
}

std::vector<Tensor> Executor::run(const Program& program, const Feed& feed,
                                  const std::vector<Fetch>& fetch) {
  return impl_->run(program, feed, fetch);
}

std::vector<std::string> Executor::bucket_refusals() const { return impl_->buckets().refusals(); }

const Place& Executor::place() const noexcept { return impl_->place(); }
const Scope& Executor::scope() const noexcept { return impl_->scope(); }

}  // namespace v0
}  // namespace loci

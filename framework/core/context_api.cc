#include <loci/context.hpp>
#include <utility>

#include "framework/core/context.h"

namespace loci {
inline namespace v0 {

Context::Context() : impl_(core::Context::make()) {}
Context::Context(std::shared_ptr<core::Context> impl) noexcept : impl_(std::move(impl)) {}

Context Context::default_context() { return Context(core::Context::standard().share()); }
Context Context::current() { return Context(core::Context::current().share()); }

ContextGuard::ContextGuard(const Context& context)
    : context_(context.impl()),
      outer_(core::this_thread.context),
      outer_values_(core::this_thread.values) {
  if (outer_ != context_.get()) core::this_thread = {context_.get(), nullptr};
}

ContextGuard::~ContextGuard() {
  core::this_thread = {outer_, static_cast<core::ThreadValues*>(outer_values_)};
}

}  // namespace v0
}  // namespace loci

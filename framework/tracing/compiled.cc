#include "framework/tracing/compiled.h"

#include <loci/io.hpp>
#include <utility>

#include "framework/core/raise.h"
#include "framework/program/program_impl.h"

namespace loci::tracing {
namespace {

Place place_of(const std::vector<Tensor>& tensors) {
  for (const Tensor& tensor : tensors) {
    if (!tensor.place().is_host()) return tensor.place();
  }
  return {};
}

bool fits(const Shape& form, const Shape& shape) {
  if (form.rank() != shape.rank()) return false;
  for (int i = 0; i < form.rank(); ++i) {
    if (form[i] != kDynamicDim && form[i] != shape[i]) return false;
  }
  return true;
}

void check_defined(const std::vector<Tensor>& inputs) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].defined()) continue;
    core::raise(ErrorCode::kInvalidArgument, "[compile] input {} is an undefined tensor", i);
  }
}

}  // namespace

bool CompiledImpl::serves(const Entry& entry, const std::vector<Tensor>& inputs) {
  if (entry.forms.size() != inputs.size()) return false;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Form& form = entry.forms[i];
    if (form.dtype != inputs[i].dtype() || !fits(form.shape, inputs[i].shape()) ||
        form.place != inputs[i].place()) {
      return false;
    }
  }
  return true;
}

std::unique_ptr<CompiledImpl::Entry> CompiledImpl::make_entry(const std::vector<Tensor>& inputs) {
  auto entry = std::make_unique<Entry>();
  entry->traced = trace(fn_, inputs, options_);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    entry->forms.push_back({inputs[i].dtype(), entry->traced.inputs[i].shape(), inputs[i].place()});
  }
  for (const Variable& output : entry->traced.outputs) entry->fetches.emplace_back(output);
  entry->place = place_of(inputs);
  entry->executor = std::make_unique<Executor>(entry->place, compile_options_, entry->traced.scope);
  return entry;
}

CompiledImpl::Entry& CompiledImpl::entry_for(const std::vector<Tensor>& inputs) {
  check_defined(inputs);
  const std::lock_guard lock(mutex_);
  for (const auto& entry : entries_) {
    if (serves(*entry, inputs)) return *entry;
  }
  return *entries_.emplace_back(make_entry(inputs));
}

std::vector<Tensor> CompiledImpl::run(const std::vector<Tensor>& inputs) {
  Entry& entry = entry_for(inputs);
  Feed feed;
  feed.reserve(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    feed.emplace_back(entry.traced.inputs[i].name(), inputs[i]);
  }
  std::vector<Tensor> results = entry.executor->run(entry.traced.program, feed, entry.fetches);
  if (entry.place.is_host()) return results;
  for (Tensor& result : results) result = result.to(entry.place);
  return results;
}

Traced CompiledImpl::traced(const std::vector<Tensor>& inputs) { return entry_for(inputs).traced; }

std::size_t CompiledImpl::signatures() {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

void CompiledImpl::save(const std::string& directory) {
  const std::lock_guard lock(mutex_);
  const Traced& traced = entries_.front()->traced;
  // What lies on the host here may live anywhere once it is loaded.
  const Program program = traced.program.clone();
  for (program::VarDesc& var : program.impl()->main().vars) {
    if (var.guard == "cpu") var.guard.clear();
  }
  program.impl()->touch();
  const auto in_copy = [&](const std::vector<Variable>& variables) {
    std::vector<Variable> copies;
    for (const Variable& variable : variables) copies.push_back(program.find(variable.name()));
    return copies;
  };
  io::save_inference_model(directory, program, in_copy(traced.inputs), in_copy(traced.outputs),
                           traced.scope);
}

}  // namespace loci::tracing

#include "framework/tracing/compiled.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <loci/autograd.hpp>
#include <loci/inspect.hpp>
#include <loci/io.hpp>
#include <utility>

#include "framework/core/context.h"
#include "framework/core/environment.h"
#include "framework/core/key_bytes.h"
#include "framework/core/log.h"
#include "framework/core/raise.h"
#include "framework/device/device_manager.h"
#include "framework/dispatch/fallback_notes.h"
#include "framework/eager/generator.h"
#include "framework/eager/thread_state.h"
#include "framework/program/program_impl.h"
#include "framework/tracing/fed_draws.h"
#include "framework/tracing/result_node.h"
#include "framework/tracing/row_buckets.h"
#include "framework/tracing/row_proof.h"
#include "framework/tracing/traced_node.h"
#include "framework/tracing/tracer.h"

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

constexpr std::uint64_t kUsualBytes = std::uint64_t{256} << 20;
constexpr std::size_t kFormsAtLeast = 4;
// About what an operator of the traced program takes; its plans count themselves.
constexpr std::uint64_t kOperatorBytes = 1024;
constexpr std::size_t kMostFillings = 256;

constexpr BucketUser kBucketUser{"compile", "CompileOptions"};

// With further rows, which are zeros.
std::vector<Tensor> filled_up(const std::vector<Tensor>& inputs, std::int64_t bucket) {
  const NoGrad scope;
  std::vector<Tensor> filled;
  filled.reserve(inputs.size());
  for (const Tensor& input : inputs) {
    Shape shape = input.shape();
    const std::int64_t rows = shape[0];
    shape.set(0, bucket);
    const Tensor& more = filled.emplace_back(Tensor::empty(shape, input.dtype(), input.place()));
    if (rows > 0) more.rows(0, rows).copy_(input);
    more.rows(rows, bucket).fill_(0);
  }
  return filled;
}

// A program knows no gradients of before.
void check_saved(const std::vector<OutsideLeaf>& leaves) {
  for (const OutsideLeaf& leaf : leaves) {
    if (leaf.given.empty()) continue;
    core::raise(
        ErrorCode::kInvalidArgument,
        "[compile] the function adds to the gradient that {} had before, or reads it, which a "
        "saved program is not given; clear it in the function, by set_grad({{}}), or before "
        "the function is compiled",
        leaf.input == OutsideLeaf::kNoInput ? fmt::format("'{}'", leaf.tensor->name())
                                            : fmt::format("input {}", leaf.input));
  }
}

}  // namespace

std::uint64_t most_form_bytes() {
  return core::configured_number("FORM_CACHE").value_or(kUsualBytes);
}

CompiledImpl::CompiledImpl(TensorFunction fn, TraceOptions options, CompileOptions compile_options)
    : fn_(std::move(fn)),
      options_(std::move(options)),
      compile_options_(std::move(compile_options)),
      buckets_(std::exchange(compile_options_.buckets, {})),
      rows_are_independent_(std::exchange(compile_options_.rows_are_independent, false)),
      most_bytes_(most_form_bytes()) {
  program::check_buckets(buckets_, kBucketUser);
}

std::vector<CompiledImpl::Form> CompiledImpl::forms_of(const std::vector<Tensor>& inputs) {
  std::vector<Form> forms;
  forms.reserve(inputs.size());
  for (const Tensor& input : inputs) {
    forms.push_back({input.dtype(), input.shape(), input.place()});
  }
  return forms;
}

std::string CompiledImpl::key_of(const std::vector<Form>& forms) {
  std::string key;
  for (const Form& form : forms) {
    core::append_bytes(form.dtype, &key);
    core::append_bytes(form.shape.rank(), &key);
    for (const std::int64_t extent : form.shape) core::append_bytes(extent, &key);
    core::append_text(form.place.to_string(), &key);
  }
  return key;
}

bool CompiledImpl::is_open(const std::vector<Form>& forms) {
  return std::any_of(forms.begin(), forms.end(),
                     [](const Form& form) { return !form.shape.is_static(); });
}

bool CompiledImpl::serves(const Entry& entry, const std::vector<Tensor>& inputs) {
  if (entry.forms.size() != inputs.size()) return false;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Form& form = entry.forms[i];
    if (form.dtype != inputs[i].dtype() || !fits(form.shape, inputs[i].shape()) ||
        form.place != inputs[i].place()) {
      return false;
    }
  }
  return entry.records == is_grad_enabled() &&
         std::all_of(entry.leaves.begin(), entry.leaves.end(),
                     [&](const OutsideLeaf& leaf) { return leaf.holds(inputs); });
}

void CompiledImpl::trace_into(Entry& entry, const std::vector<Tensor>& inputs) {
  std::vector<Variable> left;
  {
    Tracer tracer(options_, Tracer::Purpose::kFunction);
    const std::vector<Tensor> results = tracer.run(fn_, inputs);
    for (const Tensor& result : results) {
      entry.requires_grad.push_back(tracer.requires_of(result) != Tracer::Requires::kNo);
    }
    entry.traced = tracer.finish();
    entry.leaves = tracer.outside_leaves(&left);
  }
  // Leaves that the function has made and let go of are nobody's.
  entry.leaves.erase(std::remove_if(entry.leaves.begin(), entry.leaves.end(),
                                    [](const OutsideLeaf& leaf) {
                                      return leaf.input == OutsideLeaf::kNoInput &&
                                             leaf.tensor.use_count() == 1;
                                    }),
                     entry.leaves.end());
  entry.place = place_of(inputs);
  for (const Variable& output : entry.traced.outputs) {
    entry.fetches.push_back(Fetch(output).at(entry.place));
  }
  for (const OutsideLeaf& leaf : entry.leaves) {
    const std::size_t parts = leaf.left_parts();
    for (std::size_t i = 0; i < parts; ++i) {
      entry.fetches.push_back(Fetch(left[leaf.first_left + i]).at(leaf.impl(inputs)->place()));
    }
  }
}

std::shared_ptr<eager::Node> CompiledImpl::node_of(const Entry& entry,
                                                   const std::vector<Tensor>& inputs) {
  std::vector<Tensor> required;
  for (const OutsideLeaf& leaf : entry.leaves) {
    if (leaf.requires_grad || leaf.is_result) required.push_back(Tensor(leaf.impl(inputs)));
  }
  return std::make_shared<ResultNode>(required);
}

std::shared_ptr<CompiledImpl::Entry> CompiledImpl::make_entry(const std::vector<Tensor>& inputs) {
  auto entry = std::make_shared<Entry>();
  entry->records = is_grad_enabled();
  trace_into(*entry, inputs);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    entry->forms.push_back({inputs[i].dtype(), entry->traced.inputs[i].shape(), inputs[i].place()});
  }
  entry->program = entry->traced.program.clone();
  entry->draws = entry->program.impl()->random_offset();
  // Ops that are given their offsets draw none of the thread's numbers.
  entry->is_fed_draws = entry->draws > 0 && feed_draws(*entry->program.impl());
  // Forms fall back alike.
  const Traced& first = first_ ? *first_ : entry->traced;
  core::in_context<dispatch::FallbackNotes>().tell_as(entry->program.impl()->uid(),
                                                      first.program.impl()->uid());
  entry->executor = std::make_unique<Executor>(entry->place, compile_options_, entry->traced.scope);
  return entry;
}

std::shared_ptr<CompiledImpl::Entry> CompiledImpl::known_entry(const std::vector<Tensor>& inputs) {
  if (entries_.empty()) return nullptr;
  if (serves(*entries_.begin()->value, inputs)) return entries_.begin()->value;
  const auto* exact = entries_.find(key_of(forms_of(inputs)));
  if (exact != nullptr && serves(**exact, inputs)) return *exact;
  if (open_ == 0 && alike_ == 0) return nullptr;
  const auto serving = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const auto& each) { return serves(*each.value, inputs); });
  return serving == entries_.end() ? nullptr : entries_.use(serving);
}

std::shared_ptr<CompiledImpl::Entry> CompiledImpl::entry_for(const std::vector<Tensor>& inputs) {
  check_defined(inputs);
  Entries::Entries dropped;  // destroyed once the lock is given back
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Entry> entry = known_entry(inputs);
  if (entry == nullptr) {
    entry = make_entry(inputs);
    if (traced_++ == 0) {
      first_ = entry->traced;
      first_leaves_ = entry->leaves;
    }
    open_ += is_open(entry->forms) ? 1 : 0;
    std::string key = key_of(entry->forms);
    if (entries_.find(key) != nullptr) key += fmt::format(" {}", ++alike_);
    entries_.insert(std::move(key), entry);
    count_bytes();
    shrink(&dropped);
  }
  entry->has_run_since = true;
  return entry;
}

// Counts again those that have run since they were counted last: they are the latest used.
void CompiledImpl::count_bytes() {
  for (auto each = std::next(entries_.begin()); each != entries_.end(); ++each) {
    Entry& entry = *each->value;
    if (!std::exchange(entry.has_run_since, false)) return;
    const inspect::Caches caches = inspect::caches(*entry.executor);
    const std::size_t operators = entry.traced.program.impl()->main().ops.size();
    bytes_ -= entry.bytes;
    entry.bytes = caches.plan_bytes + caches.frame_bytes + caches.shared_bytes +
                  caches.kernel_bytes + kOperatorBytes * operators;
    bytes_ += entry.bytes;
  }
}

void CompiledImpl::shrink(Entries::Entries* dropped) {
  while (bytes_ > most_bytes_ && entries_.size() > kFormsAtLeast) {
    const auto oldest = std::prev(entries_.end());
    bytes_ -= oldest->value->bytes;
    open_ -= is_open(oldest->value->forms) ? 1 : 0;
    entries_.remove(oldest, dropped);
  }
}

CompiledImpl::Filling CompiledImpl::make_filling(std::vector<Form> forms, bool fits) const {
  Filling filling;
  std::string text;
  std::vector<Tensor> examples;
  for (const Form& form : forms) {
    text += fmt::format("{}{}{} at {}", text.empty() ? "" : ", ", dtype_name(form.dtype),
                        form.shape.to_string(), form.place.to_string());
    if (fits) examples.push_back(Tensor::empty(form.shape, form.dtype, form.place));
  }
  filling.forms = std::move(forms);
  std::string reason;
  if (!fits) {
    reason = program::too_many_rows(buckets_);
  } else if (!rows_are_independent_) {
    reason = row_objection(fn_, examples);
    if (!reason.empty()) reason = program::unproven(reason, kBucketUser);
  }
  if (reason.empty()) return filling;
  filling.refusal = fmt::format("{}: {}", text, reason);
  core::log(core::Module::kProgram, core::Level::kWarn, "a compiled function of {}",
            filling.refusal);
  return filling;
}

std::optional<std::int64_t> CompiledImpl::bucket_for(const std::vector<Tensor>& inputs) {
  if (buckets_.empty() || inputs.empty()) return std::nullopt;
  check_defined(inputs);
  // A gradient would be that of a copy.
  if (std::any_of(inputs.begin(), inputs.end(), eager::requires_grad)) return std::nullopt;
  check_rows(
      inputs.size(), [&](std::size_t i) -> const Shape& { return inputs[i].shape(); }, kBucketUser);
  const std::int64_t rows = inputs[0].shape()[0];
  const std::optional<std::int64_t> bucket = program::bucket_of(buckets_, rows);
  if (bucket == rows) return std::nullopt;  // which has the bucket's form
  std::vector<Form> forms = forms_of(inputs);
  // One refusal for all that are too large, however many they are.
  for (Form& form : forms) form.shape.set(0, bucket.value_or(kDynamicDim));
  const std::lock_guard lock(mutex_);
  const auto known = std::find_if(fillings_.begin(), fillings_.end(),
                                  [&](const Filling& each) { return each.forms == forms; });
  if (known != fillings_.end()) return known->refusal.empty() ? bucket : std::nullopt;
  Filling made = make_filling(std::move(forms), bucket.has_value());
  if (fillings_.size() == kMostFillings) fillings_.erase(fillings_.begin());
  return fillings_.emplace_back(std::move(made)).refusal.empty() ? bucket : std::nullopt;
}

std::vector<Tensor> CompiledImpl::run(const std::vector<Tensor>& inputs) {
  // Another trace goes through the function.
  if (eager::thread_state().interceptor != nullptr) return fn_(inputs);
  const std::optional<std::int64_t> bucket = bucket_for(inputs);
  if (!bucket) return run_form(inputs);
  return cut_rows(run_form(filled_up(inputs, *bucket)), *bucket, inputs[0].shape()[0], kBucketUser);
}

std::vector<Tensor> CompiledImpl::run_form(const std::vector<Tensor>& inputs) {
  const std::shared_ptr<Entry> entry = entry_for(inputs);
  Feed feed;
  feed.reserve(inputs.size() + 1);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    feed.emplace_back(entry->traced.inputs[i].name(), inputs[i]);
  }
  for (const OutsideLeaf& leaf : entry->leaves) leaf.add_to(&feed, inputs);
  if (entry->draws > 0) add_draws(*entry, &feed);
  std::vector<Tensor> results = entry->executor->run(entry->program, feed, entry->fetches);
  leave_effects(*entry, inputs, &results);
  return results;
}

void CompiledImpl::add_draws(const Entry& entry, Feed* feed) {
  const NoGrad scope;
  const Tensor state = eager::take_draws(device::DeviceManager::instance().get(entry.place),
                                         entry.draws, /*site=*/nullptr);
  if (entry.is_fed_draws) feed->emplace_back(kFedDraws, state);
}

// Leaves behind what the function would have left besides its results, which come first.
void CompiledImpl::leave_effects(const Entry& entry, const std::vector<Tensor>& inputs,
                                 std::vector<Tensor>* results) {
  const auto count = static_cast<std::ptrdiff_t>(entry.requires_grad.size());
  const std::vector<Tensor> left(results->begin() + count, results->end());
  results->erase(results->begin() + count, results->end());
  std::shared_ptr<eager::Node> node;
  for (std::size_t i = 0; entry.records && i < results->size(); ++i) {
    if (!entry.requires_grad[i]) continue;
    if (node == nullptr) node = node_of(entry, inputs);
    add_result((*results)[i], node);
  }
  for (const OutsideLeaf& leaf : entry.leaves) leaf.leave(inputs, left);
}

Traced CompiledImpl::traced(const std::vector<Tensor>& inputs) {
  const std::optional<std::int64_t> bucket = bucket_for(inputs);
  return entry_for(bucket ? filled_up(inputs, *bucket) : inputs)->traced;
}

std::vector<std::string> CompiledImpl::bucket_refusals() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> refusals;
  for (const Filling& filling : fillings_) {
    if (!filling.refusal.empty()) refusals.push_back(filling.refusal);
  }
  return refusals;
}

std::size_t CompiledImpl::signatures() {
  const std::lock_guard lock(mutex_);
  return traced_;
}

std::size_t CompiledImpl::kept() {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

void CompiledImpl::save(const std::string& directory) {
  const std::lock_guard lock(mutex_);
  const Traced& traced = *first_;
  check_saved(first_leaves_);
  io::save_inference_model(directory, traced.program, traced.inputs, traced.outputs, traced.scope);
}

}  // namespace loci::tracing

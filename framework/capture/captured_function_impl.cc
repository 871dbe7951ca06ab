#include "framework/capture/captured_function_impl.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "framework/core/log.h"
#include "framework/core/raise.h"
#include "framework/eager/task_watcher.h"
#include "framework/eager/thread_state.h"

namespace loci::capture {
namespace {

constexpr std::size_t kCompared = 4;
// The kind of reason that names other bytes each time.
constexpr const char* kTooLarge = "it is larger than most_bytes";

void check_options(const TensorFunction& fn, const CaptureOptions& options) {
  const auto refuse = [](const std::string& what) {
    core::raise(ErrorCode::kInvalidArgument, "[captured function] {}", what);
  };
  if (!fn) refuse("there is no function to capture; give one");
  if (options.warm_up < 1) {
    refuse(
        fmt::format("CaptureOptions::warm_up is {}; what is done once, such as making an "
                    "optimizer's state, has to come before the capture: give 1 or more",
                    options.warm_up));
  }
  program::check_buckets(options.buckets, kBucketUser);
}

void check_rows(const CallForm& form) {
  tracing::check_rows(
      form.inputs.size(), [&](std::size_t i) -> const Shape& { return form.inputs[i].shape; },
      kBucketUser);
}

// The inputs' first rows, at most so many.
std::vector<Tensor> first_rows(const std::vector<Tensor>& inputs, std::int64_t rows) {
  std::vector<Tensor> first;
  first.reserve(inputs.size());
  for (const Tensor& input : inputs) {
    first.push_back(input.rows(0, std::min(rows, input.shape()[0])));
  }
  return first;
}

// Holds the lock for one call, and says who does.
class Turn {
 public:
  Turn(std::mutex& mutex, std::atomic<std::thread::id>& caller) : lock_(mutex), caller_(caller) {
    caller_ = std::this_thread::get_id();
  }
  ~Turn() { caller_ = std::thread::id(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  std::lock_guard<std::mutex> lock_;
  std::atomic<std::thread::id>& caller_;
};

}  // namespace

CapturedFunctionImpl::CapturedFunctionImpl(TensorFunction fn, CaptureOptions options)
    : fn_(std::move(fn)), options_(std::move(options)), memory_(GraphMemory::make()) {
  check_options(fn_, options_);
}

bool CapturedFunctionImpl::is_within_another() const {
  const eager::ThreadState& thread = eager::thread_state();
  return thread.interceptor != nullptr ||
         (thread.watcher != nullptr && !thread.watcher->gives_way()) ||
         eager::recorder_of(thread) != nullptr ||
         caller_.load(std::memory_order_relaxed) == std::this_thread::get_id();
}

bool CapturedFunctionImpl::fill_up(CallForm* form) const {
  if (options_.buckets.empty() || form->inputs.empty()) return true;
  check_rows(*form);
  const std::optional<std::int64_t> bucket =
      program::bucket_of(options_.buckets, form->inputs[0].shape[0]);
  if (!bucket) return false;
  for (InputForm& input : form->inputs) input.shape.set(0, *bucket);
  return true;
}

CapturedStep& CapturedFunctionImpl::step_for(CallForm form) {
  const bool fits = fill_up(&form);
  std::size_t compared = 0;
  for (auto entry = steps_.begin(); entry != steps_.end() && compared < kCompared;
       ++entry, ++compared) {
    if (entry->value->form() == form) return *steps_.use(entry);
  }
  const std::string key = key_of(form);
  if (const auto* known = steps_.find(key)) return **known;
  auto step = std::make_unique<CapturedStep>(std::move(form), options_, &told_);
  if (!fits) step->give_up(program::too_many_rows(options_.buckets));
  step_bytes_ += step->bytes();
  return *steps_.insert(key, std::move(step));
}

std::uint64_t CapturedFunctionImpl::bytes() const {
  const memory::Stats stats = memory_->stats();
  return step_bytes_ + stats.in_use + stats.cached;
}

void CapturedFunctionImpl::keep_to_limit(const CapturedStep& current) {
  while (bytes() > options_.most_bytes && steps_.size() > 1) {
    Steps::Entries removed;
    const auto oldest = std::prev(steps_.end());
    if (oldest->value.get() == &current) return;
    steps_.remove(oldest, &removed);
    const CapturedStep& step = *removed.front().value;
    step_bytes_ -= step.bytes();
    if (step.state() != CaptureState::kCaptured) continue;
    ++evictions_;
    core::log(core::Module::kCapture, core::Level::kInfo,
              "the graph of {} goes: {} bytes are held, and CaptureOptions::most_bytes is {}",
              step.report().inputs, bytes(), options_.most_bytes);
    removed.clear();
    memory_->give_back();
  }
}

void CapturedFunctionImpl::capture(CapturedStep& step, const std::vector<Tensor>& inputs) {
  step_bytes_ -= step.bytes();
  if (step.needed_bytes() > options_.most_bytes) {
    step.give_up(fmt::format("its graph needs at least {} bytes, as its last plain call has shown, "
                             "and CaptureOptions::most_bytes is {}",
                             step.needed_bytes(), options_.most_bytes),
                 kTooLarge);
    step_bytes_ += step.bytes();
    return;
  }
  const bool is_captured = step.capture(fn_, inputs, memory_);
  step_bytes_ += step.bytes();
  if (!is_captured) return;
  keep_to_limit(step);
  if (bytes() <= options_.most_bytes) return;
  const std::uint64_t needed = bytes();
  step_bytes_ -= step.bytes();
  step.drop_graph();
  step.give_up(fmt::format("its graph needs {} bytes, and CaptureOptions::most_bytes is {}", needed,
                           options_.most_bytes),
               kTooLarge);
  step_bytes_ += step.bytes();
  memory_->give_back();
}

std::vector<Tensor> CapturedFunctionImpl::call_step(CapturedStep& step,
                                                    const std::vector<Tensor>& inputs,
                                                    const void* site) {
  if (step.is_warm()) capture(step, inputs);
  std::vector<Tensor> results;
  if (step.state() == CaptureState::kCaptured && step.replay(inputs, site, &results)) {
    return results;
  }
  step_bytes_ -= step.bytes();
  results = step.call_plainly(fn_, inputs);
  step_bytes_ += step.bytes();
  return results;
}

std::vector<Tensor> CapturedFunctionImpl::call(const std::vector<Tensor>& inputs,
                                               const void* site) {
  if (!use_.is_current()) {
    core::refuse_other_context("captured function", "a captured function", use_.context(),
                               "enter its context with a ContextGuard");
  }
  if (is_within_another()) return fn_(inputs);
  const Turn turn(mutex_, caller_);
  CapturedStep& step = step_for(form_of(inputs, options_.place ? &*options_.place : nullptr));
  std::vector<Tensor> results = call_step(step, inputs, site);
  keep_to_limit(step);
  return results;
}

void CapturedFunctionImpl::prepare(const std::vector<Tensor>& example) {
  const Turn turn(mutex_, caller_);
  const auto prepare_step = [this](const std::vector<Tensor>& inputs, CallForm form) {
    CapturedStep& step = step_for(std::move(form));
    while (step.state() == CaptureState::kWarmingUp && !step.is_warm()) {
      step_bytes_ -= step.bytes();
      (void)step.call_plainly(fn_, inputs);
      step_bytes_ += step.bytes();
    }
    if (step.is_warm()) capture(step, inputs);
  };
  const CallForm form = form_of(example, options_.place ? &*options_.place : nullptr);
  if (options_.buckets.empty() || example.empty()) return prepare_step(example, form);
  check_rows(form);
  for (auto rows = options_.buckets.rbegin(); rows != options_.buckets.rend(); ++rows) {
    CallForm filled = form;
    for (InputForm& input : filled.inputs) input.shape.set(0, *rows);
    prepare_step(first_rows(example, *rows), std::move(filled));
  }
}

CaptureReport CapturedFunctionImpl::report() const {
  const std::lock_guard lock(mutex_);
  CaptureReport report;
  for (const auto& entry : steps_) report.forms.push_back(entry.value->report());
  report.evictions = evictions_;
  report.bytes_held = bytes();
  return report;
}

void CapturedFunctionImpl::reset() {
  const Turn turn(mutex_, caller_);
  Steps::Entries removed;
  while (!steps_.empty()) steps_.remove(steps_.begin(), &removed);
  removed.clear();
  step_bytes_ = 0;
  told_.clear();
  memory_ = GraphMemory::make();
}

}  // namespace loci::capture

#include "framework/capture/captured_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "framework/capture/step_memory.h"
#include "framework/core/log.h"
#include "framework/core/raise.h"
#include "framework/device/device_manager.h"
#include "framework/eager/node.h"
#include "framework/eager/relocation.h"
#include "framework/eager/thread_state.h"
#include "framework/tracing/row_proof.h"

namespace loci::capture {
namespace {

// The bytes that an entry without a graph takes, about.
constexpr std::uint64_t kOwnBytes = 1024;
// A step whose tensors are replaced before each call never gets to a replay.
constexpr std::uint64_t kMostCaptures = 8;

// Returns true if backward() could still go through the tensor: not once it has, and let go of it.
bool awaits_backward(const Tensor& tensor) {
  if (!eager::requires_grad(tensor)) return false;
  std::shared_ptr<eager::Node> node = eager::edge_of(tensor).node;
  while (node != nullptr && !node->is_released() && node->edges.size() == 1) {
    node = node->edges[0].node;
  }
  return node == nullptr || !node->is_released();
}

}  // namespace

CapturedStep::CapturedStep(CallForm form, const CaptureOptions& options, ToldReasons* told)
    : form_(std::move(form)),
      options_(options),
      told_(told),
      rows_are_independent_(options.rows_are_independent) {
  report_.inputs = describe(form_.inputs);
}

void CapturedStep::make_copies() {
  if (!copies_.empty()) return;
  for (std::size_t i = 0; i < form_.inputs.size(); ++i) {
    const InputForm& input = form_.inputs[i];
    copies_.push_back(Tensor::empty(input.shape, input.dtype, input.place));
    copies_.back().set_name(fmt::format("input {} of a captured step", i));
    report_.input_bytes += copies_.back().bytes();
    if (is_bucket()) copies_.back().fill_(0);
  }
}

void CapturedStep::fill_copies(const std::vector<Tensor>& inputs, const void* site) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& copy = copies_[i];
    if (!is_bucket()) {
      eager::copy_elements(inputs[i], copy, site);
      continue;
    }
    const std::int64_t given = inputs[i].shape()[0];
    if (given > 0) eager::copy_elements(inputs[i], copy.rows(0, given), site);
    if (given < filled_rows_) copy.rows(given, filled_rows_).fill_(0);
  }
  if (is_bucket()) filled_rows_ = inputs[0].shape()[0];
}

std::vector<Tensor> CapturedStep::call_plainly(const TensorFunction& fn,
                                               const std::vector<Tensor>& inputs) {
  ++report_.plain_calls;
  if (state_ == CaptureState::kPlain) return fn(inputs);
  if (awaits_proof()) {
    // Before it is traced, so that what the function makes once is there, and has elements.
    std::vector<Tensor> results = fn(inputs);
    prove_rows(fn);
    return results;
  }
  if (!is_bucket()) return warm_up(fn, inputs);
  make_copies();
  fill_copies(inputs, nullptr);
  std::vector<std::uint64_t> versions;
  for (const Tensor& copy : copies_) versions.push_back(copy.version());
  std::vector<Tensor> results = cut(warm_up(fn, copies_), inputs[0].shape()[0]);
  std::string changed;
  for (std::size_t i = 0; i < copies_.size(); ++i) {
    if (copies_[i].version() == versions[i]) continue;
    inputs[i].copy_(copies_[i].rows(0, inputs[i].shape()[0]));
    changed = fmt::format("it changes its input {} in place", i);
  }
  if (!changed.empty()) give_up(changed);
  return results;
}

// The last call before the capture says what memory that takes.
std::vector<Tensor> CapturedStep::warm_up(const TensorFunction& fn,
                                          const std::vector<Tensor>& inputs) {
  if (++warm_calls_ < options_.warm_up) return fn(inputs);
  StepMemory memory(device::DeviceManager::instance().get(form_.place));
  std::vector<Tensor> results;
  {
    const eager::TaskWatch watch(memory);
    results = fn(inputs);
  }
  report_.estimated_bytes = memory.peak_bytes();
  return results;
}

void CapturedStep::prove_rows(const TensorFunction& fn) {
  make_copies();
  const std::string reason = tracing::row_objection(fn, copies_);
  rows_are_independent_ = reason.empty();
  if (rows_are_independent_) return;
  give_up(program::unproven(reason, kBucketUser));
}

std::vector<Tensor> CapturedStep::cut(const std::vector<Tensor>& results, std::int64_t rows) const {
  return is_bucket() ? tracing::cut_rows(results, this->rows(), rows, kBucketUser) : results;
}

bool CapturedStep::capture(const TensorFunction& fn, const std::vector<Tensor>& inputs,
                           const std::shared_ptr<GraphMemory>& memory) {
  const auto differentiated = std::find_if(inputs.begin(), inputs.end(), eager::requires_grad);
  if (form_.records && differentiated != inputs.end()) {
    give_up(
        fmt::format("its input {} requires a gradient, and the graph reads a copy; let the "
                    "function take such tensors from outside",
                    differentiated - inputs.begin()));
    return false;
  }
  make_copies();
  auto graph = std::make_unique<GraphImpl>(form_.place, GraphOptions{.pool = GraphPool(memory)});
  try {
    graph->begin();
    results_ = fn(copies_);
    graph->end();
  } catch (const Error& error) {
    results_.clear();
    graph.reset();  // with the capture, if it is under way
    give_up(error.what());
    return false;
  } catch (...) {
    results_.clear();
    throw;
  }
  graph_ = std::move(graph);
  count_capture();
  const std::string reason = objection(inputs);
  if (reason.empty()) {
    state_ = CaptureState::kCaptured;
    return true;
  }
  drop_graph();
  give_up(reason);
  return false;
}

void CapturedStep::count_capture() {
  const GraphStats stats = graph_->stats();
  ++report_.captures;
  report_.peak_bytes = stats.peak_bytes;
  report_.capture_ns = stats.capture_ns;
}

std::string CapturedStep::objection(const std::vector<Tensor>& inputs) const {
  for (std::size_t i = 0; i < copies_.size(); ++i) {
    if (graph_->changes(*copies_[i].impl()->storage()) ||
        graph_->changes(*inputs[i].impl()->storage())) {
      return fmt::format("it changes its input {} in place, and the graph reads a copy", i);
    }
  }
  for (std::size_t i = 0; i < copies_.size(); ++i) {
    const std::string read = graph_->host_read_of(*copies_[i].impl()->storage());
    if (read.empty()) continue;
    return fmt::format(
        "its input {} is read on the host by {}, and replays would go on with what "
        "it was",
        i, read);
  }
  for (std::size_t i = 0; i < results_.size(); ++i) {
    if (results_[i].defined() && awaits_backward(results_[i])) {
      return fmt::format(
          "its result {} requires a gradient, and a replay records none; call "
          "backward() within the function, or call it under NoGrad",
          i);
    }
  }
  if (graph_->stats().launches + graph_->stats().copies + graph_->stats().host_functions == 0) {
    return "it gives the place nothing to do";
  }
  return {};
}

bool CapturedStep::replay(const std::vector<Tensor>& inputs, const void* site,
                          std::vector<Tensor>* results) {
  for (const Tensor& input : inputs) {
    if (graph_->changes(*input.impl()->storage())) return false;
  }
  fill_copies(inputs, site);
  try {
    graph_->replay(nullptr, site);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kInvalidArgument) throw;
    report_.reason = error.what();
    drop_graph();
    if (report_.captures < kMostCaptures) {
      core::log(core::Module::kCapture, core::Level::kInfo, "a step of {} is captured anew: {}",
                report_.inputs, error.what());
    } else {
      give_up(fmt::format("it has been captured {} times, the last time because: {}",
                          report_.captures, error.what()));
    }
    return false;
  }
  ++report_.replays;
  const std::vector<Tensor> of_graph = cut(results_, is_bucket() ? inputs[0].shape()[0] : 0);
  if (!options_.copies_results) {
    *results = of_graph;
    return true;
  }
  results->reserve(of_graph.size());
  for (const Tensor& result : of_graph) {
    results->push_back(result.defined() ? eager::duplicate(result, site) : Tensor());
  }
  return true;
}

void CapturedStep::give_up(const std::string& reason, std::string_view kind) {
  state_ = CaptureState::kPlain;
  report_.reason = reason;
  copies_.clear();
  report_.input_bytes = 0;
  if (told_ != nullptr && !told_->is_first(key_of(form_), kind.empty() ? reason : kind)) return;
  core::log(core::Module::kCapture, core::Level::kWarn,
            "a step of {} at {} runs plainly, without a graph: {}", report_.inputs,
            form_.place.to_string(), reason);
}

void CapturedStep::drop_graph() {
  results_.clear();
  graph_.reset();
  report_.peak_bytes = 0;
  state_ = CaptureState::kWarmingUp;
}

std::uint64_t CapturedStep::bytes() const { return kOwnBytes + report_.input_bytes; }

std::uint64_t CapturedStep::needed_bytes() const {
  std::uint64_t bytes = kOwnBytes + report_.estimated_bytes;
  for (const InputForm& input : form_.inputs) {
    bytes += static_cast<std::uint64_t>(input.shape.numel()) * dtype_size(input.dtype);
  }
  return bytes;
}

CapturedForm CapturedStep::report() const {
  CapturedForm report = report_;
  report.state = state_;
  return report;
}

}  // namespace loci::capture

#include "framework/executor/executor_impl.h"

#include <optional>
#include <string_view>
#include <utility>

#include "framework/core/calls_at_end.h"
#include "framework/core/context.h"
#include "framework/core/environment.h"
#include "framework/core/log.h"
#include "framework/core/raise.h"
#include "framework/device/capture_rules.h"
#include "framework/device/device_manager.h"
#include "framework/execution/capture_facts.h"
#include "framework/execution/run_recorder.h"
#include "framework/executor/capture_report.h"
#include "framework/executor/executor_stage.h"
#include "framework/planning/placement_advice.h"
#include "framework/profiler/parts.h"

namespace loci::executor {
namespace {

using execution::Plan;
using execution::PlanFeed;
using execution::PlanRun;
using execution::run_recorder;
using execution::StageScopes;
using planning::available_bytes;
using planning::PlanRequest;
using profiler::Part;

constexpr int kMostStreams = 64;
constexpr std::string_view kMeanwhile = "a run started";

device::Device& open_device(const Place& place) {
  core::check_environment();
  auto& devices = device::DeviceManager::instance();
  return devices.get(devices.resolve(place, Place()));
}

std::vector<PlanFeed> describe(const Feed& feed) {
  std::vector<PlanFeed> feeds;
  for (const auto& [name, tensor] : feed) {
    if (!tensor.defined()) {
      core::raise(ErrorCode::kInvalidArgument, "[executor] the tensor fed to '{}' is undefined",
                  name);
    }
    feeds.push_back({name, tensor.dtype(), tensor.shape(), tensor.place(), -1, -1});
  }
  return feeds;
}

}  // namespace

ExecutorImpl::ExecutorImpl(const Place& place, CompileOptions options, Scope scope)
    : device_(open_device(place)),
      options_(std::move(options)),
      buckets_(&options_),
      scope_(std::move(scope)) {
  scope_.impl()->require_current_context("executor");
  if (options_.streams >= 1 && options_.streams <= kMostStreams) return;
  core::raise(ErrorCode::kInvalidArgument, "[executor] CompileOptions::streams is {}; give 1 to {}",
              options_.streams, kMostStreams);
}

std::vector<Tensor> ExecutorImpl::run(const Program& program, const Feed& feed,
                                      const std::vector<Fetch>& fetch) {
  require_current_context();
  const core::Computing call;
  if (core::process_end_has_begun()) [[unlikely]] {
    core::await_process_end();
    core::raise(ErrorCode::kUnavailable,
                "[executor] the process is ending, and the libraries that compute at {} may be "
                "gone; run programs before main() returns",
                place().to_string());
  }
  if (run_recorder != nullptr) [[unlikely]]
    return run_recorded(program, feed, fetch);
  return run_plainly(program, feed, fetch);
}

std::vector<Tensor> ExecutorImpl::run_recorded(const Program& program, const Feed& feed,
                                               const std::vector<Fetch>& fetch) {
  std::vector<Tensor> fetched;
  if (run_recorder->takes(device_)) {
    record(program, feed, fetch);
    return fetched;
  }
  const std::shared_ptr<const Plan> planned = plan(program, feed, fetch);
  run_recorder->look_on(*planned, device_, feed, fetch,
                        [&] { fetched = run_plainly(program, feed, fetch); });
  return fetched;
}

std::vector<Tensor> ExecutorImpl::run_plainly(const Program& program, const Feed& feed,
                                              const std::vector<Fetch>& fetch) {
  device::check_unsafe(device_, "Executor::run() waits for the device");
  try {
    return buckets_.is_empty() ? run_plan(program, feed, fetch) : run_filled(program, feed, fetch);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kOutOfMemory) throw;
    throw advised(error, program, feed, fetch);
  }
}

void ExecutorImpl::record(const Program& program, const Feed& feed,
                          const std::vector<Fetch>& fetch) {
  for (const inspect::CaptureProblem& problem : exchange_problems(feed, fetch)) {
    core::raise(ErrorCode::kInvalidArgument, "[capture] {} while a graph is captured: {}; {}",
                problem.op, problem.reason, problem.remedy);
  }
  std::shared_ptr<const Plan> used = plan(program, feed, fetch);
  if (run_recorder->record(device_, used, scope_.impl())) return;
  // A persistable variable got another type since the plan was compiled.
  plans_.erase(used);
  if (run_recorder->record(device_, plan(program, feed, fetch), scope_.impl())) return;
  core::raise(ErrorCode::kInvalidArgument,
              "[executor] the scope changed while a run was captured; do not set variables from "
              "another thread meanwhile");
}

void ExecutorImpl::require_current_context() const {
  if (use_.is_current()) [[likely]]
    return;
  core::refuse_other_context("executor", fmt::format("the executor at {}", place().to_string()),
                             use_.context(),
                             "enter its context with a ContextGuard, or make an executor here");
}

Error ExecutorImpl::advised(const Error& error, const Program& program, const Feed& feed,
                            const std::vector<Fetch>& fetch) {
  std::string details;
  try {
    details = placement_that_fits(new_request(program, feed, fetch), &kernels_, available_bytes);
  } catch (const Error&) {
    return error;  // the first one is the one to report
  }
  if (details.empty()) return error;
  if (!error.details().empty()) details += "\n" + error.details();
  return {error.code(), error.what(), std::move(details)};
}

std::vector<Tensor> ExecutorImpl::run_filled(const Program& program, const Feed& feed,
                                             const std::vector<Fetch>& fetch) {
  const std::optional<FeedBuckets::Filled> filled = buckets_.fill(program, feed, fetch);
  if (!filled) return run_plan(program, feed, fetch);
  std::vector<Tensor> fetched = run_plan(program, filled->feed, fetch);
  FeedBuckets::cut(*filled, &fetched);
  return fetched;
}

std::vector<Tensor> ExecutorImpl::run_plan(const Program& program, const Feed& feed,
                                           const std::vector<Fetch>& fetch) {
  const profiler::Scope scope(label_of(Part::kRun));
  StageScopes scopes;
  std::vector<Tensor> fetched(fetch.size());
  std::shared_ptr<const Plan> used = plan(program, feed, fetch);
  std::optional<ExecutorStage> first(std::in_place, *used, fetched);
  if (!bind_scope(first->run())) {
    // A persistable variable got another type since the plan was compiled.
    first.reset();
    plans_.erase(used);
    used = plan(program, feed, fetch);
    require_scope(first.emplace(*used, fetched).run());
  }
  if (options_.capture == GraphCapture::kRequired) [[unlikely]]
    require_capturable_again(*used);
  run_stage(*first, &feed, /*before=*/nullptr, fetched, scopes);
  if (used->launch_times != nullptr) [[unlikely]]
    consider_cores(program, feed, fetch, *used);
  plans_.trim();
  return fetched;
}

void ExecutorImpl::consider_cores(const Program& program, const Feed& feed,
                                  const std::vector<Fetch>& fetch, const Plan& plan) {
  if (!plan.launch_times->take_ready()) return;
  PlanRequest request = new_request(program, feed, fetch);
  request.rewritten = &rewritten_;
  request.launch_times = plan.launch_times->launches();
  const std::uint64_t version = program.impl()->version();
  try {
    const std::shared_ptr<const Plan> forked = compile_plan(request, &kernels_);
    if (forked->core_forks != nullptr) plans_.insert(program, version, feed, fetch, forked);
  } catch (const Error& error) {
    // The run has succeeded, and the plan that there is goes on.
    core::log(core::Module::kExecutor, core::Level::kDebug, "launches stay on one thread: {}",
              error.what());
  }
}

// Runs that happen only once, as those of startup programs do, need no graph.
void ExecutorImpl::require_capturable_again(const Plan& plan) {
  if (plan.captures->is_first_run() || plan.captures->is_capturable) return;
  plan.captures->require_control();
  require_capturable(plan, device_);
  plan.captures->is_capturable = true;
}

bool ExecutorImpl::bind_scope(PlanRun& run) {
  const profiler::Scope scope(label_of(Part::kInitVariables));
  return run.bind_scope(*scope_.impl());
}

void ExecutorImpl::require_scope(PlanRun& run) {
  const profiler::Scope scope(label_of(Part::kInitVariables));
  run.require_scope(*scope_.impl(), kMeanwhile);
}

void ExecutorImpl::run_stage(ExecutorStage& stage, const Feed* feed, PlanRun* before,
                             std::vector<Tensor>& fetched, StageScopes& scopes) {
  PlanRun& run = stage.run();
  run.begin();
  if (feed != nullptr) stage.bind_feeds(*feed);
  if (before != nullptr) run.bind_live_ins(*before);
  stage.bind_fetches();
  run.enqueue(scopes);
  stage.copy_fetches();
  if (run.plan().rest) {
    const std::shared_ptr<const Plan> next = run.next(scopes);
    ExecutorStage rest(*next, fetched);
    rest.run().require_scope(*scope_.impl(), kMeanwhile);
    run_stage(rest, nullptr, &run, fetched, scopes);
  }
  run.wait();
  const profiler::Scope scope(label_of(Part::kEagerRelease));
  run.release();
}

std::vector<inspect::CaptureProblem> ExecutorImpl::capture_problems(
    const Program& program, const Feed& feed, const std::vector<Fetch>& fetch) {
  return capture_problems_of(*plan(program, feed, fetch), device_);
}

PlanRequest ExecutorImpl::new_request() {
  PlanRequest request;
  request.device = &device_;
  request.options = options_;
  request.scope = scope_.impl().get();
  request.memory = plans_.memory();
  return request;
}

PlanRequest ExecutorImpl::new_request(const Program& program, const Feed& feed,
                                      const std::vector<Fetch>& fetch) {
  PlanRequest request = new_request();
  request.program = program.impl();
  request.told = program.impl()->uid();
  request.feeds = describe(feed);
  for (const Fetch& wanted : fetch) {
    request.fetches.push_back(wanted.name());
    request.fetch_places.push_back(wanted.place() == nullptr ? Place() : *wanted.place());
  }
  return request;
}

std::shared_ptr<const Plan> ExecutorImpl::plan(const Program& program, const Feed& feed,
                                               const std::vector<Fetch>& fetch) {
  if (!buckets_.is_empty()) {
    const std::optional<FeedBuckets::Filled> filled = buckets_.fill(program, feed, fetch);
    if (filled) return plan(program, filled->feed, fetch);
  }
  if (std::shared_ptr<const Plan> found = plans_.find(program, feed, fetch)) return found;
  PlanRequest request = new_request(program, feed, fetch);
  request.rewritten = &rewritten_;
  const std::uint64_t version = program.impl()->version();
  std::shared_ptr<const Plan> compiled = compile_plan(request, &kernels_);
  plans_.insert(program, version, feed, fetch, compiled);
  if (kernels_.is_over()) {
    // The cache cannot drop kernels that plans keep alive, so plans have to go.
    core::log(core::Module::kExecutor, core::Level::kInfo,
              "prepared kernels take {} bytes of the {} that LOCI_KERNEL_CACHE allows: the longest "
              "unused half of {} plans goes",
              kernels_.bytes(), kernels_.most_bytes(), plans_.size());
    plans_.drop_older_half();
    kernels_.trim();
  }
  return compiled;
}

}  // namespace loci::executor

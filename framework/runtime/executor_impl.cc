#include "framework/runtime/executor_impl.h"

#include <algorithm>
#include <utility>

#include "framework/core/environment.h"
#include "framework/core/log.h"
#include "framework/core/process_end.h"
#include "framework/core/raise.h"
#include "framework/core/thread_team.h"
#include "framework/device/device_manager.h"
#include "framework/profiler/parts.h"
#include "framework/runtime/frame.h"
#include "framework/runtime/placement_advice.h"
#include "framework/runtime/stage.h"
#include "framework/tensor/tensor_impl.h"

namespace loci::runtime {
namespace {

using profiler::Part;

constexpr std::size_t kMostCachedPlans = 128;
constexpr int kMostStreams = 64;

device::Device& open_device(const Place& place) {
  core::check_environment();
  auto& devices = device::DeviceManager::instance();
  return devices.get(devices.resolve(place, Place()));
}

bool same_feed(const PlanFeed& planned, const std::pair<std::string, Tensor>& given) {
  return given.second.defined() && planned.dtype == given.second.dtype() &&
         planned.shape == given.second.shape() && planned.name == given.first &&
         planned.place == given.second.place();
}

bool serves(const Plan& plan, const Feed& feed, const std::vector<Fetch>& fetch) {
  return std::equal(plan.feeds.begin(), plan.feeds.end(), feed.begin(), feed.end(), same_feed) &&
         std::equal(plan.fetch_names.begin(), plan.fetch_names.end(), fetch.begin(), fetch.end(),
                    [](const std::string& planned, const Fetch& wanted) {
                      return planned == wanted.name();
                    });
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

// The space of fed data; null is the host.
Space space_at(const Place& place) {
  if (place.is_host()) return nullptr;
  return space_of(&device::DeviceManager::instance().get(place));
}

// One run of a plan in a frame.
class Run {
 public:
  // `fetched` has a place for each fetch of the caller.
  Run(const Plan& plan, Frame& frame, std::vector<Tensor>& fetched)
      : plan_(plan), frame_(frame), fetched_(fetched) {}

  void bind_feeds(const Feed& feed) {
    if (feed.empty()) return;
    const profiler::Scope scope(label_of(Part::kFeed));
    for (std::size_t i = 0; i < plan_.feeds.size(); ++i) {
      const PlanFeed& planned = plan_.feeds[i];
      void* data = feed[i].second.raw_data();
      if (frame_.shares_persistables(data, feed[i].second.bytes())) [[unlikely]] {
        data = copies_.emplace_back(copy_of(feed[i].second, planned)).raw_data();
      }
      if (planned.value >= 0) {
        frame_.bind(planned.value, data);
      } else {
        copy_into_persistable(planned, data);
      }
    }
  }

  void bind_live_ins(const Frame& before) {
    for (const PlanLiveIn& live : plan_.live_ins) {
      frame_.bind(live.value, before.data(live.earlier));
    }
  }

  void make_fetches() {
    for (const PlanFetch& fetch : plan_.fetches) {
      const PlanValue& value = value_of(fetch);
      Tensor& made = fetched_[fetch.position];
      made = tensor::make_tensor(value.type.dtype, value.type.shape, Place(), value.name);
      if (is_bound(fetch)) frame_.bind(fetch.value, made.raw_data());
    }
  }

  // Copies what was not computed in place.
  void copy_fetches() {
    if (plan_.fetches.empty()) return;
    const profiler::Scope scope(label_of(Part::kFetch));
    for (const PlanFetch& fetch : plan_.fetches) {
      const PlanValue& value = value_of(fetch);
      if (is_bound(fetch) || value.bytes == 0) continue;
      transfer::copy({value.space, frame_.data(fetch.value)},
                     {nullptr, fetched_[fetch.position].raw_data()}, value.bytes,
                     {value.name, "", "fetch", transfer::Reason::kFetch},
                     value.space == nullptr ? nullptr : value.space->default_stream(),
                     /*wait=*/false);
    }
  }

  // Waits for all that was enqueued. Throws the first failure; persistable variables that the run
  // has written have failed then too.
  void synchronize() { frame_.synchronize(); }

 private:
  // What the run changes must not change what was fed.
  static Tensor copy_of(const Tensor& fed, const PlanFeed& planned) {
    const char* name = transfer::intern(planned.name);
    Tensor copy = tensor::make_tensor(fed.dtype(), fed.shape(), fed.place(), name);
    device::Device* device = fed.impl()->storage()->device;
    transfer::copy({device, fed.raw_data()}, {device, copy.raw_data()}, fed.bytes(),
                   {name, "feed", "", transfer::Reason::kFeed}, /*stream=*/nullptr, /*wait=*/true);
    return copy;
  }

  void copy_into_persistable(const PlanFeed& planned, void* data) {
    const PlanValue& value = plan_.values[static_cast<std::size_t>(planned.persistable)];
    const Space from = space_at(planned.place);
    const Space stream_space = value.space != nullptr ? value.space : from;
    if (value.bytes == 0) return;
    transfer::copy({from, data}, {value.space, frame_.data(planned.persistable)}, value.bytes,
                   {value.name, "feed", "", transfer::Reason::kFeed},
                   stream_space == nullptr ? nullptr : stream_space->default_stream(),
                   /*wait=*/false);
  }

  [[nodiscard]] const PlanValue& value_of(const PlanFetch& fetch) const {
    return plan_.values[static_cast<std::size_t>(fetch.value)];
  }
  // Whether the value is computed straight into the fetched tensor.
  [[nodiscard]] bool is_bound(const PlanFetch& fetch) const {
    const PlanValue& value = value_of(fetch);
    return value.storage == StorageKind::kFetch &&
           value.slot == static_cast<std::int32_t>(fetch.position);
  }

  const Plan& plan_;
  Frame& frame_;
  std::vector<Tensor>& fetched_;
  std::vector<Tensor> copies_;  // of feeds
};

}  // namespace

ExecutorImpl::ExecutorImpl(const Place& place, CompileOptions options, Scope scope)
    : device_(open_device(place)), options_(options), scope_(std::move(scope)) {
  if (options_.streams >= 1 && options_.streams <= kMostStreams) return;
  core::raise(ErrorCode::kInvalidArgument, "[executor] CompileOptions::streams is {}; give 1 to {}",
              options_.streams, kMostStreams);
}

std::vector<Tensor> ExecutorImpl::run(const Program& program, const Feed& feed,
                                      const std::vector<Fetch>& fetch) {
  if (core::process_is_ending()) [[unlikely]] {
    core::raise(ErrorCode::kUnavailable,
                "[executor] the process is ending, and the libraries that compute at {} may be "
                "gone; run programs before main() returns",
                place().to_string());
  }
  try {
    return run_plan(program, feed, fetch);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kOutOfMemory) throw;
    throw advised(error, program, feed, fetch);
  }
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

std::vector<Tensor> ExecutorImpl::run_plan(const Program& program, const Feed& feed,
                                           const std::vector<Fetch>& fetch) {
  core::adopt_width();
  const profiler::Scope scope(label_of(Part::kRun));
  std::shared_ptr<const Plan> used = plan(program, feed, fetch);
  std::unique_ptr<Frame> frame = used->acquire_frame();
  if (!bind_scope(*frame)) {
    // A persistable variable got another type since the plan was compiled.
    forget(used);
    used = plan(program, feed, fetch);
    frame = bound_frame(*used);
  }
  std::vector<Tensor> fetched(fetch.size());
  run_stage(*used, std::move(frame), &feed, nullptr, fetched);
  core::precede_destructors();
  return fetched;
}

bool ExecutorImpl::bind_scope(Frame& frame) {
  const profiler::Scope scope(label_of(Part::kInitVariables));
  return frame.bind_scope(*scope_.impl());
}

std::unique_ptr<Frame> ExecutorImpl::bound_frame(const Plan& plan) {
  std::unique_ptr<Frame> frame = plan.acquire_frame();
  if (!bind_scope(*frame)) {
    core::raise(ErrorCode::kInvalidArgument,
                "[executor] the scope changed while a run started; do not set variables from "
                "another thread meanwhile");
  }
  return frame;
}

void ExecutorImpl::run_stage(const Plan& plan, std::unique_ptr<Frame> frame, const Feed* feed,
                             const Frame* before, std::vector<Tensor>& fetched) {
  frame->begin();
  Run run(plan, *frame, fetched);
  try {
    if (feed != nullptr) run.bind_feeds(*feed);
    if (before != nullptr) run.bind_live_ins(*before);
    run.make_fetches();
    frame->run();
    run.copy_fetches();
    if (plan.rest) {
      const std::shared_ptr<const Plan> next = next_stage(plan, *frame);
      run_stage(*next, bound_frame(*next), nullptr, frame.get(), fetched);
    }
    run.synchronize();
  } catch (...) {
    // Nothing that was enqueued may outlive the frame's memory.
    try {
      run.synchronize();
    } catch (const Error&) {
      // The first error is the one to report.
    }
    throw;
  }
  const profiler::Scope scope(label_of(Part::kEagerRelease));
  plan.release_frame(std::move(frame));
}

std::shared_ptr<const Plan> ExecutorImpl::next_stage(const Plan& plan, const Frame& frame) {
  std::shared_ptr<const Plan> found = plan.rest->find(plan, frame);
  if (found) return found;
  EarlierStage earlier;
  earlier.plan = &plan;
  for (const AwaitedValue& awaited : plan.rest->end().awaited) {
    earlier.values.emplace_back(awaited.var, Continuation::read(plan, frame, awaited));
  }
  PlanRequest request = new_request();
  request.earlier = &earlier;
  std::shared_ptr<const Plan> compiled = compile_plan(request, &kernels_);
  plan.rest->insert(plan, frame, compiled);
  return compiled;
}

PlanRequest ExecutorImpl::new_request() {
  PlanRequest request;
  request.device = &device_;
  request.options = options_;
  request.scope = scope_.impl().get();
  return request;
}

PlanRequest ExecutorImpl::new_request(const Program& program, const Feed& feed,
                                      const std::vector<Fetch>& fetch) {
  PlanRequest request = new_request();
  request.program = program.impl();
  request.feeds = describe(feed);
  for (const Fetch& wanted : fetch) request.fetches.push_back(wanted.name());
  return request;
}

std::shared_ptr<const Plan> ExecutorImpl::plan(const Program& program, const Feed& feed,
                                               const std::vector<Fetch>& fetch) {
  std::shared_ptr<const Plan> found = cached(program, feed, fetch);
  return found ? found : compile(program, feed, fetch);
}

std::shared_ptr<const Plan> ExecutorImpl::cached(const Program& program, const Feed& feed,
                                                 const std::vector<Fetch>& fetch) {
  const std::uint64_t uid = program.impl()->uid();
  const std::uint64_t version = program.impl()->version();
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    if (entry.uid != uid || entry.version != version || !serves(*entry.plan, feed, fetch)) continue;
    const auto first = entries_.begin();
    if (i != 0)
      std::rotate(first, first + static_cast<std::ptrdiff_t>(i),
                  first + static_cast<std::ptrdiff_t>(i) + 1);
    return entries_.front().plan;
  }
  return nullptr;
}

std::shared_ptr<const Plan> ExecutorImpl::compile(const Program& program, const Feed& feed,
                                                  const std::vector<Fetch>& fetch) {
  const PlanRequest request = new_request(program, feed, fetch);
  const std::uint64_t version = program.impl()->version();
  std::shared_ptr<const Plan> compiled = compile_plan(request, &kernels_);

  const std::uint64_t uid = program.impl()->uid();
  const std::lock_guard lock(mutex_);
  entries_.erase(std::remove_if(entries_.begin(), entries_.end(),
                                [&](const Entry& entry) {
                                  return entry.uid == uid && entry.version != version;
                                }),
                 entries_.end());
  if (entries_.size() == kMostCachedPlans) entries_.pop_back();
  entries_.insert(entries_.begin(), {uid, version, compiled});
  return compiled;
}

void ExecutorImpl::forget(const std::shared_ptr<const Plan>& plan) {
  const std::lock_guard lock(mutex_);
  entries_.erase(std::remove_if(entries_.begin(), entries_.end(),
                                [&](const Entry& entry) { return entry.plan == plan; }),
                 entries_.end());
}

}  // namespace loci::runtime

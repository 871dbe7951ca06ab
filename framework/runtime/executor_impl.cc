#include "framework/runtime/executor_impl.h"

#include <algorithm>
#include <utility>

#include "framework/core/log.h"
#include "framework/core/raise.h"
#include "framework/core/thread_team.h"
#include "framework/device/device_manager.h"
#include "framework/runtime/frame.h"
#include "framework/tensor/tensor_impl.h"

namespace loci::runtime {
namespace {

constexpr std::size_t kMostPlans = 128;

device::Device& open_device(const Place& place) {
  core::init_log_from_environment();
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
         std::equal(plan.fetches.begin(), plan.fetches.end(), fetch.begin(), fetch.end(),
                    [](const PlanFetch& planned, const Fetch& wanted) {
                      return planned.name == wanted.name();
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
  Run(const Plan& plan, Frame& frame) : plan_(plan), frame_(frame) {}

  void bind_feeds(const Feed& feed) {
    for (std::size_t i = 0; i < feed.size(); ++i) {
      const PlanFeed& planned = plan_.feeds[i];
      void* data = feed[i].second.raw_data();
      if (planned.value >= 0) {
        frame_.bind(planned.value, data);
      } else {
        copy_into_persistable(planned, data);
      }
    }
  }

  void make_fetches() {
    fetched_.reserve(plan_.fetches.size());
    for (std::size_t i = 0; i < plan_.fetches.size(); ++i) {
      const PlanValue& value = value_of(plan_.fetches[i]);
      fetched_.push_back(
          tensor::make_tensor(value.type.dtype, value.type.shape, Place(), value.name));
      if (is_bound(i)) frame_.bind(plan_.fetches[i].value, fetched_[i].raw_data());
    }
  }

  // Copies what was not computed in place, and waits once for all of it.
  void finish() {
    for (std::size_t i = 0; i < plan_.fetches.size(); ++i) {
      const PlanValue& value = value_of(plan_.fetches[i]);
      if (is_bound(i) || value.bytes == 0) continue;
      transfer::copy({value.space, frame_.data(plan_.fetches[i].value)},
                     {nullptr, fetched_[i].raw_data()}, value.bytes,
                     {value.name, "", "fetch", transfer::Reason::kFetch},
                     value.space == nullptr ? nullptr : value.space->default_stream(),
                     /*wait=*/false);
    }
    synchronize();
  }

  void synchronize() {
    for (device::Device* device : plan_.queued_devices) {
      device->synchronize_stream(device->default_stream());
    }
  }

  std::vector<Tensor> take() { return std::move(fetched_); }

 private:
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
  [[nodiscard]] bool is_bound(std::size_t fetch) const {
    const PlanValue& value = value_of(plan_.fetches[fetch]);
    return value.storage == StorageKind::kFetch && value.slot == static_cast<std::int32_t>(fetch);
  }

  const Plan& plan_;
  Frame& frame_;
  std::vector<Tensor> fetched_;
};

std::vector<Tensor> run_plan(const Plan& plan, std::unique_ptr<Frame> frame, const Feed& feed) {
  Run run(plan, *frame);
  try {
    run.bind_feeds(feed);
    run.make_fetches();
    frame->run();
    run.finish();
  } catch (...) {
    // Nothing that was enqueued may outlive the frame's memory.
    try {
      run.synchronize();
    } catch (const Error&) {
      // The first error is the one to report.
    }
    throw;
  }
  plan.release_frame(std::move(frame));
  return run.take();
}

}  // namespace

ExecutorImpl::ExecutorImpl(const Place& place, CompileOptions options, Scope scope)
    : device_(open_device(place)), options_(options), scope_(std::move(scope)) {}

std::vector<Tensor> ExecutorImpl::run(const Program& program, const Feed& feed,
                                      const std::vector<Fetch>& fetch) {
  core::adopt_width();
  std::shared_ptr<const Plan> used = plan(program, feed, fetch);
  std::unique_ptr<Frame> frame = used->acquire_frame();
  if (!frame->bind_scope(*scope_.impl())) {
    // A persistable variable got another type since the plan was compiled.
    forget(used);
    used = plan(program, feed, fetch);
    frame = used->acquire_frame();
    if (!frame->bind_scope(*scope_.impl())) {
      core::raise(ErrorCode::kInvalidArgument,
                  "[executor] the scope changed while a run started; do not set variables from "
                  "another thread meanwhile");
    }
  }
  return run_plan(*used, std::move(frame), feed);
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
  PlanRequest request;
  request.program = program.impl();
  request.feeds = describe(feed);
  for (const Fetch& wanted : fetch) request.fetches.push_back(wanted.name());
  request.device = &device_;
  request.options = options_;
  request.scope = scope_.impl().get();
  const std::uint64_t version = program.impl()->version();
  std::shared_ptr<const Plan> compiled = compile_plan(request, &kernels_);

  const std::uint64_t uid = program.impl()->uid();
  const std::lock_guard lock(mutex_);
  entries_.erase(std::remove_if(entries_.begin(), entries_.end(),
                                [&](const Entry& entry) {
                                  return entry.uid == uid && entry.version != version;
                                }),
                 entries_.end());
  if (entries_.size() == kMostPlans) entries_.pop_back();
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

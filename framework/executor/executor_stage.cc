#include "framework/executor/executor_stage.h"

#include "framework/device/device_manager.h"
#include "framework/profiler/parts.h"
#include "framework/tensor/tensor_impl.h"

namespace loci::executor {
namespace {

using execution::PlanFeed;
using execution::PlanFetch;
using execution::PlanValue;
using execution::Space;
using execution::space_of;
using profiler::Part;

// The space of fed data; null is the host.
Space space_at(const Place& place) {
  if (place.is_host()) return nullptr;
  return space_of(&device::DeviceManager::instance().get(place));
}

Tensor copy_of(const Tensor& fed, const PlanFeed& planned) {
  const char* name = transfer::intern(planned.name);
  Tensor copy = tensor::make_tensor(fed.dtype(), fed.shape(), fed.place(), name);
  device::Device* device = fed.impl()->storage()->device;
  transfer::copy({device, tensor::settled_data(fed)}, {device, tensor::settled_data(copy)},
                 fed.bytes(), {name, "feed", "", transfer::Reason::kFeed, fed.dtype()},
                 /*stream=*/nullptr, /*wait=*/true);
  return copy;
}

}  // namespace

void ExecutorStage::bind_feeds(const Feed& feed) {
  if (feed.empty()) return;
  const profiler::Scope scope(label_of(Part::kFeed));
  const std::vector<PlanFeed>& planned = run_.plan().feeds;
  for (std::size_t i = 0; i < planned.size(); ++i) {
    tensor::require_current_context(*feed[i].second.impl(), "executor");
    void* data = tensor::settled_data(feed[i].second);
    if (run_.frame().shares_persistables(data, feed[i].second.bytes())) [[unlikely]] {
      data = tensor::settled_data(copies_.emplace_back(copy_of(feed[i].second, planned[i])));
    }
    if (planned[i].value >= 0) {
      run_.bind(planned[i].value, data);
    } else {
      copy_into_persistable(planned[i], data);
    }
  }
}

void ExecutorStage::copy_into_persistable(const PlanFeed& planned, void* data) {
  const PlanValue& value = value_of(run_.plan(), planned.persistable);
  const Space from = space_at(planned.place);
  const Space stream_space = value.space != nullptr ? value.space : from;
  if (value.bytes == 0) return;
  transfer::copy({from, data}, {value.space, run_.frame().data(planned.persistable)}, value.bytes,
                 {value.name, "feed", "", transfer::Reason::kFeed, planned.dtype},
                 stream_space == nullptr ? nullptr : stream_space->default_stream(),
                 /*wait=*/false);
}

void ExecutorStage::bind_fetches() {
  for (const PlanFetch& fetch : run_.plan().fetches) {
    const PlanValue& value = value_of(run_.plan(), fetch.value);
    Tensor& made = fetched_[fetch.position];
    made = tensor::make_tensor(value.type.dtype, value.type.shape, fetch.place, value.name);
    run_.bind_fetch(fetch, tensor::settled_data(made));
  }
}

void ExecutorStage::copy_fetches() {
  if (run_.plan().fetches.empty()) return;
  const profiler::Scope scope(label_of(Part::kFetch));
  for (const PlanFetch& fetch : run_.plan().fetches) {
    const PlanValue& value = value_of(run_.plan(), fetch.value);
    const Tensor& made = fetched_[fetch.position];
    run_.fetch(fetch, {made.impl()->storage()->device, tensor::settled_data(made)},
               {value.name, fetch.producer, "fetch", transfer::Reason::kFetch, value.type.dtype},
               /*wait=*/false);
  }
}

}  // namespace loci::executor

#include "cupti_records.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "graph_launches.h"

namespace loci::cuda {
namespace {

// Records are read in the form of CUDA 12.4. Later libraries write longer ones, of which these have
// the same places.
#if CUPTI_API_VERSION >= 130000
static_assert(offsetof(CUpti_ActivityKernel10, name) == offsetof(CUpti_ActivityKernel9, name));
static_assert(offsetof(CUpti_ActivityKernel10, correlationId) ==
              offsetof(CUpti_ActivityKernel9, correlationId));
static_assert(offsetof(CUpti_ActivityKernel10, graphNodeId) ==
              offsetof(CUpti_ActivityKernel9, graphNodeId));
static_assert(offsetof(CUpti_ActivityMemcpy6, correlationId) ==
              offsetof(CUpti_ActivityMemcpy5, correlationId));
static_assert(offsetof(CUpti_ActivityMemcpy6, graphNodeId) ==
              offsetof(CUpti_ActivityMemcpy5, graphNodeId));
#endif

// Then those of the time before it are forgotten: a recording may last for days.
constexpr std::size_t kMostIds = 1 << 18;

std::uint32_t direction_of(std::uint8_t copy_kind) {
  switch (copy_kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD: return LOCI_COPY_HOST_TO_DEVICE;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH: return LOCI_COPY_DEVICE_TO_HOST;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD: return LOCI_COPY_DEVICE_TO_DEVICE;
    case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP: return LOCI_COPY_PEER;
    default: return LOCI_COPY_UNKNOWN;
  }
}

const char* copy_name(std::uint32_t direction) {
  switch (direction) {
    case LOCI_COPY_HOST_TO_DEVICE: return "memcpy HtoD";
    case LOCI_COPY_DEVICE_TO_HOST: return "memcpy DtoH";
    case LOCI_COPY_DEVICE_TO_DEVICE: return "memcpy DtoD";
    case LOCI_COPY_PEER: return "memcpy PtoP";
    default: return "memcpy";
  }
}

// Returns the name of a symbol as its source has it.
std::string readable(const char* symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status), &std::free);
  return status == 0 ? name.get() : symbol;
}

// Copies between devices are no nodes.
template <class Record>
std::uint64_t node_of(const Record& record) {
  if constexpr (requires { record.graphNodeId; }) {
    return record.graphNodeId;
  } else {
    return 0;
  }
}

template <class Record>
const Record& as(const CUpti_Activity& record) {
  return reinterpret_cast<const Record&>(record);
}

// Returns the id by which the host knows it: for a launch of a graph, that of its first item.
std::uint64_t host_id(std::uint64_t external) {
  if (!GraphLaunches::is_id(external)) return external;
  const std::optional<TracedLaunch> launch = GraphLaunches::instance().find(external);
  return launch ? launch->correlation : 0;
}

}  // namespace

#define LOCI_CALL(name) CUPTI_DRIVER_TRACE_CBID_##name
const std::vector<CUpti_CallbackId>& enqueuing_calls() {
  // Libraries on the runtime may use the forms for streams of threads.
  static const auto& calls = *new std::vector<CUpti_CallbackId>{
      LOCI_CALL(cuGraphLaunch),        LOCI_CALL(cuGraphLaunch_ptsz),
      LOCI_CALL(cuLaunchKernel),       LOCI_CALL(cuLaunchKernel_ptsz),
      LOCI_CALL(cuLaunchKernelEx),     LOCI_CALL(cuLaunchKernelEx_ptsz),
      LOCI_CALL(cuMemcpy2DAsync_v2),   LOCI_CALL(cuMemcpyAsync),
      LOCI_CALL(cuMemcpyAsync_ptsz),   LOCI_CALL(cuMemcpyDtoDAsync_v2),
      LOCI_CALL(cuMemcpyDtoHAsync_v2), LOCI_CALL(cuMemcpyHtoDAsync_v2),
      LOCI_CALL(cuMemcpyPeerAsync),    LOCI_CALL(cuMemsetD16Async),
      LOCI_CALL(cuMemsetD2D32Async),   LOCI_CALL(cuMemsetD32Async),
      LOCI_CALL(cuMemsetD8Async),      LOCI_CALL(cuMemsetD8Async_ptsz)};
  return calls;
}
#undef LOCI_CALL

CuptiRecords::CuptiRecords(const CuptiLibrary& cupti, std::vector<RecordedDevice> devices,
                           bool wants_calls)
    : cupti_(cupti), devices_(std::move(devices)), wants_calls_(wants_calls) {}

void CuptiRecords::add(const CUpti_Activity& record) {
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return add_kernel(as<CUpti_ActivityKernel9>(record));
    case CUPTI_ACTIVITY_KIND_MEMCPY: return add_copy(as<CUpti_ActivityMemcpy5>(record));
    case CUPTI_ACTIVITY_KIND_MEMCPY2: return add_copy(as<CUpti_ActivityMemcpyPtoP4>(record));
    case CUPTI_ACTIVITY_KIND_MEMSET: return add_fill(as<CUpti_ActivityMemset4>(record));
    case CUPTI_ACTIVITY_KIND_DRIVER: return add_call(as<CUpti_ActivityAPI>(record));
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
      const auto& external = as<CUpti_ActivityExternalCorrelation>(record);
      if (ids_.size() == kMostIds) earlier_ids_ = std::exchange(ids_, {});
      ids_[external.correlationId] = external.externalId;
      return;
    }
    case CUPTI_ACTIVITY_KIND_OVERHEAD: {
      const auto& cost = as<CUpti_ActivityOverhead2>(record);
      return overhead_.add(cost.overheadKind, cost.start, cost.end);
    }
    default: return;
  }
}

void CuptiRecords::add_kernel(const CUpti_ActivityKernel9& kernel) {
  loci_device_record record{};
  record.kind = LOCI_DEVICE_WORK_KERNEL;
  loci_launch_geometry& geometry = record.geometry;
  const std::int32_t grid[] = {kernel.gridX, kernel.gridY, kernel.gridZ};
  const std::int32_t block[] = {kernel.blockX, kernel.blockY, kernel.blockZ};
  for (int axis = 0; axis < 3; ++axis) {
    geometry.grid[axis] = static_cast<std::uint32_t>(grid[axis]);
    geometry.block[axis] = static_cast<std::uint32_t>(block[axis]);
  }
  geometry.registers = kernel.registersPerThread;
  geometry.static_shared = static_cast<std::uint64_t>(kernel.staticSharedMemory);
  geometry.dynamic_shared = static_cast<std::uint64_t>(kernel.dynamicSharedMemory);
  const std::uint32_t device = index_of(kernel.deviceId);
  if (device < devices_.size()) {
    geometry.occupancy =
        occupancy_of(devices_[device].limits,
                     {geometry.block[0] * geometry.block[1] * geometry.block[2], geometry.registers,
                      geometry.static_shared + geometry.dynamic_shared});
  }
  add_work(kernel, record, readable(kernel.name == nullptr ? "kernel" : kernel.name));
}

template <class Copy>
void CuptiRecords::add_copy(const Copy& copy) {
  loci_device_record record{};
  record.kind = LOCI_DEVICE_WORK_COPY;
  record.direction = direction_of(copy.copyKind);
  record.bytes = copy.bytes;
  add_work(copy, record, copy_name(record.direction));
}

void CuptiRecords::add_fill(const CUpti_ActivityMemset4& fill) {
  loci_device_record record{};
  record.kind = LOCI_DEVICE_WORK_FILL;
  record.bytes = fill.bytes;
  add_work(fill, record, "memset");
}

std::uint32_t CuptiRecords::index_of(std::uint32_t ordinal) const {
  const auto found =
      std::find_if(devices_.begin(), devices_.end(),
                   [ordinal](const RecordedDevice& device) { return device.ordinal == ordinal; });
  return static_cast<std::uint32_t>(found - devices_.begin());
}

// CUPTI gives times of 0 where it could not measure.
template <class Record>
void CuptiRecords::add_work(const Record& from, loci_device_record& record, std::string_view name) {
  const std::uint32_t device = index_of(from.deviceId);
  if (device == devices_.size()) return;
  if (from.start == 0 || from.end < from.start) {
    ++without_times_;
    return;
  }
  record.begin_ns = from.start;
  record.end_ns = from.end;
  record.device = device;
  record.stream = from.streamId;
  record.name = sdk::to_abi(kept(name));
  work_.push_back({record, from.correlationId, node_of(from)});
}

void CuptiRecords::add_call(const CUpti_ActivityAPI& call) {
  if (!wants_calls_) return;
  const char* name = nullptr;
  const bool is_known =
      cupti_->cuptiGetCallbackName(CUPTI_CB_DOMAIN_DRIVER_API, call.cbid, &name) == CUPTI_SUCCESS &&
      name != nullptr;
  const auto& enqueuing = enqueuing_calls();
  const bool enqueues = std::find(enqueuing.begin(), enqueuing.end(), call.cbid) != enqueuing.end();
  calls_.push_back({{call.start, call.end, 0, call.threadId,
                     sdk::to_abi(kept(is_known ? name : "call of the driver"))},
                    call.correlationId,
                    enqueues});
}

std::string_view CuptiRecords::kept(std::string_view name) { return *names_.emplace(name).first; }

std::uint64_t CuptiRecords::correlation_of(std::uint32_t call) const {
  const auto found = ids_.find(call);
  if (found != ids_.end()) return found->second;
  const auto earlier = earlier_ids_.find(call);
  return earlier == earlier_ids_.end() ? 0 : earlier->second;
}

void CuptiRecords::hand_over(const sdk::ProfileSink& sink, const ClockFit& clock, bool all) {
  hand_over_calls(sink, clock);  // first, while launches of graphs are known
  hand_over_work(sink, clock, all);
  if (without_times_ != 0) sink.dropped(without_times_);
  without_times_ = 0;
  if (waiting_.empty() && replays_.empty()) names_.clear();
  if (!all) return;
  earlier_ids_ = std::move(ids_);
  ids_.clear();
}

std::size_t CuptiRecords::take_waiting(bool all) {
  std::size_t count = 0;
  if (all) {
    count = waiting_.size();
  } else if (waiting_.size() > kMostWaiting) {
    count = waiting_.size() / 2;
  }
  const auto last = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
  work_.insert(work_.begin(), waiting_.begin(), last);
  waiting_.erase(waiting_.begin(), last);
  return count;
}

// Waiting work is looked at again when no more of it may wait alone, however many buffers come
// before.
void CuptiRecords::hand_over_work(const sdk::ProfileSink& sink, const ClockFit& clock, bool all) {
  const std::size_t given_up = take_waiting(all);
  std::vector<loci_device_record> known;
  for (std::size_t i = 0; i < work_.size(); ++i) {
    const Work& work = work_[i];
    loci_device_record record = work.record;
    record.correlation = correlation_of(work.call);
    if (record.correlation == 0 && i >= given_up && !all) {
      waiting_.push_back(work);
    } else if (GraphLaunches::is_id(record.correlation)) {
      replays_[record.correlation].push_back(work);
      ++in_replays_;
    } else {
      known.push_back(record);
    }
  }
  hand_over_graphs(&known, all);
  for (loci_device_record& record : known) {
    record.begin_ns = clock.convert(record.begin_ns);
    record.end_ns = clock.convert(record.end_ns);
  }
  if (!known.empty()) sink.device_records(known.data(), known.size());
  work_.clear();
}

void CuptiRecords::hand_over_graphs(std::vector<loci_device_record>* known, bool all) {
  for (auto replay = replays_.begin(); replay != replays_.end();) {
    const std::optional<TracedLaunch> launch = GraphLaunches::instance().find(replay->first);
    // A launch with loops and branches may have more records to come.
    const bool is_whole =
        launch && !launch->has_bodies && replay->second.size() == launch->items->size();
    replay = is_whole || all ? hand_over_replay(replay, known) : std::next(replay);
  }
  while (in_replays_ > kMostWaiting) hand_over_replay(replays_.begin(), known);
}

// Nodes of an executable have ids of their own, which count up in the order of the graph's: which
// node a record is of shows once all of a launch are there. Of one that is not whole no item is
// known, nor of one with more: then some are of loops or branches.
CuptiRecords::Replays::iterator CuptiRecords::hand_over_replay(
    Replays::iterator replay, std::vector<loci_device_record>* known) {
  auto& [id, works] = *replay;
  const std::optional<TracedLaunch> launch = GraphLaunches::instance().find(id);
  const bool is_whole = launch && works.size() == launch->items->size();
  std::sort(works.begin(), works.end(),
            [](const Work& a, const Work& b) { return a.node < b.node; });
  for (std::size_t i = 0; i < works.size(); ++i) {
    loci_device_record& record = works[i].record;
    record.correlation = is_whole ? launch->correlation + (*launch->items)[i] : 0;
    record.graph = launch ? launch->graph : 0;
    record.replay = launch ? launch->replay : 0;
    known->push_back(record);
  }
  GraphLaunches::instance().forget(id);
  in_replays_ -= works.size();
  return replays_.erase(replay);
}

void CuptiRecords::hand_over_calls(const sdk::ProfileSink& sink, const ClockFit& clock) {
  std::vector<loci_call_record> records;
  for (Call& call : calls_) {
    if (call.enqueues) call.record.correlation = host_id(correlation_of(call.call));
    call.record.begin_ns = clock.convert(call.record.begin_ns);
    call.record.end_ns = clock.convert(call.record.end_ns);
    records.push_back(call.record);
  }
  if (!records.empty()) sink.call_records(records.data(), records.size());
  calls_.clear();
}

}  // namespace loci::cuda

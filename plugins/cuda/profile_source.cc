#include "profile_source.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>

#include "correlation_scope.h"
#include "device.h"
#include "graph_launches.h"
#include "plugin.h"

namespace loci::cuda {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

// The recording of the process. No function of CUPTI that may lock is called while this is locked,
// because CUPTI calls back.
struct Recording {
  std::mutex mutex;
  ProfileSource* source = nullptr;
};

Recording& recording() {
  static auto& instance = *new Recording;
  return instance;
}

struct RecordedKind {
  CUpti_ActivityKind kind;
  const char* what;
};
constexpr RecordedKind kKinds[] = {
    {CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, "whose work is whose"},
    {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, "kernels"},
    {CUPTI_ACTIVITY_KIND_MEMCPY, "copies"},
    {CUPTI_ACTIVITY_KIND_MEMCPY2, "copies between devices"},
    {CUPTI_ACTIVITY_KIND_MEMSET, "fills"},
    {CUPTI_ACTIVITY_KIND_DRIVER, "calls of the driver"},  // by which ids join
    {CUPTI_ACTIVITY_KIND_OVERHEAD, "its overhead"}};

// All calls are recorded at first; this leaves only those by whose records ids join. To choose
// these alone has no effect where there is a context already, as of CUDA 13.0.
void leave_out_other_calls(const CuptiLibrary& cupti) {
  const auto& joining = enqueuing_calls();
  for (CUpti_CallbackId call = 1; call < CUPTI_DRIVER_TRACE_CBID_SIZE; ++call) {
    if (std::find(joining.begin(), joining.end(), call) != joining.end()) continue;
    cupti->enable_driver_call(call, 0);
  }
}

// CUPTI keeps the callbacks for good.
void stay_loaded(const void* function) {
  Dl_info file{};
  if (::dladdr(function, &file) == 0 || file.dli_fname == nullptr) return;
  ::dlopen(file.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

std::string remedy_of(CUptiResult status) {
  switch (status) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      return "; run as administrator, or have the driver's module loaded with "
             "NVreg_RestrictProfilingToAdminUsers=0";
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
      return "; end the other profiler of this process";
    default: return "";
  }
}

}  // namespace

void ProfileSource::start(std::uint32_t flags, const sdk::ProfileSink& sink) {
  const bool with_calls = (flags & LOCI_PROFILE_CALLS) != 0;
  const std::string refusal = start_cupti(with_calls, sink);
  if (!refusal.empty()) start_events(with_calls, sink, refusal);
}

std::string ProfileSource::start_cupti(bool with_calls, const sdk::ProfileSink& sink) {
  const CuptiLibrary& cupti = plugin_.cupti();
  if (!cupti.unavailable().empty()) return cupti.unavailable();
  {
    const std::lock_guard lock(recording().mutex);
    if (recording().source != nullptr) {
      return "CUPTI records one session of a process at a time, and another has begun";
    }
    recording().source = this;
    sink_ = sink;
    clock_ = {};
    records_.emplace(cupti, plugin_.recorded_devices(), with_calls);
  }
  cupti_ = &cupti;
  std::string refusal = enable(with_calls);
  if (refusal.empty()) {
    set_correlating(&cupti.functions());
  } else {
    stop_cupti();
  }
  return refusal;
}

std::string ProfileSource::enable(bool with_calls) {
  const auto refused = [this](CUptiResult status, const std::string& what) {
    return "CUPTI refused " + what + " with " + cupti_->status_text(status) + remedy_of(status);
  };
  stay_loaded(reinterpret_cast<const void*>(&take_buffer));
  const CuptiLibrary& cupti = *cupti_;
  CUptiResult status = cupti->cuptiActivityRegisterCallbacks(&give_buffer, &take_buffer);
  if (status != CUPTI_SUCCESS) return refused(status, "its callbacks");
  cupti->cuptiSetThreadIdType(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
  const std::optional<Moment> begin = now();
  if (!begin) return "CUPTI does not tell its time";
  clock_.add(begin->cupti, begin->host);
  for (const auto& [kind, what] : kKinds) {
    status = cupti->cuptiActivityEnable(kind);
    if (status == CUPTI_SUCCESS) {
      enabled_.push_back(kind);
    } else if (kind != CUPTI_ACTIVITY_KIND_OVERHEAD) {  // which is no loss
      return refused(status, std::string("to record ") + what);
    }
  }
  // No more of them than that takes, where they can be chosen.
  if (!with_calls && cupti->enable_driver_call != nullptr) leave_out_other_calls(cupti);
  return {};
}

void ProfileSource::disable() {
  const CuptiLibrary& cupti = *cupti_;
  for (const CUpti_ActivityKind kind : enabled_) cupti->cuptiActivityDisable(kind);
  enabled_.clear();
}

void ProfileSource::flush() {
  if (event_session_.number() != 0) {
    return for_each_device([](Device& device) { device.event_times().flush(); });
  }
  if (cupti_ == nullptr) return;
  const CUptiResult status = cupti_->functions().cuptiActivityFlushAll(0);
  if (status != CUPTI_SUCCESS) {
    sink_.note("some device work is missing: CUPTI's flush ended with " +
               cupti_->status_text(status));
  }
  hand_over(/*all=*/true);
}

void ProfileSource::stop() {
  if (event_session_.number() != 0) stop_events();
  if (cupti_ != nullptr) stop_cupti();
}

void ProfileSource::stop_cupti() {
  set_correlating(nullptr);
  disable();
  cupti_->functions().cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  hand_over(/*all=*/true);
  const std::string overhead = records_->overhead().note();
  if (!overhead.empty()) sink_.note(overhead);
  note_bodies();
  cupti_ = nullptr;
  GraphLaunches::instance().forget_all();
  const std::lock_guard lock(recording().mutex);
  recording().source = nullptr;
  records_.reset();
  sink_ = {};
}

// CUPTI has no records of what a body does after its first round, and what it has of the first one
// says neither which operator nor how many rounds.
void ProfileSource::note_bodies() {
  if (!GraphLaunches::instance().take_had_bodies()) return;
  sink_.note(
      "device work is missing of replays of graphs with loops or branches: CUPTI does not tell "
      "what these did but, at most, of one round, without its operators; without captures all of "
      "it is there");
}

// A device that opens later takes part with its first work.
void ProfileSource::start_events(bool with_calls, const sdk::ProfileSink& sink,
                                 const std::string& why) {
  event_session_.begin(sink);
  for_each_device([](Device& device) { device.event_times().join(); });
  sink.note("times come from CUDA events: " + why +
            "; all kernels of an operator have one time, and so has each replay of a graph" +
            (with_calls ? "; calls of the driver are missing" : ""));
}

void ProfileSource::stop_events() {
  event_session_.end();
  for_each_device([](Device& device) { device.event_times().leave(); });
}

template <class Visit>
void ProfileSource::for_each_device(Visit&& visit) {
  plugin_.open_devices().for_each([&](Device& device) {
    const CurrentContext current(device, CurrentContext::ToGiveBack{});
    visit(device);
  });
}

// All of them or none.
void ProfileSource::external_range_begin() {
  try {
    plugin_.open_devices().for_each([](Device& device) {
      const CurrentContext current(device);
      device.check(device.driver()->cuProfilerStart(), "starting an external profiler");
    });
  } catch (...) {
    external_range_end();
    throw;
  }
}

void ProfileSource::external_range_end() {
  for_each_device([](Device& device) { device.driver()->cuProfilerStop(); });
}

void ProfileSource::hand_over(bool all) {
  const std::optional<Moment> moment = now();
  const std::uint64_t dropped = take_dropped();
  const std::lock_guard lock(recording().mutex);
  if (moment) clock_.add(moment->cupti, moment->host);
  if (dropped != 0) sink_.dropped(dropped);
  records_->hand_over(sink_, clock_, all);
}

// The closest of a few readings: a thread may lose its processor in between.
std::optional<ProfileSource::Moment> ProfileSource::now() const {
  constexpr int kReadings = 5;
  std::optional<Moment> closest;
  std::uint64_t least = 0;
  for (int i = 0; i < kReadings; ++i) {
    std::uint64_t cupti = 0;
    const std::uint64_t before = host_.now_ns();
    if (cupti_->functions().cuptiGetTimestamp(&cupti) != CUPTI_SUCCESS) return std::nullopt;
    const std::uint64_t width = host_.now_ns() - before;
    if (closest && width >= least) continue;
    least = width;
    closest = Moment{cupti, before + width / 2};
  }
  return closest;
}

std::uint64_t ProfileSource::take_dropped() const {
  std::size_t count = 0;
  const CUptiResult status =
      cupti_->functions().cuptiActivityGetNumDroppedRecords(nullptr, 0, &count);
  return status == CUPTI_SUCCESS ? count : 0;
}

// CUPTI counts what it has no buffer for as dropped.
void ProfileSource::give_buffer(std::uint8_t** buffer, std::size_t* size,
                                std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(ACTIVITY_RECORD_ALIGNMENT, kBufferBytes));
  *size = *buffer == nullptr ? 0 : kBufferBytes;
  *most_records = 0;
}

// One that comes behind the end of a session is of no use.
void ProfileSource::take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t,
                                std::size_t used) {
  {
    const std::lock_guard lock(recording().mutex);
    if (recording().source != nullptr) recording().source->take_records(buffer, used);
  }
  std::free(buffer);
}

void ProfileSource::take_records(std::uint8_t* buffer, std::size_t used) {
  const CuptiFunctions& cupti = plugin_.cupti().functions();
  try {
    CUpti_Activity* record = nullptr;
    while (cupti.cuptiActivityGetNextRecord(buffer, used, &record) == CUPTI_SUCCESS) {
      records_->add(*record);
    }
    records_->hand_over(sink_, clock_, /*all=*/false);
  } catch (const std::bad_alloc&) {
    sink_.note("some device work is missing: the host had no memory for it");
  }
}

}  // namespace loci::cuda

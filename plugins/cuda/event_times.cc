#include "event_times.h"

#include <algorithm>
#include <new>
#include <string>
#include <utility>

#include "device.h"

namespace loci::cuda {
namespace {

constexpr std::size_t kMostPairs = 4096;
// So many pairs are read at once, where none is free.
constexpr std::size_t kBatch = 256;
// Beyond it a float has no microseconds any more.
constexpr double kFarNs = 1e9;
// The first moment, so that earlier ones are no negative numbers.
constexpr std::uint64_t kOriginNs = std::uint64_t{1} << 60;

std::string name_of(const TimedWork& work) {
  if (work.graph != 0) return "replay of graph " + std::to_string(work.graph);
  if (work.kind == LOCI_DEVICE_WORK_FILL) return "memset";
  if (work.kind == LOCI_DEVICE_WORK_KERNEL) return "kernels of " + std::string(work.op);
  switch (work.direction) {
    case LOCI_COPY_HOST_TO_DEVICE: return "memcpy HtoD";
    case LOCI_COPY_DEVICE_TO_HOST: return "memcpy DtoH";
    case LOCI_COPY_DEVICE_TO_DEVICE: return "memcpy DtoD";
    case LOCI_COPY_PEER: return "memcpy PtoP";
    default: return "memcpy";
  }
}

std::uint64_t moved(std::uint64_t time, double by) {
  return time + static_cast<std::uint64_t>(static_cast<std::int64_t>(by));
}

}  // namespace

EventTimes::EventTimes(Device& device, const EventSession& session, const sdk::Host& host)
    : device_(device), session_(session), host_(host) {}

void EventTimes::join() {
  const std::lock_guard lock(mutex_);
  join_locked();
}

void EventTimes::join_locked() {
  const std::uint64_t session = session_.number();
  if (joined_ == session) return;
  leave_locked();
  if (session == 0 || !make(origin_) || !make(mark_)) return;
  if (device_.driver()->cuEventRecord(origin_, device_.watch()) != CUDA_SUCCESS) return;
  joined_ = session;
  origin_ns_ = kOriginNs;
  clock_ = {};
  compare_clocks();
}

void EventTimes::leave() {
  const std::lock_guard lock(mutex_);
  leave_locked();
}

void EventTimes::leave_locked() {
  if (joined_ != 0) {
    try {
      harvest(pending_.size());
    } catch (const std::bad_alloc&) {  // they are of those that are lost
    }
    dropped_ += pending_.size();
    if (dropped_ != 0) session_.sink().dropped(dropped_);
  }
  for (const Pending& pending : pending_) destroy(pending.pair);
  for (const EventPair& pair : free_) destroy(pair);
  destroy({origin_, mark_});
  pending_.clear();
  free_.clear();
  origin_ = mark_ = nullptr;
  made_ = dropped_ = joined_ = 0;
}

bool EventTimes::make(CUevent& event) {
  const RelaxedCapture relaxed(device_.driver());
  return device_.driver()->cuEventCreate(&event, CU_EVENT_DEFAULT) == CUDA_SUCCESS;
}

void EventTimes::destroy(const EventPair& pair) {
  for (CUevent event : {pair.begin, pair.end}) {
    if (event != nullptr) device_.driver()->cuEventDestroy(event);
  }
}

std::optional<EventPair> EventTimes::begin(CUstream stream) noexcept {
  const Driver& driver = device_.driver();
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUresult status = driver->cuStreamIsCapturing(stream, &capture);
  if (status != CUDA_SUCCESS || capture != CU_STREAM_CAPTURE_STATUS_NONE) return std::nullopt;
  const std::lock_guard lock(mutex_);
  try {
    join_locked();
    if (joined_ == 0) return std::nullopt;
    const std::optional<EventPair> pair = take();
    if (pair && driver->cuEventRecord(pair->begin, stream) == CUDA_SUCCESS) return pair;
    if (pair) free_.push_back(*pair);
  } catch (const std::bad_alloc&) {  // it is one of those that are lost
  }
  ++dropped_;
  return std::nullopt;
}

std::optional<EventPair> EventTimes::take() {
  if (free_.empty() && made_ < kMostPairs) {
    EventPair pair{nullptr, nullptr, joined_};
    if (make(pair.begin) && make(pair.end)) {
      ++made_;
      return pair;
    }
    destroy(pair);
  }
  if (free_.empty()) harvest(kBatch);
  if (free_.empty()) return std::nullopt;
  const EventPair pair = free_.back();
  free_.pop_back();
  return pair;
}

void EventTimes::end(const EventPair& pair, CUstream stream, const TimedWork& work) noexcept {
  const Driver& driver = device_.driver();
  unsigned long long number = 0;
  const bool is_recorded = driver->cuEventRecord(pair.end, stream) == CUDA_SUCCESS &&
                           driver->cuStreamGetId(stream, &number) == CUDA_SUCCESS;
  const std::lock_guard lock(mutex_);
  if (pair.session != joined_) return destroy(pair);
  try {
    if (is_recorded) return pending_.push_back({pair, static_cast<std::uint32_t>(number), work});
  } catch (const std::bad_alloc&) {  // it is one of those that are lost
  }
  ++dropped_;
  --made_;
  destroy(pair);
}

void EventTimes::flush() {
  const std::lock_guard lock(mutex_);
  if (joined_ == 0) return;
  compare_clocks();
  harvest(pending_.size());
  if (dropped_ != 0) session_.sink().dropped(std::exchange(dropped_, 0));
}

// The closest of a few readings: a thread may lose its processor in between.
void EventTimes::compare_clocks() {
  constexpr int kReadings = 5;
  const Driver& driver = device_.driver();
  const RelaxedCapture relaxed(driver);
  std::uint64_t least = 0;
  std::optional<std::pair<std::uint64_t, std::uint64_t>> closest;
  for (int i = 0; i < kReadings; ++i) {
    const std::uint64_t before = host_.now_ns();
    if (driver->cuEventRecord(mark_, device_.watch()) != CUDA_SUCCESS) return;
    if (driver->cuEventSynchronize(mark_) != CUDA_SUCCESS) return;
    const std::uint64_t width = host_.now_ns() - before;
    Reading reading = Reading::kDone;
    const std::optional<double> passed = ns_between(origin_, mark_, reading);
    if (!passed) return;
    if (closest && width >= least) continue;
    least = width;
    closest = {moved(origin_ns_, *passed), before + width / 2};
  }
  clock_.add(closest->first, closest->second);
}

// From the oldest on, up to one that is not done.
void EventTimes::harvest(std::size_t most) {
  const RelaxedCapture relaxed(device_.driver());
  std::vector<loci_device_record> records;
  std::vector<std::string> names;
  most = std::min(most, pending_.size());
  records.reserve(most);
  names.reserve(most);
  while (most-- > 0) {
    Pending& next = pending_.front();
    loci_device_record record{};
    const Reading reading = read(next, record);
    if (reading == Reading::kNotDone) break;
    if (reading == Reading::kDone) {
      record.name = sdk::to_abi(names.emplace_back(name_of(next.work)));
      records.push_back(record);
    } else {
      ++dropped_;
    }
    free_.push_back(next.pair);
    pending_.pop_front();
  }
  if (!records.empty()) session_.sink().device_records(records.data(), records.size());
}

EventTimes::Reading EventTimes::read(Pending& pending, loci_device_record& record) {
  Reading reading = Reading::kDone;
  const std::optional<double> until = ns_between(origin_, pending.pair.begin, reading);
  const std::optional<double> during = ns_between(pending.pair.begin, pending.pair.end, reading);
  if (!until || !during) return reading;
  const std::uint64_t begin_ns = moved(origin_ns_, *until);
  const TimedWork& work = pending.work;
  record.begin_ns = clock_.convert(begin_ns);
  record.end_ns = clock_.convert(moved(begin_ns, std::max(*during, 0.0)));
  record.correlation = work.correlation;
  record.bytes = work.bytes;
  record.kind = work.kind;
  record.direction = work.direction;
  record.device = device_.index();
  record.stream = pending.stream;
  record.graph = work.graph;
  record.replay = work.replay;
  if (*until < kFarNs) return reading;
  std::swap(origin_, pending.pair.begin);
  origin_ns_ = begin_ns;
  return reading;
}

std::optional<double> EventTimes::ns_between(CUevent begin, CUevent end, Reading& reading) const {
  constexpr double kNsOfMs = 1e6;
  float milliseconds = 0;
  const CUresult status = device_.driver()->cuEventElapsedTime(&milliseconds, begin, end);
  if (status == CUDA_SUCCESS) return static_cast<double>(milliseconds) * kNsOfMs;
  reading = status == CUDA_ERROR_NOT_READY ? Reading::kNotDone : Reading::kFailed;
  return std::nullopt;
}

}  // namespace loci::cuda

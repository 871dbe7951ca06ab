#include "plugins/sim/stream.h"

#include <fmt/format.h>

#include <utility>

#include "plugins/sim/device.h"
#include "plugins/sim/event.h"

namespace loci::sim {
namespace {

class ReachMark final : public Work {
 public:
  explicit ReachMark(std::shared_ptr<Mark> mark) : mark_(std::move(mark)) {}
  void run() override { mark_->reach(); }
  [[nodiscard]] std::string name() const override { return "event record"; }
  [[nodiscard]] bool is_control() const override { return true; }

 private:
  std::shared_ptr<Mark> mark_;
};

class AwaitMark final : public Work {
 public:
  explicit AwaitMark(std::shared_ptr<Mark> mark) : mark_(std::move(mark)) {}
  void run() override { mark_->wait(); }
  [[nodiscard]] std::string name() const override { return "event wait"; }
  [[nodiscard]] bool is_control() const override { return true; }

 private:
  std::shared_ptr<Mark> mark_;
};

class HostWork final : public Work {
 public:
  HostWork(loci_host_fn function, void* context) : function_(function), context_(context) {}
  void run() override { function_(context_); }
  [[nodiscard]] std::string name() const override { return "host function"; }
  [[nodiscard]] bool is_control() const override { return true; }

 private:
  loci_host_fn function_;
  void* context_;
};

}  // namespace

Stream::Stream(SimDevice& device, std::int32_t priority)
    : device_(device),
      races_(device.machine().races.get()),
      worker_(device.failures(), device.machine().profile, device.gate(),
              {device.next_lane(), device.longest_delay(), device.next_seed(), priority}) {
  if (races_ != nullptr) number_ = races_->add_stream();
  device_.add(*this);
}

Stream::~Stream() {
  device_.remove(*this);
  drain();
}

void Stream::enqueue(std::unique_ptr<Work> work, const std::vector<Access>& accesses) {
  const std::lock_guard lock(mutex_);
  if (recording_ != nullptr) {
    if (work->is_control()) recording_->refuse(work->name());
    recording_->add(std::move(work), accesses);
    return;
  }
  if (races_ != nullptr) races_->enter(number_, work->name(), accesses);
  worker_.enqueue(std::move(work));
}

std::shared_ptr<Mark> Stream::mark() {
  const std::lock_guard lock(mutex_);
  require_plain("an event is recorded");
  auto made = std::make_shared<Mark>(known());
  worker_.enqueue(std::make_unique<ReachMark>(made));
  return made;
}

void Stream::wait(const std::shared_ptr<Mark>& mark) {
  const std::lock_guard lock(mutex_);
  require_plain("it is made to wait for an event");
  if (races_ != nullptr) races_->stream_waits(number_, mark->known());
  worker_.enqueue(std::make_unique<AwaitMark>(mark));
}

void Stream::drain() {
  const VectorClock before = known();
  worker_.wait();
  host_saw(before);
}

bool Stream::query() {
  device_.failures().require_present();
  refuse_recorded("it is queried");
  const VectorClock before = known();
  if (!worker_.idle()) return false;
  host_saw(before);
  return true;
}

void Stream::synchronize() {
  refuse_recorded("it is waited for");
  drain();
  device_.failures().require_present();
}

void Stream::wait(Event& event) {
  device_.failures().require_present();
  if (const std::shared_ptr<Mark> latest = event.latest()) wait(latest);
}

void Stream::launch_host(loci_host_fn function, void* context, std::uint64_t) {
  enqueue(std::make_unique<HostWork>(function, context), {});
}

void Stream::begin_recording() {
  device_.failures().require_present();
  const std::lock_guard lock(mutex_);
  // Without a word to the recording that is under way, which stays as it was.
  if (recording_ != nullptr) {
    throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT,
                     "[sim] the stream records a graph already; end or abort that first");
  }
  recording_ = std::make_unique<Recording>();
  is_recording_ = true;
}

void Stream::annotate(std::string_view op, std::uint64_t item) {
  const std::lock_guard lock(mutex_);
  required_recording("annotate").annotate(op, item);
}

void Stream::depend(const std::uint64_t* items, std::uint64_t count) {
  const std::lock_guard lock(mutex_);
  required_recording("depend").depend(items, count);
}

GraphNodes Stream::end_recording() {
  const std::lock_guard lock(mutex_);
  static_cast<void>(required_recording("end"));
  is_recording_ = false;
  return std::exchange(recording_, nullptr)->finish();
}

void Stream::abort_recording() {
  const std::lock_guard lock(mutex_);
  is_recording_ = false;
  recording_.reset();
}

DriverCapture Stream::recording_status() {
  const std::lock_guard lock(mutex_);
  if (recording_ == nullptr) return DriverCapture::kNone;
  return recording_->is_valid() ? DriverCapture::kActive : DriverCapture::kInvalid;
}

std::shared_ptr<Mark> Stream::launch_graph(std::shared_ptr<const GraphNodes> nodes,
                                           const DriverLaunch& launch) {
  device_.failures().enter_call(device_.failures().faults().launch, LOCI_CODE_FAILED,
                                "the launch of a graph");
  const std::lock_guard lock(mutex_);
  require_plain("a graph is launched");
  if (races_ != nullptr) enter_races(*nodes);
  auto end = std::make_shared<Mark>(known());
  worker_.enqueue(
      std::make_unique<GraphWork>(std::move(nodes), launch, end, device_.machine().time.launch(0)));
  return end;
}

// Each lane is a stream to the checker, though one thread runs them all.
void Stream::enter_races(const GraphNodes& nodes) {
  const VectorClock begin = known();
  std::vector<VectorClock> ended;
  for (const auto& node : nodes) {
    const std::size_t lane = node->place.lane;
    while (lanes_.size() < lane) lanes_.push_back(races_->add_stream());
    const std::size_t number = lane == 0 ? number_ : lanes_[lane - 1];
    races_->stream_waits(number, begin);
    for (const std::uint32_t before : node->place.before) {
      races_->stream_waits(number, ended[before]);
    }
    races_->enter(number, node->name, node->accesses);
    ended.push_back(races_->now(number));
  }
  for (const VectorClock& end : ended) races_->stream_waits(number_, end);
}

void Stream::refuse_of_recorder(std::string_view what) {
  const std::lock_guard lock(mutex_);
  if (recording_ != nullptr && recording_->is_of_this_thread()) recording_->refuse(what);
}

void Stream::refuse_recorded(std::string_view what) {
  const std::lock_guard lock(mutex_);
  require_plain(what);
}

void Stream::require_plain(std::string_view what) {
  if (recording_ != nullptr) [[unlikely]]
    recording_->refuse(what);
}

Recording& Stream::required_recording(const char* function) {
  if (recording_ != nullptr) return *recording_;
  throw sdk::Error(
      LOCI_CODE_INVALID_ARGUMENT,
      fmt::format("[sim] {} of a recording in a stream that records nothing; begin one", function));
}

VectorClock Stream::known() const {
  return races_ == nullptr ? VectorClock() : races_->now(number_);
}

void Stream::host_saw(const VectorClock& what) const {
  if (races_ != nullptr) races_->host_saw(what);
}

}  // namespace loci::sim

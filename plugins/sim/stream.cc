#include "plugins/sim/stream.h"

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
  if (races_ != nullptr) races_->enter(number_, work->name(), accesses);
  worker_.enqueue(std::move(work));
}

std::shared_ptr<Mark> Stream::mark() {
  const std::lock_guard lock(mutex_);
  auto made = std::make_shared<Mark>(known());
  worker_.enqueue(std::make_unique<ReachMark>(made));
  return made;
}

void Stream::wait(const std::shared_ptr<Mark>& mark) {
  const std::lock_guard lock(mutex_);
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
  const VectorClock before = known();
  if (!worker_.idle()) return false;
  host_saw(before);
  return true;
}

void Stream::synchronize() {
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

VectorClock Stream::known() const {
  return races_ == nullptr ? VectorClock() : races_->now(number_);
}

void Stream::host_saw(const VectorClock& what) const {
  if (races_ != nullptr) races_->host_saw(what);
}

}  // namespace loci::sim

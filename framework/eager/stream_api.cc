#include <fmt/format.h>

#include <loci/stream.hpp>
#include <utility>

#include "framework/core/context.h"
#include "framework/core/environment.h"
#include "framework/core/raise.h"
#include "framework/device/device_manager.h"
#include "framework/eager/lanes.h"
#include "framework/eager/thread_state.h"

namespace loci {
namespace eager {
namespace {

device::Device& device_at(const Place& place) {
  auto& devices = device::DeviceManager::instance();
  return devices.get(devices.resolve(place, Place()));
}

// Lanes that nobody leases are not given back; their context is in use.
std::shared_ptr<Lane> unowned(Lane& lane) { return {std::make_shared<core::ContextUse>(), &lane}; }

void require_same_context(const Lane& lane, const core::Context& context, std::string_view user) {
  if (&lane.context() == &context) return;
  core::refuse_other_context(user, fmt::format("a stream of {}", lane.device().place().to_string()),
                             lane.context(), "make a stream in this context");
}

}  // namespace
}  // namespace eager

inline namespace v0 {

Stream::Stream(std::shared_ptr<eager::Lane> lane) : lane_(std::move(lane)) {}
Stream::Stream(const Place& place, int priority)
    : lane_(eager::Lanes::instance().lease(eager::device_at(place), priority)) {}

Stream Stream::default_of(const Place& place) {
  return Stream(eager::unowned(eager::Lanes::instance().default_lane(eager::device_at(place))));
}

Stream Stream::current(const Place& place) {
  eager::Lane& standard = eager::Lanes::instance().default_lane(eager::device_at(place));
  return Stream(eager::unowned(eager::current_lane(eager::thread_state(), standard)));
}

const Place& Stream::place() const { return lane_->device().place(); }
int Stream::priority() const { return lane_->priority(); }

void Stream::launch_host_function(std::function<void()> function) const {
  if (!function) {
    core::raise(ErrorCode::kInvalidArgument,
                "[launch_host_function] there is no function; give one that can be called");
  }
  eager::Task task;
  task.host_function = std::make_unique<eager::HostFunction>(std::move(function));
  task.site = __builtin_return_address(0);
  lane_->submit(task);
  if (eager::thread_state().is_serial) lane_->synchronize();
}

bool Stream::done() const { return lane_->has_ended(lane_->mark()); }
void Stream::synchronize() const { lane_->synchronize(); }

void Event::record(const Stream& stream) {
  lane_ = stream.lane();
  ticket_ = lane_->mark();
}

void Event::wait(const Stream& stream) const {
  if (lane_ == nullptr) return;
  eager::require_same_context(*stream.lane(), lane_->context(), "Event::wait");
  stream.lane()->wait_for({lane_.get(), ticket_});
}

bool Event::done() const { return lane_ == nullptr || lane_->has_ended(ticket_); }

void Event::synchronize() const {
  if (lane_ != nullptr) lane_->wait(ticket_);
}

StreamGuard::StreamGuard(const Stream& stream) {
  eager::require_same_context(*stream.lane(), core::Context::current(), "StreamGuard");
  eager::thread_state().streams.push_back(stream.lane().get());
}
StreamGuard::~StreamGuard() { eager::thread_state().streams.pop_back(); }

void synchronize(const Place& place) {
  eager::Lanes::instance().synchronize(&eager::device_at(place));
}
void synchronize() {
  core::check_environment();
  eager::Lanes::instance().synchronize(nullptr);
}

FallbackGuard::FallbackGuard(FallbackPolicy policy)
    : outer_(std::exchange(eager::thread_state().fallback, policy)) {}
FallbackGuard::~FallbackGuard() { eager::thread_state().fallback = outer_; }

SerialMode::SerialMode() : previous_(std::exchange(eager::thread_state().is_serial, true)) {}
SerialMode::~SerialMode() { eager::thread_state().is_serial = previous_; }

}  // namespace v0
}  // namespace loci

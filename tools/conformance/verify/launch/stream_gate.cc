#include "tools/conformance/verify/launch/stream_gate.h"

#include <memory>
#include <utility>
#include <vector>

namespace loci::verify {
namespace {

// For ever, since a plugin that is wrong may call a function that it was given at any time.
Meeting* new_meeting() {
  static std::vector<std::unique_ptr<Meeting>>& all = *new std::vector<std::unique_ptr<Meeting>>;
  return all.emplace_back(std::make_unique<Meeting>()).get();
}

void arrive(void* meeting) { static_cast<Meeting*>(meeting)->arrive(); }
void wait_until_open(void* meeting) { static_cast<Meeting*>(meeting)->wait_until_open(); }

}  // namespace

StreamGate::StreamGate(const LaunchPlace& place, std::function<void(loci_stream*)> keep_busy)
    : place_(place), keep_busy_(std::move(keep_busy)), meeting_(new_meeting()) {
  const loci_device_api& api = place.api;
  if (api.event_create == nullptr || api.stream_wait_event == nullptr) return;
  if (!succeeds(api.stream_create(place.device, 0, &held_))) held_ = nullptr;
  if (!succeeds(api.event_create(place.device, 0, &event_))) event_ = nullptr;
}

StreamGate::~StreamGate() {
  if (held_ != nullptr) succeeds(place_.api.stream_synchronize(held_));
  if (event_ != nullptr) place_.api.event_destroy(event_);
  if (held_ != nullptr) place_.api.stream_destroy(held_);
}

bool StreamGate::succeeds(loci_error* error) const {
  if (error != nullptr) place_.host.error_release(error);
  return error == nullptr;
}

bool StreamGate::can(Means means) const {
  if (meeting_->was_late()) return false;
  if (means == Means::kFunctions) return place_.api.launch_host != nullptr;
  return held_ != nullptr && event_ != nullptr &&
         (place_.api.launch_host != nullptr || keep_busy_ != nullptr);
}

bool StreamGate::call_in(loci_stream* stream, HostFunction function) {
  return succeeds(place_.api.launch_host(stream, function, meeting_, 0));
}

void StreamGate::hold(Means means, loci_stream* one, loci_stream* two) {
  meeting_ = new_meeting();
  if (means == Means::kEvent) return hold_by_event(one, two);
  call_in(one, arrive);
  call_in(two, arrive);
}

void StreamGate::hold_by_event(loci_stream* one, loci_stream* two) {
  const loci_device_api& api = place_.api;
  if (api.launch_host != nullptr) {
    call_in(held_, wait_until_open);
  } else {
    keep_busy_(held_);
  }
  if (!succeeds(api.event_record(event_, held_))) return;
  for (loci_stream* stream : {one, two}) succeeds(api.stream_wait_event(stream, event_));
}

}  // namespace loci::verify

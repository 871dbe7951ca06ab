// Holds two streams until all that is enqueued in them is there, and lets them go on at the same
// moment.
#pragma once

#include <loci/abi/device.h>

#include <functional>
#include <string>

#include "tools/conformance/verify/launch/launch_copy.h"
#include "tools/conformance/verify/launch/meeting.h"

namespace loci::verify {

class StreamGate {
 public:
  enum class Means {
    kFunctions,  // of the host, one in each stream, which know the moment best
    kEvent,      // for a device that calls such functions one at a time
  };

  // `keep_busy` gives a stream work for a while where there are no functions of the host; empty:
  // nothing does.
  StreamGate(const LaunchPlace& place, std::function<void(loci_stream*)> keep_busy);
  ~StreamGate();
  StreamGate(const StreamGate&) = delete;
  StreamGate& operator=(const StreamGate&) = delete;

  // False too for a plugin whose streams did not wait, or whose calls wait for the streams.
  [[nodiscard]] bool can(Means means) const;
  // Work that is enqueued from now on waits for open(), or for a moment.
  void hold(Means means, loci_stream* one, loci_stream* two);
  void open() { meeting_->open(); }

 private:
  using HostFunction = void (*)(void* meeting);
  bool call_in(loci_stream* stream, HostFunction function);
  bool succeeds(loci_error* error) const;
  void hold_by_event(loci_stream* one, loci_stream* two);

  const LaunchPlace& place_;
  std::function<void(loci_stream*)> keep_busy_;
  loci_stream* held_ = nullptr;  // what the event is recorded behind
  loci_event* event_ = nullptr;
  Meeting* meeting_;
};

}  // namespace loci::verify

#include "stream_list.h"

#include <deque>

#include "device.h"

namespace loci::cuda {

void StreamList::add(Stream& stream) {
  const std::lock_guard lock(mutex_);
  streams_.insert(&stream);
}

void StreamList::remove(Stream& stream) {
  const std::lock_guard lock(mutex_);
  streams_.erase(&stream);
}

// Waits by events, so that a stream may begin to record while it waits for earlier work.
void StreamList::wait_for_all(Device& device) {
  std::deque<Event> marks;
  {
    const std::lock_guard lock(mutex_);
    for (Stream* stream : streams_) {
      marks.emplace_back(device, 0);
      if (!stream->mark(marks.back())) marks.pop_back();
    }
  }
  for (Event& mark : marks) mark.synchronize();
}

}  // namespace loci::cuda

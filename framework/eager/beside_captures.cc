#include "framework/eager/beside_captures.h"

#include "framework/eager/placing.h"
#include "framework/eager/queues.h"
#include "framework/tensor/tensor_impl.h"

namespace loci::eager {

BesideCaptures::BesideCaptures(const Tensor& at) {
  ThreadState& thread = thread_state();
  if (recorder_of(thread) == nullptr) [[likely]]
    return;
  device::Device* device = at.impl()->storage()->device;
  device::Device& place = device == nullptr ? host_device() : *device;
  thread.streams.push_back(&Queues::instance().default_queue(place));
  thread_ = &thread;
}

BesideCaptures::~BesideCaptures() {
  if (thread_ != nullptr) thread_->streams.pop_back();
}

}  // namespace loci::eager

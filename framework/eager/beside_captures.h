// A guard for tensors that have to outlive the capture of a graph within which they are made.
#pragma once

#include <loci/tensor.hpp>

#include "framework/eager/thread_state.h"

namespace loci::eager {

// While it lives, what the calling thread computes at the place of a tensor is computed now and
// once, in the default stream, even where the thread's own stream is being captured: replays do not
// make it anew, and its memory is not the graph's.
class BesideCaptures {
 public:
  explicit BesideCaptures(const Tensor& at);
  ~BesideCaptures();
  BesideCaptures(const BesideCaptures&) = delete;
  BesideCaptures& operator=(const BesideCaptures&) = delete;

 private:
  ThreadState* thread_ = nullptr;  // null where nothing is captured
};

}  // namespace loci::eager

#include "tools/cuda_double/driver/thread_state.h"

#include <gtest/gtest.h>

#include <thread>

namespace loci::cuda_double {
namespace {

// Runs the function among the destructors of the thread.
struct AtEndOfThread {
  ~AtEndOfThread() {
    if (run != nullptr) run();
  }
  void (*run)() = nullptr;
};

std::size_t contexts_at_end;

TEST(ThreadState, IsThereAfterTheDestructorsOfItsThread) {
  std::thread([] {
    // Made before the state, so that it ends after it.
    thread_local AtEndOfThread end;
    end.run = [] {
      ThreadState::get().contexts.push_back(nullptr);
      contexts_at_end = ThreadState::get().contexts.size();
    };
    ThreadState::get().contexts.assign(3, nullptr);
  }).join();
  EXPECT_EQ(contexts_at_end, 1U);
}

}  // namespace
}  // namespace loci::cuda_double

// The handles that native_handle gives for a device of type "sim". For tests that want to know what
// the device did, or to make it fail.
#pragma once

#include <atomic>
#include <cstdint>

namespace loci::sim {

// Behind "sim.counters": a Counters*, valid while the device is open. Counted when the work is
// done, so after a wait.
struct Counters {
  std::atomic<std::uint64_t> h2d_bytes{0};
  std::atomic<std::uint64_t> d2h_bytes{0};
  std::atomic<std::uint64_t> peer_bytes{0};   // from or to another device, by this one's function
  std::atomic<std::uint64_t> local_bytes{0};  // within the device
  std::atomic<std::uint64_t> fill_bytes{0};
  std::atomic<std::uint64_t> copies{0};
  std::atomic<std::uint64_t> launches{0};
  std::atomic<std::uint64_t> allocations{0};  // of device memory, by mem_alloc
};

// Behind "sim.faults": a Faults*, valid while the device is open, which may be changed at any time.
// Each is a countdown, 0 while off: at n the n-th from then fails, once. The settings of the same
// meaning give the first values.
struct Faults {
  std::atomic<std::int64_t> alloc{0};   // mem_alloc, as out of memory (fail_alloc)
  std::atomic<std::int64_t> copy{0};    // the call of copy or fill (fail_copy)
  std::atomic<std::int64_t> launch{0};  // the call of a kernel's launch (fail_launch)
  std::atomic<std::int64_t> event{0};   // event_record (fail_event)
  std::atomic<std::int64_t> task{0};    // an enqueued copy, fill or kernel, as it runs (fail_task)
  std::atomic<std::int64_t> lose{0};    // at such a task the device is lost for good (lose_device)
};

}  // namespace loci::sim

// A capturer and a stream that records tell each other this. The capturer: which thread records, so
// that a wait for the whole device leaves the stream out, since the driver's own wait would make
// the recording invalid. The stream: what kernels of the host were launched with, so that their
// addresses can be found in nodes. Behind the native handle "cuda.stream.recording" of the stream,
// as long as that.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "recent_launches.h"

namespace loci::cuda {

// Memory of the device; none where bytes is 0.
struct RecordedArgument {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

// Launches of the host's kernels, as far as nobody has taken them.
struct RecordedLaunches {
  std::size_t count = 0;
  // The arguments of the last launch: inputs, and then outputs.
  std::vector<RecordedArgument> arguments;
  // Functions that were enqueued whose parameters are addresses of arguments and places within
  // them, and no other form of them. Those of libraries do not count.
  std::size_t plain_functions = 0;
};

struct StreamRecording {
  std::mutex mutex;  // held while a recording begins or ends
  // That records; of no thread where none does. Set by the mutex, and read by each launch.
  std::atomic<std::thread::id> thread = std::thread::id();
  RecentLaunches* recent = nullptr;  // to note launches of graphs in
  RecordedLaunches launches;         // of that thread alone
};

}  // namespace loci::cuda

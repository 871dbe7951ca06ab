// What a capturer says of a stream that records, so that a wait for the whole device leaves it out:
// the driver's own wait would make the recording invalid. Behind the native handle
// "cuda.stream.recording" of the stream, as long as that.
#pragma once

#include <mutex>
#include <thread>

#include "recent_launches.h"

namespace loci::cuda {

struct StreamRecording {
  std::mutex mutex;                  // held while a recording begins or ends
  std::thread::id thread;            // that records, by the mutex; of no thread where none does
  RecentLaunches* recent = nullptr;  // to note launches of graphs in
};

}  // namespace loci::cuda

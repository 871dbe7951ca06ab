// The driver tells what it does to whoever listens: the double of CUPTI, a library of its own.
//
// Times are nanoseconds of the real-time clock. Nothing is told while nobody listens.
#pragma once

#include <cuda.h>

#include <cstdint>

namespace loci::cuda_double {

// A call of an exported function that has returned, on the thread that made it.
struct CallActivity {
  const char* name;  // with its version: "cuMemcpyHtoDAsync_v2"
  std::uint32_t correlation;
  CUresult result;
  std::uint64_t begin_ns;
  std::uint64_t end_ns;
};

enum class WorkKind { kKernel, kCopy, kFill };
// Where the bytes of a copy or a fill are.
enum class WorkPlace { kPageable, kPinned, kDevice };

// A kernel, a copy or a fill that a device has done, on a thread of the device.
struct WorkActivity {
  WorkKind kind = WorkKind::kKernel;
  std::uint32_t correlation = 0;  // of the call that enqueued it, or launched its graph
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  int device = 0;
  std::uint64_t context = 0;
  std::uint64_t stream = 0;
  std::uint64_t node = 0;      // of a graph; 0: none
  const char* name = nullptr;  // of a kernel; valid during the call
  std::uint32_t grid[3] = {};  // of a kernel, as the rest to `dynamic_shared`
  std::uint32_t block[3] = {};
  std::uint32_t registers = 0;  // of a thread
  std::uint32_t static_shared = 0;
  std::uint32_t dynamic_shared = 0;
  std::uint64_t bytes = 0;  // of a copy or a fill
  WorkPlace from = WorkPlace::kPageable;
  WorkPlace to = WorkPlace::kPageable;
  int from_device = 0;  // that has the memory
  int to_device = 0;
  std::uint32_t value = 0;  // of a fill
};

// Called without the driver's lock, on any thread; to be there until the process ends.
struct ActivityListener {
  void (*call)(const CallActivity& call);
  void (*work)(const WorkActivity& work);
};

}  // namespace loci::cuda_double

extern "C" {
// NULL: nobody listens any more.
void loci_cuda_double_listen(const loci::cuda_double::ActivityListener* listener);
std::uint64_t loci_cuda_double_time_ns();
// The code that LOCI_CUDA_DOUBLE plans for this call of a function; 0: none.
int loci_cuda_double_planned_code(const char* function);
// How many records of a hundred CUPTI loses, by LOCI_CUDA_DOUBLE.
unsigned loci_cuda_double_cupti_drop();
}

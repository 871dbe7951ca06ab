// Tells profiles what the device did, right but for its fault.
#pragma once

#include <cstdint>
#include <loci/plugin/profile_source.hpp>
#include <mutex>
#include <vector>

namespace loci::faulty {

struct Work {
  std::uint32_t kind = LOCI_DEVICE_WORK_KERNEL;
  std::uint32_t direction = LOCI_COPY_UNKNOWN;
  std::uint64_t bytes = 0;
  std::uint64_t correlation = 0;
  std::uint32_t graph = 0;
  std::uint64_t replay = 0;
};

std::uint64_t now_ns();

// Any thread may call.
class Source {
 public:
  void start(std::uint32_t flags, const sdk::ProfileSink& sink);
  void flush();
  void stop();
  void add(const Work& work, std::uint64_t begin_ns, std::uint64_t end_ns);

 private:
  void hand_over();  // expects the mutex to be held

  std::mutex mutex_;
  bool is_started_ = false;
  sdk::ProfileSink sink_;
  std::vector<loci_device_record> records_;
};

}  // namespace loci::faulty

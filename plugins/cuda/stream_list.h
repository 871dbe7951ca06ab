// The streams of a device.
#pragma once

#include <mutex>
#include <set>

namespace loci::cuda {

class Device;
class Stream;

// Thread-safe.
class StreamList {
 public:
  void add(Stream& stream);
  void remove(Stream& stream);
  // Waits for what is enqueued now, but for streams that other threads record. Throws if this
  // thread records one, which is invalid then.
  void wait_for_all(Device& device);

 private:
  std::mutex mutex_;
  std::set<Stream*> streams_;
};

}  // namespace loci::cuda

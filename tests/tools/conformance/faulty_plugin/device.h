// A queued device in host memory of its own, small and right but for its fault.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <loci/plugin/device.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "source.h"
#include "task_queue.h"

namespace loci::faulty {

class FaultyPlugin;
class Event;

class Device {
 public:
  class Stream {
   public:
    explicit Stream(Device& device);
    ~Stream();
    void run(std::function<void()> task);                    // counted, for fail_task
    void run(const Work& work, std::function<void()> task);  // recorded too
    bool query();
    void synchronize();
    void wait(Event& event);
    void launch_host(loci_host_fn function, void* context, std::uint64_t correlation);
    Mark mark();

   private:
    void add(std::function<void()> task);
    void add_later(std::function<void()> task);
    void add_kept();

    Device& device_;
    std::atomic<bool> is_used_{false};  // by a thread, for the fault stream_of_one_thread
    std::unique_ptr<StreamQueue> queue_;
  };
  using Event = faulty::Event;

  static sdk::Probe probe(FaultyPlugin&) { return {1}; }
  static std::uint32_t count(FaultyPlugin& plugin);
  static void describe(FaultyPlugin& plugin, std::uint32_t index, loci_device_info& info);
  Device(FaultyPlugin& plugin, const sdk::Host& host, std::uint32_t index);
  ~Device();

  void* mem_alloc(std::uint32_t kind, std::uint64_t bytes, Stream* stream);
  void mem_free(std::uint32_t kind, void* pointer, Stream* stream);
  void mem_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) const;
  bool copy(const loci_copy& copy, Stream* stream);
  void fill(void* target, std::uint64_t bytes, const void* pattern, std::uint32_t pattern_bytes,
            Stream* stream, std::uint64_t correlation);
  void synchronize();
  void check_async();
  // True once, for the task that is to fail.
  bool fails_now();
  // The second device, where it does no more than copy.
  [[nodiscard]] bool is_broken() const;
  void keep_failure();

 private:
  friend class Stream;
  const sdk::Host& host_;
  Source& source_;
  void* scratch_;  // of the host table
  std::uint32_t index_;
  std::atomic<int> until_failed_alloc_;
  std::atomic<int> until_failed_copy_;
  std::atomic<int> until_failure_;
  std::atomic<bool> failed_{false};
  std::atomic<std::uint64_t> used_{0};
  std::mutex mutex_;
  std::map<void*, std::uint64_t> sizes_;
  std::set<Stream*> streams_;
  // The queue of all streams, where they are one; its tasks use the members above.
  std::shared_ptr<TaskQueue> one_queue_;
};

class Event {
 public:
  explicit Event(Device&) {}
  void record(Device::Stream* stream);
  bool query();
  void synchronize();
  std::uint64_t ns_until(Event& end);
  // Returns the task that waits for the event as it is recorded now.
  [[nodiscard]] std::function<void()> wait_task();

 private:
  // Shared with waits of the fault late_wait.
  struct Latest {
    std::mutex mutex;
    Mark mark;
    std::shared_ptr<std::atomic<std::uint64_t>> time;
  };
  [[nodiscard]] Mark latest() const;
  std::shared_ptr<Latest> latest_ = std::make_shared<Latest>();
};

}  // namespace loci::faulty

// The sample device. Queued: launches, copies and fills are enqueued into a stream and return.
// loci/abi/device.h has the rules, loci/plugin/device.hpp the form of these classes.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <loci/plugin/device.hpp>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graphs.h"
#include "queue.h"
#include "recorder.h"

namespace sample_plugin {

class SamplePlugin;

class SampleDevice {
 public:
  class Event;

  class Stream {
   public:
    explicit Stream(SampleDevice& device);
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    // Work that cannot fail.
    void add(std::function<void()> work) { queue_->add(std::move(work)); }
    // A copy, fill or kernel. What `work` throws is told by take_async_error, with the correlation
    // of the call. It has copies of all that it needs: arguments of a launch are lent for the call
    // only.
    void enqueue(std::uint64_t correlation, std::function<void()> work,
                 TaskKind kind = TaskKind::kKernel);
    // Throws while the stream records a graph.
    void require_plain(const char* what) { recorder_->require_plain(what); }

    [[nodiscard]] bool query();
    void synchronize();
    void wait(const Event& event);
    void launch_host(loci_host_fn function, void* context, std::uint64_t correlation);

    [[nodiscard]] Recorder& recorder() { return *recorder_; }
    [[nodiscard]] SampleDevice& device() { return device_; }

   private:
    friend class Event;
    friend class SampleDevice;
    SampleDevice& device_;
    std::shared_ptr<Queue> queue_;
    std::shared_ptr<Recorder> recorder_;
  };

  class Event {
   public:
    explicit Event(SampleDevice& /*device*/) {}
    void record(Stream* stream);
    [[nodiscard]] bool query() const;
    void synchronize() const;
    [[nodiscard]] std::uint64_t ns_until(const Event& end) const;

   private:
    friend class Stream;
    // That of the latest record; a wait is for the one that it finds, whatever is recorded later.
    [[nodiscard]] std::shared_ptr<Mark> mark() const;
    mutable std::mutex mutex_;
    std::shared_ptr<Mark> mark_;
  };

  // A score above 0 if this machine has such a device, else 0 and the reason.
  static loci::sdk::Probe probe(SamplePlugin&) { return {1}; }
  static std::uint32_t count(SamplePlugin&) { return 1; }
  static void describe(SamplePlugin&, std::uint32_t index, loci_device_info& info);
  // The setting fail_task, "" or a count: the n-th piece of work of a device fails, which is how
  // its author, and `loci verify`, see that errors of enqueued work arrive. Throws for what is no
  // count.
  static std::int64_t read_fail_task(std::string_view text);
  // Opens the device.
  SampleDevice(SamplePlugin&, const loci::sdk::Host&, std::uint32_t index);
  ~SampleDevice();
  SampleDevice(const SampleDevice&) = delete;
  SampleDevice& operator=(const SampleDevice&) = delete;

  void* mem_alloc(std::uint32_t kind, std::uint64_t bytes, Stream* stream);
  void mem_free(std::uint32_t kind, void* pointer, Stream* stream);
  void mem_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) const;
  bool copy(const loci_copy& copy, Stream* stream);
  void fill(void* target, std::uint64_t bytes, const void* pattern, std::uint32_t pattern_bytes,
            Stream* stream, std::uint64_t correlation);
  void synchronize();
  void check_async(std::uint64_t& correlation);
  void* native_handle(Stream* stream, std::string_view name);

  // An error that `work` throws is kept for check_async.
  void run(std::uint64_t correlation, const std::function<void()>& work) noexcept;

 private:
  struct Failure {
    loci::sdk::Error error;
    std::uint64_t correlation;
  };

  // Fails if the setting asks for it.
  void begin_task();
  void keep_failure(std::uint64_t correlation) noexcept;
  void release(void* pointer) noexcept;

  std::mutex mutex_;  // of what follows
  std::unordered_map<void*, std::uint64_t> allocations_;
  std::vector<std::shared_ptr<Queue>> queues_;  // of the streams, and so are these
  std::vector<std::shared_ptr<Recorder>> recorders_;
  std::deque<Failure> failures_;
  std::atomic<std::uint64_t> used_{0};
  std::atomic<std::int64_t> until_failure_{0};
};

const GraphFunctions& graph_functions();

}  // namespace sample_plugin

// A CUDA device as the host sees it. What the members do: loci/plugin/device.hpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <loci/plugin/device.hpp>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "chain_kernels.h"
#include "cublaslt_handle.h"
#include "cudnn_handles.h"
#include "device_graph_trace.h"
#include "device_list.h"
#include "driver.h"
#include "event.h"
#include "event_times.h"
#include "index_record.h"
#include "module_cache.h"
#include "planned_faults.h"
#include "stream.h"
#include "stream_list.h"
#include "suspects.h"

namespace loci::cuda {

class OpenDevices;
class PinnedRanges;
class Plugin;

// Its primary context, which other libraries of the process use too. Any thread may call, and finds
// the context that was current there before current again.
class Device {
 public:
  using Stream = cuda::Stream;
  using Event = cuda::Event;

  static sdk::Probe probe(Plugin& plugin);
  static std::uint32_t count(Plugin& plugin);
  static void describe(Plugin& plugin, std::uint32_t index, loci_device_info& info);
  Device(Plugin& plugin, const sdk::Host& host, std::uint32_t index);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  void* mem_alloc(std::uint32_t kind, std::uint64_t bytes, Stream* stream);
  void mem_free(std::uint32_t kind, void* pointer, Stream* stream);
  void mem_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes);
  void host_register(void* pointer, std::uint64_t bytes);
  void host_unregister(void* pointer);
  bool copy(const loci_copy& copy, Stream* stream);
  void fill(void* target, std::uint64_t bytes, const void* pattern, std::uint32_t pattern_bytes,
            Stream* stream, std::uint64_t correlation);
  void synchronize();
  void check_async(std::uint64_t& correlation);
  // Throws an error of enqueued work, if there is one.
  void look_for_errors();
  void* native_handle(Stream* stream, std::string_view name);

  // For streams, events and kernels.
  [[nodiscard]] const Driver& driver() const { return driver_; }
  [[nodiscard]] CUcontext context() const { return context_; }
  [[nodiscard]] PlannedFaults& faults() { return faults_; }
  [[nodiscard]] ModuleCache& modules() { return modules_; }
  [[nodiscard]] ChainKernels& chains() { return chains_; }
  [[nodiscard]] StreamList& streams() { return streams_; }
  [[nodiscard]] Suspects& suspects() { return suspects_; }
  // Once the device is open.
  [[nodiscard]] const IndexRecord& index_record() const { return *index_record_; }
  [[nodiscard]] bool is_blocking() const { return is_blocking_; }
  [[nodiscard]] CublasLtHandle& cublaslt() { return cublaslt_; }
  [[nodiscard]] CudnnHandles& cudnn() { return cudnn_; }
  [[nodiscard]] EventTimes& event_times() { return event_times_; }
  // Without work: errors of the context can be asked for by it, and clocks compared.
  [[nodiscard]] CUstream watch() const { return watch_; }
  [[nodiscard]] std::uint32_t index() const { return index_; }
  [[nodiscard]] const std::string& place() const { return place_; }  // "cuda:0"
  [[nodiscard]] std::uint32_t multiprocessors() const { return entry_.multiprocessors; }
  // 90 for sm_90.
  [[nodiscard]] int compute_capability() const { return entry_.compute_capability; }
  // Throws what a status of the driver means, if it is an error; that the device is lost, if the
  // status or an earlier one says so.
  void check(CUresult status, const char* action) {
    if (status != CUDA_SUCCESS) fail(status, action);
  }
  // Throws if the device is lost, or this is a process in which CUDA does not work.
  void require_present() const {
    driver_.require_same_process();
    if (is_lost_.load(std::memory_order_acquire)) throw_lost();
  }
  static void require(const Stream* stream);

 private:
  [[noreturn]] void fail(CUresult status, const char* action);
  [[noreturn]] void throw_lost() const;
  void* allocate_pinned(std::uint64_t bytes);
  void free_pinned(void* pointer, Stream* stream);
  bool copy_with_host(const loci_copy& copy, Stream& stream);
  void copy_rows(const loci_copy& copy, Stream& stream);
  void copy_with_peer(const loci_copy& copy, Stream& stream);
  void allow_access(Device& peer);

  const Driver& driver_;
  PinnedRanges& pinned_;
  OpenDevices& open_devices_;
  const DeviceEntry& entry_;
  const std::uint32_t index_;
  const std::string place_;  // "cuda:0"
  PlannedFaults faults_;
  CUcontext context_ = nullptr;
  CUstream watch_ = nullptr;
  std::optional<IndexRecord> index_record_;
  ModuleCache modules_;
  ChainKernels chains_;
  StreamList streams_;
  Suspects suspects_;
  const bool is_blocking_;
  CublasLtHandle cublaslt_;
  CudnnHandles cudnn_;
  EventTimes event_times_;
  DeviceGraphTrace graph_trace_;
  std::atomic<bool> is_lost_{false};
  mutable std::mutex mutex_;
  std::string lost_by_;
  std::uint64_t lost_to_ = 0;  // the correlation that is not told yet, if it is known
  std::set<const Device*> accessed_;
};

// Makes the device's context current, and what was current before at its end.
class CurrentContext {
 public:
  explicit CurrentContext(Device& device) : driver_(device.driver()) {
    device.require_present();
    device.check(driver_->cuCtxPushCurrent(device.context()), "making its context current");
  }
  // Makes the context current also if the device may be lost, to give something back.
  struct ToGiveBack {};
  CurrentContext(const Device& device, ToGiveBack) : driver_(device.driver()) {
    pushed_ = driver_->cuCtxPushCurrent(device.context()) == CUDA_SUCCESS;
  }
  ~CurrentContext() {
    CUcontext popped = nullptr;
    if (pushed_) driver_->cuCtxPopCurrent(&popped);
  }
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;

 private:
  const Driver& driver_;
  bool pushed_ = true;
};

// While it lives, this thread may do what a capture of another stream would forbid, such as
// allocating.
class RelaxedCapture {
 public:
  explicit RelaxedCapture(const Driver& driver) : driver_(driver) {
    is_exchanged_ = driver_->cuThreadExchangeStreamCaptureMode(&mode_) == CUDA_SUCCESS;
  }
  ~RelaxedCapture() {
    if (is_exchanged_) driver_->cuThreadExchangeStreamCaptureMode(&mode_);
  }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  const Driver& driver_;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
  bool is_exchanged_ = false;
};

}  // namespace loci::cuda

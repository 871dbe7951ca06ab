// A CUDA device as the host sees it. What the members do: loci/plugin/device.hpp.
#pragma once

#include <cstdint>
#include <loci/plugin/device.hpp>
#include <string>

#include "driver.h"

namespace mycuda {

class Plugin;
class Device;

// Makes the context of a device current, and what was current before at its end.
class Current {
 public:
  explicit Current(const Device& device);
  ~Current();
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;
};

class Event {
 public:
  Event(Device& device, std::uint32_t flags);
  ~Event();
  void record(class Stream* stream);
  bool query();
  void synchronize();
  std::uint64_t ns_until(Event& end);
  [[nodiscard]] CUevent handle() const { return handle_; }

 private:
  Device& device_;
  CUevent handle_ = nullptr;
};

class Stream {
 public:
  explicit Stream(Device& device);
  ~Stream();
  bool query();
  void synchronize();
  void wait(Event& event);
  [[nodiscard]] CUstream handle() const { return handle_; }

 private:
  Device& device_;
  CUstream handle_ = nullptr;
};

class Device {
 public:
  using Stream = mycuda::Stream;
  using Event = mycuda::Event;

  static loci::sdk::Probe probe(Plugin& plugin);
  static std::uint32_t count(Plugin& plugin);
  static void describe(Plugin& plugin, std::uint32_t index, loci_device_info& info);
  Device(Plugin& plugin, const loci::sdk::Host& host, std::uint32_t index);
  ~Device();

  void* mem_alloc(std::uint32_t kind, std::uint64_t bytes, Stream* stream);
  void mem_free(std::uint32_t kind, void* pointer, Stream* stream);
  void mem_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes);
  bool copy(const loci_copy& copy, Stream* stream);
  void fill(void* target, std::uint64_t bytes, const void* pattern, std::uint32_t pattern_bytes,
            Stream* stream, std::uint64_t correlation);
  void synchronize();
  void check_async();

  [[nodiscard]] CUcontext context() const { return context_; }
  // The function of relu.cu; its module is loaded when the device is opened.
  [[nodiscard]] CUfunction relu() const { return relu_; }

 private:
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
  CUfunction relu_ = nullptr;
  CUstream watch_ = nullptr;  // no work: it tells of errors of the context
};

}  // namespace mycuda

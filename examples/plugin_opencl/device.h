// An OpenCL device as the host sees it. What the members do: loci/plugin/device.hpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <loci/plugin/device.hpp>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "address_space.h"
#include "device_list.h"
#include "handle.h"
#include "pinned_memory.h"
#include "sources.h"
#include "stream.h"

namespace opencl {

class Plugin;

class Device {
 public:
  using Stream = opencl::Stream;
  using Event = opencl::Event;

  static loci::sdk::Probe probe(Plugin& plugin);
  static std::uint32_t count(Plugin& plugin);
  static void describe(Plugin& plugin, std::uint32_t index, loci_device_info& info);
  Device(Plugin& plugin, const loci::sdk::Host& host, std::uint32_t index);

  void* mem_alloc(std::uint32_t kind, std::uint64_t bytes, Stream* stream);
  void mem_free(std::uint32_t kind, void* pointer, Stream* stream);
  void mem_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) const;
  void host_register(void* pointer, std::uint64_t bytes) { pinned_.add(pointer, bytes); }
  void host_unregister(void* pointer);

  // copy.cc
  bool copy(const loci_copy& copy, Stream* stream);
  void fill(void* target, std::uint64_t bytes, const void* pattern, std::uint32_t pattern_bytes,
            Stream* stream, std::uint64_t correlation);

  void synchronize();
  void check_async();
  [[nodiscard]] void* native_handle(Stream* stream, std::string_view name) const;

  // For streams.
  [[nodiscard]] Queue make_queue() const;
  void add(Stream& stream);
  void remove(Stream& stream);
  // Keeps the first failure for check_async().
  void report(const char* what, std::uint64_t correlation, cl_int status);
  // Throws if the host passed no stream.
  static void require(const Stream* stream);

  // For kernels.
  [[nodiscard]] cl_context context() const { return context_.get(); }
  [[nodiscard]] Location locate(const void* address) const { return space_.locate(address); }
  // A kernel of its own, from the program that `source` was compiled to by the first call.
  [[nodiscard]] ClKernel make_kernel(const Source& source, const char* name);

 private:
  [[nodiscard]] void* allocate(std::uint64_t bytes);
  void claim(std::uint64_t bytes);
  [[nodiscard]] Program compile(const Source& source) const;
  bool copy_with_host(const loci_copy& copy, Stream& stream);
  void copy_on_device(const loci_copy& copy, Stream& stream);

  const DeviceEntry& entry_;
  Context context_;
  Queue own_queue_;  // maps pinned memory
  PinnedMemory pinned_;
  AddressSpace space_;
  std::atomic<std::uint64_t> used_{0};  // bytes of device memory

  std::mutex programs_mutex_;
  std::map<const Source*, Program> programs_;
  std::mutex streams_mutex_;
  std::set<Stream*> streams_;
  std::mutex failure_mutex_;
  std::optional<loci::sdk::Error> failure_;
};

}  // namespace opencl

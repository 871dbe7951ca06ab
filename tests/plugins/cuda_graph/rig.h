// The capturer through its C table, beside the plugin of its devices, on the double of the driver.
#pragma once

#include <cuda.h>
#include <loci/abi/capture.h>
#include <loci/abi/device.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/support/kernel_driver.h"

namespace loci::testing {

// cuda:0, a capturer of it, and a stream and memory of four numbers on the device.
class Rig {
 public:
  // `setup` is for the double, which reads it once in a process; `options` are the capturer's.
  explicit Rig(const char* setup = "checks=all", std::map<std::string, std::string> options = {});
  ~Rig();
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;

  [[nodiscard]] const loci_capture_api& api() const { return *api_; }
  [[nodiscard]] loci_stream* stream() const { return stream_; }
  [[nodiscard]] loci_capturer* capturer() const { return capturer_; }
  [[nodiscard]] CUstream driver_stream() const;
  [[nodiscard]] const loci_device_api& device_api() const { return plugin_.devices(); }
  [[nodiscard]] loci_device* device() const { return device_; }
  // Throws PluginError.
  void check(loci_error* error) { plugin_.host().check(error); }

  void begin();
  void announce(const std::string& op, std::uint64_t item);
  // Lets what was announced wait for those items alone.
  void depend(const std::vector<std::uint64_t>& items);
  // Between memory that is told by its number, 0 to 3, of 8 bytes each.
  void copy(int from, int to);
  void set(int number, std::uint64_t value);
  [[nodiscard]] std::uint64_t value_of(int number);
  [[nodiscard]] void* address(int number) const {
    return static_cast<char*>(memory_) + 256 * number;
  }
  [[nodiscard]] loci_graph* end();
  [[nodiscard]] loci_graph_exec* instantiate(const loci_graph* graph);
  void launch(loci_graph_exec* exec);
  [[nodiscard]] std::string dump(const loci_graph* graph);

 private:
  static loci_error* native_handle(void* context, loci_stream* stream, loci_str name,
                                   void** out_handle);

  DrivenPlugin plugin_;
  DrivenPlugin capturing_;
  const loci_capture_api* api_ = nullptr;
  loci_device* device_ = nullptr;
  loci_capturer* capturer_ = nullptr;
  loci_stream* stream_ = nullptr;
  void* memory_ = nullptr;
};

// The capturer's plugin by itself.
DrivenPlugin open_capturing(std::map<std::string, std::string> options = {});
const loci_capture_api& capture_api_of(DrivenPlugin& plugin);

// A function of the driver's, by what it is exported as.
void* find_driver_function(const char* name);
template <class Function>
Function* driver_function(const char* name) {
  return reinterpret_cast<Function*>(find_driver_function(name));
}

}  // namespace loci::testing

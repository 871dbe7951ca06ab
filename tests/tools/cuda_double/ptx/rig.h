// A device for tests: memory, modules and launches in few words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cuda_double/memory/device_memory.h"
#include "tools/cuda_double/ptx/launch.h"
#include "tools/cuda_double/ptx/module.h"

namespace loci::cuda_double {

// Memory of the rig's device, written as far as `values` go.
template <class T>
class DeviceArray {
 public:
  DeviceArray(DeviceMemory& memory, std::size_t count)
      : memory_(&memory),
        count_(count),
        address_(memory.allocate(bytes(), MemoryKind::kDevice, 0, "the test")) {}
  DeviceArray(DeviceMemory& memory, const std::vector<T>& values)
      : DeviceArray(memory, values.size()) {
    put(values);
  }

  void put(const std::vector<T>& values) {
    std::memcpy(reinterpret_cast<void*>(address_), values.data(), values.size() * sizeof(T));
    memory_->mark_written(address_, values.size() * sizeof(T));
  }
  [[nodiscard]] std::vector<T> get() const {
    std::vector<T> values(count_);
    std::memcpy(values.data(), reinterpret_cast<const void*>(address_), bytes());
    return values;
  }
  [[nodiscard]] std::size_t bytes() const { return count_ * sizeof(T); }
  [[nodiscard]] std::uint64_t address() const { return address_; }
  [[nodiscard]] bool is_written() const {
    return !memory_->first_not_written(address_, bytes()).has_value();
  }

 private:
  DeviceMemory* memory_;
  std::size_t count_;
  std::uint64_t address_;
};

// The block of parameters of a launch, each aligned to its size.
class Parameters {
 public:
  template <class... Values>
  explicit Parameters(const Values&... values) {
    (add(values), ...);
  }
  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  template <class T>
  void add(const DeviceArray<T>& array) {
    add(array.address());
  }
  template <class T>
  void add(const T& value) {
    bytes_.resize((bytes_.size() + alignof(T) - 1) / alignof(T) * alignof(T));
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof(T));
    std::memcpy(bytes_.data() + at, &value, sizeof(T));
  }

  std::vector<std::byte> bytes_;
};

struct Rig {
  DeviceMemory memory{
      {.reserved_bytes = std::uint64_t{256} << 20, .quarantine_bytes = std::uint64_t{16} << 20}};
  std::shared_ptr<const Module> module;
  LaunchConfig config;

  // PTX that is written in the test.
  void load(std::string_view text) { module = Module::load(text, memory, {.name = "test.ptx"}); }
  // Loads the PTX that nvcc made of kernels/<name>.cu.
  void load_kernels(const std::string& name);

  template <class... Values>
  Counters launch(std::string_view kernel, Dim3 grid, Dim3 block, const Values&... values) {
    const Parameters parameters(values...);
    config.grid = grid;
    config.block = block;
    config.parameters = parameters.bytes();
    const Function* function = module->function(kernel);
    if (function == nullptr) throw std::runtime_error("there is no kernel of that name");
    return cuda_double::launch(*function, config, memory);
  }

  template <class T>
  [[nodiscard]] DeviceArray<T> array(const std::vector<T>& values) {
    return {memory, values};
  }
  template <class T>
  [[nodiscard]] DeviceArray<T> array(std::size_t count) {
    return {memory, count};
  }
  template <class T>
  [[nodiscard]] DeviceArray<T> zeros(std::size_t count) {
    return {memory, std::vector<T>(count)};
  }
};

// Why no kernels of nvcc's are there; empty if they are.
[[nodiscard]] std::string missing_kernels();

// The fault of a call; what() is "no fault" if it had none.
template <class Call>
[[nodiscard]] FaultReport fault_of(const Call& call) {
  try {
    call();
  } catch (const KernelFault& fault) {
    return fault.report();
  }
  FaultReport none;
  none.text = "no fault";
  return none;
}

// Numbers of which each seed has its own, between -1 and 1.
[[nodiscard]] std::vector<float> noise(std::size_t count, std::uint64_t seed);

// A body for a kernel `test` that has one pointer, `%out`, and the thread's number in `%t`.
[[nodiscard]] std::string kernel_text(const std::string& body);

}  // namespace loci::cuda_double

// A machine of software accelerators under test, without the core.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <future>
#include <loci/plugin/error.hpp>
#include <loci/plugin/host.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plugins/sim/device.h"
#include "tests/support/kernel_driver.h"

namespace loci::sim {

// Keeps a stream busy until it is opened.
class Gate {
 public:
  // Work that waits for the gate; it touches nothing.
  [[nodiscard]] std::unique_ptr<Work> work() {
    class Waiting final : public Work {
     public:
      explicit Waiting(std::shared_future<void> opened) : opened_(std::move(opened)) {}
      void run() override { opened_.wait(); }
      [[nodiscard]] std::string name() const override { return "gate"; }

     private:
      std::shared_future<void> opened_;
    };
    return std::make_unique<Waiting>(opened_);
  }
  void open() { promise_.set_value(); }

 private:
  std::promise<void> promise_;
  std::shared_future<void> opened_ = promise_.get_future().share();
};

// A device with the given settings: Rig rig("race=1").
struct Rig {
  explicit Rig(const std::string& settings = "")
      : machine(parse_settings(settings, {})), host(test_host.api()) {}

  testing::TestHost test_host;
  Machine machine;
  sdk::Host host;
  SimDevice device{machine, host, 0};
};

// Throws what the device tells of work that has failed.
inline void check_async(SimDevice& device) {
  std::uint64_t correlation = 0;
  device.check_async(correlation);
}
inline void* allocate(SimDevice& device, std::uint64_t bytes) {
  return device.mem_alloc(LOCI_MEMORY_DEVICE, bytes, nullptr);
}
inline void free_now(SimDevice& device, void* pointer) {
  device.mem_free(LOCI_MEMORY_DEVICE, pointer, nullptr);
}

inline loci_copy flat_copy(std::uint32_t source_end, const void* source, std::uint32_t target_end,
                           void* target, std::uint64_t bytes) {
  loci_copy copy{};
  copy.struct_size = sizeof copy;
  copy.source_end = source_end;
  copy.target_end = target_end;
  copy.source = source;
  copy.target = target;
  copy.row_bytes = bytes;
  copy.rows = 1;
  return copy;
}

template <class T>
void write(SimDevice& device, Stream& stream, void* target, const std::vector<T>& values) {
  device.copy(
      flat_copy(LOCI_END_HOST, values.data(), LOCI_END_DEVICE, target, values.size() * sizeof(T)),
      &stream);
}
template <class T>
std::vector<T> read(SimDevice& device, Stream& stream, const void* source, std::size_t count) {
  std::vector<T> values(count);
  device.copy(flat_copy(LOCI_END_DEVICE, source, LOCI_END_HOST, values.data(), count * sizeof(T)),
              &stream);
  return values;
}

// The message of the error that `body` throws; its code has to be `code`. Empty if it throws none.
template <class Body>
std::string error_of(loci_code code, Body body) {
  try {
    body();
  } catch (const sdk::Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  return "";
}

}  // namespace loci::sim

// The fixture of the rules, and the driver's objects as values that clean up behind themselves.
#pragma once

#include <cuda.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "driver_table.h"
#include "rule.h"

namespace loci::cuda_rules {

// Skips where there is no driver. Calls none of its functions.
class OpenedDriverTest : public ::testing::Test {
 protected:
  void SetUp() override;
};

// Device 0 with its primary context current, retained once in a process. Skips where there is no
// driver or no device. A test that leaves the device's work in error fails.
class DriverTest : public OpenedDriverTest {
 protected:
  void SetUp() override;
  void TearDown() override;

  static CUdevice device();
  static CUcontext context();
  static int attribute(CUdevice_attribute which);
};

class Stream {
 public:
  explicit Stream(unsigned flags = CU_STREAM_NON_BLOCKING);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator CUstream() const { return stream_; }
  void synchronize() const;

 private:
  CUstream stream_ = nullptr;
};

class Event {
 public:
  explicit Event(unsigned flags = CU_EVENT_DEFAULT);
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  operator CUevent() const { return event_; }

 private:
  CUevent event_ = nullptr;
};

// Zeroed memory of the device.
class DeviceMemory {
 public:
  explicit DeviceMemory(std::size_t bytes);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  operator CUdeviceptr() const { return address_; }
  std::uint32_t word(std::size_t index = 0) const;  // read by a blocking copy
  std::uint8_t byte(std::size_t index) const;

 private:
  CUdeviceptr address_ = 0;
};

// Zeroed pinned memory, mapped for the device.
class PinnedMemory {
 public:
  explicit PinnedMemory(std::size_t bytes);
  ~PinnedMemory();
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;
  void* data() const { return data_; }
  volatile std::uint32_t* words() const { return static_cast<volatile std::uint32_t*>(data_); }
  CUdeviceptr address() const;

 private:
  void* data_ = nullptr;
};

// Holds up a stream at a host function until it is opened: what shows which calls wait for the
// stream's work. One at a time, because a driver may run all host functions on one thread.
class Gate {
 public:
  Gate() = default;
  ~Gate();  // opens, and waits until the function has returned
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  void close(CUstream stream);
  void open();

 private:
  static void CUDA_CB hold(void* gate);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  int inside_ = 0;  // functions that were enqueued and have not returned
};

// "blocks" if the call, made on another thread with the context current, does not return before the
// gate is opened, else "returns". Opens the gate.
std::string blocks_until_open(Gate& gate, CUcontext context, const std::function<void()>& call);

// Runs the call on a new thread with the context current.
void on_another_thread(CUcontext context, const std::function<void()>& call);

// The module of kernels.h, loaded once in a process.
CUfunction kernel(const char* name);

// Launches of one thread, and their parameters.
CUresult launch_store(CUstream stream, CUdeviceptr address, std::uint32_t value);
CUresult launch_increment(CUstream stream, CUdeviceptr address);
// Reads the flag until it is not zero.
CUresult launch_spin(CUstream stream, CUdeviceptr flag);

// The graph of one kernel that stores the value.
CUgraph graph_of_store(CUdeviceptr address, std::uint32_t value, CUgraphNode* node = nullptr);

}  // namespace loci::cuda_rules

// The capturer of an open device.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "framework/core/context.h"
#include "framework/device/device.h"
#include "framework/device/stream.h"
#include "framework/device_graph/capturer_library.h"

namespace loci::device_graph {

// Thread-safe. Ends before its device does.
class Capturer {
 public:
  // Throws what the capturer declines the device with.
  Capturer(const CapturerLibrary& library, device::Device& device);
  ~Capturer();
  Capturer(const Capturer&) = delete;
  Capturer& operator=(const Capturer&) = delete;

  [[nodiscard]] device::Device& device() const { return device_; }
  [[nodiscard]] const loci_capture_api& api() const { return library_.api; }
  [[nodiscard]] loci_capturer* handle() const { return handle_; }
  [[nodiscard]] plugin::Plugin& plugin() const { return *library_.plugin; }

  // A stream that nobody else uses, polls or waits for, as none may be that records. Held by who
  // captures, with the lock.
  [[nodiscard]] std::mutex& mutex() { return mutex_; }
  [[nodiscard]] loci_stream* stream();
  // Another one for each body that is open, see BodyStream.
  [[nodiscard]] loci_stream* open_body();
  void close_body() { --open_bodies_; }
  // Returns true if it may record loops that the device decides about.
  [[nodiscard]] bool has_loops() const {
    return api().loop_begin != nullptr && api().loop_end != nullptr;
  }
  // Returns true if it may record branches too; these and loops may be in one another.
  [[nodiscard]] bool has_branches() const {
    return has_loops() && api().branch_begin != nullptr && api().branch_else != nullptr &&
           api().branch_end != nullptr;
  }
  // Returns true if its graphs may fork and join.
  [[nodiscard]] bool has_forks() const { return api().depend != nullptr; }

 private:
  const CapturerLibrary& library_;
  device::Device& device_;
  loci_capturer* handle_ = nullptr;
  std::mutex mutex_;
  std::unique_ptr<device::Stream> stream_;
  std::vector<std::unique_ptr<device::Stream>> body_streams_;
  std::size_t open_bodies_ = 0;
};

// Those of a context's devices, opened as they are asked for. Thread-safe.
class Capturers {
 public:
  static constexpr auto kContextSlot = core::ContextSlot::kCapturers;
  Capturers();

  struct Found {
    std::shared_ptr<Capturer> capturer;
    std::string reason;       // why there is none
    bool has_failed = false;  // its open, otherwise than by declining
  };
  Found of(device::Device& device);
  // Another has taken its place. Graphs of it keep the capturer.
  void forget(const device::Device& device);

 private:
  static Found find(device::Device& device);

  std::mutex mutex_;
  std::unordered_map<const device::Device*, Found> found_;
};

}  // namespace loci::device_graph

// Copies and fills as work of a stream.
#pragma once

#include <loci/abi/device.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "plugins/sim/handles.h"
#include "plugins/sim/time_model.h"
#include "plugins/sim/work.h"

namespace loci::sim {

// Bytes from the first to behind the last that one end of a copy spans; 0 for an empty copy.
[[nodiscard]] std::uint64_t source_span(const loci_copy& copy);
[[nodiscard]] std::uint64_t target_span(const loci_copy& copy);

class CopyWork final : public Work {
 public:
  // `copy` with addresses that the device can use.
  CopyWork(const loci_copy& copy, Route route, const TimeModel& time, Counters& counters);
  void run() override;
  [[nodiscard]] std::string name() const override;
  [[nodiscard]] WorkFacts facts() const override;
  [[nodiscard]] std::chrono::nanoseconds duration() const override { return duration_; }

 private:
  [[nodiscard]] std::uint64_t bytes() const { return copy_.row_bytes * copy_.rows; }
  [[nodiscard]] std::atomic<std::uint64_t>& counter() const;

  const loci_copy copy_;
  const Route route_;
  const std::chrono::nanoseconds duration_;
  Counters& counters_;
};

class FillWork final : public Work {
 public:
  FillWork(std::byte* target, std::uint64_t bytes, const void* pattern, std::uint32_t pattern_bytes,
           const TimeModel& time, Counters& counters, std::uint64_t correlation);
  void run() override;
  [[nodiscard]] std::string name() const override;
  [[nodiscard]] WorkFacts facts() const override {
    return {LOCI_DEVICE_WORK_FILL, LOCI_COPY_UNKNOWN, bytes_, correlation_};
  }
  [[nodiscard]] std::chrono::nanoseconds duration() const override { return duration_; }

 private:
  std::byte* const target_;
  const std::uint64_t bytes_;
  std::array<std::byte, 8> pattern_{};
  const std::uint32_t pattern_bytes_;
  const std::chrono::nanoseconds duration_;
  Counters& counters_;
  const std::uint64_t correlation_;
};

}  // namespace loci::sim

#include "plugins/sim/copy_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace loci::sim {
namespace {

std::uint64_t span(const loci_copy& copy, std::uint64_t pitch) {
  if (copy.rows == 0 || copy.row_bytes == 0) return 0;
  return (copy.rows == 1 ? 0 : (copy.rows - 1) * pitch) + copy.row_bytes;
}

const char* route_text(Route route) {
  switch (route) {
    case Route::kToDevice: return "to the device";
    case Route::kToHost: return "to the host";
    case Route::kPeer: return "between devices";
    case Route::kLocal: return "within the device";
  }
  return "";
}

std::uint32_t direction_of(Route route) {
  switch (route) {
    case Route::kToDevice: return LOCI_COPY_HOST_TO_DEVICE;
    case Route::kToHost: return LOCI_COPY_DEVICE_TO_HOST;
    case Route::kPeer: return LOCI_COPY_PEER;
    case Route::kLocal: return LOCI_COPY_DEVICE_TO_DEVICE;
  }
  return LOCI_COPY_UNKNOWN;
}

}  // namespace

std::uint64_t source_span(const loci_copy& copy) { return span(copy, copy.source_pitch); }
std::uint64_t target_span(const loci_copy& copy) { return span(copy, copy.target_pitch); }

CopyWork::CopyWork(const loci_copy& copy, Route route, const TimeModel& time, Counters& counters)
    : copy_(copy),
      route_(route),
      duration_(time.copy(route, copy.row_bytes * copy.rows)),
      counters_(counters) {}

void CopyWork::run() {
  const auto* source = static_cast<const std::byte*>(copy_.source);
  auto* target = static_cast<std::byte*>(copy_.target);
  for (std::uint64_t row = 0; row < copy_.rows; ++row) {
    std::memmove(target + row * copy_.target_pitch, source + row * copy_.source_pitch,
                 copy_.row_bytes);
  }
  counter() += bytes();
  ++counters_.copies;
}

std::string CopyWork::name() const {
  return fmt::format("copy of {} bytes {}", bytes(), route_text(route_));
}

WorkFacts CopyWork::facts() const {
  return {LOCI_DEVICE_WORK_COPY, direction_of(route_), bytes(), copy_.correlation};
}

std::atomic<std::uint64_t>& CopyWork::counter() const {
  switch (route_) {
    case Route::kToDevice: return counters_.h2d_bytes;
    case Route::kToHost: return counters_.d2h_bytes;
    case Route::kPeer: return counters_.peer_bytes;
    case Route::kLocal: break;
  }
  return counters_.local_bytes;
}

FillWork::FillWork(std::byte* target, std::uint64_t bytes, const void* pattern,
                   std::uint32_t pattern_bytes, const TimeModel& time, Counters& counters,
                   std::uint64_t correlation)
    : target_(target),
      bytes_(bytes),
      pattern_bytes_(pattern_bytes),
      duration_(time.copy(Route::kLocal, bytes)),
      counters_(counters),
      correlation_(correlation) {
  std::memcpy(pattern_.data(), pattern, pattern_bytes);
}

void FillWork::run() {
  for (std::uint64_t at = 0; at < bytes_; at += pattern_bytes_) {
    std::memcpy(target_ + at, pattern_.data(),
                std::min<std::uint64_t>(pattern_bytes_, bytes_ - at));
  }
  counters_.fill_bytes += bytes_;
}

std::string FillWork::name() const { return fmt::format("fill of {} bytes", bytes_); }

}  // namespace loci::sim

// The settings that the user gave for a trace.
#pragma once

#include <cstdint>
#include <loci/plugin/reporter.hpp>
#include <optional>

namespace loci::report {

// Steps by their numbers, both ends included.
struct StepRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

// Options: steps=A-B or steps=A, max_mb=N (of 10^6 bytes before compression; 200), gzip=on|off
// (off), quality=on|off (on).
struct TraceSettings {
  std::optional<StepRange> steps;
  std::uint64_t max_bytes = 0;
  bool gzip = false;
  bool shows_quality = true;
};

// Throws Error(LOCI_CODE_INVALID_ARGUMENT) for other options and malformed values.
TraceSettings parse_trace_settings(const sdk::ReporterOptions& options);

}  // namespace loci::report

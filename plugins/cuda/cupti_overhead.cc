#include "cupti_overhead.h"

#include <cstdio>
#include <iterator>

namespace loci::cuda {
namespace {

// Tells purposes by their numbers: older headers lack some of the names.
std::string_view purpose_of(CUpti_ActivityOverheadKind kind) {
  constexpr std::string_view kPurposes[] = {"other things",
                                            "buffer flushes",
                                            "instrumentation",
                                            "resources",
                                            "modules that the runtime loads",
                                            "functions that are loaded late",
                                            "full command buffers",
                                            "buffer requests",
                                            "managed memory"};
  constexpr auto kCount = static_cast<std::uint32_t>(std::size(kPurposes));
  if (kind == CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER) return "compiling";
  const std::uint32_t number = static_cast<std::uint32_t>(kind) >> 16;
  return kPurposes[number < kCount ? number : 0];
}

std::string text_of(std::uint64_t ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g ms", static_cast<double>(ns) / 1e6);
  return text;
}

}  // namespace

void CuptiOverhead::add(CUpti_ActivityOverheadKind kind, std::uint64_t begin_ns,
                        std::uint64_t end_ns) {
  if (end_ns > begin_ns) ns_[purpose_of(kind)] += end_ns - begin_ns;
}

std::string CuptiOverhead::note() const {
  std::uint64_t sum = 0;
  std::string parts;
  for (const auto& [purpose, ns] : ns_) {
    sum += ns;
    parts.append(parts.empty() ? ": " : ", ").append(text_of(ns) + " for ").append(purpose);
  }
  return ns_.empty() ? "" : "CUPTI tells of " + text_of(sum) + " of overhead" + parts;
}

}  // namespace loci::cuda

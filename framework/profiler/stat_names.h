// Names of timers by number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace loci::profiler {

// Small numbers, given in order, for good: an application's timers keep them in statics, so that
// they are the same in every context. Thread-safe.
using StatId = std::uint32_t;

StatId stat_id(std::string_view name);
// Valid for good.
const std::string& stat_name(StatId id);

}  // namespace loci::profiler

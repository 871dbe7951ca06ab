// The words of the profile's enumerations, as data formats carry them: stable, lower case, one word
// each ("host_late"). A number that has none, from a newer host, is "other".
#pragma once

#include <loci/abi/profile.h>

#include <cstdint>
#include <string_view>

namespace loci::report {

std::string_view span_kind_word(std::uint32_t kind);
std::string_view device_work_word(std::uint32_t kind);
std::string_view direction_word(std::uint32_t direction);
std::string_view gap_cause_word(std::uint32_t cause);
std::string_view level_word(std::uint32_t level);

}  // namespace loci::report

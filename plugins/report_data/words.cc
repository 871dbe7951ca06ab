#include "plugins/report_data/words.h"

#include <array>
#include <cstddef>

namespace loci::report {
namespace {

template <std::size_t N>
std::string_view word(const std::array<std::string_view, N>& words, std::uint32_t number) {
  return number < N ? words[number] : "other";
}

}  // namespace

std::string_view span_kind_word(std::uint32_t kind) {
  static constexpr std::array<std::string_view, LOCI_SPAN_KIND_COUNT> kWords{
      "op", "gradient", "phase", "copy", "framework", "run", "user", "wait", "call"};
  return word(kWords, kind);
}

std::string_view device_work_word(std::uint32_t kind) {
  static constexpr std::array<std::string_view, 3> kWords{"kernel", "copy", "fill"};
  return word(kWords, kind);
}

std::string_view direction_word(std::uint32_t direction) {
  static constexpr std::array<std::string_view, 5> kWords{
      "unknown", "host_to_device", "device_to_host", "device_to_device", "peer"};
  return word(kWords, direction);
}

std::string_view gap_cause_word(std::uint32_t cause) {
  static constexpr std::array<std::string_view, 3> kWords{"host_late", "waits_for_copy",
                                                          "waits_for_device"};
  return word(kWords, cause);
}

std::string_view level_word(std::uint32_t level) {
  static constexpr std::array<std::string_view, 3> kWords{"off", "op", "detail"};
  return word(kWords, level);
}

}  // namespace loci::report

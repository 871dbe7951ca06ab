#include "plugins/reporter_trace/trace_settings.h"

#include <fmt/format.h>

#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>

namespace loci::report {
namespace {

// Viewers take about 500 MB at the most.
constexpr std::uint64_t kDefaultMaxMb = 200;
constexpr std::uint64_t kLargestMaxMb = 1'000'000;

[[noreturn]] void refuse(std::string_view option, const std::string& value,
                         std::string_view wanted) {
  throw sdk::Error(
      LOCI_CODE_INVALID_ARGUMENT,
      fmt::format("[reporter] trace takes for '{}' {}, not '{}'", option, wanted, value));
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<StepRange> parse_steps(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const std::size_t dash = text.find('-');
  const std::optional<std::uint64_t> first = parse_number(std::string_view(text).substr(0, dash));
  const std::optional<std::uint64_t> last =
      dash == std::string::npos ? first : parse_number(std::string_view(text).substr(dash + 1));
  if (!first || !last || *first > *last) {
    refuse("steps", text, "a step or two with a dash between, as 3 or 3-5");
  }
  return StepRange{*first, *last};
}

std::uint64_t parse_max_mb(const std::string& text) {
  if (text.empty()) return kDefaultMaxMb;
  const std::optional<std::uint64_t> number = parse_number(text);
  if (!number || *number == 0 || *number > kLargestMaxMb) {
    refuse("max_mb", text, "an integer from 1 to 1000000");
  }
  return *number;
}

}  // namespace

TraceSettings parse_trace_settings(const sdk::ReporterOptions& options) {
  options.expect({"gzip", "max_mb", "quality", "steps"});
  TraceSettings settings;
  settings.steps = parse_steps(options.text("steps"));
  settings.max_bytes = parse_max_mb(options.text("max_mb")) * 1'000'000;
  settings.gzip = options.choice("gzip", {"off", "on"}) == "on";
  settings.shows_quality = options.shows_quality();
  return settings;
}

}  // namespace loci::report

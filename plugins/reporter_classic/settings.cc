#include "plugins/reporter_classic/settings.h"

#include <map>
#include <string>
#include <string_view>

namespace loci::classic {
namespace {

// State and tracer option are spelled as start_profiler() takes them or as the runner's flags do.
State state_of(const sdk::ReporterOptions& options) {
  static const std::map<std::string_view, State> kStates{
      {"All", State::kAll}, {"CPU", State::kCpu}, {"GPU", State::kGpu},
      {"all", State::kAll}, {"cpu", State::kCpu}, {"gpu", State::kGpu}};
  return kStates.at(options.choice("state", {"All", "CPU", "GPU", "all", "cpu", "gpu"}));
}

TracerOption tracer_option_of(const sdk::ReporterOptions& options) {
  static const std::map<std::string_view, TracerOption> kOptions{
      {"Default", TracerOption::kDefault},         {"default", TracerOption::kDefault},
      {"OpDetail", TracerOption::kOpDetail},       {"op-detail", TracerOption::kOpDetail},
      {"AllOpDetail", TracerOption::kAllOpDetail}, {"all-op-detail", TracerOption::kAllOpDetail}};
  return kOptions.at(options.choice("tracer_option", {"Default", "OpDetail", "AllOpDetail",
                                                      "default", "op-detail", "all-op-detail"}));
}

SortedKey sorted_key_of(const sdk::ReporterOptions& options) {
  static const std::map<std::string_view, SortedKey> kKeys{
      {"default", SortedKey::kDefault}, {"calls", SortedKey::kCalls}, {"total", SortedKey::kTotal},
      {"max", SortedKey::kMax},         {"min", SortedKey::kMin},     {"ave", SortedKey::kAve}};
  return kKeys.at(options.choice("sorted_key", {"default", "calls", "total", "max", "min", "ave"}));
}

}  // namespace

Settings read_settings(const sdk::ReporterOptions& options) {
  options.expect({"form", "quality", "state", "tracer_option", "sorted_key", "memory"});
  Settings settings;
  settings.form = options.choice("form", {"2.x", "1.8"}) == "2.x" ? Form::k2x : Form::k18;
  settings.quality = options.shows_quality();
  const std::string memory = options.choice("memory", {"form", "on", "off"});
  settings.memory = memory == "on" || (memory == "form" && settings.form == Form::k2x);
  settings.state = state_of(options);
  settings.tracer_option = tracer_option_of(options);
  settings.sorted_key = sorted_key_of(options);
  return settings;
}

}  // namespace loci::classic

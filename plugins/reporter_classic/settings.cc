#include "plugins/reporter_classic/settings.h"

#include <map>
#include <string>

namespace loci::classic {
namespace {

using Values = std::map<std::string_view, std::uint32_t>;

std::optional<std::uint32_t> chosen(const std::string& text, const Values& values) {
  const auto found = values.find(text);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

// Spelled as start_profiler() takes it or as the runner's flags do.
std::optional<std::uint32_t> state_of(const sdk::ReporterOptions& options) {
  return chosen(options.choice("state", {"session", "CPU", "GPU", "All", "cpu", "gpu", "all"}),
                {{"CPU", LOCI_PROFILE_STATE_CPU},
                 {"cpu", LOCI_PROFILE_STATE_CPU},
                 {"GPU", LOCI_PROFILE_STATE_GPU},
                 {"gpu", LOCI_PROFILE_STATE_GPU},
                 {"All", LOCI_PROFILE_STATE_ALL},
                 {"all", LOCI_PROFILE_STATE_ALL}});
}

std::optional<std::uint32_t> tracer_option_of(const sdk::ReporterOptions& options) {
  return chosen(options.choice("tracer_option", {"session", "Default", "OpDetail", "AllOpDetail",
                                                 "default", "op-detail", "all-op-detail"}),
                {{"Default", LOCI_PROFILE_TRACER_DEFAULT},
                 {"default", LOCI_PROFILE_TRACER_DEFAULT},
                 {"OpDetail", LOCI_PROFILE_TRACER_OP_DETAIL},
                 {"op-detail", LOCI_PROFILE_TRACER_OP_DETAIL},
                 {"AllOpDetail", LOCI_PROFILE_TRACER_ALL_OP_DETAIL},
                 {"all-op-detail", LOCI_PROFILE_TRACER_ALL_OP_DETAIL}});
}

std::optional<std::uint32_t> sorted_key_of(const sdk::ReporterOptions& options) {
  return chosen(
      options.choice("sorted_key", {"session", "default", "calls", "total", "max", "min", "ave"}),
      {{"default", LOCI_PROFILE_KEY_DEFAULT},
       {"calls", LOCI_PROFILE_KEY_CALLS},
       {"total", LOCI_PROFILE_KEY_TOTAL},
       {"max", LOCI_PROFILE_KEY_MAX},
       {"min", LOCI_PROFILE_KEY_MIN},
       {"ave", LOCI_PROFILE_KEY_AVE}});
}

}  // namespace

Choices::Choices(const sdk::ReporterOptions& options) {
  options.expect({"form", "quality", "state", "tracer_option", "sorted_key", "memory"});
  settings_.form = options.choice("form", {"2.x", "1.8"}) == "2.x" ? Form::k2x : Form::k18;
  settings_.quality = options.shows_quality();
  const std::string memory = options.choice("memory", {"form", "on", "off"});
  settings_.memory = memory == "on" || (memory == "form" && settings_.form == Form::k2x);
  state_ = state_of(options);
  tracer_option_ = tracer_option_of(options);
  sorted_key_ = sorted_key_of(options);
}

Settings Choices::settings_for(const loci_profile& profile) const {
  Settings settings = settings_;
  settings.state = state_.value_or(profile.state);
  settings.tracer_option = tracer_option_.value_or(profile.tracer_option);
  settings.sorted_key = sorted_key_.value_or(profile.sorted_key);
  return settings;
}

}  // namespace loci::classic

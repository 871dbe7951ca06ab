// What a classic report shows, and how.
#pragma once

#include <loci/abi/profile.h>

#include <cstdint>
#include <loci/plugin/reporter.hpp>
#include <optional>

namespace loci::classic {

enum class Form {
  k2x,  // overhead by times, under a title of its own; memory is shown
  k18   // overhead by ratios, which async runs make negative
};

// Of one report.
struct Settings {
  Form form = Form::k2x;
  std::uint32_t state = LOCI_PROFILE_STATE_ALL;
  std::uint32_t tracer_option = LOCI_PROFILE_TRACER_DEFAULT;
  std::uint32_t sorted_key = LOCI_PROFILE_KEY_DEFAULT;
  bool memory = true;
  bool quality = true;
};

// What the user said. State, tracer option and key are the session's where he said nothing.
class Choices {
 public:
  // Throws sdk::Error for an option or a value that there is not.
  explicit Choices(const sdk::ReporterOptions& options);

  [[nodiscard]] Settings settings_for(const loci_profile& profile) const;

 private:
  Settings settings_;
  std::optional<std::uint32_t> state_;
  std::optional<std::uint32_t> tracer_option_;
  std::optional<std::uint32_t> sorted_key_;
};

}  // namespace loci::classic

// Plugins of reporters that write text to standard output share these checks through their C
// tables, as a host sees them. `file` is a plugin with one reporter, "org.loci.reporter.<name>".
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "framework/profiler/profile.h"
#include "tests/support/recording_builder.h"
#include "tests/support/reporter_driver.h"

namespace loci::testing {

// An operator whose kernel runs on for a while.
inline profiler::Profile text_reporter_profile() {
  test_support::RecordingBuilder builder;
  builder.op("mul", "mul_0", 0, test_support::ms(2));
  builder.kernel("gemm", test_support::ms(1), test_support::ms(3));
  return profiler::Profile(builder.build());
}

inline std::string reporter_plugin_id(const std::string& name) {
  std::string id = "org.loci.reporter.";
  id += name;
  return id;
}

// The plugin's only reporter has that name, no output of its own, no forms and no live ranges.
inline void expect_text_reporter(const std::string& file, const std::string& name,
                                 std::uint32_t level) {
  const DrivenReporters plugin(open_plugin(file));
  EXPECT_EQ(plugin.id(), reporter_plugin_id(name));
  ASSERT_EQ(plugin.defs().size(), 1U);
  const loci_reporter_def def = plugin.defs()[0];
  EXPECT_EQ(sdk::to_view(def.name), name);
  EXPECT_EQ(sdk::to_view(def.default_output), "");
  EXPECT_EQ(def.level, level);
  EXPECT_EQ(def.form_count, 0U);
  EXPECT_EQ(def.range_begin, nullptr);
}

template <class Reporter>
void expect_report_of_class(const std::string& file, const std::string& name) {
  const DrivenReporters plugin(open_plugin(file));
  const profiler::Profile profile = text_reporter_profile();
  EXPECT_EQ(plugin.report(name, profile.abi()), report_of<Reporter>(profile.abi()));
}

// `options` are those that there are, as the message lists them.
inline void expect_unknown_option_refused(const std::string& file, const std::string& name,
                                          const std::string& options) {
  const DrivenReporters plugin(open_plugin(file));
  const profiler::Profile profile = text_reporter_profile();
  const auto report = [&] { (void)plugin.report(name, profile.abi(), {{"form", "old"}}); };
  std::string message = reporter_plugin_id(name);
  message += " has no option 'form'; there are: ";
  message += options;
  EXPECT_THAT(report, ::testing::ThrowsMessage<PluginError>(::testing::HasSubstr(message)));
  EXPECT_EQ(plugin.host().live_errors(), 0);
}

}  // namespace loci::testing

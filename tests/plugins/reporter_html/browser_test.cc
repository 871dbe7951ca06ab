// The page in headless Chromium: browser/browser_check.py has the checks, this the profiles.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "plugins/report_data/device_lanes.h"
#include "plugins/reporter_html/advice.h"
#include "plugins/reporter_html/html_reporter.h"
#include "tests/plugins/reporter_html/sample_profile.h"
#include "tests/support/paths.h"
#include "tests/support/reporter_driver.h"
#include "tests/support/subprocess.h"

namespace loci::testing {
namespace {

using nlohmann::json;
using report::HtmlReporter;

constexpr std::uint64_t kEvents = 100'000;
constexpr int kNoBrowser = 77;

// An index that is none counts as -1 on the page.
std::int64_t shown_index(std::uint32_t index) {
  return index == LOCI_PROFILE_NONE ? -1 : std::int64_t{index};
}

using Sums = std::map<std::string, std::int64_t>;

void add_span_sums(const loci_profile& profile, Sums& sums) {
  for (const loci_profile_span& span : sdk::spans_of(profile)) {
    const auto length = static_cast<std::int64_t>(span.end_ns - span.begin_ns);
    sums["span_begin"] += static_cast<std::int64_t>(span.begin_ns);
    sums["span_length"] += length;
    sums["span_covered"] += length - static_cast<std::int64_t>(span.self_ns);
    sums["span_device"] += static_cast<std::int64_t>(span.device_ns);
    sums["span_depth"] += span.depth;
    sums["span_label"] += span.label;
    sums["span_thread"] += span.thread;
    sums["span_flags"] += span.flags;
  }
}

void add_device_sums(const loci_profile& profile, Sums& sums) {
  const report::DeviceLanes lanes = report::device_lanes(profile);
  for (std::size_t i = 0; i < profile.device_span_count; ++i) {
    const report::DeviceSlot& slot = lanes.slots[i];
    sums["work_begin"] += static_cast<std::int64_t>(slot.begin_ns);
    sums["work_length"] += static_cast<std::int64_t>(slot.end_ns - slot.begin_ns);
    sums["work_bytes"] += static_cast<std::int64_t>(profile.device_spans[i].bytes);
    sums["work_span"] += shown_index(profile.device_spans[i].span);
  }
  for (const loci_profile_gap& gap : sdk::gaps_of(profile)) {
    sums["gap_length"] += static_cast<std::int64_t>(gap.end_ns - gap.begin_ns);
    sums["gap_span"] += shown_index(gap.span);
  }
}

void add_other_sums(const loci_profile& profile, Sums& sums) {
  for (const loci_profile_memory_event& event : sdk::memory_events_of(profile)) {
    sums["memory_at"] += static_cast<std::int64_t>(event.at_ns);
    sums["memory_in_use"] += static_cast<std::int64_t>(event.in_use);
  }
  for (const loci_profile_step& step : sdk::steps_of(profile)) {
    sums["step_length"] += static_cast<std::int64_t>(step.end_ns - step.begin_ns);
  }
}

void add_node_sums(const loci_profile& profile, Sums& sums) {
  for (const loci_profile_node& node : sdk::nodes_of(profile)) {
    const loci_profile_label& label = profile.labels[node.label];
    const bool is_operator = label.kind == LOCI_SPAN_OP || label.kind == LOCI_SPAN_GRADIENT;
    sums["node_self"] += static_cast<std::int64_t>(node.self_ns);
    sums["operators"] += is_operator ? 1 : 0;
    sums["operators_on_cpu"] += is_operator && sdk::to_view(label.place) == "cpu" ? 1 : 0;
    sums["roofline_points"] += node.flops != 0 && node.bytes != 0 ? 1 : 0;
  }
}

// Figures of the profile that the page has to show.
json expected_of(const loci_profile& profile) {
  Sums totals;
  add_span_sums(profile, totals);
  add_device_sums(profile, totals);
  add_other_sums(profile, totals);
  add_node_sums(profile, totals);
  json sums(totals);
  sums["span_count"] = profile.span_count;
  sums["work_count"] = profile.device_span_count;
  sums["memory_count"] = profile.memory_event_count;
  sums["gap_count"] = profile.gap_count;
  sums["step_count"] = profile.step_count;
  sums["node_count"] = profile.node_count;
  sums["copies"] = profile.copy_count;
  sums["tensors"] = profile.tensor_count;
  sums["events"] = profile.span_count + profile.device_span_count + profile.memory_event_count;
  for (const report::Advice& advice : report::all_advice(profile)) {
    sums["advice"].push_back(advice.title);
  }
  return sums;
}

// A page and its figures, gone with the test.
class PageFiles {
 public:
  PageFiles(const std::string& page, const json& expected)
      : folder_(std::filesystem::temp_directory_path() /
                ("loci_page_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
    std::ofstream(page_path(), std::ios::binary) << page;
    std::ofstream(expected_path()) << expected;
  }
  ~PageFiles() { std::filesystem::remove_all(folder_); }
  PageFiles(const PageFiles&) = delete;
  PageFiles& operator=(const PageFiles&) = delete;

  [[nodiscard]] std::string page_path() const { return folder_ / "page.html"; }
  [[nodiscard]] std::string expected_path() const { return folder_ / "expected.json"; }

 private:
  std::filesystem::path folder_;
};

void check(const std::string& what, const std::string& page, const json& expected) {
  const PageFiles files(page, expected);
  const test::Finished finished =
      test::run_process({"/usr/bin/env", "python3", "-B",
                         test::source_path("tests/plugins/reporter_html/browser/browser_check.py"),
                         what, files.page_path(), files.expected_path()});
  if (finished.exit_code == kNoBrowser) GTEST_SKIP() << finished.out;
  EXPECT_EQ(finished.exit_code, 0) << finished.out << finished.err;
  std::cout << finished.out;
}

class HtmlBrowserTest : public ::testing::TestWithParam<const char*> {};

TEST_P(HtmlBrowserTest, OfManyEvents) {
  const profiler::Profile profile = sample_profile(kEvents);
  ASSERT_GE(
      profile.abi().span_count + profile.abi().device_span_count + profile.abi().memory_event_count,
      kEvents);
  check(GetParam(), report_of<HtmlReporter>(profile.abi()), expected_of(profile.abi()));
}

// Cases of one process share a browser, which takes longer to start than they do.
INSTANTIATE_TEST_SUITE_P(Page, HtmlBrowserTest,
                         ::testing::Values("load,quiet,figures", "filter,sort,group,text,sections",
                                           "zoom,drag,select,keyboard", "schemes,narrow,print"),
                         [](const auto& of) {
                           std::string name = of.param;
                           std::replace(name.begin(), name.end(), ',', '_');
                           return name;
                         });

TEST(HtmlBrowserPlainTest, OfNoEvents) {
  const profiler::Profile profile{profiler::Recording{}};
  const json expected{{"span_count", 0},
                      {"says",
                       {"No device reported work", "No copy between places", "level detail",
                        "Of no operator are FLOP", "No copy that could be avoided"}},
                      {"says_not", {"Only the first"}}};
  check("plain", report_of<HtmlReporter>(profile.abi()), expected);
}

TEST(HtmlBrowserPlainTest, OfMoreEventsThanAreShown) {
  const profiler::Profile profile = sample_profile(2000);
  const std::string page =
      report_of<HtmlReporter>(profile.abi(), {{"max_events", "500"}, {"quality", "off"}});
  const std::string begin = R"("spans":{"count":)";
  const int spans = std::stoi(page.substr(page.find(begin) + begin.size()));
  EXPECT_GT(spans, 200);
  EXPECT_LT(spans, 500);
  const json expected{
      {"span_count", spans}, {"says", {"Only the first"}}, {"says_not", {"Data quality"}}};
  check("plain", page, expected);
}

}  // namespace
}  // namespace loci::testing

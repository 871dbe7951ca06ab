// Runs reporters, as classes or through the tables of a plugin.
#pragma once

#include <loci/abi/plugin.h>
#include <loci/abi/profile_reporter.h>

#include <loci/plugin/host.hpp>
#include <loci/plugin/reporter.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/kernel_driver.h"

namespace loci::testing {

using ReportOptions = std::map<std::string, std::string>;

// Options as the C ABI takes them; borrows from the map.
std::vector<loci_kv> to_entries(const ReportOptions& options);

// Collects what is written to it.
class CollectedOutput {
 public:
  explicit CollectedOutput(bool is_terminal = false);
  CollectedOutput(const CollectedOutput&) = delete;
  CollectedOutput& operator=(const CollectedOutput&) = delete;

  [[nodiscard]] const loci_report_output& abi() const { return output_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
  loci_report_output output_{};
};

// The report of a class; throws what it throws.
template <class R>
std::string report_of(const loci_profile& profile, const ReportOptions& options = {},
                      bool is_terminal = false) {
  const TestHost test_host;
  const sdk::Host host(test_host.api());
  const std::vector<loci_kv> entries = to_entries(options);
  R reporter(host, sdk::ReporterOptions("a reporter", entries.data(), entries.size()));
  const CollectedOutput collected(is_terminal);
  sdk::ReportOutput output(host.api(), collected.abi());
  reporter.report(profile, output);
  return collected.text();
}

// A plugin of reporters, created.
class DrivenReporters {
 public:
  // `query` is its entry point.
  explicit DrivenReporters(loci_plugin_query_fn query);
  ~DrivenReporters();
  DrivenReporters(const DrivenReporters&) = delete;
  DrivenReporters& operator=(const DrivenReporters&) = delete;

  [[nodiscard]] std::string_view id() const;
  [[nodiscard]] std::vector<loci_reporter_def> defs() const;
  // The report of its reporter of that name, made and destroyed. Throws PluginError.
  [[nodiscard]] std::string report(std::string_view name, const loci_profile& profile,
                                   const ReportOptions& options = {}) const;
  [[nodiscard]] const TestHost& host() const { return host_; }

 private:
  TestHost host_;
  const loci_plugin_desc* desc_;
  loci_plugin* plugin_ = nullptr;
  const loci_profile_reporter_api* api_ = nullptr;
};

}  // namespace loci::testing

#include "reporter.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace sample_plugin {
namespace {

using loci::sdk::Error;
using loci::sdk::to_view;

constexpr std::size_t kMostName = 60;

struct Row {
  std::string name;
  std::uint64_t calls = 0;
  std::uint64_t self_ns = 0;
};

// On one line of a terminal, whatever a program calls its parts.
std::string printable(std::string_view name) {
  std::string text(name.substr(0, kMostName));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

// Returns rows ordered by time; equal ones by name, so that a profile has one report.
std::vector<Row> rows_of(const loci_profile& profile) {
  std::map<std::string, Row> by_name;
  for (const loci_profile_node& node : loci::sdk::nodes_of(profile)) {
    const std::string name = printable(to_view(profile.labels[node.label].name));
    Row& row = by_name[name];
    row.name = name;
    row.calls += node.calls;
    row.self_ns += node.self_ns;
  }
  std::vector<Row> rows;
  for (auto& entry : by_name) rows.push_back(std::move(entry.second));
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.self_ns > b.self_ns; });
  return rows;
}

std::string line(const std::string& name, const std::string& calls, const std::string& self) {
  char text[128];
  std::snprintf(text, sizeof text, "%12s %10s  ", self.c_str(), calls.c_str());
  return text + name + "\n";
}

std::string milliseconds(std::uint64_t ns) {
  char text[64];
  std::snprintf(text, sizeof text, "%.3f", static_cast<double>(ns) / 1e6);
  return text;
}

std::string quality_of(const loci_profile_quality& quality) {
  std::uint64_t dropped = 0;
  for (const loci_profile_drop& drop : loci::sdk::drops_of(quality)) dropped += drop.count;
  return "dropped " + std::to_string(dropped) + ", truncated " +
         std::to_string(quality.truncated_spans) + "\n";
}

}  // namespace

SampleReporter::SampleReporter(const loci::sdk::Host&, const loci::sdk::ReporterOptions& options)
    : shows_quality_(options.shows_quality()) {
  options.expect({"quality", "rows"});
  const std::string rows = options.text("rows");
  if (rows.empty()) return;
  const bool is_number = rows.size() < 10 && rows.find_first_not_of("0123456789") == rows.npos;
  if (!is_number) {
    throw Error(LOCI_CODE_INVALID_ARGUMENT,
                "[reporter] sample takes for 'rows' a number, not '" + rows + "'");
  }
  rows_ = std::stoul(rows);
}

void SampleReporter::report(const loci_profile& profile, loci::sdk::ReportOutput& output) const {
  std::vector<Row> rows = rows_of(profile);
  if (rows.size() > rows_) rows.resize(rows_);
  std::string text = line("name", "calls", "self ms");
  for (const Row& row : rows) {
    text += line(row.name, std::to_string(row.calls), milliseconds(row.self_ns));
  }
  if (shows_quality_) text += quality_of(*profile.quality);
  output.write(text);
}

}  // namespace sample_plugin

#include "reporter.h"

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "fault.h"

namespace loci::faulty {
namespace {

// So that the compiler does not leave the leak out.
std::atomic<std::vector<char>*> leaked{nullptr};

}  // namespace

Reporter::Reporter(const sdk::Host&, const sdk::ReporterOptions& options)
    : shows_quality_(options.shows_quality()) {
  static_cast<void>(options.choice("form", {"plain"}));
  if (!has("takes_any_option")) options.expect({"form", "quality"});
  if (has("leak_report")) leaked = new std::vector<char>(1000);
}

void Reporter::report(const loci_profile& profile, sdk::ReportOutput& output) {
  static int reports = 0;
  try {
    for (const loci_profile_node& node : sdk::nodes_of(profile)) {
      const loci_str name = profile.labels[node.label].name;
      if (has("reads_empty_names") &&
          *static_cast<const volatile char*>(name.size == 0 ? nullptr : name.data) == 0) {
        continue;
      }
      output.write(sdk::to_view(name));
      output.write("\n");
    }
    if (has("report_differs")) output.write(std::to_string(++reports));
    if (shows_quality_) output.write(std::to_string(profile.quality->truncated_spans));
  } catch (const sdk::Error&) {
    if (!has("ignores_write_error")) throw;
  }
}

void Reporter::range_begin(const loci_profile_label&) {
  if (has("slow_range")) std::this_thread::sleep_for(std::chrono::microseconds(50));
  ++ranges_;
}

void Reporter::range_end() { --ranges_; }

}  // namespace loci::faulty

#include "framework/reporting/classic_options.h"

#include <algorithm>
#include <string>

namespace loci::reporting {
namespace {

void add_option(ReportRequest& request, const std::string& key, const std::string& value) {
  const bool is_said = std::any_of(request.options.begin(), request.options.end(),
                                   [&](const auto& option) { return option.first == key; });
  if (!is_said && !value.empty()) request.options.emplace_back(key, value);
}

}  // namespace

void add_classic_options(const ProfilerOptions::Values& values, ReportRequest& request) {
  if (request.name != kClassicReporter) return;
  add_option(request, "state", values.state);
  add_option(request, "tracer_option", values.tracer_option);
  add_option(request, "sorted_key", values.sorted_key);
}

}  // namespace loci::reporting

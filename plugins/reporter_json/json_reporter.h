// Reporter "json": one object with the members format, format_version, session, threads (where the
// time of each went), devices, steps, nodes (the merged call tree, in preorder), copies, tensors,
// gaps and, unless quality=off, quality. Spans are left to "trace". A later version adds members;
// one that takes a member away or changes its meaning raises format_version.
#pragma once

#include <loci/plugin/reporter.hpp>

namespace loci::report {

class JsonReporter {
 public:
  // Throws Error(LOCI_CODE_INVALID_ARGUMENT) for options other than quality=on|off.
  JsonReporter(const sdk::Host& host, const sdk::ReporterOptions& options);
  void report(const loci_profile& profile, sdk::ReportOutput& output) const;

 private:
  bool shows_quality_;
};

}  // namespace loci::report

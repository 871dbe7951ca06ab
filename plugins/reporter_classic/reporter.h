// The classic report.
#pragma once

#include <loci/abi/profile.h>

#include <loci/plugin/host.hpp>
#include <loci/plugin/reporter.hpp>

#include "plugins/reporter_classic/settings.h"

namespace loci::classic {

// See README.md for its options, and for where it differs from its model.
class ClassicReporter {
 public:
  // Throws sdk::Error for options that it does not know.
  ClassicReporter(const sdk::Host& host, const sdk::ReporterOptions& options);
  void report(const loci_profile& profile, sdk::ReportOutput& output) const;

 private:
  Settings settings_;
};

}  // namespace loci::classic

// The names in which a program spent most time by itself.
#pragma once

#include <cstddef>
#include <loci/plugin/reporter.hpp>

namespace sample_plugin {

class SampleReporter {
 public:
  // Throws Error for options that it cannot take.
  SampleReporter(const loci::sdk::Host& host, const loci::sdk::ReporterOptions& options);

  void report(const loci_profile& profile, loci::sdk::ReportOutput& output) const;

 private:
  std::size_t rows_ = 10;
  bool shows_quality_;
};

}  // namespace sample_plugin

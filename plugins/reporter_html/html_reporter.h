// Reporter "html": one page that shows all of a profile without a network: where the time went,
// operators, a timeline, transfers, advice, memory, a roofline plot, the data quality.
//
//   max_events=N  how many events the timeline shows, from the session's begin (500000); tables and
//                 sums are always of the whole session
//   quality=off   without the data quality
#pragma once

#include <cstdint>
#include <loci/plugin/reporter.hpp>

namespace loci::report {

class HtmlReporter {
 public:
  // Throws Error(LOCI_CODE_INVALID_ARGUMENT) for other options and malformed values.
  HtmlReporter(const sdk::Host& host, const sdk::ReporterOptions& options);
  void report(const loci_profile& profile, sdk::ReportOutput& output) const;

 private:
  std::uint64_t max_events_;
  bool shows_quality_;
};

}  // namespace loci::report

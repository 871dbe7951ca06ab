// Reporter "csv": one table of a profile.
//
//   table=ops      the merged call tree in preorder, a row for each node (the default)
//   table=copies   copies of one label, summed
//   table=devices  the devices that took part
//   table=memory   memory by tensor name and place
//
// Times are integers in nanoseconds. Unless quality=off, the data quality follows in lines that
// begin with '#'.
#pragma once

#include <loci/plugin/reporter.hpp>
#include <string>

namespace loci::report {

class CsvReporter {
 public:
  // Throws Error(LOCI_CODE_INVALID_ARGUMENT) for other options and other tables.
  CsvReporter(const sdk::Host& host, const sdk::ReporterOptions& options);
  void report(const loci_profile& profile, sdk::ReportOutput& output) const;

 private:
  std::string table_;
  bool shows_quality_;
};

}  // namespace loci::report

// A reporter at work for one session or one saved profile.
#pragma once

#include <loci/abi/profile_reporter.h>

#include <string>

#include "framework/reporting/report_request.h"
#include "framework/reporting/reporter_library.h"

namespace loci::reporting {

class OpenReporter {
 public:
  // Throws Error(kNotFound) that lists the reporters there are, with why plugins that declare this
  // one do not bring it; and whatever the reporter says against its options.
  explicit OpenReporter(const ReportRequest& request);
  ~OpenReporter();
  OpenReporter(const OpenReporter&) = delete;
  OpenReporter& operator=(const OpenReporter&) = delete;

  [[nodiscard]] const std::string& name() const { return reporter_->name; }
  // Empty for standard output.
  [[nodiscard]] const std::string& path() const { return target_.path; }
  [[nodiscard]] bool is_default_path() const { return target_.is_default; }
  [[nodiscard]] std::uint32_t level() const { return reporter_->level; }
  [[nodiscard]] bool wants_peaks() const {
    return (reporter_->def.wants & LOCI_REPORTER_WANTS_PEAKS) != 0;
  }
  [[nodiscard]] bool has_live_ranges() const { return reporter_->def.range_begin != nullptr; }

  // For live ranges.
  void range_begin(const loci_profile_label& label) const noexcept {
    reporter_->def.range_begin(handle_, &label);
  }
  void range_end() const noexcept { reporter_->def.range_end(handle_); }

  // Makes the report. Throws what the reporter says, and what writing it says; the file of that
  // name is then as it was.
  void report(const loci_profile& profile) const;

 private:
  const reporting::Reporter* reporter_;
  ReportTarget target_;
  loci_reporter* handle_ = nullptr;
};

}  // namespace loci::reporting

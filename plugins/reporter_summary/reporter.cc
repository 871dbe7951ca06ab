#include "plugins/reporter_summary/reporter.h"

#include <fmt/format.h>

#include <cstddef>
#include <loci/plugin/reporter.hpp>

#include "plugins/report_text/printable.h"
#include "plugins/report_text/quality.h"
#include "plugins/reporter_summary/accounting.h"
#include "plugins/reporter_summary/copies.h"
#include "plugins/reporter_summary/devices.h"
#include "plugins/reporter_summary/operators.h"
#include "plugins/reporter_summary/screen.h"

namespace loci::summary {
namespace {

// 4 lines of accounting; 3 and the rows for each of the tables, one more for the names that held
// most memory; a blank and at most 3 lines of quality: 40 with these. Notes come on top.
constexpr std::size_t kOperators = 10;
constexpr std::size_t kCopies = 6;
constexpr std::size_t kDevices = 5;

void show_notes(const loci_profile& profile, Screen& screen) {
  const auto notes = sdk::notes_of(*profile.quality);
  for (std::size_t i = 0; i < notes.size(); ++i) {
    screen.paragraph(
        fmt::format("Note {} of {}: {}", i + 1, notes.size(), report_text::printable(notes[i])));
  }
}

}  // namespace

SummaryReporter::SummaryReporter(const sdk::Host&, const sdk::ReporterOptions& options) {
  options.expect({"quality", "colour"});
  quality_ = options.shows_quality();
  may_colour_ = options.choice("colour", {"auto", "off"}) == "auto";
}

void SummaryReporter::report(const loci_profile& profile, sdk::ReportOutput& output) const {
  Screen screen(may_colour_ && output.is_terminal());
  show_accounting(profile, screen);
  show_operators(profile, kOperators, screen);
  show_copies(profile, kCopies, screen);
  show_devices(profile, kDevices, screen);
  if (quality_) {
    screen.blank();
    screen.paragraph(fmt::format("Quality: {}.", report_text::quality_sentence(profile)));
    show_notes(profile, screen);
  }
  output.write(screen.text());
}

}  // namespace loci::summary

#include "plugins/reporter_classic/reporter.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "plugins/report_text/quality.h"
#include "plugins/reporter_classic/event_lists.h"
#include "plugins/reporter_classic/layout.h"
#include "plugins/reporter_classic/memory_report.h"
#include "plugins/reporter_classic/overhead.h"
#include "plugins/reporter_classic/row_table.h"

namespace loci::classic {
namespace {

// Overhead and copies are of a table of one list: of all threads, or of the only one.
std::string tables_text(const Paths& paths, std::vector<RowTable> tables,
                        const Settings& settings) {
  const bool is_merged = tables.size() == 1 && tables[0].thread == kAllThreads;
  std::string text = header_text(settings, is_merged);
  if (tables.size() == 1) text += overhead_text(overhead_of(paths, tables[0]), settings.form);
  return text + events_text(paths, tables, settings);
}

}  // namespace

ClassicReporter::ClassicReporter(const sdk::Host&, const sdk::ReporterOptions& options)
    : settings_(read_settings(options)) {}

void ClassicReporter::report(const loci_profile& profile, sdk::ReportOutput& output) const {
  const EventLists events = event_lists(profile, settings_.tracer_option);
  if (events.lists.size() > 1) {
    output.write(tables_text(events.paths, {merged_table(events, settings_)}, settings_));
  }
  std::vector<RowTable> tables;
  for (const EventList& list : events.lists) {
    tables.push_back(thread_table(events, list, settings_));
  }
  output.write(tables_text(events.paths, std::move(tables), settings_));
  if (settings_.memory) output.write(memory_text(profile, events));
  if (settings_.quality) {
    output.write(fmt::format("\n{}", heading("       Data Quality        ")));
    output.write(report_text::quality_lines(profile));
  }
}

}  // namespace loci::classic

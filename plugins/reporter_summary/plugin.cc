// The plugin of the summary report. See README.md for its options.
#include <loci/plugin/plugin.hpp>
#include <loci/plugin/reporter.hpp>

#include "plugins/reporter_summary/reporter.h"

namespace loci::summary {
namespace {

class SummaryPlugin {
 public:
  static constexpr std::string_view kId = "org.loci.reporter.summary";
  static constexpr std::string_view kVersion = LOCI_REPORTER_VERSION;

  SummaryPlugin(const sdk::Host&, const sdk::Options&) {
    reporters_.add<SummaryPlugin, SummaryReporter>(
        {"summary",
         "one screen: where the time went, top operators, copies, memory, gaps",
         "",
         LOCI_PROFILE_LEVEL_OP,
         {},
         LOCI_REPORTER_WANTS_PEAKS});
  }

  const void* interface(std::string_view name) {
    if (name != LOCI_PROFILE_REPORTER_INTERFACE) return nullptr;
    return sdk::reporter_table<SummaryPlugin>();
  }
  [[nodiscard]] const sdk::ReporterList& reporters() const { return reporters_; }

 private:
  sdk::ReporterList reporters_;
};

}  // namespace
}  // namespace loci::summary

const loci_plugin_desc* loci_plugin_query_v1(const loci_host_info* host) {
  return loci::sdk::describe_plugin<loci::summary::SummaryPlugin>(host);
}

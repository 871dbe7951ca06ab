#include <loci/plugin/plugin.hpp>
#include <loci/plugin/reporter.hpp>
#include <string_view>

#include "plugins/reporter_csv/csv_reporter.h"

namespace loci::report {
namespace {

class CsvPlugin {
 public:
  static constexpr std::string_view kId = "org.loci.reporter.csv";
  static constexpr std::string_view kVersion = LOCI_REPORTER_VERSION;

  CsvPlugin(const sdk::Host&, const sdk::Options&) {
    reporters_.add<CsvPlugin, CsvReporter>(
        {"csv", "a table: table=ops, copies, devices or memory"});
  }
  [[nodiscard]] const sdk::ReporterList& reporters() const { return reporters_; }
  const void* interface(std::string_view name) {
    return name == LOCI_PROFILE_REPORTER_INTERFACE ? sdk::reporter_table<CsvPlugin>() : nullptr;
  }

 private:
  sdk::ReporterList reporters_;
};

}  // namespace
}  // namespace loci::report

const loci_plugin_desc* loci_plugin_query_v1(const loci_host_info* host) {
  return loci::sdk::describe_plugin<loci::report::CsvPlugin>(host);
}

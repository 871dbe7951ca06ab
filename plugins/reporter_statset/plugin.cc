// The plugin of the statset report. See README.md for its options.
#include <loci/plugin/plugin.hpp>
#include <loci/plugin/reporter.hpp>

#include "plugins/reporter_statset/reporter.h"

namespace loci::statset {
namespace {

class StatsetPlugin {
 public:
  static constexpr std::string_view kId = "org.loci.reporter.statset";
  static constexpr std::string_view kVersion = LOCI_REPORTER_VERSION;

  StatsetPlugin(const sdk::Host&, const sdk::Options&) {
    reporters_.add<StatsetPlugin, StatsetReporter>(
        {"statset", "totals of ranges and operators by name"});
  }

  const void* interface(std::string_view name) {
    if (name != LOCI_PROFILE_REPORTER_INTERFACE) return nullptr;
    return sdk::reporter_table<StatsetPlugin>();
  }
  [[nodiscard]] const sdk::ReporterList& reporters() const { return reporters_; }

 private:
  sdk::ReporterList reporters_;
};

}  // namespace
}  // namespace loci::statset

const loci_plugin_desc* loci_plugin_query_v1(const loci_host_info* host) {
  return loci::sdk::describe_plugin<loci::statset::StatsetPlugin>(host);
}

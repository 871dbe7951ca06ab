// The plugin of the classic report. See README.md for its options.
#include <loci/plugin/plugin.hpp>
#include <loci/plugin/reporter.hpp>

#include "plugins/reporter_classic/reporter.h"

namespace loci::classic {
namespace {

class ClassicPlugin {
 public:
  static constexpr std::string_view kId = "org.loci.reporter.classic";
  static constexpr std::string_view kVersion = LOCI_REPORTER_VERSION;

  ClassicPlugin(const sdk::Host&, const sdk::Options&) {
    // Computation is the sum of compute scopes, which exist at level detail only.
    reporters_.add<ClassicPlugin, ClassicReporter>(
        {"classic",
         "tables of events by thread and over all, overhead, copies, memory",
         "",
         LOCI_PROFILE_LEVEL_DETAIL,
         {"2.x", "1.8"}});
  }

  const void* interface(std::string_view name) {
    if (name != LOCI_PROFILE_REPORTER_INTERFACE) return nullptr;
    return sdk::reporter_table<ClassicPlugin>();
  }
  [[nodiscard]] const sdk::ReporterList& reporters() const { return reporters_; }

 private:
  sdk::ReporterList reporters_;
};

}  // namespace
}  // namespace loci::classic

const loci_plugin_desc* loci_plugin_query_v1(const loci_host_info* host) {
  return loci::sdk::describe_plugin<loci::classic::ClassicPlugin>(host);
}

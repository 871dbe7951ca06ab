// The plugin brings a reporter.
#include <loci/plugin/plugin.hpp>

#include "reporter.h"

namespace sample_plugin {

class SamplePlugin {
 public:
  static constexpr std::string_view kId = "org.example.sample";  // as in manifest.json
  static constexpr std::string_view kVersion = "0.1.0";

  SamplePlugin(const loci::sdk::Host&, const loci::sdk::Options&) {
    reporters_.add<SamplePlugin, SampleReporter>({"sample", "names by the time spent in them"});
  }

  const void* interface(std::string_view name) {
    if (name != LOCI_PROFILE_REPORTER_INTERFACE) return nullptr;
    return loci::sdk::reporter_table<SamplePlugin>();
  }
  [[nodiscard]] const loci::sdk::ReporterList& reporters() const { return reporters_; }

 private:
  loci::sdk::ReporterList reporters_;
};

}  // namespace sample_plugin

const loci_plugin_desc* loci_plugin_query_v1(const loci_host_info* host) {
  return loci::sdk::describe_plugin<sample_plugin::SamplePlugin>(host);
}

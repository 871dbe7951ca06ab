// The plugin of the nvprof report. See README.md for its options.
#include <loci/plugin/plugin.hpp>
#include <loci/plugin/reporter.hpp>

#include "plugins/reporter_nvprof/reporter.h"

namespace loci::nvprof {
namespace {

class NvprofPlugin {
 public:
  static constexpr std::string_view kId = "org.loci.reporter.nvprof";
  static constexpr std::string_view kVersion = LOCI_REPORTER_VERSION;

  NvprofPlugin(const sdk::Host&, const sdk::Options&) {
    reporters_.add<NvprofPlugin, NvprofReporter>(
        {"nvprof", "device work by name, and calls of the device's interface", "",
         LOCI_PROFILE_LEVEL_DETAIL});
  }

  const void* interface(std::string_view name) {
    if (name != LOCI_PROFILE_REPORTER_INTERFACE) return nullptr;
    return sdk::reporter_table<NvprofPlugin>();
  }
  [[nodiscard]] const sdk::ReporterList& reporters() const { return reporters_; }

 private:
  sdk::ReporterList reporters_;
};

}  // namespace
}  // namespace loci::nvprof

const loci_plugin_desc* loci_plugin_query_v1(const loci_host_info* host) {
  return loci::sdk::describe_plugin<loci::nvprof::NvprofPlugin>(host);
}

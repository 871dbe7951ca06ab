#include <loci/plugin/plugin.hpp>
#include <loci/plugin/reporter.hpp>
#include <string_view>

#include "plugins/reporter_nvtx/nvtx_reporter.h"

namespace loci::report {
namespace {

class NvtxPlugin {
 public:
  static constexpr std::string_view kId = "org.loci.reporter.nvtx";
  static constexpr std::string_view kVersion = LOCI_REPORTER_VERSION;

  NvtxPlugin(const sdk::Host&, const sdk::Options&) {
    reporters_.add<NvtxPlugin, NvtxReporter>(
        {"nvtx", "live ranges for NVIDIA's tools; writes nothing"});
  }
  [[nodiscard]] const sdk::ReporterList& reporters() const { return reporters_; }
  const void* interface(std::string_view name) {
    return name == LOCI_PROFILE_REPORTER_INTERFACE ? sdk::reporter_table<NvtxPlugin>() : nullptr;
  }

 private:
  sdk::ReporterList reporters_;
};

}  // namespace
}  // namespace loci::report

const loci_plugin_desc* loci_plugin_query_v1(const loci_host_info* host) {
  return loci::sdk::describe_plugin<loci::report::NvtxPlugin>(host);
}

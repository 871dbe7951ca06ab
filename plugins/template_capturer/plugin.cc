// The plugin brings the capturer of capturer.h.
#include <loci/plugin/plugin.hpp>

#include "capturer.h"

namespace sample_plugin {

class SampleGraphPlugin {
 public:
  static constexpr std::string_view kId = "org.example.sample_graph";  // as in manifest.json
  static constexpr std::string_view kVersion = "0.1.0";
  static constexpr std::string_view kDeviceType = "sample";  // whose streams it captures

  SampleGraphPlugin(const loci::sdk::Host&, const loci::sdk::Options&) {}

  const void* interface(std::string_view name) {
    if (name != LOCI_CAPTURE_INTERFACE) return nullptr;
    return loci::sdk::capturer_table<SampleGraphPlugin, SampleCapturer>();
  }
};

}  // namespace sample_plugin

const loci_plugin_desc* loci_plugin_query_v1(const loci_host_info* host) {
  return loci::sdk::describe_plugin<sample_plugin::SampleGraphPlugin>(host);
}

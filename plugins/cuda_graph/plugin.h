// The capturer of CUDA devices.
#pragma once

#include <loci/plugin/capturer.hpp>
#include <loci/plugin/plugin_object.hpp>
#include <string_view>

#include "dot_files.h"
#include "settings.h"

namespace loci::cuda_graph {

class Plugin {
 public:
  static constexpr std::string_view kId = "org.loci.cuda_graph";
  static constexpr std::string_view kVersion = LOCI_CUDA_GRAPH_PLUGIN_VERSION;
  static constexpr std::string_view kDeviceType = "cuda";

  Plugin(const sdk::Host&, const sdk::Options& options)
      : settings_(settings_of(options)), dots_(settings_.dot) {}
  const void* interface(std::string_view name);
  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] DotFiles& dots() { return dots_; }

 private:
  const Settings settings_;
  DotFiles dots_;
};

}  // namespace loci::cuda_graph

// The capturer of CUDA devices.
#pragma once

#include <loci/plugin/capturer.hpp>
#include <loci/plugin/plugin_object.hpp>
#include <string_view>

#include "dot_files.h"

namespace loci::cuda_graph {

class Plugin {
 public:
  static constexpr std::string_view kId = "org.loci.cuda_graph";
  static constexpr std::string_view kVersion = LOCI_CUDA_GRAPH_PLUGIN_VERSION;
  static constexpr std::string_view kDeviceType = "cuda";

  Plugin(const sdk::Host&, const sdk::Options& options) : dots_(options) {}
  const void* interface(std::string_view name);
  [[nodiscard]] DotFiles& dots() { return dots_; }

 private:
  DotFiles dots_;
};

}  // namespace loci::cuda_graph

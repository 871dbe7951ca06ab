// The plugin's one object: a backend and its capturer.
#pragma once

#include <loci/plugin/plugin_object.hpp>
#include <string_view>

#include "kernels.h"
#include "tests/tools/conformance/faulty_plugin/source.h"

namespace loci::faulty {

class FaultyCapturerPlugin {
 public:
  static constexpr std::string_view kId = "org.loci.test.captures";
  static constexpr std::string_view kVersion = "1.0.0";
  static constexpr std::string_view kDeviceType = "captures";

  FaultyCapturerPlugin(const sdk::Host& host, const sdk::Options&)
      : host_(host), kernels_(capturable_kernels()) {}
  const void* interface(std::string_view name);
  [[nodiscard]] const sdk::KernelList& kernels() const { return kernels_; }
  [[nodiscard]] Source& profile_source() { return source_; }
  [[nodiscard]] const sdk::Host& host() const { return host_; }

 private:
  const sdk::Host& host_;
  sdk::KernelList kernels_;
  Source source_;
};

}  // namespace loci::faulty

// The tools that tests put in the place of NVIDIA's.
#pragma once

#include <string>

#include "tests/support/paths.h"

namespace loci::test {

inline std::string fake(const std::string& file) {
  return build_path("tests/plugins/reporter_nvtx/" + file);
}
inline const std::string kFakeInjection = fake("libloci_nvtx_fake_injection.so");
inline const std::string kRefusingInjection = fake("libloci_nvtx_refusing_injection.so");
inline const std::string kFakeToolsExt = fake("libnvToolsExt.so");

}  // namespace loci::test

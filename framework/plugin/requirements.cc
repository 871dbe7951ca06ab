#include "framework/plugin/requirements.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "framework/core/sanitizer.h"
#include "framework/core/suggest.h"
#include "framework/plugin/load_error.h"

namespace loci::plugin {
namespace {

struct CpuFeature {
  std::string name;
  bool present;
};

// The compiler's check covers both CPUID and what the operating system saves.
const std::vector<CpuFeature>& cpu_features() {
#if defined(__x86_64__)
  static const auto& features = *new std::vector<CpuFeature>{
      {"sse3", __builtin_cpu_supports("sse3") != 0},
      {"ssse3", __builtin_cpu_supports("ssse3") != 0},
      {"sse4.1", __builtin_cpu_supports("sse4.1") != 0},
      {"sse4.2", __builtin_cpu_supports("sse4.2") != 0},
      {"popcnt", __builtin_cpu_supports("popcnt") != 0},
      {"avx", __builtin_cpu_supports("avx") != 0},
      {"fma", __builtin_cpu_supports("fma") != 0},
      {"bmi", __builtin_cpu_supports("bmi") != 0},
      {"bmi2", __builtin_cpu_supports("bmi2") != 0},
      {"avx2", __builtin_cpu_supports("avx2") != 0},
      {"avx512f", __builtin_cpu_supports("avx512f") != 0},
      {"avx512bw", __builtin_cpu_supports("avx512bw") != 0},
      {"avx512cd", __builtin_cpu_supports("avx512cd") != 0},
      {"avx512dq", __builtin_cpu_supports("avx512dq") != 0},
      {"avx512vl", __builtin_cpu_supports("avx512vl") != 0},
      {"avx512vnni", __builtin_cpu_supports("avx512vnni") != 0},
      {"avx512bf16", __builtin_cpu_supports("avx512bf16") != 0},
  };
#else
  static const auto& features = *new std::vector<CpuFeature>;
#endif
  return features;
}

}  // namespace

void check_isa(const Manifest& manifest) {
  for (const std::string& name : manifest.isa) {
    const std::vector<CpuFeature>& features = cpu_features();
    const auto found = std::find_if(features.begin(), features.end(),
                                    [&name](const CpuFeature& f) { return f.name == name; });
    if (found == features.end()) {
      std::vector<std::string> known;
      for (const CpuFeature& feature : features) known.push_back(feature.name);
      throw LoadError(ErrorCode::kUnavailable,
                      fmt::format("it needs the CPU feature '{}', which is not known here{}", name,
                                  core::suggest(name, known)),
                      "use a build of the plugin for this kind of processor");
    }
    if (!found->present) {
      throw LoadError(
          ErrorCode::kUnavailable,
          fmt::format("it needs the CPU feature '{}', which this processor lacks", name),
          "use a build of the plugin for this processor");
    }
  }
}

std::string host_sanitizer() {
#if defined(LOCI_ASAN)
  return "address";
#elif defined(LOCI_TSAN)
  return "thread";
#else
  return "none";
#endif
}

void check_sanitizer(const Manifest& manifest) {
  if (manifest.sanitizer == "none" || manifest.sanitizer == host_sanitizer()) return;
  throw LoadError(ErrorCode::kIncompatible,
                  fmt::format("it was built with the {} sanitizer and this process with {}",
                              manifest.sanitizer, host_sanitizer()),
                  "build both with the same LOCI_SANITIZER");
}

}  // namespace loci::plugin

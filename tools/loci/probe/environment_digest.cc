#include "tools/loci/probe/environment_digest.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>

namespace loci::runner {
namespace {

constexpr std::array<std::string_view, 9> kKept{"CUDA_", "GOMP_", "HIP_",  "LD_",    "LOCI_",
                                                "OCL_",  "OMP_",  "ROCR_", "ONEAPI_"};
constexpr std::array<std::string_view, 2> kLeftOut{"LOCI_LOG=", "LOCI_PLUGIN_"};

template <class Prefixes>
bool begins_with_one(std::string_view text, const Prefixes& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [text](std::string_view prefix) {
    return text.substr(0, prefix.size()) == prefix;
  });
}

}  // namespace

std::uint64_t fnv1a(std::string_view text, std::uint64_t before) {
  std::uint64_t value = before;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return value;
}

std::uint64_t environment_digest(const char* const* environment) {
  std::set<std::string_view> kept;
  for (const char* const* entry = environment; *entry != nullptr; ++entry) {
    if (begins_with_one(*entry, kKept) && !begins_with_one(*entry, kLeftOut)) kept.insert(*entry);
  }
  std::string all;
  for (const std::string_view entry : kept) all.append(entry).push_back('\n');
  return fnv1a(all);
}

}  // namespace loci::runner

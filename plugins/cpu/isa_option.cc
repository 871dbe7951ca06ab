#include "plugins/cpu/isa_option.h"

#include <loci/plugin/error.hpp>
#include <string>

#include "plugins/cpu/onednn/engine.h"
#include "plugins/kernels/isa.h"

namespace loci::cpu {
namespace {

using kernels::Isa;

Isa isa_of(std::string_view option) {
  if (option.empty()) return Isa::kAvx512;
  for (const Isa isa : {Isa::kBaseline, Isa::kAvx2, Isa::kAvx512}) {
    if (option == kernels::isa_name(isa)) return isa;
  }
  throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT, "[cpu] the option isa is '" + std::string(option) +
                                                   "'; give " + kernels::isa_name(Isa::kBaseline) +
                                                   ", avx2 or avx512");
}

[[noreturn]] void fail_change(std::string_view option, std::string_view first) {
  const auto text = [](std::string_view value) {
    return value.empty() ? std::string("left out") : "'" + std::string(value) + "'";
  };
  throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT, "[cpu] the option isa is " + text(option) +
                                                   ", but was " + text(first) +
                                                   " before in this process; give the same one");
}

}  // namespace

void limit_isa(std::string_view option) {
  const Isa isa = isa_of(option);
  static const std::string& first = *new std::string([&] {
    if (!option.empty()) {
      kernels::limit_isa(isa);
      onednn::limit_isa(isa);
    }
    return std::string(option);
  }());
  if (option != first) fail_change(option, first);
}

}  // namespace loci::cpu

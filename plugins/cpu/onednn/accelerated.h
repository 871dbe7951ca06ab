// What the kernels of this folder have in common.
#pragma once

#include <cstdint>
#include <loci/plugin/kernel.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/cpu/onednn/engine.h"

namespace loci::cpu::onednn {

inline constexpr std::string_view kName = "onednn";
inline constexpr std::uint64_t kDtypes = LOCI_DTYPE_BIT(LOCI_DTYPE_F32);

// A kernel that prepares a primitive. Which layouts and paddings oneDNN implements well is known
// only once it is asked: it declines the others, and the portable kernel of the op is next.
class Accelerated : public sdk::Kernel {
 public:
  void prepare(sdk::Prepare& prepare) const override;

 protected:
  // What build() gives, with its workspace, layouts and memory asked for.
  [[nodiscard]] Execution prepare_execution(sdk::Prepare& prepare) const;

 private:
  [[nodiscard]] virtual std::optional<Execution> build(const sdk::OpDesc& op) const = 0;
};

// Why a primitive would not pay: `amount` of `what` is below `least`; empty if it does.
std::string too_small(double amount, double least, std::string_view what);

// Whether the extents of all arguments are known, and none has no elements.
bool has_elements(const sdk::OpDesc& op, std::uint32_t inputs);

dnnl::memory::dims dims_of(sdk::Arg argument);

}  // namespace loci::cpu::onednn

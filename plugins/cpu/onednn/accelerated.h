// The base and the checks that the kernels of this folder share.
#pragma once

#include <cstdint>
#include <loci/plugin/kernel.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "plugins/cpu/onednn/cut.h"
#include "plugins/cpu/onednn/parts.h"

namespace loci::cpu::onednn {

inline constexpr std::string_view kName = "onednn";
inline constexpr std::uint64_t kDtypes = LOCI_DTYPE_BIT(LOCI_DTYPE_F32) |
                                         LOCI_DTYPE_BIT(LOCI_DTYPE_BF16) |
                                         LOCI_DTYPE_BIT(LOCI_DTYPE_F16);

// A kernel that prepares a primitive. Which layouts and paddings oneDNN implements well is known
// only once it is asked: it declines the others, and the portable kernel of the op is next.
class Accelerated : public sdk::Kernel {
 public:
  // Takes an op with that many inputs, all of one dtype.
  explicit Accelerated(std::uint32_t inputs) : inputs_(inputs) {}
  void prepare(sdk::Prepare& prepare) const override;

 protected:
  // The best that build() gives, with its workspace, layouts and memory asked for.
  [[nodiscard]] Parts prepare_parts(sdk::Prepare& prepare) const;

 private:
  // How the op is cut for the threads that there are, 2 at least.
  [[nodiscard]] virtual Cut cut(const sdk::OpDesc& op, std::uint32_t threads) const = 0;
  // The part of the op that is the range of the axis; all of it where it is not cut. Throws
  // dnnl::error with dnnl_unimplemented, or gives nothing, where oneDNN has nothing good.
  [[nodiscard]] virtual std::optional<Execution> build(const sdk::OpDesc& op,
                                                       const Elements& elements, CutAxis axis,
                                                       Range range) const = 0;
  // Returns true if the primitive is worth converting 16-bit elements to float32 and back.
  [[nodiscard]] virtual bool is_worth_widening() const { return true; }

  [[nodiscard]] std::optional<Parts> build_parts(const sdk::OpDesc& op, const Elements& elements,
                                                 const Cut& cut, std::uint32_t threads) const;
  [[nodiscard]] std::optional<Parts> build_if_good(const sdk::OpDesc& op, const Elements& elements,
                                                   std::uint32_t threads) const;
  [[nodiscard]] std::optional<Parts> build_best(const sdk::OpDesc& op, std::uint32_t threads) const;

  std::uint32_t inputs_;
};

// Why a primitive would not pay: `amount` of `what` is below `least`; empty if it does.
std::string too_small(double amount, double least, std::string_view what);

// Why oneDNN cannot take an image of the first inputs or the result, [batch, ...]: it counts the
// elements of one in 32 bits, and divides by what is left. Empty if it can.
std::string too_large(const sdk::OpDesc& op, std::uint32_t inputs);

// Returns true if the extents of all arguments are known, and none has no elements.
bool has_elements(const sdk::OpDesc& op, std::uint32_t inputs);

dnnl::memory::dims dims_of(sdk::Arg argument);

}  // namespace loci::cpu::onednn

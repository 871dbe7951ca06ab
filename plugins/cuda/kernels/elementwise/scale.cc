// scale, by scale.cu.
#include <loci/plugin/dtype_visit.hpp>

#include "kernels/elementwise/dense_map.h"
#include "kernels/elementwise/long_integer.h"
#include "kernels/kernel_list.h"

extern "C" const unsigned long long loci_cuda_scale[];

namespace loci::cuda {
namespace {

constexpr KernelImage kScaleImage{"scale", loci_cuda_scale};

std::uint64_t wrapped(double value) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
}

class Scale final : public sdk::Kernel {
 public:
  explicit Scale(const sdk::OpDesc& op)
      : factor_(op.attributes().real("scale")), bias_(op.attributes().real("bias")) {}

  void prepare(sdk::Prepare& prepare) const override {
    const loci_dtype dtype = prepare.op().output(0).dtype();
    if (dtype == LOCI_DTYPE_F64) return emplace(prepare, "scale", dtype, factor_, bias_);
    if ((sdk::kFloatBits & LOCI_DTYPE_BIT(dtype)) != 0) {
      return emplace(prepare, "scale", dtype, static_cast<float>(factor_),
                     static_cast<float>(bias_));
    }
    if (is_long_integer(factor_) && is_long_integer(bias_)) {
      return emplace(prepare, "scale", as_unsigned(dtype), wrapped(factor_), wrapped(bias_));
    }
    emplace(prepare, "scale_rounded", dtype, factor_, bias_);
  }

 private:
  template <class Constant>
  static void emplace(sdk::Prepare& prepare, std::string_view stem, loci_dtype dtype,
                      Constant factor, Constant bias) {
    emplace_dense_map<1>(prepare, KernelFunction(prepare, kScaleImage, typed_name(stem, dtype)),
                         lanes_of(dtype), factor, bias);
  }

  double factor_;
  double bias_;
};

}  // namespace

void add_scale(Kernels& kernels) {
  kernels.push_back(enqueuing("scale", sdk::kNumberBits, sdk::make_kernel<Scale>, {{0, 0}}));
}

}  // namespace loci::cuda

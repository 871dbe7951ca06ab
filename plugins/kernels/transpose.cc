// transpose.
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/strided_copy.h"

#include <loci/plugin/dtype_visit.hpp>

namespace loci::kernels {
namespace {

struct Rearrange {
  void launch(const sdk::Launch& launch) const {
    copy_strided(*host, copy, launch.input<char>(0), launch.output<char>(0));
  }
  const sdk::Host* host;
  sdk::StridedCopyPlan copy;
};

class Transpose final : public sdk::Kernel {
 public:
  explicit Transpose(const sdk::OpDesc& op) : perm_(op.attributes().integers("perm")) {}

  void prepare(sdk::Prepare& prepare) const override {
    const auto x = prepare.op().input(0);
    const auto out = prepare.op().output(0);
    const auto bytes = static_cast<std::int64_t>(sdk::dtype_bytes(x.dtype()));
    const sdk::Strides from = sdk::dense_strides(x.dims(), bytes);
    const sdk::Strides to = sdk::dense_strides(out.dims(), bytes);
    sdk::StridedCopyPlan copy(bytes);
    for (std::size_t i = 0; i < perm_.size(); ++i) {
      copy.axis(out.dims()[i], from[sdk::axis_index(perm_[i], perm_.size())], to[i]);
    }
    prepare.emplace<Rearrange>(&prepare.host(), copy.resolve());
  }

 private:
  std::vector<std::int64_t> perm_;
};

}  // namespace

void add_transpose(KernelDefs& kernels) {
  kernels.push_back({.op = "transpose",
                     .name = kPortable,
                     .dtypes = sdk::kAllBits,
                     .create = sdk::make_kernel<Transpose>});
}

}  // namespace loci::kernels

// transpose, and expand, expand_like and tile, which repeat: strided copies of x.
#include <loci/plugin/dims.hpp>
#include <loci/plugin/dtype_visit.hpp>

#include "kernels/kernel_list.h"
#include "kernels/move/strided_copy.h"

namespace loci::cuda {
namespace {

using sdk::StridedCopyPlan;

struct Rearrangement {
  void launch(const sdk::Launch& launch) const {
    copier.launch(launch, copy, launch.input<char>(0), launch.output<char>(0));
  }
  StridedCopier copier;
  StridedCopyPlan copy;
};

std::int64_t element_bytes(const sdk::Arg& argument) {
  return static_cast<std::int64_t>(sdk::dtype_bytes(argument.dtype()));
}

class Transpose final : public sdk::Kernel {
 public:
  explicit Transpose(const sdk::OpDesc& op) : perm_(op.attributes().integers("perm")) {}

  void prepare(sdk::Prepare& prepare) const override {
    const sdk::Arg x = prepare.op().input(0);
    const sdk::Arg out = prepare.op().output(0);
    const std::int64_t bytes = element_bytes(x);
    const sdk::Strides from = sdk::dense_strides(x.dims(), bytes);
    const sdk::Strides to = sdk::dense_strides(out.dims(), bytes);
    StridedCopyPlan copy(bytes);
    for (std::size_t i = 0; i < perm_.size(); ++i) {
      copy.axis(out.dims()[i], from[sdk::axis_index(perm_[i], perm_.size())], to[i]);
    }
    prepare.emplace<Rearrangement>(StridedCopier(prepare), copy.resolve());
  }

 private:
  std::vector<std::int64_t> perm_;
};

// Each dimension of the result is copies of one of x; those in front of x are copies of all of it.
void prepare_repetition(sdk::Prepare& prepare) {
  const sdk::Arg x = prepare.op().input(0);
  const sdk::Arg out = prepare.op().output(0);
  const std::int64_t bytes = element_bytes(x);
  const sdk::Strides from = sdk::dense_strides(x.dims(), bytes);
  const sdk::Strides to = sdk::dense_strides(out.dims(), bytes);
  const auto added = static_cast<std::size_t>(out.rank() - x.rank());
  StridedCopyPlan copy(bytes);
  for (std::size_t i = 0; i < out.dims().size(); ++i) {
    const std::int64_t extent = i < added ? 1 : x.dims()[i - added];
    const std::int64_t copies = extent == 0 ? 0 : out.dims()[i] / extent;
    copy.axis(copies, 0, extent * to[i]);
    copy.axis(extent, i < added ? 0 : from[i - added], to[i]);
  }
  prepare.emplace<Rearrangement>(StridedCopier(prepare), copy.resolve());
}

}  // namespace

void add_transpose(Kernels& kernels) {
  kernels.push_back(enqueuing("transpose", sdk::kAllBits, sdk::make_kernel<Transpose>));
  for (const char* op : {"expand", "expand_like", "tile"}) {
    kernels.push_back(enqueuing(op, sdk::kAllBits, sdk::make_kernel<prepare_repetition>));
  }
}

}  // namespace loci::cuda

#include "kernels/call.h"
#include "kernels/kernel_list.h"

namespace opencl {
namespace {

using loci::sdk::Dims;

class Softmax final : public loci::sdk::Kernel {
 public:
  explicit Softmax(const loci::sdk::OpDesc& op) : axis_(op.attributes().integer("axis")) {}
  void prepare(loci::sdk::Prepare& prepare) const override {
    const Dims dims = prepare.op().input(0).dims();
    const auto axis =
        static_cast<std::size_t>(axis_ < 0 ? axis_ + static_cast<int>(dims.size()) : axis_);
    const std::int64_t stride =
        loci::sdk::numel_of({dims.data() + axis + 1, dims.size() - axis - 1});
    const std::int64_t rows = loci::sdk::numel_of({dims.data(), axis}) * stride;
    Call call(prepare, kReduceSource, "softmax");
    call.input(0).output(0).value(rows).value(dims[axis]).value(stride).finish(prepare, rows);
  }

 private:
  std::int64_t axis_;
};

}  // namespace

void add_softmax(Kernels& kernels) {
  kernels.push_back(
      {"softmax", kName, kFloat32, loci::sdk::make_kernel<Softmax>, nullptr, {{0, 0}}});
}

}  // namespace opencl

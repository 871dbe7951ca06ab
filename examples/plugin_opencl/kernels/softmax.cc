#include <loci/plugin/dims.hpp>

#include "kernels/call.h"
#include "kernels/kernel_list.h"

namespace opencl {
namespace {

class Softmax final : public loci::sdk::Kernel {
 public:
  explicit Softmax(const loci::sdk::OpDesc& op) : axis_(op.attributes().integer("axis")) {}
  void prepare(loci::sdk::Prepare& prepare) const override {
    const loci::sdk::AxisSplit split(prepare.op().input(0).dims(), axis_);
    const std::int64_t rows = split.outer * split.inner;
    Call call(prepare, kReduceSource, "softmax");
    call.input(0).output(0).value(rows).value(split.count).value(split.inner);
    call.finish(prepare, rows);
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

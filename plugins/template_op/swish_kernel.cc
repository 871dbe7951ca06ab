#include <cmath>
#include <loci/plugin/dtype_visit.hpp>

#include "swish.h"

namespace sample_plugin {
namespace {

// Prepared: immutable, launched from any thread. 16-bit floats compute in float32.
template <class T>
struct Swish {
  void launch(const sdk::Launch& launch) const {
    const auto* x = launch.input<T>(0);
    auto* out = launch.output<T>(0);
    // Worth a parallel region from about a thousand elements on.
    host->parallel_for(0, count, 1024, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const auto value = static_cast<Compute>(x[i]);
        out[i] = static_cast<T>(value / (1 + std::exp(-beta * value)));
      }
    });
  }
  using Compute = sdk::compute_t<T>;
  const sdk::Host* host;
  std::int64_t count;
  Compute beta;
};

class SwishKernel final : public sdk::Kernel {
 public:
  explicit SwishKernel(const sdk::OpDesc& op) : beta_(op.attributes().real("beta")) {}
  void prepare(sdk::Prepare& prepare) const override {
    const auto x = prepare.op().input(0);
    sdk::visit_floats(x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      using Compute = typename Swish<T>::Compute;
      prepare.emplace<Swish<T>>(&prepare.host(), x.numel(), static_cast<Compute>(beta_));
    });
  }

 private:
  double beta_;
};

}  // namespace

sdk::KernelDef swish_kernel() {
  return {"sample.swish", "sample", sdk::kFloatBits, sdk::make_kernel<SwishKernel>,
          nullptr,        {{0, 0}}, /*flags=*/0,     kSwishVersion};
}

}  // namespace sample_plugin

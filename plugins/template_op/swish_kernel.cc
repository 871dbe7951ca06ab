#include <cmath>
#include <loci/plugin/dtype_visit.hpp>

#include "swish.h"

namespace sample_plugin {
namespace {

using loci::sdk::Launch;
using loci::sdk::OpDesc;
using loci::sdk::Prepare;

// Prepared: immutable, launched from any thread. 16-bit floats compute in float32.
template <class T>
struct Swish {
  void launch(const Launch& launch) const {
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
  using Compute = loci::sdk::compute_t<T>;
  const loci::sdk::Host* host;
  std::int64_t count;
  Compute beta;
};

class SwishKernel final : public loci::sdk::Kernel {
 public:
  explicit SwishKernel(const OpDesc& op) : beta_(op.attributes().real("beta")) {}
  void prepare(Prepare& prepare) const override {
    const auto x = prepare.op().input(0);
    loci::sdk::visit_floats(x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      using Compute = typename Swish<T>::Compute;
      prepare.emplace<Swish<T>>(&prepare.host(), x.numel(), static_cast<Compute>(beta_));
    });
  }

 private:
  double beta_;
};

}  // namespace

loci::sdk::KernelDef swish_kernel() {
  loci::sdk::KernelDef kernel{"sample.swish", "sample", loci::sdk::kFloatBits,
                              loci::sdk::make_kernel<SwishKernel>};
  kernel.aliases = {{0, 0}};
  kernel.op_version = kSwishVersion;
  return kernel;
}

}  // namespace sample_plugin

// clip and its gradient, by clip.cu.
#include <cmath>
#include <loci/plugin/dtype_visit.hpp>

#include "kernels/elementwise/dense_map.h"
#include "kernels/kernel_list.h"
#include "kernels/launch/convert.h"

extern "C" const unsigned long long loci_cuda_clip[];

namespace loci::cuda {
namespace {

constexpr KernelImage kClipImage{"clip", loci_cuda_clip};

// The attributes rounded as elements are, so that an element can be an end.
template <class T>
struct Ends {
  using C = sdk::compute_t<T>;
  Ends(double low, double high)
      : min(static_cast<C>(convert<T>(sdk::is_float<T> ? low : std::ceil(low)))),
        max(static_cast<C>(convert<T>(sdk::is_float<T> ? high : std::floor(high)))) {}
  C min;
  C max;
};

template <std::size_t operands>
class Clip final : public sdk::Kernel {
 public:
  explicit Clip(const sdk::OpDesc& op)
      : min_(op.attributes().real("min")), max_(op.attributes().real("max")) {}

  void prepare(sdk::Prepare& prepare) const override {
    const loci_dtype dtype = prepare.op().output(0).dtype();
    KernelFunction function(prepare, kClipImage, typed_name(prepare.op().name(), dtype));
    sdk::visit_numbers(dtype, [&](auto tag) {
      const Ends<typename decltype(tag)::type> ends(min_, max_);
      emplace_dense_map<operands>(prepare, function, lanes_of(dtype), ends.min, ends.max);
    });
  }

 private:
  double min_;
  double max_;
};

}  // namespace

void add_clip(Kernels& kernels) {
  kernels.push_back(enqueuing("clip", sdk::kNumberBits, sdk::make_kernel<Clip<1>>, {{0, 0}}));
  kernels.push_back(
      enqueuing("clip_grad", sdk::kFloatBits, sdk::make_kernel<Clip<2>>, {{0, 0}, {1, 0}}));
}

}  // namespace loci::cuda

// sgd.
#include "plugins/kernels/grain.h"
#include "plugins/kernels/isa.h"
#include "plugins/kernels/kernel_list.h"

#include <loci/plugin/dtype_visit.hpp>

namespace loci::kernels {
namespace {

// param_out is the memory of param.
template <class T>
struct Sgd {
  void launch(const sdk::Launch& launch) const {
    using C = sdk::compute_t<T>;
    T* param = launch.output<T>(0);
    const T* grad = launch.input<T>(1);
    const auto rate = static_cast<C>(*launch.input<float>(2));
    host->parallel_for(
        0, count, grain_for(sdk::is_half<T> ? 250 : 40 * sizeof(T)),
        [&](std::int64_t begin, std::int64_t end) {
          run_widest([&](auto) LOCI_INLINE { update(param, grad, rate, begin, end); });
        });
  }

  template <class C>
  LOCI_INLINE static void update(T* param, const T* grad, C rate, std::int64_t begin,
                                 std::int64_t end) {
#pragma omp simd
    for (std::int64_t i = begin; i < end; ++i) {
      param[i] = static_cast<T>(static_cast<C>(param[i]) - rate * static_cast<C>(grad[i]));
    }
  }

  const sdk::Host* host;
  std::int64_t count;
};

void prepare_sgd(sdk::Prepare& prepare) {
  const auto param = prepare.op().input(0);
  sdk::visit_floats(param.dtype(), [&](auto tag) {
    prepare.emplace<Sgd<typename decltype(tag)::type>>(&prepare.host(), param.numel());
  });
}

std::string sgd_supports(const sdk::OpDesc& op) {
  if (op.input(1).dtype() != op.input(0).dtype()) return "parameter and gradient differ in dtype";
  if (op.input(2).dtype() != LOCI_DTYPE_F32) return "the learning rate is not float32";
  return {};
}

}  // namespace

void add_optimizer(KernelDefs& kernels) {
  kernels.push_back({.op = "sgd",
                     .name = kPortable,
                     .dtypes = sdk::kFloatBits,
                     .create = sdk::make_kernel<prepare_sgd>,
                     .supports = sgd_supports});
}

}  // namespace loci::kernels

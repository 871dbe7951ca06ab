// pool2d and its gradient.
#include <algorithm>
#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/kernel.hpp>
#include <loci/plugin/pool2d.hpp>

#include "plugins/kernels/grain.h"
#include "plugins/kernels/isa.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/plane_means.h"
#include "plugins/kernels/pool_rows.h"
#include "plugins/kernels/pool_shares.h"
#include "plugins/kernels/pool_windows.h"
#include "plugins/kernels/widened_rows.h"

namespace loci::kernels {
namespace {

using sdk::Launch;
using sdk::Prepare;

constexpr std::int64_t kPicoseconds = 300;  // of an element of the image

// Planes that a thread should have of the gradient.
std::int64_t grad_grain(const PoolGeometry& geometry) {
  const std::int64_t window = geometry.height_axis.kernel * geometry.width_axis.kernel;
  return grain_for(700 * std::max<std::int64_t>(geometry.windows() * window, 1));
}

// Sums for a plane in double, because windows overlap; planes do not, so each is one thread's.
template <class T, class Shares>
struct PoolGrad {
  void launch(const Launch& launch) const {
    // Slots instead of workers: the workspace was sized when the kernel was prepared.
    host->parallel_for(0, slots, 1, [&](std::int64_t begin, std::int64_t end) {
      run_widest([&](auto) LOCI_INLINE {
        for (std::int64_t slot = begin; slot < end; ++slot) run_slot(launch, slot);
      });
    });
  }

  LOCI_INLINE void run_slot(const Launch& launch, std::int64_t slot) const {
    const T* x = launch.input<T>(0);
    const T* out_grad = launch.input<T>(2);
    T* x_grad = launch.output<T>(0);
    auto* sums = launch.workspace<double>() + slot * geometry.image_size;
    for (std::int64_t plane = slot; plane < geometry.planes; plane += slots) {
      const std::int64_t offset = plane * geometry.image_size;
      std::fill(sums, sums + geometry.image_size, 0.0);
      add_rows(sums, x + offset, out_grad + plane * geometry.windows());
      for (std::int64_t i = 0; i < geometry.image_size; ++i) x_grad[offset + i] = T(sums[i]);
    }
  }

  LOCI_INLINE void add_rows(double* sums, const T* image, const T* out_grad) const {
    const std::int64_t columns = geometry.width_axis.output;
    for (std::int64_t h = 0; h < geometry.height_axis.output; ++h, out_grad += columns) {
      if (geometry.height_axis.inside(h).size() == 0) continue;
      Shares::add(geometry, h, image, out_grad, sums);
    }
  }

  const sdk::Host* host;
  PoolGeometry geometry;
  std::int64_t slots;
};

class Pool2d final : public sdk::Kernel {
 public:
  explicit Pool2d(const sdk::OpDesc& op) : options_(sdk::read_pool_options(op.attributes())) {}

  void prepare(Prepare& prepare) const override {
    const auto x = prepare.op().input(0);
    const PoolGeometry geometry(sdk::pool_shape(x.dims(), options_), options_);
    sdk::visit_floats(x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      using C = sdk::compute_t<T>;
      if (options_.is_max) {
        emplace<T, MaxOfWindow<C>>(prepare, geometry);
      } else if (geometry.is_small()) {
        emplace<T, MeanOfWindow<C>>(prepare, geometry);
      } else {
        emplace<T, MeanOfWindow<double>>(prepare, geometry);
      }
    });
  }

 private:
  template <class T, class Fold>
  static void emplace(Prepare& prepare, const PoolGeometry& geometry) {
    using C = sdk::compute_t<T>;
    if constexpr (std::is_same_v<Fold, MeanOfWindow<float>>) {
      if (PlaneMeans::suits(geometry)) return emplace_planes<T, PlaneMeans>(prepare, geometry);
    }
    if constexpr (std::is_same_v<C, typename Fold::State>) {
      if (PoolRows<C, Fold>::suits(geometry)) {
        return emplace_planes<T, PoolRows<C, Fold>>(prepare, geometry);
      }
    }
    if (PoolStrips<C, Fold>::suits(geometry)) {
      emplace_planes<T, PoolStrips<C, Fold>>(prepare, geometry);
    } else {
      emplace_planes<T, PoolRuns<C, Fold>>(prepare, geometry);
    }
  }

  // Pooled: a kernel of what T is computed in.
  template <class T, class Pooled>
  static void emplace_planes(Prepare& prepare, const PoolGeometry& geometry) {
    const sdk::Host* host = &prepare.host();
    if constexpr (sdk::is_half<T>) {
      emplace_widened_rows(prepare, geometry.planes, {{1}, 1}, kPicoseconds,
                           [&](std::int64_t planes) {
                             PoolGeometry part = geometry;
                             part.planes = planes;
                             return Pooled{host, part};
                           });
    } else {
      prepare.emplace<Pooled>(host, geometry);
    }
  }

  sdk::PoolOptions options_;
};

class Pool2dGrad final : public sdk::Kernel {
 public:
  explicit Pool2dGrad(const sdk::OpDesc& op) : options_(sdk::read_pool_options(op.attributes())) {}

  void prepare(Prepare& prepare) const override {
    const auto x = prepare.op().input(0);
    const PoolGeometry geometry(sdk::pool_shape(x.dims(), options_), options_);
    const std::int64_t threads = geometry.planes / grad_grain(geometry);
    const std::int64_t slots =
        std::clamp<std::int64_t>(threads, 1, prepare.host().parallel_width());
    switch (x.dtype()) {
      case LOCI_DTYPE_F64: return emplace<double>(prepare, geometry, slots);
      default: return emplace<float>(prepare, geometry, slots);
    }
  }

 private:
  template <class C>
  void emplace(Prepare& prepare, const PoolGeometry& geometry, std::int64_t slots) const {
    const sdk::Host* host = &prepare.host();
    if (options_.is_max) {
      emplace_grad(prepare, PoolGrad<C, ShareOfLargest>{host, geometry, slots});
    } else {
      emplace_grad(prepare, PoolGrad<C, ShareOfAll>{host, geometry, slots});
    }
  }

  template <class Grad>
  static void emplace_grad(Prepare& prepare, const Grad& grad) {
    const std::uint64_t bytes =
        static_cast<std::uint64_t>(grad.slots * grad.geometry.image_size) * sizeof(double);
    if (sdk::dtype_bytes(prepare.op().input(0).dtype()) == 2) {
      return emplace_widened(prepare, {3}, bytes, grad);
    }
    prepare.set_workspace(bytes);
    prepare.emplace<Grad>(grad);
  }

  sdk::PoolOptions options_;
};

}  // namespace

void add_pool2d(KernelDefs& kernels) {
  kernels.push_back({.op = "pool2d",
                     .name = kPortable,
                     .dtypes = sdk::kFloatBits,
                     .create = sdk::make_kernel<Pool2d>});
  kernels.push_back({.op = "pool2d_grad",
                     .name = kPortable,
                     .dtypes = sdk::kFloatBits,
                     .create = sdk::make_kernel<Pool2dGrad>});
}

}  // namespace loci::kernels

// pool2d and its gradient.
#include <algorithm>
#include <limits>
#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/kernel.hpp>
#include <loci/plugin/pool2d.hpp>
#include <vector>

#include "plugins/kernels/grain.h"
#include "plugins/kernels/isa.h"
#include "plugins/kernels/kernel_list.h"

namespace loci::kernels {
namespace {

using sdk::Launch;
using sdk::Prepare;

// The part of a window that lies inside the image.
using Range = sdk::WindowRange;

std::vector<Range> inside(const sdk::WindowAxis& axis) {
  std::vector<Range> ranges;
  for (std::int64_t o = 0; o < axis.output; ++o) ranges.push_back(axis.inside(o));
  return ranges;
}

struct PoolGeometry {
  PoolGeometry(const sdk::PoolShape& shape, const sdk::PoolOptions& options)
      : planes(shape.planes),
        width(shape.window.width.input),
        image_size(shape.window.height.input * width),
        rows(inside(shape.window.height)),
        columns(inside(shape.window.width)),
        full_window(options.exclusive ? 0
                                      : shape.window.height.kernel * shape.window.width.kernel) {}

  [[nodiscard]] std::int64_t windows() const {
    return static_cast<std::int64_t>(rows.size() * columns.size());
  }
  // What the sum of a window is divided by.
  [[nodiscard]] std::int64_t divisor(const Range& row, const Range& column) const {
    return full_window != 0 ? full_window : std::max<std::int64_t>(row.size() * column.size(), 1);
  }
  [[nodiscard]] std::int64_t grain() const {
    const std::int64_t window =
        rows.empty() || columns.empty() ? 1 : rows.front().size() * columns.front().size();
    return grain_for(700 * std::max<std::int64_t>(windows() * window, 1));
  }

  std::int64_t planes;
  std::int64_t width;
  std::int64_t image_size;
  std::vector<Range> rows;
  std::vector<Range> columns;
  std::int64_t full_window;  // 0: only elements inside count
};

// The first of the largest elements; NaN counts as the largest.
template <class T>
std::int64_t find_max(const T* image, std::int64_t width, const Range& row, const Range& column) {
  using C = sdk::compute_t<T>;
  std::int64_t best = row.begin * width + column.begin;
  auto largest = static_cast<C>(image[best]);
  for (std::int64_t h = row.begin; h < row.end; ++h) {
    for (std::int64_t w = column.begin; w < column.end; ++w) {
      const auto value = static_cast<C>(image[h * width + w]);
      if (value <= largest || largest != largest) continue;
      largest = value;
      best = h * width + w;
    }
  }
  return best;
}

// Window is called with (plane, window's index, row range, column range).
template <class Window>
void for_windows(const sdk::Host& host, const PoolGeometry& geometry, const Window& window) {
  host.parallel_for(0, geometry.planes, geometry.grain(),
                    [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t plane = begin; plane < end; ++plane) {
                        std::int64_t index = plane * geometry.windows();
                        for (const Range& row : geometry.rows) {
                          for (const Range& column : geometry.columns) {
                            window(plane, index++, row, column);
                          }
                        }
                      }
                    });
}

template <class T>
struct MaxPool {
  void launch(const Launch& launch) const {
    const T* x = launch.input<T>(0);
    T* out = launch.output<T>(0);
    for_windows(*host, geometry,
                [&](std::int64_t plane, std::int64_t i, const Range& row, const Range& column) {
                  const T* image = x + plane * geometry.image_size;
                  out[i] = row.size() * column.size() == 0
                               ? T(-std::numeric_limits<float>::infinity())
                               : image[find_max(image, geometry.width, row, column)];
                });
  }
  const sdk::Host* host;
  PoolGeometry geometry;
};

template <class T>
struct MeanPool {
  using C = sdk::compute_t<T>;
  void launch(const Launch& launch) const {
    const T* x = launch.input<T>(0);
    T* out = launch.output<T>(0);
    for_windows(*host, geometry,
                [&](std::int64_t plane, std::int64_t i, const Range& row, const Range& column) {
                  const T* image = x + plane * geometry.image_size;
                  double sum = 0;
                  for (std::int64_t h = row.begin; h < row.end; ++h) {
                    for (std::int64_t w = column.begin; w < column.end; ++w) {
                      sum += static_cast<double>(static_cast<C>(image[h * geometry.width + w]));
                    }
                  }
                  out[i] = T(sum / static_cast<double>(geometry.divisor(row, column)));
                });
  }
  const sdk::Host* host;
  PoolGeometry geometry;
};

// Sums for a plane in double, because windows overlap; planes do not, so each is one thread's.
template <class T, bool is_max>
struct PoolGrad {
  using C = sdk::compute_t<T>;

  void launch(const Launch& launch) const {
    const T* x = launch.input<T>(0);
    const T* out_grad = launch.input<T>(2);
    T* x_grad = launch.output<T>(0);
    // Slots instead of workers: the workspace was sized when the kernel was prepared.
    host->parallel_for(0, slots, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t slot = begin; slot < end; ++slot) {
        auto* sums = launch.workspace<double>() + slot * geometry.image_size;
        for (std::int64_t plane = slot; plane < geometry.planes; plane += slots) {
          const std::int64_t offset = plane * geometry.image_size;
          std::fill(sums, sums + geometry.image_size, 0.0);
          scatter(sums, x + offset, out_grad + plane * geometry.windows());
          for (std::int64_t i = 0; i < geometry.image_size; ++i) x_grad[offset + i] = T(sums[i]);
        }
      }
    });
  }

  void scatter(double* sums, const T* image, const T* out_grad) const {
    for (const Range& row : geometry.rows) {
      for (const Range& column : geometry.columns) {
        const auto grad = static_cast<double>(static_cast<C>(*out_grad++));
        if (row.size() * column.size() == 0) continue;
        if constexpr (is_max) {
          sums[find_max(image, geometry.width, row, column)] += grad;
        } else {
          const double share = grad / static_cast<double>(geometry.divisor(row, column));
          for (std::int64_t h = row.begin; h < row.end; ++h) {
            for (std::int64_t w = column.begin; w < column.end; ++w) {
              sums[h * geometry.width + w] += share;
            }
          }
        }
      }
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
      if (options_.is_max) {
        prepare.emplace<MaxPool<T>>(&prepare.host(), geometry);
      } else {
        prepare.emplace<MeanPool<T>>(&prepare.host(), geometry);
      }
    });
  }

 private:
  sdk::PoolOptions options_;
};

class Pool2dGrad final : public sdk::Kernel {
 public:
  explicit Pool2dGrad(const sdk::OpDesc& op) : options_(sdk::read_pool_options(op.attributes())) {}

  void prepare(Prepare& prepare) const override {
    const auto x = prepare.op().input(0);
    const PoolGeometry geometry(sdk::pool_shape(x.dims(), options_), options_);
    const std::int64_t threads = geometry.planes / geometry.grain();
    const std::int64_t slots =
        std::clamp<std::int64_t>(threads, 1, prepare.host().parallel_width());
    prepare.set_workspace(static_cast<std::uint64_t>(slots * geometry.image_size) * sizeof(double));
    sdk::visit_floats(x.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      if (options_.is_max) {
        prepare.emplace<PoolGrad<T, true>>(&prepare.host(), geometry, slots);
      } else {
        prepare.emplace<PoolGrad<T, false>>(&prepare.host(), geometry, slots);
      }
    });
  }

 private:
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

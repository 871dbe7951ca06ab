// conv2d and its two gradients, as matrix products whose operands are gathered from the images.
#include <cstdint>
#include <loci/plugin/conv2d.hpp>
#include <loci/plugin/dtype_visit.hpp>
#include <loci/plugin/kernel.hpp>
#include <string>
#include <utility>
#include <vector>

#include "plugins/kernels/gemm.h"
#include "plugins/kernels/kernel_list.h"
#include "plugins/kernels/widened.h"

namespace loci::kernels {
namespace {

using sdk::ConvShape;
using sdk::Launch;
using sdk::OpDesc;
using sdk::Prepare;

// A position in an image: the element, and the coordinates that have to be inside.
struct Position {
  std::int64_t offset;
  std::int64_t row;
  std::int64_t column;
};

// Positions of the windows' first elements; of a window's elements relative to it, for each channel
// of a group. Offsets are into the image of one group.
std::vector<Position> window_origins(const sdk::Window2d& window) {
  // A table of more windows would take all the memory before anybody asks for the images'.
  constexpr std::int64_t kMost = std::int64_t{1} << 28;
  const std::int64_t windows = window.height.output * window.width.output;
  if (windows > kMost) {
    throw sdk::Error(LOCI_CODE_OUT_OF_MEMORY,
                     "[conv2d] images of " + std::to_string(windows) +
                         " windows need more memory than the kernel has tables for, which is " +
                         std::to_string(kMost) + "; cut them");
  }
  std::vector<Position> origins;
  origins.reserve(static_cast<std::size_t>(windows));
  for (std::int64_t h = 0; h < window.height.output; ++h) {
    for (std::int64_t w = 0; w < window.width.output; ++w) {
      const std::int64_t row = window.height.begin(h);
      const std::int64_t column = window.width.begin(w);
      origins.push_back({row * window.width.input + column, row, column});
    }
  }
  return origins;
}

std::vector<Position> window_elements(const sdk::Window2d& window, std::int64_t channels) {
  std::vector<Position> elements;
  for (std::int64_t c = 0; c < channels; ++c) {
    for (std::int64_t h = 0; h < window.height.kernel; ++h) {
      for (std::int64_t w = 0; w < window.width.kernel; ++w) {
        const std::int64_t row = h * window.height.dilation;
        const std::int64_t column = w * window.width.dilation;
        const std::int64_t offset = (c * window.height.input + row) * window.width.input + column;
        elements.push_back({offset, row, column});
      }
    }
  }
  return elements;
}

// The element of an image under a window; 0 in the padding.
template <class T>
struct Gather {
  LOCI_INLINE sdk::compute_t<T> operator()(const Position& origin, const Position& element) const {
    const auto row = static_cast<std::uint64_t>(origin.row + element.row);
    const auto column = static_cast<std::uint64_t>(origin.column + element.column);
    // Unsigned: a negative coordinate is past the end too.
    if (row >= height || column >= width) return 0;
    return static_cast<sdk::compute_t<T>>(image[origin.offset + element.offset]);
  }
  const T* image;
  std::uint64_t height;
  std::uint64_t width;
};

template <class T>
Gather<T> gather_of(const T* image, const sdk::Window2d& window) {
  return {image, static_cast<std::uint64_t>(window.height.input),
          static_cast<std::uint64_t>(window.width.input)};
}

// out[image, group] = filter[group] * windows of x[image, group].
template <class T>
struct Forward {
  using Acc = sdk::compute_t<T>;
  struct Matrix {
    LOCI_INLINE Acc a(std::int64_t m, std::int64_t k) const {
      return static_cast<Acc>(filter[m * window_size + k]);
    }
    LOCI_INLINE Acc b(std::int64_t k, std::int64_t n) const {
      return gather(origins[n], elements[k]);
    }
    LOCI_INLINE void store(std::int64_t m, std::int64_t n, Acc value) const {
      out[m * windows + n] =
          static_cast<T>(bias == nullptr ? value : value + static_cast<Acc>(bias[m]));
    }
    const T* filter;
    const T* bias;
    T* out;
    Gather<T> gather;
    const Position* origins;
    const Position* elements;
    std::int64_t window_size;
    std::int64_t windows;
  };

  Forward(const sdk::Host& owner, const ConvShape& geometry, std::uint32_t threads)
      : host(&owner),
        shape(geometry),
        plan(
            {shape.batch * shape.groups, shape.group_filters, shape.windows(), shape.window_size()},
            threads),
        origins(window_origins(shape.window)),
        elements(window_elements(shape.window, shape.group_channels)) {}

  void launch(const Launch& launch) const {
    multiply(*host, plan, launch.workspace<Acc>(), [&](std::int64_t item) {
      const std::int64_t group = item % shape.groups;
      const T* bias = launch.input<T>(2);
      return Matrix{launch.input<T>(1) + group * shape.group_filters * shape.window_size(),
                    bias == nullptr ? nullptr : bias + group * shape.group_filters,
                    launch.output<T>(0) + item * shape.group_filters * shape.windows(),
                    gather_of(launch.input<T>(0) + item * shape.group_channels * shape.image_size(),
                              shape.window),
                    origins.data(),
                    elements.data(),
                    shape.window_size(),
                    shape.windows()};
    });
  }

  const sdk::Host* host;
  ConvShape shape;
  GemmPlan<Acc> plan;
  std::vector<Position> origins;
  std::vector<Position> elements;
};

// Which window begins so that its element `k` is the input `i`: entry [k * input + i], times
// `scale`; negative if there is none.
std::vector<std::int64_t> windows_holding(const sdk::WindowAxis& axis, std::int64_t scale) {
  std::vector<std::int64_t> table;
  for (std::int64_t k = 0; k < axis.kernel; ++k) {
    for (std::int64_t i = 0; i < axis.input; ++i) {
      const std::int64_t window = axis.window_at(i, k);
      table.push_back(window < 0 ? -1 : window * scale);
    }
  }
  return table;
}

// x_grad[image, group] = filter[group]^T * the elements of out_grad whose windows hold the pixel.
template <class T>
struct InputGrad {
  using Acc = sdk::compute_t<T>;
  // One factor of the inner dimension: a filter and an element of its window.
  struct Tap {
    std::int64_t filter;  // offset of the weight of channel 0
    std::int64_t plane;   // offset of the filter's result
    std::int64_t row;     // of the element in the tables of rows and columns
    std::int64_t column;
  };
  struct Matrix {
    LOCI_INLINE Acc a(std::int64_t m, std::int64_t k) const {
      return static_cast<Acc>(filter[taps[k].filter + m * kernel_size]);
    }
    LOCI_INLINE Acc b(std::int64_t k, std::int64_t n) const {
      const std::int64_t row = rows[taps[k].row + pixels[n].row];
      const std::int64_t column = columns[taps[k].column + pixels[n].column];
      if ((row | column) < 0) return 0;
      return static_cast<Acc>(out_grad[taps[k].plane + row + column]);
    }
    LOCI_INLINE void store(std::int64_t m, std::int64_t n, Acc value) const {
      x_grad[m * image_size + n] = static_cast<T>(value);
    }
    const T* filter;
    const T* out_grad;
    T* x_grad;
    const Tap* taps;
    const Position* pixels;
    const std::int64_t* rows;
    const std::int64_t* columns;
    std::int64_t kernel_size;
    std::int64_t image_size;
  };

  InputGrad(const sdk::Host& owner, const ConvShape& geometry, std::uint32_t threads)
      : host(&owner),
        shape(geometry),
        plan({shape.batch * shape.groups, shape.group_channels, shape.image_size(),
              shape.group_filters * shape.kernel_size()},
             threads),
        rows(windows_holding(shape.window.height, shape.window.width.output)),
        columns(windows_holding(shape.window.width, 1)) {
    const auto& [height, width] = shape.window;
    for (std::int64_t f = 0; f < shape.group_filters; ++f) {
      for (std::int64_t i = 0; i < shape.kernel_size(); ++i) {
        taps.push_back({f * shape.window_size() + i, f * shape.windows(),
                        i / width.kernel * height.input, i % width.kernel * width.input});
      }
    }
    for (std::int64_t i = 0; i < shape.image_size(); ++i) {
      pixels.push_back({i, i / width.input, i % width.input});
    }
  }

  void launch(const Launch& launch) const {
    multiply(*host, plan, launch.workspace<Acc>(), [&](std::int64_t item) {
      const std::int64_t group = item % shape.groups;
      return Matrix{launch.input<T>(0) + group * shape.group_filters * shape.window_size(),
                    launch.input<T>(1) + item * shape.group_filters * shape.windows(),
                    launch.output<T>(0) + item * shape.group_channels * shape.image_size(),
                    taps.data(),
                    pixels.data(),
                    rows.data(),
                    columns.data(),
                    shape.kernel_size(),
                    shape.image_size()};
    });
  }

  const sdk::Host* host;
  ConvShape shape;
  GemmPlan<Acc> plan;
  std::vector<std::int64_t> rows;
  std::vector<std::int64_t> columns;
  std::vector<Tap> taps;
  std::vector<Position> pixels;
};

// filter_grad[group] = out_grad * windows of x, summed over the images of the batch.
template <class T>
struct FilterGrad {
  using Acc = sdk::compute_t<T>;
  struct Matrix {
    LOCI_INLINE Acc a(std::int64_t m, std::int64_t k) const {
      return static_cast<Acc>(out_grad[k / windows * out_image + m * windows + k % windows]);
    }
    LOCI_INLINE Acc b(std::int64_t k, std::int64_t n) const {
      Gather<T> image = gather;
      image.image += k / windows * x_image;
      return image(origins[k % windows], elements[n]);
    }
    LOCI_INLINE void store(std::int64_t m, std::int64_t n, Acc value) const {
      filter_grad[m * window_size + n] = static_cast<T>(value);
    }
    const T* out_grad;
    T* filter_grad;
    Gather<T> gather;
    const Position* origins;
    const Position* elements;
    std::int64_t windows;
    std::int64_t window_size;
    std::int64_t out_image;  // elements of all groups of one image
    std::int64_t x_image;
  };

  FilterGrad(const sdk::Host& owner, const ConvShape& geometry, std::uint32_t threads)
      : host(&owner),
        shape(geometry),
        plan(
            {shape.groups, shape.group_filters, shape.window_size(), shape.batch * shape.windows()},
            threads),
        origins(window_origins(shape.window)),
        elements(window_elements(shape.window, shape.group_channels)) {}

  void launch(const Launch& launch) const {
    const std::int64_t x_group = shape.group_channels * shape.image_size();
    const std::int64_t out_group = shape.group_filters * shape.windows();
    multiply(*host, plan, launch.workspace<Acc>(), [&](std::int64_t group) {
      return Matrix{launch.input<T>(1) + group * out_group,
                    launch.output<T>(0) + group * shape.group_filters * shape.window_size(),
                    gather_of(launch.input<T>(0) + group * x_group, shape.window),
                    origins.data(),
                    elements.data(),
                    shape.windows(),
                    shape.window_size(),
                    shape.groups * out_group,
                    shape.groups * x_group};
    });
  }

  const sdk::Host* host;
  ConvShape shape;
  GemmPlan<Acc> plan;
  std::vector<Position> origins;
  std::vector<Position> elements;
};

// A sum without terms.
template <class T>
struct Zero {
  void launch(const Launch& launch) const {
    const T* bias = with_bias ? launch.input<T>(2) : nullptr;
    T* out = launch.output<T>(0);
    for (std::int64_t i = 0; i < count; ++i) {
      out[i] = bias == nullptr ? T(0.0F) : bias[i / windows % filters];
    }
  }
  std::int64_t count;
  bool with_bias;
  std::int64_t windows;
  std::int64_t filters;
};

enum class Direction { kForward, kInputGrad, kFilterGrad };

template <template <class> class Prepared, Direction direction>
class Conv2d final : public sdk::Kernel {
 public:
  explicit Conv2d(const OpDesc& op) : options_(sdk::read_conv_options(op.attributes())) {}

  void prepare(Prepare& prepare) const override {
    const auto& op = prepare.op();
    const auto x = op.input(direction == Direction::kInputGrad ? 2 : 0);
    const auto filter = op.input(direction == Direction::kForward     ? 1
                                 : direction == Direction::kInputGrad ? 0
                                                                      : 2);
    const ConvShape shape = sdk::conv_shape(x.dims(), filter.dims(), options_);
    const std::uint32_t threads = prepare.host().parallel_width();
    sdk::visit_floats(op.input(0).dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      using Wide = sdk::compute_t<T>;
      Prepared<Wide> prepared(prepare.host(), shape, threads);
      if (prepared.plan.shape.k == 0) {
        prepare.emplace<Zero<T>>(
            op.output(0).numel(), direction == Direction::kForward && op.has_input(2),
            std::max<std::int64_t>(shape.windows(), 1), shape.groups * shape.group_filters);
        return;
      }
      const std::uint64_t bytes = prepared.plan.workspace_bytes();
      if constexpr (sdk::is_half<T>) {
        emplace_widened(prepare, {3}, bytes, std::move(prepared));
      } else {
        prepare.set_workspace(bytes);
        prepare.emplace<Prepared<T>>(std::move(prepared));
      }
    });
  }

 private:
  sdk::ConvOptions options_;
};

template <template <class> class Prepared, Direction direction>
sdk::KernelDef conv(std::string_view op) {
  return {.op = op,
          .name = kPortable,
          .dtypes = sdk::kFloatBits,
          .create = sdk::make_kernel<Conv2d<Prepared, direction>>};
}

}  // namespace

void add_conv2d(KernelDefs& kernels) {
  kernels.push_back(conv<Forward, Direction::kForward>("conv2d"));
  kernels.push_back(conv<InputGrad, Direction::kInputGrad>("conv2d_grad_input"));
  kernels.push_back(conv<FilterGrad, Direction::kFilterGrad>("conv2d_grad_filter"));
}

}  // namespace loci::kernels

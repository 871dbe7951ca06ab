#include "plugins/kernels/depthwise.h"

#include <algorithm>
#include <cstdint>

#include "plugins/kernels/activation_choice.h"
#include "plugins/kernels/float_vectors.h"
#include "plugins/kernels/grain.h"
#include "plugins/kernels/isa.h"
#include "plugins/kernels/unrolled.h"

namespace loci::kernels {
namespace {

using sdk::ConvShape;

// Windows side by side that are computed at once: of images of 7, 14, 28 pixels and so on all.
// Their sums, a line of the filter and a pixel are in registers.
constexpr int kWindows = 7;

// One row of windows, of a vector of channels.
struct Row {
  const float* x;       // the first pixel of the first line that is in the image
  std::int64_t line;    // elements from one line that the windows see to the next
  std::int64_t lines;   // of those that are in the image
  const float* filter;  // of the first of them
  std::int64_t channels;
  std::int64_t width;  // pixels of a line
  std::int64_t before;
  float* out;
  std::int64_t windows;
  const float* residual;  // null: none
};

// Finishes a vector of channels.
template <int bytes>
struct Finish {
  using V = typename FloatVector<bytes>::type;
  Finish(const PlaneEpilogue& epilogue, std::int64_t channel) : factor(V{} + 1.0F), offset(V{}) {
    if (epilogue.factor != nullptr) load(factor, epilogue.factor + channel);
    if (epilogue.offset != nullptr) load(offset, epilogue.offset + channel);
  }
  V factor;
  V offset;
};

template <int kernel, int stride>
inline constexpr int kSeen = (kWindows - 1) * stride + kernel;  // pixels of a line

// The lowest `count` of that many bits: of pixels, one for each.
template <int most>
constexpr std::uint32_t bits_below(std::int64_t count) {
  return (1U << static_cast<std::uint32_t>(std::clamp<std::int64_t>(count, 0, most))) - 1U;
}

// To the sums of the windows that see it.
template <int kernel, int stride, int seen, class V>
LOCI_INLINE inline void add_pixel(const V& pixel, const V (&weights)[kernel], V (&sums)[kWindows]) {
  unrolled<kernel>([&](auto tap) LOCI_INLINE {
    constexpr int kOffset = seen - decltype(tap)::value;
    if constexpr (kOffset >= 0 && kOffset % stride == 0 && kOffset / stride < kWindows) {
      sums[kOffset / stride] += pixel * weights[tap];
    }
  });
}

// Some windows from number `first` on. At an edge not all of what they see is in the image, nor are
// all of them the result's.
template <int bytes, int kernel, int stride, bool is_edge, class Put>
LOCI_INLINE inline void convolve_windows(const Row& row, std::int64_t first, const Put& put) {
  using V = typename FloatVector<bytes>::type;
  const std::int64_t begin = first * stride - row.before;
  const std::uint32_t is_inside = bits_below<kSeen<kernel, stride>>(row.width - begin) &
                                  ~bits_below<kSeen<kernel, stride>>(-begin);
  V sums[kWindows] = {};
  const float* x = row.x + begin * row.channels;
  const float* filter = row.filter;
  for (std::int64_t line = 0; line < row.lines; ++line) {
    V weights[kernel];
    unrolled<kernel>([&](auto tap)
                         LOCI_INLINE { load(weights[tap], filter + tap * row.channels); });
    unrolled<kSeen<kernel, stride>>([&](auto seen) LOCI_INLINE {
      if (is_edge && (is_inside & (1U << static_cast<unsigned>(seen))) == 0) return;
      V pixel;
      load(pixel, x + seen * row.channels);
      add_pixel<kernel, stride, decltype(seen)::value>(pixel, weights, sums);
    });
    x += row.line;
    filter += kernel * row.channels;
  }
  unrolled<kWindows>([&](auto i) LOCI_INLINE {
    if (!is_edge || first + i < row.windows) put(sums[i], (first + i) * row.channels);
  });
}

template <int bytes, int kernel, int stride, class Put>
LOCI_INLINE inline void convolve_row(const Row& row, const Put& put) {
  for (std::int64_t first = 0; first < row.windows; first += kWindows) {
    const std::int64_t begin = first * stride - row.before;
    const std::int64_t end = begin + kSeen<kernel, stride>;
    if (begin < 0 || end > row.width || first + kWindows > row.windows) {
      convolve_windows<bytes, kernel, stride, true>(row, first, put);
    } else {
      convolve_windows<bytes, kernel, stride, false>(row, first, put);
    }
  }
}

// The convolution of a launch; smooth activations come after it.
struct Convolution {
  const ConvShape& shape;
  const float* x;
  const float* filter;
  const PlaneEpilogue& epilogue;
  float* out;

  // Returns the row of windows with number `number` of an image, from a channel on.
  [[nodiscard]] LOCI_INLINE Row row(std::int64_t image, std::int64_t number,
                                    std::int64_t channel) const {
    const sdk::WindowAxis& height = shape.window.height;
    const sdk::WindowAxis& width = shape.window.width;
    const std::int64_t channels = shape.groups;
    const std::int64_t begin = height.begin(number);
    std::int64_t first = 0;
    std::int64_t last = height.kernel;
    while (first < last && begin + first * height.dilation < 0) ++first;
    while (last > first && begin + (last - 1) * height.dilation >= height.input) --last;
    // Where there is none the pointer is that of the image.
    const std::int64_t line = first == last ? 0 : begin + first * height.dilation;
    const std::int64_t result =
        (image * height.output + number) * width.output * channels + channel;
    return {x + (image * height.input + line) * width.input * channels + channel,
            height.dilation * width.input * channels,
            last - first,
            filter + first * width.kernel * channels + channel,
            channels,
            width.input,
            width.before,
            out + result,
            width.output,
            epilogue.residual == nullptr ? nullptr : epilogue.residual + result};
  }
};

template <int bytes, int kernel, int stride, class Function>
LOCI_INLINE inline void convolve_vector(const Convolution& all, std::int64_t begin,
                                        std::int64_t end, std::int64_t channel) {
  using V = typename FloatVector<bytes>::type;
  const Finish<bytes> finish(all.epilogue, channel);
  const std::int64_t rows = all.shape.window.height.output;
  std::int64_t image = begin / rows;
  std::int64_t number = begin % rows;
  for (std::int64_t left = end - begin; left > 0; --left) {
    const Row row = all.row(image, number, channel);
    if (++number == rows) {
      number = 0;
      ++image;
    }
    convolve_row<bytes, kernel, stride>(row, [&](const V& sum, std::int64_t position) LOCI_INLINE {
      V value = sum * finish.factor + finish.offset;
      if (row.residual != nullptr) {
        V term;
        load(term, row.residual + position);
        value += term;
      }
      Function::apply(value);
      store(value, row.out + position);
    });
  }
}

// Rows [begin, end): vector by vector of channels, so that the lines that several rows see stay in
// the first cache. The last vector has channels of the one before again where it would end beyond
// them.
template <int bytes, int kernel, int stride, class Function>
LOCI_INLINE inline void convolve_rows(const Convolution& all, std::int64_t begin,
                                      std::int64_t end) {
  constexpr std::int64_t kLanes = FloatVector<bytes>::kLanes;
  const std::int64_t channels = all.shape.groups;
  for (std::int64_t c = 0; c < channels; c += kLanes) {
    convolve_vector<bytes, kernel, stride, Function>(all, begin, end,
                                                     std::min(c, channels - kLanes));
  }
}

template <class Function>
void convolve_rows(const Convolution& all, std::int64_t begin, std::int64_t end) {
  const sdk::WindowAxis& width = all.shape.window.width;
  run_widest([&](auto vector) LOCI_INLINE {
    constexpr int kBytes = decltype(vector)::kBytes;
    if (width.kernel == 3) {
      width.stride == 1 ? convolve_rows<kBytes, 3, 1, Function>(all, begin, end)
                        : convolve_rows<kBytes, 3, 2, Function>(all, begin, end);
    } else {
      width.stride == 1 ? convolve_rows<kBytes, 5, 1, Function>(all, begin, end)
                        : convolve_rows<kBytes, 5, 2, Function>(all, begin, end);
    }
  });
}

void convolve_rows(const Convolution& all, std::int64_t begin, std::int64_t end) {
  visit_straight(all.epilogue.activation,
                 [&](auto function) { convolve_rows<decltype(function)>(all, begin, end); });
}

}  // namespace

std::int64_t channels_at_once() {
  std::int64_t count = 0;
  run_widest([&](auto vector)
                 LOCI_INLINE { count = FloatVector<decltype(vector)::kBytes>::kLanes; });
  return count;
}

bool are_channels_convolved(const ConvShape& shape) {
  const sdk::WindowAxis& width = shape.window.width;
  return (width.kernel == 3 || width.kernel == 5) && (width.stride == 1 || width.stride == 2) &&
         width.dilation == 1 && shape.groups >= channels_at_once();
}

bool are_channels_convolved_well(const ConvShape& shape) {
  constexpr std::int64_t kWide = 16;  // lanes of AVX-512
  const sdk::WindowAxis& width = shape.window.width;
  return are_channels_convolved(shape) &&
         (channels_at_once() == kWide || (width.stride == 1 && width.output > kWindows));
}

void convolve_channels(const sdk::Host& host, const ConvShape& shape, const float* x,
                       const float* filter, const PlaneEpilogue& epilogue, float* out) {
  constexpr std::int64_t kPicoseconds = 25;  // of a multiplication
  const auto& [height, width] = shape.window;
  const std::int64_t row = shape.groups * width.output;
  const Convolution all{shape, x, filter, epilogue, out};
  host.parallel_for(0, shape.batch * height.output,
                    grain_for(kPicoseconds * row * shape.kernel_size()),
                    [&](std::int64_t begin, std::int64_t end) {
                      convolve_rows(all, begin, end);
                      if (!is_smooth(epilogue.activation)) return;
                      activate(epilogue.activation, out + begin * row, (end - begin) * row);
                    });
}

}  // namespace loci::kernels

#include "plugins/kernels/depthwise_filter_grad.h"

#include <algorithm>

#include "plugins/kernels/depthwise.h"
#include "plugins/kernels/float_vectors.h"
#include "plugins/kernels/grain.h"
#include "plugins/kernels/isa.h"
#include "plugins/kernels/unrolled.h"

namespace loci::kernels {
namespace {

using sdk::ConvShape;
using sdk::WindowAxis;

constexpr std::int64_t kPicoseconds = 25;  // of a multiplication

std::int64_t divided_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// One row of windows, of a vector of channels.
struct Row {
  const float* x;        // the first pixel of the first line that is in the image
  std::int64_t line;     // elements from one line that the windows see to the next
  std::int64_t lines;    // of those that are in the image
  const float* outward;  // the gradient of the row's first window
  std::int64_t channels;
  float* sums;  // [taps, lanes], of the first of the lines on
};

// Windows of a row all of whose pixels are in the image, and those before and behind them.
struct Inner {
  explicit Inner(const WindowAxis& width) {
    const std::int64_t fits = width.input + width.before - width.kernel;
    end = fits < 0 ? 0 : std::min(fits / width.stride + 1, width.output);
    begin = std::min(divided_up(width.before, width.stride), end);
  }
  std::int64_t begin;
  std::int64_t end;
};

// The lines that keep their sums and a gradient in registers, with chains of sums enough for
// multiplications not to wait for each other.
template <int kernel>
inline constexpr int kLines = kernel == 3 ? 3 : 2;

template <class V, int kernel, int lines>
struct Sums {
  V of[lines][kernel];
};

// Adds one window's products. Bit i of `is_inside` stands for pixel i of its lines.
template <int kernel, int lines, bool is_edge, class V>
LOCI_INLINE inline void add_window(const float* x, const Row& row, const V& gradient,
                                   unsigned is_inside, Sums<V, kernel, lines>& sums) {
  unrolled<kernel>([&](auto tap) LOCI_INLINE {
    if (is_edge && (is_inside & (1U << static_cast<unsigned>(tap))) == 0) return;
    unrolled<lines>([&](auto line) LOCI_INLINE {
      V pixel;
      load(pixel, x + line * row.line + tap * row.channels);
      sums.of[line][tap] += pixel * gradient;
    });
  });
}

template <int kernel, int lines, bool is_edge, class V>
LOCI_INLINE inline void add_windows(const Row& row, const WindowAxis& width, std::int64_t begin,
                                    std::int64_t end, Sums<V, kernel, lines>& sums) {
  for (std::int64_t window = begin; window < end; ++window) {
    unsigned is_inside = 0;
    if constexpr (is_edge) {
      for (int tap = 0; tap < kernel; ++tap) {
        const std::int64_t pixel = width.begin(window) + tap;
        if (pixel >= 0 && pixel < width.input) is_inside |= 1U << static_cast<unsigned>(tap);
      }
    }
    V gradient;
    load(gradient, row.outward + window * row.channels);
    add_window<kernel, lines, is_edge>(row.x + width.begin(window) * row.channels, row, gradient,
                                       is_inside, sums);
  }
}

template <int bytes, int kernel, int lines>
LOCI_INLINE inline void add_lines(const Row& row, const WindowAxis& width, const Inner& inner) {
  using V = typename FloatVector<bytes>::type;
  constexpr std::int64_t kLanes = FloatVector<bytes>::kLanes;
  Sums<V, kernel, lines> sums;
  const auto sum_of = [&](int line, int tap)
                          LOCI_INLINE { return row.sums + (line * kernel + tap) * kLanes; };
  unrolled<lines>([&](auto line) LOCI_INLINE {
    unrolled<kernel>([&](auto tap) LOCI_INLINE { load(sums.of[line][tap], sum_of(line, tap)); });
  });
  add_windows<kernel, lines, true>(row, width, 0, inner.begin, sums);
  add_windows<kernel, lines, false>(row, width, inner.begin, inner.end, sums);
  add_windows<kernel, lines, true>(row, width, inner.end, width.output, sums);
  unrolled<lines>([&](auto line) LOCI_INLINE {
    unrolled<kernel>([&](auto tap) LOCI_INLINE { store(sums.of[line][tap], sum_of(line, tap)); });
  });
}

template <int bytes, int kernel>
LOCI_INLINE inline void add_row(Row row, const WindowAxis& width, const Inner& inner) {
  constexpr std::int64_t kLine = kernel * FloatVector<bytes>::kLanes;
  constexpr int kAtOnce = kLines<kernel>;
  for (; row.lines >= kAtOnce; row.lines -= kAtOnce) {
    add_lines<bytes, kernel, kAtOnce>(row, width, inner);
    row.x += kAtOnce * row.line;
    row.sums += kAtOnce * kLine;
  }
  for (; row.lines > 0; --row.lines) {
    add_lines<bytes, kernel, 1>(row, width, inner);
    row.x += row.line;
    row.sums += kLine;
  }
}

struct Work {
  const ConvShape& shape;
  const FilterGradShares& shares;
  const float* x;
  const float* out_grad;
  float* sums;

  [[nodiscard]] std::int64_t rows() const { return shape.batch * shape.window.height.output; }

  // Returns row `number` of the windows of all images, from a channel on, with its vector's sums.
  [[nodiscard]] LOCI_INLINE Row row(std::int64_t number, std::int64_t channel,
                                    float* of_vector) const {
    const auto& [height, width] = shape.window;
    const std::int64_t channels = shape.groups;
    const std::int64_t lanes = shares.sums_of_vector() / shape.kernel_size();
    const std::int64_t begin = height.begin(number % height.output);
    std::int64_t first = 0;
    std::int64_t last = height.kernel;
    while (first < last && begin + first * height.dilation < 0) ++first;
    while (last > first && begin + (last - 1) * height.dilation >= height.input) --last;
    // Where there is none the pointer is that of the image.
    const std::int64_t line = first == last ? 0 : begin + first * height.dilation;
    const std::int64_t image = number / height.output;
    return {x + (image * height.input + line) * width.input * channels + channel,
            height.dilation * width.input * channels,
            last - first,
            out_grad + number * width.output * channels + channel,
            channels,
            of_vector + first * width.kernel * lanes};
  }
};

// A range of something, number `index` of `count` that are about alike.
struct Share {
  Share(std::int64_t all, std::int64_t count, std::int64_t index)
      : begin(all * index / count), end(all * (index + 1) / count) {}
  std::int64_t begin;
  std::int64_t end;
};

// Some rows after the other, so that what they read stays in the second cache while the vectors go
// through it: only together do those read whole lines of memory.
template <int bytes, int kernel>
LOCI_INLINE inline void add_rows(const Work& work, const Share& rows, const Share& vectors,
                                 float* sums) {
  constexpr std::int64_t kCached = 65'536;  // floats
  const WindowAxis& width = work.shape.window.width;
  const Inner inner(width);
  const std::int64_t row_size =
      (work.shape.window.height.stride * width.input + width.output) * work.shape.groups;
  const std::int64_t step = std::max<std::int64_t>(kCached / row_size, 1);
  const std::int64_t of_vector = work.shares.sums_of_vector();
  for (std::int64_t begin = rows.begin; begin < rows.end; begin += step) {
    const std::int64_t end = std::min(begin + step, rows.end);
    for (std::int64_t vector = vectors.begin; vector < vectors.end; ++vector) {
      const std::int64_t channel = work.shares.first_channel(vector);
      float* const of = sums + vector * of_vector;
      for (std::int64_t number = begin; number < end; ++number) {
        add_row<bytes, kernel>(work.row(number, channel, of), width, inner);
      }
    }
  }
}

void add_share(const Work& work, std::int64_t index) {
  const FilterGradShares& shares = work.shares;
  const std::int64_t part = index / shares.groups();
  const Share rows(work.rows(), shares.parts(), part);
  const Share vectors(shares.vectors(), shares.groups(), index % shares.groups());
  float* const sums = work.sums + part * shares.sums_of_part();
  std::fill(sums + vectors.begin * shares.sums_of_vector(),
            sums + vectors.end * shares.sums_of_vector(), 0.0F);
  run_widest([&](auto vector) LOCI_INLINE {
    constexpr int kBytes = decltype(vector)::kBytes;
    work.shape.window.width.kernel == 3 ? add_rows<kBytes, 3>(work, rows, vectors, sums)
                                        : add_rows<kBytes, 5>(work, rows, vectors, sums);
  });
}

// Adds up the parts of a vector's sums, and writes those of each channel in a row, but for channels
// that the vector before has as well.
void finish_vector(const Work& work, std::int64_t vector, float* filter_grad) {
  const FilterGradShares& shares = work.shares;
  const std::int64_t taps = work.shape.kernel_size();
  const std::int64_t lanes = shares.sums_of_vector() / taps;
  const std::int64_t channel = shares.first_channel(vector);
  float* const sums = work.sums + vector * shares.sums_of_vector();
  for (std::int64_t part = 1; part < shares.parts(); ++part) {
    const float* const more = sums + part * shares.sums_of_part();
    for (std::int64_t i = 0; i < taps * lanes; ++i) sums[i] += more[i];
  }
  for (std::int64_t lane = vector * lanes - channel; lane < lanes; ++lane) {
    float* const out = filter_grad + (channel + lane) * taps;
    for (std::int64_t tap = 0; tap < taps; ++tap) out[tap] = sums[tap * lanes + lane];
  }
}

}  // namespace

bool are_filter_grads_summed_well(const ConvShape& shape) {
  constexpr std::int64_t kWide = 16;   // lanes of AVX-512
  constexpr std::int64_t kSmall = 14;  // pixels
  const WindowAxis& width = shape.window.width;
  return are_channels_convolved(shape) &&
         (channels_at_once() == kWide || width.kernel == 5 || width.output > kSmall);
}

FilterGradShares::FilterGradShares(const ConvShape& shape)
    : lanes_(channels_at_once()), channels_(shape.groups), taps_(shape.kernel_size()) {
  constexpr std::int64_t kMost = 16;   // shares of the work
  constexpr std::int64_t kWorth = 32;  // elements that are read for each sum of a part
  const std::int64_t rows = shape.batch * shape.window.height.output;
  const std::int64_t read = (shape.image_size() + shape.windows()) * shape.batch;
  vectors_ = divided_up(channels_, lanes_);
  parts_ = std::clamp<std::int64_t>(read / (kWorth * taps_), 1, std::min(rows, kMost));
  groups_ = std::min(divided_up(kMost, parts_), vectors_);
}

std::int64_t FilterGradShares::first_channel(std::int64_t vector) const {
  return std::min(vector * lanes_, channels_ - lanes_);
}

void sum_filter_grads(const sdk::Host& host, const ConvShape& shape, const FilterGradShares& shares,
                      const float* x, const float* out_grad, float* sums, float* filter_grad) {
  const Work work{shape, shares, x, out_grad, sums};
  const std::int64_t count = shares.parts() * shares.groups();
  const std::int64_t multiplications =
      work.rows() * shape.window.width.output * shape.kernel_size() * shape.groups;
  host.parallel_for(0, count, grain_for(kPicoseconds * multiplications / count),
                    [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t i = begin; i < end; ++i) add_share(work, i);
                    });
  const std::int64_t of_vector = shares.parts() * shares.sums_of_vector();
  host.parallel_for(0, shares.vectors(), grain_for(1000 * of_vector),
                    [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t v = begin; v < end; ++v) {
                        finish_vector(work, v, filter_grad);
                      }
                    });
}

}  // namespace loci::kernels

#include "plugins/kernels/depthwise_planes.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "plugins/kernels/float_vectors.h"
#include "plugins/kernels/grain.h"
#include "plugins/kernels/isa.h"
#include "plugins/kernels/unrolled.h"

namespace loci::kernels {
namespace {

using sdk::ConvShape;
using sdk::WindowAxis;

// Lines of windows that are computed at once: each vector that is read serves all that see it.
constexpr int kLines = 4;
// Floats of the buffer. It stays in the first cache.
constexpr std::int64_t kBuffer = 6144;
constexpr std::int64_t kWidest = 16;  // lanes of AVX-512

// How the lines of an image lie in the buffer: with their padding, apart by phases, so that windows
// side by side read elements side by side. Pixel p is element p / stride of phase p % stride.
struct BufferShape {
  explicit BufferShape(const WindowAxis& width)
      : stride(width.stride),
        phase((width.output + kWidest - 1) / kWidest * kWidest + width.span() / width.stride),
        line(phase * stride) {}

  std::int64_t stride;
  std::int64_t phase;  // elements of one
  std::int64_t line;   // elements of all phases
};

std::int64_t lines_seen(const WindowAxis& height, std::int64_t windows) {
  return (windows - 1) * height.stride + height.span();
}

// Lines of windows whose lines of the image fit into the buffer: all, or some times kLines.
std::int64_t lines_at_once(const sdk::Window2d& window) {
  const WindowAxis& height = window.height;
  const std::int64_t fitting = kBuffer / BufferShape(window.width).line;
  if (fitting < height.span()) return 0;
  const std::int64_t lines = (fitting - height.span()) / height.stride + 1;
  return lines >= height.output ? height.output : lines / kLines * kLines;
}

// Copies line `number` of a plane, which may lie in the padding.
LOCI_INLINE inline void copy_line(const BufferShape& shape, const sdk::Window2d& window,
                                  const float* plane, std::int64_t number, float* to) {
  const WindowAxis& width = window.width;
  std::fill(to, to + shape.line, 0.0F);
  if (number < 0 || number >= window.height.input) return;
  const float* from = plane + number * width.input;
  if (shape.stride == 1) {
    const std::int64_t count = std::min(width.input, shape.phase - width.before);
    std::memcpy(to + width.before, from, static_cast<std::size_t>(count) * sizeof(float));
    return;
  }
  const std::int64_t count = std::min(width.input, shape.line - width.before);
  for (std::int64_t phase = 0; phase < shape.stride; ++phase) {
    const std::int64_t skipped = (phase - width.before) & (shape.stride - 1);  // a power of two
    float* out = to + phase * shape.phase + (width.before + skipped) / shape.stride;
    for (std::int64_t i = skipped, o = 0; i < count; i += shape.stride, ++o) out[o] = from[i];
  }
}

// One channel of the result.
struct Finish {
  float factor = 1;
  float offset = 0;
  const float* residual = nullptr;  // null: none
};

// Some lines of windows of one channel, whose image is in the buffer.
template <int bytes, int kernel, int stride>
struct Band {
  using V = typename FloatVector<bytes>::type;
  static constexpr std::int64_t kLanes = FloatVector<bytes>::kLanes;

  const BufferShape& shape;
  const WindowAxis& height;
  std::int64_t windows;  // of a line
  const V (&weights)[kernel * kernel];
  const Finish& finish;

  // `lines` of them from `buffer` to `out`, where elements lie as those of the residual do.
  template <int lines>
  LOCI_INLINE void convolve(const float* buffer, float* out, const float* residual) const {
    for (std::int64_t column = 0; column < windows; column += kLanes) {
      V sums[lines] = {};
      add<lines>(buffer + column, sums);
      const std::int64_t count = std::min(kLanes, windows - column);
      unrolled<lines>([&](auto line) LOCI_INLINE {
        const std::int64_t at = line * windows + column;
        put(sums[line], out + at, residual == nullptr ? nullptr : residual + at, count);
      });
    }
  }

  template <int lines>
  LOCI_INLINE void add(const float* buffer, V (&sums)[lines]) const {
    constexpr int kSeen = (lines - 1) * stride + kernel;
    unrolled<kSeen>([&](auto seen) LOCI_INLINE {
      const float* line = buffer + seen * shape.line;
      unrolled<kernel>([&](auto tap) LOCI_INLINE {
        V pixels;
        load(pixels, line + tap % stride * shape.phase + tap / stride);
        add_pixels<lines, decltype(seen)::value, decltype(tap)::value>(pixels, sums);
      });
    });
  }

  // To the sums of the lines of windows that see the line of pixels.
  template <int lines, int seen, int tap>
  LOCI_INLINE void add_pixels(const V& pixels, V (&sums)[lines]) const {
    unrolled<lines>([&](auto line) LOCI_INLINE {
      constexpr int kRow = seen - decltype(line)::value * stride;
      if constexpr (kRow >= 0 && kRow < kernel) sums[line] += pixels * weights[kRow * kernel + tap];
    });
  }

  LOCI_INLINE void put(V& sum, float* out, const float* residual, std::int64_t count) const {
    sum = sum * finish.factor + finish.offset;
    if (count == kLanes) {
      finish_vector(sum, residual);
      store(sum, out);
      return;
    }
    float last[kLanes] = {};
    if (residual != nullptr) std::copy(residual, residual + count, last);
    finish_vector(sum, residual == nullptr ? nullptr : last);
    store(sum, last);
    std::copy(last, last + count, out);
  }

  LOCI_INLINE static void finish_vector(V& sum, const float* residual) {
    if (residual != nullptr) {
      V term;
      load(term, residual);
      sum += term;
    }
  }
};

// One channel of one image.
template <int bytes, int kernel, int stride>
LOCI_INLINE inline void convolve_plane(const sdk::Window2d& window, const float* plane,
                                       const float* filter, const Finish& finish, float* out) {
  using V = typename FloatVector<bytes>::type;
  const BufferShape shape(window.width);
  alignas(64) float buffer[kBuffer];
  V weights[kernel * kernel];
  for (int i = 0; i < kernel * kernel; ++i) weights[i] = V{} + filter[i];
  const std::int64_t windows = window.width.output;
  const Band<bytes, kernel, stride> band{shape, window.height, windows, weights, finish};
  const std::int64_t at_once = lines_at_once(window);
  for (std::int64_t first = 0; first < window.height.output; first += at_once) {
    const std::int64_t lines = std::min(at_once, window.height.output - first);
    const std::int64_t seen = lines_seen(window.height, lines);
    for (std::int64_t i = 0; i < seen; ++i) {
      copy_line(shape, window, plane, window.height.begin(first) + i, buffer + i * shape.line);
    }
    std::int64_t line = 0;
    const auto run = [&](auto count) LOCI_INLINE {
      const std::int64_t at = (first + line) * windows;
      band.template convolve<decltype(count)::value>(
          buffer + line * stride * shape.line, out + at,
          finish.residual == nullptr ? nullptr : finish.residual + at);
      line += count;
    };
    while (line + kLines <= lines) run(std::integral_constant<int, kLines>());
    if (line + 2 <= lines) run(std::integral_constant<int, 2>());
    if (line < lines) run(std::integral_constant<int, 1>());
  }
}

// The work of a launch.
struct Convolution {
  const ConvShape& shape;
  const float* x;
  const float* filter;
  const PlaneEpilogue& epilogue;
  float* out;

  // Planes [begin, end) of the result.
  template <int bytes, int kernel, int stride>
  LOCI_INLINE void run(std::int64_t begin, std::int64_t end) const {
    const std::int64_t channels = shape.groups * shape.group_filters;
    for (std::int64_t plane = begin; plane < end; ++plane) {
      const std::int64_t channel = plane % channels;
      const std::int64_t result = plane * shape.windows();
      Finish finish;
      if (epilogue.factor != nullptr) finish.factor = epilogue.factor[channel];
      if (epilogue.offset != nullptr) finish.offset = epilogue.offset[channel];
      if (epilogue.residual != nullptr) finish.residual = epilogue.residual + result;
      convolve_plane<bytes, kernel, stride>(
          shape.window, x + plane / shape.group_filters * shape.image_size(),
          filter + channel * kernel * kernel, finish, out + result);
      // In a loop of its own, while the plane is in the cache: the loops above would be there once
      // for each activation.
      if (epilogue.activation != Activation::kNone) {
        activate(epilogue.activation, out + result, shape.windows());
      }
    }
  }
};

void convolve(const Convolution& all, std::int64_t begin, std::int64_t end) {
  const WindowAxis& width = all.shape.window.width;
  run_widest([&](auto vector) LOCI_INLINE {
    constexpr int kBytes = decltype(vector)::kBytes;
    if (width.kernel == 3) {
      width.stride == 1 ? all.run<kBytes, 3, 1>(begin, end) : all.run<kBytes, 3, 2>(begin, end);
    } else {
      width.stride == 1 ? all.run<kBytes, 5, 1>(begin, end) : all.run<kBytes, 5, 2>(begin, end);
    }
  });
}

bool is_axis_convolved(const WindowAxis& axis) {
  return (axis.kernel == 3 || axis.kernel == 5) && (axis.stride == 1 || axis.stride == 2) &&
         axis.dilation == 1;
}

}  // namespace

bool are_planes_convolved(const ConvShape& shape) {
  const auto& [height, width] = shape.window;
  return shape.group_channels == 1 && is_axis_convolved(height) && is_axis_convolved(width) &&
         height.kernel == width.kernel && height.stride == width.stride &&
         lines_at_once(shape.window) > 0;
}

void convolve_planes(const sdk::Host& host, const ConvShape& shape, const float* x,
                     const float* filter, const PlaneEpilogue& epilogue, float* out) {
  constexpr std::int64_t kPicoseconds = 25;  // of a multiplication
  const Convolution all{shape, x, filter, epilogue, out};
  host.parallel_for(0, shape.batch * shape.groups * shape.group_filters,
                    grain_for(kPicoseconds * shape.windows() * shape.kernel_size()),
                    [&](std::int64_t begin, std::int64_t end) { convolve(all, begin, end); });
}

}  // namespace loci::kernels

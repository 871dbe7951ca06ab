// batch_norm and its gradient where channels lie side by side: first the sums of parts of the rows,
// then of all of them, then the rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <loci/plugin/host.hpp>
#include <loci/plugin/kernel.hpp>

#include "plugins/kernels/batch_norm_steps.h"
#include "plugins/kernels/channel_rows.h"

namespace loci::kernels {

inline constexpr std::int64_t kRowPicoseconds = 400;  // of an element, in each of the two steps

// A sum, and the squares around its mean.
struct CentredSum {
  // Adds those of other elements: in the end that is as exact as to look at all of them again.
  LOCI_INLINE void add(double count, const CentredSum& other, double other_count) {
    if (count == 0) {
      *this = other;
      return;
    }
    const double distance = other.sum / other_count - sum / count;
    squares += other.squares + distance * distance * (count * other_count / (count + other_count));
    sum += other.sum;
  }
  double sum = 0;
  double squares = 0;
};

// Sums the moments of the rows of one part.
template <class C>
struct PartMoments {
  template <class Lanes>
  LOCI_INLINE void run(std::int64_t first) const {
    for (std::int64_t row = from; row < to; row += ChannelRows::kBlock) {
      add_block<Lanes>(first, row, std::min(row + ChannelRows::kBlock, to));
    }
  }

  template <class Lanes>
  LOCI_INLINE void add_block(std::int64_t first, std::int64_t begin, std::int64_t end) const {
    constexpr int kCount = static_cast<int>(Lanes::kChannels / Lanes::kLanes);
    const auto count = static_cast<double>(end - begin);
    typename Lanes::Wide mean[kCount] = {};
    typename Lanes::Wide squares[kCount] = {};
    typename Lanes::Narrow narrow;
    typename Lanes::Wide wide;
    for (std::int64_t row = begin; row < end; ++row) {
      for (int v = 0; v < kCount; ++v) {
        Lanes::load(narrow, x + row * channels + first, v);
        Lanes::widen(wide, narrow);
        mean[v] += wide;
      }
    }
    for (int v = 0; v < kCount; ++v) {
      Lanes::store(mean[v], block_sums, v);
      mean[v] /= count;
    }
    for (std::int64_t row = begin; row < end; ++row) {
      for (int v = 0; v < kCount; ++v) {
        Lanes::load(narrow, x + row * channels + first, v);
        Lanes::widen(wide, narrow);
        wide -= mean[v];
        squares[v] += wide * wide;
      }
    }
    for (int v = 0; v < kCount; ++v) Lanes::store(squares[v], block_squares, v);
    for (std::int64_t k = 0; k < Lanes::kChannels; ++k) {
      CentredSum total{sums[first + k], squares_of[first + k]};
      total.add(static_cast<double>(begin - from), {block_sums[k], block_squares[k]}, count);
      sums[first + k] = total.sum;
      squares_of[first + k] = total.squares;
    }
  }

  const C* x;
  std::int64_t channels;
  std::int64_t from;  // rows
  std::int64_t to;
  double* sums;  // by channel
  double* squares_of;
  double* block_sums;  // of a few channels
  double* block_squares;
};

template <class C>
struct BatchNormRows {
  static constexpr std::int64_t kMostLanes = 32;  // channels of a PartMoments' block

  [[nodiscard]] std::uint64_t workspace_bytes() const {
    return shape.workspace_bytes() +
           static_cast<std::uint64_t>(shape.channels) * sizeof(Normalizer<C>);
  }

  void launch(const sdk::Launch& launch) const {
    if (!options.fixed_statistics) sum_parts(launch);
    Steps steps(launch, shape);
    for (std::int64_t c = 0; c < shape.channels; ++c) {
      steps.set(c, normalizer<C>(launch, c, moments_of(launch, c), options.epsilon));
    }
    const C* x = launch.input<C>(0);
    C* y = launch.output<C>(0);
    for_rows(*host, shape, kRowPicoseconds, [&](std::int64_t row) LOCI_INLINE {
      const std::int64_t begin = row * shape.channels;
#pragma omp simd
      for (std::int64_t c = 0; c < shape.channels; ++c) y[begin + c] = steps.at(c)(x[begin + c]);
    });
  }

 private:
  // A normalizer for each channel, the fields of all side by side.
  struct Steps {
    Steps(const sdk::Launch& launch, const ChannelRows& shape)
        : fields(launch.workspace<C>(shape.workspace_bytes())), channels(shape.channels) {}
    void set(std::int64_t c, const Normalizer<C>& step) const {
      const C values[] = {step.high, step.low, step.inv_std, step.scale, step.bias};
      for (std::int64_t i = 0; i < 5; ++i) fields[i * channels + c] = values[i];
    }
    LOCI_INLINE Normalizer<C> at(std::int64_t c) const {
      return {fields[c], fields[channels + c], fields[2 * channels + c], fields[3 * channels + c],
              fields[4 * channels + c]};
    }
    C* fields;
    std::int64_t channels;
  };

  void sum_parts(const sdk::Launch& launch) const {
    auto* const sums = launch.workspace<double>();
    for_parts(*host, shape, kRowPicoseconds,
              [&](std::int64_t part, std::int64_t from, std::int64_t to, auto width) LOCI_INLINE {
                double* const own = sums + 2 * part * shape.channels;
                std::fill_n(own, 2 * shape.channels, 0.0);
                double block_sums[kMostLanes];
                double block_squares[kMostLanes];
                for_channel_lanes<C, decltype(width)::kBytes>(
                    shape.channels,
                    PartMoments<C>{launch.input<C>(0), shape.channels, from, to, own,
                                   own + shape.channels, block_sums, block_squares});
              });
  }

  Moments moments_of(const sdk::Launch& launch, std::int64_t c) const {
    if (options.fixed_statistics) return fixed_moments<C>(launch, c);
    if (shape.rows == 0) return {};
    const auto* sums = launch.workspace<double>() + c;
    CentredSum total;
    double count = 0;
    for (std::int64_t part = 0; part < shape.parts; ++part, sums += 2 * shape.channels) {
      const std::int64_t from = part * shape.part_rows;
      const auto rows = static_cast<double>(std::min(shape.part_rows, shape.rows - from));
      total.add(count, {sums[0], sums[shape.channels]}, rows);
      count += rows;
    }
    const Moments moments{total.sum / count, total.squares / count};
    update_statistics<C>(launch, c, moments, options.momentum);
    return moments;
  }

 public:
  const sdk::Host* host;
  ChannelRows shape;
  BatchNormOptions options;
};

// Sums y_grad, and y_grad times the normalised x, of the rows of one part.
template <class C>
struct PartGradSums {
  template <class Lanes>
  LOCI_INLINE void run(std::int64_t first) const {
    constexpr int kCount = static_cast<int>(Lanes::kChannels / Lanes::kLanes);
    typename Lanes::Wide level[kCount] = {};
    typename Lanes::Wide slope[kCount] = {};
    typename Lanes::Narrow means[kCount];
    typename Lanes::Narrow inv_stds[kCount];
    for (int v = 0; v < kCount; ++v) {
      Lanes::load(means[v], mean + first, v);
      Lanes::load(inv_stds[v], inv_std + first, v);
    }
    for (std::int64_t row = from; row < to; ++row) {
      for (int v = 0; v < kCount; ++v) {
        typename Lanes::Narrow normal;
        typename Lanes::Narrow grad;
        typename Lanes::Wide wide_normal;
        typename Lanes::Wide wide_grad;
        Lanes::load(normal, x + row * channels + first, v);
        Lanes::load(grad, y_grad + row * channels + first, v);
        normal = (normal - means[v]) * inv_stds[v];
        Lanes::widen(wide_normal, normal);
        Lanes::widen(wide_grad, grad);
        level[v] += wide_grad;
        slope[v] += wide_grad * wide_normal;
      }
    }
    for (int v = 0; v < kCount; ++v) {
      Lanes::store(level[v], levels + first, v);
      Lanes::store(slope[v], slopes + first, v);
    }
  }

  const C* x;
  const C* y_grad;
  const C* mean;
  const C* inv_std;
  std::int64_t channels;
  std::int64_t from;  // rows
  std::int64_t to;
  double* levels;  // by channel
  double* slopes;
};

template <class C>
struct BatchNormRowsGrad {
  [[nodiscard]] std::uint64_t workspace_bytes() const {
    return shape.workspace_bytes() +
           static_cast<std::uint64_t>(shape.channels) * sizeof(NormGrad<C>);
  }

  void launch(const sdk::Launch& launch) const {
    sum_parts(launch);
    auto* const fields = launch.workspace<C>(shape.workspace_bytes());
    const std::int64_t channels = shape.channels;
    for (std::int64_t c = 0; c < channels; ++c) {
      const NormGrad<C> grad = norm_grad<C>(launch, c, sums_of(launch, c), shape.rows);
      const C values[] = {grad.mean, grad.inv_std, grad.factor, grad.mean_level, grad.mean_slope};
      for (std::int64_t i = 0; i < 5; ++i) fields[i * channels + c] = values[i];
    }
    const C* x = launch.input<C>(0);
    const C* y_grad = launch.input<C>(4);
    C* x_grad = launch.output<C>(0);
    for_rows(*host, shape, kRowPicoseconds, [&](std::int64_t row) LOCI_INLINE {
      const std::int64_t begin = row * channels;
      if (fixed_statistics) {
        const C* factors = fields + 2 * channels;
#pragma omp simd
        for (std::int64_t c = 0; c < channels; ++c) {
          x_grad[begin + c] = factors[c] * y_grad[begin + c];
        }
        return;
      }
#pragma omp simd
      for (std::int64_t c = 0; c < channels; ++c) {
        const NormGrad<C> grad{fields[c], fields[channels + c], fields[2 * channels + c],
                               fields[3 * channels + c], fields[4 * channels + c]};
        x_grad[begin + c] = grad(x[begin + c], y_grad[begin + c]);
      }
    });
  }

 private:
  void sum_parts(const sdk::Launch& launch) const {
    auto* const sums = launch.workspace<double>();
    for_parts(*host, shape, kRowPicoseconds,
              [&](std::int64_t part, std::int64_t from, std::int64_t to, auto width) LOCI_INLINE {
                double* const own = sums + 2 * part * shape.channels;
                for_channel_lanes<C, decltype(width)::kBytes>(
                    shape.channels,
                    PartGradSums<C>{launch.input<C>(0), launch.input<C>(4), launch.input<C>(2),
                                    launch.input<C>(3), shape.channels, from, to, own,
                                    own + shape.channels});
              });
  }

  [[nodiscard]] GradSums sums_of(const sdk::Launch& launch, std::int64_t c) const {
    const auto* sums = launch.workspace<double>() + c;
    GradSums total;
    for (std::int64_t part = 0; part < shape.parts; ++part, sums += 2 * shape.channels) {
      total.level += sums[0];
      total.slope += sums[shape.channels];
    }
    return total;
  }

 public:
  const sdk::Host* host;
  ChannelRows shape;
  bool fixed_statistics;
};

}  // namespace loci::kernels

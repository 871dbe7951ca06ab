// The filter's gradient of convolutions of each channel by itself, of images with channels last.
#pragma once

#include <cstdint>
#include <loci/plugin/conv2d.hpp>
#include <loci/plugin/host.hpp>

namespace loci::kernels {

// Returns true if there are loops for such windows that are faster than what oneDNN has. Measured
// on one thread: with AVX-512 in 0.15 to 1.0 of its time; with AVX2 in 0.2 to 0.6, and windows of
// three by three of small images in 0.9 to 1.3.
bool are_filter_grads_summed_well(const sdk::ConvShape& shape);

// How the sums are shared: each of `parts` ranges of the result's rows has sums of its own, and so
// has each vector of channels. Neither hangs on the number of threads, nor do the results.
class FilterGradShares {
 public:
  // For windows of are_channels_convolved().
  explicit FilterGradShares(const sdk::ConvShape& shape);

  [[nodiscard]] std::int64_t parts() const { return parts_; }
  [[nodiscard]] std::int64_t vectors() const { return vectors_; }
  [[nodiscard]] std::int64_t groups() const { return groups_; }  // of vectors
  // Return the numbers of sums of a vector, of a part and of all parts.
  [[nodiscard]] std::int64_t sums_of_vector() const { return taps_ * lanes_; }
  [[nodiscard]] std::int64_t sums_of_part() const { return vectors_ * sums_of_vector(); }
  [[nodiscard]] std::int64_t sums() const { return parts_ * sums_of_part(); }
  // The first channel of a vector: the last one begins earlier where it would end beyond them.
  [[nodiscard]] std::int64_t first_channel(std::int64_t vector) const;

 private:
  std::int64_t lanes_;
  std::int64_t channels_;
  std::int64_t taps_;
  std::int64_t vectors_;
  std::int64_t parts_;
  std::int64_t groups_;
};

// x [batch, height, width, channels], out_grad as the result, filter_grad [channels, taps]; `sums`
// are as many floats as `shares` says, of any value.
void sum_filter_grads(const sdk::Host& host, const sdk::ConvShape& shape,
                      const FilterGradShares& shares, const float* x, const float* out_grad,
                      float* sums, float* filter_grad);

}  // namespace loci::kernels

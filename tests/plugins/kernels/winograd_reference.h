// A convolution by Winograd's method is compared with this: the definition in double precision, and
// how far off the method may be.
#pragma once

#include <cstdint>
#include <loci/plugin/conv2d.hpp>
#include <vector>

namespace loci::testing {

struct ConvReference {
  std::vector<double> sums;   // [batch, filters, height, width]
  std::vector<double> bound;  // of the error of each sum by tiles of `outputs`
};

// x is [batch, channels, height, width], filter [filters, channels, 3, 3]; `outputs` 2 or 4.
//
// With A, B and G as in plugins/kernels/winograd_points.h a rounded evaluation is off by at most
// r * u * |A^T| [sum over channels (|G| |g| |G^T|) * (|B^T| |d| |B|)] |A| to first order, u being
// 2^-24 and r the roundings that a term passes: those of a channel's product and sum, one of the
// filter, 4 for each pass of a transform of the tile or the products. (Higham, Accuracy and
// Stability of Numerical Algorithms, 3.1; for Winograd's method Barabasz, Anderson, Soodhalter and
// Gregg, Error Analysis and Improving the Accuracy of Winograd Convolution for Deep Neural
// Networks, 2020.)
ConvReference convolve_in_double(const sdk::ConvShape& shape, const std::vector<float>& x,
                                 const std::vector<float>& filter, std::int64_t outputs);

// The largest of |A^T| [(|G| ones |G^T|) * (|B^T| ones |B|)] |A|: by how much maxima of a tile and
// a filter are multiplied in the bound above.
double winograd_growth(std::int64_t outputs);

}  // namespace loci::testing

#include "tests/plugins/kernels/winograd_reference.h"

#include <algorithm>
#include <cmath>

namespace loci::testing {
namespace {

using Matrix = std::vector<std::vector<double>>;

std::vector<double> finite_points(std::int64_t outputs) {
  if (outputs == 2) return {0, 1, -1};
  return {0, 0.625, -0.625, 1.5, -1.5};
}

// Coefficients, from the lowest on, of the product of x - p over all points but `left_out`.
std::vector<double> polynomial(const std::vector<double>& points, std::size_t left_out) {
  std::vector<double> result{1};
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i == left_out) continue;
    result.insert(result.begin(), 0);
    for (std::size_t k = 0; k + 1 < result.size(); ++k) result[k] -= points[i] * result[k + 1];
  }
  return result;
}

// The magnitudes of A^T, B^T and G by the construction of Toom and Cook; infinity is the last
// point.
struct Magnitudes {
  explicit Magnitudes(std::int64_t outputs) {
    const std::vector<double> points = finite_points(outputs);
    const std::size_t size = points.size() + 1;
    const auto rows = static_cast<std::size_t>(outputs);
    a.assign(rows, std::vector<double>(size));
    b.assign(size, std::vector<double>(size));
    g.assign(size, std::vector<double>(3));
    for (std::size_t i = 0; i < points.size(); ++i) {
      double distances = 1;
      for (std::size_t k = 0; k < points.size(); ++k) {
        if (k != i) distances *= points[i] - points[k];
      }
      for (std::size_t k = 0; k < rows; ++k) a[k][i] = std::abs(std::pow(points[i], k));
      for (std::size_t k = 0; k < 3; ++k) g[i][k] = std::abs(std::pow(points[i], k) / distances);
      const std::vector<double> coefficients = polynomial(points, i);
      for (std::size_t k = 0; k < coefficients.size(); ++k) b[i][k] = std::abs(coefficients[k]);
    }
    a[rows - 1][size - 1] = 1;
    g[size - 1][2] = 1;
    const std::vector<double> coefficients = polynomial(points, size);
    for (std::size_t k = 0; k < size; ++k) b[size - 1][k] = std::abs(coefficients[k]);
  }
  Matrix a;
  Matrix b;
  Matrix g;
};

// matrix * tile * matrix^T
Matrix transformed(const Matrix& matrix, const Matrix& tile) {
  const std::size_t inner = tile.size();
  Matrix half(matrix.size(), std::vector<double>(inner));
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    for (std::size_t k = 0; k < inner; ++k) {
      for (std::size_t j = 0; j < inner; ++j) half[i][j] += matrix[i][k] * tile[k][j];
    }
  }
  Matrix result(matrix.size(), std::vector<double>(matrix.size()));
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    for (std::size_t j = 0; j < matrix.size(); ++j) {
      for (std::size_t k = 0; k < inner; ++k) result[i][j] += half[i][k] * matrix[j][k];
    }
  }
  return result;
}

class Convolution {
 public:
  Convolution(const sdk::ConvShape& shape, const std::vector<float>& x,
              const std::vector<float>& filter, std::int64_t outputs)
      : shape_(shape), x_(x), filter_(filter), outputs_(outputs), magnitudes_(outputs) {
    for (std::int64_t i = 0; i < shape.group_filters * shape.group_channels; ++i) {
      Matrix taps(3, std::vector<double>(3));
      for (std::int64_t k = 0; k < 9; ++k) {
        taps[static_cast<std::size_t>(k / 3)][static_cast<std::size_t>(k % 3)] =
            std::abs(static_cast<double>(weight(i, k)));
      }
      append(transformed(magnitudes_.g, taps), &filters_);
    }
  }

  ConvReference run() {
    const auto& [height, width] = shape_.window;
    const auto size = static_cast<std::size_t>(shape_.batch * shape_.group_filters * height.output *
                                               width.output);
    result_ = {std::vector<double>(size), std::vector<double>(size)};
    for (std::int64_t image = 0; image < shape_.batch; ++image) {
      for (std::int64_t row = 0; row < height.output; row += outputs_) {
        for (std::int64_t column = 0; column < width.output; column += outputs_) {
          run_tile(image, row, column);
        }
      }
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] double weight(std::int64_t pair, std::int64_t tap) const {
    return static_cast<double>(filter_[static_cast<std::size_t>(pair * 9 + tap)]);
  }
  [[nodiscard]] double pixel(std::int64_t plane, std::int64_t row, std::int64_t column) const {
    const auto& [height, width] = shape_.window;
    const std::int64_t y = row - height.before;
    const std::int64_t x = column - width.before;
    if (y < 0 || y >= height.input || x < 0 || x >= width.input) return 0;
    return static_cast<double>(
        x_[static_cast<std::size_t>((plane * height.input + y) * width.input + x)]);
  }

  static void append(const Matrix& matrix, std::vector<double>* flat) {
    for (const auto& row : matrix) flat->insert(flat->end(), row.begin(), row.end());
  }

  // The transformed magnitudes of all channels of a tile: [channel][element].
  std::vector<double> inputs_of(std::int64_t image, std::int64_t row, std::int64_t column) const {
    const auto size = static_cast<std::size_t>(outputs_ + 2);
    std::vector<double> inputs;
    for (std::int64_t channel = 0; channel < shape_.group_channels; ++channel) {
      const std::int64_t plane = image * shape_.group_channels + channel;
      Matrix tile(size, std::vector<double>(size));
      for (std::size_t i = 0; i < size * size; ++i) {
        tile[i / size][i % size] = std::abs(pixel(plane, row + static_cast<std::int64_t>(i / size),
                                                  column + static_cast<std::int64_t>(i % size)));
      }
      append(transformed(magnitudes_.b, tile), &inputs);
    }
    return inputs;
  }

  void run_tile(std::int64_t image, std::int64_t row, std::int64_t column) {
    const auto size = static_cast<std::size_t>(outputs_ + 2);
    const std::vector<double> inputs = inputs_of(image, row, column);
    for (std::int64_t filter = 0; filter < shape_.group_filters; ++filter) {
      const double* weights = filters_.data() + static_cast<std::size_t>(filter) * inputs.size();
      Matrix products(size, std::vector<double>(size));
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        products[i / size % size][i % size] += inputs[i] * weights[i];
      }
      const Matrix growth = transformed(magnitudes_.a, products);
      for (std::size_t i = 0; i < growth.size() * growth.size(); ++i) {
        const auto y = static_cast<std::int64_t>(i / growth.size());
        const auto x = static_cast<std::int64_t>(i % growth.size());
        put(image, filter, row + y, column + x, growth[i / growth.size()][i % growth.size()]);
      }
    }
  }

  void put(std::int64_t image, std::int64_t filter, std::int64_t row, std::int64_t column,
           double growth) {
    const auto& [height, width] = shape_.window;
    if (row >= height.output || column >= width.output) return;
    double sum = 0;
    for (std::int64_t channel = 0; channel < shape_.group_channels; ++channel) {
      for (std::int64_t k = 0; k < 9; ++k) {
        sum += pixel(image * shape_.group_channels + channel, row + k / 3, column + k % 3) *
               weight(filter * shape_.group_channels + channel, k);
      }
    }
    const auto at = static_cast<std::size_t>(
        ((image * shape_.group_filters + filter) * height.output + row) * width.output + column);
    const auto roundings = static_cast<double>(shape_.group_channels + 1 + 4 * 4);
    result_.sums[at] = sum;
    result_.bound[at] = roundings * 0x1p-24 * growth;
  }

  const sdk::ConvShape& shape_;
  const std::vector<float>& x_;
  const std::vector<float>& filter_;
  std::int64_t outputs_;
  Magnitudes magnitudes_;
  std::vector<double> filters_;  // transformed magnitudes: [filter][channel][element]
  ConvReference result_;
};

}  // namespace

ConvReference convolve_in_double(const sdk::ConvShape& shape, const std::vector<float>& x,
                                 const std::vector<float>& filter, std::int64_t outputs) {
  return Convolution(shape, x, filter, outputs).run();
}

double winograd_growth(std::int64_t outputs) {
  const Magnitudes magnitudes(outputs);
  const auto size = static_cast<std::size_t>(outputs + 2);
  Matrix products = transformed(magnitudes.b, Matrix(size, std::vector<double>(size, 1)));
  const Matrix filter = transformed(magnitudes.g, Matrix(3, std::vector<double>(3, 1)));
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) products[i][j] *= filter[i][j];
  }
  double most = 0;
  for (const auto& row : transformed(magnitudes.a, products)) {
    most = std::max(most, *std::max_element(row.begin(), row.end()));
  }
  return most;
}

}  // namespace loci::testing

// Operations along rows of whole vectors, with each number of threads that such a row may have,
// beside what the CPU makes of the same rows.
#include <cmath>
#include <functional>
#include <loci/op_call.hpp>
#include <loci/ops.hpp>

#include "tests/plugins/cuda/on_the_double.h"

namespace loci::test {
namespace {

struct Rows {
  std::int64_t rows;
  std::int64_t count;
};

class CudaWholeRowsTest : public OnTheDouble {
 protected:
  // Some lanes of a warp for a row, and a block, all of whose vectors are there in the last.
  static constexpr Rows kRows[] = {{70, 16}, {9, 72}, {3, 520}, {3, 2056}, {2, 8192}};

  // Elements of which no row has the same, behind `gap` others.
  static Tensor elements(const Rows& rows, DType dtype, std::int64_t gap = 0) {
    std::vector<float> values(static_cast<std::size_t>(gap + rows.rows * rows.count));
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = std::sin(static_cast<float>(i * i % 1009)) * static_cast<float>(1 + i % 7);
    }
    const auto count = static_cast<std::int64_t>(values.size());
    return cast(Tensor::from<float>(values, {count}), dtype)
        .rows(gap, count)
        .reshaped({rows.rows, rows.count});
  }

  // Computes a result from elements and as many others.
  using Compute = std::function<Tensor(const Tensor&, const Tensor&)>;
  static void expect_same(const Tensor& x, const Tensor& other, const Compute& compute) {
    const auto at = [&](const char* place) {
      return cast(compute(x.to(place), other.to(place)), kFloat32).to_vector<float>();
    };
    const std::vector<float> want = at("cpu");
    const std::vector<float> got = at("cuda:0");
    ASSERT_EQ(got.size(), want.size());
    float mean = 0;
    for (const float value : want) mean += std::abs(value) / static_cast<float>(want.size());
    const float relative = x.dtype() == kFloat32 ? 1e-5F : x.dtype() == kFloat16 ? 2e-3F : 1.6e-2F;
    for (std::size_t i = 0; i < want.size(); ++i) {
      ASSERT_NEAR(got[i], want[i], relative * (std::abs(want[i]) + mean)) << i;
    }
  }

  static void expect_same(const Compute& compute) {
    for (const DType dtype : {kFloat32, kFloat16, kBFloat16}) {
      for (const Rows& rows : kRows) {
        SCOPED_TRACE(std::to_string(rows.rows) + " x " + std::to_string(rows.count));
        expect_same(elements(rows, dtype), elements(rows, dtype, 5), compute);
      }
    }
    // Which begin at no multiple of 16 bytes.
    const Rows rows{70, 64};
    expect_same(elements(rows, kFloat32, 1), elements(rows, kFloat32), compute);
  }

  // The gradient of the sum of what is computed.
  static Compute gradient_of(const Compute& compute) {
    return [=](const Tensor& x, const Tensor& other) {
      const Tensor leaf = x.detach();
      leaf.set_requires_grad();
      reduce_sum(compute(leaf, other)).backward();
      return leaf.grad();
    };
  }

  // Returns one row, which all share.
  static Tensor shared(const Tensor& other) {
    return cast(other.rows(0, 1), other.dtype()).reshaped({other.shape()[1]});
  }
};

TEST_F(CudaWholeRowsTest, SoftmaxIsThatOfTheCpu) {
  expect_same([](const Tensor& x, const Tensor&) { return softmax(x); });
  expect_same([](const Tensor& x, const Tensor&) { return log_softmax(x); });
}

TEST_F(CudaWholeRowsTest, LayerNormIsThatOfTheCpu) {
  expect_same([](const Tensor& x, const Tensor&) { return layer_norm(x); });
  expect_same([](const Tensor& x, const Tensor& other) {
    return layer_norm(x, shared(other), shared(other));
  });
  expect_same(gradient_of([](const Tensor& x, const Tensor& other) {
    return elementwise_mul(layer_norm(x, shared(other)), other);
  }));
}

TEST_F(CudaWholeRowsTest, NormalizationIsThatOfTheCpu) {
  expect_same([](const Tensor& x, const Tensor&) { return l2_normalize(x); });
  expect_same(gradient_of([](const Tensor& x, const Tensor& other) {
    return elementwise_mul(l2_normalize(x), other);
  }));
}

TEST_F(CudaWholeRowsTest, CrossEntropyIsThatOfTheCpu) {
  const Compute soft = [](const Tensor& x, const Tensor& other) {
    return softmax_with_cross_entropy(x, softmax(other), /*soft_label=*/true);
  };
  const Compute hard = [](const Tensor& x, const Tensor&) {
    const std::int64_t rows = x.shape()[0];
    const std::vector<std::int64_t> classes(static_cast<std::size_t>(rows), 3);
    const Tensor labels = Tensor::from<std::int64_t>(classes, {rows, 1});
    return softmax_with_cross_entropy(x, labels.to(x.place()));
  };
  for (const Compute& loss : {soft, hard}) {
    expect_same(loss);
    expect_same(gradient_of(loss));
  }
}

}  // namespace
}  // namespace loci::test

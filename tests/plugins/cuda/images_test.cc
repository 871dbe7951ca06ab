// Pooling and resampling of images larger than those of the conformance cases, against the CPU:
// windows that a warp or a block folds, special values, and samples at many places.
#include <algorithm>
#include <cmath>
#include <limits>
#include <loci/op_call.hpp>
#include <loci/ops.hpp>
#include <string>
#include <utility>

#include "tests/plugins/cuda/on_the_double.h"

namespace loci::test {
namespace {

using Floats = std::vector<float>;

class CudaImagesTest : public OnTheDouble {
 protected:
  // Not in order, and no two alike next to each other.
  static Floats noise(const Shape& shape) {
    Floats values;
    for (std::int64_t i = 0; i < shape.numel(); ++i) {
      values.push_back(static_cast<float>(i * 7919 % 1013) / 64 - 8);
    }
    return values;
  }

  static Floats pooled(const Floats& x, const Shape& shape, const Pool2dOptions& options,
                       const char* place) {
    return pool2d(Tensor::from<float>(x, shape).to(place), options).to_vector<float>();
  }

  static Floats pool_grad(const Floats& x, const Shape& shape, const Pool2dOptions& options,
                          const char* place) {
    const Tensor image = Tensor::from<float>(x, shape).to(place);
    const Tensor out = pool2d(image, options);
    return OpCall<Tensor>("pool2d_grad")
        .attr("pooling_type", options.pooling_type)
        .attr("ksize", options.ksize)
        .attr("strides", options.strides)
        .attr("paddings", options.paddings)
        .attr("global_pooling", options.global_pooling)
        .input("x", image)
        .input("out", out)
        .input("out_grad", Tensor::from<float>(noise(out.shape()), out.shape()).to(place))
        .result()
        .to_vector<float>();
  }

  // NaN is like NaN, and infinity like itself.
  static void expect_near(const Floats& values, const Floats& expected, float bound) {
    ASSERT_EQ(values.size(), expected.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isnan(expected[i])) {
        ASSERT_TRUE(std::isnan(values[i])) << i << ": " << values[i];
      } else {
        ASSERT_TRUE(values[i] == expected[i] || std::abs(values[i] - expected[i]) <= bound)
            << i << ": " << values[i] << ", not " << expected[i];
      }
    }
  }

  static void expect_pools_as_cpu(const Floats& x, const Shape& shape, Pool2dOptions options) {
    for (const char* type : {"max", "avg"}) {
      options.pooling_type = type;
      SCOPED_TRACE(std::string(type) + " " + shape.to_string());
      const float bound = options.pooling_type == "max" ? 0 : 1e-5F;
      expect_near(pooled(x, shape, options, "cuda:0"), pooled(x, shape, options, "cpu"), bound);
      expect_near(pool_grad(x, shape, options, "cuda:0"), pool_grad(x, shape, options, "cpu"),
                  1e-5F);
    }
  }
};

TEST_F(CudaImagesTest, PoolsWholeImages) {
  for (const Shape& shape : {Shape{1, 3, 7, 7}, Shape{2, 1, 66, 65}}) {
    expect_pools_as_cpu(noise(shape), shape, {.ksize = {}, .global_pooling = true});
  }
}

TEST_F(CudaImagesTest, PoolsWideWindows) {
  const Shape shape{1, 2, 5, 90};
  expect_pools_as_cpu(noise(shape), shape,
                      {.ksize = {3, 40}, .strides = {2, 7}, .paddings = {1, 11}});
}

// NaN is the largest, wherever it is, and what is as large and comes first gets the gradient.
TEST_F(CudaImagesTest, PoolsSpecialValues) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  for (const Shape& shape : {Shape{1, 1, 6, 8}, Shape{1, 1, 8, 40}}) {
    for (const float value : {nan, -infinity, 0.0F}) {
      Floats x(static_cast<std::size_t>(shape.numel()), value);
      x[9] = 1;
      x[11] = nan;
      x[14] = nan;
      expect_pools_as_cpu(x, shape, {.ksize = {3, 3}, .strides = {1, 2}, .paddings = {1, 1}});
      expect_pools_as_cpu(x, shape, {.ksize = {}, .global_pooling = true});
    }
  }
}

struct Resize {
  std::int64_t from;
  std::int64_t to;
  bool align_corners;
  std::int64_t align_mode;
};

TEST_F(CudaImagesTest, ResamplesAsTheCpu) {
  for (const Resize& resize :
       {Resize{61, 13, false, 0}, Resize{13, 61, false, 0}, Resize{13, 61, false, 1},
        Resize{13, 61, true, 0}, Resize{61, 1, true, 0}, Resize{1, 13, false, 0}}) {
    SCOPED_TRACE(std::to_string(resize.from) + " to " + std::to_string(resize.to));
    const Shape shape{1, 2, resize.from, resize.from + 3};
    const Shape result{1, 2, resize.to, resize.to + 2};
    const auto computed = [&](OpCall<Tensor> call) {
      return call.attr("out_h", resize.to)
          .attr("out_w", resize.to + 2)
          .attr("align_corners", resize.align_corners)
          .attr("align_mode", resize.align_mode)
          .result()
          .to_vector<float>();
    };
    const auto at = [&](const char* place) {
      OpCall<Tensor> call("bilinear_interp");
      call.input("x", Tensor::from<float>(noise(shape), shape).to(place));
      return computed(std::move(call));
    };
    const auto grad_at = [&](const char* place) {
      OpCall<Tensor> call("bilinear_interp_grad");
      call.input("out_grad", Tensor::from<float>(noise(result), result).to(place))
          .input("x", Tensor::from<float>(noise(shape), shape).to(place));
      return computed(std::move(call));
    };
    expect_near(at("cuda:0"), at("cpu"), 1e-5F);
    expect_near(grad_at("cuda:0"), grad_at("cpu"), 1e-4F);
  }
}

}  // namespace
}  // namespace loci::test

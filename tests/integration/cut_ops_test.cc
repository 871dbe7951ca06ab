// Ops that a library computes in parts on the thread team: any number of threads gives what one
// does, but for the order of sums.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <loci/loci.hpp>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

namespace {

using Integers = std::vector<std::int64_t>;
using Call = std::function<loci::Tensor()>;

class Threads {
 public:
  explicit Threads(int threads) : before_(loci::config::threads()) {
    loci::config::set_threads(threads);
  }
  ~Threads() { loci::config::set_threads(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_;
};

// Sums of a few thousand products of numbers near 1.
constexpr float kTolerance = 2e-3F;

void expect_same_for_any_threads(const Call& call) {
  std::vector<float> one;
  {
    const Threads threads(1);
    one = call().to_vector<float>();
  }
  for (const int count : {2, 3, 8}) {
    const Threads threads(count);
    const std::vector<float> many = call().to_vector<float>();
    ASSERT_EQ(many.size(), one.size());
    float worst = 0;
    for (std::size_t i = 0; i < one.size(); ++i) {
      // Not std::max, which loses what is no number.
      if (!(std::abs(one[i] - many[i]) <= worst)) worst = std::abs(one[i] - many[i]);
    }
    EXPECT_LT(worst, kTolerance) << count << " threads";
  }
}

struct ConvCase {
  const char* what;
  loci::Shape x;
  loci::Shape filter;
  Integers strides{1, 1};
  Integers paddings{1, 1};
  Integers dilations{1, 1};
  std::int64_t groups = 1;
};

void PrintTo(const ConvCase& printed, std::ostream* out) { *out << printed.what; }

// So large that they are cut for as many threads.
const ConvCase kConvolutions[] = {
    {"images", {16, 32, 14, 14}, {32, 32, 3, 3}},
    {"images that do not divide", {13, 32, 14, 14}, {32, 32, 3, 3}},
    {"rows", {1, 16, 56, 56}, {32, 16, 3, 3}},
    {"rows of two images", {2, 16, 57, 57}, {32, 16, 3, 3}},
    {"rows with strides", {1, 3, 113, 113}, {64, 3, 7, 7}, {2, 2}, {3, 3}},
    {"rows of windows far apart", {1, 32, 65, 65}, {32, 32, 1, 1}, {3, 3}, {0, 0}},
    {"rows with dilations", {1, 16, 48, 48}, {32, 16, 3, 3}, {1, 1}, {2, 2}, {2, 2}},
    {"rows of which some see no image", {1, 16, 24, 24}, {32, 16, 3, 3}, {1, 1}, {30, 1}},
    {"filters", {1, 256, 7, 7}, {256, 256, 3, 3}},
    {"filters that are no whole blocks", {1, 128, 7, 7}, {200, 128, 3, 3}},
    {"groups", {1, 128, 20, 20}, {128, 32, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 4},
    {"channels each by itself", {1, 160, 40, 40}, {160, 1, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 160},
};

loci::Tensor convolve(const char* op, const ConvCase& of, const char* first,
                      const loci::Tensor& first_value, const char* second,
                      const loci::Tensor& second_value, const char* shape,
                      const loci::Tensor& shape_value) {
  loci::OpCall<loci::Tensor> call(op);
  call.input(first, first_value).input(second, second_value);
  if (shape != nullptr) call.input(shape, shape_value);
  return call.attr("strides", of.strides)
      .attr("paddings", of.paddings)
      .attr("dilations", of.dilations)
      .attr("groups", of.groups)
      .result();
}

class CutConvolution : public ::testing::TestWithParam<ConvCase> {
 protected:
  loci::Tensor x_ = loci::randn(GetParam().x);
  loci::Tensor filter_ = loci::randn(GetParam().filter) * 0.1;
  loci::Tensor out_ = convolve("conv2d", GetParam(), "x", x_, "filter", filter_, nullptr, {});
};

TEST_P(CutConvolution, Forward) {
  expect_same_for_any_threads(
      [&] { return convolve("conv2d", GetParam(), "x", x_, "filter", filter_, nullptr, {}); });
}

TEST_P(CutConvolution, GradientOfTheImage) {
  expect_same_for_any_threads([&] {
    return convolve("conv2d_grad_input", GetParam(), "filter", filter_, "out_grad", out_, "x", x_);
  });
}

// Scaled, because each is a sum over all images and pixels.
TEST_P(CutConvolution, GradientOfTheFilter) {
  expect_same_for_any_threads([&] {
    return convolve("conv2d_grad_filter", GetParam(), "x", x_, "out_grad", out_, "filter",
                    filter_) *
           1e-2;
  });
}

// The filter is packed, by parts where they have filters of their own.
TEST_P(CutConvolution, ByAConstant) {
  const ConvCase& of = GetParam();
  const loci::Program program;
  const loci::Program startup;
  const loci::ProgramGuard building(program, startup);
  const loci::Variable x = loci::data("x", of.x, loci::kFloat32);
  const loci::Variable filter =
      loci::create_parameter(of.filter, loci::kFloat32, loci::initializer::constant(0), "w");
  loci::Conv2dOptions options;
  options.strides = of.strides;
  options.paddings = of.paddings;
  options.dilations = of.dilations;
  options.groups = of.groups;
  const loci::Variable out = loci::conv2d(x, filter, options);
  const loci::Scope scope;
  scope.set("w", filter_);
  // Without Winograd's method, which is another kernel.
  loci::Executor executor("cpu", loci::CompileOptions::exact(), scope);
  expect_same_for_any_threads([&] { return executor.run(program, {{"x", x_}}, {out})[0]; });
}

// Ops that follow the convolution are done to each part on its thread.
TEST_P(CutConvolution, WithAllThatFollowsIt) {
  const ConvCase& of = GetParam();
  loci::Conv2dOptions options;
  options.strides = of.strides;
  options.paddings = of.paddings;
  options.dilations = of.dilations;
  options.groups = of.groups;
  loci::nn::BatchNorm norm(of.filter[0]);
  norm.eval();
  const loci::NoGrad inference;
  const auto block = [&](const std::vector<loci::Tensor>& in) {
    return std::vector<loci::Tensor>{
        loci::gelu(norm(loci::conv2d(in[0], filter_, options)) + in[1])};
  };
  const loci::Tensor residual = loci::randn(out_.shape());
  const loci::CompiledFunction compiled = loci::compile(block, {x_, residual});
  expect_same_for_any_threads([&] { return compiled({x_, residual})[0]; });
}

INSTANTIATE_TEST_SUITE_P(All, CutConvolution, ::testing::ValuesIn(kConvolutions),
                         [](const auto& tested) {
                           std::string name = tested.param.what;
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name;
                         });

struct ProductCase {
  const char* what;
  loci::Shape x;
  loci::Shape y;
  bool transpose_x = false;
  bool transpose_y = false;
};

void PrintTo(const ProductCase& printed, std::ostream* out) { *out << printed.what; }

const ProductCase kProducts[] = {
    {"rows", {512, 128}, {128, 64}},
    {"rows that do not divide", {509, 128}, {128, 64}},
    {"columns", {32, 256}, {256, 1024}},
    {"columns that are no whole blocks", {32, 256}, {256, 1000}},
    {"rows of a transposed matrix", {128, 512}, {128, 64}, true, false},
    {"columns of a transposed matrix", {32, 256}, {1024, 256}, false, true},
    {"matrices", {24, 64, 64}, {24, 64, 64}},
    {"matrices of the second dimension", {1, 24, 64, 64}, {1, 24, 64, 64}},
    {"matrices by the same one", {24, 64, 64}, {1, 64, 64}},
    {"the same matrix by many", {1, 64, 64}, {24, 64, 64}},
    {"rows of few matrices", {3, 512, 128}, {3, 128, 64}},
};

class CutProduct : public ::testing::TestWithParam<ProductCase> {
 protected:
  loci::Tensor x_ = loci::randn(GetParam().x) * 0.1;
  loci::Tensor y_ = loci::randn(GetParam().y);
};

TEST_P(CutProduct, OfTensors) {
  expect_same_for_any_threads(
      [&] { return loci::matmul(x_, y_, GetParam().transpose_x, GetParam().transpose_y); });
}

TEST_P(CutProduct, ByAConstantWithABiasAndAnActivation) {
  const ProductCase& of = GetParam();
  const loci::Program program;
  const loci::Program startup;
  const loci::ProgramGuard building(program, startup);
  const loci::Variable x = loci::data("x", of.x, loci::kFloat32);
  const loci::Variable y =
      loci::create_parameter(of.y, loci::kFloat32, loci::initializer::constant(0), "y");
  const std::int64_t columns = of.y[of.y.rank() - (of.transpose_y ? 2 : 1)];
  const loci::Variable bias =
      loci::create_parameter({columns}, loci::kFloat32, loci::initializer::constant(0), "b");
  const loci::Variable out = loci::relu(loci::matmul(x, y, of.transpose_x, of.transpose_y) + bias);
  const loci::Scope scope;
  scope.set("y", y_);
  scope.set("b", loci::randn({columns}));
  loci::Executor executor("cpu", {}, scope);
  expect_same_for_any_threads([&] { return executor.run(program, {{"x", x_}}, {out})[0]; });
}

TEST_P(CutProduct, WithAllThatFollowsIt) {
  const ProductCase& of = GetParam();
  const loci::NoGrad inference;
  const auto block = [&](const std::vector<loci::Tensor>& in) {
    const loci::Tensor product = loci::matmul(in[0], in[1], of.transpose_x, of.transpose_y);
    return std::vector<loci::Tensor>{loci::tanh(product + in[2] + in[3])};
  };
  const loci::Tensor product = loci::matmul(x_, y_, of.transpose_x, of.transpose_y);
  const loci::Shape shape = product.shape();
  const std::vector<loci::Tensor> in{x_, y_, loci::randn({shape[shape.rank() - 1]}),
                                     loci::randn(shape)};
  const loci::CompiledFunction compiled = loci::compile(block, in);
  expect_same_for_any_threads([&] { return compiled(in)[0]; });
}

INSTANTIATE_TEST_SUITE_P(All, CutProduct, ::testing::ValuesIn(kProducts), [](const auto& tested) {
  std::string name = tested.param.what;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
});

TEST(CutSoftmax, AlongEachAxis) {
  const loci::Tensor x = loci::randn({16, 40, 300});
  for (const int axis : {0, 1, 2}) {
    expect_same_for_any_threads([&] { return loci::softmax(x, axis); });
  }
}

TEST(CutPool, ImagesAndChannels) {
  for (const loci::Shape& shape : {loci::Shape{16, 16, 28, 28}, loci::Shape{1, 67, 56, 56}}) {
    const loci::Tensor x = loci::randn(shape);
    for (const char* type : {"max", "avg"}) {
      expect_same_for_any_threads([&] {
        return loci::OpCall<loci::Tensor>("pool2d")
            .input("x", x)
            .attr("pooling_type", std::string(type))
            .attr("ksize", Integers{3, 3})
            .attr("strides", Integers{2, 2})
            .attr("paddings", Integers{1, 1})
            .result();
      });
    }
  }
}

// A shape at a time, in turn, from several threads: what launches share is theirs alone.
TEST(CutProduct, OfSeveralThreadsAtOnce) {
  const Threads threads(3);
  const loci::Tensor x = loci::randn({512, 128});
  const loci::Tensor y = loci::randn({128, 64});
  const std::vector<float> want = loci::matmul(x, y).to_vector<float>();
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        if (loci::matmul(x, y).to_vector<float>() != want) ++wrong;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace

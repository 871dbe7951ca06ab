// Convolutions by cuDNN in programs, graphs and threads, and where the library fails; on the
// doubles of the library and of the driver.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <loci/error.hpp>
#include <loci/graph.hpp>
#include <loci/layers.hpp>
#include <loci/loci.hpp>
#include <set>
#include <thread>
#include <vector>

#include "tests/plugins/cuda/double_questions.h"
#include "tests/plugins/cuda/profile_fixture.h"

namespace loci::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr int kNotSupported = 3000;
constexpr int kExecutionFailed = 5001;
constexpr const char* kForward = "cudnnConvolutionForward";
constexpr const char* kFused = "cudnnConvolutionBiasActivationForward";
constexpr const char* kImageGrad = "cudnnConvolutionBackwardData";
constexpr const char* kFilterGrad = "cudnnConvolutionBackwardFilter";

std::string library_path() { return build_path("lib/loci/cuda_double/libcudnn.so.9"); }

template <class Function>
Function* library_function(const char* name) {
  static void* const library = ::dlopen(library_path().c_str(), RTLD_NOW | RTLD_LOCAL);
  void* found = library == nullptr ? nullptr : ::dlsym(library, name);
  if (found == nullptr) throw std::runtime_error(std::string("the double has no ") + name);
  return reinterpret_cast<Function*>(found);
}

std::uint64_t calls_of(const char* function) {
  return library_function<unsigned long long(const char*)>("loci_cudnn_double_call_count")(
      function);
}

// The n-th convolution from now on; 0 for none.
void fail_convolution(std::uint64_t n, int status) {
  library_function<void(unsigned long long, int)>("loci_cudnn_double_plan_failure")(n, status);
}

// Numbers between -1 and 1, others for each seed.
Tensor numbers(const Shape& shape, int seed) {
  std::vector<float> all(static_cast<std::size_t>(shape.numel()));
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = std::sin(static_cast<float>(seed) + 1.7F * static_cast<float>(i));
  }
  return Tensor::from(all, shape);
}

// Two groups, strides and dilations.
struct Convolved {
  explicit Convolved(int seed = 0)
      : x(numbers({2, 6, 9, 8}, seed)),
        filter(numbers({8, 3, 3, 2}, seed + 1)),
        bias(numbers({8}, seed + 2)) {
    options.groups = 2;
    options.strides = {2, 1};
    options.paddings = {1, 0};
    options.dilations = {1, 2};
  }
  [[nodiscard]] Convolved at(const Place& place) const {
    Convolved moved = *this;
    moved.x = x.detach().to(place);
    moved.filter = filter.detach().to(place);
    moved.bias = bias.to(place);
    return moved;
  }
  std::vector<float> result() const { return conv2d(x, filter, options).to_vector<float>(); }
  // Returns the gradients of the sum of the squares of the results.
  [[nodiscard]] std::vector<std::vector<float>> gradients() const {
    static_cast<void>(x.set_requires_grad());
    static_cast<void>(filter.set_requires_grad());
    const Tensor out = conv2d(x, filter, options);
    reduce_sum(out * out).backward();
    return {x.grad().to_vector<float>(), filter.grad().to_vector<float>()};
  }

  Tensor x;
  Tensor filter;
  Tensor bias;
  Conv2dOptions options;
};

// The plugin reads its settings when it is created, by the first test of whatever suite.
class Doubles : public ::testing::Environment {
 public:
  void SetUp() override {
    use_doubles("checks=all,seed=3,latency_us=20");
    ::setenv("LOCI_CUDA_CUDNN", library_path().c_str(), 1);
    ::setenv("LOCI_CUDA_CUPTI", "0", 1);
  }
};
const ::testing::Environment* const kDoubles = ::testing::AddGlobalTestEnvironment(new Doubles);

class CudaCudnnTest : public CudaProfileFixture {
 protected:
  void SetUp() override { findings_ = finding_count(); }
  void TearDown() override {
    fail_convolution(0, 0);
    fail_driver_call(0, 0);
    EXPECT_EQ(findings_since(findings_), "");
  }

 private:
  const FallbackGuard on_the_device_{FallbackPolicy::kError};
  unsigned findings_ = 0;
};

auto near(const std::vector<float>& expected) {
  return ::testing::Pointwise(::testing::FloatNear(1e-4F), expected);
}

TEST_F(CudaCudnnTest, GivesWhatTheCpuGives) {
  const Convolved host;
  const std::uint64_t before = calls_of(kForward);
  EXPECT_THAT(host.at("cuda:0").result(), near(host.result()));
  EXPECT_EQ(calls_of(kForward), before + 1);
}

TEST_F(CudaCudnnTest, GivesTheGradientsThatTheCpuGives) {
  const Convolved host;
  const std::uint64_t before = calls_of(kImageGrad) + calls_of(kFilterGrad);
  const auto expected = host.gradients();
  const auto gradients = host.at("cuda:0").gradients();
  EXPECT_THAT(gradients[0], near(expected[0]));
  EXPECT_THAT(gradients[1], near(expected[1]));
  EXPECT_EQ(calls_of(kImageGrad) + calls_of(kFilterGrad), before + 2);
}

TEST_F(CudaCudnnTest, AddsABiasInTheSameCall) {
  const Convolved host;
  const Convolved device = host.at("cuda:0");
  const std::uint64_t before = calls_of(kFused);
  const Tensor expected = conv2d(host.x, host.filter, host.options, host.bias);
  EXPECT_THAT(conv2d(device.x, device.filter, device.options, device.bias).to_vector<float>(),
              near(expected.to_vector<float>()));
  EXPECT_EQ(calls_of(kFused), before + 1);
}

// ctest runs it with LOCI_CUDA_TF32=1 too. The number has more digits than TF32.
TEST_F(CudaCudnnTest, Float32HasItsDigitsUnlessTf32IsAllowed) {
  const char* setting = std::getenv("LOCI_CUDA_TF32");
  const bool is_allowed = setting != nullptr && std::string(setting) == "1";
  constexpr float kNumber = 1 + 0x1p-12F;
  const Tensor x = full({1, 1, 2, 1}, kNumber, kFloat32).to("cuda:0");
  const Tensor half = full({1, 1, 2, 1}, 0.5, kFloat32).to("cuda:0");
  const std::uint64_t before = calls_of(kForward);
  EXPECT_EQ(conv2d(x, half).to_vector<float>(), std::vector<float>{is_allowed ? 1 : kNumber});
  EXPECT_EQ(calls_of(kForward), before + 1);
}

TEST_F(CudaCudnnTest, LeavesViewsThatBeginAnywhereToOwnKernels) {
  const Convolved host;
  const Tensor longer = numbers({2 * 6 * 9 * 8 + 1}, 5);
  const auto view_at = [&](const Place& place) {
    const Tensor all = longer.to(place);
    const Tensor view = all.rows(1, all.shape()[0]).reshaped({2, 6, 9, 8});
    return conv2d(view, host.filter.to(place), host.options).to_vector<float>();
  };
  const std::uint64_t before = calls_of(kForward);
  EXPECT_THAT(view_at("cuda:0"), near(view_at("cpu")));
  EXPECT_EQ(calls_of(kForward), before);
}

TEST_F(CudaCudnnTest, IsCapturedAndReplayedWithoutTheLibrary) {
  const Convolved device = Convolved().at("cuda:0");
  const std::vector<float> expected = device.result();  // which prepares it
  Graph graph("cuda:0");
  const std::uint64_t before = calls_of(kForward);
  graph.capture_begin();
  const Tensor out = conv2d(device.x, device.filter, device.options);
  graph.capture_end();
  EXPECT_EQ(calls_of(kForward), before + 1);
  graph.replay();
  graph.replay();
  EXPECT_EQ(out.to_vector<float>(), expected);
  EXPECT_EQ(calls_of(kForward), before + 1);
  for (const GraphSegment& segment : graph.stats().segments) EXPECT_TRUE(segment.is_native);
}

// A handle and an algorithm are found while the stream records.
TEST_F(CudaCudnnTest, IsPreparedWithinACapture) {
  const Convolved host(31);
  const Tensor x = numbers({3, 6, 10, 8}, 31).to("cuda:0");  // of a shape that no other test has
  const Tensor filter = host.filter.to("cuda:0");
  synchronize();
  Graph graph("cuda:0");
  graph.capture_begin();
  const Tensor out = conv2d(x, filter, host.options);
  graph.capture_end();
  graph.replay();
  EXPECT_THAT(out.to_vector<float>(),
              near(conv2d(x.to("cpu"), host.filter, host.options).to_vector<float>()));
}

TEST_F(CudaCudnnTest, ThreadsConvolveAtOnceEachOnAStreamOfItsOwn) {
  constexpr int kThreads = 4;
  std::atomic<int> wrong{0};
  const auto convolve = [&wrong](int number) {
    const Stream stream("cuda:0");
    const StreamGuard on_it(stream);
    const Convolved host(number);
    const Convolved device = host.at("cuda:0");
    const std::vector<float> expected = device.result();
    for (int round = 0; round < 8; ++round) {
      if (device.result() != expected) ++wrong;
    }
    const std::vector<float> on_cpu = host.result();
    for (std::size_t i = 0; i < on_cpu.size(); ++i) {
      if (std::abs(on_cpu[i] - expected[i]) > 1e-4F) ++wrong;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(convolve, 10 * i);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

// It is not asked again for what it refused.
TEST_F(CudaCudnnTest, OwnKernelsDoWhatItRefusesWhenLaunched) {
  const Tensor x = numbers({1, 6, 12, 8}, 3);  // of a shape that no other test has
  const Convolved host;
  const auto result_at = [&](const Place& place) {
    return conv2d(x.to(place), host.filter.to(place), host.options).to_vector<float>();
  };
  const std::uint64_t before = calls_of(kForward);
  fail_convolution(1, kNotSupported);
  const std::vector<float> result = result_at("cuda:0");
  EXPECT_THAT(result, near(result_at("cpu")));
  EXPECT_EQ(result_at("cuda:0"), result);
  EXPECT_EQ(calls_of(kForward), before + 1);
}

TEST_F(CudaCudnnTest, AFailureSaysWhatToDoAndIsOver) {
  const Convolved device = Convolved().at("cuda:0");
  const std::vector<float> expected = device.result();
  fail_convolution(1, kExecutionFailed);
  EXPECT_THAT([&] { device.result(); },
              ThrowsMessage<Error>(
                  AllOf(HasSubstr("convolving by cuDNN ended with "
                                  "CUDNN_STATUS_EXECUTION_FAILED_CUDA_DRIVER"),
                        HasSubstr("LOCI_CUDA_CUDNN=0 has the plugin's own convolutions instead"))));
  EXPECT_EQ(device.result(), expected);
}

// Each of the driver's calls in a convolution fails once, the library's own among them.
TEST_F(CudaCudnnTest, AFailureOfTheDriverIsToldAndIsOver) {
  const Convolved device = Convolved().at("cuda:0");
  const std::vector<float> expected = device.result();
  const std::uint64_t before = driver_calls();
  device.result();
  const std::uint64_t count = driver_calls() - before;
  constexpr int kOutOfMemory = 2;
  std::set<std::string> failed;
  for (std::uint64_t n = 1; n <= count; ++n) {
    fail_driver_call(n, kOutOfMemory);
    try {
      device.result();
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("; ")) << "what to do";
    }
    failed.insert(failed_driver_function());
    fail_driver_call(0, 0);
    synchronize();
    ASSERT_EQ(device.result(), expected) << n;
  }
  EXPECT_THAT(failed, ::testing::Contains("cuLaunchKernel"));
}

// Pixels that say which class an image is of.
Feed batch(int step) {
  constexpr std::int64_t kBatch = 8;
  std::vector<float> pixels;
  std::vector<std::int64_t> labels;
  for (std::int64_t i = 0; i < kBatch; ++i) {
    labels.push_back((i + step) % 4);
    for (std::int64_t pixel = 0; pixel < 64; ++pixel) {
      const bool is_set = pixel / 2 % 4 == labels.back();
      pixels.push_back((is_set ? 1.0F : 0.0F) + static_cast<float>(pixel * 37 % 97) / 300);
    }
  }
  return {{"image", Tensor::from(pixels, {kBatch, 1, 8, 8})},
          {"label", Tensor::from(labels, {kBatch, 1})}};
}

Variable build_classifier() {
  const Variable image = data("image", {8, 1, 8, 8}, kFloat32);
  const Variable label = data("label", {8, 1}, kInt64);
  Conv2dOptions padded;
  padded.paddings = {1, 1};
  Variable x = relu(layers::batch_norm(layers::conv2d(image, 6, 3, padded)));
  padded.strides = {2, 2};
  x = relu(layers::conv2d(x, 8, 3, padded));
  const Variable loss = mean(softmax_with_cross_entropy(layers::fc(x, 4), label));
  optimizer::SGD(0.1).minimize(loss);
  return loss;
}

TEST_F(CudaCudnnTest, TrainsACapturedProgramToTheBitAndAsTheCpuDoes) {
  const Program main;
  const Program startup;
  const ProgramGuard building(main, startup);
  const Variable loss = build_classifier();
  const auto losses_of = [&](const char* place, GraphCapture capture) {
    CompileOptions options;
    options.capture = capture;
    Executor executor(place, options, Scope());
    executor.run(startup);
    std::vector<float> losses;
    for (int step = 0; step < 6; ++step) {
      losses.push_back(executor.run(main, batch(step), {loss}).front().item<float>());
    }
    return losses;
  };
  const std::uint64_t before = calls_of(kFilterGrad);
  const std::vector<float> losses = losses_of("cuda:0", GraphCapture::kOff);
  EXPECT_GT(calls_of(kFilterGrad), before);
  EXPECT_LT(losses.back(), losses.front()) << "it learns";
  EXPECT_EQ(losses_of("cuda:0", GraphCapture::kAuto), losses);
  EXPECT_THAT(losses, ::testing::Pointwise(::testing::FloatNear(1e-3F),
                                           losses_of("cpu", GraphCapture::kOff)));
}

// The implementation of an operator in a profile.
std::set<std::string> kernels_of(const loci_profile& profile, const std::string& op) {
  std::set<std::string> kernels;
  for (std::uint64_t i = 0; i < profile.span_count; ++i) {
    const loci_profile_label& label = profile.labels[profile.spans[i].label];
    if (label.kind == LOCI_SPAN_OP && text(label.name) == op) kernels.insert(text(label.kernel));
  }
  return kernels;
}

TEST_F(CudaCudnnTest, AProfileSaysThatItWasTheLibrary) {
  const Convolved device = Convolved().at("cuda:0");
  const profiler::Profile profile = profile_of({}, [&] { static_cast<void>(device.result()); });
  EXPECT_EQ(kernels_of(profile.abi(), "conv2d"), std::set<std::string>{"org.loci.cuda/cudnn"});
  bool has_its_work = false;
  for (const auto& work : work_of(profile.abi(), LOCI_DEVICE_WORK_KERNEL)) {
    has_its_work |= launcher(profile.abi(), work) == "conv2d";
  }
  EXPECT_TRUE(has_its_work);
}

}  // namespace
}  // namespace loci::test

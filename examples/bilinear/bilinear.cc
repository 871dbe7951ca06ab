// Times bilinear interpolation forward and backward, the program of the tutorial on profiling:
// 10 samples of 16 channels, 64 by 64, to twice the height and width.
//
//   build/release/bin/bilinear [DEVICE [RUNS]]     # DEVICE: cpu; RUNS: 50
//
// prints the median time of each direction, then that of the first forward and backward run as a
// timer shows it, and fails if a result is not that of plain loops.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <loci/loci.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "plain_loops.h"

namespace {

constexpr std::int64_t kSamples = 10;
constexpr std::int64_t kChannels = 16;
constexpr std::int64_t kHeight = 64;
constexpr std::int64_t kWidth = 64;
constexpr bilinear::Sizes kSizes{kSamples * kChannels, kHeight, kWidth};
// A result is a sum of at most nine products of values below 1.
constexpr double kTolerance = 1e-5;

const loci::Shape& image_shape() {
  static const loci::Shape shape{kSamples, kChannels, kHeight, kWidth};
  return shape;
}

const loci::Shape& result_shape() {
  static const loci::Shape shape{kSamples, kChannels, 2 * kHeight, 2 * kWidth};
  return shape;
}

// Row d of the result lies at row d / 2 of the image.
loci::BilinearInterpOptions twice_the_size() {
  loci::BilinearInterpOptions options;
  options.out_h = 2 * kHeight;
  options.out_w = 2 * kWidth;
  options.align_mode = 1;
  return options;
}

// One direction: a program, and the values of its inputs. The first one is what is interpolated.
struct Direction {
  loci::Program program;
  loci::Variable output;
  loci::Feed feed;
};

loci::Tensor random_values(const loci::Shape& shape) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> values(-1.0F, 1.0F);
  std::vector<float> result(static_cast<std::size_t>(shape.numel()));
  std::generate(result.begin(), result.end(), [&] { return values(random); });
  return loci::Tensor::from<float>(result, shape);
}

Direction build_forward() {
  Direction direction;
  const loci::ProgramGuard building(direction.program);
  const loci::Variable image = loci::data("image", image_shape(), loci::kFloat32);
  direction.output = loci::bilinear_interp(image, twice_the_size());
  direction.feed = {{"image", random_values(image_shape())}};
  return direction;
}

// The gradient of the image from that of the result: what gradients() adds to a program. Of the
// image only the shape is used.
Direction build_backward() {
  Direction direction;
  const loci::ProgramGuard building(direction.program);
  const loci::Variable result_grad = loci::data("result_grad", result_shape(), loci::kFloat32);
  const loci::Variable image = loci::data("image", image_shape(), loci::kFloat32);
  const loci::BilinearInterpOptions options = twice_the_size();
  direction.output = loci::OpCall<loci::Variable>("bilinear_interp_grad")
                         .input("out_grad", result_grad)
                         .input("x", image)
                         .attr("out_h", options.out_h)
                         .attr("out_w", options.out_w)
                         .attr("align_mode", options.align_mode)
                         .result();
  direction.feed = {{"result_grad", random_values(result_shape())},
                    {"image", random_values(image_shape())}};
  return direction;
}

// Calls `body` that often, after one time that does not count; in milliseconds.
template <class Body>
double median_time(int runs, const Body& body) {
  body();
  std::vector<double> times;
  for (int i = 0; i < runs; ++i) {
    const auto start = std::chrono::steady_clock::now();
    body();
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    times.push_back(time.count());
  }
  const auto middle = times.begin() + runs / 2;
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

double largest_difference(const loci::Tensor& tensor, const std::vector<float>& expected) {
  double largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double difference =
        std::abs(static_cast<double>(tensor.data<float>()[i]) - static_cast<double>(expected[i]));
    if (!(difference <= largest)) largest = difference;
  }
  return largest;
}

using PlainLoop = std::vector<float> (*)(const std::vector<float>&, const bilinear::Sizes&);

// Prints one line; returns whether the result is right.
bool measure(const char* name, const Direction& direction, PlainLoop plain,
             const std::string& device, int runs) {
  const loci::Tensor& input = direction.feed.front().second;
  const auto* first = input.data<float>();
  const std::vector<float> values(first, first + input.numel());
  loci::Executor executor(device);
  // A result that nobody fetches would not be computed.
  std::vector<loci::Tensor> fetched;
  const double time = median_time(
      runs, [&] { fetched = executor.run(direction.program, direction.feed, {direction.output}); });
  const double plain_time = median_time(3, [&] { (void)plain(values, kSizes); });
  const double difference = largest_difference(fetched[0], plain(values, kSizes));
  std::printf("%-8s  median %7.3f ms of %d runs, plain loops %7.3f ms\n", name, time, runs,
              plain_time);
  if (difference <= kTolerance) return true;
  std::fprintf(stderr, "bilinear: %s differs from plain loops by %g\n", name, difference);
  return false;
}

// Both directions once, from programs that nobody has run yet, under a timer and for an external
// profiler.
void run_once(const Direction& forward, const Direction& backward, const std::string& device) {
  const std::string sizes =
      "numSamples = " + std::to_string(kSamples) + ", channels = " + std::to_string(kChannels) +
      ", imgSizeX = " + std::to_string(kWidth) + ", imgSizeY = " + std::to_string(kHeight);
  std::printf("%s on %s\n", sizes.c_str(), device.c_str());
  loci::Executor executor(device);
  LOCI_GPU_PROFILER("testBilinearFwdBwd", sizes);
  LOCI_TIMER_INFO("testBilinearFwdBwd", sizes, executor.place());
  for (const Direction* direction : {&forward, &backward}) {
    executor.run(direction->program, direction->feed, {direction->output});
  }
}

int run(const std::string& device, int runs) {
  const Direction forward = build_forward();
  const Direction backward = build_backward();
  run_once(forward, backward, device);
  const bool forward_is_right = measure("forward", forward, bilinear::forward, device, runs);
  const bool backward_is_right = measure("backward", backward, bilinear::backward, device, runs);
  loci::print_all_status();
  return forward_is_right && backward_is_right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int runs = argc > 2 ? std::stoi(argv[2]) : 50;
    if (argc > 3 || runs < 1) throw std::invalid_argument("usage: bilinear [DEVICE [RUNS]]");
    return run(argc > 1 ? argv[1] : "cpu", runs);
  } catch (const loci::Error& error) {
    std::fprintf(stderr, "bilinear: %s\n%s", error.what(), error.details().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bilinear: %s\n", error.what());
  }
  return 1;
}

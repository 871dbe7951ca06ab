#include "tests/plugins/reporter_html/sample_profile.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "tests/support/recording_builder.h"

namespace loci::testing {
namespace {

using test_support::RecordingBuilder;
using Ns = std::uint64_t;

struct Work {
  const char* type;
  const char* instance;
  std::uint32_t kind;
  double host_us;
  double device_us;
  std::uint64_t flops;
  std::uint64_t bytes;
  double occupancy;
};

constexpr std::array<Work, 12> kWork{{
    {"conv2d", "conv_0", LOCI_SPAN_OP, 14, 96, 540'000'000, 6'400'000, 0.62},
    {"relu", "relu_0", LOCI_SPAN_OP, 9, 4, 1'600'000, 12'800'000, 0.9},
    {"pool2d", "pool_0", LOCI_SPAN_OP, 10, 7, 3'200'000, 8'000'000, 0.8},
    {"mul", "fc_0", LOCI_SPAN_OP, 12, 41, 210'000'000, 3'100'000, 0.55},
    {"elementwise_add", "fc_0_bias", LOCI_SPAN_OP, 9, 3, 400'000, 4'800'000, 0.9},
    {"softmax", "prediction", LOCI_SPAN_OP, 10, 5, 640'000, 520'000, 0.11},
    {"cross_entropy", "loss", LOCI_SPAN_OP, 9, 3, 13'000, 260'000, 0.08},
    {"softmax_grad", "prediction", LOCI_SPAN_GRADIENT, 10, 4, 900'000, 780'000, 0.11},
    {"mul_grad", "fc_0", LOCI_SPAN_GRADIENT, 15, 84, 420'000'000, 6'300'000, 0.58},
    {"relu_grad", "relu_0", LOCI_SPAN_GRADIENT, 9, 5, 1'600'000, 19'200'000, 0.9},
    {"conv2d_grad", "conv_0", LOCI_SPAN_GRADIENT, 18, 188, 1'080'000'000, 13'000'000, 0.6},
    {"sgd", "conv_0_w <b>&amp;</script>", LOCI_SPAN_OP, 8, 3, 200'000, 2'400'000, 0.7},
}};

// Below one; the same in each run of the test.
class Jitter {
 public:
  double next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(state_ >> 40) / static_cast<double>(1U << 24);
  }

 private:
  std::uint64_t state_ = 7;
};

class Training {
 public:
  Training() {
    builder_.thread("main");
    builder_.device({"cpu", "a processor with 16 cores", "", false, 9e11, 6e10, 0, 0, 0});
    builder_.device({"sim:0",
                     "a software accelerator",
                     "sim 0.1",
                     true,
                     9e12,
                     7e11,
                     2e13,
                     1e12,
                     4'294'967'296,
                     {{1 << 16, 2e12}, {1 << 24, 7e11}},
                     true});
    builder_.recording().started_at_unix_ns = 1'760'000'000'000'000'000;
    builder_.recording().program = "digits";
    builder_.recording().machine = "16 cores, a test's machine";
    builder_.recording().quality.clock = "tsc";
    builder_.recording().quality.clock_error_ns = 140;
    builder_.recording().quality.own_cost_ns = 4'200'000;
    builder_.recording().quality.drain_cost_ns = 9'100'000;
    builder_.allocate(1000, 1, 25'600'000, "conv_0_w", "sim:0");
    builder_.allocate(2000, 2, 8'000'000, "fc_0_w", "sim:0");
  }

  void step(std::uint64_t number) {
    const Ns begin = now_;
    const Ns length = step_length();
    builder_.thread("loader").user("read", begin, begin + length / 3, "batch");
    builder_.thread("main").run("train", begin, begin + length);
    now_ = begin + 2000;
    copy({"image", "cpu", "sim:0", 3'211'264, "feed", "", "conv_0"}, 260, false);
    // Each step copies the same, which advice is for.
    copy({"class_weights", "cpu", "sim:0", 40'960, "prepare_data", "", "loss"}, 22, true);
    for (const Work& work : kWork) op(number, work);
    copy({"logits", "sim:0", "cpu", 40'000, "prepare_data", "prediction", "accuracy_0"}, 24, true);
    host_op();
    copy({"accuracy", "cpu", "sim:0", 4, "prepare_data", "accuracy_0", "log_0"}, 9, true);
    const Ns end = begin + length;
    builder_.wait("sim:0", now_, end - 500);
    builder_.step(begin, end);
    now_ = end + 700 + static_cast<Ns>(jitter_.next() * 4000);
    device_free_ = std::max(device_free_, end - 500);
  }

  [[nodiscard]] std::uint64_t events() const { return events_; }
  [[nodiscard]] profiler::Recording build() {
    builder_.drop("memory", 3).note("sim: times are of a described machine, not of a real one");
    return builder_.build();
  }

 private:
  static Ns ns(double us) { return static_cast<Ns>(us * 1e3); }
  [[nodiscard]] static Ns step_length() {
    double us = 330;  // copies, the operator on the host, the wait
    for (const Work& work : kWork) us += 1.2 * work.device_us;
    return ns(us);
  }
  double scatter() { return 0.8 + 0.4 * jitter_.next(); }

  void op(std::uint64_t step, const Work& work) {
    const Ns begin = now_;
    const Ns length = ns(work.host_us * scatter());
    profiler::Label label{work.kind, work.type, work.instance, "sim:0", "portable"};
    label.detail = "x: float32[64, 784], y: float32[784, 200]";
    label.flops = work.flops;
    label.bytes = work.bytes;
    builder_.span(label, begin, begin + length);
    builder_.phase("prepare_data", begin + 200, begin + 600);
    builder_.phase("infer_shape", begin + 700, begin + 900);
    builder_.phase("compute", begin + 1000, begin + length - 300);
    device_free_ = std::max(device_free_, begin + length / 2);
    const Ns end = device_free_ + ns(work.device_us * scatter());
    builder_.stream(0).kernel(std::string(work.type) + "_kernel", device_free_, end);
    loci_launch_geometry geometry{};
    geometry.grid[0] = 196;
    geometry.block[0] = 256;
    geometry.grid[1] = geometry.grid[2] = geometry.block[1] = geometry.block[2] = 1;
    geometry.registers = 40;
    geometry.static_shared = 4096;
    geometry.occupancy = work.occupancy;
    builder_.geometry(geometry);
    device_free_ = end + 300;
    const std::uint64_t address =
        100 + step * kWork.size() + static_cast<std::size_t>(&work - kWork.data());
    builder_.allocate(begin + 650, address, work.bytes / 2, std::string(work.instance) + ".out",
                      "sim:0");
    builder_.release(std::max(end, begin + length), address);
    now_ = begin + length + 250;
    events_ += 7;
  }

  void copy(const test_support::CopyOf& of, double us, bool waits) {
    const Ns length = ns(us * scatter());
    if (waits) {
      builder_.waited_copy(of, now_, now_ + length);
    } else {
      builder_.copy(of, now_, now_ + 4000);
    }
    const bool is_to_device = of.target == "sim:0";
    builder_.stream(waits ? 2 : 1)
        .device_copy(is_to_device ? LOCI_COPY_HOST_TO_DEVICE : LOCI_COPY_DEVICE_TO_HOST, of.bytes,
                     now_ + 1000, now_ + length - 500);
    now_ += (waits ? length : Ns{4000}) + 300;
    events_ += 2;
  }

  void host_op() {
    profiler::Label label{LOCI_SPAN_OP, "accuracy", "accuracy_0", "cpu", "portable"};
    label.flops = 64'000;
    label.bytes = 40'256;
    builder_.span(label, now_, now_ + 18'000);
    now_ += 18'300;
    ++events_;
  }

  RecordingBuilder builder_;
  Jitter jitter_;
  Ns now_ = 5000;
  Ns device_free_ = 0;
  std::uint64_t events_ = 2;
};

}  // namespace

profiler::Profile sample_profile(std::uint64_t events) {
  Training training;
  for (std::uint64_t step = 0; training.events() < events; ++step) training.step(step);
  return profiler::Profile(training.build());
}

}  // namespace loci::testing

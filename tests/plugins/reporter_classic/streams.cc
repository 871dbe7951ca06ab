#include "tests/plugins/reporter_classic/streams.h"

#include "tests/support/recording_builder.h"

namespace loci::classic {
namespace {

using test_support::CopyOf;
using test_support::ms;
using test_support::RecordingBuilder;
using test_support::us;

const CopyOf kUpload{"x", "cpu", "sim:0", 64};
const CopyOf kDownload{"y", "sim:0", "cpu", 32, "fetch"};
const CopyOf kWithin{"z", "sim:0", "sim:0", 16, "local"};
const CopyOf kOnHost{"w", "cpu", "cpu", 8, "local"};

// One run, from `at` on; its times grow with `more`, all in microseconds.
class Run {
 public:
  Run(RecordingBuilder& builder, double at, double more)
      : builder_(builder), at_(at), more_(more) {}

  void record() {
    builder_.run("executor", t(0), t(950));
    builder_.framework("feed", t(5), t(15 + more_));
    fill("fill_0", 30);
    fill("fill_1", 100);
    slice();
    conditional();
    loss();
    backward();
    builder_.wait("sim:0", t(760), t(780 + 2 * more_));
    fetch();
    builder_.framework("eager_deletion", t(900), t(902 + more_));
    builder_.framework("eager_deletion", t(920), t(921));
  }

 private:
  [[nodiscard]] std::uint64_t t(double time) const { return us(at_ + time); }

  void fill(const std::string& instance, double at) {
    builder_.op("fill_constant", instance, t(at), t(at + 40 + 2 * more_));
    builder_.phase("prepare_data", t(at + 1), t(at + 3));
    builder_.phase("infer_shape", t(at + 4), t(at + 9.125));
    builder_.phase("compute", t(at + 10), t(at + 30 + more_));
    builder_.call("launch", t(at + 12), t(at + 20));
    builder_.kernel("fill", t(at + 20), t(at + 27 + more_ / 2));
  }

  void slice() {
    builder_.op("slice", "slice_0", t(170), t(280 + more_));
    builder_.phase("prepare_data", t(172), t(215));
    builder_.waited_copy(kUpload, t(175), t(205 + more_));
    builder_.device_copy(LOCI_COPY_HOST_TO_DEVICE, 64, t(190), t(194.5));
    builder_.phase("infer_shape", t(216), t(224));
    builder_.phase("compute", t(225), t(270));
    builder_.kernel("slice", t(250), t(256 + more_));
    builder_.waited_copy(kUpload, t(255), t(262));
  }

  void conditional() {
    builder_.op("conditional_block", "cond_0", t(310), t(520 + more_));
    builder_.op("assign", "", t(315), t(355));
    builder_.phase("compute", t(317), t(350));
    builder_.copy(kWithin, t(320), t(345));
    builder_.device_copy(LOCI_COPY_DEVICE_TO_DEVICE, 16, t(330), t(333 + more_));
    fill("fill_2", 360);
    builder_.copy(kDownload, t(440), t(460 + more_));
    builder_.device_copy(LOCI_COPY_DEVICE_TO_HOST, 32, t(450), t(452));
  }

  void loss() {
    builder_.user("loss", t(550), t(690));
    builder_.op("mean", "mean_0", t(555), t(585));
    builder_.phase("compute", t(557), t(580));
    builder_.kernel("mean", t(570), t(576));
    builder_.op("mul", "mul_0", t(590), t(650 + more_));
    builder_.phase("compute", t(592), t(645));
    builder_.copy(kOnHost, t(600), t(610));
    builder_.kernel("gemm", t(620), t(680 + more_));
  }

  void backward() {
    builder_.gradient("mean_grad", "mean_0_grad", t(700), t(755));
    builder_.op("scale", "scale_0", t(705), t(745 - more_));
    builder_.phase("compute", t(707), t(735 - more_));
    builder_.kernel("scale", t(730), t(738));
  }

  void fetch() {
    builder_.framework("fetch", t(810), t(880 + more_));
    builder_.copy(kDownload, t(815), t(860));
    builder_.device_copy(LOCI_COPY_DEVICE_TO_HOST, 32, t(840), t(843 + more_));
  }

  RecordingBuilder& builder_;
  double at_;
  double more_;
};

void record_main_thread(RecordingBuilder& builder) {
  builder.thread("main");
  Run(builder, 0, 3).record();
  Run(builder, 1000, 0).record();
  Run(builder, 2000, 7).record();
  builder.user("unfinished", us(2960), us(3000)).flags(LOCI_SPAN_TRUNCATED);
  builder.op("relu", "relu_0", us(2965), us(2975));
}

}  // namespace

profiler::Profile one_thread() {
  RecordingBuilder builder;
  record_main_thread(builder);
  return profiler::Profile(builder.build());
}

profiler::Profile two_threads() {
  RecordingBuilder builder;
  record_main_thread(builder);
  builder.thread("worker");
  Run(builder, 440, 1).record();
  Run(builder, 1500, 9).record();
  return profiler::Profile(builder.build());
}

profiler::Profile spread_run() {
  RecordingBuilder builder;
  builder.thread("main").run("ParallelExecutor::Run", 0, ms(283.36));
  builder.thread("first").op("conv2d", "conv2d_0", ms(10), ms(200));
  builder.phase("compute", ms(15), ms(190));
  builder.thread("second").op("mul", "mul_0", ms(100), ms(250));
  builder.phase("infer_shape", ms(101), ms(102));
  builder.phase("compute", ms(110), ms(243.2119));
  return profiler::Profile(builder.build());
}

}  // namespace loci::classic

#include "tests/plugins/reporter_classic/figured_stream.h"

#include "tests/support/recording_builder.h"

namespace loci::classic {
namespace {

using test_support::RecordingBuilder;

// Between spans, so that none touch.
constexpr std::uint64_t kGap = 10;
// Device work lies far behind the host's, one after the other.
constexpr std::uint64_t kDeviceStart = 1'000'000'000;

// `total` in `count` whole parts, the larger ones last.
std::uint64_t part(std::uint64_t total, std::uint64_t count, std::uint64_t i) {
  return total * (i + 1) / count - total * i / count;
}

// The time of each call.
std::vector<std::uint64_t> times(std::uint64_t calls, std::uint64_t total, std::uint64_t least,
                                 std::uint64_t most) {
  if (calls == 1) return {total};
  std::vector<std::uint64_t> result{least, most};
  for (std::uint64_t i = 2; i < calls; ++i) {
    result.push_back(part(total - least - most, calls - 2, i - 2));
  }
  return result;
}

class Recorder {
 public:
  explicit Recorder(RecordingBuilder& builder) : builder_(builder) {}

  void record(const FiguredRow& row) {
    const std::vector<std::uint64_t> calls =
        times(row.calls, row.cpu_ns + row.gpu_ns, row.min_ns, row.max_ns);
    for (std::uint64_t i = 0; i < row.calls; ++i) call(row, calls[i], i);
  }
  void start_thread(const std::string& name) {
    builder_.thread(name);
    at_ = kGap;
  }

 private:
  void call(const FiguredRow& row, std::uint64_t time, std::uint64_t i) {
    const std::uint64_t gpu = part(row.gpu_ns, row.calls, i);
    std::uint64_t copies_gpu = 0;
    std::uint64_t in_compute_gpu = 0;
    for (const FiguredCopy& copy : row.copies) {
      copies_gpu += part(copy.gpu_ns, row.calls, i);
      if (copy.within_compute) in_compute_gpu += part(copy.gpu_ns, row.calls, i);
    }
    const std::uint64_t begin = at_;
    const std::uint64_t end = begin + time - gpu;
    const std::uint64_t own_gpu = gpu - copies_gpu;
    if (row.compute_ns == 0) {
      builder_.framework(row.name, begin, end);
      launch(own_gpu);
      copies(row, false, begin + kGap, i);
    } else {
      builder_.op(row.name, row.name + "_0", begin, end);
      const std::uint64_t compute = part_of_call(row, time) - own_gpu - in_compute_gpu;
      const std::uint64_t compute_end = end - kGap;
      builder_.phase("prepare_data", begin + 1, compute_end - compute - kGap);
      copies(row, false, begin + 2, i);
      builder_.phase("compute", compute_end - compute, compute_end);
      launch(own_gpu);
      copies(row, true, compute_end - compute + 1, i);
    }
    at_ = end + kGap;
  }

  // Returns the part of a call that is its phase "compute", device time included; all calls
  // together have compute_ns, because the last one gets what rounding left.
  std::uint64_t part_of_call(const FiguredRow& row, std::uint64_t time) {
    seen_time_ += time;
    const std::uint64_t total = row.cpu_ns + row.gpu_ns;
    const std::uint64_t so_far = row.compute_ns * seen_time_ / total;
    const std::uint64_t result = so_far - seen_compute_;
    seen_compute_ = so_far;
    if (seen_time_ == total) seen_time_ = seen_compute_ = 0;
    return result;
  }

  void copies(const FiguredRow& row, bool within_compute, std::uint64_t at, std::uint64_t i) {
    for (const FiguredCopy& copy : row.copies) {
      if (copy.within_compute != within_compute) continue;
      const std::uint64_t time =
          times(row.calls, copy.cpu_ns + copy.gpu_ns, copy.min_ns, copy.max_ns)[i];
      const std::uint64_t gpu = part(copy.gpu_ns, row.calls, i);
      const test_support::CopyOf of{"a_variable", copy.source, copy.target, 16};
      if (copy.waited) {
        builder_.waited_copy(of, at, at + time - gpu);
      } else {
        builder_.copy(of, at, at + time - gpu);
      }
      launch(gpu);
      at += time - gpu;
    }
  }

  void launch(std::uint64_t time) {
    if (time == 0) return;
    builder_.kernel("work", device_at_, device_at_ + time);
    device_at_ += time;
  }

  RecordingBuilder& builder_;
  std::uint64_t at_ = kGap;
  std::uint64_t device_at_ = kDeviceStart;
  std::uint64_t seen_time_ = 0;
  std::uint64_t seen_compute_ = 0;
};

}  // namespace

profiler::Profile figured_stream(const std::vector<FiguredRow>& main,
                                 const std::vector<FiguredRow>& other) {
  RecordingBuilder builder;
  Recorder recorder(builder);
  recorder.start_thread("main");
  for (const FiguredRow& row : main) recorder.record(row);
  recorder.start_thread("other");
  for (const FiguredRow& row : other) recorder.record(row);
  return profiler::Profile(builder.build());
}

}  // namespace loci::classic

// How long the profile of a long session takes. Times are printed, not tested.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <utility>

#include "framework/profiler/profile.h"
#include "framework/profiler/profile_diff.h"
#include "framework/profiler/profile_file.h"
#include "tests/support/scratch_directory.h"

namespace loci::profiler {
namespace {

constexpr std::uint32_t kOps = 100;        // of a step
constexpr std::uint64_t kSpansOfAnOp = 4;  // itself and its phases
constexpr std::uint64_t kEventsOfAnOp = kSpansOfAnOp + 3;
constexpr std::uint64_t kOpNs = 1000;
// Labels and texts.
constexpr std::uint32_t kPhase = 0;
constexpr std::uint32_t kRun = 3;
constexpr std::uint32_t kFirstOp = 4;

// A session at level detail: each op with three phases, a kernel, an allocation and a release. The
// records are in the order in which a collector writes them, by their end.
class Session {
 public:
  explicit Session(std::uint64_t events) {
    recording_.labels = {{LOCI_SPAN_PHASE, "prepare_data"},
                         {LOCI_SPAN_PHASE, "infer_shape"},
                         {LOCI_SPAN_PHASE, "compute"},
                         {LOCI_SPAN_RUN, "run"}};
    recording_.texts = {"cpu"};
    for (std::uint32_t op = 0; op < kOps; ++op) {
      recording_.labels.push_back({LOCI_SPAN_OP, fmt::format("type_{}", op % 20),
                                   fmt::format("layer_{}/type_{}", op / 20, op)});
      recording_.texts.push_back(fmt::format("kernel_{}", op));
    }
    recording_.devices = {{"sim:0"}};
    recording_.threads = {{1, "main", {}}};
    while (count_ < events) add_step();
    recording_.wall_ns = now_;
  }

  [[nodiscard]] std::uint64_t count() const { return count_; }
  Recording take() { return std::move(recording_); }

 private:
  void add_step() {
    const std::uint64_t begin = now_;
    for (std::uint32_t op = 0; op < kOps; ++op) add_op(op);
    recording_.threads[0].spans.push_back({begin, now_, 0, kRun, 0, 0});
    ++count_;
  }

  void add_op(std::uint32_t op) {
    const std::uint64_t id = ++correlation_;
    std::vector<Span>& spans = recording_.threads[0].spans;
    spans.push_back({now_ + 100, now_ + 200, 0, kPhase, 2, 0});
    spans.push_back({now_ + 200, now_ + 300, 0, kPhase + 1, 2, 0});
    spans.push_back({now_ + 300, now_ + 900, id, kPhase + 2, 2, 0});
    spans.push_back({now_, now_ + 950, 0, kFirstOp + op, 1, 0});
    recording_.device_spans.push_back(
        {now_ + 800, now_ + 1700, id, 0, op + 1, 0, 0, 0, op % 2, {}});
    recording_.memory_events.push_back({now_ + 350, id * 64, 4096, op + 1, 0, 0, false});
    if (id > kOps) {
      recording_.memory_events.push_back({now_ + 850, (id - kOps) * 64, 4096, op + 1, 0, 0, true});
    }
    now_ += kOpNs;
    count_ += kEventsOfAnOp;
  }

  Recording recording_;
  std::uint64_t now_ = 0;
  std::uint64_t correlation_ = 0;
  std::uint64_t count_ = 0;
};

#ifdef NDEBUG
constexpr std::uint64_t kEvents = 1000000;
#else
constexpr std::uint64_t kEvents = 100000;  // whose times say nothing
#endif

template <class F>
auto timed(const char* what, const F& call) {
  const auto begin = std::chrono::steady_clock::now();
  auto result = call();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  std::printf("%s: %.0f ms\n", what, took.count());
  return result;
}

TEST(MillionEventsTest, Aggregate) {
  Session session(kEvents);
  ASSERT_GE(session.count(), kEvents);
  const Profile profile = timed("aggregated", [&] { return Profile(session.take()); });
  const loci_profile& abi = profile.abi();
  EXPECT_EQ(abi.node_count, 1 + kOps * kSpansOfAnOp);
  EXPECT_EQ(abi.step_count * (1 + kOps * kSpansOfAnOp), abi.span_count);
  EXPECT_EQ(abi.nodes[0].device_ns, abi.device_span_count * 900);
  EXPECT_EQ(abi.threads[0].unaccounted_ns, 0U);
}

TEST(MillionEventsTest, FileAndComparison) {
  const test::ScratchDirectory scratch;
  const std::string path = scratch.path("run.lociprof");
  const Recording recording = Session(kEvents).take();
  timed("written", [&] { return write_profile(recording, path), 0; });
  Recording back = timed("read", [&] { return read_profile(path); });
  ASSERT_EQ(back.threads[0].spans.size(), recording.threads[0].spans.size());
  const Profile a(recording);
  const Profile b(std::move(back));
  const ProfileDiff diff = timed("compared", [&] { return compare(a, b); });
  EXPECT_EQ(diff.step.delta_ns, 0);
  EXPECT_EQ(diff.step.a.median.value, kOps * kOpNs);
}

}  // namespace
}  // namespace loci::profiler

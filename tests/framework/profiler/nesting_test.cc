#include "framework/profiler/nesting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <loci/error.hpp>
#include <utility>

#include "tests/support/recording_builder.h"

namespace loci::profiler {
namespace {

using test_support::RecordingBuilder;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::Throws;

std::vector<std::string> names_of(const Recording& recording, const Nesting& nesting) {
  std::vector<std::string> names;
  for (const loci_profile_span& span : nesting.spans) {
    names.push_back(recording.labels[span.label].name);
  }
  return names;
}

std::vector<std::uint32_t> parents_of(const Nesting& nesting) {
  std::vector<std::uint32_t> parents;
  for (const loci_profile_span& span : nesting.spans) parents.push_back(span.parent);
  return parents;
}

constexpr std::uint32_t kNone = LOCI_PROFILE_NONE;

TEST(NestingTest, ParentsDepthsAndSelfTimes) {
  Recording recording = RecordingBuilder()
                            .run("run", 0, 100)
                            .op("mul", "mul_0", 10, 60)
                            .phase("infer_shape", 10, 15)
                            .phase("compute", 20, 60)
                            .op("relu", "relu_0", 60, 90)
                            .framework("fetch", 100, 110)
                            .build();
  const Nesting nesting = nest_spans(recording);
  EXPECT_THAT(names_of(recording, nesting),
              ElementsAre("run", "mul", "infer_shape", "compute", "relu", "fetch"));
  EXPECT_THAT(parents_of(nesting), ElementsAre(kNone, 0, 1, 1, 0, kNone));
  EXPECT_EQ(nesting.spans[0].self_ns, 20U);
  EXPECT_EQ(nesting.spans[1].self_ns, 5U);
  EXPECT_EQ(nesting.spans[3].self_ns, 40U);
  EXPECT_EQ(nesting.spans[3].depth, 2U);
  EXPECT_EQ(nesting.spans[5].depth, 0U);
}

TEST(NestingTest, OrderOfTheRecordsDoesNotMatter) {
  Recording recording = RecordingBuilder()
                            .run("run", 0, 100)
                            .op("a", "", 10, 60)
                            .phase("compute", 10, 60)
                            .op("b", "", 60, 90)
                            .build();
  std::vector<Span>& spans = recording.threads[0].spans;
  const auto by_label = [](const Span& a, const Span& b) { return a.label < b.label; };
  std::sort(spans.rbegin(), spans.rend(), by_label);
  do {
    Recording copy = recording;
    const Nesting nesting = nest_spans(copy);
    EXPECT_THAT(names_of(copy, nesting), ElementsAre("run", "a", "compute", "b"));
    EXPECT_THAT(parents_of(nesting), ElementsAre(kNone, 0, 1, 0));
  } while (std::prev_permutation(spans.begin(), spans.end(), by_label));
}

TEST(NestingTest, DepthTellsEqualSpansApart) {
  Recording recording =
      RecordingBuilder().op("outer", "", 5, 9).phase("middle", 5, 9).phase("inner", 5, 9).build();
  std::reverse(recording.threads[0].spans.begin(), recording.threads[0].spans.end());
  const Nesting nesting = nest_spans(recording);
  EXPECT_THAT(names_of(recording, nesting), ElementsAre("outer", "middle", "inner"));
  EXPECT_THAT(parents_of(nesting), ElementsAre(kNone, 0, 1));
  EXPECT_EQ(nesting.spans[0].self_ns, 0U);
  EXPECT_EQ(nesting.spans[2].self_ns, 4U);
}

TEST(NestingTest, SpansThatTouchAreApart) {
  Recording recording = RecordingBuilder().op("a", "", 0, 5).op("b", "", 5, 9).build();
  EXPECT_THAT(parents_of(nest_spans(recording)), ElementsAre(kNone, kNone));
}

// The names of the spans by their order, with the names of those around them in brackets.
std::vector<std::string> places_of(std::vector<Span> spans, std::vector<Label> labels) {
  Recording recording;
  recording.labels = std::move(labels);
  recording.threads = {{1, "main", std::move(spans)}};
  const Nesting nesting = nest_spans(recording);
  std::vector<std::string> places = names_of(recording, nesting);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::uint32_t parent = nesting.spans[i].parent;
    if (parent != kNone) {
      places[i] += " in " + recording.labels[nesting.spans[parent].label].name;
    }
  }
  return places;
}

TEST(NestingTest, DepthPlacesSpansWithoutDuration) {
  const std::vector<Label> labels = {
      {LOCI_SPAN_OP, "a"}, {LOCI_SPAN_OP, "b"}, {LOCI_SPAN_OP, "edge"}};
  const Span a{0, 10, 0, 0, 0};
  const Span b{0, 8, 0, 1, 1};
  EXPECT_THAT(places_of({a, b, {0, 0, 0, 2, 0}}, labels), ElementsAre("edge", "a", "b in a"));
  EXPECT_THAT(places_of({a, b, {0, 0, 0, 2, 1}}, labels), ElementsAre("a", "edge in a", "b in a"));
  EXPECT_THAT(places_of({a, b, {0, 0, 0, 2, 2}}, labels), ElementsAre("a", "b in a", "edge in b"));
  EXPECT_THAT(places_of({a, b, {8, 8, 0, 2, 1}}, labels), ElementsAre("a", "b in a", "edge in a"));
  EXPECT_THAT(places_of({a, b, {8, 8, 0, 2, 2}}, labels), ElementsAre("a", "b in a", "edge in b"));
  EXPECT_THAT(places_of({a, b, {10, 10, 0, 2, 0}}, labels), ElementsAre("a", "b in a", "edge"));
  EXPECT_THAT(places_of({a, b, {10, 10, 0, 2, 1}}, labels),
              ElementsAre("a", "b in a", "edge in a"));
}

TEST(NestingTest, ThreadsAreApart) {
  Recording recording = RecordingBuilder()
                            .op("a", "", 0, 100)
                            .thread("worker")
                            .op("b", "", 50, 150)
                            .phase("compute", 60, 70)
                            .build();
  const Nesting nesting = nest_spans(recording);
  EXPECT_THAT(nesting.first_of_thread, ElementsAre(0, 1, 3));
  EXPECT_THAT(parents_of(nesting), ElementsAre(kNone, kNone, 1));
  EXPECT_EQ(nesting.spans[2].thread, 1U);
}

TEST(NestingTest, OverlapNamesTheThreadAndBothSpans) {
  Recording recording = RecordingBuilder().op("a", "a_0", 0, 10).op("b", "", 5, 15).build();
  EXPECT_THAT(
      [&] { (void)nest_spans(recording); },
      Throws<Error>(AllOf(Property(&Error::code, ErrorCode::kDataLoss),
                          Property(&Error::what, HasSubstr("thread 0 'main'")),
                          Property(&Error::what, HasSubstr("span 'b' (5 to 15 ns) overlaps")),
                          Property(&Error::what, HasSubstr("span 'a_0' (0 to 10 ns) without")))));
}

TEST(NestingTest, CallThatSticksOutIsCut) {
  Recording recording = RecordingBuilder()
                            .op("a", "", 0, 100)
                            .call("launch", 90, 105)
                            .op("b", "", 200, 300)
                            .call("early", 195, 205)
                            .build();
  const Nesting nesting = nest_spans(recording);
  EXPECT_EQ(nesting.cut_calls, 2U);
  EXPECT_THAT(names_of(recording, nesting), ElementsAre("a", "launch", "early", "b"));
  EXPECT_THAT(parents_of(nesting), ElementsAre(kNone, 0, kNone, kNone));
  EXPECT_EQ(nesting.spans[1].end_ns, 100U);
  EXPECT_EQ(nesting.spans[0].self_ns, 90U);
  EXPECT_EQ(nesting.spans[2].end_ns, 200U);
  EXPECT_EQ(nesting.spans[2].self_ns, 5U);
}

TEST(NestingTest, CutCallGivesItsTimeBack) {
  Recording recording =
      RecordingBuilder().run("run", 0, 100).call("early", 10, 30).op("a", "", 20, 50).build();
  const Nesting nesting = nest_spans(recording);
  EXPECT_THAT(parents_of(nesting), ElementsAre(kNone, 0, 0));
  EXPECT_EQ(nesting.spans[0].self_ns, 60U);
  EXPECT_EQ(nesting.spans[1].self_ns, 10U);
}

TEST(NestingTest, DepthHasALimit) {
  Recording recording;
  recording.labels = {{LOCI_SPAN_OP, "a"}};
  recording.threads = {{1, "main", {}}};
  for (std::uint64_t i = 0; i <= 65535; ++i) {
    recording.threads[0].spans.push_back({i, 200000 - i, 0, 0, 0, 0});
  }
  EXPECT_THROW((void)nest_spans(recording), Error);
  recording.threads[0].spans.pop_back();
  EXPECT_EQ(nest_spans(recording).spans.back().depth, 65534U);
}

TEST(NestingTest, FindsTheInnermostSpanAtATime) {
  Recording recording = RecordingBuilder()
                            .thread("other")
                            .op("x", "", 0, 1000)
                            .thread("main")
                            .run("run", 10, 100)
                            .op("a", "", 20, 40)
                            .phase("compute", 25, 30)
                            .op("b", "", 40, 60)
                            .build();
  const Nesting nesting = nest_spans(recording);
  const auto at = [&](std::uint64_t ns) -> std::string {
    const std::uint32_t index = span_at(nesting, 1, ns);
    return index == kNone ? "" : recording.labels[nesting.spans[index].label].name;
  };
  EXPECT_EQ(at(9), "");
  EXPECT_EQ(at(10), "run");
  EXPECT_EQ(at(27), "compute");
  EXPECT_EQ(at(31), "a");
  EXPECT_EQ(at(40), "b");
  EXPECT_EQ(at(61), "run");
  EXPECT_EQ(at(100), "run");
  EXPECT_EQ(at(101), "");
}

}  // namespace
}  // namespace loci::profiler

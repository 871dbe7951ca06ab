#include "framework/transfer/copy_scope.h"

#include <gtest/gtest.h>

#include <loci/error.hpp>
#include <string>
#include <vector>

#include "framework/memory/allocator.h"
#include "framework/profiler/collector.h"
#include "framework/profiler/label_table.h"
#include "tests/support/fake_device.h"

namespace loci::transfer {
namespace {

constexpr std::uint64_t kBytes = 64;

struct Seen {
  profiler::Label label;
  std::uint16_t flags;
  std::uint64_t correlation;
};

class CopyScopeTest : public ::testing::Test {
 protected:
  void SetUp() override { profiler::Collector::instance().begin({}); }
  // Returns the copies of this thread.
  static std::vector<Seen> seen() {
    std::vector<Seen> copies;
    for (const auto& thread : profiler::Collector::instance().end().threads) {
      for (const profiler::Record& record : thread.records) {
        copies.push_back(
            {profiler::LabelTable::instance().at(record.label), record.flags, record.correlation});
      }
    }
    return copies;
  }

  // Ends after the devices, whose streams may still read it.
  std::vector<char> host_ = std::vector<char>(kBytes);
  test::FakeBackend fake_{{.count = 2}};
  device::Device first_{fake_.backend(), Place("fake:0")};
  device::Device second_{fake_.backend(), Place("fake:1")};
  memory::Buffer on_first_ = memory::device_allocator(first_).allocate(kBytes, nullptr, "a");
  memory::Buffer on_second_ = memory::device_allocator(second_).allocate(kBytes, nullptr, "b");
};

TEST_F(CopyScopeTest, SaysWhatWasCopiedAndWhy) {
  const Labels labels{.variable = "x",
                      .producer = "shape_0",
                      .consumer = "slice_0",
                      .reason = Reason::kPrepareData};
  copy({nullptr, host_.data()}, {&first_, on_first_.data()}, kBytes, labels, nullptr,
       /*wait=*/true);
  copy({nullptr, host_.data()}, {&first_, on_first_.data()}, kBytes, labels, nullptr,
       /*wait=*/false);
  const std::vector<Seen> copies = seen();
  ASSERT_EQ(copies.size(), 2U);
  EXPECT_EQ(copies[0].label, (profiler::Label{.kind = LOCI_SPAN_COPY,
                                              .name = "copy",
                                              .bytes = kBytes,
                                              .variable = "x",
                                              .producer = "shape_0",
                                              .consumer = "slice_0",
                                              .reason = "prepare_data",
                                              .source = "cpu",
                                              .target = "fake:0"}));
  EXPECT_EQ(copies[0].flags, LOCI_SPAN_HOST_WAITED);
  EXPECT_EQ(copies[1].label, copies[0].label);
  EXPECT_EQ(copies[1].flags, 0U);
  EXPECT_NE(copies[0].correlation, 0U);
  EXPECT_NE(copies[0].correlation, copies[1].correlation);
}

TEST_F(CopyScopeTest, AFetchCountsAsAsynchronous) {
  copy({&first_, on_first_.data()}, {nullptr, host_.data()}, kBytes, {.reason = Reason::kFetch},
       nullptr, /*wait=*/true);
  const std::vector<Seen> spans = seen();
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_EQ(spans[1].label.reason, "fetch");
  EXPECT_EQ(spans[1].flags, 0U);
}

// Else the time of the kernels before it would be the copy's.
TEST_F(CopyScopeTest, TellsTheWaitBeforeACopyToTheHostApart) {
  for (const bool wait : {true, false}) {
    copy({&first_, on_first_.data()}, {nullptr, host_.data()}, kBytes,
         {.reason = wait ? Reason::kHostRead : Reason::kFetch}, nullptr, wait);
    const std::vector<Seen> spans = seen();
    ASSERT_EQ(spans.size(), 2U);
    EXPECT_EQ(spans[0].label,
              (profiler::Label{.kind = LOCI_SPAN_WAIT, .name = "synchronize", .place = "fake:0"}));
    EXPECT_EQ(spans[1].label.kind, LOCI_SPAN_COPY);
    profiler::Collector::instance().begin({});
  }
  // Whoever does not wait for the copy does not wait before it.
  copy({&first_, on_first_.data()}, {nullptr, host_.data()}, kBytes,
       {.reason = Reason::kPrepareData}, nullptr, /*wait=*/false);
  EXPECT_EQ(seen().size(), 1U);
}

TEST_F(CopyScopeTest, ShowsCopiesWithinAPlace) {
  copy({&first_, on_first_.data()}, {&first_, on_first_.data()}, kBytes, {.variable = "x"}, nullptr,
       /*wait=*/false);
  const std::vector<Seen> copies = seen();
  ASSERT_EQ(copies.size(), 1U);
  EXPECT_EQ(copies[0].label.reason, "local");
  EXPECT_EQ(copies[0].label.source, "fake:0");
  EXPECT_EQ(copies[0].label.target, "fake:0");
}

TEST_F(CopyScopeTest, ShowsCopiesBetweenDevices) {
  copy({&first_, on_first_.data()}, {&second_, on_second_.data()}, kBytes, {}, nullptr,
       /*wait=*/true);
  const std::vector<Seen> copies = seen();
  ASSERT_EQ(copies.size(), 1U);
  EXPECT_EQ(copies[0].label.source, "fake:0");
  EXPECT_EQ(copies[0].label.target, "fake:1");
}

TEST_F(CopyScopeTest, MarksACopyThatFails) {
  fake_.fail_next("copy", ErrorCode::kFailed, "broken");
  EXPECT_THROW(copy({nullptr, host_.data()}, {&first_, on_first_.data()}, kBytes, {}, nullptr,
                    /*wait=*/true),
               Error);
  const std::vector<Seen> copies = seen();
  ASSERT_EQ(copies.size(), 1U);
  EXPECT_EQ(copies[0].flags, LOCI_SPAN_FAILED);
}

}  // namespace
}  // namespace loci::transfer

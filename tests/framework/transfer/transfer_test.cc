#include "framework/transfer/transfer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <loci/error.hpp>
#include <numeric>
#include <optional>

#include "framework/memory/allocator.h"
#include "tests/support/fake_device.h"

namespace loci::transfer {
namespace {

using test::FakeBackend;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::uint64_t kBytes = 4096;

std::vector<char> pattern(std::uint64_t bytes) {
  std::vector<char> values(bytes);
  for (std::uint64_t i = 0; i < bytes; ++i) values[i] = static_cast<char>(i * 7 + (i >> 12));
  return values;
}

std::uint64_t ledger_bytes() {
  std::uint64_t sum = 0;
  for (const Row& row : rows()) sum += row.bytes;
  return sum;
}

std::uint64_t moved_bytes(FakeBackend& fake) {
  return fake.counters().to_device + fake.counters().to_host + fake.counters().from_peer;
}

class TransferTest : public ::testing::Test {
 protected:
  void SetUp() override { clear_rows(); }

  FakeBackend fake_{{.count = 2}};
  device::Device first_{fake_.backend(), Place("fake:0")};
  device::Device second_{fake_.backend(), Place("fake:1")};
  memory::Buffer on_first_ = memory::device_allocator(first_).allocate(kBytes, nullptr, "a");
  memory::Buffer on_second_ = memory::device_allocator(second_).allocate(kBytes, nullptr, "b");
  std::vector<char> source_ = pattern(kBytes);
  std::vector<char> result_ = std::vector<char>(kBytes);
  Totals before_ = totals();
};

TEST_F(TransferTest, LedgerEqualsWhatTheBackendCopied) {
  copy({nullptr, source_.data()}, {&first_, on_first_.data()}, kBytes,
       {.variable = "x", .consumer = "relu", .reason = Reason::kFeed}, nullptr, /*wait=*/false);
  copy({&first_, on_first_.data()}, {nullptr, result_.data()}, kBytes,
       {.variable = "y", .producer = "relu", .reason = Reason::kFetch}, nullptr, /*wait=*/true);
  EXPECT_EQ(result_, source_);
  const std::vector<Row> kept = rows();
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_STREQ(kept[0].labels.variable, "x");
  EXPECT_EQ(kept[0].from, Place());
  EXPECT_EQ(kept[0].to, Place("fake:0"));
  EXPECT_FALSE(kept[0].host_waited);
  EXPECT_EQ(kept[1].labels.reason, Reason::kFetch);
  EXPECT_EQ(kept[1].from, Place("fake:0"));
  EXPECT_TRUE(kept[1].host_waited);
  EXPECT_GE(kept[1].start_ns, kept[0].start_ns);
  EXPECT_EQ(fake_.counters().to_device, kBytes);
  EXPECT_EQ(fake_.counters().to_host, kBytes);
  EXPECT_EQ(ledger_bytes(), moved_bytes(fake_));
  EXPECT_EQ(totals().bytes - before_.bytes, 2 * kBytes);
  EXPECT_EQ(totals().synchronous - before_.synchronous, 1U);
}

TEST_F(TransferTest, WithoutWaitTheHostGoesOn) {
  std::promise<void> gate;
  test::enqueue(first_.default_stream(), [opened = gate.get_future().share()] { opened.wait(); });
  copy({nullptr, source_.data()}, {&first_, on_first_.data()}, kBytes, {}, nullptr, false);
  copy({&first_, on_first_.data()}, {nullptr, result_.data()}, kBytes, {}, nullptr, false);
  EXPECT_NE(result_, source_);
  gate.set_value();
  first_.synchronize_stream(first_.default_stream());
  EXPECT_EQ(result_, source_);
}

TEST_F(TransferTest, PeersCopyDirectly) {
  copy({nullptr, source_.data()}, {&first_, on_first_.data()}, kBytes, {}, nullptr, true);
  copy({&first_, on_first_.data()}, {&second_, on_second_.data()}, kBytes, {}, nullptr, true);
  copy({&second_, on_second_.data()}, {nullptr, result_.data()}, kBytes, {}, nullptr, true);
  EXPECT_EQ(result_, source_);
  EXPECT_EQ(fake_.counters().from_peer, kBytes);
  ASSERT_EQ(rows().size(), 3U);
  EXPECT_EQ(rows()[1].from, Place("fake:0"));
  EXPECT_EQ(rows()[1].to, Place("fake:1"));
  EXPECT_EQ(ledger_bytes(), moved_bytes(fake_));
}

TEST_F(TransferTest, APeerCopyWaitsForTheWorkThatMakesTheSource) {
  copy({nullptr, source_.data()}, {&first_, on_first_.data()}, kBytes, {}, nullptr, true);
  std::promise<void> gate;
  test::enqueue(first_.default_stream(), [&, opened = gate.get_future().share()] {
    opened.wait();
    static_cast<char*>(on_first_.data())[0] = 77;
  });
  copy({&first_, on_first_.data()}, {&second_, on_second_.data()}, kBytes, {}, nullptr, false);
  std::promise<void> copied;
  test::enqueue(second_.default_stream(), [&] { copied.set_value(); });
  std::future<void> ended = copied.get_future();
  EXPECT_EQ(ended.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  gate.set_value();
  ended.wait();
  EXPECT_EQ(static_cast<char*>(on_second_.data())[0], 77);
}

TEST_F(TransferTest, AnEnqueuedPeerCopyIsTheCallersToOrder) {
  copy({nullptr, source_.data()}, {&first_, on_first_.data()}, kBytes, {}, nullptr, true);
  std::promise<void> gate;
  test::enqueue(first_.default_stream(), [opened = gate.get_future().share()] { opened.wait(); });
  enqueue_copy({&first_, on_first_.data()}, {&second_, on_second_.data()}, kBytes, {},
               second_.default_stream());
  second_.synchronize_stream(second_.default_stream());  // behind nothing of the first
  gate.set_value();
  copy({&second_, on_second_.data()}, {nullptr, result_.data()}, kBytes, {}, nullptr, true);
  EXPECT_EQ(result_, source_);
  ASSERT_EQ(rows().size(), 3U);
  EXPECT_FALSE(rows()[1].host_waited);
}

TEST_F(TransferTest, LaterWorkOfThePeerWaitsForTheCopy) {
  copy({nullptr, source_.data()}, {&first_, on_first_.data()}, kBytes, {}, nullptr, true);
  std::promise<void> gate;
  test::enqueue(second_.default_stream(), [opened = gate.get_future().share()] { opened.wait(); });
  copy({&first_, on_first_.data()}, {&second_, on_second_.data()}, kBytes, {}, nullptr, false);
  std::promise<void> overwritten;
  test::enqueue(first_.default_stream(), [&] {
    std::fill_n(static_cast<char*>(on_first_.data()), kBytes, char{1});
    overwritten.set_value();
  });
  std::future<void> ended = overwritten.get_future();
  EXPECT_EQ(ended.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  gate.set_value();
  ended.wait();
  copy({&second_, on_second_.data()}, {nullptr, result_.data()}, kBytes, {}, nullptr, true);
  EXPECT_EQ(result_, source_);
}

TEST_F(TransferTest, AWaitTellsWhetherTheWorkBeforeACopyThatBlockedSucceeded) {
  fake_.fail_async("relu failed");
  loci_device_api& api = fake_.backend().api;
  static decltype(api.copy) original;
  original = api.copy;
  api.copy = [](loci_device* device, const loci_copy* request, loci_stream* stream,
                std::uint32_t* out_blocked) {
    loci_error* error = original(device, request, stream, out_blocked);
    *out_blocked = 1;
    return error;
  };
  EXPECT_THAT(
      [&] {
        copy({&first_, on_first_.data()}, {nullptr, result_.data()}, kBytes, {}, nullptr, true);
      },
      ThrowsMessage<Error>(HasSubstr("relu failed")));
  api.copy = original;
}

// Through host memory, in more than one piece.
void check_staged(FakeBackend& from_fake, FakeBackend& to_fake, const Place& from,
                  const Place& to) {
  constexpr std::uint64_t kLarge = (std::uint64_t{40} << 20) + 123;
  device::Device source(from_fake.backend(), from);
  device::Device target(to_fake.backend(), to);
  const memory::Buffer a = memory::device_allocator(source).allocate(kLarge, nullptr, "a");
  const memory::Buffer b = memory::device_allocator(target).allocate(kLarge, nullptr, "b");
  const std::vector<char> sent = pattern(kLarge);
  std::vector<char> received(kLarge);
  copy({nullptr, const_cast<char*>(sent.data())}, {&source, a.data()}, kLarge, {}, nullptr, true);
  const std::uint64_t read_before = from_fake.counters().to_host;
  const std::uint64_t written_before = to_fake.counters().to_device;
  clear_rows();
  copy({&source, a.data()}, {&target, b.data()}, kLarge, {.variable = "x"}, nullptr, false);
  const std::vector<Row> staged = rows();
  ASSERT_EQ(staged.size(), 2U);
  EXPECT_EQ(staged[0].from, from);
  EXPECT_EQ(staged[0].to, Place());
  EXPECT_EQ(staged[1].from, Place());
  EXPECT_EQ(staged[1].to, to);
  EXPECT_TRUE(staged[0].host_waited && staged[1].host_waited);
  EXPECT_EQ(from_fake.counters().to_host - read_before, staged[0].bytes);
  EXPECT_EQ(to_fake.counters().to_device - written_before, staged[1].bytes);
  copy({&target, b.data()}, {nullptr, received.data()}, kLarge, {}, nullptr, true);
  EXPECT_EQ(received, sent);
}

TEST(StagedTransferTest, DevicesOfTwoPluginsGoThroughTheHost) {
  FakeBackend sim({.type = "sim"});
  FakeBackend other({.type = "other"});
  check_staged(sim, other, Place("sim:0"), Place("other:0"));
}

TEST(StagedTransferTest, PeersThatCannotCopyGoThroughTheHost) {
  FakeBackend fake({.count = 2, .copies_peers = false});
  check_staged(fake, fake, Place("fake:0"), Place("fake:1"));
}

TEST_F(TransferTest, CopiesWithinADeviceAreNoTransfers) {
  const memory::Buffer other = memory::device_allocator(first_).allocate(kBytes, nullptr, "c");
  copy({&first_, on_first_.data()}, {&first_, other.data()}, kBytes, {}, nullptr, true);
  EXPECT_EQ(fake_.counters().on_device, kBytes);
  EXPECT_TRUE(rows().empty());
  EXPECT_EQ(totals().local_copies - before_.local_copies, 1U);
  EXPECT_EQ(totals().local_bytes - before_.local_bytes, kBytes);
}

TEST_F(TransferTest, DeviceThatUsesHostMemoryIsTheHost) {
  FakeBackend host({.type = "hosted", .flags = LOCI_DEVICE_INLINE | LOCI_DEVICE_HOST_MEMORY});
  device::Device hosted(host.backend(), Place("hosted"));
  copy({nullptr, source_.data()}, {&hosted, result_.data()}, kBytes, {}, nullptr, true);
  EXPECT_EQ(result_, source_);
  EXPECT_TRUE(rows().empty());
  EXPECT_EQ(totals().local_bytes - before_.local_bytes, kBytes);
  EXPECT_EQ(host.counters().copies, 0U);

  copy({&hosted, source_.data()}, {&first_, on_first_.data()}, kBytes, {}, nullptr, true);
  EXPECT_EQ(fake_.counters().to_device, kBytes);
  ASSERT_EQ(rows().size(), 1U);
  EXPECT_EQ(rows()[0].from, Place("hosted:0"));
}

TEST_F(TransferTest, ZeroBytesAreNoCopy) {
  copy({nullptr, nullptr}, {&first_, nullptr}, 0, {}, nullptr, true);
  EXPECT_TRUE(rows().empty());
  EXPECT_EQ(fake_.counters().copies, 0U);
}

// The copies go from the first device to the second.
class PeerFailureTest : public TransferTest {
 protected:
  Error failure() {
    try {
      copy({&first_, on_first_.data()}, {&second_, on_second_.data()}, kBytes, {}, nullptr, true);
    } catch (const Error& error) {
      return error;
    }
    ADD_FAILURE() << "the copy succeeded";
    return {ErrorCode::kInternal, ""};
  }
};

TEST_F(PeerFailureTest, NamesBothDevicesAndIsTheTargets) {
  fake_.fail_next("copy", ErrorCode::kFailed, "bad address");
  EXPECT_STREQ(failure().what(), "[device] fake:1: copying 4096 bytes from fake:0: bad address");
  EXPECT_TRUE(rows().empty());
}

TEST_F(PeerFailureTest, AWaitThatFailsIsOfTheDeviceThatWasToWait) {
  fake_.fail_next("stream_wait_event", ErrorCode::kFailed, "no such event");
  EXPECT_STREQ(failure().what(), "[device] fake:1: making a stream wait for fake:0: no such event");
}

TEST_F(PeerFailureTest, AFailureOfTheWorkNamesBoth) {
  fake_.fail_async("parity error");
  EXPECT_THAT(failure().what(),
              AllOf(HasSubstr("parity error"), HasSubstr("it is a copy from fake:0 to fake:1")));
}

TEST_F(PeerFailureTest, TheTargetIsLostWhereThePeerAnswers) {
  fake_.fail_next("copy", ErrorCode::kDeviceLost, "it fell off the bus");
  EXPECT_EQ(failure().code(), ErrorCode::kDeviceLost);
  EXPECT_TRUE(second_.loss().is_lost());
  EXPECT_FALSE(first_.loss().is_lost());
}

TEST_F(PeerFailureTest, ThePeerIsLostWhereItSaysSoAndTheTargetDoesNot) {
  fake_.fail_next("copy", ErrorCode::kDeviceLost, "it fell off the bus");
  fake_.fail_next("stream_query", ErrorCode::kDeviceLost, "gone");  // of the peer, which is first
  EXPECT_EQ(failure().code(), ErrorCode::kDeviceLost);
  EXPECT_TRUE(first_.loss().is_lost());
  EXPECT_FALSE(second_.loss().is_lost());
  EXPECT_THAT(failure().what(), HasSubstr("fake:0 is lost"));
  EXPECT_EQ(fake_.counters().from_peer, 0U);
}

TEST(StagedTransferTest, AFailureNamesBothDevicesAndTheOneWhoseCallItWas) {
  FakeBackend fake({.count = 2, .copies_peers = false});
  device::Device first(fake.backend(), Place("fake:0"));
  device::Device second(fake.backend(), Place("fake:1"));
  const memory::Buffer source = memory::device_allocator(first).allocate(kBytes, nullptr, "a");
  const memory::Buffer target = memory::device_allocator(second).allocate(kBytes, nullptr, "b");
  fake.fail_next("copy", ErrorCode::kUnsupported, "no peers");
  fake.fail_next("copy", ErrorCode::kFailed, "bad address");
  EXPECT_THAT(
      [&] {
        copy({&first, source.data()}, {&second, target.data()}, kBytes, {}, nullptr, true);
      },
      ThrowsMessage<Error>(HasSubstr("[transfer] copying from fake:0 to fake:1 through the host: "
                                     "[device] fake:0: copying 4096 bytes: bad address")));
}

TEST_F(TransferTest, FailedCopyLeavesNoRow) {
  fake_.fail_next("copy", ErrorCode::kFailed, "bad address");
  EXPECT_THAT(
      [&] {
        copy({nullptr, source_.data()}, {&first_, on_first_.data()}, kBytes, {}, nullptr, true);
      },
      ThrowsMessage<Error>(HasSubstr("fake:0: copying 4096 bytes")));
  EXPECT_TRUE(rows().empty());
  EXPECT_EQ(totals().transfers, before_.transfers);
}

}  // namespace
}  // namespace loci::transfer

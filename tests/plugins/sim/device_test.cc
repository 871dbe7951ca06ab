#include "plugins/sim/device.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include "plugins/sim/red_zone.h"
#include "tests/plugins/sim/sim_rig.h"

namespace loci::sim {
namespace {

using std::chrono::milliseconds;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

void* allocate_pinned(SimDevice& device, std::uint64_t bytes) {
  return device.mem_alloc(LOCI_MEMORY_PINNED, bytes, nullptr);
}

// Another device of the machine, with a handle as the table gives it.
struct Peer {
  explicit Peer(Rig& rig) : box(rig.host, rig.machine, rig.host, 1) {}
  [[nodiscard]] loci_device* handle() { return reinterpret_cast<loci_device*>(&box); }
  [[nodiscard]] SimDevice& device() { return box.value; }
  sdk::detail::Hosted<SimDevice> box;
};

TEST(SimDeviceTest, DescribesWhatTheSettingsSay) {
  Machine machine(parse_settings("devices=3,memory=1M", {}));
  EXPECT_GT(SimDevice::probe(machine).score, 0);
  EXPECT_EQ(SimDevice::count(machine), 3U);
  loci_device_info info{};
  SimDevice::describe(machine, 2, info);
  EXPECT_EQ(info.flags, static_cast<std::uint32_t>(LOCI_DEVICE_ACCELERATOR));
  EXPECT_EQ(info.total_memory, 1U << 20);
  EXPECT_EQ(info.alignment, 256U);
  EXPECT_EQ(sdk::to_view(info.arch), "software");
  EXPECT_GT(info.compute_units, 0U);
  EXPECT_THAT(error_of(LOCI_CODE_NOT_FOUND, [&] { SimDevice::describe(machine, 3, info); }),
              HasSubstr("there is no device 3; there are 3"));
}

TEST(SimDeviceTest, CopiesThereAndBack) {
  Rig rig;
  Stream stream(rig.device);
  void* data = allocate(rig.device, 12);
  write<int>(rig.device, stream, data, {1, 2, 3});
  EXPECT_THAT(read<int>(rig.device, stream, data, 3), ElementsAre(1, 2, 3));
  void* other = allocate(rig.device, 12);
  EXPECT_FALSE(
      rig.device.copy(flat_copy(LOCI_END_DEVICE, data, LOCI_END_DEVICE, other, 12), &stream));
  EXPECT_THAT(read<int>(rig.device, stream, other, 3), ElementsAre(1, 2, 3));
  const auto* counters =
      static_cast<const Counters*>(rig.device.native_handle(nullptr, "sim.counters"));
  EXPECT_EQ(counters->h2d_bytes, 12U);
  EXPECT_EQ(counters->d2h_bytes, 24U);
  EXPECT_EQ(counters->local_bytes, 12U);
  EXPECT_EQ(counters->copies, 4U);
  EXPECT_EQ(counters->allocations, 2U);
  EXPECT_EQ(rig.device.native_handle(nullptr, "cuda.stream"), nullptr);
  free_now(rig.device, data);
  free_now(rig.device, other);
}

TEST(SimDeviceTest, TheHostWaitsForPageableMemoryOnly) {
  Rig rig;
  Stream stream(rig.device);
  void* data = allocate(rig.device, 4);
  int pageable = 5;
  EXPECT_TRUE(
      rig.device.copy(flat_copy(LOCI_END_HOST, &pageable, LOCI_END_DEVICE, data, 4), &stream));
  auto* pinned = static_cast<int*>(allocate_pinned(rig.device, 4));
  Gate gate;
  stream.enqueue(gate.work(), {});
  EXPECT_FALSE(
      rig.device.copy(flat_copy(LOCI_END_DEVICE, data, LOCI_END_HOST, pinned, 4), &stream));
  EXPECT_FALSE(stream.query());
  gate.open();
  stream.synchronize();
  EXPECT_EQ(*pinned, 5);
  rig.device.mem_free(LOCI_MEMORY_PINNED, pinned, &stream);
  rig.device.host_register(&pageable, sizeof pageable);
  EXPECT_FALSE(
      rig.device.copy(flat_copy(LOCI_END_HOST, &pageable, LOCI_END_DEVICE, data, 4), &stream));
  stream.synchronize();
  rig.device.host_unregister(&pageable);
  EXPECT_TRUE(
      rig.device.copy(flat_copy(LOCI_END_HOST, &pageable, LOCI_END_DEVICE, data, 4), &stream));
  free_now(rig.device, data);
}

TEST(SimDeviceTest, PitchedCopiesTakeRowsApart) {
  Rig rig;
  Stream stream(rig.device);
  void* data = allocate(rig.device, 9);
  const std::array<char, 8> source = {1, 2, 3, 4, 5, 6, 7, 8};
  loci_copy copy = flat_copy(LOCI_END_HOST, source.data(), LOCI_END_DEVICE, data, 2);
  copy.rows = 2;
  copy.source_pitch = 4;
  copy.target_pitch = 7;
  rig.device.copy(copy, &stream);
  const auto result = read<char>(rig.device, stream, data, 9);
  EXPECT_THAT(std::vector<char>({result[0], result[1], result[7], result[8]}),
              ElementsAre(1, 2, 5, 6));
  copy.target_pitch = 8;
  EXPECT_THAT(error_of(LOCI_CODE_INVALID_ARGUMENT, [&] { rig.device.copy(copy, &stream); }),
              HasSubstr("the target of a copy"));
  free_now(rig.device, data);
}

TEST(SimDeviceTest, CopiesBetweenDevicesBothWays) {
  Rig rig;
  Peer peer(rig);
  Stream stream(rig.device);
  Stream peer_stream(peer.device());
  void* here = allocate(rig.device, 4);
  void* there = allocate(peer.device(), 4);
  write<int>(peer.device(), peer_stream, there, {42});
  loci_copy copy = flat_copy(LOCI_END_PEER, there, LOCI_END_DEVICE, here, 4);
  EXPECT_THAT(error_of(LOCI_CODE_INVALID_ARGUMENT, [&] { rig.device.copy(copy, &stream); }),
              HasSubstr("names no peer"));
  copy.peer = peer.handle();
  EXPECT_FALSE(rig.device.copy(copy, &stream));
  EXPECT_EQ(read<int>(rig.device, stream, here, 1)[0], 42);
  write<int>(rig.device, stream, here, {43});
  copy = flat_copy(LOCI_END_DEVICE, here, LOCI_END_PEER, there, 4);
  copy.peer = peer.handle();
  rig.device.copy(copy, &stream);
  stream.synchronize();
  EXPECT_EQ(read<int>(peer.device(), peer_stream, there, 1)[0], 43);
  EXPECT_EQ(rig.device.counters().peer_bytes, 8U);
  free_now(rig.device, here);
  free_now(peer.device(), there);
}

TEST(SimDeviceTest, ACopyThatReadsWhatAnotherDeviceStillMakesIsARace) {
  Rig rig("race=1");
  Peer peer(rig);
  Stream stream(rig.device);
  Stream peer_stream(peer.device());
  void* here = allocate(rig.device, 4);
  void* there = allocate(peer.device(), 4);
  const char zero = 0;
  peer.device().fill(there, 4, &zero, 1, &peer_stream, 0);
  loci_copy copy = flat_copy(LOCI_END_PEER, there, LOCI_END_DEVICE, here, 4);
  copy.peer = peer.handle();
  EXPECT_THAT(error_of(LOCI_CODE_FAILED, [&] { rig.device.copy(copy, &stream); }),
              ::testing::AllOf(HasSubstr("copy of 4 bytes between devices reads"),
                               HasSubstr("fill of 4 bytes of stream 1 writes")));
  Event event(peer.device());
  event.record(&peer_stream);
  stream.wait(event);
  rig.device.copy(copy, &stream);
  stream.synchronize();
  free_now(rig.device, here);
  free_now(peer.device(), there);
}

TEST(SimDeviceTest, APinnedBufferThatIsWrittenTooEarlyIsARace) {
  Rig rig("race=1");
  Stream stream(rig.device);
  Stream other(rig.device);
  void* data = allocate(rig.device, 8);
  void* more = allocate(rig.device, 8);
  void* pinned = allocate_pinned(rig.device, 8);
  rig.device.copy(flat_copy(LOCI_END_HOST, pinned, LOCI_END_DEVICE, data, 8), &stream);
  EXPECT_THAT(error_of(LOCI_CODE_FAILED,
                       [&] {
                         rig.device.copy(flat_copy(LOCI_END_DEVICE, more, LOCI_END_HOST, pinned, 8),
                                         &other);
                       }),
              HasSubstr("race: copy of 8 bytes to the host writes"));
  EXPECT_THAT(
      error_of(LOCI_CODE_FAILED, [&] { rig.device.mem_free(LOCI_MEMORY_PINNED, pinned, nullptr); }),
      HasSubstr("race: mem_free writes"));
  stream.synchronize();
  free_now(rig.device, data);
  free_now(rig.device, more);
}

TEST(SimDeviceTest, AFreeIsBehindTheWorkOfItsStream) {
  Rig rig("memory=64K");
  Stream stream(rig.device);
  void* data = allocate(rig.device, 64 * 1024);
  Gate gate;
  stream.enqueue(gate.work(), {});
  const char one = 1;
  rig.device.fill(data, 64 * 1024, &one, 1, &stream, 0);
  rig.device.mem_free(LOCI_MEMORY_DEVICE, data, &stream);
  std::uint64_t free_bytes = 1;
  std::uint64_t total_bytes = 0;
  rig.device.mem_info(free_bytes, total_bytes);
  EXPECT_EQ(free_bytes, 0U);
  EXPECT_EQ(total_bytes, 64U * 1024);
  EXPECT_THAT(
      error_of(LOCI_CODE_INVALID_ARGUMENT, [&] { rig.device.fill(data, 1, &one, 1, &stream, 0); }),
      HasSubstr("is freed"));
  std::thread opener([&] {
    std::this_thread::sleep_for(milliseconds(20));
    gate.open();
  });
  void* again = allocate(rig.device, 64 * 1024);  // waits for the free
  opener.join();
  EXPECT_THAT(read<std::uint8_t>(rig.device, stream, again, 16), Each(0xFF)) << "poison";
  free_now(rig.device, again);
  rig.device.mem_info(free_bytes, total_bytes);
  EXPECT_EQ(free_bytes, total_bytes);
  check_async(rig.device);
}

TEST(SimDeviceTest, OutOfMemoryIsAnErrorOfItsOwn) {
  Rig rig("memory=64K");
  EXPECT_THAT(error_of(LOCI_CODE_OUT_OF_MEMORY, [&] { (void)allocate(rig.device, 64 * 1024 + 1); }),
              HasSubstr("do not fit"));
}

TEST(SimDeviceTest, DamagedRedZonesAreToldOfAtTheFree) {
  Rig rig;
  Stream stream(rig.device);
  void* data = allocate(rig.device, 8);
  rig.device.memory().alias(data, 8, "x")[8] = std::byte{1};
  rig.device.mem_free(LOCI_MEMORY_DEVICE, data, &stream);
  stream.synchronize();
  EXPECT_THAT(error_of(LOCI_CODE_DATA_LOSS, [&] { check_async(rig.device); }),
              HasSubstr("0 bytes behind allocation 1 of sim:0"));
  void* more = allocate(rig.device, 8);
  *(rig.device.memory().alias(more, 8, "x") - 1) = std::byte{1};
  EXPECT_THAT(error_of(LOCI_CODE_DATA_LOSS, [&] { free_now(rig.device, more); }),
              HasSubstr("1 bytes before allocation 2 of sim:0"));
}

TEST(SimDeviceTest, EachFaultComesAtItsTurn) {
  Rig rig("fail_alloc=2,fail_copy=2,fail_task=4");
  Stream stream(rig.device);
  void* data = allocate(rig.device, 4);
  EXPECT_THAT(error_of(LOCI_CODE_OUT_OF_MEMORY, [&] { (void)allocate(rig.device, 4); }),
              HasSubstr("mem_alloc fails"));
  write<int>(rig.device, stream, data, {1});
  EXPECT_THAT(error_of(LOCI_CODE_FAILED, [&] { write<int>(rig.device, stream, data, {1}); }),
              HasSubstr("copy fails"));
  const char zero = 0;
  for (int i = 0; i < 3; ++i) rig.device.fill(data, 4, &zero, 1, &stream, 0);
  stream.synchronize();
  EXPECT_THAT(error_of(LOCI_CODE_FAILED, [&] { check_async(rig.device); }),
              HasSubstr("sim:0: fill of 4 bytes: it fails"));
  auto* faults = static_cast<Faults*>(rig.device.native_handle(nullptr, "sim.faults"));
  faults->copy = 1;
  EXPECT_NE(error_of(LOCI_CODE_FAILED, [&] { rig.device.fill(data, 4, &zero, 1, &stream, 0); }),
            "");
  free_now(rig.device, data);
}

TEST(SimDeviceTest, CopiesTakeTheTimeOfTheDescribedMachine) {
  Rig rig("copy_latency_us=10000,h2d_gbps=0.001");
  Stream stream(rig.device);
  void* data = allocate(rig.device, 10000);
  const std::vector<char> source(10000);
  const auto start = std::chrono::steady_clock::now();
  write(rig.device, stream, data, source);
  EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(20));
  free_now(rig.device, data);
}

TEST(SimDeviceTest, TheWrongArgumentsAreNamed) {
  Rig rig;
  Stream stream(rig.device);
  void* data = allocate(rig.device, 8);
  int host = 0;
  const auto refusal = [](auto body) { return error_of(LOCI_CODE_INVALID_ARGUMENT, body); };
  EXPECT_THAT(refusal([&] { write<int>(rig.device, stream, &host, {1}); }),
              HasSubstr("the target of a copy is ["));
  EXPECT_THAT(refusal([&] {
                rig.device.copy(flat_copy(LOCI_END_HOST, &host, LOCI_END_HOST, &host, 4), &stream);
              }),
              HasSubstr("does not touch the device"));
  EXPECT_THAT(refusal([&] {
                rig.device.copy(flat_copy(LOCI_END_HOST, &host, LOCI_END_DEVICE, data, 4), nullptr);
              }),
              HasSubstr("copy got no stream"));
  EXPECT_THAT(refusal([&] { rig.device.fill(data, 8, &host, 3, &stream, 0); }),
              HasSubstr("a pattern of 3 bytes"));
  EXPECT_THAT(refusal([&] { (void)rig.device.mem_alloc(7, 8, nullptr); }),
              HasSubstr("no memory kind 7"));
  EXPECT_THAT(refusal([&] { rig.device.mem_free(7, data, nullptr); }),
              HasSubstr("no memory kind 7"));
  EXPECT_FALSE(rig.device.copy(flat_copy(LOCI_END_HOST, &host, LOCI_END_DEVICE, data, 0), &stream));
  free_now(rig.device, data);
}

}  // namespace
}  // namespace loci::sim

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <thread>

#include "tools/conformance/generator.h"
#include "tools/conformance/verify/bench.h"
#include "tools/conformance/verify/levels.h"
#include "tools/conformance/verify/refusal.h"

namespace loci::verify {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

void check_alignment(OpenDevice& device) {
  device.require_memory();
  std::vector<Memory> live;
  std::map<std::uintptr_t, std::uint64_t> ranges;  // first byte -> length
  for (const std::uint64_t bytes : {1, 3, 64, 255, 256, 257, 4095, 4097, 65537, 1 << 20}) {
    if (live.size() == device.as_many(live.size() + 1)) break;
    live.emplace_back(device, bytes);
    const auto address = reinterpret_cast<std::uintptr_t>(live.back().at());
    if (address % device.info().alignment != 0) {
      fail("{} bytes lie at {:#x}, which is no multiple of {}", device.rounded(bytes), address,
           device.info().alignment);
    }
    ranges.emplace(address, device.rounded(bytes));
  }
  if (ranges.size() != live.size()) fail("two allocations have the same address");
  for (auto range = ranges.begin(), next = std::next(range); next != ranges.end();
       ++range, ++next) {
    if (range->first + range->second > next->first) {
      fail("the {} bytes at {:#x} overlap those at {:#x}", range->second, range->first,
           next->first);
    }
  }
}

void check_many(OpenDevice& device) {
  device.require_memory();
  const std::size_t count = device.as_many(200);
  const Stream stream(device);
  conformance::Bits bits(1);
  std::vector<Memory> live;
  std::vector<Bytes> contents;
  const auto add = [&] {
    contents.push_back(pattern_bytes(1 + bits.below(20000), bits.next()));
    live.emplace_back(device, contents.back().size());
    device.put(live.back().at(), contents.back(), stream.get());
  };
  for (std::size_t i = 0; i < count; ++i) add();
  // Half of them go, in no order, and others take their place.
  for (std::size_t i = 0; i < count / 2; ++i) {
    const std::size_t victim = bits.below(live.size());
    device.free(live[victim].release());
    std::vector<Memory> kept;
    for (std::size_t k = 0; k < live.size(); ++k) {
      if (k != victim) kept.push_back(std::move(live[k]));
    }
    live.swap(kept);
    contents.erase(contents.begin() + static_cast<std::ptrdiff_t>(victim));
  }
  for (std::size_t i = 0; i < count / 2; ++i) add();
  for (std::size_t i = 0; i < live.size(); ++i) {
    expect_bytes(device.get(live[i].at(), contents[i].size(), stream.get()), contents[i],
                 fmt::format("allocation {} among {} others", i, live.size() - 1));
  }
}

// No more than what a check has the time for.
constexpr std::uint64_t kMostCounted = 4096;

// The device has to hold as many allocations as it states, no more: the host relies on that number.
void check_most(OpenDevice& device) {
  device.require_memory();
  const std::uint64_t most = device.info().max_allocations;
  if (most == 0) skip("the device states no number of allocations");
  std::vector<Memory> live;
  for (std::uint64_t i = 0; i < std::min(most, kMostCounted); ++i) {
    try {
      live.emplace_back(device, 1);
    } catch (const PluginError& error) {
      fail("the device has {} allocations at a time, as it states, and refuses number {}: {}", most,
           i + 1, error.what());
    }
  }
  if (most > kMostCounted) return;
  expect_refusal("an allocation beyond the number that the device states", LOCI_CODE_OUT_OF_MEMORY,
                 [&] { const Memory more(device, 1); });
  live.pop_back();
  live.emplace_back(device, 1);
}

// Copies a range into the middle of known bytes, and looks at all of them.
struct CopiedRange {
  std::uint64_t source;
  std::uint64_t target;
  std::uint64_t bytes;
};
constexpr std::uint64_t kArea = 2 * kMiB;
const std::vector<CopiedRange>& ranges() {
  static const std::vector<CopiedRange> kRanges{
      {0, 0, 1},         {1, 0, 3},           {0, 1, 7},          {5, 3, 64},    {64, 64, 65},
      {127, 1, 255},     {3, 129, 4095},      {4096, 8191, 4097}, {1, 2, 65535}, {0, 0, kMiB},
      {7, 13, kMiB + 1}, {kMiB, 0, kMiB - 1}, {0, 0, kArea}};
  return kRanges;
}

Bytes with_range(Bytes base, const Bytes& source, const CopiedRange& range) {
  std::memcpy(base.data() + range.target, source.data() + range.source, range.bytes);
  return base;
}

std::string text_of(const char* what, const CopiedRange& range) {
  return fmt::format("{} of {} bytes from offset {} to {}", what, range.bytes, range.source,
                     range.target);
}

void check_copies(OpenDevice& device) {
  device.require_memory();
  const Stream stream(device);
  const Memory one(device, kArea);
  const Memory two(device, kArea);
  const Bytes source = pattern_bytes(kArea, 2);
  const Bytes base = pattern_bytes(kArea, 3);
  for (const CopiedRange& range : ranges()) {
    device.put(one.at(), base, stream.get());
    device.write(one.at(range.target), source.data() + range.source, range.bytes, stream.get());
    expect_bytes(device.get(one.at(), kArea, stream.get()), with_range(base, source, range),
                 text_of("a copy to the device", range));
    device.put(two.at(), source, stream.get());
    Bytes host = base;
    device.read(host.data() + range.target, two.at(range.source), range.bytes, stream.get());
    device.wait(stream.get());
    expect_bytes(host, with_range(base, source, range), text_of("a copy to the host", range));
    device.put(one.at(), base, stream.get());
    device.move(one.at(range.target), two.at(range.source), range.bytes, stream.get());
    expect_bytes(device.get(one.at(), kArea, stream.get()), with_range(base, source, range),
                 text_of("a copy on the device", range));
  }
}

// Rows of an image within a wider one, on both sides.
struct Rows {
  std::uint64_t bytes;
  std::uint64_t count;
  std::uint64_t source_pitch;
  std::uint64_t target_pitch;
  [[nodiscard]] std::uint64_t source_span() const { return source_pitch * (count - 1) + bytes; }
  [[nodiscard]] std::uint64_t target_span() const { return target_pitch * (count - 1) + bytes; }
};

Bytes with_rows(Bytes base, const Bytes& source, const Rows& rows) {
  for (std::uint64_t row = 0; row < rows.count; ++row) {
    std::memcpy(base.data() + row * rows.target_pitch, source.data() + row * rows.source_pitch,
                rows.bytes);
  }
  return base;
}

void check_one_pitched(OpenDevice& device, const Rows& rows, std::uint32_t source_end,
                       std::uint32_t target_end) {
  const Stream stream(device);
  const Bytes source = pattern_bytes(rows.source_span(), 4);
  const Bytes base = pattern_bytes(rows.target_span() + 5, 5);
  const Memory from(device, source.size());
  const Memory to(device, base.size());
  device.put(from.at(), source, stream.get());
  device.put(to.at(), base, stream.get());
  Bytes host = base;
  const bool to_host = target_end == LOCI_END_HOST;
  loci_copy copy{};
  copy.struct_size = sizeof copy;
  copy.source_end = source_end;
  copy.target_end = target_end;
  copy.source = source_end == LOCI_END_HOST ? source.data() : from.at();
  copy.target = to_host ? host.data() : to.at();
  copy.row_bytes = rows.bytes;
  copy.rows = rows.count;
  copy.source_pitch = rows.source_pitch;
  copy.target_pitch = rows.target_pitch;
  device.copy(copy, stream.get());
  device.wait(stream.get());
  if (!to_host) host = device.get(to.at(), base.size(), stream.get());
  expect_bytes(host, with_rows(base, source, rows),
               fmt::format("a copy from end {} to end {} of {} rows of {} bytes, pitches {} and {}",
                           source_end, target_end, rows.count, rows.bytes, rows.source_pitch,
                           rows.target_pitch));
}

void check_pitched(OpenDevice& device) {
  device.require_memory();
  for (const Rows& rows : {Rows{16, 1, 16, 16}, Rows{3, 5, 7, 11}, Rows{64, 9, 64, 192},
                           Rows{100, 33, 256, 100}, Rows{1, 1000, 2, 3}}) {
    check_one_pitched(device, rows, LOCI_END_HOST, LOCI_END_DEVICE);
    check_one_pitched(device, rows, LOCI_END_DEVICE, LOCI_END_HOST);
    check_one_pitched(device, rows, LOCI_END_DEVICE, LOCI_END_DEVICE);
  }
}

void check_fill(OpenDevice& device) {
  device.require_memory();
  const Stream stream(device);
  const Bytes base = pattern_bytes(5000, 6);
  const std::uint64_t pattern = 0x0123456789ABCDEF;
  const Memory memory(device, base.size());
  for (const std::uint32_t size : {1U, 2U, 4U, 8U}) {
    for (const std::uint64_t count : {1U, 3U, 64U, 513U}) {
      for (const std::uint64_t offset : {0U, 8U, 24U}) {
        device.put(memory.at(), base, stream.get());
        device.fill(memory.at(offset), count * size, pattern, size, stream.get());
        Bytes want = base;
        for (std::uint64_t i = 0; i < count; ++i) {
          std::memcpy(want.data() + offset + i * size, &pattern, size);
        }
        expect_bytes(device.get(memory.at(), base.size(), stream.get()), want,
                     fmt::format("a fill of {} times {} bytes at offset {}", count, size, offset));
      }
    }
  }
}

// Legal, and nothing happens.
void check_nothing(OpenDevice& device) {
  device.require_memory();
  const Stream stream(device);
  const Bytes base = pattern_bytes(256, 7);
  const Memory one(device, base.size());
  const Memory two(device, base.size());
  device.put(one.at(), base, stream.get());
  device.put(two.at(), base, stream.get());
  Bytes host(1, 0x55);
  device.write(one.at(), host.data(), 0, stream.get());
  device.read(host.data(), one.at(), 0, stream.get());
  device.move(two.at(), one.at(1), 0, stream.get());
  if (device.api().fill != nullptr) device.fill(one.at(), 0, 0, 1, stream.get());
  device.wait(stream.get());
  expect_bytes(host, Bytes(1, 0x55), "the host after a copy of 0 bytes");
  expect_bytes(device.get(one.at(), 256, stream.get()), base, "memory after a copy of 0 bytes");
}

void check_out_of_memory(OpenDevice& device) {
  device.require_memory();
  const std::uint64_t total = device.info().total_memory;
  if (total == 0) skip("the device does not say how much memory it has");
  for (int i = 0; i < 3; ++i) {
    try {
      device.free(device.allocate(2 * total));
    } catch (const PluginError& error) {
      if (error.code() == LOCI_CODE_OUT_OF_MEMORY) continue;
      fail("twice its memory is {}, and has to be OUT_OF_MEMORY: {}", code_name(error.code()),
           error.what());
    }
    fail("the device has {} bytes, and gave {}", total, 2 * total);
  }
  const Stream stream(device);
  const Memory memory(device, 4096);
  const Bytes bytes = pattern_bytes(4096, 8);
  device.put(memory.at(), bytes, stream.get());
  expect_bytes(device.get(memory.at(), 4096, stream.get()), bytes,
               "memory behind an OUT_OF_MEMORY");
}

void check_info(OpenDevice& device) {
  device.require_memory();
  const std::uint64_t before = device.free_memory();
  const std::uint64_t bytes = std::min<std::uint64_t>(64 * kMiB, before / 4);
  std::uint64_t during = before;
  // Others may use the device too.
  for (int i = 0; i < 3 && during >= before; ++i) {
    const Memory memory(device, bytes);
    during = device.free_memory();
  }
  if (during >= before) fail("mem_info does not see an allocation of {} bytes", bytes);
  if (before > device.info().total_memory) {
    fail("mem_info has {} free bytes, and describe {} in all", before, device.info().total_memory);
  }
}

// Copies to and from host memory of the plugin or the caller.
void check_host_copies(OpenDevice& device, std::uint8_t* host, std::uint64_t bytes,
                       const std::string& what) {
  const Stream stream(device);
  const Memory memory(device, bytes);
  const Bytes first = pattern_bytes(bytes, 9);
  std::copy(first.begin(), first.end(), host);
  device.write(memory.at(), host, bytes, stream.get());
  device.wait(stream.get());
  std::fill(host, host + bytes, std::uint8_t{0});
  device.read(host, memory.at(), bytes, stream.get());
  device.wait(stream.get());
  expect_bytes(Bytes(host, host + bytes), first, what);
}

void check_pinned(OpenDevice& device) {
  device.require_memory();
  for (const std::uint64_t bytes : {1UL, 4097UL, kMiB}) {
    try {
      const Memory pinned(device, bytes, LOCI_MEMORY_PINNED);
      check_host_copies(device, pinned.at(), bytes, fmt::format("{} pinned bytes", bytes));
    } catch (const PluginError& error) {
      if (error.code() != LOCI_CODE_UNSUPPORTED) throw;
      skip("the device has no pinned memory: {}", error.what());
    }
  }
}

void check_registered(OpenDevice& device) {
  device.require_memory();
  const loci_device_api& api = device.api();
  if (api.host_register == nullptr) skip("the device pins no memory of the host");
  Bytes host(3 * 4096 + 17);
  std::uint8_t* const first = host.data() + 1;  // no memory that anybody aligned
  const std::uint64_t bytes = host.size() - 1;
  for (int i = 0; i < 2; ++i) {
    call_checked("host_register", [&] { return api.host_register(device.handle(), first, bytes); });
    check_host_copies(device, first, bytes, "registered memory");
    call_checked("host_unregister", [&] { return api.host_unregister(device.handle(), first); });
  }
  check_host_copies(device, first, bytes, "memory that was registered once");
}

// Each thread with memory and a stream of its own.
void check_threads(OpenDevice& device) {
  static constexpr std::uint64_t kThreads = 4;
  static constexpr int kRounds = 25;
  device.require_memory();
  std::vector<std::string> wrong(kThreads);
  const auto work = [&device, &wrong](std::uint64_t number) {
    try {
      const Stream stream(device);
      for (int i = 0; i < kRounds; ++i) {
        const Bytes bytes = pattern_bytes(1000 * (number + 1) + 1, number * kRounds + i);
        const auto guard = device.allocate(bytes.size(), stream.get());
        device.put(guard, bytes, stream.get());
        expect_bytes(device.get(guard, bytes.size(), stream.get()), bytes, "memory of a thread");
        device.free(guard, stream.get());
      }
      device.wait(stream.get());
    } catch (const std::exception& error) {
      wrong[number] = error.what();
    }
  };
  std::vector<std::thread> threads;
  for (std::uint64_t number = 0; number < kThreads; ++number) threads.emplace_back(work, number);
  for (std::thread& thread : threads) thread.join();
  for (const std::string& message : wrong) {
    if (!message.empty()) fail("with {} threads at a time: {}", kThreads, message);
  }
}

void check_peers(const Target& target) {
  Instance instance(target);
  OpenDevice one(instance, target.index);
  one.require_memory();
  OpenDevice two(instance, target.index == 0 ? 1 : 0);
  const Stream stream(one);
  const Stream other(two);
  const Bytes bytes = pattern_bytes(65537, 10);
  const Memory here(one, bytes.size());
  const Memory there(two, bytes.size());
  one.put(here.at(), bytes, stream.get());
  loci_copy copy{};
  copy.struct_size = sizeof copy;
  copy.source_end = LOCI_END_DEVICE;
  copy.target_end = LOCI_END_PEER;
  copy.source = here.at();
  copy.target = there.at();
  copy.row_bytes = bytes.size();
  copy.rows = 1;
  copy.peer = two.handle();
  try {
    one.copy(copy, stream.get());
  } catch (const PluginError& error) {
    if (error.code() != LOCI_CODE_UNSUPPORTED) throw;
    skip("{}", error.what());
  }
  one.wait(stream.get());
  expect_bytes(two.get(there.at(), bytes.size(), other.get()), bytes, "a copy to another device");
  std::swap(copy.source_end, copy.target_end);
  copy.source = there.at();
  copy.target = here.at();
  one.fill(here.at(), bytes.size(), 0, 1, stream.get());
  one.copy(copy, stream.get());
  expect_bytes(one.get(here.at(), bytes.size(), stream.get()), bytes, "a copy from another device");
}

}  // namespace

std::vector<Check> mem_level(const Target& target) {
  const auto bench = std::make_shared<Bench>(target);
  return {
      on_bench("mem/alignment", bench, check_alignment),
      on_bench("mem/many", bench, check_many),
      on_bench("mem/most_allocations", bench, check_most),
      on_bench("mem/copies", bench, check_copies),
      on_bench("mem/pitched_copies", bench, check_pitched),
      on_bench("mem/copies_of_nothing", bench, check_nothing),
      on_bench("mem/fill", bench, check_fill),
      on_bench("mem/out_of_memory", bench, check_out_of_memory),
      on_bench("mem/counting", bench, check_info),
      on_bench("mem/pinned", bench, check_pinned),
      on_bench("mem/registered", bench, check_registered),
      on_bench("mem/threads", bench, check_threads),
      on_target("mem/between_devices", target, check_peers),
      on_other_devices("mem/other_devices", target,
                       {check_alignment, check_copies, check_pitched, check_fill, check_pinned}),
  };
}

}  // namespace loci::verify

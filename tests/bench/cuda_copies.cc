// Copies between the host and the device, against the driver's: of pinned memory by the device's
// own call, and of tensors, whose memory is pageable.
#include <fmt/format.h>

#include <loci/loci.hpp>

#include "framework/device/device_manager.h"
#include "framework/memory/pinned_buffer.h"
#include "tests/bench/cuda_bench.h"

namespace loci::bench {
namespace {

using cuda_rules::cu;

constexpr double kCopyShare = 0.95;

double rate(std::size_t bytes, double us) { return static_cast<double>(bytes) / us / 1000; }

void measure_pinned(const CudaBench& bench, std::size_t bytes, bool to_device) {
  const std::string row =
      fmt::format("copies: pinned {} the device, {} KiB", to_device ? "to" : "from", bytes / 1024);
  if (!bench.report.is_wanted(row)) return;
  device::Device& device = device::DeviceManager::instance().get("cuda:0");
  const memory::PinnedBuffer pinned(device, bytes, "bench");
  std::fill_n(static_cast<char*>(pinned.data()), bytes, '\0');
  const RawPinned raw_pinned(bytes);
  const RawMemory memory(bytes);
  loci_stream* const stream = device.default_stream();
  auto* const address = reinterpret_cast<void*>(memory.address());
  const Work ours{
      [&] {
        to_device
            ? device.copy(LOCI_END_HOST, pinned.data(), LOCI_END_DEVICE, address, bytes, stream, 0)
            : device.copy(LOCI_END_DEVICE, address, LOCI_END_HOST, pinned.data(), bytes, stream, 0);
      },
      [&] { device.synchronize_stream(stream); }};
  const Work raw{[&] {
                   must(to_device ? cu().cuMemcpyHtoDAsync(memory.address(), raw_pinned.data(),
                                                           bytes, bench.device.stream())
                                  : cu().cuMemcpyDtoHAsync(raw_pinned.data(), memory.address(),
                                                           bytes, bench.device.stream()),
                        "copying");
                 },
                 [&] { bench.device.synchronize(); }};
  const auto us = bench.us_in_turns({ours, raw});
  bench.add(row, rate(bytes, us[0]), "GB/s", /*less_is_better=*/false, "the driver",
            rate(bytes, us[1]), kCopyShare);
}

void measure_tensors(const CudaBench& bench, std::size_t bytes) {
  const std::string row = fmt::format("copies: a tensor to the device, {} KiB", bytes / 1024);
  if (!bench.report.is_wanted(row)) return;
  const Tensor here = full({static_cast<std::int64_t>(bytes / sizeof(float))}, 1, kFloat32);
  (void)here.read_data();
  const std::vector<char> pageable(bytes);
  const RawMemory memory(bytes);
  const auto us =
      bench.us_in_turns({{[&] { (void)here.to("cuda:0"); }, [] { synchronize("cuda:0"); }},
                         {[&] {
                            must(cu().cuMemcpyHtoDAsync(memory.address(), pageable.data(), bytes,
                                                        bench.device.stream()),
                                 "copying");
                          },
                          [&] { bench.device.synchronize(); }}});
  bench.add({row, rate(bytes, us[0]), "GB/s", /*less_is_better=*/false, "the driver, pageable",
             rate(bytes, us[1])});
}

}  // namespace

void measure_copies(const CudaBench& bench) {
  const std::size_t large = bench.sized<std::size_t>(64 << 20, 1 << 17);
  for (const std::size_t bytes : {std::size_t{1} << 16, large}) {
    for (const bool to_device : {true, false}) measure_pinned(bench, bytes, to_device);
  }
  measure_tensors(bench, large);
}

}  // namespace loci::bench

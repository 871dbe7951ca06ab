#include "plugins/sim/serial_host.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace loci::sim {
namespace {

void run_serially(loci_host*, std::int64_t begin, std::int64_t end, std::int64_t,
                  loci_range_fn body, void* context) {
  if (begin < end) body(context, begin, end, /*worker=*/0);
}

std::uint32_t one_thread(loci_host*) { return 1; }

}  // namespace

loci_host_api serial_host(const loci_host_api& host) {
  loci_host_api serial{};
  std::memcpy(&serial, &host, std::min<std::size_t>(host.struct_size, sizeof serial));
  serial.struct_size = sizeof serial;
  serial.parallel_for = &run_serially;
  serial.parallel_width = &one_thread;
  return serial;
}

}  // namespace loci::sim

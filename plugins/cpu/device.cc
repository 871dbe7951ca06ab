#include "plugins/cpu/device.h"

#include <sched.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "plugins/cpu/onednn/engine.h"
#include "plugins/kernels/isa.h"

namespace loci::cpu {
namespace {

// Enough for the vector registers of every processor, and a cache line.
constexpr std::uint64_t kAlignment = 64;

std::string read_processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.compare(0, 10, "model name") != 0) continue;
    const std::size_t value = line.find_first_not_of(" \t", line.find(':') + 1);
    if (value != std::string::npos) return line.substr(value);
  }
  return "processor";
}

const std::string& processor_name() {
  static const std::string& name = *new std::string(read_processor_name());
  return name;
}

std::uint64_t physical_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGESIZE);
  if (pages < 0 || page_bytes < 0) return 0;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
}

std::uint32_t usable_processors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    return static_cast<std::uint32_t>(CPU_COUNT(&set));
  }
  return static_cast<std::uint32_t>(sysconf(_SC_NPROCESSORS_ONLN));
}

void require_first(std::uint32_t index) {
  if (index == 0) return;
  throw sdk::Error(LOCI_CODE_NOT_FOUND,
                   "[cpu] there is no device " + std::to_string(index) + "; use cpu:0");
}

}  // namespace

void CpuDevice::describe(CpuPlugin&, std::uint32_t index, loci_device_info& info) {
  require_first(index);
  info.flags = LOCI_DEVICE_INLINE | LOCI_DEVICE_HOST_MEMORY;
  info.name = sdk::to_abi(processor_name());
  info.arch = sdk::to_abi(kernels::isa_name(kernels::best_isa()));
  info.uuid = {};
  info.driver = sdk::to_abi(onednn::version_text());
  info.total_memory = physical_memory();
  info.alignment = kAlignment;
  info.min_chunk = kAlignment;
  info.compute_units = usable_processors();
}

CpuDevice::CpuDevice(CpuPlugin&, const sdk::Host&, std::uint32_t index) { require_first(index); }

}  // namespace loci::cpu

#include "framework/core/processors.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string_view>

namespace loci::core {
namespace {

constexpr const char* kGroups = "/sys/fs/cgroup";

std::uint32_t count_allowed() noexcept {
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return 1;  // more than 1,024 processors
  return static_cast<std::uint32_t>(std::max(CPU_COUNT(&mask), 1));
}

// The line "0::PATH" of /proc/self/cgroup; empty where there is no cgroup v2.
std::string own_group() {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("0::/", 0) == 0) return line.substr(3);
  }
  return {};
}

std::uint32_t quota_at(const std::string& group) {
  std::ifstream file(kGroups + group + "/cpu.max");
  std::string text;
  return std::getline(file, text) ? processors_of_quota(text) : 0;
}

// The smallest of the group and of those above it; 0 for none.
std::uint32_t group_quota() {
  std::uint32_t least = 0;
  std::string group = own_group();
  while (true) {
    if (group == "/") group.clear();
    const std::uint32_t quota = quota_at(group);
    if (quota != 0) least = least == 0 ? quota : std::min(least, quota);
    if (group.empty()) return least;
    group.resize(group.rfind('/'));
  }
}

}  // namespace

std::vector<int> allowed_processors() {
  std::vector<int> allowed;
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return allowed;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
    if (CPU_ISSET(processor, &mask)) allowed.push_back(processor);
  }
  return allowed;
}

std::uint32_t processors_of_quota(const std::string& cpu_max) noexcept {
  std::uint64_t quota = 0;
  std::uint64_t period = 0;
  const char* const end = cpu_max.data() + cpu_max.size();
  const auto first = std::from_chars(cpu_max.data(), end, quota);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != ' ') return 0;
  const auto second = std::from_chars(first.ptr + 1, end, period);
  if (second.ec != std::errc() || quota == 0 || period == 0) return 0;
  constexpr std::uint64_t kMost = 1U << 20;
  const std::uint64_t whole = quota / period + (quota % period == 0 ? 0 : 1);
  return static_cast<std::uint32_t>(std::min(whole, kMost));
}

std::uint32_t usable_processors() noexcept {
  const std::uint32_t allowed = count_allowed();
  try {
    const std::uint32_t quota = group_quota();
    return quota == 0 ? allowed : std::min(allowed, quota);
  } catch (...) {  // no memory for a line
    return allowed;
  }
}

}  // namespace loci::core

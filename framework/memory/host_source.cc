#include "framework/memory/host_source.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include "framework/core/raise.h"

namespace loci::memory {
namespace {

constexpr std::uint64_t kHugePage = 2 * 1024 * 1024;

void* map(std::uint64_t bytes) {
  void* pointer = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return pointer == MAP_FAILED ? nullptr : pointer;
}

// Huge pages need their own alignment, which mmap does not promise: map more, and cut the ends off.
void* map_huge(std::uint64_t bytes) {
  auto* mapped = static_cast<char*>(map(bytes + kHugePage));
  if (mapped == nullptr) return nullptr;
  const std::uint64_t past = reinterpret_cast<std::uintptr_t>(mapped) % kHugePage;
  const std::uint64_t before = past == 0 ? 0 : kHugePage - past;
  if (before != 0) munmap(mapped, before);
  munmap(mapped + before + bytes, kHugePage - before);
  // Only advice: a kernel without huge pages is as right.
  madvise(mapped + before, bytes, MADV_HUGEPAGE);
  return mapped + before;
}

// With what the kernel's caches would give up, which is most of the memory of a machine that has
// run for a while; without, where the kernel does not tell.
std::uint64_t available_to_the_system() noexcept {
  std::uint64_t kibibytes = 0;
  if (std::FILE* file = std::fopen("/proc/meminfo", "re")) {
    std::array<char, 128> line{};
    while (std::fgets(line.data(), line.size(), file) != nullptr) {
      if (std::sscanf(line.data(), "MemAvailable: %" SCNu64, &kibibytes) == 1) break;
    }
    std::fclose(file);
  }
  if (kibibytes != 0) return kibibytes * 1024;
  return static_cast<std::uint64_t>(sysconf(_SC_AVPHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

void* HostSource::acquire(std::uint64_t bytes, loci_stream*) {
  claim(bytes);
  void* pointer = bytes > kHugePage ? map_huge(bytes) : map(bytes);
  if (pointer == nullptr) {
    const int reason = errno;
    held_.fetch_sub(bytes);
    core::raise(ErrorCode::kOutOfMemory, "[memory] the system gives no {} bytes: {}", bytes,
                std::strerror(reason));
  }
  return pointer;
}

void HostSource::claim(std::uint64_t bytes) {
  const std::uint64_t before = held_.fetch_add(bytes);
  if (limit_ == 0 || (before <= limit_ && bytes <= limit_ - before)) return;
  held_.fetch_sub(bytes);
  core::raise(ErrorCode::kOutOfMemory, "[memory] LOCI_MEMORY_LIMIT allows {} bytes in all", limit_);
}

void HostSource::release(void* pointer, std::uint64_t bytes) noexcept {
  munmap(pointer, bytes);
  held_.fetch_sub(bytes);
}

std::uint64_t HostSource::free_bytes() const noexcept {
  const std::uint64_t available = available_to_the_system();
  const std::uint64_t held = held_.load();
  const std::uint64_t allowed = limit_ > held ? limit_ - held : 0;
  return limit_ == 0 || available < allowed ? available : allowed;
}

}  // namespace loci::memory

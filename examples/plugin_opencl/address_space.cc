#include "address_space.h"

#include <sys/mman.h>

#include <mutex>
#include <new>

#include "error.h"

namespace opencl {
namespace {

// One page more than asked, so that the end of one range is not the beginning of the next.
constexpr std::uint64_t kGap = 4096;

std::uintptr_t number(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

void* reserve(std::uint64_t bytes) {
  void* first = mmap(nullptr, bytes + kGap, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                     /*fd=*/-1, /*offset=*/0);
  if (first == MAP_FAILED) throw std::bad_alloc();
  return first;
}

loci::sdk::Error unknown(const void* address) {
  return {LOCI_CODE_INVALID_ARGUMENT, text("[opencl] ", address,
                                           " is in no allocation of this device; pass what "
                                           "mem_alloc returned, or an address within it")};
}

}  // namespace

AddressSpace::~AddressSpace() {
  for (const auto& [first, range] : ranges_) {
    munmap(reinterpret_cast<void*>(first), range.bytes + kGap);
  }
}

void* AddressSpace::insert(Buffer buffer, std::uint64_t bytes) {
  void* first = reserve(bytes);
  const std::unique_lock lock(mutex_);
  ranges_.emplace(number(first), Range{std::move(buffer), bytes});
  return first;
}

std::uint64_t AddressSpace::erase(void* first) {
  const std::unique_lock lock(mutex_);
  const auto found = ranges_.find(number(first));
  if (found == ranges_.end()) throw unknown(first);
  const std::uint64_t bytes = found->second.bytes;
  ranges_.erase(found);
  munmap(first, bytes + kGap);
  return bytes;
}

Location AddressSpace::locate(const void* address) const {
  if (address == nullptr) return {};
  const std::shared_lock lock(mutex_);
  auto after = ranges_.upper_bound(number(address));
  if (after == ranges_.begin()) throw unknown(address);
  const auto& [first, range] = *--after;
  const std::uint64_t offset = number(address) - first;
  if (offset >= range.bytes) throw unknown(address);
  return {range.buffer.get(), offset};
}

}  // namespace opencl

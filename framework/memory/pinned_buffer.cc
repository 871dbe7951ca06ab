#include "framework/memory/pinned_buffer.h"

#include <loci/error.hpp>

#include "framework/core/log.h"

namespace loci::memory {
namespace {

constexpr std::uint64_t kPage = 4096;

}  // namespace

PinnedBuffer::PinnedBuffer(device::Device& device, std::uint64_t bytes, const char* name)
    : device_(device) {
  if (bytes == 0) return;
  // Two registered ranges must not share a page.
  const std::uint64_t whole = (bytes + kPage - 1) / kPage * kPage;
  buffer_ = host_allocator().allocate(whole + kPage, nullptr, name);
  const auto address = reinterpret_cast<std::uintptr_t>(buffer_.data());
  data_ = static_cast<char*>(buffer_.data()) + (kPage - address % kPage) % kPage;
  const loci_device_api& api = device.api();
  if (api.host_register == nullptr || api.host_unregister == nullptr) return;
  try {
    device.check(api.host_register(device.handle(), data_, whole), "registering host memory");
    registered_ = true;
  } catch (const Error& error) {
    core::log(core::Module::kMemory, core::Level::kDebug, "not pinned: {}", error.what());
  }
}

PinnedBuffer::~PinnedBuffer() {
  if (!registered_) return;
  try {
    device_.check(device_.api().host_unregister(device_.handle(), data_),
                  "unregistering host memory");
  } catch (const Error& error) {
    core::log(core::Module::kMemory, core::Level::kError, "{}", error.what());
  }
}

}  // namespace loci::memory

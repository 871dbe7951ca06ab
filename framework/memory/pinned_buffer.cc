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
  const bool registers = device.api().host_register != nullptr;
  if (!registers && take_device_memory(bytes)) return;
  // Two registered ranges must not share a page.
  const std::uint64_t whole = (bytes + kPage - 1) / kPage * kPage;
  take_host_memory(whole, name);
  if (!registers || register_memory(whole) || !take_device_memory(bytes)) return;
  buffer_.reset();
}

void PinnedBuffer::take_host_memory(std::uint64_t bytes, const char* name) {
  buffer_ = host_allocator().allocate(bytes + kPage, nullptr, name);
  const auto address = reinterpret_cast<std::uintptr_t>(buffer_.data());
  data_ = static_cast<char*>(buffer_.data()) + (kPage - address % kPage) % kPage;
}

bool PinnedBuffer::register_memory(std::uint64_t bytes) {
  const loci_device_api& api = device_.api();
  if (api.host_unregister == nullptr) return false;
  try {
    device_.check(api.host_register(device_.handle(), data_, bytes), "registering host memory");
    registered_ = true;
    device_.begin_use();
  } catch (const Error& error) {
    core::log(core::Module::kMemory, core::Level::kDebug, "not pinned: {}", error.what());
  }
  return registered_;
}

bool PinnedBuffer::take_device_memory(std::uint64_t bytes) {
  const loci_device_api& api = device_.api();
  if (api.mem_alloc == nullptr) return false;
  try {
    device_.check(api.mem_alloc(device_.handle(), LOCI_MEMORY_PINNED, bytes, nullptr, &data_),
                  "allocating pinned memory");
    is_of_device_ = true;
    device_.begin_use();
  } catch (const Error& error) {
    core::log(core::Module::kMemory, core::Level::kDebug, "not pinned: {}", error.what());
  }
  return is_of_device_;
}

PinnedBuffer::~PinnedBuffer() {
  if (device_.loss().is_hung()) {
    buffer_.abandon();  // the device may still write there
    return;
  }
  const loci_device_api& api = device_.api();
  try {
    if (registered_) {
      device_.check(api.host_unregister(device_.handle(), data_), "unregistering host memory");
    }
    if (is_of_device_) {
      device_.check(api.mem_free(device_.handle(), LOCI_MEMORY_PINNED, data_, nullptr),
                    "freeing pinned memory");
    }
  } catch (const Error& error) {
    core::log(core::Module::kMemory, core::Level::kError, "{}", error.what());
  }
  if (registered_ || is_of_device_) device_.end_use();
}

}  // namespace loci::memory

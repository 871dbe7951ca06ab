#include "tools/conformance/verify/open_device.h"

#include <algorithm>

#include "tools/conformance/generator.h"

namespace loci::verify {
namespace {

loci_copy flat(std::uint32_t source_end, const void* source, std::uint32_t target_end, void* target,
               std::uint64_t bytes, std::uint64_t correlation) {
  return {.struct_size = sizeof(loci_copy),
          .source_end = source_end,
          .target_end = target_end,
          .reserved_zero = 0,
          .source = source,
          .target = target,
          .row_bytes = bytes,
          .rows = 1,
          .source_pitch = bytes,
          .target_pitch = bytes,
          .peer = nullptr,
          .correlation = correlation};
}

}  // namespace

OpenDevice::OpenDevice(Instance& instance, std::uint32_t index)
    : api_(instance.device_api()), host_(instance.host().api()) {
  instance.require_device(index);
  info_.struct_size = sizeof info_;
  call_checked("describe", [&] { return api_.describe(instance.handle(), index, &info_); });
  const std::string missing = missing_functions(api_, &info_);
  if (!missing.empty()) skip("its " LOCI_DEVICE_INTERFACE " lacks {}", missing);
  call_checked("open", [&] { return api_.open(instance.handle(), index, &handle_); });
  if (handle_ == nullptr) fail("open succeeded without giving a device");
}

OpenDevice::~OpenDevice() { close(); }

void OpenDevice::close() {
  if (handle_ == nullptr) return;
  note_call("close");
  api_.close(std::exchange(handle_, nullptr));
}

void OpenDevice::require_memory() const {
  if ((info_.flags & LOCI_DEVICE_HOST_MEMORY) != 0) {
    skip("the device works in host memory, which the host allocates and copies");
  }
}

void OpenDevice::require_streams() const {
  require_memory();
  if (!has_streams()) skip("the device has no streams: work is done when its call returns");
}

void OpenDevice::require_allocations(std::uint64_t count) const {
  const std::uint64_t most = info_.max_allocations;
  if (most != 0 && most < count) {
    skip("the device has {} allocations at a time, and this takes {}", most, count);
  }
}

std::uint64_t OpenDevice::as_many(std::uint64_t count, std::uint64_t others) const {
  const std::uint64_t most = info_.max_allocations;
  if (most == 0) return count;
  return std::min(count, most > others ? most - others : 1);
}

std::uint64_t OpenDevice::rounded(std::uint64_t bytes) const {
  const std::uint64_t chunk = std::max<std::uint64_t>(info_.min_chunk, 1);
  return (bytes + chunk - 1) / chunk * chunk;
}

void* OpenDevice::allocate(std::uint64_t bytes, loci_stream* stream, std::uint32_t kind) {
  void* pointer = nullptr;
  call_checked("mem_alloc",
               [&] { return api_.mem_alloc(handle_, kind, rounded(bytes), stream, &pointer); });
  if (pointer == nullptr) fail("mem_alloc succeeded and gave NULL for {} bytes", rounded(bytes));
  return pointer;
}

void OpenDevice::free(void* pointer, loci_stream* stream, std::uint32_t kind) {
  call_checked("mem_free", [&] { return api_.mem_free(handle_, kind, pointer, stream); });
}

std::uint64_t OpenDevice::free_memory() const {
  if (api_.mem_info == nullptr) skip("the device does not count its memory");
  std::uint64_t free = 0;
  std::uint64_t total = 0;
  call_checked("mem_info", [&] { return api_.mem_info(handle_, &free, &total); });
  if (free > total) fail("mem_info gave {} free bytes of {}", free, total);
  return free;
}

bool OpenDevice::copy(const loci_copy& copy, loci_stream* stream) {
  std::uint32_t blocked = 2;
  call_checked("copy", [&] { return api_.copy(handle_, &copy, stream, &blocked); });
  if (blocked > 1) fail("copy left *out_blocked at {}; it has to be 0 or 1", blocked);
  return blocked == 1;
}

bool OpenDevice::write(void* target, const void* source, std::uint64_t bytes, loci_stream* stream,
                       std::uint64_t correlation) {
  return copy(flat(LOCI_END_HOST, source, LOCI_END_DEVICE, target, bytes, correlation), stream);
}

bool OpenDevice::read(void* target, const void* source, std::uint64_t bytes, loci_stream* stream,
                      std::uint64_t correlation) {
  return copy(flat(LOCI_END_DEVICE, source, LOCI_END_HOST, target, bytes, correlation), stream);
}

bool OpenDevice::move(void* target, const void* source, std::uint64_t bytes, loci_stream* stream,
                      std::uint64_t correlation) {
  return copy(flat(LOCI_END_DEVICE, source, LOCI_END_DEVICE, target, bytes, correlation), stream);
}

void OpenDevice::fill(void* target, std::uint64_t bytes, std::uint64_t pattern,
                      std::uint32_t pattern_bytes, loci_stream* stream, std::uint64_t correlation) {
  if (api_.fill == nullptr) skip("the device has no fill");
  call_checked("fill", [&] {
    return api_.fill(handle_, target, bytes, &pattern, pattern_bytes, stream, correlation);
  });
}

void OpenDevice::put(void* target, const Bytes& bytes, loci_stream* stream) {
  write(target, bytes.data(), bytes.size(), stream);
  wait(stream);
}

Bytes OpenDevice::get(const void* source, std::uint64_t bytes, loci_stream* stream) {
  Bytes target(bytes, 0xEE);
  read(target.data(), source, bytes, stream);
  wait(stream);
  return target;
}

void OpenDevice::wait(loci_stream* stream) {
  if (stream != nullptr) {
    call_checked("stream_synchronize", [&] { return api_.stream_synchronize(stream); });
  } else if (api_.synchronize != nullptr) {
    call_checked("synchronize", [&] { return api_.synchronize(handle_); });
  }
  check_async();
}

void OpenDevice::check_async() {
  if (api_.take_async_error == nullptr) return;
  std::uint64_t correlation = 0;
  call_checked("take_async_error", [&] { return api_.take_async_error(handle_, &correlation); });
}

bool OpenDevice::is_done(loci_stream* stream) const {
  std::uint32_t done = 2;
  call_checked("stream_query", [&] { return api_.stream_query(stream, &done); });
  if (done > 1) fail("stream_query left *out_done at {}; it has to be 0 or 1", done);
  return done == 1;
}

Memory::Memory(OpenDevice& device, std::uint64_t bytes, std::uint32_t kind)
    : device_(&device),
      kind_(kind),
      bytes_(bytes),
      pointer_(static_cast<std::uint8_t*>(device.allocate(bytes, nullptr, kind))) {}

Memory::Memory(Memory&& other) noexcept
    : device_(other.device_), kind_(other.kind_), bytes_(other.bytes_), pointer_(other.release()) {}

Memory::~Memory() {
  if (pointer_ == nullptr) return;
  // A check that failed may have left work that uses it. What goes wrong here, that check has told.
  try {
    device_->wait(nullptr);
  } catch (const std::exception&) {
  }
  try {
    device_->free(pointer_, nullptr, kind_);
  } catch (const std::exception&) {
  }
}

Stream::Stream(OpenDevice& device, std::int32_t priority) : device_(device) {
  if (!device.has_streams()) return;
  call_checked("stream_create",
               [&] { return device.api().stream_create(device.handle(), priority, &handle_); });
  if (handle_ == nullptr) fail("stream_create succeeded without giving a stream");
}

Stream::~Stream() {
  if (handle_ == nullptr) return;
  note_call("stream_destroy");
  device_.api().stream_destroy(handle_);
}

void Stream::wait(loci_event* event) {
  call_checked("stream_wait_event",
               [&] { return device_.api().stream_wait_event(handle_, event); });
}

Event::Event(OpenDevice& device, std::uint32_t flags) : device_(device) {
  call_checked("event_create",
               [&] { return device.api().event_create(device.handle(), flags, &handle_); });
  if (handle_ == nullptr) fail("event_create succeeded without giving an event");
}

void Event::record(const Stream& stream) {
  call_checked("event_record", [&] { return device_.api().event_record(handle_, stream.get()); });
}

bool Event::is_done() const {
  std::uint32_t done = 2;
  call_checked("event_query", [&] { return device_.api().event_query(handle_, &done); });
  if (done > 1) fail("event_query left *out_done at {}; it has to be 0 or 1", done);
  return done == 1;
}

void Event::synchronize() {
  call_checked("event_synchronize", [&] { return device_.api().event_synchronize(handle_); });
}

void Event::destroy() {
  if (handle_ == nullptr) return;
  note_call("event_destroy");
  device_.api().event_destroy(std::exchange(handle_, nullptr));
}

void expect_bytes(const Bytes& got, const Bytes& want, const std::string& what) {
  if (got == want) return;
  if (got.size() != want.size()) fail("{}: {} bytes instead of {}", what, got.size(), want.size());
  const auto differ = std::mismatch(got.begin(), got.end(), want.begin());
  fail("{}: byte {} of {} is {:#04x}, and has to be {:#04x}", what, differ.first - got.begin(),
       got.size(), *differ.first, *differ.second);
}

Bytes pattern_bytes(std::uint64_t count, std::uint64_t seed) {
  conformance::Bits bits(seed);
  Bytes bytes(count);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(bits.next());
  return bytes;
}

}  // namespace loci::verify

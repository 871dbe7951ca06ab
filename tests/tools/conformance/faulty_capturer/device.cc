#include "device.h"

#include <loci/abi/capture.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "plugin.h"
#include "tests/tools/conformance/faulty_plugin/fault.h"

namespace loci::faulty {
namespace {

constexpr std::uint64_t kAlignment = 64;
constexpr std::uint64_t kFewAllocations = 16;  // with narrow, which is no fault
constexpr std::uint64_t kTotal = std::uint64_t{1} << 30;

std::uint32_t direction_of(const loci_copy& copy) {
  if (copy.source_end != LOCI_END_DEVICE) return LOCI_COPY_HOST_TO_DEVICE;
  return copy.target_end == LOCI_END_DEVICE ? LOCI_COPY_DEVICE_TO_DEVICE : LOCI_COPY_DEVICE_TO_HOST;
}

void copy_rows(const loci_copy& copy, void* target, const void* source) {
  for (std::uint64_t row = 0; row < copy.rows; ++row) {
    if (copy.row_bytes == 0) continue;
    std::memmove(static_cast<char*>(target) + row * copy.target_pitch,
                 static_cast<const char*>(source) + row * copy.source_pitch, copy.row_bytes);
  }
}

}  // namespace

void CapturingEvent::record(CapturingStream* stream) {
  stream->require_plain("an event is recorded", "accepts_event_record");
  const std::lock_guard lock(mutex_);
  mark_ = stream->mark();
}

std::uint64_t CapturingEvent::ns_until(CapturingEvent&) {
  throw sdk::Error(LOCI_CODE_UNSUPPORTED, "[captures] the device measures no time");
}

Mark CapturingEvent::latest() {
  const std::lock_guard lock(mutex_);
  return mark_;
}

void CapturingDevice::describe(FaultyCapturerPlugin&, std::uint32_t index, loci_device_info& info) {
  if (index > 0) throw sdk::Error(LOCI_CODE_NOT_FOUND, "[captures] there is one device");
  info.flags = LOCI_DEVICE_ACCELERATOR;
  info.name = sdk::to_abi("captures");
  if (has("narrow")) {
    info.flags |= LOCI_DEVICE_ONE_QUEUE;
    info.max_allocations = kFewAllocations;
  }
  info.total_memory = kTotal;
  info.alignment = kAlignment;
  info.min_chunk = kAlignment;
}

CapturingDevice::CapturingDevice(FaultyCapturerPlugin& plugin, const sdk::Host&,
                                 std::uint32_t index)
    : source_(plugin.profile_source()) {
  if (index > 0) throw sdk::Error(LOCI_CODE_NOT_FOUND, "[captures] there is one device");
  if (has("narrow")) one_queue_ = std::make_shared<TaskQueue>();
}

void* CapturingDevice::mem_alloc(std::uint32_t kind, std::uint64_t bytes, Stream*) {
  if (kind != LOCI_MEMORY_DEVICE) {
    throw sdk::Error(LOCI_CODE_UNSUPPORTED, "[captures] there is no pinned memory");
  }
  if (bytes > kTotal - used_) {
    throw sdk::Error(LOCI_CODE_OUT_OF_MEMORY, "[captures] there is not so much memory");
  }
  void* pointer = std::aligned_alloc(kAlignment, (bytes + kAlignment) / kAlignment * kAlignment);
  if (pointer == nullptr) throw std::bad_alloc();
  const std::lock_guard lock(mutex_);
  if (has("narrow") && sizes_.size() >= kFewAllocations) {
    std::free(pointer);
    throw sdk::Error(LOCI_CODE_OUT_OF_MEMORY, "[captures] all handles are in use");
  }
  sizes_.emplace(pointer, bytes);
  used_ += bytes;
  return pointer;
}

void CapturingDevice::mem_free(std::uint32_t, void* pointer, Stream* stream) {
  const auto finish = [this, pointer] {
    const std::lock_guard lock(mutex_);
    used_ -= sizes_[pointer];
    sizes_.erase(pointer);
    std::free(pointer);
  };
  if (stream == nullptr) return finish();
  stream->require_plain("memory is freed in its order", "accepts_free");
  stream->run(finish);
}

void CapturingDevice::mem_info(std::uint64_t& free_bytes, std::uint64_t& total_bytes) const {
  total_bytes = kTotal;
  free_bytes = kTotal - used_;
}

bool CapturingDevice::copy(const loci_copy& copy, Stream* stream) {
  const bool on_device = copy.source_end == LOCI_END_DEVICE && copy.target_end == LOCI_END_DEVICE;
  stream->add(
      {{LOCI_DEVICE_WORK_COPY, direction_of(copy), copy.rows * copy.row_bytes, copy.correlation},
       "copy",
       0,
       {const_cast<void*>(copy.source), copy.target},
       [copy](const std::vector<void*>& arguments) {
         copy_rows(copy, arguments[1], arguments[0]);
       }});
  if (!on_device) stream->mark().wait();
  return !on_device;
}

void CapturingDevice::fill(void* target, std::uint64_t bytes, const void* pattern,
                           std::uint32_t pattern_bytes, Stream* stream, std::uint64_t correlation) {
  const std::vector<char> kept(static_cast<const char*>(pattern),
                               static_cast<const char*>(pattern) + pattern_bytes);
  stream->add({{LOCI_DEVICE_WORK_FILL, LOCI_COPY_UNKNOWN, bytes, correlation},
               "fill",
               0,
               {target},
               [bytes, kept](const std::vector<void*>& arguments) {
                 for (std::uint64_t i = 0; i < bytes; i += kept.size()) {
                   std::memcpy(static_cast<char*>(arguments[0]) + i, kept.data(), kept.size());
                 }
               }});
}

void CapturingDevice::synchronize() {
  std::vector<Mark> marks;
  {
    const std::lock_guard lock(mutex_);
    for (Stream* stream : streams_) {
      if (stream->is_recorded_here()) {
        stream->require_plain("the device is waited for", "accepts_device_synchronize");
      }
      marks.push_back(stream->mark());
    }
  }
  for (const Mark& mark : marks) mark.wait();
}

void* CapturingDevice::native_handle(Stream* stream, std::string_view name) {
  if (name == "captures.device") return this;
  return name == "captures.stream" ? stream : nullptr;
}

void CapturingDevice::add(Stream& stream) {
  const std::lock_guard lock(mutex_);
  streams_.insert(&stream);
}

void CapturingDevice::remove(Stream& stream) {
  const std::lock_guard lock(mutex_);
  streams_.erase(&stream);
}

CapturingStream* CapturingDevice::recorder() {
  const std::lock_guard lock(mutex_);
  for (Stream* stream : streams_) {
    if (stream->status() != LOCI_CAPTURE_NONE) return stream;
  }
  return nullptr;
}

}  // namespace loci::faulty

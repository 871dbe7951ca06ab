#include "tools/cuda_double/driver/enqueue.h"

#include <fmt/format.h>

#include <cstring>

#include "tools/cuda_double/driver/memory.h"

namespace loci::cuda_double {
namespace {

// Pageable memory up to this size is copied at the call, as the manual says of transfers to
// devices.
constexpr std::size_t kStaged = 64 << 10;

bool is_empty(const CopyOperation& copy) {
  return copy.width == 0 || copy.height == 0 || copy.depth == 0;
}

// A side that is pageable is not checked: it is the program's own memory.
void check_side(Driver& driver, std::uint64_t address, std::uint64_t bytes) {
  require(address != 0, "there is no address");
  const auto extent = driver.memory.extent(address);
  if (extent.end == 0) {
    const bool ours = address - driver.memory.range_begin() < driver.memory.range_bytes();
    require(!ours, "no memory has that address");
    return;
  }
  const MemoryBlock* block = driver.blocks.around(address);
  const std::uint64_t end = block == nullptr ? extent.end : block->base + block->bytes;
  require(bytes <= end - address, "it reaches beyond the end of the memory");
}

struct Places {
  Place from;
  Place to;
  [[nodiscard]] bool any(Place place) const { return from == place || to == place; }
};

Places places_of(Driver& driver, const CopyOperation& copy) {
  return {place_of(driver, copy.from), place_of(driver, copy.to)};
}

void stage(CopyOperation& copy) {
  const auto* source = reinterpret_cast<const std::byte*>(copy.from);
  auto bytes = std::make_shared<std::vector<std::byte>>(source, source + copy.from_bytes());
  copy.from = reinterpret_cast<std::uint64_t>(bytes->data());
  copy.staged = std::move(bytes);
}

void report_pageable(Call& call, const CopyOperation& copy) {
  if (!call.driver.settings.checks.pageable) return;
  const std::string text = fmt::format("{} copies {} bytes of pageable memory and waits for them",
                                       call.function(), copy.width * copy.height * copy.depth);
  call.driver.findings.report("pageable", text, fmt::format(", first in {}", call.text()));
}

// The program means memory of another device, or has not asked for access: it is reported too.
void check_access(Call& call, const Context& context, const FillOperation& fill) {
  const std::string missing = missing_access(call.driver, context, fill);
  if (missing.empty()) return;
  call.driver.findings.report("peer", fmt::format("{} {}", call.text(), missing));
  throw DriverError(CUDA_ERROR_INVALID_VALUE, missing);
}

struct Side {
  CUmemorytype type;
  const void* host;
  CUdeviceptr device;
  [[nodiscard]] std::uint64_t address() const {
    switch (type) {
      case CU_MEMORYTYPE_HOST: return reinterpret_cast<std::uint64_t>(host);
      case CU_MEMORYTYPE_DEVICE:
      case CU_MEMORYTYPE_UNIFIED: return device;
      case CU_MEMORYTYPE_ARRAY:
        throw DriverError(CUDA_ERROR_NOT_SUPPORTED, "the double has no arrays");
      default: throw DriverError(CUDA_ERROR_INVALID_VALUE, "there is no such type of memory");
    }
  }
};

std::size_t pitch_or_width(std::size_t pitch, std::size_t width, std::size_t rows) {
  require(rows <= 1 || pitch >= width, "a pitch is less than the width");
  return pitch == 0 ? width : pitch;
}

}  // namespace

TaskPtr enqueue(Call& call, const std::shared_ptr<Stream>& stream, Operation operation,
                const std::string& what) {
  if (stream->capture != nullptr) {
    capture_operation(*stream, std::move(operation), what);
    return nullptr;
  }
  auto task = std::make_shared<Task>();
  task->what = what;
  task->is_host_function = std::holds_alternative<HostOperation>(operation);
  const auto* kernel = std::get_if<KernelOperation>(&operation);
  const bool is_kernel = kernel != nullptr;
  const bool overlaps = is_kernel && kernel->overlaps;
  const auto heard = heard_work(call.driver, operation, *stream, /*node=*/0);
  task->work = [&driver = call.driver, heard, operation = std::move(operation)](Task& running) {
    execute_heard(operation, running, driver, heard);
  };
  return is_kernel ? call.driver.submit_kernel(*stream, task, overlaps)
                   : call.driver.submit(*stream, task);
}

void check_copy(Driver& driver, const CopyOperation& copy) {
  if (is_empty(copy)) return;
  check_side(driver, copy.from, copy.from_bytes());
  check_side(driver, copy.to, copy.to_bytes());
}

void check_fill(Driver& driver, const FillOperation& fill) {
  require(fill.element == 1 || fill.element == 2 || fill.element == 4,
          "an element has 1, 2 or 4 bytes");
  if (fill.width == 0 || fill.height == 0) return;
  require(fill.address % fill.element == 0, "the address is not aligned to its elements");
  require(fill.height <= 1 ||
              (fill.pitch % fill.element == 0 && fill.pitch >= fill.width * fill.element),
          "the pitch is too small or not aligned");
  require(place_of(driver, fill.address) != Place::kPageable, "it is no memory of the driver's");
  check_side(driver, fill.address, fill.bytes());
}

void copy_memory(Call& call, CopyOperation copy, CUstream handle, Synchrony synchrony) {
  const auto stream = call.work_stream(handle);
  if (is_empty(copy)) return;
  check_copy(call.driver, copy);
  const Places places = places_of(call.driver, copy);
  const bool pageable = places.any(Place::kPageable);
  const bool captured = stream->capture != nullptr;
  bool waits = synchrony == Synchrony::kBlocking
                   ? places.from != Place::kDevice || places.to != Place::kDevice
                   : pageable;
  const bool stages = synchrony == Synchrony::kAsynchronous && !captured &&
                      places.from == Place::kPageable && places.to != Place::kPageable &&
                      copy.from_bytes() <= kStaged;
  if (stages) {
    stage(copy);
    waits = false;
  }
  if (waits && synchrony == Synchrony::kAsynchronous && !captured) report_pageable(call, copy);
  const TaskPtr task = enqueue(call, stream, std::move(copy), call.text());
  if (waits && task != nullptr) call.wait(task);
}

void fill_memory(Call& call, const FillOperation& fill, CUstream handle, Synchrony synchrony) {
  const auto stream = call.work_stream(handle);
  check_fill(call.driver, fill);
  if (fill.width == 0 || fill.height == 0) return;
  check_access(call, stream->context, fill);
  const TaskPtr task = enqueue(call, stream, fill, call.text());
  const bool waits =
      synchrony == Synchrony::kBlocking && place_of(call.driver, fill.address) != Place::kDevice;
  if (waits && task != nullptr) call.wait(task);
}

CopyOperation straight_copy(std::uint64_t to, std::uint64_t from, std::size_t bytes) {
  CopyOperation copy;
  copy.from = from;
  copy.to = to;
  copy.width = bytes;
  return copy;
}

CopyOperation copy_of(Driver& driver, const CUDA_MEMCPY2D& described) {
  CUDA_MEMCPY3D all{};
  all.srcXInBytes = described.srcXInBytes;
  all.srcY = described.srcY;
  all.srcMemoryType = described.srcMemoryType;
  all.srcHost = described.srcHost;
  all.srcDevice = described.srcDevice;
  all.srcPitch = described.srcPitch;
  all.dstXInBytes = described.dstXInBytes;
  all.dstY = described.dstY;
  all.dstMemoryType = described.dstMemoryType;
  all.dstHost = described.dstHost;
  all.dstDevice = described.dstDevice;
  all.dstPitch = described.dstPitch;
  all.WidthInBytes = described.WidthInBytes;
  all.Height = described.Height;
  all.Depth = 1;
  return copy_of(driver, all);
}

CopyOperation copy_of(Driver& driver, const CUDA_MEMCPY3D_PEER& described) {
  CUDA_MEMCPY3D all{};
  all.srcXInBytes = described.srcXInBytes;
  all.srcY = described.srcY;
  all.srcZ = described.srcZ;
  all.srcMemoryType = described.srcMemoryType;
  all.srcHost = described.srcHost;
  all.srcDevice = described.srcDevice;
  all.srcPitch = described.srcPitch;
  all.srcHeight = described.srcHeight;
  all.dstXInBytes = described.dstXInBytes;
  all.dstY = described.dstY;
  all.dstZ = described.dstZ;
  all.dstMemoryType = described.dstMemoryType;
  all.dstHost = described.dstHost;
  all.dstDevice = described.dstDevice;
  all.dstPitch = described.dstPitch;
  all.dstHeight = described.dstHeight;
  all.WidthInBytes = described.WidthInBytes;
  all.Height = described.Height;
  all.Depth = described.Depth;
  return copy_of(driver, all);
}

CopyOperation copy_of(Driver&, const CUDA_MEMCPY3D& described) {
  CopyOperation copy;
  copy.width = described.WidthInBytes;
  copy.height = described.Height;
  copy.depth = described.Depth;
  const std::size_t rows = copy.height * copy.depth;
  copy.from_pitch = pitch_or_width(described.srcPitch, copy.width, rows);
  copy.to_pitch = pitch_or_width(described.dstPitch, copy.width, rows);
  copy.from_slice = copy.from_pitch * std::max(described.srcHeight, copy.height);
  copy.to_slice = copy.to_pitch * std::max(described.dstHeight, copy.height);
  const Side from{described.srcMemoryType, described.srcHost, described.srcDevice};
  const Side to{described.dstMemoryType, described.dstHost, described.dstDevice};
  copy.from = from.address() + described.srcZ * copy.from_slice + described.srcY * copy.from_pitch +
              described.srcXInBytes;
  copy.to = to.address() + described.dstZ * copy.to_slice + described.dstY * copy.to_pitch +
            described.dstXInBytes;
  return copy;
}

bool have_same_places(Driver& driver, const CopyOperation& one, const CopyOperation& other) {
  const Places first = places_of(driver, one);
  const Places second = places_of(driver, other);
  const auto same = [](Place a, Place b) { return (a == Place::kDevice) == (b == Place::kDevice); };
  return same(first.from, second.from) && same(first.to, second.to);
}

FillOperation fill_of(const CUDA_MEMSET_NODE_PARAMS& described) {
  return {described.dst,   described.value,  described.elementSize,
          described.width, described.height, described.pitch};
}

}  // namespace loci::cuda_double

#include "framework/tensor/tensor_impl.h"

#include <limits>

#include "framework/core/context.h"
#include "framework/core/log.h"
#include "framework/core/raise.h"
#include "framework/device/capture_rules.h"
#include "framework/device/device_manager.h"
#include "framework/memory/node_pool.h"

namespace loci::tensor {
namespace {

std::uint64_t bytes_of(DType dtype, const Shape& shape) {
  const std::size_t size = dtype_size(dtype);
  if (size == 0) {
    core::raise(ErrorCode::kInvalidArgument, "[tensor] a tensor needs a dtype; {} has no elements",
                dtype_name(dtype));
  }
  const auto count = static_cast<std::uint64_t>(shape.numel());
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (count > kMax / size) {
    core::raise(ErrorCode::kInvalidArgument, "[tensor] {} {} has more bytes than fit in 63 bits",
                dtype_name(dtype), shape.to_string());
  }
  return count * size;
}

}  // namespace

Storage::~Storage() {
  // Tasks hold host memory until they have ended.
  if (device == nullptr || uses.is_idle() || buffer.data() == nullptr) return;
  Ticket last;
  for (const Ticket& ticket : uses.pending(/*writers_only=*/false)) {
    if (ticket.queue == home || ticket.has_ended()) continue;
    // Seldom more than one: a second one is waited for.
    if (last.queue != nullptr) last.queue->wait_quietly(last.number);
    last = ticket;
  }
  if (last.queue != nullptr) last.queue->keep(last.number, std::move(buffer));
}

void note_end(StorageExtras& extras) noexcept {
  if (extras.graph_readers.load(std::memory_order_relaxed) == 0) return;
  const bool is_told = extras.ended_by.load(std::memory_order_relaxed) != nullptr;
  if (letting_go == kStreamWork && is_told) return;
  extras.ended_by.store(letting_go, std::memory_order_relaxed);
  extras.ended_on.store(core::thread_number() + 1, std::memory_order_relaxed);
}

void Storage::take_memory() {
  buffer = memory::host_allocator().allocate(bytes, nullptr, name);
  data = buffer.data();
}

void refuse_other_context(const TensorImpl& impl, std::string_view user) {
  core::refuse_other_context(
      user,
      fmt::format("tensor '{}' {} {} at {}", impl.name(), dtype_name(impl.dtype()),
                  impl.shape().to_string(), impl.place().to_string()),
      impl.storage()->use.context(),
      "enter its context with a ContextGuard, or take its values out there by to_vector() and make "
      "a tensor of them here by Tensor::from()");
}

namespace {

void warn_before_replay(const TensorImpl& impl, const char* reader) {
  if (impl.storage()->absence.exchange(kReadBeforeReplay) == kReadBeforeReplay) return;
  core::log(core::Module::kCapture, core::Level::kWarn,
            "{} reads '{}' {} {} before the first replay of the graph that computes it: its "
            "elements are arbitrary; call Graph::replay() first",
            reader, impl.name(), dtype_name(impl.dtype()), impl.shape().to_string());
}

}  // namespace

void note_read(const TensorImpl& impl, const char* reader, bool decides) {
  if (device::active_captures.load(std::memory_order_relaxed) == 0) [[likely]]
    return;
  const std::string read = fmt::format("[{}] of '{}' {}{}", reader, impl.name(),
                                       dtype_name(impl.dtype()), impl.shape().to_string());
  device::note_host_read(impl.storage(), read, decides);
}

void require_elements(const TensorImpl& impl, const char* reader) {
  note_read(impl, reader, /*decides=*/false);
  const char* absence = impl.storage()->absence;
  if (absence == nullptr) [[likely]]
    return;
  core::raise(ErrorCode::kInvalidArgument,
              "[tensor] {} reads the elements of '{}' {} {}, which has none: {}", reader,
              impl.name(), dtype_name(impl.dtype()), impl.shape().to_string(), absence);
}

void await_for_user(const TensorImpl& impl, const char* reader) {
  if (awaits_replay(*impl.storage())) [[unlikely]] {
    note_read(impl, reader, /*decides=*/false);
    return warn_before_replay(impl, reader);
  }
  require_elements(impl, reader);
  impl.storage()->uses.wait();
}

Tensor make_tensor(DType dtype, const Shape& shape, const Place& place, const char* name,
                   loci_stream* stream) {
  const std::uint64_t bytes = bytes_of(dtype, shape);
  auto storage = memory::make_pooled<Storage>();
  // Host memory is there without a device, so nothing is looked up for it.
  storage->place = place;
  if (!place.is_host()) {
    auto& devices = device::DeviceManager::instance();
    storage->place = devices.resolve(place, Place());
    storage->device = &devices.get(storage->place);
  }
  storage->buffer = memory::allocator_of(storage->place).allocate(bytes, stream, name);
  storage->data = storage->buffer.data();
  storage->bytes = bytes;
  return Tensor(memory::make_pooled<TensorImpl>(dtype, shape, std::move(storage)));
}

}  // namespace loci::tensor

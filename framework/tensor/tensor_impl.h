// The object that a Tensor handle refers to.
#pragma once

#include <atomic>
#include <cstdint>
#include <loci/tensor.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "framework/core/context.h"
#include "framework/core/lazy.h"
#include "framework/memory/allocator.h"
#include "framework/tensor/derived_forms.h"
#include "framework/tensor/packed_form.h"
#include "framework/tensor/replica.h"
#include "framework/tensor/uses.h"

namespace loci::tensor {

// The part that few storages have: graphs that use them, forms made of their elements.
struct StorageExtras {
  // The graphs' pool that the storage's buffer is from, if it is from one; ends after the buffer.
  std::shared_ptr<void> pool;
  // The number of captured graphs that read the storage, among those who keep it.
  std::atomic<std::uint32_t> graph_readers{0};
  // Live graphs whose replays make it anew.
  std::atomic<std::uint32_t> graph_writers{0};
  // These two tell of the storage's tensor that ended last while graphs read it: the thread, as the
  // log numbers it, plus 1 (0: none has), and the call of the library's that let go of it (null:
  // the user did).
  std::atomic<std::uint32_t> ended_on{0};
  std::atomic<const char*> ended_by{nullptr};
  DerivedForms<PackedForm> packed;  // in layouts of kernels
  DerivedForms<Replica> replicas;   // at other places
};

// Memory that tensors share. Either owns a buffer or refers to memory kept alive by `owner`.
struct Storage {
  Storage() = default;
  // Hands memory that work still uses to that work's queue.
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  // Takes host memory that has been left to whoever writes it first, if it is not there yet. Throws
  // Error(kOutOfMemory).
  void provide() {
    if (data == nullptr && bytes > 0) [[unlikely]]
      take_memory();
  }

  core::ContextUse use;  // first, so that what follows ends within it
  core::Lazy<StorageExtras> extras;
  memory::Buffer buffer;
  void* data = nullptr;  // set before the work ends that writes it first
  std::uint64_t bytes = 0;
  const char* name = "tensor";  // of the memory, as allocators take it
  Place place;
  // Whose memory it is; null for the host's.
  device::Device* device = nullptr;
  std::shared_ptr<void> owner;
  Uses uses;
  // The queue behind whose work the buffer's release is ordered anyway; null where none is.
  WorkQueue* home = nullptr;
  std::atomic<std::uint64_t> version{0};  // changes in place so far
  // Somebody outside of the core has its address, and may change elements without their being
  // counted.
  std::atomic<bool> is_exposed{false};
  // Why it has no elements, as a literal that goes on after "which has none: "; null: it has.
  std::atomic<const char*> absence{nullptr};

 private:
  void take_memory();
};

// The call, a literal, in whose name this thread lets go of tensors; null: in the user's. For
// messages about what captured graphs read.
inline thread_local const char* letting_go = nullptr;
// Sets that while it lives. The outermost one counts, which the user has called.
class LettingGo {
 public:
  explicit LettingGo(const char* call) : outer_(letting_go) {
    if (outer_ == nullptr) letting_go = call;
  }
  ~LettingGo() { letting_go = outer_; }
  LettingGo(const LettingGo&) = delete;
  LettingGo& operator=(const LettingGo&) = delete;

 private:
  const char* outer_;
};

// The call of a stream's worker, which has tensors only as long as their work is under way: it is
// not noted where another call has let go of them before.
inline constexpr char kStreamWork[] = "work of a stream, which had it last";

// A tensor of the storage ends, or somebody lets go of one.
void note_end(StorageExtras& extras) noexcept;
inline void note_let_go(Storage& storage) noexcept {
  if (StorageExtras* extras = storage.extras.find()) note_end(*extras);
}

// A tape's object that is kept with a tensor.
class Recorded {
 public:
  virtual ~Recorded() = default;
};

// Dense, immutable but for the bytes behind data, its name and what is recorded of it.
class TensorImpl {
 public:
  TensorImpl(DType dtype, const Shape& shape, std::shared_ptr<Storage> storage,
             std::uint64_t offset = 0)
      : dtype_(dtype), shape_(shape), storage_(std::move(storage)), offset_(offset) {}
  // Next to nothing but for what graphs read.
  ~TensorImpl() { note_let_go(*storage_); }
  TensorImpl(const TensorImpl&) = delete;
  TensorImpl& operator=(const TensorImpl&) = delete;

  [[nodiscard]] DType dtype() const { return dtype_; }
  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] const Place& place() const { return storage_->place; }
  // To be asked for once the work has ended that writes it first.
  [[nodiscard]] void* data() const { return static_cast<char*>(storage_->data) + offset_; }
  [[nodiscard]] std::uint64_t bytes() const {
    return static_cast<std::uint64_t>(shape_.numel()) * dtype_size(dtype_);
  }
  [[nodiscard]] const std::shared_ptr<Storage>& storage() const { return storage_; }
  [[nodiscard]] std::uint64_t offset() const { return offset_; }

  [[nodiscard]] const std::string& name() const {
    static const std::string& none = *new std::string;
    return name_ == nullptr ? none : *name_;
  }
  void set_name(const std::string& name) { name_ = std::make_unique<std::string>(name); }

  // Null where nothing is.
  [[nodiscard]] Recorded* recorded() const { return recorded_.get(); }
  void set_recorded(std::unique_ptr<Recorded> recorded) { recorded_ = std::move(recorded); }

 private:
  DType dtype_;
  Shape shape_;
  std::shared_ptr<Storage> storage_;
  std::uint64_t offset_;
  std::unique_ptr<std::string> name_;
  std::unique_ptr<Recorded> recorded_;
};

// Returns true if the form has the elements of the storage now. No work may be writing them.
template <class Form>
[[nodiscard]] bool is_current(const Form& form, const Storage& storage) {
  return !storage.is_exposed.load(std::memory_order_acquire) &&
         form.version == storage.version.load(std::memory_order_acquire);
}

// Storage::absence of what is computed by a graph that is being captured, and of what is by one
// that has not been replayed yet.
inline constexpr char kBeingCaptured[] =
    "a graph is being captured that computes it, and nothing is computed meanwhile; end the "
    "capture and replay the graph first";
inline constexpr char kNotReplayed[] = "the graph that computes it has not been replayed yet";
// Likewise, and its user has been told by a warning.
inline constexpr char kReadBeforeReplay[] =
    "the graph that computes it has still not been replayed";
[[nodiscard]] inline bool awaits_replay(const Storage& storage) {
  const char* absence = storage.absence.load(std::memory_order_relaxed);
  return absence == kNotReplayed || absence == kReadBeforeReplay;
}

// Waits for the work that writes it; not where that is being captured, and comes with replays.
inline void wait_unless_captured(Storage& storage) {
  if (storage.absence.load(std::memory_order_relaxed) != kBeingCaptured) storage.uses.wait();
}

// Throws Error(kInvalidArgument) if the tensor has no elements to read; `reader` is an op, or the
// user's call.
void require_elements(const TensorImpl& impl, const char* reader);
// For the user's own eyes: returns when the elements are there. What a graph has not computed yet
// may be read, though nothing is computed from it: a warning is logged, once, and the elements
// are whatever the memory holds. Throws as require_elements() does, and what the work failed with.
void await_for_user(const TensorImpl& impl, const char* reader);
// Tells captures of this thread that it reads the elements; `decides` as in
// device/capture_rules.h. One load where nothing is captured.
void note_read(const TensorImpl& impl, const char* reader, bool decides);

// Throws Error(kInvalidArgument) for a tensor of another context than the current one; `user` is
// the user's call or an op.
[[noreturn]] void refuse_other_context(const TensorImpl& impl, std::string_view user);
inline void require_current_context(const TensorImpl& impl, std::string_view user) {
  if (!impl.storage()->use.is_current()) [[unlikely]]
    refuse_other_context(impl, user);
}

// The address of the elements, after all work that uses them. For the core, which counts its
// changes; Tensor::raw_data() exposes the storage. Throws Error(kInvalidArgument) if there are
// none.
void* settled_data(const Tensor& tensor);

// Memory for one tensor, not initialised. "gpu" and a bare type are resolved. `name` is for the
// ledger, which keeps the pointer: a literal, or text that outlives the tensor. Throws
// Error(kOutOfMemory), kUnavailable for a place that is not there, kInvalidArgument for a shape
// that is not static.
Tensor make_tensor(DType dtype, const Shape& shape, const Place& place, const char* name,
                   loci_stream* stream = nullptr);

}  // namespace loci::tensor

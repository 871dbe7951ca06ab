// Several runtimes in one process: for tests, and for ranks that are threads.
//
//   loci::Context other;
//   std::thread([&] {
//     const loci::ContextGuard guard(other);
//     loci::plugins::configure(options);  // plugins of its own
//     train();                            // devices, seeds, ledger, profiler of its own
//   }).join();
//
// A context has its own plugin instances, open devices, memory, streams, global scope, random
// state, transfer ledger, timers and profiler. The process has one default context, in which every
// thread is that has no guard. Logging, configuration (environment, loci::config) and the thread
// team are the process's, and shared; a plugin's options are read when its instance is made, and
// LOCI_MEMORY_LIMIT holds for each context.
//
// Tensors, scopes, executors, streams, profilers, and programs with ops of plugins belong to the
// context that they were made in. Used in another one they throw Error(kInvalidArgument). Values go
// from one to the other by to_vector() and Tensor::from(), or by files.
#pragma once

#include <loci/export.hpp>
#include <memory>

namespace loci {
namespace core {
class Context;
}

inline namespace v0 {

// A handle: copies mean the same context. The last one that goes, guards included, waits for the
// context's work, closes its devices and destroys its plugin instances. What belongs to it ends
// before that; if something is left, an error is logged, and the context is kept until the process
// ends, so that what is left can still end. Thread-safe.
class LOCI_PUBLIC Context {
 public:
  // A new one. Cheap: what it has is made at its first use.
  Context();
  // That of the process.
  static Context default_context();
  // That of this thread.
  static Context current();

  friend bool operator==(const Context& a, const Context& b) noexcept { return a.impl_ == b.impl_; }
  friend bool operator!=(const Context& a, const Context& b) noexcept { return !(a == b); }

  explicit Context(std::shared_ptr<core::Context> impl) noexcept;
  [[nodiscard]] const std::shared_ptr<core::Context>& impl() const noexcept { return impl_; }

 private:
  std::shared_ptr<core::Context> impl_;
};

// The current thread is in that context while it lives. Nests; ends on the thread that made it.
// Other guards count in the context where they were made, but for DeviceGuard, ProgramGuard and
// TransferGuard, which count in any.
class LOCI_PUBLIC ContextGuard {
 public:
  explicit ContextGuard(const Context& context);
  ~ContextGuard();
  ContextGuard(const ContextGuard&) = delete;
  ContextGuard& operator=(const ContextGuard&) = delete;

 private:
  std::shared_ptr<core::Context> context_;
  // The context and its values that the thread had before; the destructor puts them back.
  core::Context* outer_;
  void* outer_values_;
};

}  // namespace v0
}  // namespace loci

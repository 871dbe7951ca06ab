// Prepared kernels, kept for operators alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "framework/dispatch/kernel.h"

namespace loci::dispatch {

// What the kernels of a cache may take, unless it is told otherwise: some hundred that oneDNN has
// generated code for, or tens of thousands of portable ones.
inline constexpr std::uint64_t kMostKernelBytes = std::uint64_t{64} << 20;

// By signature; of an executor, shared between its plans, or of all imperative calls. Where they
// take more than the limit, those that no plan and no thread's recent calls use any more are
// dropped, the least recently asked for first; the others live on with whoever uses them. What a
// kernel takes is what its plugin says (loci_prepared_info::memory_bytes), and what keeping it
// takes. Thread-safe. No launch asks it for anything.
class KernelCache {
 public:
  explicit KernelCache(std::uint64_t most_bytes = kMostKernelBytes) : most_bytes_(most_bytes) {}
  KernelCache(const KernelCache&) = delete;
  KernelCache& operator=(const KernelCache&) = delete;

  // Asks a kernel that has declined an operator no second time for one like it. Throws Error with
  // the op's name if it has to be prepared and that fails.
  Preparation get(const Implementation& implementation, device::Device& device, const OpDesc& op);

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::uint64_t bytes() const;

 private:
  struct Entry {
    std::string key;
    Preparation preparation;
    std::uint64_t bytes;
  };
  using Entries = std::list<Entry>;

  // Moves what has to go from entries_ to `dropped`.
  void shrink(Entries* dropped);

  std::uint64_t most_bytes_;
  mutable std::mutex mutex_;
  Entries entries_;  // the latest asked for first
  std::unordered_map<std::string_view, Entries::iterator> by_key_;
  std::uint64_t bytes_ = 0;
};

}  // namespace loci::dispatch

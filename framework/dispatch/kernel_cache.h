// Prepared kernels, kept for operators alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "framework/core/recent_map.h"
#include "framework/dispatch/kernel.h"

namespace loci::dispatch {

// Returns how much the kernels of a cache may take: LOCI_KERNEL_CACHE, else 32 MiB, enough for some
// hundred that oneDNN has generated code for, or tens of thousands of portable ones.
std::uint64_t most_kernel_bytes();

// The work that preparing kernels of one name has taken, also where they declined.
struct PreparingWork {
  std::uint64_t count = 0;
  std::uint64_t declined = 0;
  std::uint64_t nanoseconds = 0;
};

// A cache by signature, and the number of threads that loops may use: an executor's, shared by its
// plans, or of all imperative calls. Where they take more than the limit, those that no plan and no
// thread's recent calls use any more are dropped, the least recently asked for first; the others
// live on with whoever uses them. What a kernel takes is what its plugin says
// (loci_prepared_info::memory_bytes), and what keeping it takes. Thread-safe. No launch asks it for
// anything.
class KernelCache {
 public:
  explicit KernelCache(std::uint64_t most_bytes = most_kernel_bytes()) : most_bytes_(most_bytes) {}
  KernelCache(const KernelCache&) = delete;
  KernelCache& operator=(const KernelCache&) = delete;

  // Asks a kernel that has declined an operator no second time for one like it. Throws Error with
  // the op's name if it has to be prepared and that fails.
  Preparation get(const Implementation& implementation, device::Device& device, const OpDesc& op);

  // Drops the kernels of a device that nobody is given any more.
  void forget(const device::Device& device);
  // Drops what has come to be unused, where it holds more than it may.
  void trim();

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::uint64_t bytes() const;
  [[nodiscard]] bool is_over() const { return bytes() > most_bytes_; }
  [[nodiscard]] std::uint64_t most_bytes() const { return most_bytes_; }
  // Preparing work by the names of implementations, since the cache was made, with dropped kernels.
  [[nodiscard]] std::map<std::string, PreparingWork> preparing() const;

 private:
  struct Kept {
    Preparation preparation;
    std::uint64_t bytes;
    const device::Device* device;
  };
  using Entries = core::RecentMap<Kept>;

  // Moves what has to go to `dropped`.
  void shrink(Entries::Entries* dropped);

  std::uint64_t most_bytes_;
  mutable std::mutex mutex_;
  Entries entries_;
  std::uint64_t bytes_ = 0;
  std::map<std::string, PreparingWork> preparing_;
};

}  // namespace loci::dispatch

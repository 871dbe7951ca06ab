// What a Scope handle refers to.
#pragma once

#include <atomic>
#include <cstdint>
#include <loci/scope.hpp>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace loci::tensor {

// Thread-safe.
class ScopeImpl {
 public:
  ScopeImpl() = default;
  ScopeImpl(const ScopeImpl&) = delete;
  ScopeImpl& operator=(const ScopeImpl&) = delete;

  // Undefined if there is none.
  [[nodiscard]] Tensor find(std::string_view name) const;
  // Takes `tensor` itself as the storage of that name. Throws Error(kInvalidArgument) for an empty
  // name or an undefined tensor.
  void put(const std::string& name, Tensor tensor);
  // Nothing happens if there is none.
  void erase(const std::string& name);
  // Sorted.
  [[nodiscard]] std::vector<std::string> names() const;
  // Grows whenever a name is added, erased or gets another storage: addresses taken from the scope
  // are valid while it stays the same.
  [[nodiscard]] std::uint64_t version() const { return version_.load(std::memory_order_acquire); }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Tensor, std::less<>> tensors_;
  std::atomic<std::uint64_t> version_{0};
};

}  // namespace loci::tensor

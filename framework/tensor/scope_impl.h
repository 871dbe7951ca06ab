// The object that a Scope handle refers to.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <loci/scope.hpp>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "framework/core/context.h"

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
  // Put a tensor that a run has made where it needs it, or has moved there.
  void make(const std::string& name, Tensor tensor);
  void move(const std::string& name, Tensor tensor);
  // The changes that runs have made to a tensor since somebody else put it.
  struct History {
    bool made = false;
    std::size_t moves = 0;
  };
  [[nodiscard]] History history(std::string_view name) const;
  // Nothing happens if there is none.
  void erase(const std::string& name);
  // Sorted.
  [[nodiscard]] std::vector<std::string> names() const;
  // Grows whenever a name is added, erased or gets another storage: addresses taken from the scope
  // are valid while it stays the same.
  [[nodiscard]] std::uint64_t version() const { return version_.load(std::memory_order_acquire); }

  // Throws Error(kInvalidArgument) if it belongs to another one.
  void require_current_context(std::string_view user) const;

 private:
  struct Entry {
    Tensor tensor;
    History history;
  };
  // `edit` changes the entry's history.
  template <class Edit>
  void replace(const std::string& name, Tensor tensor, const Edit& edit);

  core::ContextUse use_;
  mutable std::mutex mutex_;
  std::map<std::string, Entry, std::less<>> entries_;
  std::atomic<std::uint64_t> version_{0};
};

}  // namespace loci::tensor

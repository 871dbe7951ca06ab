// Named tensors that outlive a run: parameters, statistics, captured inputs and outputs.
#pragma once

#include <loci/export.hpp>
#include <loci/tensor.hpp>
#include <memory>
#include <string>
#include <vector>

namespace loci {
namespace tensor {
class ScopeImpl;
}

inline namespace v0 {

// A handle to a set of named tensors. The storage of a tensor keeps its address until the name is
// erased or set to a tensor of another dtype, shape or place. Functions may be called from several
// threads; changing a tensor's data during a run that uses it is the user's to avoid.
class LOCI_PUBLIC Scope {
 public:
  Scope();

  // The tensor of that name; it shares the storage. Throws Error(kNotFound) with similar names.
  [[nodiscard]] Tensor find(const std::string& name) const;
  [[nodiscard]] bool has(const std::string& name) const;
  // Copies `value` into the storage of that name, wherever that is, or takes a copy as new storage
  // if there is none of that dtype and shape. Throws Error(kInvalidArgument) for an empty name or
  // an undefined tensor.
  void set(const std::string& name, const Tensor& value) const;
  void erase(const std::string& name) const;
  // All names, sorted.
  [[nodiscard]] std::vector<std::string> names() const;

  [[nodiscard]] const std::shared_ptr<tensor::ScopeImpl>& impl() const noexcept { return impl_; }

 private:
  std::shared_ptr<tensor::ScopeImpl> impl_;
};

// The scope of the current context, which executors use unless they are given one.
LOCI_PUBLIC Scope global_scope();

}  // namespace v0
}  // namespace loci

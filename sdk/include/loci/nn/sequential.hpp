// Modules one after the other.
#pragma once

#include <cstddef>
#include <loci/export.hpp>
#include <loci/nn/module.hpp>
#include <memory>
#include <string>
#include <utility>

namespace loci {
inline namespace v0 {
namespace nn {

// Each takes what the one before it gives. Their names are "0", "1", ...
class LOCI_PUBLIC Sequential : public Module {
 public:
  Sequential() = default;

  // Makes a module of type M at the end: add<nn::Linear>(64, 10).
  template <class M, class... Args>
  Sequential& add(Args&&... args) {
    return add(std::make_shared<M>(std::forward<Args>(args)...));
  }
  // Throws Error(kInvalidArgument) for a null pointer.
  Sequential& add(std::shared_ptr<Module> module);

  [[nodiscard]] std::size_t size() const noexcept { return modules_.size(); }
  // Throws Error(kInvalidArgument) for an index that is not below size().
  Module& operator[](std::size_t index) const;

  Tensor forward(const Tensor& x) override;
  [[nodiscard]] std::string type() const override { return "Sequential"; }

 private:
  std::vector<std::shared_ptr<Module>> modules_;
};

}  // namespace nn
}  // namespace v0
}  // namespace loci

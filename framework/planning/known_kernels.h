// Which ops have kernels where: what passes ask while they rewrite one program.
#pragma once

#include <loci/place.hpp>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "framework/device/backend.h"
#include "framework/passes/pass.h"

namespace loci::planning {

// Looks each question up once. One thread asks; has_changed() is for any, after that.
class KnownKernels {
 public:
  // Where operators without a guard run.
  explicit KnownKernels(Place preferred) : preferred_(std::move(preferred)) {}

  [[nodiscard]] const Place& preferred() const { return preferred_; }
  // The answers of passes::HasKernel.
  bool has(std::string_view type, DType dtype, const std::string& guard);
  // The answers of passes::IsHost.
  bool is_host(const std::string& guard) { return asked(guard).place.is_host(); }
  // True if a place that was asked about is another one by now, or has kernels of other plugins.
  [[nodiscard]] bool has_changed() const;

 private:
  using Libraries = std::vector<const device::KernelLibrary*>;
  struct Asked {
    Place place;
    Libraries libraries;
  };
  using Question = std::tuple<std::string, DType, std::string>;

  [[nodiscard]] Asked ask(const std::string& guard) const;
  const Asked& asked(const std::string& guard);

  Place preferred_;
  std::map<std::string, Asked> places_;  // by guard
  std::map<Question, bool> answers_;
};

}  // namespace loci::planning

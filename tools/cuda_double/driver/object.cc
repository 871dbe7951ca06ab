#include "tools/cuda_double/driver/object.h"

#include <fmt/format.h>

namespace loci::cuda_double {

void Registry::remove(const Object* object) {
  const auto found = alive_.find(object);
  if (found == alive_.end()) return;
  if (destroyed_.size() >= kMostDestroyed) destroyed_.clear();
  destroyed_[object] = object->kind();
  const auto last = std::move(found->second);  // its end may come back here
  alive_.erase(found);
}

void Registry::refuse(const void* handle, CUresult code, const char* wanted) {
  const auto destroyed = destroyed_.find(handle);
  if (destroyed == destroyed_.end()) {
    throw DriverError(code, fmt::format("{} is no {}", fmt::ptr(handle), wanted));
  }
  const auto text = fmt::format("a {} was used after it was destroyed", destroyed->second);
  if (findings_ != nullptr) findings_->report("handle", text);
  throw DriverError(code, text);
}

}  // namespace loci::cuda_double

// Handles of the driver stand for objects. A handle is the address of its object.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "tools/cuda_double/driver/driver_error.h"
#include "tools/cuda_double/driver/findings.h"

namespace loci::cuda_double {

class Object : public std::enable_shared_from_this<Object> {
 public:
  Object() = default;
  virtual ~Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  [[nodiscard]] virtual const char* kind() const = 0;  // "stream"
};

// The handles that are valid, and those that were until their object was destroyed: a use of one of
// these is seen until its address is another object's.
class Registry {
 public:
  explicit Registry(Findings* findings) : findings_(findings) {}  // NULL: uses are not reported

  void add(const std::shared_ptr<Object>& object) {
    destroyed_.erase(object.get());
    alive_.emplace(object.get(), object);
  }
  void remove(const Object* object);

  // Throws DriverError with the code if the handle is none of a T.
  template <typename T>
  [[nodiscard]] std::shared_ptr<T> get(const void* handle,
                                       CUresult code = CUDA_ERROR_INVALID_HANDLE) {
    auto object = std::dynamic_pointer_cast<T>(find(handle));
    if (object == nullptr) refuse(handle, code, T::kKind);
    return object;
  }
  [[nodiscard]] std::shared_ptr<Object> find(const void* handle) const {
    const auto found = alive_.find(handle);
    return found == alive_.end() ? nullptr : found->second;
  }

  template <typename T>
  [[nodiscard]] std::vector<std::shared_ptr<T>> all() const {
    std::vector<std::shared_ptr<T>> found;
    for (const auto& [handle, object] : alive_) {
      if (auto each = std::dynamic_pointer_cast<T>(object)) found.push_back(std::move(each));
    }
    return found;
  }

 private:
  static constexpr std::size_t kMostDestroyed = 100'000;
  [[noreturn]] void refuse(const void* handle, CUresult code, const char* wanted);

  Findings* findings_;
  std::unordered_map<const void*, std::shared_ptr<Object>> alive_;
  std::unordered_map<const void*, const char*> destroyed_;  // their kinds
};

}  // namespace loci::cuda_double

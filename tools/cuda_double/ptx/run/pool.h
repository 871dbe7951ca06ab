// Objects with stable addresses that are used again.
#pragma once

#include <deque>
#include <vector>

namespace loci::cuda_double {

template <class T>
class Pool {
 public:
  // Gives an object as it was given back, or a new one.
  [[nodiscard]] T* take() {
    if (unused_.empty()) return &objects_.emplace_back();
    T* object = unused_.back();
    unused_.pop_back();
    return object;
  }
  void give(T* object) { unused_.push_back(object); }

 private:
  std::deque<T> objects_;
  std::vector<T*> unused_;
};

}  // namespace loci::cuda_double

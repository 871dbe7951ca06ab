// Values of threads that destructors of statics may still use.
#pragma once

#include <utility>

namespace loci::core {

// One T for each thread, made at its first use and destroyed as the thread ends. What the thread
// does after that (its other objects' destructors, and those of statics where it ends the process)
// gets one that stays. `Tag` tells values of the same type apart.
template <class T, class Tag = T>
class PerThread {
 public:
  static T& get() {
    if (value_ == nullptr) [[unlikely]]
      make();
    return *value_;
  }

 private:
  struct Owner {
    ~Owner() {
      has_ended_ = true;
      delete std::exchange(value_, nullptr);
    }
  };

  static void make() {
    value_ = new T();
    if (has_ended_) return;
    thread_local const Owner owner;
    static_cast<void>(owner);
  }

  // Trivial to destroy, and read without the guard that an object with a destructor needs.
  static constinit inline thread_local T* value_ = nullptr;
  static constinit inline thread_local bool has_ended_ = false;
};

}  // namespace loci::core

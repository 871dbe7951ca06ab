// A list whose first elements need no allocation.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace loci {
inline namespace v0 {

// Up to N elements lie in the list itself; more of them on the heap. T can be moved without
// throwing. References to elements end with the next push_back().
template <class T, std::size_t N>
class InlineList {
  static_assert(std::is_nothrow_move_constructible_v<T>, "a list moves its elements");

 public:
  InlineList() noexcept : data_(local()) {}
  InlineList(std::initializer_list<T> values) : InlineList() {
    for (const T& value : values) push_back(value);
  }
  InlineList(const InlineList& other) : InlineList() {
    reserve(other.size_);
    for (const T& value : other) push_back(value);
  }
  InlineList(InlineList&& other) noexcept : InlineList() { take(other); }
  InlineList& operator=(InlineList&& other) noexcept {
    if (this != &other) {
      clear();
      release();
      take(other);
    }
    return *this;
  }
  InlineList& operator=(const InlineList& other) {
    if (this != &other) *this = InlineList(other);
    return *this;
  }
  ~InlineList() {
    clear();
    release();
  }

  void push_back(T value) { emplace_back(std::move(value)); }
  template <class... Args>
  T& emplace_back(Args&&... args) {
    if (size_ == capacity_) reserve(2 * capacity_);
    T* made = ::new (static_cast<void*>(data_ + size_)) T(std::forward<Args>(args)...);
    ++size_;
    return *made;
  }
  void resize(std::size_t size) {
    while (size_ > size) data_[--size_].~T();
    reserve(size);
    while (size_ < size) emplace_back();
  }
  void clear() noexcept {
    while (size_ > 0) data_[--size_].~T();
  }
  void reserve(std::size_t capacity) {
    if (capacity > capacity_) grow(capacity);
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] T* data() noexcept { return data_; }
  [[nodiscard]] const T* data() const noexcept { return data_; }
  [[nodiscard]] T* begin() noexcept { return data_; }
  [[nodiscard]] T* end() noexcept { return data_ + size_; }
  [[nodiscard]] const T* begin() const noexcept { return data_; }
  [[nodiscard]] const T* end() const noexcept { return data_ + size_; }
  T& operator[](std::size_t index) noexcept { return data_[index]; }
  const T& operator[](std::size_t index) const noexcept { return data_[index]; }
  [[nodiscard]] T& front() noexcept { return data_[0]; }
  [[nodiscard]] const T& front() const noexcept { return data_[0]; }
  [[nodiscard]] T& back() noexcept { return data_[size_ - 1]; }
  [[nodiscard]] const T& back() const noexcept { return data_[size_ - 1]; }

 private:
  T* local() noexcept { return reinterpret_cast<T*>(local_); }

  // Out of line: where it is inlined, compilers take elements that are moved out for ones that were
  // never made.
#if defined(__GNUC__)
  __attribute__((noinline))
#endif
  void
  grow(std::size_t capacity) {
    T* fresh = std::allocator<T>().allocate(capacity);
    for (std::size_t i = 0; i < size_; ++i) {
      ::new (static_cast<void*>(fresh + i)) T(std::move(data_[i]));
      data_[i].~T();
    }
    release();
    data_ = fresh;
    capacity_ = capacity;
  }
  void release() noexcept {
    if (data_ != local()) std::allocator<T>().deallocate(data_, capacity_);
    data_ = local();
    capacity_ = N;
  }
  // Takes the elements of `other`, which is empty then. This list has none before.
  void take(InlineList& other) noexcept {
    if (other.data_ != other.local()) {
      data_ = std::exchange(other.data_, other.local());
      capacity_ = std::exchange(other.capacity_, N);
      size_ = std::exchange(other.size_, 0);
      return;
    }
    for (T& value : other) emplace_back(std::move(value));
    other.clear();
  }

  alignas(T) unsigned char local_[N * sizeof(T)];
  T* data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = N;
};

}  // namespace v0
}  // namespace loci

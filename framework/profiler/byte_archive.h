// Numbers, texts and arrays as bytes. What is written is given member by member to a function
// fields(archive, object), which serves both directions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "framework/core/file_error.h"

namespace loci::profiler {

class ByteWriter {
 public:
  template <class... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  template <class T>
  void put(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      bytes_.push_back(value ? '\1' : '\0');
    } else if constexpr (std::is_arithmetic_v<T>) {
      bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    } else {
      fields(*this, value);
    }
  }
  template <class T, std::size_t N>
  void put(const T (&values)[N]) {
    for (const T& value : values) put(value);
  }
  void put(const std::string& text) {
    put(static_cast<std::uint32_t>(text.size()));
    bytes_ += text;
  }
  template <class T>
  void put(const std::vector<T>& values) {
    put(std::uint64_t{values.size()});
    for (const T& value : values) put(value);
  }

  std::string bytes_;
};

// Returns the least number of bytes that a T takes.
template <class T>
std::size_t least_bytes() {
  static const std::size_t size = [] {
    ByteWriter writer;
    writer(T{});
    return writer.bytes().size();
  }();
  return size;
}

// Throws Error(kDataLoss) with the file, the section and the position where it holds too little.
// No more memory is taken than a small multiple of the bytes that are there.
class ByteReader {
 public:
  ByteReader(const std::string& file, std::string_view section, std::string_view bytes)
      : file_(file), section_(section), bytes_(bytes) {}

  template <class... T>
  void operator()(T&... values) {
    (get(values), ...);
  }
  // Everything has been read.
  void expect_end() const {
    if (position_ == bytes_.size()) return;
    core::refuse(file_, section_, "{} bytes more than its content takes; the file is damaged",
                 bytes_.size() - position_);
  }

 private:
  template <class T>
  void get(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      value = read_bool();
    } else if constexpr (std::is_arithmetic_v<T>) {
      std::memcpy(&value, take(sizeof value).data(), sizeof value);
    } else {
      fields(*this, value);
    }
  }
  template <class T, std::size_t N>
  void get(T (&values)[N]) {
    for (T& value : values) get(value);
  }
  void get(std::string& text) {
    std::uint32_t size = 0;
    get(size);
    text = take(size);
  }
  template <class T>
  void get(std::vector<T>& values) {
    std::uint64_t count = 0;
    get(count);
    const std::size_t left = bytes_.size() - position_;
    if (count > left / least_bytes<T>()) {
      core::refuse(file_, section_,
                   "byte {}: an array of {} elements, but only {} bytes are left; the file is "
                   "damaged",
                   position_, count, left);
    }
    values.resize(count);
    for (T& value : values) get(value);
  }

  bool read_bool() {
    const char byte = take(1).front();
    if (byte != '\0' && byte != '\1') {
      core::refuse(file_, section_, "byte {}: {} is neither 0 nor 1; the file is damaged",
                   position_ - 1, static_cast<int>(byte));
    }
    return byte != '\0';
  }

  std::string_view take(std::size_t size) {
    const std::size_t left = bytes_.size() - position_;
    if (size > left) {
      core::refuse(file_, section_, "byte {}: needs {} bytes, {} are left; the file is damaged",
                   position_, size, left);
    }
    position_ += size;
    return bytes_.substr(position_ - size, size);
  }

  const std::string& file_;
  const std::string_view section_;
  const std::string_view bytes_;
  std::size_t position_ = 0;
};

}  // namespace loci::profiler

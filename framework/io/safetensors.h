// safetensors files, for those who want less or more than the whole of one.
#pragma once

#include <cstdint>
#include <loci/io.hpp>
#include <string>
#include <vector>

#include "framework/core/atomic_file.h"
#include "framework/core/input_file.h"
#include "framework/io/safetensors_header.h"

namespace loci {
inline namespace v0 {
namespace io {

// An open file whose header has been read and checked against the file's size.
class SafetensorsFile {
 public:
  // Throws Error(kNotFound, kDataLoss, kFailed).
  explicit SafetensorsFile(const std::string& path);

  // In the order of their bytes.
  [[nodiscard]] const std::vector<SafetensorsEntry>& entries() const { return entries_; }
  // Reads one tensor into memory of its own.
  [[nodiscard]] Tensor load(const SafetensorsEntry& entry) const;
  [[nodiscard]] NamedTensors load_all() const;

 private:
  core::InputFile file_;
  std::uint64_t data_offset_ = 0;
  std::vector<SafetensorsEntry> entries_;
};

// What will be in a file, checked before the file is made. Refers to the tensors.
class SafetensorsImage {
 public:
  // Throws Error(kInvalidArgument) for an undefined tensor or a name that cannot be written. `path`
  // is for messages.
  SafetensorsImage(const NamedTensors& tensors, const std::string& path);

  void write(core::AtomicFile& file) const;

 private:
  const NamedTensors& tensors_;
  std::vector<SafetensorsEntry> entries_;
  std::string preamble_;
};

}  // namespace io
}  // namespace v0
}  // namespace loci

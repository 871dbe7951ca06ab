// safetensors files, for those who want less or more than the whole of one.
#pragma once

#include <cstdint>
#include <functional>
#include <loci/io.hpp>
#include <string>
#include <vector>

#include "framework/core/digest.h"
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
  [[nodiscard]] const std::string& path() const { return file_.path(); }
  [[nodiscard]] std::uint64_t bytes() const { return file_.size(); }
  // The digest of all that lies before the tensors' bytes.
  [[nodiscard]] std::uint64_t header_digest() const { return header_.value(); }
  // Reads one tensor into memory of its own.
  [[nodiscard]] Tensor load(const SafetensorsEntry& entry) const;
  // Gives the digest of the whole file where it is asked for.
  [[nodiscard]] NamedTensors load_all(std::uint64_t* digest = nullptr) const;

 private:
  core::InputFile file_;
  core::Digest header_;
  std::uint64_t data_offset_ = 0;
  std::vector<SafetensorsEntry> entries_;
};

// The content of a file to be, checked before the file is made. Refers to the tensors.
class SafetensorsImage {
 public:
  // Throws Error(kInvalidArgument) for an undefined tensor or a name that cannot be written. `path`
  // is for messages.
  SafetensorsImage(const NamedTensors& tensors, const std::string& path);

  // Calls visit(data, bytes) for the file's parts one after the other, for as long as it returns
  // true. Whether it always did.
  bool visit(const std::function<bool(const void*, std::uint64_t)>& visit) const;
  // Into any kind of file of core.
  template <class File>
  void write(File& file) const {
    visit([&](const void* data, std::uint64_t bytes) {
      file.write(data, bytes);
      return true;
    });
  }

  // The size of the whole file.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  // The digest of all that lies before the tensors' bytes.
  [[nodiscard]] std::uint64_t header_digest() const { return core::digest_of(preamble_); }

 private:
  const NamedTensors& tensors_;
  std::vector<SafetensorsEntry> entries_;
  std::string preamble_;
  std::uint64_t bytes_ = 0;
};

}  // namespace io
}  // namespace v0
}  // namespace loci

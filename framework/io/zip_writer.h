// Writing a zip archive whose members are stored as they are.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "framework/core/atomic_file.h"

namespace loci {
inline namespace v0 {
namespace io {

// Into a file of its own, with zip64 where sizes ask for it, and without times, so that the same
// members make the same bytes. Functions throw what AtomicFile throws.
class ZipWriter {
 public:
  explicit ZipWriter(core::AtomicFile& file, const std::string& path);
  ~ZipWriter();
  ZipWriter(const ZipWriter&) = delete;
  ZipWriter& operator=(const ZipWriter&) = delete;

  // `bytes` of content follow, by write(). Throws Error(kInvalidArgument) for a name that cannot be
  // written.
  void add(const std::string& name, std::uint64_t bytes);
  void write(const void* data, std::uint64_t bytes);
  // After the last member. The file is the caller's to commit.
  void finish();

 private:
  struct Archive;
  class Output;

  void end_member();

  std::unique_ptr<Archive> archive_;
  bool has_member_ = false;
};

}  // namespace io
}  // namespace v0
}  // namespace loci

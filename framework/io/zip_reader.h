// Reading the members of a zip archive that may be damaged or made to harm.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace loci {
inline namespace v0 {
namespace io {

struct ZipMember {
  std::string name;                // valid UTF-8, a name and never a path; no two are the same
  std::uint64_t bytes = 0;         // once unpacked, as the archive says
  std::uint64_t stored_bytes = 0;  // in the archive
  // Where the archive's directory lists it.
  std::uint64_t directory_offset = 0;
  std::uint64_t number = 0;
};

// Members are stored or deflated, with zip64 where they are large. Used by one thread at a time.
// Functions throw Error(kDataLoss) with the file, the member and the reason, and what InputFile
// throws.
class ZipReader {
 public:
  // Reads the directory. Refuses what cannot be true before any memory is asked for it: members
  // that together are larger than the file, and sizes that deflate cannot reach.
  explicit ZipReader(const std::string& path);
  ~ZipReader();
  ZipReader(const ZipReader&) = delete;
  ZipReader& operator=(const ZipReader&) = delete;

  [[nodiscard]] const std::string& path() const;
  [[nodiscard]] const std::vector<ZipMember>& members() const { return members_; }
  // "<file>: member 'x.npy'", for messages.
  [[nodiscard]] std::string describe(const ZipMember& member) const;

  // Begins to read that member, from its first byte.
  void open(const ZipMember& member);
  // The next bytes of the member, for `field` of it.
  void read(void* into, std::uint64_t bytes, const char* field);
  // Once all of the member's bytes have been read: compares them with their checksum.
  void finish();

 private:
  struct Archive;
  class Input;

  void read_directory();
  [[nodiscard]] ZipMember read_entry();

  std::unique_ptr<Archive> archive_;
  std::vector<ZipMember> members_;
  const ZipMember* open_ = nullptr;
};

}  // namespace io
}  // namespace v0
}  // namespace loci

// A file whose name the user did not give.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "framework/core/output_file.h"

namespace loci::core {

// New, in $TMPDIR or else /tmp, under a name that nobody can foresee, and for this user alone. All
// functions throw Error(kFailed) with the file and the system's reason.
class PrivateFile {
 public:
  // The name is `prefix`, six characters and `suffix`.
  PrivateFile(std::string_view prefix, std::string_view suffix);
  // Removes it unless keep() was called.
  ~PrivateFile();
  PrivateFile(const PrivateFile&) = delete;
  PrivateFile& operator=(const PrivateFile&) = delete;

  [[nodiscard]] const std::string& path() const { return file_.name(); }
  void write(const void* data, std::uint64_t bytes) { file_.write(data, bytes); }
  // Brings all bytes to the disk.
  void keep();

 private:
  struct Made {
    std::string path;
    int descriptor = -1;
  };
  static Made made(std::string_view prefix, std::string_view suffix);
  explicit PrivateFile(const Made& made);

  OutputFile file_;
  bool kept_ = false;
};

}  // namespace loci::core

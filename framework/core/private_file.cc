#include "framework/core/private_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "framework/core/file_error.h"

namespace loci::core {
namespace {

std::string temporary_directory() {
  // Not the environment's of whoever started a program with privileges.
  const char* given = ::secure_getenv("TMPDIR");
  return given != nullptr && given[0] == '/' ? given : "/tmp";
}

}  // namespace

PrivateFile::PrivateFile(std::string_view prefix, std::string_view suffix)
    : PrivateFile(made(prefix, suffix)) {}

PrivateFile::PrivateFile(const Made& made) : file_(made.descriptor, made.path) {}

PrivateFile::Made PrivateFile::made(std::string_view prefix, std::string_view suffix) {
  Made file;
  file.path = fmt::format("{}/{}XXXXXX{}", temporary_directory(), prefix, suffix);
  // mkostemps() gives the file mode 0600, and fails if it is there already.
  file.descriptor = ::mkostemps(file.path.data(), static_cast<int>(suffix.size()), O_CLOEXEC);
  if (file.descriptor < 0) raise_system_error(file.path, "create", errno);
  return file;
}

PrivateFile::~PrivateFile() {
  if (!kept_) ::unlink(path().c_str());
}

void PrivateFile::keep() {
  file_.sync();
  sync_directory(directory_of(path()));
  kept_ = true;
}

}  // namespace loci::core

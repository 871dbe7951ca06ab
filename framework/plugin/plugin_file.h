// The file of a plugin, opened once.
#pragma once

#include <sys/stat.h>

#include <string>

namespace loci::plugin {

// Ensures that the file read through the descriptor is the one mapped later. The dynamic linker
// takes a path, not a descriptor: a descriptor's path would be the plugin's name for debuggers and
// $ORIGIN to its dependencies. So the path is held to what was checked, in two ways. Who is neither
// root nor the user cannot change it, as no directory on the way lets them (permissions.h). What
// those two change, by an update in the middle of a start, is seen by require_unchanged().
class PluginFile {
 public:
  // `path` is absolute and without links. Checks the directories above it and the file. Throws
  // LoadError as permissions.h says, and for what cannot be opened or is not a regular file.
  explicit PluginFile(const std::string& path);
  ~PluginFile();
  PluginFile(const PluginFile&) = delete;
  PluginFile& operator=(const PluginFile&) = delete;

  // Until close().
  [[nodiscard]] int descriptor() const { return descriptor_; }
  // Closes the descriptor once all is read. A plugin may wait for its first use as long as the
  // process lives, and an application that becomes a daemon closes what it does not know.
  void close() noexcept;

  // Throws LoadError(kFailed) if the path leads to another file by now, or this one has changed;
  // kPermissionDenied if others could change either.
  void require_unchanged() const;

 private:
  std::string path_;
  int descriptor_;
  struct stat status_ {};
};

}  // namespace loci::plugin

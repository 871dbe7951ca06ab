// Who could have put a plugin there.
#pragma once

#include <sys/stat.h>

#include <string>

namespace loci::plugin {

// Code of a plugin runs with the rights of this process, so its file and folder may be writable by
// the user and root only. Throws LoadError(kPermissionDenied) if the file or directory is owned by
// neither, writable by all, or writable by a group other than the owner's private one (named as the
// owner and without other members); kNotFound if it is not there.
void check_permissions(const std::string& path);

// The rule itself, for a process of the effective user `user`.
void check_ownership(const struct stat& status, const std::string& path, uid_t user);

}  // namespace loci::plugin

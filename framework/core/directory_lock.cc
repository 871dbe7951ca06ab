#include "framework/core/directory_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <thread>

#include "framework/core/file_error.h"

namespace loci::core {
namespace {

// The magic numbers of file systems that other hosts may write to, from linux/magic.h and their own
// sources: NFS, SMB, SMB2, CIFS, AFS, Ceph, 9P, FUSE, Lustre, GPFS, OCFS2, GFS2.
constexpr std::array<std::uint32_t, 12> kShared = {0x6969,     0x517B,     0xFE534D42, 0xFF534D42,
                                                   0x5346414F, 0x00C36400, 0x01021997, 0x65735546,
                                                   0x0BD00BD0, 0x47504653, 0x7461636F, 0x01161970};

bool is_shared(int descriptor) {
  struct statfs status {};
  if (::fstatfs(descriptor, &status) != 0) return true;
  const auto kind = static_cast<std::uint32_t>(status.f_type);
  return std::find(kShared.begin(), kShared.end(), kind) != kShared.end();
}

}  // namespace

DirectoryLock::DirectoryLock(const std::string& directory, std::chrono::milliseconds limit)
    : descriptor_(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  // One may write into a directory that one may not read.
  if (descriptor_ < 0 && errno == EACCES) return;
  if (descriptor_ < 0) raise_system_error(directory, "open", errno);
  if (is_shared(descriptor_)) return;
  constexpr std::chrono::milliseconds kPause(5);
  const auto end = std::chrono::steady_clock::now() + limit;
  while (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    if (error != EWOULDBLOCK && error != EINTR) return;
    if (std::chrono::steady_clock::now() >= end) {
      ::close(descriptor_);
      raise_file_error(ErrorCode::kFailed, directory, "lock",
                       "another process or thread has been saving here for {} s; end it, or give "
                       "another directory",
                       std::chrono::duration_cast<std::chrono::seconds>(limit).count());
    }
    std::this_thread::sleep_for(kPause);
  }
  is_held_ = true;
}

DirectoryLock::~DirectoryLock() {
  if (descriptor_ < 0) return;
  // Said, because a process that was forked meanwhile has the descriptor, too.
  if (is_held_) ::flock(descriptor_, LOCK_UN);
  ::close(descriptor_);
}

}  // namespace loci::core

#include "framework/core/temporary_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <utility>

#include "framework/core/digest.h"
#include "framework/core/file_error.h"

namespace loci::core {
namespace {

constexpr std::string_view kPrefix = ".loci-";
constexpr std::string_view kSuffix = ".tmp";
constexpr time_t kAbandonedAfter = time_t{24} * 60 * 60;
// The most entries of a directory that are read, so that saving into a large one is quick.
constexpr int kMostEntries = 20'000;

// Returns what identifies this run of the kernel, the same in all containers; empty if the kernel
// does not say.
std::string kernel_key() {
  static const std::string& key = *new std::string([] {
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string id;
    if (!(file >> id)) return std::string();
    return fmt::format("{:08x}", digest_of(id) & 0xffffffffU);
  }());
  return key;
}

std::uint64_t random_number() {
  static std::atomic<std::uint64_t> next{0};
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, GRND_NONBLOCK) == sizeof number) return number;
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return digest_of(fmt::format("{} {} {}", ::getpid(), now, next.fetch_add(1)));
}

// Not made of the target's name, which may be as long as a name can be.
std::string temporary_name(bool has_lock) {
  const std::string kernel = kernel_key();
  // The name of a file without a lock has no key of the kernel, so that its age decides.
  const bool is_known = has_lock && !kernel.empty();
  return fmt::format("{}{}-{:016x}{}", kPrefix, is_known ? kernel : "unknown", random_number(),
                     kSuffix);
}

bool is_temporary_name(std::string_view name) {
  return name.size() > kPrefix.size() + kSuffix.size() &&
         name.substr(0, kPrefix.size()) == kPrefix &&
         name.substr(name.size() - kSuffix.size()) == kSuffix;
}

bool is_of_this_kernel(std::string_view name) {
  const std::string kernel = kernel_key();
  return !kernel.empty() && name.substr(kPrefix.size(), kernel.size() + 1) == kernel + "-";
}

enum class Locked { kYes, kByAnother, kCannot };

Locked lock(int descriptor) {
  int result = 0;
  do {
    result = ::flock(descriptor, LOCK_EX | LOCK_NB);
  } while (result != 0 && errno == EINTR);
  if (result == 0) return Locked::kYes;
  return errno == EWOULDBLOCK ? Locked::kByAnother : Locked::kCannot;
}

bool is_same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

// Returns true if nobody writes the file any more. Where a lock does not tell, its age does.
bool is_abandoned(const char* name, int descriptor, const struct stat& status, time_t now) {
  const bool is_old = now - status.st_mtim.tv_sec > kAbandonedAfter;
  if (!is_old && !is_of_this_kernel(name)) return false;
  const Locked locked = lock(descriptor);
  return locked == Locked::kYes || (locked == Locked::kCannot && is_old);
}

void remove_if_abandoned(int directory, const char* name, time_t now) {
  const Descriptor file(
      ::openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  struct stat status {};
  if (file.number() < 0 || ::fstat(file.number(), &status) != 0) return;
  if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid()) return;
  if (!is_abandoned(name, file.number(), status, now)) return;
  struct stat named {};
  if (::fstatat(directory, name, &named, AT_SYMLINK_NOFOLLOW) != 0) return;
  if (is_same_file(named, status)) ::unlinkat(directory, name, 0);
}

// Whatever cannot be removed stays: nobody asked for it.
void remove_abandoned(const std::string& path, const std::string& own, time_t now) {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(path.c_str()), ::closedir);
  if (directory == nullptr) return;
  for (int i = 0; i < kMostEntries; ++i) {
    const dirent* entry = ::readdir(directory.get());
    if (entry == nullptr) return;
    if (!is_temporary_name(entry->d_name) || path + "/" + entry->d_name == own) continue;
    remove_if_abandoned(::dirfd(directory.get()), entry->d_name, now);
  }
}

// Returns true if a new file is still there: it had no lock for a moment, in which another process
// could take it for an abandoned one.
bool is_kept(const std::string& path, Locked locked, time_t& made_at) {
  struct stat status {};
  if (locked == Locked::kByAnother || ::lstat(path.c_str(), &status) != 0) return false;
  made_at = status.st_mtim.tv_sec;
  return true;
}

}  // namespace

TemporaryFile::Opened TemporaryFile::open_new(const std::string& directory, mode_t mode,
                                              const std::string& target) {
  constexpr int kMostAttempts = 100;
  Opened file;
  bool has_lock = true;
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    file.path = directory + "/" + temporary_name(has_lock);
    file.descriptor = ::open(file.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (file.descriptor < 0 && errno == EEXIST) continue;
    if (file.descriptor < 0) raise_system_error(target, "create", errno);
    const Locked locked = lock(file.descriptor);
    const bool is_named_for_it = (locked != Locked::kCannot) || !has_lock;
    if (is_named_for_it && is_kept(file.path, locked, file.made_at)) return file;
    has_lock = locked != Locked::kCannot;
    ::unlink(file.path.c_str());
    ::close(file.descriptor);
  }
  raise_file_error(ErrorCode::kFailed, target, "create",
                   "{} temporary files were removed at once; let nothing else remove files there",
                   kMostAttempts);
}

TemporaryFile::TemporaryFile(const std::string& directory, mode_t mode, const std::string& target)
    : TemporaryFile(open_new(directory, mode, target), target) {
  remove_abandoned(directory, path_, made_at_);
}

TemporaryFile::TemporaryFile(const Opened& file, const std::string& target)
    : path_(file.path), made_at_(file.made_at), file_(file.descriptor, target) {}

TemporaryFile::~TemporaryFile() {
  if (!renamed_) ::unlink(path_.c_str());
}

void TemporaryFile::set_mode(mode_t mode) {
  if (::fchmod(file_.descriptor(), mode) != 0) {
    raise_system_error(file_.name(), "permissions", errno);
  }
}

void TemporaryFile::rename_to(const std::string& target) {
  if (std::rename(path_.c_str(), target.c_str()) != 0) {
    raise_system_error(target, "replace", errno);
  }
  renamed_ = true;
}

}  // namespace loci::core

#include "tests/support/file_faults.h"

#include <dlfcn.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <utility>

// The headers that declare these calls stay out: they say more of each, and differ in what.
using Mode = unsigned;
using Offset = long;
struct iovec;
struct stat;
struct statfs;
struct dirent;
struct __dirstream;

namespace loci::test {
namespace {

thread_local FileFaults* armed = nullptr;

// Returns true if the call fails, with errno set.
bool fails(const char* name) {
  FileFaults* const faults = FileFaults::current();
  if (faults == nullptr || !faults->strikes(name)) return false;
  if (faults->fault().kind == FaultKind::kExitBefore) std::_Exit(kFaultExit);
  return faults->fault().kind == FaultKind::kError;
}

// Returns true if the last call that struck is one after which the process ends.
bool ends_after(const char* name) {
  const FileFaults* const faults = FileFaults::current();
  return faults != nullptr && faults->fault().kind == FaultKind::kExitAfter &&
         faults->calls() == faults->fault().at + 1 && faults->hit() == name;
}

template <class Result, class... Args>
Result real(const char* name, Args... args) {
  using Function = Result (*)(Args...);
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name))(args...);
}

template <class Result, class... Args>
Result call(const char* name, Result failure, Args... args) {
  if (fails(name)) {
    errno = FileFaults::current()->fault().error;
    return failure;
  }
  const Result result = real<Result>(name, args...);
  if (ends_after(name)) std::_Exit(kFaultExit);
  return result;
}

}  // namespace

FileFaults::FileFaults(FileFault fault) : fault_(std::move(fault)) { armed = this; }
FileFaults::FileFaults(std::function<void(const std::string&)> before)
    : before_(std::move(before)) {
  armed = this;
}
FileFaults::~FileFaults() { armed = nullptr; }
FileFaults* FileFaults::current() { return armed; }

bool FileFaults::strikes(const char* call) {
  if (before_) {
    armed = nullptr;
    before_(call);
    armed = this;
  }
  if (!fault_.only.empty() && fault_.only != call) return false;
  if (calls_++ != fault_.at) return false;
  hit_ = call;
  return true;
}

}  // namespace loci::test

using loci::test::call;

extern "C" {

int open(const char* path, int flags, Mode mode) { return call("open", -1, path, flags, mode); }
int open64(const char* path, int flags, Mode mode) { return call("open", -1, path, flags, mode); }
int openat(int at, const char* path, int flags, Mode mode) {
  return call("openat", -1, at, path, flags, mode);
}
int openat64(int at, const char* path, int flags, Mode mode) {
  return call("openat", -1, at, path, flags, mode);
}
int fcntl(int file, int command, void* argument) {
  return call("fcntl", -1, file, command, argument);
}
int fcntl64(int file, int command, void* argument) {
  return call("fcntl", -1, file, command, argument);
}
Offset read(int file, void* into, std::size_t bytes) {
  return call("read", Offset{-1}, file, into, bytes);
}
Offset pread(int file, void* into, std::size_t bytes, Offset offset) {
  return call("pread", Offset{-1}, file, into, bytes, offset);
}
Offset pread64(int file, void* into, std::size_t bytes, Offset offset) {
  return call("pread", Offset{-1}, file, into, bytes, offset);
}
Offset write(int file, const void* from, std::size_t bytes) {
  const loci::test::FileFaults* const faults = loci::test::FileFaults::current();
  const int before = faults == nullptr ? 0 : faults->calls();
  const bool is_next = faults != nullptr && faults->fault().kind == loci::test::FaultKind::kHalf &&
                       before == faults->fault().at;
  return call("write", Offset{-1}, file, from, is_next ? (bytes + 1) / 2 : bytes);
}
Offset writev(int file, const iovec* from, int count) {
  return call("writev", Offset{-1}, file, from, count);
}
int fsync(int file) { return call("fsync", -1, file); }
int fdatasync(int file) { return call("fdatasync", -1, file); }
int ftruncate(int file, Offset bytes) { return call("ftruncate", -1, file, bytes); }
int ftruncate64(int file, Offset bytes) { return call("ftruncate", -1, file, bytes); }
int fchmod(int file, Mode mode) { return call("fchmod", -1, file, mode); }
int flock(int file, int operation) { return call("flock", -1, file, operation); }
int rename(const char* from, const char* to) { return call("rename", -1, from, to); }
int unlink(const char* path) { return call("unlink", -1, path); }
int unlinkat(int at, const char* path, int flags) { return call("unlinkat", -1, at, path, flags); }
int remove(const char* path) { return call("remove", -1, path); }
int mkdir(const char* path, Mode mode) { return call("mkdir", -1, path, mode); }
int stat(const char* path, struct stat* into) { return call("stat", -1, path, into); }
int lstat(const char* path, struct stat* into) { return call("lstat", -1, path, into); }
int fstat(int file, struct stat* into) { return call("fstat", -1, file, into); }
int fstatat(int at, const char* path, struct stat* into, int flags) {
  return call("fstatat", -1, at, path, into, flags);
}
int fstatfs(int file, struct statfs* into) { return call("fstatfs", -1, file, into); }
__dirstream* opendir(const char* path) {
  return call("opendir", static_cast<__dirstream*>(nullptr), path);
}
dirent* readdir(__dirstream* directory) {
  return call("readdir", static_cast<dirent*>(nullptr), directory);
}
void* mmap(void* at, std::size_t bytes, int protection, int flags, int file, Offset offset) {
  // MAP_FAILED
  return call("mmap", reinterpret_cast<void*>(Offset{-1}), at, bytes, protection, flags, file,
              offset);
}
int close(int file) {
  if (!loci::test::fails("close")) {
    const int result = loci::test::real<int>("close", file);
    if (loci::test::ends_after("close")) std::_Exit(loci::test::kFaultExit);
    return result;
  }
  loci::test::real<int>("close", file);
  errno = loci::test::FileFaults::current()->fault().error;
  return -1;
}

}  // extern "C"

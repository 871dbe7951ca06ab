#include "chain_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

#include "fnv.h"

namespace loci::cuda {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".ptx";
constexpr std::uint64_t kMostFileBytes = std::uint64_t{8} << 20;
// Temporary files of writers that were killed stay for so long.
constexpr auto kTemporaryStays = std::chrono::hours(1);

// A file begins with this; the key and the text follow.
struct Heading {
  std::array<char, 8> form;
  std::uint64_t digest;  // of the two
  std::uint64_t key_bytes;
  std::uint64_t text_bytes;
};

constexpr std::array<char, 8> kForm = {'l', 'o', 'c', 'i', 'p', 't', 'x', '1'};

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  [[nodiscard]] int number() const { return descriptor_; }
  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }

 private:
  int descriptor_;
};

// Returns true if it is a file that nobody but this user has written.
bool is_trusted(const struct stat& status) {
  return S_ISREG(status.st_mode) && status.st_uid == ::geteuid() &&
         (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

std::optional<std::string> read_all(int descriptor, std::size_t bytes) {
  std::string text(bytes, '\0');
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t count = ::read(descriptor, text.data() + done, bytes - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    done += static_cast<std::size_t>(count);
  }
  return text;
}

// A file that is read is a file that is used.
std::optional<std::string> read_file(const std::string& path) {
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (!file.is_open() || ::fstat(file.number(), &status) != 0) return std::nullopt;
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  if (!is_trusted(status) || bytes > kMostFileBytes) return std::nullopt;
  ::futimens(file.number(), nullptr);
  return read_all(file.number(), bytes);
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

// For the user alone; it takes the name in one step when all of it is on the disk. False with errno
// set.
bool replace_file(const std::string& path, const std::string& text) {
  std::string temporary = path + ".XXXXXX";
  bool written = false;
  {
    const File file(::mkostemp(temporary.data(), O_CLOEXEC));
    if (!file.is_open()) return false;
    written = write_all(file.number(), text) && ::fsync(file.number()) == 0;
  }
  if (written && ::rename(temporary.c_str(), path.c_str()) == 0) return true;
  const int cause = errno;
  ::unlink(temporary.c_str());
  errno = cause;
  return false;
}

std::string content_of(const std::string& key, const std::string& text) {
  const Heading heading{kForm, fnv1a(text, fnv1a(key)), key.size(), text.size()};
  std::string content(sizeof heading, '\0');
  std::memcpy(content.data(), &heading, sizeof heading);
  return content + key + text;
}

struct KeptFile {
  fs::file_time_type used;
  std::uint64_t bytes;
  fs::path path;
};

// Another process may remove them meanwhile.
std::vector<KeptFile> files_in(const std::string& directory) {
  std::vector<KeptFile> files;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code gone;
    const fs::file_time_type used = entry->last_write_time(gone);
    if (gone || !entry->is_regular_file(gone)) continue;
    files.push_back({used, entry->file_size(gone), entry->path()});
    if (gone) files.pop_back();
  }
  return files;
}

}  // namespace

std::string ChainStore::directory_of_user() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && cache[0] == '/') return std::string(cache) + "/loci/cuda";
  const char* home = std::getenv("HOME");
  if (home != nullptr && home[0] == '/') return std::string(home) + "/.cache/loci/cuda";
  return {};
}

std::string ChainStore::path_of(const std::string& name, const std::string& key) const {
  constexpr std::size_t kMostName = 200;  // a file name has 255 bytes
  std::array<char, 17> digest{};
  std::snprintf(digest.data(), digest.size(), "%016llx",
                static_cast<unsigned long long>(fnv1a(key)));
  return directory_ + "/" + name.substr(0, kMostName) + "-" + digest.data() + std::string(kSuffix);
}

std::optional<std::string> ChainStore::find(const std::string& name, const std::string& key) const {
  if (directory_.empty()) return std::nullopt;
  const std::optional<std::string> content = read_file(path_of(name, key));
  Heading heading{};
  if (!content || content->size() < sizeof heading) return std::nullopt;
  std::memcpy(&heading, content->data(), sizeof heading);
  if (heading.form != kForm || heading.key_bytes != key.size()) return std::nullopt;
  const std::string_view rest = std::string_view(*content).substr(sizeof heading);
  if (rest.substr(0, key.size()) != key) return std::nullopt;
  const std::string_view text = rest.substr(key.size());
  if (text.size() != heading.text_bytes || fnv1a(rest) != heading.digest) return std::nullopt;
  return std::string(text);
}

std::string ChainStore::keep(const std::string& name, const std::string& key,
                             const std::string& text) const {
  if (directory_.empty()) return {};
  std::error_code error;
  fs::create_directories(directory_, error);
  if (error) return "making " + directory_ + ": " + error.message();
  const std::string path = path_of(name, key);
  if (!replace_file(path, content_of(key, text))) {
    return "writing " + path + ": " + std::generic_category().message(errno);
  }
  remove_oldest();
  return {};
}

void ChainStore::remove_oldest() const {
  std::vector<KeptFile> files = files_in(directory_);
  std::sort(files.begin(), files.end(),
            [](const KeptFile& x, const KeptFile& y) { return x.used > y.used; });
  const auto now = fs::file_time_type::clock::now();
  std::uint64_t kept = 0;
  for (const KeptFile& file : files) {
    const bool is_whole = file.path.extension() == kSuffix;
    kept += file.bytes;
    std::error_code ignored;
    const bool stays = is_whole ? kept <= most_bytes_ : now - file.used < kTemporaryStays;
    if (!stays) fs::remove(file.path, ignored);
  }
}

}  // namespace loci::cuda

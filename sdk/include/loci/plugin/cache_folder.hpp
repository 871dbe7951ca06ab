// Files that keep between runs what takes long to find out.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace loci::sdk {

// FNV-1a of 64 bits. `before` is the digest of what comes before.
constexpr std::uint64_t cache_digest(std::string_view text,
                                     std::uint64_t before = 0xcbf29ce484222325U) {
  for (const char c : text) before = (before ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return before;
}

// The limits of a folder.
struct CacheRules {
  std::string form;  // a word for how contents are written; files of another one count for nothing
  std::string suffix;            // ends the files' names: ".ptx"
  std::uint64_t file_bytes = 0;  // a larger file counts for nothing
  std::uint64_t folder_bytes =
      0;  // all files have together; those go that were not used for longest
  std::size_t files = std::numeric_limits<std::size_t>::max();
  std::chrono::seconds unused = std::chrono::hours(365 * 24);  // after which a file goes
};

// A folder of such files, which threads and processes may use at once. A file has a title, for
// people, and a key: all that the content hangs on. It begins with a line of its form, a digest and
// the length of the key. One that is damaged, cut short, of another form or key, another user's,
// open to others' writing, or no file at all, counts for nothing and is replaced.
class CacheFolder {
 public:
  // Nothing is kept without a path.
  CacheFolder(std::string path, CacheRules rules)
      : path_(std::move(path)), rules_(std::move(rules)) {}

  // $XDG_CACHE_HOME/loci/<name>, else ~/.cache/loci/<name>; empty if neither can be told.
  static std::string of_user(const std::string& name) {
    const char* cache = std::getenv("XDG_CACHE_HOME");
    if (cache != nullptr && *cache == '/') return std::string(cache) + "/loci/" + name;
    const char* home = std::getenv("HOME");
    return home != nullptr && *home == '/' ? std::string(home) + "/.cache/loci/" + name : "";
  }

  [[nodiscard]] bool keeps() const { return !path_.empty(); }

  // A file that is found counts as used.
  [[nodiscard]] std::optional<std::string> find(std::string_view title,
                                                std::string_view key) const {
    if (!keeps()) return std::nullopt;
    std::optional<std::string> text = read(path_of(title, key));
    if (!text) return std::nullopt;
    const std::size_t line = text->find('\n');
    if (line == std::string::npos) return std::nullopt;
    const std::string_view rest = std::string_view(*text).substr(line + 1);
    if (rest.substr(0, key.size()) != key) return std::nullopt;
    if (std::string_view(*text).substr(0, line + 1) != heading(key, rest)) return std::nullopt;
    return std::string(rest.substr(key.size()));
  }

  // Gives why the content could not be kept; empty if it was, or nothing is. The folder and the
  // file are for this user alone, and the file takes its name when all of it is on the disk.
  [[nodiscard]] std::string keep(std::string_view title, std::string_view key,
                                 std::string_view content) const {
    if (!keeps()) return {};
    std::error_code error;
    const bool made = std::filesystem::create_directories(path_, error);
    if (error) return "making " + path_ + ": " + error.message();
    if (made) std::filesystem::permissions(path_, std::filesystem::perms::owner_all, error);
    const std::string path = path_of(title, key);
    std::string rest(key);
    rest += content;
    if (!replace(path, heading(key, rest) + rest)) {
      return "writing " + path + ": " + std::generic_category().message(errno);
    }
    sweep();
    return {};
  }

  void remove(std::string_view title, std::string_view key) const {
    if (keeps()) ::unlink(path_of(title, key).c_str());
  }

  [[nodiscard]] std::string path_of(std::string_view title, std::string_view key) const {
    constexpr std::size_t kMostTitle = 200;  // a file name has 255 bytes
    std::string name(title.substr(0, kMostTitle));
    for (char& c : name) {
      const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (!plain && c != '-' && c != '.') c = '_';
    }
    return path_ + "/" + name + "-" + digits(cache_digest(key)) + rules_.suffix;
  }

 private:
  class File {
   public:
    explicit File(int descriptor) : descriptor_(descriptor) {}
    ~File() {
      if (is_open()) ::close(descriptor_);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    [[nodiscard]] int number() const { return descriptor_; }
    [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }

   private:
    int descriptor_;
  };
  struct Kept {
    std::filesystem::file_time_type used;
    std::uint64_t bytes;
    std::filesystem::path path;
  };

  static std::string digits(std::uint64_t digest) {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(digest));
    return text;
  }

  [[nodiscard]] std::string heading(std::string_view key, std::string_view rest) const {
    return rules_.form + " " + digits(cache_digest(rest)) + " " + std::to_string(key.size()) + "\n";
  }

  // Opening what is no file may take for ever, and reading a large one long.
  [[nodiscard]] std::optional<std::string> read(const std::string& path) const {
    const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat status {};
    if (!file.is_open() || ::fstat(file.number(), &status) != 0) return std::nullopt;
    if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid()) return std::nullopt;
    if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) return std::nullopt;
    if (static_cast<std::uint64_t>(status.st_size) > rules_.file_bytes) return std::nullopt;
    ::futimens(file.number(), nullptr);
    std::string text(static_cast<std::size_t>(status.st_size), '\0');
    std::size_t done = 0;
    while (done < text.size()) {
      const ssize_t count = ::read(file.number(), text.data() + done, text.size() - done);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return std::nullopt;
      done += static_cast<std::size_t>(count);
    }
    return text;
  }

  static bool write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
      const ssize_t count = ::write(descriptor, text.data(), text.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }

  // False with errno set.
  static bool replace(const std::string& path, const std::string& text) {
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

  // Another process may remove them meanwhile.
  [[nodiscard]] std::vector<Kept> files() const {
    std::vector<Kept> kept;
    std::error_code error;
    for (std::filesystem::directory_iterator entry(path_, error), end; !error && entry != end;
         entry.increment(error)) {
      std::error_code gone;
      const std::filesystem::file_time_type used = entry->last_write_time(gone);
      if (gone || !entry->is_regular_file(gone)) continue;
      kept.push_back({used, entry->file_size(gone), entry->path()});
      if (gone) kept.pop_back();
    }
    return kept;
  }

  // A file that cannot be removed is left. Those of another suffix are of writers that were killed.
  void sweep() const {
    constexpr auto kTemporaryStays = std::chrono::hours(1);
    std::vector<Kept> kept = files();
    std::sort(kept.begin(), kept.end(),
              [](const Kept& x, const Kept& y) { return x.used > y.used; });
    const auto now = std::filesystem::file_time_type::clock::now();
    std::uint64_t bytes = 0;
    std::size_t count = 0;
    for (const Kept& file : kept) {
      bytes += file.bytes;
      const bool is_whole = file.path.extension() == rules_.suffix;
      const bool stays = is_whole ? ++count <= rules_.files && bytes <= rules_.folder_bytes &&
                                        now - file.used < rules_.unused
                                  : now - file.used < kTemporaryStays;
      std::error_code ignored;
      if (!stays) std::filesystem::remove(file.path, ignored);
    }
  }

  std::string path_;
  CacheRules rules_;
};

}  // namespace loci::sdk

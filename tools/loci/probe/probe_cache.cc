#include "tools/loci/probe/probe_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tools/loci/probe/environment_digest.h"
#include "tools/loci/probe/loci_build.h"

namespace loci::runner {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Outcome = ProbeResult::Outcome;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kFormat = 2;
constexpr std::size_t kMaxBytes = std::size_t{64} * 1024;
constexpr seconds kCrashCounts = std::chrono::hours(24);
constexpr seconds kTimeOutCounts = std::chrono::minutes(10);
// The time that entries of plugins that are gone stay, and temporary files of killed writers.
constexpr auto kEntryStays = std::chrono::hours(90 * 24);
constexpr auto kTemporaryStays = std::chrono::hours(1);

seconds now_in_seconds() {
  return std::chrono::duration_cast<seconds>(std::chrono::system_clock::now().time_since_epoch());
}

std::string file_name(const plugins::Candidate& candidate) {
  return fmt::format("path-{:016x}.json", fnv1a(candidate.path));
}

std::string environment() { return fmt::format("{:016x}", environment_digest(environ)); }

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  [[nodiscard]] int number() const { return descriptor_; }

 private:
  int descriptor_;
};

// An entry of another user's, or that others may write, is none.
std::optional<std::string> read(const std::string& path) {
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (file.number() < 0 || ::fstat(file.number(), &status) != 0) return std::nullopt;
  if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid()) return std::nullopt;
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) return std::nullopt;
  std::string text;
  std::array<char, 4096> buffer{};
  while (text.size() <= kMaxBytes) {
    const ssize_t count = ::read(file.number(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::nullopt;
    if (count == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return std::nullopt;
}

bool write_all(int descriptor, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = ::write(descriptor, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

// A temporary file is made for the user alone, and takes the name in one step when all of it is on
// the disk.
void replace(const std::string& path, const std::string& text) {
  std::string temporary = path + ".XXXXXX";
  bool written = false;
  {
    const File file(::mkostemp(temporary.data(), O_CLOEXEC));
    if (file.number() < 0) return;
    written = write_all(file.number(), text) && ::fsync(file.number()) == 0;
  }
  if (written && ::rename(temporary.c_str(), path.c_str()) == 0) return;
  ::unlink(temporary.c_str());
}

// The contents of a file of the cache.
struct Entry {
  ProbeResult result;
  milliseconds limit{};
  seconds written{};
  FileContent content;
};

void write_entry(const std::string& file, const std::string& plugin, const Entry& entry) {
  const Json object{{"format", kFormat},
                    {"loci", loci_build()},
                    {"path", plugin},
                    {"environment", environment()},
                    {"outcome", outcome_name(entry.result.outcome)},
                    {"cause", entry.result.refusal.cause},
                    {"remedy", entry.result.refusal.remedy},
                    {"limit_ms", entry.limit.count()},
                    {"duration_ms", entry.result.duration.count()},
                    {"written", entry.written.count()},
                    {"file", entry.content.identity.text},
                    {"settled", entry.content.identity.settled},
                    {"digest", entry.content.digest}};
  replace(
      file,
      object.dump(2, ' ', /*ensure_ascii=*/false, nlohmann::json::error_handler_t::replace) + "\n");
}

void sweep(const std::string& directory) {
  const auto now = fs::file_time_type::clock::now();
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    const bool whole = entry->path().extension() == ".json";
    const auto age = now - entry->last_write_time(ignored);
    if (ignored || age < (whole ? kEntryStays : kTemporaryStays)) continue;
    if (entry->is_regular_file(ignored)) fs::remove(entry->path(), ignored);
  }
}

std::optional<Outcome> outcome_of(const std::string& name) {
  for (const Outcome outcome : {Outcome::kGood, Outcome::kEnded, Outcome::kTimedOut}) {
    if (outcome_name(outcome) == name) return outcome;
  }
  return std::nullopt;
}

bool still_counts(const Entry& entry, milliseconds limit) {
  const seconds age = now_in_seconds() - entry.written;
  if (age < seconds(0)) return false;
  if (entry.result.outcome == Outcome::kEnded) return age < kCrashCounts;
  if (entry.result.outcome == Outcome::kTimedOut) {
    return age < kTimeOutCounts && limit <= entry.limit;
  }
  return true;
}

bool is_one_line(const std::string& text) {
  return std::none_of(text.begin(), text.end(),
                      [](unsigned char c) { return c < ' ' || c == 0x7f; });
}

// Nothing to refuse in a good one, and a cause in another.
bool fits(const plugins::Refusal& refusal, Outcome outcome) {
  const bool is_good = outcome == Outcome::kGood;
  return refusal.cause.empty() == is_good && (refusal.remedy.empty() || !is_good) &&
         is_one_line(refusal.cause) && is_one_line(refusal.remedy);
}

// These throw nlohmann::json::exception for what is missing or of another type.
std::optional<std::int64_t> count_in(const Json& object, const char* name) {
  const Json& value = object.at(name);
  if (!value.is_number_integer()) return std::nullopt;
  // Below zero too if it does not fit.
  const auto count = value.get<std::int64_t>();
  return count >= 0 ? std::optional(count) : std::nullopt;
}

std::optional<ProbeResult> result_in(const Json& object) {
  const std::optional<Outcome> outcome = outcome_of(object.at("outcome").get<std::string>());
  const std::optional<std::int64_t> duration = count_in(object, "duration_ms");
  if (!outcome || !duration) return std::nullopt;
  ProbeResult result;
  result.outcome = *outcome;
  result.refusal = {object.at("cause").get<std::string>(), object.at("remedy").get<std::string>()};
  result.duration = milliseconds(*duration);
  result.cached = true;
  return fits(result.refusal, *outcome) ? std::optional(result) : std::nullopt;
}

std::optional<Entry> entry_in(const Json& object, const std::string& plugin) {
  if (object.at("format") != kFormat || object.at("loci") != loci_build()) return std::nullopt;
  if (object.at("path") != plugin) return std::nullopt;
  if (object.at("environment") != environment()) return std::nullopt;
  const std::optional<ProbeResult> result = result_in(object);
  const std::optional<std::int64_t> limit = count_in(object, "limit_ms");
  const std::optional<std::int64_t> written = count_in(object, "written");
  if (!result || !limit || !written) return std::nullopt;
  return Entry{*result,
               milliseconds(*limit),
               seconds(*written),
               {{object.at("file").get<std::string>(), object.at("settled").get<bool>()},
                object.at("digest").get<std::string>()}};
}

// Returns true if the entry is of what the plugin's file is now. One of these bytes in another
// file, or as another file, is made one of this file, of what was understood of it and no more.
bool is_of_file(const std::string& file, const std::string& plugin, Entry& entry) {
  const std::optional<FileIdentity> now = identify(plugin);
  if (now && entry.content.identity.settled && entry.content.identity.text == now->text) {
    return true;
  }
  const std::optional<FileContent> content = read_content(plugin);
  if (!content || entry.content.digest != content->digest) return false;
  entry.content = *content;
  write_entry(file, plugin, entry);
  return true;
}

}  // namespace

std::string ProbeCache::directory_of_user() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return fmt::format("{}/loci/probe", cache);
  const char* home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? fmt::format("{}/.cache/loci/probe", home)
                                         : std::string();
}

std::optional<ProbeResult> ProbeCache::find(const plugins::Candidate& candidate,
                                            milliseconds limit) const {
  if (directory_.empty()) return std::nullopt;
  const std::string path = directory_ + "/" + file_name(candidate);
  const std::optional<std::string> text = read(path);
  if (!text) return std::nullopt;
  try {
    std::optional<Entry> entry = entry_in(Json::parse(*text), candidate.path);
    if (!entry || !still_counts(*entry, limit)) return std::nullopt;
    if (!is_of_file(path, candidate.path, *entry)) return std::nullopt;
    return entry->result;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

void ProbeCache::keep(const plugins::Candidate& candidate, milliseconds limit,
                      const ProbeResult& result, const FileContent& content) const {
  if (directory_.empty()) return;
  const std::string path = directory_ + "/" + file_name(candidate);
  const std::optional<FileIdentity> now = identify(candidate.path);
  if (result.outcome == Outcome::kFailed || !now || now->text != content.identity.text) {
    ::unlink(path.c_str());
    return;
  }
  std::error_code error;
  const bool made = fs::create_directories(directory_, error);
  if (made) fs::permissions(directory_, fs::perms::owner_all, error);
  sweep(directory_);
  write_entry(path, candidate.path, {result, limit, now_in_seconds(), content});
}

}  // namespace loci::runner

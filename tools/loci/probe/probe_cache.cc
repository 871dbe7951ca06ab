#include "tools/loci/probe/probe_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "tools/loci/probe/environment_digest.h"
#include "tools/loci/probe/loci_build.h"

namespace loci::runner {
namespace {

using Json = nlohmann::ordered_json;
using Outcome = ProbeResult::Outcome;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kCrashCounts = std::chrono::hours(24);
constexpr seconds kTimeOutCounts = std::chrono::minutes(10);

seconds now_in_seconds() {
  return std::chrono::duration_cast<seconds>(std::chrono::system_clock::now().time_since_epoch());
}

std::string environment() { return fmt::format("{:016x}", environment_digest(environ)); }

// A file of the cache holds one.
struct Entry {
  ProbeResult result;
  milliseconds limit{};
  seconds written{};
  FileContent content;
};

std::string text_of(const std::string& plugin, const Entry& entry) {
  const Json object{{"loci", loci_build()},
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
  return object.dump(2, ' ', /*ensure_ascii=*/false, nlohmann::json::error_handler_t::replace) +
         "\n";
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
  if (object.at("loci") != loci_build()) return std::nullopt;
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

enum class Match { kNone, kSame, kMoved };

// Tells whether the entry is of what the plugin's file is now. One of the same bytes in another
// file, or as another file, is made one of this file, of what was understood of it and no more.
Match match(const std::string& plugin, Entry& entry) {
  const std::optional<FileIdentity> now = identify(plugin);
  if (now && entry.content.identity.settled && entry.content.identity.text == now->text) {
    return Match::kSame;
  }
  const std::optional<FileContent> content = read_content(plugin);
  if (!content || entry.content.digest != content->digest) return Match::kNone;
  entry.content = *content;
  return Match::kMoved;
}

sdk::CacheRules rules() {
  sdk::CacheRules rules;
  rules.form = "probe-3";
  rules.suffix = ".json";
  rules.file_bytes = std::uint64_t{64} * 1024;
  rules.folder_bytes = std::uint64_t{4} << 20;
  rules.unused = std::chrono::hours(90 * 24);  // of plugins that are gone
  return rules;
}

constexpr const char* kTitle = "path";

}  // namespace

ProbeCache::ProbeCache(std::string directory) : folder_(std::move(directory), rules()) {}

std::optional<ProbeResult> ProbeCache::find(const plugins::Candidate& candidate,
                                            milliseconds limit) const {
  const std::optional<std::string> text = folder_.find(kTitle, candidate.path);
  if (!text) return std::nullopt;
  try {
    std::optional<Entry> entry = entry_in(Json::parse(*text), candidate.path);
    if (!entry || !still_counts(*entry, limit)) return std::nullopt;
    const Match found = match(candidate.path, *entry);
    if (found == Match::kNone) return std::nullopt;
    if (found == Match::kMoved) write(candidate.path, text_of(candidate.path, *entry));
    return entry->result;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

void ProbeCache::keep(const plugins::Candidate& candidate, milliseconds limit,
                      const ProbeResult& result, const FileContent& content) const {
  const std::optional<FileIdentity> now = identify(candidate.path);
  if (result.outcome == Outcome::kFailed || !now || now->text != content.identity.text) {
    folder_.remove(kTitle, candidate.path);
    return;
  }
  write(candidate.path, text_of(candidate.path, {result, limit, now_in_seconds(), content}));
}

// Without the entry the next run probes again.
void ProbeCache::write(const std::string& plugin, const std::string& entry) const {
  (void)folder_.keep(kTitle, plugin, entry);
}

}  // namespace loci::runner

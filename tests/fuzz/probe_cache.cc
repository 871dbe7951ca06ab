// Entries of the cache of probes. What an entry has to agree with differs from run to run, and
// stands in the input as a name between two '@'.
#include "tools/loci/probe/probe_cache.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>

#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/scratch_file.h"
#include "tools/loci/probe/environment_digest.h"
#include "tools/loci/probe/loci_build.h"

namespace loci::fuzz {
namespace {

using runner::ProbeCache;
using runner::ProbeResult;
using std::chrono::milliseconds;
using Outcome = ProbeResult::Outcome;

constexpr milliseconds kLimit{5000};
// An entry that is larger is none.
constexpr std::size_t kMostBytes = std::size_t{64} * 1024;
// Before the content and the plugin's path.
constexpr const char* kForm = "probe-3";

// The plugin's file, and its entry.
class Files {
 public:
  Files() : plugin_("libplugin.so"), entry_(entry_name(plugin_)) {
    plugin_.write("the bytes of a plugin");
    content_ = runner::read_content(plugin_.path());
    demand(content_.has_value(), "the plugin's file cannot be read");
    entry_.write("");
    ::chmod(entry_.path().c_str(), S_IRUSR | S_IWUSR);
  }

  [[nodiscard]] plugins::Candidate candidate() const {
    plugins::Candidate candidate;
    candidate.path = plugin_.path();
    return candidate;
  }
  [[nodiscard]] std::string directory() const {
    return std::filesystem::path(plugin_.path()).parent_path().string();
  }
  [[nodiscard]] const runner::FileContent& content() const { return *content_; }
  [[nodiscard]] const ScratchFile& entry() const { return entry_; }

  // An entry of that content.
  [[nodiscard]] std::string entry_with(const std::string& content) const {
    const std::string& key = plugin_.path();
    return fmt::format("{} {:016x} {}\n{}{}", kForm, sdk::cache_digest(key + content), key.size(),
                       key, content);
  }

  // The input with what the names stand for.
  [[nodiscard]] std::string filled_in(std::string_view input) const {
    const auto now = std::chrono::duration_cast<std::chrono::seconds>(
        std::chrono::system_clock::now().time_since_epoch());
    const std::array<std::pair<std::string_view, std::string>, 6> values{
        {{"@LOCI@", runner::loci_build()},
         {"@PATH@", plugin_.path()},
         {"@ENVIRONMENT@", fmt::format("{:016x}", runner::environment_digest(environ))},
         {"@FILE@", content_->identity.text},
         {"@DIGEST@", content_->digest},
         {"@NOW@", fmt::format("{}", now.count())}}};
    std::string text;
    while (!input.empty()) {
      const auto* value = std::find_if(values.begin(), values.end(), [&](const auto& each) {
        return input.substr(0, each.first.size()) == each.first;
      });
      text += value == values.end() ? std::string(1, input.front()) : value->second;
      input.remove_prefix(value == values.end() ? 1 : value->first.size());
    }
    return text;
  }

 private:
  static std::string entry_name(const ScratchFile& plugin) {
    return fmt::format("path-{:016x}.json", sdk::cache_digest(plugin.path()));
  }

  ScratchFile plugin_;
  ScratchFile entry_;
  std::optional<runner::FileContent> content_;
};

void check_line(const std::string& text) {
  demand(
      std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }),
      "a cause or a remedy is more than one line");
}

void check_result(const ProbeResult& result) {
  const bool is_good = result.outcome == Outcome::kGood;
  demand(is_good || result.outcome == Outcome::kEnded || result.outcome == Outcome::kTimedOut,
         "an outcome is found that is not kept");
  demand(result.cached, "what was kept is not said to be");
  demand(result.refusal.cause.empty() == is_good, "a cause is there for a good one, or missing");
  demand(result.refusal.remedy.empty() || !is_good, "a remedy is there for a good one");
  check_line(result.refusal.cause);
  check_line(result.refusal.remedy);
  demand(result.duration >= milliseconds(0), "it took less than no time");
}

bool same(const ProbeResult& a, const ProbeResult& b) {
  return a.outcome == b.outcome && a.refusal.cause == b.refusal.cause &&
         a.refusal.remedy == b.refusal.remedy && a.duration == b.duration && a.cached == b.cached;
}

void check_kept(const ProbeCache& cache, const Files& files, const ProbeResult& result) {
  cache.keep(files.candidate(), kLimit, result, files.content());
  const std::optional<ProbeResult> found = cache.find(files.candidate(), kLimit);
  demand(found && same(*found, result), "a result that is kept again is another one");
}

void check(std::string_view input) {
  static const Files kFiles;
  static const ProbeCache kCache(kFiles.directory());
  const std::string text = kFiles.entry_with(kFiles.filled_in(input));
  kFiles.entry().write(text);
  std::optional<ProbeResult> result;
  const auto find = [&] {
    result = kCache.find(kFiles.candidate(), kLimit);
    if (!result) throw Error(ErrorCode::kDataLoss, "[probe] nothing is found");
  };
  if (!accepts({text.size(), "[probe]"}, find)) {
    demand(kFiles.entry().read() == text, "an entry that is none is written");
    return;
  }
  demand(text.size() <= kMostBytes, "an entry is larger than allowed");
  check_result(*result);
  const std::optional<ProbeResult> again = kCache.find(kFiles.candidate(), kLimit);
  demand(again && same(*again, *result), "another result is found the second time");
  check_kept(kCache, kFiles, *result);
}

}  // namespace
}  // namespace loci::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  loci::fuzz::check(loci::fuzz::as_text(data, size));
  return 0;
}

#include "tools/loci/probe/probe_cache.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/cache_entry.h"
#include "tests/support/scratch_directory.h"

namespace loci::runner {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;
using Outcome = ProbeResult::Outcome;

constexpr milliseconds kLimit{5000};
constexpr const char* kPlugin = "libplugin.so";

class ProbeCacheTest : public ::testing::Test {
 protected:
  ProbeCacheTest() {
    plugin_.path = scratch_.write(kPlugin, "its bytes");
    entry_ = fmt::format("path-{:016x}.json", sdk::cache_digest(plugin_.path));
  }

  void keep(const ProbeResult& result) const {
    cache_.keep(plugin_, kLimit, result, *read_content(plugin_.path));
  }
  [[nodiscard]] json entry() const { return json::parse(text()); }
  [[nodiscard]] std::string text() const { return test::cache_content(scratch_.read(entry_)); }
  void write(const std::string& text) const {
    scratch_.write(entry_, test::with_cache_content(scratch_.read(entry_), text));
  }
  [[nodiscard]] bool is_found() const { return cache_.find(plugin_, kLimit).has_value(); }
  // With another value of the member.
  [[nodiscard]] bool is_found_with(const std::string& member, const json& value) const {
    json changed = entry();
    changed[member] = value;
    const std::string before = scratch_.read(entry_);
    write(changed.dump());
    const bool found = is_found();
    scratch_.write(entry_, before);
    return found;
  }

  test::ScratchDirectory scratch_;
  ProbeCache cache_{scratch_.path()};
  plugins::Candidate plugin_;
  std::string entry_;
};

TEST_F(ProbeCacheTest, FindsWhatWasKept) {
  EXPECT_FALSE(is_found());
  keep({Outcome::kEnded, {"its create crashed", "report it"}, milliseconds(12)});
  const auto found = cache_.find(plugin_, kLimit);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->outcome, Outcome::kEnded);
  EXPECT_EQ(found->refusal.cause, "its create crashed");
  EXPECT_EQ(found->refusal.remedy, "report it");
  EXPECT_EQ(found->duration, milliseconds(12));
  EXPECT_TRUE(found->cached);
}

TEST_F(ProbeCacheTest, NumbersAreWholeAndNotBelowZero) {
  keep({});
  EXPECT_TRUE(is_found_with("duration_ms", INT64_MAX));
  for (const char* member : {"duration_ms", "limit_ms", "written"}) {
    EXPECT_FALSE(is_found_with(member, -1)) << member;
    EXPECT_FALSE(is_found_with(member, INT64_MIN)) << member;
    EXPECT_FALSE(is_found_with(member, UINT64_MAX)) << member;
    EXPECT_FALSE(is_found_with(member, 0.5)) << member;
    EXPECT_FALSE(is_found_with(member, 1e300)) << member;
    EXPECT_FALSE(is_found_with(member, true)) << member;
  }
}

TEST_F(ProbeCacheTest, WhatThereIsToRefuseIsOneLineAndFitsTheOutcome) {
  keep({});
  EXPECT_FALSE(is_found_with("cause", "it crashed"));
  EXPECT_FALSE(is_found_with("remedy", "report it"));
  keep({Outcome::kEnded, {"it crashed", "report it"}, {}});
  EXPECT_TRUE(is_found_with("remedy", ""));
  EXPECT_FALSE(is_found_with("cause", ""));
  EXPECT_FALSE(is_found_with("cause", "it\ncrashed"));
  EXPECT_FALSE(is_found_with("remedy", "\x1b[2J"));
}

TEST_F(ProbeCacheTest, AnEntryForAnotherFileOfTheSameBytesHasOnlyWhatWasUnderstood) {
  keep({});
  const json good = entry();
  json other = good;
  other["file"] = "another one";
  // Written as text: what writes it would need as deep a stack as the cache must not.
  std::string text = other.dump();
  text.insert(text.size() - 1, ",\"unknown\":" + std::string(20000, '[') + std::string(20000, ']'));
  write(text);
  EXPECT_TRUE(is_found());
  EXPECT_THAT(this->text(), Not(HasSubstr("unknown")));
  EXPECT_EQ(entry()["file"], good["file"]);
}

}  // namespace
}  // namespace loci::runner

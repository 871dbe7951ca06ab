#include "framework/reporting/peak_cache.h"

#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "framework/core/thread_team.h"
#include "framework/device/device_manager.h"
#include "framework/plugin/elf_note.h"
#include "tests/framework/reporting/reporting_fixture.h"
#include "tests/support/cache_entry.h"
#include "tests/support/plugins/plugin_folder.h"
#include "tests/support/process_width.h"

namespace loci::reporting {
namespace {

Peaks some_peaks() {
  Peaks peaks;
  peaks.flops = 1.5e11;
  peaks.bytes = 2e10;
  peaks.levels = {{1 << 16, 9e10}, {1 << 26, 2e10}};
  peaks.measured_at = 1'800'000'000;
  peaks.others = 0.25;
  peaks.is_steady = true;
  return peaks;
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Changes a part of the file that the dynamic linker does not read.
void change_build_id(const std::string& path) {
  std::string bytes = read_file(path);
  const std::string kOwner("GNU\0", 4);
  const std::string kind{'\3', '\0', '\0', '\0'};  // NT_GNU_BUILD_ID
  const std::size_t note = bytes.find(kind + kOwner);
  ASSERT_NE(note, std::string::npos);
  bytes[note + kind.size() + kOwner.size()] ^= 1;
  std::ofstream(path, std::ios::binary) << bytes;
}

class PeakCacheTest : public ReportingTest {
 protected:
  static device::Device& cpu() { return device::DeviceManager::instance().get(Place("cpu")); }
  [[nodiscard]] PeakCache cache() const { return PeakCache(path("peaks")); }
};

TEST_F(PeakCacheTest, KeepsAll) {
  EXPECT_FALSE(cache().find(cpu()).has_value());
  cache().keep(cpu(), some_peaks());
  const auto found = cache().find(cpu());
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->flops, 1.5e11);
  EXPECT_EQ(found->bytes, 2e10);
  EXPECT_EQ(found->levels, some_peaks().levels);
  EXPECT_EQ(found->measured_at, 1'800'000'000);
  EXPECT_EQ(found->others, 0.25);
  EXPECT_TRUE(found->is_steady);
}

// A plugin computes otherwise with other settings, and with more threads.
TEST_F(PeakCacheTest, OtherSettingsHaveOtherPeaks) {
  cache().keep(cpu(), some_peaks());
  {
    const test::EnvironmentGuard plugins("LOCI_CPU_ONEDNN", "off");
    EXPECT_FALSE(cache().find(cpu()).has_value());
  }
  {
    const test::ProcessWidth more(core::process_width() + 1);
    EXPECT_FALSE(cache().find(cpu()).has_value());
  }
  EXPECT_TRUE(cache().find(cpu()).has_value());
}

// Such a file is whole, and its content makes no sense.
TEST_F(PeakCacheTest, FiguresThatCannotBeAreNone) {
  cache().keep(cpu(), some_peaks());
  const std::string entry = std::filesystem::directory_iterator(path("peaks"))->path();
  const std::string good = read_file(entry);
  const auto is_found_with = [&](const char* text) {
    std::ofstream(entry, std::ios::trunc) << test::with_cache_content(good, text);
    return cache().find(cpu()).has_value();
  };
  EXPECT_TRUE(is_found_with("1e11 2e10\n5 0.1 1\n2\n64 3e10\n128 2e10\n"));
  for (const char* text :
       {"", "many more\n", "1.5e11 2e10\n", "1e11 2e10\n5 0.1 1\n2\n64 3e10\n",
        "1e11 2e10\n5 0.1 1\n2\n64 3e10\n64 2e10\n", "nan 2e10\n5 0.1 1\n1\n64 2e10\n",
        "1e11 2e10\n5 0.1 1\n1\n64 1e10\n", "-1 2e10\n5 0.1 1\n1\n64 2e10\n",
        "1e11 2e10\n5 0.1 1\n999999999999\n"}) {
    EXPECT_FALSE(is_found_with(text)) << text;
  }
}

TEST_F(PeakCacheTest, ADamagedFileIsNoneAndIsReplaced) {
  cache().keep(cpu(), some_peaks());
  const std::string entry = std::filesystem::directory_iterator(path("peaks"))->path();
  const std::string good = read_file(entry);
  EXPECT_EQ(good.substr(0, 8), "peaks-5 ");
  for (const std::string& text : {std::string(), std::string("peaks-4\n1e11 2e10\n"),
                                  good.substr(0, good.size() - 1), good + "\n"}) {
    std::ofstream(entry, std::ios::trunc) << text;
    EXPECT_FALSE(cache().find(cpu()).has_value()) << text;
    cache().keep(cpu(), some_peaks());
    EXPECT_TRUE(cache().find(cpu()).has_value()) << text;
  }
}

// One file under two names is the same plugin; the cpu's with another build id is not.
TEST_F(PeakCacheTest, AnotherBuildOfThePluginHasOtherPeaks) {
  struct Moved : plugin::Plugin {
    [[nodiscard]] const std::string& id() const override { return id_; }
    [[nodiscard]] const std::string& path() const override { return path_; }
    [[nodiscard]] loci_plugin* handle() const override { return handle_; }
    std::string id_, path_;
    loci_plugin* handle_ = nullptr;
  } moved;
  moved.id_ = cpu().plugin().id();
  moved.handle_ = cpu().plugin().handle();
  moved.path_ = path("moved.so");
  std::filesystem::copy_file(cpu().plugin().path(), moved.path_);
  device::DeviceBackend backend = cpu().backend();
  backend.plugin = &moved;
  const device::Device same(backend, Place("cpu"));
  cache().keep(cpu(), some_peaks());
  EXPECT_TRUE(cache().find(same).has_value());
  ASSERT_NE(plugin::read_build_id(moved.path_), "");
  change_build_id(moved.path_);
  EXPECT_FALSE(cache().find(same).has_value());
}

TEST_F(PeakCacheTest, TheLatestEntriesStay) {
  std::filesystem::create_directories(path("peaks"));
  const auto now = std::filesystem::file_time_type::clock::now();
  for (std::size_t i = 0; i < PeakCache::kMostEntries + 20; ++i) {
    const std::string name = path("peaks") + "/old-" + std::to_string(i) + ".peaks";
    std::ofstream(name) << "peaks-1";
    std::filesystem::last_write_time(name, now - std::chrono::hours(i + 1));
  }
  cache().keep(cpu(), some_peaks());
  EXPECT_TRUE(cache().find(cpu()).has_value());
  EXPECT_TRUE(std::filesystem::exists(path("peaks/old-0.peaks")));
  EXPECT_FALSE(std::filesystem::exists(
      path("peaks/old-" + std::to_string(PeakCache::kMostEntries) + ".peaks")));
  const std::filesystem::directory_iterator entries(path("peaks"));
  EXPECT_EQ(std::distance(begin(entries), end(entries)), PeakCache::kMostEntries);
}

TEST_F(PeakCacheTest, WhatIsNoSmallFileIsNotRead) {
  cache().keep(cpu(), some_peaks());
  const std::string entry = std::filesystem::directory_iterator(path("peaks"))->path();
  std::ofstream(entry, std::ios::app) << std::string(100'000, ' ');
  EXPECT_FALSE(cache().find(cpu()).has_value());
  std::filesystem::remove(entry);
  ASSERT_EQ(::mkfifo(entry.c_str(), 0600), 0);
  EXPECT_FALSE(cache().find(cpu()).has_value());  // and does not wait for a writer
}

TEST_F(PeakCacheTest, NeedsNoPlaceToKeepThem) {
  const PeakCache none("");
  none.keep(cpu(), some_peaks());
  EXPECT_FALSE(none.find(cpu()).has_value());
  std::ofstream(path("file")) << "x";
  const PeakCache blocked(path("file"));
  blocked.keep(cpu(), some_peaks());
  EXPECT_FALSE(blocked.find(cpu()).has_value());
}

}  // namespace
}  // namespace loci::reporting

#include "framework/profiler/profile_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <functional>
#include <loci/error.hpp>

#include "framework/profiler/profile.h"
#include "framework/profiler/profile_layout.h"
#include "tests/framework/io/mutation.h"
#include "tests/support/recording_builder.h"
#include "tests/support/scratch_directory.h"
#include "tests/support/seal_profile.h"

namespace loci::profiler {
namespace {

using test_support::RecordingBuilder;
using test_support::sealed_profile;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::Throws;

Recording sample() {
  loci_launch_geometry geometry{};
  geometry.grid[2] = 7;
  geometry.block[0] = 256;
  geometry.registers = 32;
  geometry.static_shared = 1024;
  geometry.dynamic_shared = 2048;
  geometry.occupancy = 0.75;
  RecordingBuilder builder;
  builder.run("run", 0, 1000)
      .op("mul", "mul_0", 10, 90)
      .phase("compute", 20, 80)
      .flags(LOCI_SPAN_TRUNCATED)
      .kernel("gemm", 50, 500)
      .geometry(geometry)
      .replayed(2, 3)
      .collective(64, 96)
      .waited_copy({"x", "cpu", "sim:0", 64, "feed", "data", "mul_0"}, 100, 200)
      .device_copy(LOCI_COPY_HOST_TO_DEVICE, 64, 120, 180)
      .allocate(15, 0x1000, 4096, "x")
      .release(300, 0x1000)
      .thread("worker")
      .user("range", 5, 900, "info")
      .step(0, 500)
      .step(500, 1000)
      .drop("span", 3)
      .note("sim: a note");
  Recording& recording = builder.recording();
  recording.devices[0].measured_flops = 1.5e12;
  recording.devices[0].levels = {{1 << 16, 9e10}, {1 << 24, 2e10}};
  recording.level = LOCI_PROFILE_LEVEL_OP;
  recording.main_thread = 1;
  recording.rank = 1;
  recording.world_size = 4;
  recording.quality.clock = "tsc";
  recording.quality.own_cost_ns = 99;
  return builder.build();
}

class ProfileFileTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path() const { return scratch_.path("run.lociprof"); }
  // The bytes of the file that holds it.
  [[nodiscard]] std::string file_of(const Recording& recording) const {
    write_profile(recording, path());
    return scratch_.read("run.lociprof");
  }
  void expect_refused(std::string_view bytes, const std::string& reason,
                      ErrorCode code = ErrorCode::kDataLoss) const {
    scratch_.write("run.lociprof", bytes);
    EXPECT_THAT([&] { (void)read_profile(path()); },
                Throws<Error>(AllOf(Property(&Error::code, code),
                                    Property(&Error::what, HasSubstr("[io] " + path() + ": ")),
                                    Property(&Error::what, HasSubstr(reason)))))
        << reason;
  }

  test::ScratchDirectory scratch_;
};

// With every member of the recording: files of equal recordings have equal bytes.
TEST_F(ProfileFileTest, EverythingSurvivesTheRoundTrip) {
  const Recording recording = sample();
  const std::string bytes = file_of(recording);
  const Recording back = read_profile(path());
  EXPECT_EQ(file_of(back), bytes);

  EXPECT_EQ(back.labels, recording.labels);
  EXPECT_EQ(back.texts, recording.texts);
  EXPECT_EQ(back.main_thread, 1U);
  EXPECT_EQ(back.rank, 1U);
  EXPECT_EQ(back.world_size, 4U);
  EXPECT_EQ(back.level, std::uint32_t{LOCI_PROFILE_LEVEL_OP});
  EXPECT_EQ(back.machine, recording.machine);
  ASSERT_EQ(back.threads.size(), 2U);
  EXPECT_EQ(back.threads[1].name, "worker");
  ASSERT_EQ(back.threads[0].spans.size(), 4U);
  const Span& compute = back.threads[0].spans[2];
  EXPECT_EQ(compute.end_ns, 80U);
  EXPECT_EQ(compute.flags, LOCI_SPAN_TRUNCATED);
  EXPECT_EQ(compute.depth, 2U);
  ASSERT_EQ(back.device_spans.size(), 2U);
  EXPECT_EQ(back.device_spans[0].geometry.occupancy, 0.75);
  EXPECT_EQ(back.device_spans[0].geometry.grid[2], 7U);
  EXPECT_EQ(back.device_spans[0].graph, 2U);
  EXPECT_EQ(back.device_spans[0].replay, 3U);
  EXPECT_EQ(back.device_spans[0].algorithm_bytes, 96U);
  EXPECT_EQ(back.device_spans[1].direction, std::uint32_t{LOCI_COPY_HOST_TO_DEVICE});
  EXPECT_EQ(back.devices[0].measured_flops, 1.5e12);
  EXPECT_TRUE(back.devices[0].is_accelerator);
  EXPECT_TRUE(back.devices[0].is_queued);
  EXPECT_EQ(back.devices[0].levels, recording.devices[0].levels);
  ASSERT_EQ(back.memory_events.size(), 2U);
  EXPECT_TRUE(back.memory_events[1].is_free);
  EXPECT_EQ(back.steps[1].number, 1U);
  EXPECT_EQ(back.quality.notes, recording.quality.notes);
  EXPECT_EQ(back.quality.drops[0].count, 3U);
  EXPECT_EQ(back.quality.own_cost_ns, 99U);
}

TEST_F(ProfileFileTest, ProfileOfAFileIsThatOfTheRecording) {
  write_profile(sample(), path());
  const Profile before(sample());
  const Profile after(read_profile(path()));
  ASSERT_EQ(after.abi().node_count, before.abi().node_count);
  EXPECT_EQ(after.abi().nodes[0].device_ns, before.abi().nodes[0].device_ns);
  EXPECT_EQ(after.abi().copies[0].bytes, before.abi().copies[0].bytes);
}

TEST_F(ProfileFileTest, EmptyRecordingSurvives) {
  write_profile({}, path());
  EXPECT_TRUE(read_profile(path()).threads.empty());
}

TEST_F(ProfileFileTest, AbsentFileIsNotFound) {
  EXPECT_THAT([&] { (void)read_profile(path()); },
              Throws<Error>(Property(&Error::code, ErrorCode::kNotFound)));
}

TEST_F(ProfileFileTest, PathThatCannotBeWrittenIsNamed) {
  const std::string beyond = scratch_.path("no/such/folder.lociprof");
  EXPECT_THAT([&] { write_profile(sample(), beyond); },
              Throws<Error>(AllOf(Property(&Error::code, ErrorCode::kFailed),
                                  Property(&Error::what, HasSubstr(beyond)))));
  EXPECT_EQ(scratch_.entries(), 0U);
}

TEST_F(ProfileFileTest, ForeignFilesAreRefused) {
  expect_refused("", "header: is not a profile that Loci wrote");
  expect_refused("LOCI", "is not a profile");
  expect_refused("{\"traceEvents\": []}", "is not a profile");
}

TEST_F(ProfileFileTest, OtherVersionsAreIncompatible) {
  std::string bytes = file_of(sample());
  bytes[offsetof(ProfileFileHeader, version)] = 3;
  expect_refused(bytes, "version: 3 is not known, this Loci reads 4; read it with",
                 ErrorCode::kIncompatible);
  bytes[offsetof(ProfileFileHeader, version)] = 5;
  expect_refused(bytes.substr(0, 16), "version: 5", ErrorCode::kIncompatible);
}

TEST_F(ProfileFileTest, OtherByteOrderIsIncompatible) {
  std::string bytes = file_of(sample());
  constexpr std::uint32_t kOther = 0x04030201;
  std::memcpy(bytes.data() + offsetof(ProfileFileHeader, byte_order), &kOther, sizeof kOther);
  expect_refused(bytes, "byte order: is that of another kind of machine", ErrorCode::kIncompatible);
  bytes[offsetof(ProfileFileHeader, byte_order)] = 9;
  expect_refused(bytes, "byte order: 0x04030209 is none");
}

TEST_F(ProfileFileTest, EveryTruncationIsRefused) {
  const std::string bytes = file_of(sample());
  for (std::size_t size = bytes.size(); size-- > 8;) {
    expect_refused(std::string_view(bytes).substr(0, size), "truncated");
  }
}

TEST_F(ProfileFileTest, EveryChangedByteIsRefused) {
  const std::string bytes = file_of(sample());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x40);
    scratch_.write("run.lociprof", damaged);
    EXPECT_THROW((void)read_profile(path()), Error) << i;
  }
}

TEST_F(ProfileFileTest, BytesBehindTheEndAreRefused) {
  const std::string bytes = file_of(sample());
  expect_refused(bytes + "x", "were written; the file is damaged");
  expect_refused(sealed_profile(bytes + "x"), "size: 1 bytes belong to no section");
}

TEST_F(ProfileFileTest, DamageNamesItsPlace) {
  const std::string bytes = file_of(sample());
  std::string damaged = bytes;
  damaged[sizeof(ProfileFileHeader) + 4] ^= 1;
  expect_refused(damaged, "header: its checksum does not fit; the file is damaged");
  damaged = bytes;
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  expect_refused(damaged, "quality: its checksum does not fit; the file is damaged");
}

// Changes one entry of the table of sections.
std::string with_section(std::string bytes, std::size_t index,
                         const std::function<void(ProfileSection&)>& change) {
  ProfileSection section;
  char* const at = bytes.data() + sizeof(ProfileFileHeader) + index * sizeof section;
  std::memcpy(&section, at, sizeof section);
  change(section);
  std::memcpy(at, &section, sizeof section);
  return sealed_profile(bytes);
}

TEST_F(ProfileFileTest, TableOfSectionsIsChecked) {
  const std::string bytes = file_of(sample());
  expect_refused(with_section(bytes, 2, [](ProfileSection& s) { s.id = 3; }),
                 "table of sections: section 3 at place 2");
  expect_refused(with_section(bytes, 3, [](ProfileSection& s) { s.bytes = UINT64_MAX - 7; }),
                 "threads: 18446744073709551608 bytes, but");
  expect_refused(with_section(bytes, 8, [](ProfileSection& s) { --s.bytes; }),
                 "size: 1 bytes belong to no section");
  std::string fewer = bytes;
  fewer[offsetof(ProfileFileHeader, section_count)] = 8;
  expect_refused(sealed_profile(fewer), "header: 8 sections, not 9");
}

// The position of the first byte of a section.
std::size_t start_of(const std::string& bytes, std::size_t index) {
  std::size_t at = sizeof(ProfileFileHeader) + kProfileSections.size() * sizeof(ProfileSection);
  for (std::size_t i = 0; i < index; ++i) {
    ProfileSection section;
    std::memcpy(&section, bytes.data() + sizeof(ProfileFileHeader) + i * sizeof section,
                sizeof section);
    at += section.bytes;
  }
  return at;
}

TEST_F(ProfileFileTest, CountsBeyondTheFileTakeNoMemory) {
  std::string bytes = file_of(sample());
  constexpr std::uint64_t kHuge = UINT64_MAX / 2;
  std::memcpy(bytes.data() + start_of(bytes, 3), &kHuge, sizeof kHuge);
  expect_refused(sealed_profile(bytes),
                 "threads: byte 8: an array of 9223372036854775807 elements");

  bytes = file_of(sample());
  constexpr std::uint32_t kLong = UINT32_MAX;
  std::memcpy(bytes.data() + start_of(bytes, 2) + 8, &kLong, sizeof kLong);
  expect_refused(sealed_profile(bytes), "texts: byte 12: needs 4294967295 bytes, ");
}

TEST_F(ProfileFileTest, CountThatIsTooSmallLeavesBytes) {
  std::string bytes = file_of(sample());
  bytes[start_of(bytes, 7)] = 1;  // of two steps
  expect_refused(sealed_profile(bytes), "steps: 24 bytes more than its content takes");
}

TEST_F(ProfileFileTest, BoolIsZeroOrOne) {
  const std::string bytes = file_of(sample());
  std::string damaged = bytes;
  damaged[start_of(bytes, 7) - 1] = 2;  // is_free of the last memory event
  expect_refused(sealed_profile(damaged), ": 2 is neither 0 nor 1");
}

TEST_F(ProfileFileTest, UnsoundRecordingIsRefused) {
  Recording recording = sample();
  recording.threads[0].spans[0].label = 77;
  expect_refused(file_of(recording),
                 "content: [profiler] thread 0 'main': span 0: label 77 of 5; ");
}

TEST_F(ProfileFileTest, MessagesOfHostileTextsStayOnOneLine) {
  Recording recording = sample();
  recording.threads[0].name = "a\nb";
  recording.threads[0].spans[0].label = 77;
  expect_refused(file_of(recording), R"(thread 0 'a\x0ab')");
}

TEST_F(ProfileFileTest, RandomDamageBehindTheChecksumsIsErrorOrProfile) {
  const std::string bytes = file_of(sample());
  io_test::Mutator mutate(7);
  std::size_t refused = 0;
  for (int round = 0; round < 1000; ++round) {
    scratch_.write("run.lociprof", sealed_profile(mutate(bytes)));
    try {
      const Profile profile(read_profile(path()));
    } catch (const Error& error) {
      ++refused;
      EXPECT_TRUE(error.code() == ErrorCode::kDataLoss || error.code() == ErrorCode::kIncompatible)
          << error.what();
    }
  }
  EXPECT_GT(refused, 100U);
  EXPECT_LT(refused, 1000U);
}

}  // namespace
}  // namespace loci::profiler

#include "framework/io/zip_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <loci/error.hpp>

#include "tests/framework/io/zip_files.h"
#include "tests/support/scratch_directory.h"

namespace loci {
inline namespace v0 {
namespace io {
namespace {

using io_test::deflated_entry;
using io_test::stored_entry;
using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::Throws;

class ZipReaderTest : public ::testing::Test {
 protected:
  static std::string content(ZipReader& zip, const ZipMember& member) {
    std::string text(member.bytes, '\0');
    zip.open(member);
    // In pieces of odd sizes.
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t piece = std::min<std::size_t>(text.size() - at, 7 + at % 1000);
      zip.read(text.data() + at, piece, "text");
      at += piece;
    }
    zip.finish();
    return text;
  }

  test::ScratchDirectory scratch_;
};

TEST_F(ZipReaderTest, ReadsMembersInAnyOrder) {
  std::string large;
  for (int i = 0; i < 100'000; ++i) large += std::to_string(i * 7919 % 1009);
  ZipReader zip(scratch_.write(
      "a.zip", io_test::zip_of({stored_entry("small", "some text"), deflated_entry("large", large),
                                stored_entry("none", "")})));
  ASSERT_EQ(zip.members().size(), 3U);
  EXPECT_EQ(zip.members()[1].name, "large");
  EXPECT_EQ(zip.members()[1].bytes, large.size());
  EXPECT_LT(zip.members()[1].stored_bytes, large.size());
  EXPECT_EQ(content(zip, zip.members()[2]), "");
  EXPECT_EQ(content(zip, zip.members()[1]), large);
  EXPECT_EQ(content(zip, zip.members()[0]), "some text");
  EXPECT_EQ(content(zip, zip.members()[1]), large);
}

// Its sizes are in a ZIP64 field. Not as if the file had been cut.
TEST_F(ZipReaderTest, AMemberOf4GibibytesIsRefusedByItsSize) {
  std::string archive = io_test::zip_of({stored_entry("large", "some text")});
  const std::size_t header = archive.find("PK\x01\x02");
  ASSERT_NE(header, std::string::npos);
  archive.replace(header + 20, 8, 8, '\xFF');
  const std::string path = scratch_.write("a.zip", archive);
  EXPECT_THAT([&] { ZipReader zip(path); },
              Throws<Error>(Property(&Error::what, HasSubstr("it is 4 GiB or larger"))));
}

TEST_F(ZipReaderTest, GoesOnAfterAMemberThatWasNotReadToItsEnd) {
  ZipReader zip(scratch_.write("a.zip", io_test::zip_of({deflated_entry("a", "some text"),
                                                         stored_entry("b", "other text")})));
  zip.open(zip.members()[0]);
  char first = 0;
  zip.read(&first, 1, "text");
  EXPECT_EQ(first, 's');
  EXPECT_EQ(content(zip, zip.members()[1]), "other text");
  EXPECT_EQ(content(zip, zip.members()[0]), "some text");
}

TEST_F(ZipReaderTest, TheHeaderOfAMemberMustAgreeWithTheDirectory) {
  std::string bytes = io_test::zip_of({stored_entry("a", "text")});
  bytes[14] = static_cast<char>(bytes[14] ^ 1);  // the checksum in the header
  ZipReader zip(scratch_.write("a.zip", bytes));
  EXPECT_THAT([&] { zip.open(zip.members()[0]); },
              Throws<Error>(Property(&Error::what, HasSubstr("member 'a': header: "))));
}

}  // namespace
}  // namespace io
}  // namespace v0
}  // namespace loci

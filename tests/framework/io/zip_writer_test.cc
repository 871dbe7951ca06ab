#include "framework/io/zip_writer.h"

#include <gtest/gtest.h>

#include "framework/io/zip_reader.h"
#include "tests/support/scratch_directory.h"

namespace loci {
inline namespace v0 {
namespace io {
namespace {

TEST(ZipWriterTest, WhatItWritesIsRead) {
  const test::ScratchDirectory scratch;
  const std::string large(1'000'003, 'x');
  core::AtomicFile file(scratch.path("a.zip"));
  ZipWriter zip(file, scratch.path("a.zip"));
  zip.add("größe/a", 4);
  zip.write("te", 2);
  zip.write("xt", 2);
  zip.add("none", 0);
  zip.add("large", large.size());
  zip.write(large.data(), large.size());
  zip.finish();
  file.commit();
  ZipReader back(scratch.path("a.zip"));
  ASSERT_EQ(back.members().size(), 3U);
  EXPECT_EQ(back.members()[0].name, "größe/a");
  EXPECT_EQ(back.members()[1].bytes, 0U);
  std::string text(large.size(), '\0');
  back.open(back.members()[2]);
  back.read(text.data(), text.size(), "text");
  back.finish();
  EXPECT_EQ(text, large);
  back.open(back.members()[0]);
  back.read(text.data(), 4, "text");
  back.finish();
  EXPECT_EQ(text.substr(0, 5), "textx");
}

TEST(ZipWriterTest, WhatIsNotFinishedIsNotThere) {
  const test::ScratchDirectory scratch;
  {
    core::AtomicFile file(scratch.path("a.zip"));
    ZipWriter zip(file, scratch.path("a.zip"));
    zip.add("a", 4);
    zip.write("text", 4);
  }
  EXPECT_EQ(scratch.entries(), 0U);
}

}  // namespace
}  // namespace io
}  // namespace v0
}  // namespace loci

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <loci/error.hpp>
#include <loci/io.hpp>

#include "tests/framework/io/elements_of_files.h"
#include "tests/framework/io/mutation.h"
#include "tests/framework/io/numpy_archives.h"
#include "tests/framework/io/numpy_files.h"
#include "tests/framework/io/zip_files.h"
#include "tests/support/scratch_directory.h"

namespace loci {
namespace {

using io_test::deflated_entry;
using io_test::stored_entry;
using io_test::zip_of;
using io_test::ZipEntry;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::Throws;

class NpzTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string path() const { return scratch_.path("file.npz"); }
  [[nodiscard]] io::NamedTensors load(std::string_view bytes) const {
    return io::load_npz(scratch_.write("file.npz", bytes));
  }
  void expect_refused(std::string_view bytes, const std::string& reason) const {
    EXPECT_THAT([&] { (void)load(bytes); },
                Throws<Error>(AllOf(Property(&Error::code, ErrorCode::kDataLoss),
                                    Property(&Error::what, HasSubstr("[io] " + path() + ": ")),
                                    Property(&Error::what, HasSubstr(reason)))));
  }

  test::ScratchDirectory scratch_;
  // float32 [2, 3].
  std::string array_{io_test::kPlainNumpyFiles[10].bytes};
};

TEST_F(NpzTest, WhatNumpyWritesIsRead) {
  for (const std::string_view archive :
       {io_test::kNumpyArchive, io_test::kNumpyCompressedArchive}) {
    const io::NamedTensors tensors = load(archive);
    ASSERT_EQ(tensors.size(), 2U);
    EXPECT_EQ(tensors.at("image").shape(), (Shape{2, 3}));
    EXPECT_EQ(tensors.at("image").dtype(), kFloat32);
    EXPECT_EQ(tensors.at("größe").dtype(), kInt64);
    for (const auto& [name, tensor] : tensors) io_test::expect_elements_of_files(tensor);
    EXPECT_THAT(io::npz_names(path()), ElementsAre("image", "größe"));
    EXPECT_EQ(io::load_npz(path(), "größe").shape(), (Shape{2, 3}));
  }
}

TEST_F(NpzTest, ArraysComeBack) {
  io::NamedTensors tensors;
  for (const io_test::NumpyFile& file : io_test::kPlainNumpyFiles) {
    tensors.emplace(std::string(file.name) + ".w:0/größe",
                    io::load_npy(scratch_.write("source.npy", file.bytes)));
  }
  tensors.emplace("large", Tensor::empty({300, 1001}, kInt8));
  io::save_npz(path(), tensors);
  const io::NamedTensors back = io::load_npz(path());
  ASSERT_EQ(back.size(), tensors.size());
  for (const auto& [name, tensor] : tensors) {
    ASSERT_EQ(back.at(name).shape(), tensor.shape()) << name;
    ASSERT_EQ(back.at(name).dtype(), tensor.dtype()) << name;
    EXPECT_EQ(std::memcmp(back.at(name).raw_data(), tensor.raw_data(), tensor.bytes()), 0) << name;
  }
  const std::string first = scratch_.read("file.npz");
  io::save_npz(path(), tensors);
  EXPECT_EQ(scratch_.read("file.npz"), first);
}

TEST_F(NpzTest, AnArchiveMayBeEmpty) {
  io::save_npz(path(), {});
  EXPECT_TRUE(io::load_npz(path()).empty());
  EXPECT_TRUE(io::npz_names(path()).empty());
}

TEST_F(NpzTest, NamesAreNames) {
  const auto tensors =
      load(zip_of({stored_entry("../../up.npy", array_), stored_entry("/etc/passwd.npy", array_),
                   stored_entry("plain", array_), stored_entry(".npy", array_)}));
  EXPECT_EQ(tensors.count("../../up"), 1U);
  EXPECT_EQ(tensors.count("/etc/passwd"), 1U);
  EXPECT_EQ(tensors.count("plain"), 1U);
  EXPECT_EQ(tensors.count(".npy"), 1U);
  EXPECT_EQ(scratch_.entries(), 1U);
}

TEST_F(NpzTest, NamesThatCannotBeToldApartAreRefused) {
  expect_refused(zip_of({stored_entry("a.npy", array_), stored_entry("a.npy", array_)}),
                 "member 'a.npy': name: stands twice in the archive");
  expect_refused(zip_of({stored_entry("a", array_), stored_entry("a.npy", array_)}),
                 "member 'a.npy': name: is that of another array");
  expect_refused(zip_of({stored_entry("", array_)}), "member '': name: is empty");
  expect_refused(zip_of({stored_entry({"a\0b", 3}, array_)}), "has a zero byte");
  expect_refused(zip_of({stored_entry("a\xff", array_)}), R"(member 'a\xff': name: is not UTF-8)");
}

TEST_F(NpzTest, OtherFilesAreRefused) {
  expect_refused("", "is no zip archive");
  expect_refused(array_, "is no zip archive");
  expect_refused(zip_of({stored_entry("a.txt", "no array, only text")}),
                 "member 'a.txt': magic: is not an npy file");
  expect_refused(zip_of({stored_entry("dir/", "")}), "member 'dir/': magic: 0 bytes are too few");
  EXPECT_THAT([&] { (void)io::load_npz(scratch_.path("none.npz")); },
              Throws<Error>(Property(&Error::code, ErrorCode::kNotFound)));
}

TEST_F(NpzTest, WhatIsInAMemberIsNamed) {
  std::string objects = array_;
  objects.replace(objects.find("<f4"), 3, "|O ");
  expect_refused(zip_of({stored_entry("good.npy", array_), stored_entry("bad.npy", objects)}),
                 "member 'bad.npy': descr: ");
}

TEST_F(NpzTest, EncryptionAndUnknownCompressionAreRefused) {
  ZipEntry entry = stored_entry("a.npy", array_);
  entry.flags = 1;
  expect_refused(zip_of({entry}), "member 'a.npy': encryption: it is encrypted");
  entry.flags = 0;
  entry.method = 12;
  expect_refused(zip_of({entry}), "member 'a.npy': compression: method 12 is not known");
}

TEST_F(NpzTest, SizesThatCannotBeAreRefused) {
  ZipEntry entry = stored_entry("a.npy", array_);
  entry.bytes += 1;
  expect_refused(zip_of({entry}), "member 'a.npy': size: 153 bytes cannot be in 152 bytes");
  entry = deflated_entry("a.npy", array_);
  entry.bytes = 0xFFFFFF00;
  expect_refused(zip_of({entry}), "member 'a.npy': size: 4294967040 bytes cannot be in ");
}

// Each of such members would unpack the same bytes.
TEST_F(NpzTest, MembersThatShareBytesAreRefused) {
  std::vector<ZipEntry> entries{stored_entry("0.npy", array_)};
  for (int i = 1; i < 100; ++i) {
    ZipEntry entry = stored_entry(std::to_string(i) + ".npy", array_);
    entry.header = 0;
    entries.push_back(entry);
  }
  std::string bytes = zip_of(entries);
  const std::size_t first = bytes.find("PK\3\4", 4);
  const std::size_t directory = bytes.find("PK\1\2");
  bytes.erase(first, directory - first);
  const std::size_t end = bytes.rfind("PK\5\6");
  for (int i = 0; i < 4; ++i) bytes[end + 16 + i] = static_cast<char>(first >> (8 * i) & 0xFF);
  expect_refused(bytes, "the members together are larger than the file");
}

// No more is unpacked than the array has.
TEST_F(NpzTest, ABombIsRefusedByItsHeader) {
  const std::string zeros(std::size_t{64} << 20, '\0');
  const std::string bomb = zip_of({deflated_entry("a.npy", array_ + zeros)});
  EXPECT_LT(bomb.size(), std::size_t{1} << 17);
  expect_refused(bomb, "member 'a.npy': data: 67108888 bytes, but float32 [2, 3] has 24");
}

TEST_F(NpzTest, MembersOfAnotherLengthThanSaidAreRefused) {
  // The length that is said fits the header, but fewer bytes are deflated.
  ZipEntry entry = deflated_entry("a.npy", array_);
  entry.packed = io_test::deflated(array_.substr(0, array_.size() - 1));
  expect_refused(zip_of({entry}), "member 'a.npy': data: ");
  // Or more, of which the checksum tells.
  entry.packed = io_test::deflated(array_ + "x");
  entry.crc = io_test::crc_of(array_ + "x");
  expect_refused(zip_of({entry}), "member 'a.npy': checksum: ");
}

TEST_F(NpzTest, DamagedBytesAreRefused) {
  ZipEntry entry = stored_entry("a.npy", array_);
  entry.packed.back() = static_cast<char>(entry.packed.back() ^ 1);
  expect_refused(zip_of({entry}), "member 'a.npy': checksum: its checksum is another");
  entry = deflated_entry("a.npy", array_);
  entry.packed[0] = '\x07';
  expect_refused(zip_of({entry}), "member 'a.npy': ");
}

TEST_F(NpzTest, EveryTruncationIsRefused) {
  const std::string whole = zip_of({stored_entry("a.npy", array_), deflated_entry("b", array_)});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW((void)load(std::string_view(whole).substr(0, size)), Error) << size;
  }
}

TEST_F(NpzTest, DamagedFilesAreReadOrRefused) {
  io_test::Mutator mutate(3);
  int refused = 0;
  constexpr int kRounds = 300;
  const std::string own = zip_of({stored_entry("a.npy", array_), deflated_entry("b", array_)});
  for (int round = 0; round < kRounds; ++round) {
    for (const std::string_view whole :
         {io_test::kNumpyArchive, io_test::kNumpyCompressedArchive, std::string_view(own)}) {
      try {
        (void)load(mutate(whole));
      } catch (const Error& error) {
        ASSERT_EQ(error.code(), ErrorCode::kDataLoss) << error.what();
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, kRounds);
}

TEST_F(NpzTest, ANameThatIsNotThereIsNotFound) {
  io::save_npz(path(), {{"weight", Tensor::scalar(1.0F)}, {"bias", Tensor::scalar(2.0F)}});
  EXPECT_EQ(io::load_npz(path(), "bias").item<float>(), 2.0F);
  EXPECT_THAT(
      [&] { (void)io::load_npz(path(), "wieght"); },
      Throws<Error>(
          AllOf(Property(&Error::code, ErrorCode::kNotFound),
                Property(&Error::what,
                         HasSubstr("array 'wieght': there is none of that name; did you mean")))));
}

TEST_F(NpzTest, WhatCannotBeSavedLeavesNothing) {
  const auto expect_invalid = [&](const io::NamedTensors& tensors, const std::string& reason) {
    EXPECT_THAT([&] { io::save_npz(path(), tensors); },
                Throws<Error>(AllOf(Property(&Error::code, ErrorCode::kInvalidArgument),
                                    Property(&Error::what, HasSubstr(reason)))));
    EXPECT_EQ(scratch_.entries(), 0U);
  };
  const Tensor one = Tensor::scalar(1.0F);
  expect_invalid({{"a", one}, {"b", Tensor()}}, "array 'b': is undefined");
  expect_invalid({{"a", one}, {"b", Tensor::empty({2}, kBFloat16)}}, "cast to float32 first");
  expect_invalid({{"a", one}, {std::string("b\0c", 3), one}}, R"('b\x00c.npy')");
  expect_invalid({{"a", one}, {"b\xff", one}}, "a zip archive cannot hold this name");
  expect_invalid({{"a", one}, {std::string(70000, 'n'), one}}, "this name of 70004 bytes");
}

}  // namespace
}  // namespace loci

#include "framework/core/digest.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace loci::core {
namespace {

// The values are those of other programs' XXH64.
TEST(DigestTest, IsTheOneOfTheField) {
  EXPECT_EQ(digest_of(""), 0xef46db3751d8e999U);
  EXPECT_EQ(digest_of("a"), 0xd24ec4f1a98c6e5bU);
  EXPECT_EQ(digest_of("abc"), 0x44bc2cf5ad770999U);
  std::string bytes;
  for (int i = 0; i < 1000; ++i) bytes += static_cast<char>((i * 7 + 3) % 256);
  const std::vector<std::pair<std::size_t, std::uint64_t>> known{
      {3, 0x31d2363f52e564c9},   {4, 0x9bb64b7d66ee9fda},   {7, 0x9a7b149959ce60d8},
      {12, 0xd52e407833af5133},  {31, 0xa2aa5f33cc4a6119},  {32, 0x23c3c17ef790fd97},
      {33, 0x50a7cfc7ba588784},  {63, 0x5e3e54b431c7493c},  {64, 0xeb64b3ef6eeb01f},
      {100, 0xa61f8d4c170fe531}, {999, 0xc373150be8d9af9c}, {1000, 0x5f235fa033f1a3fb}};
  for (const auto& [size, digest] : known) {
    EXPECT_EQ(digest_of(std::string_view(bytes).substr(0, size)), digest) << size;
  }
}

TEST(DigestTest, DoesNotHangOnHowBytesCome) {
  const std::string bytes(500, 'x');
  for (const std::size_t piece : {1U, 5U, 31U, 32U, 33U, 100U}) {
    Digest digest;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      const std::string_view part = std::string_view(bytes).substr(at, piece);
      digest.add(part.data(), part.size());
    }
    EXPECT_EQ(digest.value(), digest_of(bytes)) << piece;
  }
}

TEST(DigestTest, ACopyGoesOnByItself) {
  Digest first;
  first.add("abc", 3);
  Digest second = first;
  second.add("de", 2);
  first.add("x", 1);
  EXPECT_EQ(first.value(), digest_of("abcx"));
  EXPECT_EQ(second.value(), digest_of("abcde"));
}

TEST(DigestTest, TextIsReadAgain) {
  EXPECT_EQ(digest_text(0x0123456789abcdef), "xxh64:0123456789abcdef");
  EXPECT_EQ(parse_digest("xxh64:0123456789abcdef"), 0x0123456789abcdefU);
  for (const char* bad :
       {"", "xxh64:", "0123456789abcdef", "xxh64:0123456789abcde", "xxh64:0123456789abcdef0",
        "xxh64:0123456789ABCDEF", "xxh64:0123456789abcdeg", "sha1x:0123456789abcdef"}) {
    EXPECT_EQ(parse_digest(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace loci::core

#include "tools/cuda_double/driver/image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "tools/cuda_double/driver/driver_error.h"
#include "tools/cuda_double/driver/fat_binary.h"

namespace loci::cuda_double {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kText = "// a comment\n.version 8.0\n.target sm_75\n";

struct Refusal {
  int code = 0;
  std::string why;
};

Refusal refusal(const void* image) {
  try {
    static_cast<void>(ptx_texts(image));
    return {};
  } catch (const DriverError& error) {
    return {error.code(), error.what()};
  }
}

template <typename T>
void append(std::vector<char>& bytes, T value) {
  const char* first = reinterpret_cast<const char*>(&value);
  bytes.insert(bytes.end(), first, first + sizeof value);
}

// One entry of a fat binary, as nvcc 13 writes it.
std::vector<char> entry(std::uint16_t kind, std::uint32_t architecture, std::uint64_t flags,
                        const std::string& payload) {
  std::vector<char> bytes;
  append<std::uint16_t>(bytes, kind);
  append<std::uint16_t>(bytes, 0x101);
  append<std::uint32_t>(bytes, 64);
  append<std::uint64_t>(bytes, payload.size());
  append<std::uint32_t>(bytes, static_cast<std::uint32_t>(payload.size()));
  append<std::uint32_t>(bytes, 0);
  append<std::uint32_t>(bytes, 0);
  append<std::uint32_t>(bytes, architecture);
  append<std::uint64_t>(bytes, 0);
  append<std::uint64_t>(bytes, flags);
  append<std::uint64_t>(bytes, 0);
  append<std::uint64_t>(bytes, payload.size());
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  return bytes;
}

std::vector<char> fat_binary(const std::vector<std::vector<char>>& entries) {
  std::vector<char> bytes;
  std::uint64_t size = 0;
  for (const auto& each : entries) size += each.size();
  append<std::uint32_t>(bytes, 0xba55ed50);
  append<std::uint16_t>(bytes, 1);
  append<std::uint16_t>(bytes, 16);
  append<std::uint64_t>(bytes, size);
  for (const auto& each : entries) bytes.insert(bytes.end(), each.begin(), each.end());
  return bytes;
}

TEST(ImageTest, TextIsTakenAsItIs) { EXPECT_THAT(ptx_texts(kText), ElementsAre(kText)); }

TEST(ImageTest, OtherTextIsNoImage) {
  EXPECT_EQ(refusal("no image").code, CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(refusal("").code, CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(refusal("/* open").code, CUDA_ERROR_INVALID_IMAGE);
}

TEST(ImageTest, MachineCodeIsNamed) {
  const auto refused = refusal(
      "\x7f"
      "ELF\x02\x01\x01");
  EXPECT_EQ(refused.code, CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_THAT(refused.why, HasSubstr("machine code"));
}

TEST(ImageTest, LinkedTextsComeBack) {
  const auto image = make_linked_image({"one", "two two"});
  EXPECT_THAT(ptx_texts(image.data()), ElementsAre("one", "two two"));
}

TEST(FatBinaryTest, TheNewestTextIsTaken) {
  const auto image = fat_binary({entry(1, 75, 0, "older"), entry(2, 90, 0, "code"),
                                 entry(1, 90, 0, std::string(kText) + std::string(5, '\0'))});
  EXPECT_THAT(ptx_texts(image.data()), ElementsAre(kText));
}

TEST(FatBinaryTest, IsFoundThroughItsWrapper) {
  const auto image = fat_binary({entry(1, 90, 0, kText)});
  struct {
    std::uint32_t magic = 0x466243b1;
    std::uint32_t version = 1;
    const void* data = nullptr;
    const void* name = nullptr;
  } wrapper;
  wrapper.data = image.data();
  EXPECT_THAT(ptx_texts(&wrapper), ElementsAre(kText));
}

TEST(FatBinaryTest, WithoutTextItIsRefused) {
  const auto image = fat_binary({entry(2, 90, 0, "code")});
  const auto refused = refusal(image.data());
  EXPECT_EQ(refused.code, CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_THAT(refused.why, HasSubstr("has no PTX"));
}

// nvcc itself compressed these, by LZ4 and by two strengths of zstd.
TEST(FatBinaryTest, CompressedTextIsUnpacked) {
#ifdef LOCI_FAT_BINARIES
  const auto text_of = [](const std::string& mode) {
    std::ifstream file(std::string(LOCI_FAT_BINARIES) + "/faults_" + mode + ".fatbin");
    const std::string image((std::istreambuf_iterator<char>(file)), {});
    return ptx_texts(image.c_str()).at(0);
  };
  const std::string plain = text_of("none");
  EXPECT_THAT(plain, HasSubstr(".version"));
  EXPECT_THAT(plain, HasSubstr("\n}\n"));
  EXPECT_EQ(text_of("speed"), plain);
  EXPECT_EQ(text_of("balance"), plain);
  EXPECT_EQ(text_of("size"), plain);
#else
  GTEST_SKIP() << "no nvcc that compresses in several ways";
#endif
}

TEST(FatBinaryTest, DamagedLz4IsRefused) {
  const auto image = fat_binary({entry(1, 90, 0x2000, "\xff\xffpacked")});
  const auto refused = refusal(image.data());
  EXPECT_EQ(refused.code, CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(refused.why, "the compressed PTX is damaged");
}

TEST(FatBinaryTest, SizesBeyondTheImageAreRefused) {
  auto packed = entry(1, 90, 0x2000, "packed");
  packed[16] = 100;  // bytes that are packed, of which there are 6
  const auto image = fat_binary({packed});
  EXPECT_EQ(refusal(image.data()).why, "the fat binary is damaged");
  auto huge = entry(1, 90, 0x8000, "packed");
  huge[63] = 1;  // the unpacked bytes, beyond 2^56
  const auto another = fat_binary({huge});
  EXPECT_EQ(refusal(another.data()).why, "the compressed PTX is damaged");
}

TEST(FatBinaryTest, EntriesThatReachBeyondTheImageAreRefused) {
  const auto refusal_with = [](std::size_t at, std::uint8_t value) {
    auto damaged = entry(1, 90, 0, kText);
    damaged[at] = static_cast<char>(value);
    const auto image = fat_binary({damaged});
    const Refusal refused = refusal(image.data());
    EXPECT_EQ(refused.code, CUDA_ERROR_INVALID_IMAGE) << at;
    return refused.why;
  };
  EXPECT_EQ(refusal_with(4, 63), "the fat binary is damaged");    // the header's bytes: too few
  EXPECT_EQ(refusal_with(5, 1), "the fat binary is damaged");     // 320 of them
  EXPECT_EQ(refusal_with(9, 1), "the fat binary is damaged");     // a payload of 256 more
  EXPECT_EQ(refusal_with(15, 255), "the fat binary is damaged");  // near 2^64
  auto image = fat_binary({entry(1, 90, 0, kText)});
  image[6] = 15;  // bytes of its own header
  EXPECT_EQ(refusal(image.data()).why, "the fat binary is damaged");
}

TEST(FatBinaryTest, DamagedCompressionIsRefused) {
  const auto image = fat_binary({entry(1, 90, 0x8000, "no frame of zstd")});
  const auto refused = refusal(image.data());
  EXPECT_EQ(refused.code, CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(refused.why, "the compressed PTX is damaged");
}

}  // namespace
}  // namespace loci::cuda_double

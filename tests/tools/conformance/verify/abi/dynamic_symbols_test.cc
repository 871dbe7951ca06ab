#include "tools/conformance/verify/abi/dynamic_symbols.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/support/paths.h"
#include "tools/conformance/verify/verdict.h"

namespace loci::verify {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;
using ::testing::UnorderedElementsAre;

std::string plugin(const std::string& name) {
  return test::build_path("lib/loci/faulty_plugins/loci-" + name + ".so");
}

TEST(DynamicSymbols, AreThoseThatOthersSee) {
  const DynamicSymbols one = read_dynamic_symbols(plugin("none"));
  EXPECT_THAT(one.exported, ElementsAre("loci_plugin_query_v1"));
  EXPECT_THAT(one.needed, Contains(StartsWith("libc.so")));
  EXPECT_THAT(read_dynamic_symbols(plugin("extra_symbol")).exported,
              UnorderedElementsAre("loci_plugin_query_v1", "loci_test_extra_a", "loci_test_extra_b",
                                   "loci_test_extra_c", "loci_test_extra_d", "loci_test_extra_e"));
}

class DamagedFile : public ::testing::Test {
 protected:
  DamagedFile() : path_(::testing::TempDir() + "/damaged-" + std::to_string(::getpid())) {}
  ~DamagedFile() override { std::filesystem::remove(path_); }
  void expect(const std::string& content, const char* message) {
    std::ofstream(path_, std::ios::binary) << content;
    EXPECT_THAT([&] { read_dynamic_symbols(path_); },
                ThrowsMessage<CheckFailed>(HasSubstr(message)));
  }
  std::string path_;
};

TEST_F(DamagedFile, IsRefused) {
  std::ifstream file(plugin("none"), std::ios::binary);
  const std::string good{std::istreambuf_iterator<char>(file), {}};
  expect("", "damaged");
  expect(std::string(64, 'x'), "no ELF file");
  for (const std::size_t size : {good.size() - 1, good.size() / 2, std::size_t{64}}) {
    expect(good.substr(0, size), "damaged");
  }
  EXPECT_THAT([] { read_dynamic_symbols("/nowhere"); },
              ThrowsMessage<CheckFailed>(HasSubstr("cannot be read")));
}

}  // namespace
}  // namespace loci::verify

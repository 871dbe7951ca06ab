// loci devices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/integration/runner_fixture.h"

namespace loci::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class DevicesTest : public RunnerTest {
 protected:
  static json device(const json& report, const std::string& place) {
    for (const json& entry : report["devices"]) {
      if (entry["place"] == place) return entry;
    }
    ADD_FAILURE() << "no " << place << " in " << report;
    return {};
  }
};

TEST_F(DevicesTest, TellsWhatTheCpuIs) {
  const json report = loci_json({"devices", "--json"});
  const json cpu = device(report, "cpu");
  EXPECT_EQ(cpu["plugin"], "org.loci.cpu");
  EXPECT_NE(cpu["name"], "");
  EXPECT_GT(cpu["total_memory_bytes"], 0);
  EXPECT_GT(cpu["free_memory_bytes"], 0);
  EXPECT_LE(cpu["free_memory_bytes"], cpu["total_memory_bytes"]);
  EXPECT_GT(cpu["compute_units"], 0);
  EXPECT_GT(cpu["operators"], 30);
  EXPECT_THAT(cpu["capabilities"], Contains("host_memory"));
  EXPECT_EQ(cpu["error"], json());
  EXPECT_THAT(absent_but_cuda(report), IsEmpty());
  EXPECT_THAT(loci({"devices"}).out, AllOf(HasSubstr("cpu: "), HasSubstr("memory"),
                                           HasSubstr("GiB"), HasSubstr("org.loci.cpu")));
}

TEST_F(DevicesTest, ListsTheDevicesOfEachPlugin) {
  const json report = loci_json({"devices", "--plugin", kToyPlugin, "--json"});
  EXPECT_EQ(device(report, "toy:0")["plugin"], "org.loci.test.toy");
  EXPECT_EQ(device(report, "cpu")["plugin"], "org.loci.cpu");
}

TEST_F(DevicesTest, SaysWhichPluginsBringNoneAndWhy) {
  std::filesystem::create_directory(path("plugins"));
  write("plugins/loci-broken.so", "not a library");
  const json report = loci_json({"devices", "--plugin-path", path("plugins"), "--no-plugin",
                                 "org.loci.cpu", "--no-plugin", "org.loci.sim", "--json"});
  EXPECT_THAT(report["devices"], IsEmpty());
  ASSERT_GE(report["absent"].size(), 2U);
  EXPECT_EQ(report["absent"][0]["reason"], "it is not an ELF file");
  EXPECT_EQ(report["absent"][1]["plugin"], "org.loci.cpu");
  EXPECT_EQ(report["absent"][1]["reason"], "disabled");
  EXPECT_THAT(loci({"devices", "--no-plugin", "org.loci.cpu", "--no-plugin", "org.loci.sim"}).out,
              AllOf(HasSubstr("no devices"), HasSubstr("absent: cpu of org.loci.cpu (disabled)")));
}

TEST_F(DevicesTest, AnAbsentPluginFileIsNotAvailable) {
  EXPECT_THAT(failure(4, {"devices", "--plugin", path("no.so")}), HasSubstr("no.so"));
}

}  // namespace
}  // namespace loci::test

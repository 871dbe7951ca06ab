// Capturers in loci plugins, loci plugins doctor and loci devices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/integration/runner_fixture.h"

namespace loci::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string kBroken = build_path("lib/loci/faulty_plugins/loci-capturer_cannot_open.so");

class CapturersTest : public RunnerTest {
 protected:
  static json entry(const json& list, const char* key, const std::string& value) {
    for (const json& each : list) {
      if (each[key] == value) return each;
    }
    ADD_FAILURE() << "no " << value << " in " << list;
    return {};
  }

  // A second plugin for graphs of sim, which comes before the one of the build tree.
  [[nodiscard]] std::string rival() const {
    std::string content = read_file(plugin_file("sim_graph"));
    const std::string id = "org.loci.sim_graph";
    for (std::size_t at = content.find(id); at != std::string::npos; at = content.find(id)) {
      content.replace(at, id.size(), "org.else.sim_graph");
    }
    std::filesystem::create_directory(path("plugins"));
    return write("plugins/loci-rival.so", content);
  }
};

TEST_F(CapturersTest, PluginsSaysWhoseGraphsTheyRecord) {
  const json plugin =
      entry(loci_json({"plugins", "--probe", "--json"})["plugins"], "id", "org.loci.sim_graph");
  EXPECT_EQ(plugin["kinds"], json({"capture"}));
  EXPECT_EQ(plugin["device_types"], json({"sim"}));
  EXPECT_EQ(plugin["stage"], "ACTIVE");
  EXPECT_THAT(loci({"plugins", "inspect", plugin_file("sim_graph")}).out,
              AllOf(HasSubstr("  kinds   capture\n"), HasSubstr("  graphs  of sim\n")));
  EXPECT_THAT(loci({"plugins"}).out, HasSubstr("  graphs  of sim\n"));
}

TEST_F(CapturersTest, DevicesNamesTheirs) {
  const json devices = loci_json({"devices", "--json"})["devices"];
  EXPECT_EQ(entry(devices, "place", "sim:0")["capturer"], "org.loci.sim_graph");
  EXPECT_EQ(entry(devices, "place", "sim:0")["no_capturer"], nullptr);
  EXPECT_EQ(entry(devices, "place", "cpu")["capturer"], nullptr);
  EXPECT_EQ(entry(devices, "place", "cpu")["no_capturer"],
            "cpu does its work at once, and has no graphs of its own");
  EXPECT_THAT(loci({"devices"}).out, HasSubstr("  graphs        by org.loci.sim_graph\n"));
}

TEST_F(CapturersTest, DevicesSaysWhyThereIsNone) {
  const std::vector<std::string> without{"devices", "--no-plugin", "org.loci.sim_graph"};
  EXPECT_THAT(loci(without).out,
              AllOf(HasSubstr("  graphs        op by op: there is no capturer for sim: "),
                    HasSubstr("org.loci.sim_graph is disabled")));
  const json declined =
      json::parse(loci({"devices", "--json"}, {"LOCI_SIM=graphs=0"}).out)["devices"];
  EXPECT_THAT(entry(declined, "place", "sim:0")["no_capturer"].get<std::string>(),
              HasSubstr("org.loci.sim_graph declines sim:0"));
  EXPECT_EQ(entry(declined, "place", "sim:0")["capturer_failed"], false);
}

// The one that comes first is the one, and the other one says so.
TEST_F(CapturersTest, OfTwoForOneTypeTheSecondIsRefusedByName) {
  const std::string first = rival();
  const json report = loci_json({"plugins", "--plugin-path", path("plugins"), "--json"});
  EXPECT_EQ(entry(report["plugins"], "id", "org.else.sim_graph")["failed"], false);
  const json second = entry(report["plugins"], "id", "org.loci.sim_graph");
  EXPECT_EQ(second["failed"], true);
  EXPECT_EQ(second["cause"], "org.else.sim_graph of '" + first +
                                 "' captures the streams of 'sim' already, which comes first in "
                                 "the search");
  EXPECT_EQ(second["remedy"], "remove one of the two files, or disable org.else.sim_graph");

  const Finished doctor = loci({"plugins", "doctor", "--plugin-path", path("plugins")});
  EXPECT_EQ(doctor.exit_code, 1);
  EXPECT_THAT(doctor.err, HasSubstr("captures the streams of 'sim' already"));
}

TEST_F(CapturersTest, TheDoctorShowsThem) {
  const json report = loci_json({"plugins", "doctor", "--json"});
  EXPECT_EQ(entry(report["devices"], "place", "sim:0")["capturer"], "org.loci.sim_graph");
  EXPECT_EQ(entry(report["devices"], "place", "sim:0")["no_capturer"], nullptr);
  EXPECT_THAT(loci({"plugins", "doctor"}).out,
              AllOf(HasSubstr("  graphs  of sim\n"), HasSubstr("device sim:0: ok, "),
                    HasSubstr("; graphs by org.loci.sim_graph\n")));
}

TEST_F(CapturersTest, OneThatCannotOpenItsDeviceIsAProblem) {
  const Finished doctor = loci({"plugins", "doctor", "--plugin", kBroken, "--json"});
  EXPECT_EQ(doctor.exit_code, 1);
  const json report = json::parse(doctor.out);
  ASSERT_EQ(report["problems"].size(), 1U) << report["problems"];
  EXPECT_EQ(report["problems"][0]["subject"], "captures:0");
  EXPECT_EQ(report["problems"][0]["cause"],
            "org.loci.test.captures cannot open captures:0: [captures] it cannot be opened");
  EXPECT_THAT(report["problems"][0]["remedy"].get<std::string>(),
              HasSubstr("leave the capturer out with --no-plugin"));
  const json devices = loci_json({"devices", "--plugin", kBroken, "--json"})["devices"];
  EXPECT_EQ(entry(devices, "place", "captures:0")["capturer_failed"], true);
  EXPECT_EQ(entry(devices, "place", "captures:0")["error"], nullptr) << "it works without graphs";
}

}  // namespace
}  // namespace loci::test

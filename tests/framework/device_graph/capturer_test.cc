#include "framework/device_graph/capturer.h"

#include "framework/device/device_manager.h"
#include "framework/plugin/plugin_manager.h"
#include "tests/framework/capture/native_fixture.h"

namespace loci::device_graph {
namespace {

using capture::in_native_context;
using capture::WithCapturer;
using ::testing::HasSubstr;

Capturers::Found capturer_at(const std::string& place) {
  return core::in_context<Capturers>().of(device::DeviceManager::instance().get(Place(place)));
}

TEST(CapturerTest, IsOpenedOnceForADevice) {
  in_native_context({}, [] {
    const Capturers::Found first = capturer_at("sim:0");
    ASSERT_NE(first.capturer, nullptr);
    EXPECT_EQ(first.capturer->plugin().id(), "org.loci.sim_graph");
    EXPECT_EQ(capturer_at("sim:0").capturer, first.capturer);
    EXPECT_NE(capturer_at("sim:1").capturer, first.capturer);
  });
}

TEST(CapturerTest, WhyThereIsNone) {
  in_native_context({{"SIM", "graphs=0"}}, [] {
    EXPECT_THAT(capturer_at("cpu").reason, HasSubstr("cpu does its work at once"));
    EXPECT_THAT(capturer_at("sim:1").reason, HasSubstr("org.loci.sim_graph declines sim:1"));
    EXPECT_EQ(capturer_at("sim:1").capturer, nullptr);
  });
  in_native_context(
      {},
      [] { EXPECT_THAT(capturer_at("sim:0").reason, HasSubstr("org.loci.sim_graph is disabled")); },
      WithCapturer::kNo);
  in_native_context({{"SIM_GRAPH_FAIL_END", "soon"}}, [] {
    EXPECT_THAT(capturer_at("sim:0").reason,
                AllOf(HasSubstr("there is no capturer for sim: "),
                      HasSubstr("LOCI_SIM_GRAPH_FAIL_END is 'soon'; give an integer")));
  });
}

// A plugin is in use as long as one of its capturers is open.
TEST(CapturerTest, KeepsItsPlugin) {
  in_native_context({}, [] {
    ASSERT_NE(capturer_at("sim:0").capturer, nullptr);
    EXPECT_THAT([] { plugin::PluginManager::instance().unload("org.loci.sim_graph"); },
                ::testing::ThrowsMessage<Error>(HasSubstr("live objects")));
  });
}

}  // namespace
}  // namespace loci::device_graph

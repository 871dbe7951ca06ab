#include <loci/inspect.hpp>

#include "tests/framework/capture/native_fixture.h"

namespace loci::device_graph {
namespace {

using capture::in_native_context;
using capture::WithCapturer;
using ::testing::HasSubstr;

TEST(CapturerApiTest, TellsWhoCapturesOrWhyNobodyDoes) {
  in_native_context({}, [] {
    const inspect::Capturer found = inspect::capturer("sim:1");
    EXPECT_EQ(found.plugin, "org.loci.sim_graph");
    EXPECT_EQ(found.reason, "");
    EXPECT_FALSE(found.has_failed);
    EXPECT_EQ(inspect::capturer("cpu").plugin, "");
    EXPECT_THAT(inspect::capturer("cpu").reason, HasSubstr("cpu does its work at once"));
  });
  in_native_context(
      {},
      [] {
        EXPECT_THAT(inspect::capturer("sim:0").reason, HasSubstr("there is no capturer for sim"));
      },
      WithCapturer::kNo);
}

// Which is no fault of it.
TEST(CapturerApiTest, ACapturerMayDecline) {
  in_native_context({{"SIM", "graphs=0"}}, [] {
    const inspect::Capturer found = inspect::capturer("sim:0");
    EXPECT_EQ(found.plugin, "");
    EXPECT_THAT(found.reason, HasSubstr("org.loci.sim_graph declines sim:0"));
    EXPECT_FALSE(found.has_failed);
  });
}

TEST(CapturerApiTest, RefusesADeviceThatThereIsNot) {
  in_native_context({}, [] {
    EXPECT_THAT([] { (void)inspect::capturer("sim:9"); },
                ::testing::ThrowsMessage<Error>(HasSubstr("sim:9")));
  });
}

}  // namespace
}  // namespace loci::device_graph

#include "framework/dispatch/capture_refusal.h"

#include "framework/dispatch/binding.h"
#include "tests/framework/dispatch/dispatch_fixture.h"

namespace loci::dispatch {
namespace {

using ::testing::HasSubstr;

class CaptureRefusalTest : public DispatchTest {};

// The first of them counts: the schema's reason, what lies on the host, the kernel's flag.
TEST_F(CaptureRefusalTest, SaysWhatKeepsALaunchOut) {
  device::Device& device = device_at("toy:0");
  const Binding bound = bind_kernel(device, unary("relu", {4}), nullptr);
  const ops::OpSchema& relu = ops::op_registry().get("relu");
  EXPECT_EQ(capture_refusal(relu, *bound.kernel, {true, false}, 1),
            "its input 0 lies on the host, in each replay");
  EXPECT_EQ(capture_refusal(relu, *bound.kernel, {false, true}, 1),
            "its output 0 lies on the host, in each replay");
  EXPECT_EQ(capture_refusal(relu, *bound.kernel, {false, false}, 1),
            bound.kernel->capture_refusal());
  for (const std::string& name : ops::op_registry().names()) {
    const ops::OpSchema& schema = ops::op_registry().get(name);
    if (schema.capture_refusal().empty()) continue;
    EXPECT_EQ(capture_refusal(schema, *bound.kernel, {true}, 1), schema.capture_refusal());
  }
}

}  // namespace
}  // namespace loci::dispatch

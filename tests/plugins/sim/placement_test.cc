// Where operators go when the software accelerator is there.
#include "tests/plugins/sim/sim_program.h"

namespace loci {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class SimPlacementTest : public test::SimProgramTest {
 protected:
  Variable accuracy_of_feed() {
    const Variable scores = softmax(data("scores", {4, 3}, kFloat32));
    return accuracy(scores, data("label", {4, 1}, kInt64));
  }
  Feed feed_ = {{"scores", Tensor::from<float>({1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0}, {4, 3})},
                {"label", Tensor::from<std::int64_t>({0, 1, 2, 2}, {4, 1})}};
};

TEST_F(SimPlacementTest, AnOpThatIsLeftOutFallsBackToTheCpu) {
  const Variable result = accuracy_of_feed();
  CompileOptions options;
  options.fallback = FallbackPolicy::kAllow;
  Executor executor("sim:0", options, scope_);
  EXPECT_EQ(executor.run(main_, feed_, {result}).front().item<float>(), 0.75F);
  for (const auto& op : inspect::plan(executor, main_, feed_, {result}).operators) {
    EXPECT_EQ(op.place, op.type == "accuracy" ? "cpu" : "sim:0") << op.type;
    EXPECT_EQ(op.reason, op.type == "accuracy" ? "no_kernel" : "default") << op.type;
  }
}

TEST_F(SimPlacementTest, OrIsRefusedByThePolicy) {
  const Variable result = accuracy_of_feed();
  CompileOptions options;
  options.fallback = FallbackPolicy::kError;
  Executor executor("sim:0", options, scope_);
  EXPECT_THAT([&] { executor.run(main_, feed_, {result}); },
              ThrowsMessage<Error>(HasSubstr("has no kernel at sim:0")));
}

TEST_F(SimPlacementTest, ItCountsAsAnAccelerator) {
  EXPECT_TRUE(is_available("gpu"));
  EXPECT_TRUE(device_properties("sim:0").is_accelerator);
  EXPECT_EQ(device_count("sim"), 6);
  EXPECT_EQ(device_properties("sim:5").total_memory, std::uint64_t{4} << 30);
}

}  // namespace
}  // namespace loci

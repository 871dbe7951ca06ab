#include "framework/execution/operator_log.h"

#include "framework/core/log.h"
#include "tests/framework/executor/programs_fixture.h"

namespace loci::execution {
namespace {

class OperatorLogTest : public executor::ProgramsTest {};

TEST_F(OperatorLogTest, DescribesSlotsVariablesAndTypes) {
  const Variable w = create_parameter({1, 1, 3, 3}, kFloat32, initializer::constant(1), "w");
  scope_.set("w", Tensor::from(std::vector<float>(9, 1), {1, 1, 3, 3}));
  const Variable y = conv2d(data("image", {1, 1, 4, 4}, kFloat32), w);
  const auto plan = compile({feed_of("image", {1, 1, 4, 4})}, {y.name()});
  EXPECT_EQ(describe_instruction(*plan, 0),
            "[conv2d] conv2d_0 at cpu, inputs: {x[image:float32[1, 1, 4, 4]], "
            "filter[w:float32[1, 1, 3, 3]], bias[]}, outputs: {out[conv2d_0.out:float32[1, 1, 2, "
            "2]]}");
}

TEST_F(OperatorLogTest, EveryLaunchIsLoggedAtDebug) {
  const Variable y = relu(data("x", {2}, kFloat32));
  core::set_log_levels("operator=debug");
  ::testing::internal::CaptureStderr();
  Executor("cpu", {}, scope_).run(main_, {{"x", vector({1, 2})}}, {y});
  const std::string log = ::testing::internal::GetCapturedStderr();
  core::set_log_levels("operator=warn");
  EXPECT_THAT(log, ::testing::HasSubstr("cpu Op(relu), inputs: {x[x:float32[2]]}, outputs: "
                                        "{out[relu_0.out:float32[2]]}"));
}

}  // namespace
}  // namespace loci::execution

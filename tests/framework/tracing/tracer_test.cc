#include "framework/tracing/tracer.h"

#include "tests/framework/eager/eager_fixture.h"

namespace loci::tracing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Tensors = std::vector<Tensor>;

class TracerTest : public eager::EagerTest {
 protected:
  static Tensors run(const Traced& traced, const Tensors& inputs) {
    Feed feed;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      feed.emplace_back(traced.inputs[i].name(), inputs[i]);
    }
    const std::vector<Fetch> fetches(traced.outputs.begin(), traced.outputs.end());
    return Executor("cpu", CompileOptions::exact(), traced.scope)
        .run(traced.program, feed, fetches);
  }
};

TEST_F(TracerTest, WritesDownTheOps) {
  const Traced traced =
      trace([](const Tensors& in) -> Tensors { return {relu(in[0] + in[1]) * 2.0}; },
            {vector({1, 2}), vector({3, 4})});
  EXPECT_THAT(traced.program.to_string(),
              AllOf(HasSubstr("elementwise_add"), HasSubstr("relu"), HasSubstr("scale")));
  EXPECT_THAT(floats(run(traced, {vector({-5, 1}), vector({1, 1})})[0]), ElementsAre(0, 4));
}

TEST_F(TracerTest, TensorsFromOutsideShareTheirStorage) {
  const Tensor w = vector({10});
  w.set_name("w");
  const Traced traced =
      trace([&](const Tensors& in) -> Tensors { return {in[0] * w}; }, {vector({1})});
  EXPECT_THAT(floats(run(traced, {vector({2})})[0]), ElementsAre(20));
  w.fill_(3);
  EXPECT_THAT(floats(run(traced, {vector({2})})[0]), ElementsAre(6));
  EXPECT_TRUE(traced.program.find("w").persistable());
}

TEST_F(TracerTest, ABatchMayBeSymbolic) {
  TraceOptions options;
  options.symbolic_batch = true;
  options.input_names = {"x"};
  options.output_names = {"y"};
  const Traced traced = trace(
      [](const Tensors& in) -> Tensors {
        EXPECT_EQ(in[0].shape()[0], kDynamicDim);
        return {reduce_sum(in[0], {1})};
      },
      {zeros({2, 3})}, options);
  EXPECT_EQ(traced.outputs[0].name(), "y");
  EXPECT_THAT(floats(run(traced, {ones({4, 3})})[0]), ElementsAre(3, 3, 3, 3));
}

// The code runs step by step and as a program.
TEST_F(TracerTest, AssignmentsToSlicesAreTheSameInAProgram) {
  const auto filled = [](const Tensors& in) -> Tensors {
    const Tensor x = in[0] * 1.0;
    x.set_slice_(in[1] * in[1], {0}, {-1}, {0}, {-2});
    return {set_slice(x, in[1] + in[1], {0}, {0}, {2})};
  };
  const Tensors inputs{vector({0.1F, 0.2F, 0.3F}), vector({0.7F})};
  const Traced traced = trace(filled, inputs);
  EXPECT_THAT(traced.program.to_string(), HasSubstr("set_slice"));
  EXPECT_EQ(floats(run(traced, inputs)[0]), floats(filled(inputs)[0]));
  EXPECT_THAT(floats(inputs[0]), ElementsAre(0.1F, 0.2F, 0.3F));
}

TEST_F(TracerTest, ChangesInPlaceBecomeNewValues) {
  const Traced traced = trace(
      [](const Tensors& in) -> Tensors {
        const Tensor sum = in[0] * 1.0;
        sum += in[0];
        sum *= sum;
        return {sum};
      },
      {vector({1})});
  EXPECT_THAT(floats(run(traced, {vector({3})})[0]), ElementsAre(36));
}

TEST_F(TracerTest, GuardsAndPlacesAreKept) {
  const Traced traced = trace(
      [](const Tensors& in) -> Tensors {
        const DeviceGuard guard("sim:1");
        return {relu(in[0]).to("cpu") + 1.0};
      },
      {vector({1})});
  EXPECT_THAT(traced.program.to_string(), HasSubstr("sim:1"));
  EXPECT_THAT(floats(run(traced, {vector({-3})})[0]), ElementsAre(1));
}

TEST_F(TracerTest, ReadingOnTheHostIsNamed) {
  const auto tracing = [](auto read) {
    return [read] {
      trace(
          [read](const Tensors& in) -> Tensors {
            read(in[0]);
            return {in[0]};
          },
          {vector({1})});
    };
  };
  EXPECT_THAT(tracing([](const Tensor& x) { (void)x.item<float>(); }),
              ThrowsMessage<Error>(
                  AllOf(HasSubstr("item()"), HasSubstr("while_loop()"), HasSubstr("'input_0'"))));
  EXPECT_THAT(tracing([](const Tensor& x) { (void)x.to_vector<float>(); }),
              ThrowsMessage<Error>(HasSubstr("to_vector()")));
  EXPECT_THAT(tracing([](const Tensor& x) { (void)x.data<float>(); }),
              ThrowsMessage<Error>(HasSubstr("data()")));
}

TEST_F(TracerTest, ChangesThatTheCallerWouldMissAreRefused) {
  const Tensor outside = vector({1});
  const auto tracing = [&](auto change) {
    return [&, change] {
      trace(
          [&](const Tensors& in) -> Tensors {
            change(in[0]);
            return {in[0] + 1.0};
          },
          {vector({1})});
    };
  };
  EXPECT_THAT(tracing([](const Tensor& x) { x += x; }),
              ThrowsMessage<Error>(HasSubstr("is an input of the function")));
  EXPECT_THAT(tracing([&](const Tensor&) { outside.zero_(); }),
              ThrowsMessage<Error>(HasSubstr("made outside")));
  EXPECT_THAT(tracing([&](const Tensor& x) {
                const Tensor y = x * 2.0;
                const Tensor view = y.reshaped({1, 1});
                view.copy_(outside.reshaped({1, 1}));
              }),
              ThrowsMessage<Error>(HasSubstr("view")));
}

TEST_F(TracerTest, ALoopWithoutEndIsNamed) {
  TraceOptions options;
  options.max_operators = 100;
  EXPECT_THAT(
      [&] {
        trace(
            [](const Tensors& in) -> Tensors {
              Tensor x = in[0];
              while (true) x = x + 1.0;
            },
            {vector({1})}, options);
      },
      ThrowsMessage<Error>(AllOf(HasSubstr("100 ops"), HasSubstr("while_loop()"))));
  EXPECT_THAT(floats(vector({1}) + 1.0), ElementsAre(2));  // the trace is over
}

}  // namespace
}  // namespace loci::tracing

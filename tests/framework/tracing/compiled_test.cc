#include "framework/tracing/compiled.h"

#include <loci/io.hpp>

#include "tests/framework/eager/eager_fixture.h"
#include "tests/support/scratch_directory.h"

namespace loci::tracing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Tensors = std::vector<Tensor>;

class CompiledTest : public eager::EagerTest {
 protected:
  static Tensors twice(const Tensors& in) { return {in[0] * 2.0}; }
};

TEST_F(CompiledTest, TracesOnceForEachForm) {
  int calls = 0;
  const CompiledFunction compiled = compile(
      [&](const Tensors& in) {
        ++calls;
        return twice(in);
      },
      {vector({1})});
  EXPECT_THAT(floats(compiled({vector({4})})[0]), ElementsAre(8));
  EXPECT_THAT(floats(compiled({vector({1, 2})})[0]), ElementsAre(2, 4));
  EXPECT_THAT(floats(compiled({vector({5, 6})})[0]), ElementsAre(10, 12));
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(compiled.signatures(), 2U);
}

TEST_F(CompiledTest, ASymbolicBatchIsOneForm) {
  TraceOptions options;
  options.symbolic_batch = true;
  const CompiledFunction compiled = compile(twice, {vector({1})}, options);
  EXPECT_THAT(floats(compiled({vector({1, 2, 3})})[0]), ElementsAre(2, 4, 6));
  EXPECT_EQ(compiled.signatures(), 1U);
}

TEST_F(CompiledTest, RunsWhereItsInputsAre) {
  const CompiledFunction compiled = compile(twice, {vector({1}).to("sim:1")});
  const Tensor result = compiled({vector({3}).to("sim:1")})[0];
  EXPECT_EQ(result.place(), Place("sim:1"));
  EXPECT_THAT(floats(result), ElementsAre(6));
}

TEST_F(CompiledTest, IsSavedAsAProgram) {
  const test::ScratchDirectory scratch;
  const Tensor w = vector({3});
  w.set_name("w");
  const CompiledFunction compiled =
      compile([&](const Tensors& in) -> Tensors { return {in[0] * w}; }, {vector({1})});
  const std::string directory = scratch.path("model");
  compiled.save(directory);
  const io::Model model = io::load_model(directory);
  EXPECT_THAT(floats(model.weights.at("w")), ElementsAre(3));
  EXPECT_THAT(model.main.to_string(), HasSubstr("elementwise_mul"));
}

TEST_F(CompiledTest, AnUndefinedInputIsRefused) {
  EXPECT_THAT([] { compile(twice, {Tensor()}); },
              ThrowsMessage<Error>(HasSubstr("input 0 is an undefined tensor")));
}

}  // namespace
}  // namespace loci::tracing

#include "framework/planning/specialization.h"

#include <loci/inspect.hpp>

#include "tests/framework/executor/programs_fixture.h"

namespace loci::planning {
namespace {

using execution::PlanFeed;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class SpecializationTest : public executor::ProgramsTest {
 protected:
  std::vector<std::string> prepared(const std::vector<std::string>& fetches,
                                    CompileOptions options = CompileOptions(),
                                    const std::vector<PlanFeed>& feeds = {}) {
    PlanRequest request;
    request.program = main_.impl();
    request.feeds = feeds;
    request.fetches = fetches;
    request.device = &device_at("cpu");
    request.options = std::move(options);
    return types(*specialize(request).program);
  }

  static std::vector<std::string> types(const program::ProgramImpl& program) {
    std::vector<std::string> types;
    for (const program::Operator& op : program.main().ops) types.push_back(op.type());
    return types;
  }
};

TEST_F(SpecializationTest, NoneRunsEverythingAsWritten) {
  (void)scale(fill_constant({1}, 1.0), 2.0);
  EXPECT_THAT(prepared({}, CompileOptions::none()), ElementsAre("fill_constant", "scale"));
  EXPECT_THAT(prepared({}), ElementsAre());
}

// Loaded models have such results.
TEST_F(SpecializationTest, AResultThatNobodyFetchesIsNotComputed) {
  const Variable x = data("x", {2}, kFloat32);
  const Variable count = create_persistable({1}, kInt64, initializer::constant(0), "count");
  increment(count);
  const Variable y = softmax(x);
  const Variable best = argmax(y);
  program::Block& block = main_.impl()->main();
  block.results = {y.id(), best.id()};
  EXPECT_THAT(prepared({y.name()}, {}, {feed_of("x", {2})}), ElementsAre("increment", "softmax"));
  EXPECT_THAT(prepared({best.name(), y.name()}, {}, {feed_of("x", {2})}),
              ElementsAre("increment", "softmax", "argmax"));
  EXPECT_THAT(prepared({}, {}, {feed_of("x", {2})}), ElementsAre("increment"));
  const Program all = inspect::after_passes(main_);
  EXPECT_THAT(types(*all.impl()), ElementsAre("increment", "softmax", "argmax"));
  const Program one = inspect::after_passes(main_, {y});
  EXPECT_THAT(types(*one.impl()), ElementsAre("increment", "softmax"));
  EXPECT_NO_THROW(one.verify());
}

TEST_F(SpecializationTest, FeedsMakeExtentsKnown) {
  const Variable extents = shape(data("x", {-1, 3}, kFloat32));
  EXPECT_THAT(prepared({extents.name()}), ElementsAre("shape"));
  EXPECT_THAT(prepared({extents.name()}, CompileOptions(), {feed_of("x", {4, 3})}),
              ElementsAre("assign_value"));
}

TEST_F(SpecializationTest, LeavesTheProgramAlone) {
  const Variable y = scale(fill_constant({1}, 1.0), 2.0);
  const std::string before = main_.to_string();
  (void)prepared({y.name()});
  EXPECT_EQ(main_.to_string(), before);
}

TEST_F(SpecializationTest, AGuardOfNoPlaceIsRefusedThoughItsOperatorIsFolded) {
  Variable y;
  for (const char* place : {"mars", "toy:99"}) {
    const DeviceGuard guard{Place(place)};
    y = fill_constant({1}, 1.0);
    EXPECT_THAT([&] { (void)prepared({}); },
                ThrowsMessage<Error>(AllOf(HasSubstr("is under the device guard"),
                                           HasSubstr("there is no device"), HasSubstr(place))));
    main_.impl()->main().ops.clear();
  }
}

TEST_F(SpecializationTest, PassesAreLeftOutByName) {
  const Variable y = scale(fill_constant({1}, 1.0), 2.0);
  CompileOptions options;
  options.disabled_passes = {"constant_folding"};
  EXPECT_THAT(prepared({y.name()}, options), ElementsAre("fill_constant", "scale"));
  options.disabled_passes = {"folding"};
  EXPECT_THAT([&] { (void)prepared({}, options); },
              ThrowsMessage<Error>(HasSubstr("there is no pass 'folding'")));
}

TEST_F(SpecializationTest, TheRandomStateAdvancesWhateverIsRead) {
  (void)uniform_random({2});
  EXPECT_THAT(prepared({}), ElementsAre("random_advance"));
}

}  // namespace
}  // namespace loci::planning

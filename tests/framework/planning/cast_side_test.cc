#include "framework/planning/cast_side.h"

#include <functional>
#include "tests/framework/executor/programs_fixture.h"

namespace loci::planning {
namespace {

using execution::Instruction;
using execution::PlaceReason;
using execution::Space;
using ::testing::ElementsAre;

// toy:0 has no cast of its own: what stays there by choice falls back, with another reason.
class CastSideTest : public executor::ProgramsTest {
 protected:
  device::Device* side(const Variable& x, DType to, bool is_fetched, Space input) {
    const Variable y = cast(x, to);
    const program::Block& block = main_.impl()->main();
    const std::vector<std::string> fetches{is_fetched ? y.name() : "another"};
    if (reader_) reader_(y);
    for (const program::Operator& op : block.ops) {
      if (op.type() != "cast") continue;
      return cheaper_side(
          {block, op, dtype_size(x.dtype()), dtype_size(to), input, device_at("toy:0"), fetches});
    }
    ADD_FAILURE() << "no cast";
    return nullptr;
  }

  device::Device* cpu() { return &device_at("cpu"); }
  Space toy() { return &device_at("toy:0"); }

  std::function<void(const Variable&)> reader_;
};

TEST_F(CastSideTest, ToFewerBytesWhereTheInputLies) {
  EXPECT_EQ(side(data("x", {2}, kFloat32), kFloat16, false, nullptr), cpu());
}

TEST_F(CastSideTest, OrAtTheExecutorsPlaceIfItLiesThere) {
  EXPECT_EQ(side(data("x", {2}, kFloat32), kFloat16, true, toy()), nullptr);
}

TEST_F(CastSideTest, StateStaysAtTheExecutorsPlace) {
  reader_ = [this](const Variable& y) {
    program::Block& block = main_.impl()->main();
    block.var(block.find(y.name())).persistable = true;
  };
  EXPECT_EQ(side(data("x", {2}, kFloat32), kFloat16, false, nullptr), nullptr);
}

TEST_F(CastSideTest, ToMoreBytesBehindTheCopyThatBringsTheInput) {
  EXPECT_EQ(side(data("x", {2}, kFloat16), kFloat32, true, nullptr), nullptr);
}

TEST_F(CastSideTest, ToMoreBytesWhereTheResultIsRead) {
  EXPECT_EQ(side(data("x", {2}, kFloat16), kFloat32, true, toy()), cpu());
}

TEST_F(CastSideTest, AGuardSaysWhereItIsRead) {
  reader_ = [](const Variable& y) {
    const DeviceGuard guard("cpu");
    relu(y);
  };
  EXPECT_EQ(side(data("x", {2}, kFloat16), kFloat32, false, toy()), cpu());
}

TEST_F(CastSideTest, ReadersAtTwoPlacesLeaveItWhereItIs) {
  reader_ = [](const Variable& y) { relu(y); };
  EXPECT_EQ(side(data("x", {2}, kFloat16), kFloat32, true, toy()), nullptr);
}

TEST_F(CastSideTest, AShapeIsNoReader) {
  reader_ = [](const Variable& y) { shape(y); };
  EXPECT_EQ(side(data("x", {2}, kFloat16), kFloat32, true, toy()), cpu());
}

TEST_F(CastSideTest, EqualSizesStay) {
  EXPECT_EQ(side(data("x", {2}, kInt32), kFloat32, false, nullptr), nullptr);
}

TEST_F(CastSideTest, TheFeedOfAPlanIsCastBeforeItIsCopied) {
  const Variable y = relu(cast(cast(data("x", {2}, kFloat64), kFloat32), kFloat32));
  const auto plan = compile({feed_of("x", {2}, kFloat64)}, {y.name()}, "toy:0");
  EXPECT_EQ(plan->operators[0].reason, PlaceReason::kSmallerCopy);
  std::vector<std::uint64_t> copied;
  for (const Instruction& instruction : plan->instructions) {
    if (instruction.transfer() == nullptr) continue;
    copied.push_back(plan->values[static_cast<std::size_t>(instruction.transfer()->from)].bytes);
  }
  EXPECT_THAT(copied, ElementsAre(8U));
}

TEST_F(CastSideTest, AsWrittenItRunsWhereItWasPut) {
  const Variable y = relu(cast(data("x", {2}, kFloat64), kFloat32));
  const auto plan =
      compile({feed_of("x", {2}, kFloat64)}, {y.name()}, "toy:0", CompileOptions::none());
  EXPECT_NE(plan->operators[0].reason, PlaceReason::kSmallerCopy);
}

}  // namespace
}  // namespace loci::planning

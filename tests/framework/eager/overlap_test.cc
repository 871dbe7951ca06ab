#include "framework/eager/overlap.h"

#include "framework/eager/call.h"
#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class OverlapTest : public EagerTest {
 protected:
  static Tensor rate(const Place& place = Place()) { return vector({1}).to(place); }
};

TEST_F(OverlapTest, KnowsWhatIsShared) {
  const Tensor t = vector({1, 2, 3, 4});
  const auto impl = [](const Tensor& tensor) -> const tensor::TensorImpl& {
    return *tensor.impl();
  };
  EXPECT_TRUE(overlap_partly(impl(t), impl(t.rows(1, 3))));
  EXPECT_TRUE(overlap_partly(impl(t.rows(0, 3)), impl(t.rows(1, 4))));
  EXPECT_FALSE(overlap_partly(impl(t.rows(0, 2)), impl(t.rows(2, 4))));
  EXPECT_FALSE(overlap_partly(impl(t), impl(t.reshaped({2, 2}))));
  EXPECT_TRUE(is_same_view(impl(t), impl(t.reshaped({2, 2}))));
  EXPECT_FALSE(is_same_view(impl(t), impl(vector({1, 2, 3, 4}))));
}

// The gradient is read as if it had been copied first.
TEST_F(OverlapTest, AnUpdateReadsAnOverlappingGradientAsItWas) {
  constexpr std::int64_t kRows = 4096;  // several times what a loop takes at once
  std::vector<float> elements(kRows * 3);
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<float>(i % 17);
  for (const char* place : {"cpu", "sim:0"}) {
    for (const bool forward : {true, false}) {
      const Tensor t = Tensor::from(elements, {kRows, 3}).to(place);
      const Tensor low = t.rows(0, kRows - 5);
      const Tensor high = t.rows(5, kRows);
      sgd(forward ? high : low, forward ? low : high, rate(place));
      std::vector<float> expected = elements;
      for (std::size_t i = 15; i < elements.size(); ++i) {
        expected[forward ? i : i - 15] -= elements[forward ? i - 15 : i];
      }
      EXPECT_EQ(floats(t), expected) << place << " " << forward;
    }
  }
}

TEST_F(OverlapTest, ARowIsReadBeforeAnotherIsWrittenOverIt) {
  const Tensor t = vector({1, 2, 4, 8}).reshaped({4, 1});
  sgd(t, t, rate(), Tensor::from<std::int64_t>({1, 2, 3, 0}, {4}));
  EXPECT_THAT(floats(t), ElementsAre(1 - 8, 2 - 1, 4 - 2, 8 - 4));
}

TEST_F(OverlapTest, StateMayNotBeShared) {
  const Tensor t = vector({1, 2, 4, 8});
  const auto matcher = ThrowsMessage<Error>(
      AllOf(HasSubstr("[momentum] changes 'param' and 'velocity' in place, which share memory"),
            HasSubstr("give each memory of its own")));
  EXPECT_THAT([&] { momentum(t.rows(0, 3), vector({1, 1, 1}), t.rows(1, 4), rate()); }, matcher);
  EXPECT_THAT([&] { momentum(t, vector({1, 1, 1, 1}), t, rate()); }, matcher);
  EXPECT_THAT(floats(t), ElementsAre(1, 2, 4, 8));
}

TEST_F(OverlapTest, StateThatMovesToWhereTheOpRunsIsKeptApartToo) {
  const Tensor t = vector({1, 2, 4, 8}).to("sim:0");
  const DeviceGuard guard("cpu");
  sgd(t.rows(1, 4), t.rows(0, 3), rate());
  EXPECT_THAT(floats(t), ElementsAre(1, 1, 2, 4));
}

TEST_F(OverlapTest, NeighboursInOneMemoryAreNotCopied) {
  const Tensor t = vector({1, 2, 4, 8});
  const Tensor state = t.rows(0, 2);
  const Tensor gradient = t.rows(2, 4);
  const Tensor step = rate();
  OpCall<Tensor> call("sgd");
  call.input("param", state).input("grad", gradient).input("learning_rate", step);
  const ValuesApart apart(*plan_of(call).plan, call.values.data(), nullptr);
  EXPECT_EQ((*apart.data()[0]).impl(), state.impl());
  EXPECT_EQ((*apart.data()[1]).impl(), gradient.impl());
}

}  // namespace
}  // namespace loci::eager

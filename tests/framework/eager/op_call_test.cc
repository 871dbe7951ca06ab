#include <loci/op_call.hpp>

#include <type_traits>

#include "tests/framework/eager/eager_fixture.h"

namespace loci::eager {
namespace {

using ::testing::ElementsAre;

static_assert(!std::is_constructible_v<TensorRef, Tensor>, "a temporary would be gone");
static_assert(!std::is_copy_constructible_v<OpCall<Tensor>>, "values may lie in the original");

class OpCallTest : public EagerTest {
 protected:
  static OpCall<Tensor> sum_of_temporaries() {
    OpCall<Tensor> call("elementwise_add");
    call.input("x", vector({1, 2})).input("y", vector({10, 20}));
    return call;
  }
};

TEST_F(OpCallTest, CountsNoReferenceToWhatItIsGiven) {
  const Tensor x = vector({1});
  const auto references = x.impl().use_count();
  OpCall<Tensor> call("relu");
  call.input("x", x);
  EXPECT_EQ(x.impl().use_count(), references);
  EXPECT_EQ(call.values[0]->impl(), x.impl());
}

TEST_F(OpCallTest, KeepsTemporaries) {
  OpCall<Tensor> call = sum_of_temporaries();
  EXPECT_THAT(floats(call.result()), ElementsAre(11, 22));
}

TEST_F(OpCallTest, KeepsAListOfThem) {
  OpCall<Tensor> call("concat");
  call.inputs_of("x", {vector({1}), vector({2}), vector({3}), vector({4}), vector({5})});
  call.attr("axis", std::int64_t{0});
  EXPECT_THAT(floats(call.result()), ElementsAre(1, 2, 3, 4, 5));
}

TEST_F(OpCallTest, GoesWithWhatItKeeps) {
  OpCall<Tensor> call = sum_of_temporaries();
  OpCall<Tensor> moved = std::move(call);
  EXPECT_THAT(floats(moved.result()), ElementsAre(11, 22));
}

LOCI_OP const void* site_of_an_op() { return OpCall<Tensor>("relu").site; }

TEST_F(OpCallTest, KnowsWhereItsFunctionWasCalled) {
  std::vector<const void*> sites;
  for (int i = 0; i < 2; ++i) sites.push_back(site_of_an_op());
  EXPECT_EQ(sites[0], sites[1]);
  EXPECT_NE(sites[0], site_of_an_op()) << "another line";
}

TEST_F(OpCallTest, AnUndefinedValueLeavesItsSlotEmpty) {
  OpCall<Tensor> call("layer_norm");
  call.input("x", vector({1})).input("scale", Tensor());
  EXPECT_EQ(call.slots[1].count, 0U);
  EXPECT_EQ(call.values.size(), 1U);
}

}  // namespace
}  // namespace loci::eager

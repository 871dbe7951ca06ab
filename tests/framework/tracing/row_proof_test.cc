#include "framework/tracing/row_proof.h"

#include "tests/framework/eager/eager_fixture.h"

namespace loci::tracing {
namespace {

using ::testing::HasSubstr;
using Tensors = std::vector<Tensor>;

class RowProofTest : public eager::EagerTest, public ::testing::WithParamInterface<const char*> {
 protected:
  [[nodiscard]] static Place place() { return Place(GetParam()); }
  [[nodiscard]] std::string objection(const TensorFunction& fn, std::int64_t rows = 4) const {
    return row_objection(fn, {Tensor::empty({rows, 3}, kFloat32, place())});
  }
};
INSTANTIATE_TEST_SUITE_P(Places, RowProofTest, ::testing::Values("cpu", "sim:0"),
                         [](const auto& info) { return info.param[0] == 'c' ? "cpu" : "sim"; });

TEST_P(RowProofTest, ProvesWhatIsDoneToEachRow) {
  const Tensor weight = full({3, 2}, 0.5, kFloat32).to(place());
  const TensorFunction fn = [&](const Tensors& in) {
    return Tensors{softmax(matmul(in[0], weight) * 2.0)};
  };
  EXPECT_EQ(objection(fn), "");
  EXPECT_EQ(objection(fn, 1), "");
}

TEST_P(RowProofTest, NamesTheOpThatMixesRows) {
  EXPECT_EQ(objection([](const Tensors& in) { return Tensors{in[0] - mean(in[0])}; }),
            "[mean] 'mean_0' mixes rows: it may hang on all rows of 'input_0'");
}

TEST_P(RowProofTest, WhatCannotBeTracedIsNotProven) {
  EXPECT_THAT(objection([](const Tensors& in) {
                return Tensors{in[0] * static_cast<double>(in[0].to_vector<float>()[0])};
              }),
              HasSubstr("it cannot be traced: "));
  EXPECT_THAT(objection([](const Tensors&) -> Tensors { throw std::runtime_error("no"); }),
              HasSubstr("it cannot be traced: no"));
}

TEST_P(RowProofTest, GradientsOfTensorsFromOutsideHangOnAllRows) {
  Tensor weight = full({3, 2}, 0.5, kFloat32).to(place());
  weight.set_requires_grad();
  EXPECT_THAT(objection([&](const Tensors& in) {
                const Tensor y = matmul(in[0], weight);
                y.backward(y);
                return Tensors{y};
              }),
              HasSubstr("mixes rows"));
  EXPECT_FALSE(weight.grad().defined()) << "the trace leaves nothing";
}

TEST_P(RowProofTest, ElementsMadeOnTheHostAreTheSameInEachCall) {
  EXPECT_EQ(objection([&](const Tensors& in) {
              return Tensors{in[0] + Tensor::from<float>({1, 2, 3}, {3}).to(place())};
            }),
            "");
  float calls = 0;
  EXPECT_THAT(objection([&](const Tensors& in) {
                const Tensor changing = Tensor::from<float>({++calls, 0, 0}, {3});
                return Tensors{in[0] + changing.to(place())};
              }),
              HasSubstr("is another tensor in each call"));
}

}  // namespace
}  // namespace loci::tracing

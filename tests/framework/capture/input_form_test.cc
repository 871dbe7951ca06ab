#include "framework/capture/input_form.h"

#include "tests/framework/capture/graph_fixture.h"

namespace loci::capture {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

using InputFormTest = CaptureTest;

TEST_F(InputFormTest, ThePlaceIsTheCallersTheGuardsOrTheInputs) {
  const Tensor here = full({2}, 1.0);
  const Tensor there = here.to("sim:1");
  EXPECT_EQ(form_of({here}, nullptr).place, Place("cpu"));
  EXPECT_EQ(form_of({here, there}, nullptr).place, Place("sim:1"));
  const Place asked("sim:0");
  EXPECT_EQ(form_of({there}, &asked).place, Place("sim:0"));
  const DeviceGuard guard("sim:0");
  EXPECT_EQ(form_of({there}, nullptr).place, Place("sim:0"));
}

TEST_F(InputFormTest, WhatDiffersHasAnotherKey) {
  const Tensor x = full({2, 3}, 1.0, kFloat32);
  const CallForm form = form_of({x}, nullptr);
  EXPECT_EQ(form, form_of({full({2, 3}, 5.0, kFloat32)}, nullptr));
  EXPECT_EQ(key_of(form), key_of(form_of({full({2, 3}, 5.0, kFloat32)}, nullptr)));
  for (const Tensor& other :
       {full({3, 2}, 1.0, kFloat32), full({2, 3}, 1, kInt64), x.to("sim:0")}) {
    EXPECT_FALSE(form == form_of({other}, nullptr));
    EXPECT_NE(key_of(form), key_of(form_of({other}, nullptr)));
  }
  EXPECT_NE(key_of(form), key_of(form_of({x, x}, nullptr)));
  const NoGrad no_grad;
  EXPECT_FALSE(form == form_of({x}, nullptr));
  EXPECT_NE(key_of(form), key_of(form_of({x}, nullptr)));
}

TEST_F(InputFormTest, DescribesThemForPeople) {
  const Tensor x = full({2, 3}, 1.0, kFloat32);
  EXPECT_EQ(describe(form_of({x, full({4}, 1, kInt64)}, nullptr).inputs),
            "float32[2, 3] at cpu, int64[4] at cpu");
}

TEST_F(InputFormTest, AnUndefinedInputIsNamed) {
  EXPECT_THAT(
      [] {
        (void)form_of({full({1}, 1.0), Tensor()}, nullptr);
      },
      ThrowsMessage<Error>(HasSubstr("input 1 is an undefined tensor")));
}

}  // namespace
}  // namespace loci::capture

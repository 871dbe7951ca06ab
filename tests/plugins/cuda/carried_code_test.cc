#include "carried_code.h"

#include <gtest/gtest.h>

namespace loci::cuda {
namespace {

TEST(CarriedCodeTest, PtxRunsOnItsDevicesAndOnNewerOnes) {
  const CarriedCode code("80-virtual");
  EXPECT_EQ(code.refusal(75), "8.0 is needed");
  for (const int capability : {80, 86, 90, 120}) EXPECT_EQ(code.refusal(capability), "");
}

TEST(CarriedCodeTest, MachineCodeRunsOnItsGenerationFromThereOn) {
  const CarriedCode code("86-real,90-real");
  EXPECT_EQ(code.refusal(80), "8.6 is needed");
  EXPECT_EQ(code.refusal(89), "");
  EXPECT_EQ(code.refusal(90), "");
  EXPECT_EQ(code.refusal(100), "the kernels are compiled for 8.6, 9.0 alone");
}

TEST(CarriedCodeTest, APlainNameIsBoth) {
  const CarriedCode code("80,90-real");
  EXPECT_EQ(code.refusal(75), "8.0 is needed");
  EXPECT_EQ(code.refusal(100), "");
}

TEST(CarriedCodeTest, CodeForOneDeviceOrGenerationRunsThereAlone) {
  EXPECT_EQ(CarriedCode("90a").refusal(90), "");
  EXPECT_EQ(CarriedCode("90a").refusal(100), "the kernels are compiled for 9.0 alone");
  EXPECT_EQ(CarriedCode("100f").refusal(103), "");
  EXPECT_EQ(CarriedCode("100f").refusal(120), "the kernels are compiled for 10.0 alone");
}

}  // namespace
}  // namespace loci::cuda

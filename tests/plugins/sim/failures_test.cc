#include "plugins/sim/failures.h"

#include "tests/plugins/sim/sim_rig.h"

namespace loci::sim {
namespace {

using ::testing::HasSubstr;

class FailuresTest : public ::testing::Test {
 protected:
  std::string copy() {
    return error_of(LOCI_CODE_FAILED, [&] {
      failures_.enter_call(failures_.faults().copy, LOCI_CODE_FAILED, "copy");
    });
  }
  void fail_with(const std::exception_ptr& error, const std::string& task,
                 std::uint64_t correlation = 0) {
    try {
      std::rethrow_exception(error);
    } catch (...) {
      failures_.keep_current(task, correlation);
    }
  }
  void rethrow() { failures_.rethrow(correlation_); }
  std::uint64_t correlation_ = 0;
  Failures failures_{parse_settings("fail_copy=3", {}), "sim:0"};
};

TEST_F(FailuresTest, TheNthCallFailsAndNoOther) {
  EXPECT_EQ(copy(), "");
  EXPECT_EQ(copy(), "");
  EXPECT_EQ(copy(), "[sim] sim:0: copy fails, as the settings of the device ask for");
  for (int i = 0; i < 5; ++i) EXPECT_EQ(copy(), "");
}

TEST_F(FailuresTest, FaultsCanBeSetAtAnyTime) {
  failures_.faults().copy = 1;
  EXPECT_NE(copy(), "");
  EXPECT_EQ(copy(), "");
}

TEST_F(FailuresTest, EachErrorOfATaskIsGivenOnceWithItsTaskAndItsCorrelation) {
  rethrow();
  fail_with(std::make_exception_ptr(sdk::Error(LOCI_CODE_DATA_LOSS, "first")), "relu", 7);
  fail_with(std::make_exception_ptr(sdk::Error(LOCI_CODE_FAILED, "second")), "scale", 5);
  EXPECT_EQ(error_of(LOCI_CODE_DATA_LOSS, [&] { rethrow(); }), "[sim] sim:0: relu: first");
  EXPECT_EQ(correlation_, 7U);
  EXPECT_EQ(error_of(LOCI_CODE_FAILED, [&] { rethrow(); }), "[sim] sim:0: scale: second");
  EXPECT_EQ(correlation_, 5U);
  EXPECT_EQ(error_of(LOCI_CODE_FAILED, [&] { rethrow(); }), "");
  EXPECT_EQ(correlation_, 0U);
}

TEST_F(FailuresTest, OneStandsForAllThatAreTooMany) {
  for (std::uint64_t i = 1; i <= 300; ++i) {
    fail_with(std::make_exception_ptr(sdk::Error(LOCI_CODE_FAILED, "odd")), "relu", i);
  }
  for (std::uint64_t i = 1; i <= 255; ++i) {
    EXPECT_NE(error_of(LOCI_CODE_FAILED, [&] { rethrow(); }), "");
    EXPECT_EQ(correlation_, i);
  }
  EXPECT_NE(error_of(LOCI_CODE_FAILED, [&] { rethrow(); }), "");
  EXPECT_EQ(correlation_, 0U);
  EXPECT_EQ(error_of(LOCI_CODE_FAILED, [&] { rethrow(); }), "");
}

TEST_F(FailuresTest, OtherExceptionsBecomeErrors) {
  fail_with(std::make_exception_ptr(std::bad_alloc()), "relu");
  EXPECT_THAT(error_of(LOCI_CODE_OUT_OF_MEMORY, [&] { rethrow(); }),
              HasSubstr("relu: no host memory is left"));
  fail_with(std::make_exception_ptr(std::logic_error("odd")), "relu");
  EXPECT_THAT(error_of(LOCI_CODE_INTERNAL, [&] { rethrow(); }), HasSubstr("relu: odd"));
}

TEST_F(FailuresTest, TheNthTaskFails) {
  failures_.faults().task = 2;
  EXPECT_TRUE(failures_.enter_task("relu"));
  EXPECT_NE(error_of(LOCI_CODE_FAILED, [&] { (void)failures_.enter_task("relu"); }), "");
  EXPECT_TRUE(failures_.enter_task("relu"));
}

TEST_F(FailuresTest, ALostDeviceStaysLost) {
  failures_.faults().lose = 2;
  EXPECT_TRUE(failures_.enter_task("relu"));
  EXPECT_NE(error_of(LOCI_CODE_DEVICE_LOST, [&] { (void)failures_.enter_task("gelu"); }), "");
  EXPECT_FALSE(failures_.enter_task("relu"));
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(error_of(LOCI_CODE_DEVICE_LOST, [&] { rethrow(); }),
                HasSubstr("sim:0 is lost: gelu took it along"));
    EXPECT_NE(
        error_of(LOCI_CODE_DEVICE_LOST,
                 [&] { failures_.enter_call(failures_.faults().copy, LOCI_CODE_FAILED, "copy"); }),
        "");
  }
}

}  // namespace
}  // namespace loci::sim

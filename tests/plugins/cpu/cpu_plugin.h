// The CPU plugin's kernels under test, with and without oneDNN, and comparison of values.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/kernel_driver.h"
#include "tests/support/paths.h"

namespace loci::testing {

inline constexpr std::array<loci_dtype, 4> kFloats = {LOCI_DTYPE_F16, LOCI_DTYPE_BF16,
                                                      LOCI_DTYPE_F32, LOCI_DTYPE_F64};
// The dtypes that oneDNN's kernels take.
inline constexpr std::array<loci_dtype, 3> kOneDnnFloats = {LOCI_DTYPE_F32, LOCI_DTYPE_BF16,
                                                            LOCI_DTYPE_F16};
inline constexpr std::array<loci_dtype, 12> kNumbers = {
    LOCI_DTYPE_I8,  LOCI_DTYPE_I16,  LOCI_DTYPE_I32, LOCI_DTYPE_I64,
    LOCI_DTYPE_U8,  LOCI_DTYPE_U16,  LOCI_DTYPE_U32, LOCI_DTYPE_U64,
    LOCI_DTYPE_F16, LOCI_DTYPE_BF16, LOCI_DTYPE_F32, LOCI_DTYPE_F64};

// LOCI_CPU_ISA, or nothing.
inline std::string limited_isa() {
  const char* isa = std::getenv("LOCI_CPU_ISA");
  return isa == nullptr ? "" : isa;
}

// One with the options, and the instruction set that all of a process have.
inline DrivenPlugin make_cpu_plugin(std::map<std::string, std::string> options = {}) {
  options.emplace("isa", limited_isa());
  return DrivenPlugin(open_plugin(test::plugin_file("cpu")), std::move(options));
}

inline DrivenPlugin& cpu_plugin() {
  static DrivenPlugin plugin = make_cpu_plugin();
  return plugin;
}

inline std::vector<Value> run(const Call& call) { return cpu_plugin().run(call); }
inline std::vector<double> run_one(const Call& call) { return to_doubles(run(call).at(0)); }

// Half a unit in the last place at 1.
inline double epsilon(loci_dtype dtype) {
  switch (dtype) {
    case LOCI_DTYPE_F16: return 0x1p-11;
    case LOCI_DTYPE_BF16: return 0x1p-8;
    case LOCI_DTYPE_F32: return 0x1p-24;
    case LOCI_DTYPE_F64: return 0x1p-53;
    default: return 0;
  }
}

// Each within absolute + relative * |expected|; NaN equals NaN.
inline void expect_near(const std::vector<double>& actual, const std::vector<double>& expected,
                        double relative, double absolute = 0) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (std::isnan(expected[i])) {
      EXPECT_TRUE(std::isnan(actual[i])) << "element " << i << " is " << actual[i];
    } else if (std::isinf(expected[i])) {
      EXPECT_EQ(actual[i], expected[i]) << "element " << i;
    } else {
      EXPECT_NEAR(actual[i], expected[i], absolute + relative * std::abs(expected[i]))
          << "element " << i;
    }
  }
}

}  // namespace loci::testing

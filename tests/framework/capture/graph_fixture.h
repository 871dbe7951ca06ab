// Graphs at every place that is there: "cpu" and "sim:0".
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <loci/loci.hpp>
#include <loci/plugins.hpp>
#include <string>
#include <vector>

#include "framework/core/config.h"
#include "tests/support/paths.h"

namespace loci::capture {

inline void use_plugins() {
  core::set_config_value("CPU_ONEDNN", "0");
  core::set_config_value("SIM", "devices=2,race=1,delay_us=20,seed=7");
  plugins::SearchOptions options;
  options.directories = {test::plugin_directory()};
  plugins::configure(options);
}

class CaptureTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    static const bool kDone = (use_plugins(), true);  // the process has them once
    (void)kDone;
  }
  static std::vector<float> floats(const Tensor& tensor) { return tensor.to_vector<float>(); }
};

class GraphTest : public CaptureTest, public ::testing::WithParamInterface<const char*> {
 protected:
  [[nodiscard]] Place place() const { return Place(GetParam()); }
  [[nodiscard]] Tensor vector(const std::vector<float>& elements) const {
    return Tensor::from(elements, {static_cast<std::int64_t>(elements.size())}).to(place());
  }
};

inline std::string place_name(const ::testing::TestParamInfo<const char*>& info) {
  return info.param[0] == 'c' ? "cpu" : "sim";
}

#define LOCI_GRAPH_PLACES(suite) \
  INSTANTIATE_TEST_SUITE_P(Places, suite, ::testing::Values("cpu", "sim:0"), place_name)

}  // namespace loci::capture

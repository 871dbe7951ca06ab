// Graphs at every place that is there: "cpu" and "sim:0", or the one that LOCI_TEST_GRAPH_PLACE
// names, such as "cuda:0", which is on the double of the driver then.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <loci/loci.hpp>
#include <loci/plugins.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "framework/core/config.h"
#include "tests/support/cuda_double.h"
#include "tests/support/paths.h"

namespace loci::capture {

inline std::vector<const char*> graph_places() {
  const char* place = std::getenv("LOCI_TEST_GRAPH_PLACE");
  return place == nullptr ? std::vector<const char*>{"cpu", "sim:0"} : std::vector{place};
}

inline void use_plugins() {
  test::use_cuda_double("checks=all,devices=2,seed=7");
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
  const std::string_view place = info.param;
  return std::string(place.substr(0, place.find(':')));
}

#define LOCI_GRAPH_PLACES(suite) \
  INSTANTIATE_TEST_SUITE_P(Places, suite, ::testing::ValuesIn(graph_places()), place_name)

}  // namespace loci::capture

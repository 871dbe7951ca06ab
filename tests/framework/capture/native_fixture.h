// Graphs of sim:0 with its capturer, in contexts of their own: each has settings of its own.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <loci/loci.hpp>
#include <loci/plugins.hpp>
#include <map>
#include <string>
#include <vector>

#include "framework/core/config.h"
#include "tests/support/paths.h"

namespace loci::capture {

// Settings by the name of the variable without LOCI_, such as SIM_GRAPH_FAIL_END.
using NativeSettings = std::map<std::string, std::string>;

enum class WithCapturer { kYes, kNo };

inline void in_native_context(const NativeSettings& settings, const std::function<void()>& body,
                              WithCapturer capturer = WithCapturer::kYes) {
  core::set_config_value("CPU_ONEDNN", "0");
  for (const auto& [name, value] : settings) core::set_config_value(name, value);
  {
    const Context context;
    const ContextGuard guard(context);
    plugins::SearchOptions options;
    options.files = {test::plugin_file("cpu"), test::plugin_file("sim"),
                     test::plugin_file("sim_graph")};
    if (capturer == WithCapturer::kNo) options.disabled_ids = {"org.loci.sim_graph"};
    plugins::configure(options);
    body();
  }
  for (const auto& [name, value] : settings) core::set_config_value(name, "");
}

inline Tensor on_sim(const std::vector<float>& elements) {
  return Tensor::from(elements, {static_cast<std::int64_t>(elements.size())}).to(Place("sim:0"));
}

// How many items each segment has, negative for those of the list.
inline std::vector<int> segment_sizes(const Graph& graph) {
  std::vector<int> sizes;
  for (const GraphSegment& segment : graph.stats().segments) {
    const int size = static_cast<int>(segment.items);
    sizes.push_back(segment.is_native ? size : -size);
  }
  return sizes;
}

}  // namespace loci::capture

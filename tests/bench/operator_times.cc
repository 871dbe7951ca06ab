#include "tests/bench/operator_times.h"

#include <algorithm>
#include <chrono>
#include <loci/profiler.hpp>
#include <stdexcept>
#include <string_view>

#include "framework/profiler/profile.h"
#include "framework/reporting/saved_profile.h"
#include "tests/bench/report.h"
#include "tests/support/scratch_directory.h"

namespace loci::bench {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr Seconds kLongEnough{0.4};
constexpr int kFewestRuns = 7;
constexpr int kMostRuns = 2000;  // of a call of microseconds, whose records would fill the memory

std::string text_of(loci_str text) { return {text.data, text.size}; }

bool is_operator(const loci_profile& profile, const loci_profile_node& node) {
  const std::uint32_t kind = profile.labels[node.label].kind;
  return (kind == LOCI_SPAN_OP || kind == LOCI_SPAN_GRADIENT) && node.calls > 0;
}

double median_us(const loci_profile& profile, const loci_profile_node& node) {
  std::vector<double> times;
  for (std::uint64_t i = 0; i < node.calls + node.parts; ++i) {
    const loci_profile_span& span = profile.spans[profile.node_spans[node.first_span + i]];
    if ((span.flags & LOCI_SPAN_PART) != 0) continue;
    times.push_back(static_cast<double>(span.end_ns - span.begin_ns) / 1000);
  }
  return median(std::move(times));
}

OperatorTime time_of(const loci_profile& profile, const loci_profile_node& node, int runs) {
  const loci_profile_label& label = profile.labels[node.label];
  const auto calls = static_cast<double>(node.calls);
  return {.name = text_of(label.name),
          .instance = text_of(label.instance),
          .kernel = text_of(label.kernel),
          .detail = text_of(label.detail),
          .runs = calls / runs,
          .us = median_us(profile, node),
          .flops = static_cast<double>(node.flops) / calls,
          .bytes = static_cast<double>(node.bytes) / calls};
}

int record(const std::function<void()>& call, const std::string& path) {
  call();
  Profiler profiler(ProfilerOptions().no_reporter().profile_path(path));
  int runs = 0;
  const auto start = std::chrono::steady_clock::now();
  const auto is_enough = [&] {
    return runs == kMostRuns ||
           (runs >= kFewestRuns && std::chrono::steady_clock::now() - start > kLongEnough);
  };
  for (; !is_enough(); ++runs) call();
  const std::vector<std::string> failures = profiler.stop();
  if (!failures.empty()) throw std::runtime_error(failures[0]);
  return runs;
}

}  // namespace

std::vector<OperatorTime> operator_times(const std::function<void()>& call) {
  const test::ScratchDirectory scratch;
  const int runs = record(call, scratch.path("profile"));
  const profiler::Profile opened = reporting::open_profile(scratch.path("profile"));
  const loci_profile& profile = opened.abi();
  std::vector<const loci_profile_node*> nodes;
  for (std::uint64_t i = 0; i < profile.node_count; ++i) {
    const loci_profile_node& node = profile.nodes[i];
    if (!is_operator(profile, node)) continue;
    nodes.push_back(&node);
    i += node.descendants;  // what an operator is made of counts as its own
  }
  std::sort(nodes.begin(), nodes.end(),
            [](const auto* a, const auto* b) { return a->first_order < b->first_order; });
  std::vector<OperatorTime> times;
  for (const loci_profile_node* node : nodes) times.push_back(time_of(profile, *node, runs));
  return times;
}

}  // namespace loci::bench

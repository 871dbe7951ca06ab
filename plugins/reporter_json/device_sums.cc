#include "plugins/reporter_json/device_sums.h"

#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "plugins/report_data/rates.h"

namespace loci::report {
namespace {

struct OfGraph {
  std::set<std::uint64_t> replays;
  std::uint64_t works = 0;
  std::uint64_t total_ns = 0;
};

struct OfCollective {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  std::uint64_t algorithm_bytes = 0;
  std::uint64_t total_ns = 0;
};

}  // namespace

void write_graphs(JsonWriter& json, const loci_profile& profile) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, OfGraph> graphs;
  for (const loci_profile_device_span& work : sdk::device_spans_of(profile)) {
    if (work.graph == 0) continue;
    OfGraph& graph = graphs[{work.device, work.graph}];
    graph.replays.insert(work.replay);
    ++graph.works;
    graph.total_ns += work.end_ns - work.begin_ns;
  }
  json.begin_array();
  for (const auto& [key, graph] : graphs) {
    json.begin_object()
        .member("device", key.first)
        .member("graph", key.second)
        .member("replays", std::uint64_t{graph.replays.size()})
        .member("works", graph.works)
        .member("total_ns", graph.total_ns)
        .end_object();
  }
  json.end_array();
}

void write_collectives(JsonWriter& json, const loci_profile& profile) {
  std::map<std::pair<std::uint32_t, std::string_view>, OfCollective> collectives;
  for (const loci_profile_device_span& work : sdk::device_spans_of(profile)) {
    if (work.algorithm_bytes == 0) continue;
    OfCollective& collective = collectives[{work.device, sdk::to_view(work.name)}];
    ++collective.calls;
    collective.bytes += work.bytes;
    collective.algorithm_bytes += work.algorithm_bytes;
    collective.total_ns += work.end_ns - work.begin_ns;
  }
  json.begin_array();
  for (const auto& [key, collective] : collectives) {
    json.begin_object()
        .member("device", key.first)
        .member("name", key.second)
        .member("calls", collective.calls)
        .member("bytes", collective.bytes)
        .member("algorithm_bytes", collective.algorithm_bytes)
        .member("total_ns", collective.total_ns)
        .member("bytes_per_s", rate(collective.bytes, collective.total_ns))
        .member("algorithm_bytes_per_s", rate(collective.algorithm_bytes, collective.total_ns))
        .end_object();
  }
  json.end_array();
}

}  // namespace loci::report

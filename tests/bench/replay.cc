// What a replay costs the host: over bare kernels on the CPU, and on sim, whose launches cost time.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <loci/loci.hpp>
#include <memory>
#include <string>
#include <vector>

#include "tests/bench/bare_adds.h"
#include "tests/bench/report.h"

namespace loci::bench {
namespace {

constexpr int kRepetitions = 21;

// v = v + y on one element; `ways` chains that are joined at the end.
Tensor chain(const Tensor& x, const Tensor& y, int ops, int ways) {
  std::vector<Tensor> values(static_cast<std::size_t>(ways), x);
  for (int i = 0; i + ways <= ops; ++i) {
    Tensor& value = values[static_cast<std::size_t>(i % ways)];
    value = value + y;
  }
  Tensor sum = values[0];
  for (int way = 1; way < ways; ++way) sum = sum + values[static_cast<std::size_t>(way)];
  return sum;
}

struct Captured {
  Captured(const Place& place, int ops, int ways)
      : x(full({1}, 1.0, kFloat32).to(place)), y(full({1}, 1.0, kFloat32).to(place)), graph(place) {
    graph.capture_begin();
    result = chain(x, y, ops, ways);
    graph.capture_end();
  }
  Tensor x;
  Tensor y;
  Tensor result;
  Graph graph;
};

void measure_cpu(Report* report, int ops, int ways) {
  Captured captured("cpu", ops, ways);
  BareAdds bare(ops);
  const auto replay = [&] {
    captured.graph.replay();
    (void)captured.result.read_data();
  };
  const auto plain = [&] { (void)chain(captured.x, captured.y, ops, ways).read_data(); };
  const std::vector<double> ns = median_ns(
      {{"replay", replay}, {"plain", plain}, {"bare", [&] { bare.run(); }}}, kRepetitions);
  const std::string what = std::to_string(ops) + " ops, " + std::to_string(ways) + " ways, cpu: ";
  report->add({what + "replay over bare kernels, per op",
               (ns[0] - ns[2]) / ops,
               "ns",
               true,
               "",
               {},
               ops >= 100 ? std::optional<double>(10) : std::nullopt});
  report->add({what + "replay", ns[0], "ns", true, "plain calls", ns[1], {}});
  report->add({what + "capture, per op",
               static_cast<double>(captured.graph.stats().capture_ns) / ops,
               "ns",
               true,
               "",
               {},
               ops >= 100 ? std::optional<double>(20'000) : std::nullopt});
}

// The call alone: the device's own time is sim's.
void measure_sim(Report* report, int ops, int ways) {
  Captured captured("sim:0", ops, ways);
  constexpr int kCalls = 4;
  const auto replay = [&] {
    for (int i = 0; i < kCalls; ++i) captured.graph.replay();
    (void)captured.result.item<float>();
  };
  const auto plain = [&] {
    Tensor last;
    for (int i = 0; i < kCalls; ++i) last = chain(captured.x, captured.y, ops, ways);
    (void)last.item<float>();
  };
  const std::vector<double> ns = median_ns({{"replay", replay}, {"plain", plain}}, 7);
  report->add({std::to_string(ops) + " ops, " + std::to_string(ways) +
                   " ways, sim without latency: replay, read back",
               ns[0] / kCalls,
               "ns",
               true,
               "plain calls",
               ns[1] / kCalls,
               {}});
}

// A graph that reads and writes many tensors of others.
void measure_guard(Report* report, int tensors) {
  const Tensor one = full({1}, 1.0, kFloat32);
  std::vector<Tensor> outside;
  for (int i = 0; i < tensors; ++i) outside.push_back(full({1}, 1.0, kFloat32));
  const auto capture = [&](Graph& graph, bool distinct) {
    graph.capture_begin();
    for (int i = 0; i < tensors; ++i) {
      outside[distinct ? static_cast<std::size_t>(i) : 0].add_(one);
    }
    graph.capture_end();
  };
  Graph many("cpu");
  Graph single("cpu");
  capture(many, true);
  capture(single, false);
  const std::vector<double> ns = median_ns({{"many",
                                             [&] {
                                               many.replay();
                                               (void)outside.back().read_data();
                                             }},
                                            {"single",
                                             [&] {
                                               single.replay();
                                               (void)outside.front().read_data();
                                             }}},
                                           kRepetitions);
  report->add({std::to_string(tensors) +
                   " tensors of others instead of one, per tensor: checked, ordered, counted",
               (ns[0] - ns[1]) / tensors,
               "ns",
               true,
               "",
               {},
               {}});
}

}  // namespace
}  // namespace loci::bench

int main(int argc, char** argv) {
  try {
    ::setenv("LOCI_SIM", "launch_us=0", /*overwrite=*/0);
    loci::bench::Report report("replay", argc, argv);
    for (const int ways : {1, 4}) {
      for (const int ops : {1, 10, 100, 1000, 10000}) {
        if (ops < ways) continue;
        loci::bench::measure_cpu(&report, ops, ways);
        if (ops >= 10 && ops <= 1000) loci::bench::measure_sim(&report, ops, ways);
      }
    }
    loci::bench::measure_guard(&report, 1000);
    report.print();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_replay: %s\n", error.what());
    return 1;
  }
}

// How near Loci comes to what the device does without it: products, convolutions, memory, small
// operators, copies, replays, and the cost of a profile. On the double of the driver it shows only
// that the programs work.
#include <cstdio>
#include <exception>
#include <loci/devices.hpp>
#include <loci/error.hpp>
#include <loci/loci.hpp>

#include "tests/bench/cuda_bench.h"

namespace loci::bench {
namespace {

void measure(Report* report) {
  const DeviceProperties properties = device_properties("cuda:0");
  const RawDevice device;
  const bool emulated = properties.name.find("(emulated)") != std::string::npos;
  const CudaBench bench{*report, device, emulated};
  report->note("device: " + properties.name + ", driver " + properties.driver);
  if (emulated) report->note("emulated on the processor: these times are of no GPU");
  measure_matmul(bench);
  measure_conv2d(bench);
  measure_bandwidth(bench);
  measure_latency(bench);
  measure_copies(bench);
  measure_replay(bench);
  measure_profiler(bench);
  measure_transformer(bench);
}

}  // namespace
}  // namespace loci::bench

int main(int argc, char** argv) {
  try {
    loci::bench::Report report("cuda", argc, argv);
    loci::bench::measure(&report);
    report.print();
    return 0;
  } catch (const loci::Error& error) {
    std::fprintf(stderr, "bench_cuda: %s\n%s\n", error.what(), error.details().c_str());
    return 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_cuda: %s\n", error.what());
    return 1;
  }
}

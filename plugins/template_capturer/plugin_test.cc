// Captures and replays a graph with the plugin whose file is the argument. Ends with 77 where no
// plugin brings the device.
#include <cstdio>
#include <exception>
#include <loci/loci.hpp>
#include <vector>

namespace {

bool has_device() {
  for (const loci::plugins::Candidate& candidate : loci::plugins::report()) {
    if (candidate.kinds == std::vector<std::string>{"backend"} &&
        candidate.device_types == std::vector<std::string>{"sample"}) {
      return true;
    }
  }
  return false;
}

bool replays() {
  const loci::Place place("sample:0");
  const loci::Tensor x = loci::Tensor::from<float>({-1.0F, 3.0F}, {2}).to(place);
  loci::Graph graph(place);
  graph.capture_begin();
  const loci::Tensor y = loci::scale(loci::relu(x), 2.0, 1.0);
  graph.capture_end();
  graph.replay();
  if (y.to_vector<float>() != std::vector<float>{1.0F, 7.0F}) return false;
  x.copy_(loci::Tensor::from<float>({5.0F, -2.0F}, {2}).to(place));
  graph.replay();
  const std::vector<loci::GraphSegment> segments = graph.stats().segments;
  for (const loci::GraphSegment& segment : segments) {
    std::printf("%s\n", segment.is_native ? "a device graph" : segment.reason.c_str());
  }
  return segments.size() == 1 && segments[0].is_native &&
         y.to_vector<float>() == std::vector<float>{11.0F, 1.0F};
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 2) return 2;
    loci::plugins::SearchOptions search;
    search.files = {argv[1]};
    loci::plugins::configure(search);
    if (!has_device()) return 77;
    return replays() ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

// A transformer's inference, captured as a graph, against PyTorch with the same weights: eager,
// compiled, and as CUDA graphs. Each call is waited for.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <loci/loci.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/bench/cuda_bench.h"
#include "tests/bench/encoder.h"
#include "tests/bench/live_peer.h"
#include "tests/bench/turns.h"
#include "tests/support/scratch_directory.h"

namespace loci::bench {
namespace {

constexpr TurnOptions kTurns{.seconds = 0.1, .budget_ratio = 1.0};

struct Precision {
  DType dtype;
  double tolerance;  // of the differences from the peer's results, as a share of these
};
// Each layer of bfloat16 rounds what it adds up some times, and not where the peer does.
constexpr std::array<Precision, 2> kPrecisions = {{{kFloat32, 1e-4}, {kBFloat16, 3e-2}}};

// Compares norms: of 100,000 elements some differ by five times what most do.
void require_near(const std::string& row, const std::vector<double>& ours,
                  const std::vector<double>& theirs, double tolerance) {
  if (ours.size() != theirs.size()) throw std::runtime_error(row + ": the sizes differ");
  double differences = 0;
  double all = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    differences += (ours[i] - theirs[i]) * (ours[i] - theirs[i]);
    all += theirs[i] * theirs[i];
  }
  const double share = std::sqrt(differences / all);
  if (share <= tolerance) return;  // not so where one is NaN
  throw std::runtime_error(fmt::format(
      "{}: the results differ by {:.2g} of the peer's, and may by {}", row, share, tolerance));
}

class Comparison {
 public:
  Comparison(const CudaBench& bench, LivePeer* peer) : bench_(bench), peer_(peer) {}

  void measure(const std::string& row, const EncoderSizes& sizes, std::int64_t length,
               const Precision& precision) {
    seed(7);
    const std::shared_ptr<nn::Module> net = encoder(sizes, precision.dtype);
    net->eval();
    net->to("cuda:0");
    const Tensor input = cast(randn({1, length, sizes.width}), precision.dtype).to("cuda:0");
    CompileOptions options;
    options.capture = GraphCapture::kAuto;
    options.fallback = FallbackPolicy::kError;
    const CompiledFunction compiled =
        compile([&](const auto& in) { return std::vector<Tensor>{net->forward(in[0])}; }, {input},
                {}, options);
    // The first run is plain, the second captures.
    for (int i = 0; i < 3; ++i) (void)compiled({input});
    const std::vector<std::string> peers = set_up_peers(compiled, input, precision.dtype);
    if (!peers.empty()) {
      require_near(row, doubles(compiled({input})[0]), doubles(io::load_npy(out())),
                   precision.tolerance);
    }
    add_row(row, compiled, input, peers);
  }

 private:
  void add_row(const std::string& row, const CompiledFunction& compiled, const Tensor& input,
               const std::vector<std::string>& peers) {
    const auto call = [&] {
      (void)compiled({input});
      synchronize("cuda:0");
    };
    bench_.add(bench_.emulated ? Row{row, bench_.us_in_turns({{call, [] {}}})[0], "us"}
                               : time_in_turns(row, call, peer_, peers, kTurns));
  }

  // Those that compute the program, on the same device, or on the processor instead of the double.
  std::vector<std::string> set_up_peers(const CompiledFunction& compiled, const Tensor& input,
                                        DType dtype) {
    if (!peer_->is_up()) return {};
    compiled.save(scratch_.path("model"));
    io::save_npy(scratch_.path("in.npy"), cast(input, kFloat32));
    const nlohmann::json answer = peer_->ask({{"model", scratch_.path("model")},
                                              {"input", scratch_.path("in.npy")},
                                              {"dtype", dtype_name(dtype)},
                                              {"device", bench_.emulated ? "cpu" : "cuda"},
                                              {"out", out()}});
    for (const auto& absent : answer.at("absent")) bench_.report.note(absent.get<std::string>());
    return answer.at("peers");
  }

  [[nodiscard]] std::string out() const { return scratch_.path("out.npy"); }

  static std::vector<double> doubles(const Tensor& tensor) {
    return cast(tensor.to("cpu"), kFloat64).to_vector<double>();
  }

  const CudaBench& bench_;
  LivePeer* peer_;
  test::ScratchDirectory scratch_;
};

}  // namespace

void measure_transformer(const CudaBench& bench) {
  const EncoderSizes sizes{bench.sized(12, 2), bench.sized(768, 32), bench.sized(12, 2)};
  const std::int64_t length = bench.sized(128, 8);
  const NoGrad inference;
  std::optional<LivePeer> peer;
  for (const Precision& precision : kPrecisions) {
    const std::string row = fmt::format("transformer: {} layers of {}, {} tokens, {}", sizes.layers,
                                        sizes.width, length, dtype_name(precision.dtype));
    if (!bench.report.is_wanted(row)) continue;
    if (!peer && !peer.emplace("cuda_models.py").is_up()) {
      bench.report.note("PyTorch: " + peer->why());
    }
    Comparison(bench, &*peer).measure(row, sizes, length, precision);
  }
}

}  // namespace loci::bench

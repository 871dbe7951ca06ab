// How long `loci run` takes from its start to the first result, on a model of the digits example's
// form.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <loci/loci.hpp>
#include <stdexcept>
#include <string>

#include "tests/bench/peer.h"
#include "tests/bench/report.h"
#include "tests/support/paths.h"
#include "tests/support/subprocess.h"

namespace loci::bench {
namespace {

constexpr int kRepetitions = 41;
constexpr double kBudgetMs = 30;

// A directory that goes with this object.
class ScratchDirectory {
 public:
  ScratchDirectory() : path_((std::filesystem::temp_directory_path() / "loci-XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot make " + path_);
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  [[nodiscard]] std::string path(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

void save_model(const std::string& path) {
  const Program main;
  const Program startup;
  const ProgramGuard building(main, startup);
  const Variable image = data("image", {-1, 1, 8, 8}, kFloat32);
  const Variable hidden = relu(layers::conv2d(image, 16, 3, {.paddings = {1, 1}}));
  const Variable result = softmax(layers::fc(flatten(pool2d(hidden)), 10));
  Scope scope;
  Executor("cpu", CompileOptions(), scope).run(startup);
  io::save_inference_model(path, main, {image}, {result}, scope);
}

void run_model(const std::string& model) {
  const test::Finished finished = test::run_process(
      {test::build_path("bin/loci"), "run", model, "--feed", "image=random:10x1x8x8"});
  if (finished.exit_code != 0) throw std::runtime_error(finished.err);
}

void measure(Report* report) {
  const ScratchDirectory scratch;
  save_model(scratch.path("model"));
  const std::string model = scratch.path("model");
  const std::vector<double> ns =
      median_ns({{"loci run", [&] { run_model(model); }},
                 {"empty process", [] { (void)test::run_process({"/bin/true"}); }}},
                kRepetitions);
  std::string why;
  const auto peer = run_peer("onnxruntime_startup.py", scratch.path("model.onnx") + " 15", &why);
  if (!peer) report->note("ONNX Runtime: " + why);
  report->add({"loci run to the first result", ns[0] / 1e6, "ms", true,
               "ONNX Runtime, import to the first result",
               peer ? std::optional<double>(peer->at("first_result_ms")) : std::nullopt,
               kBudgetMs});
  report->add({"of it an empty process", ns[1] / 1e6, "ms", true, "", {}, {}});
}

}  // namespace
}  // namespace loci::bench

int main(int argc, char** argv) {
  try {
    loci::bench::Report report("startup", argc, argv);
    loci::bench::measure(&report);
    report.print();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_startup: %s\n", error.what());
    return 1;
  }
}

// Runs a program on the device of the plugin whose file is the argument.
#include <cstdio>
#include <exception>
#include <loci/loci.hpp>
#include <vector>

namespace {

std::vector<float> run() {
  const loci::Program program;
  const loci::ProgramGuard building(program);
  const loci::Variable x = loci::data("x", {-1}, loci::kFloat32);
  const loci::Variable y = loci::scale(loci::relu(x), 2.0, 1.0);
  loci::CompileOptions options;
  options.fallback = loci::FallbackPolicy::kError;  // nothing runs on the CPU instead
  loci::Executor executor("sample:0", options);
  const loci::Tensor fed = loci::Tensor::from<float>({-1.0F, 0.0F, 3.0F}, {3});
  return executor.run(program, {{"x", fed}}, {y})[0].to_vector<float>();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 2) return 2;
    loci::plugins::SearchOptions search;
    search.files = {argv[1]};
    loci::plugins::configure(search);
    const std::vector<float> result = run();
    for (const float value : result) std::printf("%g ", static_cast<double>(value));
    return result == std::vector<float>{1.0F, 1.0F, 7.0F} ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

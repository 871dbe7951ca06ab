// Runs an operator on the backend whose directory is the argument, and one on the CPU.
#include <cstdio>
#include <exception>
#include <loci/loci.hpp>

int main(int argc, char** argv) {
  try {
    if (argc != 2) return 2;
    loci::plugins::SearchOptions search;
    search.directories = {argv[1]};
    loci::plugins::configure(search);
    const loci::Program main_program;
    const loci::ProgramGuard building(main_program);
    const loci::Variable x = loci::data("x", {-1}, loci::kFloat32);
    const loci::Variable y = loci::softmax(loci::relu(x));
    loci::CompileOptions options;
    options.fallback = loci::FallbackPolicy::kAllow;
    loci::Executor executor("toy:0", options);
    const loci::Tensor fed = loci::Tensor::from<float>({-1.0F, 0.0F}, {2});
    const auto fetched = executor.run(main_program, {{"x", fed}}, {y});
    std::printf("%s\n", fetched[0].to_string().c_str());
    return fetched[0].to_vector<float>() == std::vector<float>{0.5F, 0.5F} ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

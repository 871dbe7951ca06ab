// An application that calls one function of the library first, whose name it is given. It says what
// that threw, takes the wrong variables back, and computes: as a host process does that must not
// end.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <loci/loci.hpp>
#include <map>
#include <string>
#include <thread>

namespace {

using Calls = std::map<std::string, std::function<void()>>;

// Without what it throws: a file that is not there, once the environment is right.
void load() {
  try {
    (void)loci::io::load_model("/no/such/model");
  } catch (const loci::Error& error) {
    if (error.code() == loci::ErrorCode::kInvalidArgument) throw;
  }
}

const Calls& calls() {
  static const Calls all{
      {"threads", [] { (void)loci::config::threads(); }},
      {"devices", [] { (void)loci::devices(); }},
      {"is_available", [] { (void)loci::is_available("gpu"); }},
      {"tensor",
       [] {
         (void)loci::Tensor::from<float>({1, 2}, {2});
       }},
      {"ones", [] { (void)loci::ones({2}); }},
      {"rand", [] { (void)loci::rand({2}); }},
      {"seed", [] { loci::seed(7); }},
      {"set_log_levels", [] { loci::config::set_log_levels("io=warn"); }},
      {"program", [] { const loci::Program program; }},
      {"executor", [] { const loci::Executor executor("cpu"); }},
      {"load", load},
      {"profiler", [] { const loci::Profiler profiler; }},
      {"synchronize", [] { loci::synchronize(); }},
  };
  return all;
}

// Returns true if it threw; says what.
bool fails(const std::function<void()>& call) {
  try {
    call();
    return false;
  } catch (const loci::Error& error) {
    const std::string code(loci::error_code_name(error.code()));
    std::printf("caught %s: %s\n", code.c_str(), error.what());
    return true;
  }
}

void call_first(const std::string& name) {
  if (name == "thread") {
    std::thread([] { (void)fails(calls().at("ones")); }).join();
  } else {
    (void)fails(calls().at(name));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  call_first(argv[1]);
  for (const char* name : {"LOCI_THREADS", "LOCI_SEED", "LOCI_MEMORY_LIMIT", "LOCI_LOG"}) {
    unsetenv(name);
  }
  const loci::Tensor sum = loci::ones({2}) + 2.0;
  const auto values = sum.to_vector<float>();
  std::printf("corrected: %g %g\n", static_cast<double>(values[0]), static_cast<double>(values[1]));
  return 0;
}

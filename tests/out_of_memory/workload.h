// Workloads run while memory runs out.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace loci::oom {

struct Workload {
  std::string name;
  // From the first use of Loci in a process on. Always gives the same numbers, also a second time.
  std::function<std::vector<float>()> run;
};

// `directory` is for files, and empty. "load" needs what make_model() has left there.
std::vector<Workload> make_workloads(const std::string& directory);
void make_model(const std::string& directory);

}  // namespace loci::oom

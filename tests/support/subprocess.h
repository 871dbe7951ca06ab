// Running a program and reading what it prints.
#pragma once

#include <string>
#include <vector>

namespace loci::test {

struct Finished {
  int exit_code = -1;  // 128 + the signal if one ended it, as a shell says it
  std::string out;
  std::string err;
};

// Runs arguments[0], a path, with the others as arguments, no input, and this process's
// environment with `environment` ("NAME=value") over it. Returns when it ended. Throws
// std::system_error if it cannot be started.
Finished run_process(const std::vector<std::string>& arguments,
                     const std::vector<std::string>& environment = {});

}  // namespace loci::test

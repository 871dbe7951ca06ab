// A program that is watched while it runs.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace loci::test {

enum class OutputEnd { kPipe, kTerminal };

class LiveProcess {
 public:
  // Runs arguments[0], a path, with this process's environment and `environment` ("NAME=value")
  // over it. Its output goes to the pipe or the terminal, and to the terminal its errors go too.
  // Throws std::system_error if it cannot be started.
  LiveProcess(const std::vector<std::string>& arguments, OutputEnd end,
              const std::vector<std::string>& environment = {});
  // Ends it, if it still runs.
  ~LiveProcess();
  LiveProcess(const LiveProcess&) = delete;
  LiveProcess& operator=(const LiveProcess&) = delete;

  // Returns what the process writes up to and with the first occurrence of `text`; all that is left
  // if it does not come.
  std::string read_until(const std::string& text);
  [[nodiscard]] bool is_running() const;

 private:
  pid_t id_ = -1;
  int reader_ = -1;
};

}  // namespace loci::test

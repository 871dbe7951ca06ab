#include "tests/plugins/reporter_classic/golden.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tests/support/paths.h"

namespace loci::classic {

std::string golden(const std::string& file) {
  const std::string path =
      test::source_path("tests/plugins/reporter_classic/golden/" + std::string(file));
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error(path + " cannot be read");
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::map<std::string, std::string> goldens(const std::string& file) {
  std::istringstream lines(golden(file));
  std::map<std::string, std::string> reports;
  std::string* report = nullptr;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("==== ", 0) == 0) {
      report = &reports[line.substr(5)];
    } else if (report != nullptr) {
      report->append(line).append("\n");
    }
  }
  return reports;
}

}  // namespace loci::classic

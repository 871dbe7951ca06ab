// Profiles ranges with the reporter of the plugin whose file is the argument, and reads the report.
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <loci/loci.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

// Returns the report of a session with three short ranges and a long one.
std::string report_with(const std::string& options) {
  loci::Profiler profiler(loci::ProfilerOptions().reporter("sample" + options + "=report.txt"));
  for (int i = 0; i < 3; ++i) const loci::ProfileRange range("short");
  {
    const loci::ProfileRange range("long");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  for (const std::string& failure : profiler.stop()) require(false, failure);
  std::ifstream file("report.txt");
  return {std::istreambuf_iterator<char>(file), {}};
}

void check_rows() {
  const std::string report = report_with("");
  const std::size_t first = report.find(" 1  long\n");
  const std::size_t second = report.find(" 3  short\n");
  require(first != std::string::npos && second != std::string::npos && first < second,
          "the rows are not those of the session:\n" + report);
  require(report.find("dropped 0, truncated 0\n") != std::string::npos, "there is no quality");
}

void check_options() {
  const std::string report = report_with(":rows=1,quality=off");
  require(report.find("long") != std::string::npos && report.find("short") == std::string::npos &&
              report.find("dropped") == std::string::npos,
          "the options do not count:\n" + report);
  try {
    report_with(":row=1");
  } catch (const loci::Error& error) {
    require(std::string(error.what()).find("quality, rows") != std::string::npos, error.what());
    return;
  }
  require(false, "an unknown option is taken");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 2) return 2;
    loci::plugins::SearchOptions search;
    search.files = {argv[1]};
    loci::plugins::configure(search);
    check_rows();
    check_options();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

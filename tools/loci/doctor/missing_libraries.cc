#include "tools/loci/doctor/missing_libraries.h"

#include <link.h>

#include <algorithm>
#include <sstream>
#include <system_error>

#include "tools/loci/child_process.h"

namespace loci::runner {
namespace {

// Takes the interpreter from the first object, which is the program.
int find_interpreter(dl_phdr_info* object, std::size_t /*size*/, void* data) {
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_INTERP) continue;
    *static_cast<std::string*>(data) =
        reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr);
  }
  return 1;
}

}  // namespace

std::vector<std::string> not_found_in(const std::string& listing) {
  static const std::string kMark = " => not found";
  std::vector<std::string> missing;
  std::istringstream lines(listing);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t mark = line.find(kMark);
    const std::size_t begin = line.find_first_not_of(" \t");
    if (mark == std::string::npos || begin >= mark) continue;
    const std::string soname = line.substr(begin, mark - begin);
    if (std::find(missing.begin(), missing.end(), soname) == missing.end()) {
      missing.push_back(soname);
    }
  }
  return missing;
}

std::vector<std::string> missing_libraries(const std::string& path) {
  std::string linker;
  ::dl_iterate_phdr(find_interpreter, &linker);
  if (linker.empty()) return {};
  try {
    ChildCommand command;
    // Not --list, which ends at the first one that is missing.
    command.arguments = {linker, path};
    command.environment = {"LD_TRACE_LOADED_OBJECTS=1"};
    return not_found_in(run_child(command).out);
  } catch (const std::system_error&) {
    return {};
  }
}

}  // namespace loci::runner

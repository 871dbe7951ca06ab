#include "dot_files.h"

#include <filesystem>
#include <system_error>

namespace loci::cuda_graph {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT, "[cuda_graph] " + what);
}

}  // namespace

DotFiles::DotFiles(const sdk::Options& options) {
  for (const auto& [key, value] : options) {
    if (key != "dot") {
      refuse("there is no setting '" + key + "' (given '" + value + "'); there is dot");
    }
    std::error_code ignored;
    if (!std::filesystem::is_directory(value, ignored)) {
      refuse("LOCI_CUDA_GRAPH_DOT is '" + value + "', which is no directory; make it first");
    }
    directory_ = value;
  }
}

void DotFiles::write(const Driver& driver, const Captured& captured) {
  if (directory_.empty()) return;
  const std::string path = directory_ + "/cuda-graph-" + std::to_string(++count_) + ".dot";
  driver.check(driver->cuGraphDebugDotPrint(captured.handle(), path.c_str(),
                                            CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE),
               "drawing a graph to '" + path + "'");
}

}  // namespace loci::cuda_graph

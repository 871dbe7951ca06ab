#include "settings.h"

#include <filesystem>
#include <loci/plugin/error.hpp>
#include <system_error>

namespace loci::cuda_graph {
namespace {

[[noreturn]] void refuse_setting(const std::string& what) {
  throw sdk::Error(LOCI_CODE_INVALID_ARGUMENT, "[cuda_graph] " + what);
}

std::string directory_of(const std::string& value) {
  std::error_code ignored;
  if (std::filesystem::is_directory(value, ignored)) return value;
  refuse_setting("LOCI_CUDA_GRAPH_DOT is '" + value + "', which is no directory; make it first");
}

std::string library_of(const std::string& value) {
  std::error_code ignored;
  if (value == "0" || std::filesystem::is_regular_file(value, ignored)) return value;
  refuse_setting("LOCI_CUDA_GRAPH_CUDADEVRT is '" + value +
                 "', which is no file; give the path of libcudadevrt.a, or 0 for none");
}

}  // namespace

Settings settings_of(const sdk::Options& options) {
  Settings settings;
  for (const auto& [key, value] : options) {
    if (key == "dot") {
      settings.dot = directory_of(value);
    } else if (key == "cudadevrt") {
      settings.cudadevrt = library_of(value);
    } else {
      refuse_setting("there is no setting '" + key + "' (given '" + value +
                     "'); there are cudadevrt and dot");
    }
  }
  return settings;
}

}  // namespace loci::cuda_graph

// The environment variable LOCI_CUDNN_DOUBLE sets these, separated by commas:
//   version=8907      what cudnnGetVersion() says
//   cudart=14000      what cudnnGetCudartVersion() says
//   parts=mixed       libraries of another version lie beside it
//   refuse=heuristics, refuse=launch, refuse=fused, refuse=create   by CUDNN_STATUS_NOT_SUPPORTED
#pragma once

#include <cstddef>
#include <string>

namespace loci::cudnn_double {

struct Settings {
  std::size_t version = 92600;
  std::size_t cudart = 13000;
  bool has_mixed_parts = false;
  std::string refused;
};

// Read when first asked for. What it does not know is told on stderr.
const Settings& settings();

}  // namespace loci::cudnn_double

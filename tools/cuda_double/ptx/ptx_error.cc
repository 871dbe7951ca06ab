#include "tools/cuda_double/ptx/ptx_error.h"

#include <fmt/format.h>

namespace loci::cuda_double {

PtxError::PtxError(Kind kind, const std::string& name, std::uint32_t line,
                   const std::string& message)
    : std::runtime_error(fmt::format("[{}:{}] {}", name, line, message)),
      kind_(kind),
      line_(line) {}

}  // namespace loci::cuda_double

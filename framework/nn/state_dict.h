// How a state fits a module.
#pragma once

#include <loci/error.hpp>
#include <loci/io.hpp>
#include <loci/nn/module.hpp>
#include <string>

namespace loci {
inline namespace v0 {
namespace nn {

// Tells which part of `state` fits tensors like those of `own`; lists are in `own`'s order, but
// `unexpected` in that of `state`. A key that occurs again is unexpected.
[[nodiscard]] io::LoadReport compare_states(const StateDict& state, const StateDict& own);

// The error of a state that does not fit a module of this type; `report` does not fit. All names
// are in its details.
[[nodiscard]] Error misfit(const io::LoadReport& report, const std::string& type,
                           ErrorCode code = ErrorCode::kInvalidArgument);

}  // namespace nn
}  // namespace v0
}  // namespace loci

#include <loci/nn/state_file.hpp>

#include "framework/io/safetensors.h"
#include "framework/nn/state_dict.h"

namespace loci {
inline namespace v0 {
namespace nn {

void save_parameters(const std::string& path, const Module& module) {
  io::NamedTensors tensors;
  for (const auto& [name, tensor] : module.state_dict()) tensors.emplace(name, tensor);
  io::save_safetensors(path, tensors);
}

StateDict load_state(const std::string& path) {
  const io::SafetensorsFile file(path);
  StateDict state;
  for (const io::SafetensorsEntry& entry : file.entries()) {
    state.emplace_back(entry.name, file.load(entry));
  }
  return state;
}

io::LoadReport load_parameters(const std::string& path, Module& module, bool strict) {
  const StateDict state = load_state(path);
  const io::LoadReport report = compare_states(state, module.state_dict());
  if (strict && !report.fits()) {
    throw misfit(report, module.type(), ErrorCode::kDataLoss).within(path);
  }
  return module.load_state_dict(state, strict);
}

}  // namespace nn
}  // namespace v0
}  // namespace loci

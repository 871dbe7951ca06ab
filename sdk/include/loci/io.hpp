// Files: npy arrays, safetensors, program directories.
#pragma once

#include <loci/export.hpp>
#include <loci/program.hpp>
#include <loci/scope.hpp>
#include <loci/tensor.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace loci {
inline namespace v0 {
namespace io {

// All functions throw Error(kNotFound) for a file that is not there, kDataLoss with file, field
// and reason for a malformed one, kInvalidArgument for what the format cannot hold, and kFailed for
// a file that cannot be read or written. Writers replace a file only once it is whole. Loaded
// tensors are on the host; tensors elsewhere are copied there to be saved.

// NumPy's .npy, versions 1 to 3, little or big endian, C or Fortran order. There is no bfloat16 in
// it: cast to float32 first.
LOCI_PUBLIC Tensor load_npy(const std::string& path);
LOCI_PUBLIC void save_npy(const std::string& path, const Tensor& tensor);

using NamedTensors = std::map<std::string, Tensor>;
LOCI_PUBLIC NamedTensors load_safetensors(const std::string& path);
LOCI_PUBLIC void save_safetensors(const std::string& path, const NamedTensors& tensors);

// A program directory: program.json, and weights.safetensors with the persistable variables.
struct Model {
  Program main;
  std::optional<Program> startup;
  NamedTensors weights;
  bool has_weights = false;
};

// Saves what computes `fetches` from `feeds`, as Program::clone_for_test() has it, with the
// parameters from `scope`.
LOCI_PUBLIC void save_inference_model(const std::string& directory, const Program& program,
                                      const std::vector<Variable>& feeds,
                                      const std::vector<Variable>& fetches,
                                      const Scope& scope = global_scope());
// Saves the whole of both programs; weights only if a scope is given.
LOCI_PUBLIC void save_program(const std::string& directory, const Program& main,
                              const Program& startup, const Scope* scope = nullptr);
LOCI_PUBLIC Model load_model(const std::string& directory);

}  // namespace io
}  // namespace v0
}  // namespace loci

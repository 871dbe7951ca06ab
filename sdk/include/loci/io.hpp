// Files: npy arrays and npz archives of them, safetensors, program directories.
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
// a file that cannot be read or written. Writers replace a file only once it is whole and on the
// disk, so that whoever is interrupted leaves the old one. Loaded tensors are on the host; tensors
// elsewhere are copied there to be saved.

// NumPy's .npy, versions 1 to 3, little or big endian, C or Fortran order. There is no bfloat16 in
// it: cast to float32 first.
LOCI_PUBLIC Tensor load_npy(const std::string& path);
LOCI_PUBLIC void save_npy(const std::string& path, const Tensor& tensor);

using NamedTensors = std::map<std::string, Tensor>;

// NumPy's .npz: a zip archive of npy files, each called after its array, which numpy.savez() and
// savez_compressed() make. An array's name is that of its member without ".npy", whatever it looks
// like: nothing is unpacked to a path. Refused with kDataLoss, file and member: encryption, other
// compression than deflate, two arrays of one name, and sizes that the file cannot hold.
// An array of 4 GiB or more is written, for NumPy, but refused here where the zip library cannot
// read its size.
LOCI_PUBLIC NamedTensors load_npz(const std::string& path);
// One of the arrays. Throws Error(kNotFound) with similar names if there is none of that name.
LOCI_PUBLIC Tensor load_npz(const std::string& path, const std::string& name);
// The arrays' names, in the order of the file. Reads none of them.
LOCI_PUBLIC std::vector<std::string> npz_names(const std::string& path);
// Without compression, as numpy.savez(). The same tensors make the same bytes.
LOCI_PUBLIC void save_npz(const std::string& path, const NamedTensors& tensors);

LOCI_PUBLIC NamedTensors load_safetensors(const std::string& path);
LOCI_PUBLIC void save_safetensors(const std::string& path, const NamedTensors& tensors);
// One of the tensors. Throws Error(kNotFound) with similar names if there is none of that name.
LOCI_PUBLIC Tensor load_safetensors(const std::string& path, const std::string& name);

// A file of one tensor, .npy, .npz or .safetensors by its extension; in the latter two it is called
// "tensor", and is loaded whatever its name is. Throws Error(kInvalidArgument) for another
// extension and for a file with another number of tensors.
LOCI_PUBLIC Tensor load_tensor(const std::string& path);
LOCI_PUBLIC void save_tensor(const std::string& path, const Tensor& tensor);

// All tensors of a scope, in one safetensors file.
LOCI_PUBLIC void save_scope(const std::string& path, const Scope& scope = global_scope());
// Sets what the file has; other names of the scope keep their tensors. A tensor goes into the
// storage of its name where dtype and shape are the same, on whichever device that lies, and comes
// to lie on the host otherwise.
LOCI_PUBLIC void load_scope(const std::string& path, const Scope& scope = global_scope());

// How the tensors of a file fit the persistable variables of a program.
struct LoadReport {
  struct Mismatch {
    std::string name;
    std::string reason;  // "is float32 [2], but the program declares float32 [3]"
  };

  std::vector<std::string> loaded;
  std::vector<std::string> missing;     // of the program, not in the file
  std::vector<std::string> unexpected;  // in the file, not of the program
  std::vector<Mismatch> mismatched;     // of another dtype or shape than the program's

  [[nodiscard]] bool fits() const noexcept {
    return missing.empty() && unexpected.empty() && mismatched.empty();
  }
};

// The persistable variables of a program (parameters, statistics, random state if there is any), in
// one safetensors file. Throws Error(kNotFound) that names those that the scope lacks.
LOCI_PUBLIC void save_parameters(const std::string& path, const Program& program,
                                 const Scope& scope = global_scope());
// Loads them, from such a file or from a program directory, as load_scope() does. `prefix`, such as
// "module.", is taken off the names in the file that begin with it. Throws Error(kDataLoss) that
// names every missing, unexpected and mismatched tensor, with the prefix that would make them fit
// if there is one, and changes nothing then.
LOCI_PUBLIC void load_parameters(const std::string& path, const Program& program,
                                 const Scope& scope = global_scope(),
                                 const std::string& prefix = {});
// Loads those that fit, leaves the others as they are, and says which are which, by the names
// without the prefix.
LOCI_PUBLIC LoadReport load_fitting_parameters(const std::string& path, const Program& program,
                                               const Scope& scope = global_scope(),
                                               const std::string& prefix = {});

// A program directory: program.json, and the persistable variables in weights-<digest>.safetensors,
// which program.json names. In a directory whose program.json names none, they are in
// weights.safetensors.
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
//
// A model is replaced as a whole: while it is saved, and after a save that was interrupted, the
// directory has the old one or the new. Of several who save there at once, one wins. Weights that
// no program.json names any more are removed.
LOCI_PUBLIC void save_program(const std::string& directory, const Program& main,
                              const Program& startup, const Scope* scope = nullptr);

struct LoadOptions {
  // True to compare all of the weights with their digest. Their length and header are compared
  // anyway.
  bool check_content = false;
};
// Throws Error(kDataLoss) for weights that are not those that were saved with the program.
LOCI_PUBLIC Model load_model(const std::string& directory, const LoadOptions& options = {});

}  // namespace io
}  // namespace v0
}  // namespace loci

// States of modules in files.
#pragma once

#include <loci/export.hpp>
#include <loci/io.hpp>
#include <loci/nn/module.hpp>
#include <string>

namespace loci {
inline namespace v0 {
namespace nn {

// The state of a module, in one safetensors file. Errors are those of loci/io.hpp.
LOCI_PUBLIC void save_parameters(const std::string& path, const Module& module);

// Loads it as Module::load_state_dict() does; the error for one that does not fit is kDataLoss and
// names the file.
LOCI_PUBLIC io::LoadReport load_parameters(const std::string& path, Module& module,
                                           bool strict = true);

// The tensors of a safetensors file, on the host, in the order of their bytes.
LOCI_PUBLIC StateDict load_state(const std::string& path);

}  // namespace nn
}  // namespace v0
}  // namespace loci

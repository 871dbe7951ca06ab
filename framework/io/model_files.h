// The files of a program directory, as they belong together.
#pragma once

#include <memory>
#include <string>

#include "framework/io/safetensors.h"
#include "framework/program/json_form.h"

namespace loci {
inline namespace v0 {
namespace io {

struct ModelFiles {
  program::ParsedPrograms programs;
  std::unique_ptr<SafetensorsFile> weights;  // open; null if there are none
};

// Reads the programs, and opens the weights that they name, or else those of the plain name if
// there are any. While another process saves a model there, this gives the old one or the new.
// Throws Error(kNotFound, kDataLoss, kFailed); kDataLoss if the weights have another length or
// header than the program file says.
ModelFiles open_model_files(const std::string& directory);

}  // namespace io
}  // namespace v0
}  // namespace loci

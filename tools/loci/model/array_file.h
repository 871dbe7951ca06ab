// Files of arrays, as --feed and --fetch name them.
#pragma once

#include <loci/tensor.hpp>
#include <string>

namespace loci::runner {

// F.npy, or an array of an archive: F.npz:ARRAY, or F.npz where its name goes without saying. What
// comes through a pipe (see piped_file.h), as -, says itself which of them it is.
struct ArrayFile {
  std::string path;
  std::string array = {};  // of an archive; empty: it goes without saying
  bool is_archive = false;
  bool is_piped = false;

  // "F.npz:ARRAY", for reports.
  [[nodiscard]] std::string text() const;
};

// Nothing of it is read. An ARRAY may be empty for what is missing after the colon.
ArrayFile parse_array_file(const std::string& text);
// Likewise, for what is read: F may also be a pipe, or - with an ARRAY or without.
ArrayFile parse_input_file(const std::string& text);

// Throws what loci::io throws.
Tensor load_array(const ArrayFile& file);

}  // namespace loci::runner

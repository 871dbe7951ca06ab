// Files of arrays, as --feed and --fetch name them.
#pragma once

#include <loci/tensor.hpp>
#include <string>

namespace loci::runner {

// F.npy, or an array of an archive: F.npz:ARRAY, or F.npz where its name goes without saying.
struct ArrayFile {
  std::string path;
  std::string array = {};  // of an archive; empty: it goes without saying
  bool is_archive = false;

  // "F.npz:ARRAY", for reports.
  [[nodiscard]] std::string text() const;
};

// Nothing of it is read. An ARRAY may be empty for what is missing after the colon.
ArrayFile parse_array_file(const std::string& text);

// Throws what loci::io throws.
Tensor load_array(const ArrayFile& file);

}  // namespace loci::runner

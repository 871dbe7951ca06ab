// The facts in a program file about the weights beside it: the member "weights".
//
//   "weights": {"file": "weights-0123456789abcdef.safetensors", "bytes": 1234,
//               "header": "xxh64:...", "content": "xxh64:..."}
//
// null says that there are none. A file without the member says nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace loci::program {

class Field;

struct WeightsFile {
  std::string name;  // in the directory of the program file
  std::uint64_t bytes = 0;
  std::uint64_t header = 0;   // core::Digest of all before the tensors' bytes
  std::uint64_t content = 0;  // of the whole file
};

struct WeightsRecord {
  bool is_given = false;
  std::optional<WeightsFile> file;
};

// Reads the record at a file's top level. The name it gives is one without directories.
WeightsRecord read_weights_record(const Field& root);

// Adds the member to what to_json() returned.
void add_weights_record(std::string& json, const WeightsRecord& record);

}  // namespace loci::program

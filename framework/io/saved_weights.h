// Weights on their way into a program directory, into a file that is named for what is in it:
// weights-<digest>.safetensors. The program file names it (see weights_record.h) and is replaced
// last, so that whoever reads that has the weights that belong to it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "framework/core/directory_lock.h"
#include "framework/core/input_file.h"
#include "framework/core/temporary_file.h"
#include "framework/io/safetensors.h"
#include "framework/program/weights_record.h"

namespace loci {
inline namespace v0 {
namespace io {

// Where weights are that no program file names.
inline constexpr const char* kUnnamedWeights = "weights.safetensors";

// All functions throw Error(kFailed) with the file and the system's reason.
class NewWeights {
 public:
  // Writes them into a temporary file of the directory, unless a file with the same content is
  // there. Refers to the image.
  NewWeights(std::string directory, const SafetensorsImage& image);

  [[nodiscard]] const program::WeightsFile& record() const { return record_; }

 private:
  friend class PlacedWeights;

  bool find_equal();
  void write();
  void write_again();

  std::string directory_;
  const SafetensorsImage& image_;
  program::WeightsFile record_;
  std::unique_ptr<core::InputFile> equal_;
  std::optional<core::TemporaryFile> temporary_;
};

// Weights under their name, which goes again unless keep() is called. The lock is one on their
// directory, and outlives this.
class PlacedWeights {
 public:
  PlacedWeights(NewWeights& weights, const core::DirectoryLock& lock);
  ~PlacedWeights();
  PlacedWeights(const PlacedWeights&) = delete;
  PlacedWeights& operator=(const PlacedWeights&) = delete;

  // A program file names them now.
  void keep();

 private:
  std::string path_;
  bool is_mine_ = false;
};

// The file that the program file of a directory names, or would have to lie there for one that
// names none; empty if there are no weights.
std::string named_weights(const std::string& directory);

// Removes weights that the program file of the directory does not name: all but `named`. Without
// the lock only `before`, which it named before, and what is older than a day, because another
// writer may be about to name the others. What cannot be removed stays, with a warning.
void remove_other_weights(const std::string& directory, const std::string& named,
                          const std::string& before, bool is_locked);

}  // namespace io
}  // namespace v0
}  // namespace loci

// Outputs that are no files of their own.
#pragma once

#include <memory>
#include <string>

#include "framework/core/output_file.h"

namespace loci::core {

// Opens a path that is written as data comes, since nothing can replace it: a descriptor of this
// process, as /dev/stdout and /dev/fd/3 name it, or a character device such as /dev/null. Null for
// all other paths. Throws Error(kFailed) for one that cannot be opened.
std::unique_ptr<OutputFile> open_stream_target(const std::string& path);

}  // namespace loci::core

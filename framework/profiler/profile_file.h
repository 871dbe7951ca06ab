// Profiles on the disk.
#pragma once

#include <string>

#include "framework/profiler/recording.h"

namespace loci::profiler {

// Writes the file whole or not at all: an older file of that name stays until then. Throws
// Error(kFailed) with the file and the system's reason.
void write_profile(const Recording& recording, const std::string& path);

// Writes a profile that nobody gave a name into a new file in $TMPDIR or /tmp that only this user
// may read, under a name that nobody can foresee. Returns its path.
std::string rescue_profile(const Recording& recording);

// Reads a profile from a file. Throws Error with the file and what is wrong in it: kNotFound if it
// is not there, kDataLoss if it is no profile, or one that is damaged or truncated, kIncompatible
// if it is of another version or from a machine of another byte order. Takes no more memory than a
// small multiple of the file's size. The recording is sound (see soundness.h).
Recording read_profile(const std::string& path);

}  // namespace loci::profiler

// The manifest of a shared library, read from its file.
#pragma once

#include <cstdint>
#include <string>

namespace loci::plugin {

// The largest manifest, in bytes.
inline constexpr std::uint64_t kMaxManifestBytes = 64 * 1024;

// The text of the manifest note (loci/abi/manifest.h), without mapping or running the library.
// Every offset and size in the file is checked against the file; so are the parts that the dynamic
// linker would map, as it does not survive a file that was cut short. Throws LoadError:
// kNotFound or kPermissionDenied if the file cannot be opened, kDataLoss if it is damaged, no ELF
// file or has no manifest, kIncompatible if it is for another kind of machine.
std::string read_manifest_note(const std::string& path);
std::string read_manifest_note(int descriptor);  // of an open file, wherever it is read

// Returns the linker's note that tells one build from another, in hexadecimal; empty without one.
// Throws LoadError as above, except for want of a manifest.
std::string read_build_id(const std::string& path);
std::string read_build_id(int descriptor);

}  // namespace loci::plugin

// Fuzz targets demand this of a plugin's manifest.
#pragma once

#include <string_view>

#include "framework/plugin/manifest.h"

namespace loci::fuzz {

// That every member keeps the bounds of manifest.h, and that the manifest written as JSON is read
// as the same one.
void check_manifest(const plugin::Manifest& manifest);

}  // namespace loci::fuzz

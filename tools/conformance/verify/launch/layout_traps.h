// The level ops tries the plugin's own layouts with these (see launch_traps.h).
#pragma once

#include <loci/abi/kernels.h>

#include <string>

#include "tools/conformance/verify/launch/launch_copy.h"

namespace loci::verify {

// Fills memory that comes in such a layout with ones, of which NaN is made, in stream order: what
// its writer leaves as it is, no reader may hang on.
void soil(const LaunchPlace& place, const loci_view& target, loci_stream* stream);
// The outputs of a launch that come so and lie in no input's memory.
void soil_outputs(const LaunchPlace& place, const loci_launch& launch,
                  const ArgumentCounts& counts);

// A relayout, to be made again on memory of its own.
struct Relayout {
  decltype(loci_kernels_api::relayout) function;
  loci_plugin* plugin;
  loci_device* device;
  const loci_view* source;
  const loci_view* target;
  loci_stream* stream;
};

// Returns a sentence that says what is wrong: the relayout writes behind its target, or other bytes
// each time. Empty if nothing is, or it cannot be tried. `layout` is as the plugin says it.
std::string rehearse_relayout(const Relayout& relayout, const LaunchPlace& place,
                              const std::string& layout);

}  // namespace loci::verify

// Parts of a profile as JSON objects and arrays. The names of their fields are stable: a field may
// come, none goes or changes its meaning. Times are integers in nanoseconds, rates per second.
#pragma once

#include <loci/abi/profile.h>

#include "plugins/report_data/json_writer.h"

namespace loci::report {

void write_session(JsonWriter& json, const loci_profile& profile);
void write_threads(JsonWriter& json, const loci_profile& profile);
void write_devices(JsonWriter& json, const loci_profile& profile);
void write_steps(JsonWriter& json, const loci_profile& profile);
void write_tensors(JsonWriter& json, const loci_profile& profile);
void write_quality(JsonWriter& json, const loci_profile_quality& quality);

}  // namespace loci::report

// The events of a profile for the page, column by column. Each function writes one JSON object;
// page/script/events.js reads them. What begins at `until_ns` or later is left out.
#pragma once

#include <loci/abi/profile.h>

#include <cstdint>

#include "plugins/report_data/json_writer.h"

namespace loci::report {

void write_span_columns(JsonWriter& json, const loci_profile& profile, std::uint64_t until_ns);
void write_device_columns(JsonWriter& json, const loci_profile& profile, std::uint64_t until_ns);
void write_memory_columns(JsonWriter& json, const loci_profile& profile, std::uint64_t until_ns);
void write_gap_columns(JsonWriter& json, const loci_profile& profile, std::uint64_t until_ns);
void write_step_columns(JsonWriter& json, const loci_profile& profile);

}  // namespace loci::report

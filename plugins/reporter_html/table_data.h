// The tables of a profile for the page, each one JSON array of rows that are arrays;
// page/script/profile.js names their cells.
#pragma once

#include <loci/abi/profile.h>

#include "plugins/report_data/json_writer.h"

namespace loci::report {

void write_label_rows(JsonWriter& json, const loci_profile& profile);
void write_node_rows(JsonWriter& json, const loci_profile& profile);
void write_copy_rows(JsonWriter& json, const loci_profile& profile);

}  // namespace loci::report

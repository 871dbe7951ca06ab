// Device work of graphs and collectives, summed.
#pragma once

#include <loci/plugin/reporter.hpp>

#include "plugins/report_data/json_writer.h"

namespace loci::report {

// An array: an object for each device and captured graph that ran on it, by their numbers.
void write_graphs(JsonWriter& json, const loci_profile& profile);
// An array: an object for each device and collective by name.
void write_collectives(JsonWriter& json, const loci_profile& profile);

}  // namespace loci::report

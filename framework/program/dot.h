// Programs as Graphviz text.
#pragma once

#include <string>

#include "framework/program/program_impl.h"

namespace loci::program {

// A directed graph: operators are boxes, data variables ellipses, persistable ones cylinders; an
// edge is a value, labelled with its name, dtype and shape. Ids follow program order.
std::string to_dot(const ProgramImpl& program);

}  // namespace loci::program

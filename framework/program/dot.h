// Programs as Graphviz text.
#pragma once

#include <string>
#include <string_view>

#include "framework/program/program_impl.h"

namespace loci::program {

// A directed graph: operators are boxes, data variables ellipses, persistable ones cylinders; an
// edge is a value, labelled with its name, dtype and shape. Ids follow program order.
std::string to_dot(const ProgramImpl& program);

// A text as a string of the language, without control characters.
std::string dot_string(std::string_view text);

}  // namespace loci::program

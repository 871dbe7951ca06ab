// The facts of a profile about where it was made.
#pragma once

#include <string>

namespace loci::reporting {

// Name of the executable, without its folder.
std::string this_program();
// The version of Loci: "0.1.0".
std::string this_version();
// The build id of libloci, or of the executable that has it built in; empty without one.
std::string this_build();
// "AMD EPYC 9B14, 2 cores, Linux 6.1".
std::string this_machine();

}  // namespace loci::reporting

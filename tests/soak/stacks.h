// Where the threads of this process are.
#pragma once

#include <string>

namespace loci::soak {

// A paragraph for each other thread: its number, its name and the functions that it is in, the
// innermost first. One thread at a time calls it. Threads that are deaf to signals are left out,
// with a word.
std::string stacks_of_threads();

}  // namespace loci::soak

// A function of the user's as work of a stream.
#pragma once

#include <functional>

namespace loci::eager {

using HostFunction = std::function<void()>;

// Calls it. Whatever it throws is an Error then, or std::bad_alloc.
void run_host_function(const HostFunction& function);

}  // namespace loci::eager

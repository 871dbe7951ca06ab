// Sessions made by hand, whose reports lie in golden/.
#pragma once

#include "framework/profiler/profile.h"

namespace loci::classic {

// Three runs on one thread: operators with phases, two of one type, one that holds others, a
// gradient, copies within phases and outside, a range of the application, parts of the framework, a
// wait, calls of a device's interface, and a range that was open at the end.
profiler::Profile one_thread();
// Has one_thread(), and a second thread with two runs of its own.
profiler::Profile two_threads();

// A run that waits 283.36 ms while two threads compute for 308.2119 ms.
profiler::Profile spread_run();

}  // namespace loci::classic

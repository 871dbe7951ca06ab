// Says of a process that dies because a plugin read what was lent to it that this was the cause.
#pragma once

namespace loci::verify {

// Handles SIGSEGV from now on, and lets it end the process all the same.
void explain_faults();

}  // namespace loci::verify

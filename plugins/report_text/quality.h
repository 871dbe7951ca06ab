// How far the figures of a profile can be trusted; every report ends with it.
#pragma once

#include <loci/abi/profile.h>

#include <string>
#include <vector>

namespace loci::report_text {

struct QualityFact {
  std::string name;
  std::string value;
};

// Records that were lost, spans cut off, device work that no span launched, the clock, what
// recording cost, by how much the accounting of the threads is off, and notes.
std::vector<QualityFact> quality_facts(const loci_profile& profile);

// The facts as aligned lines.
std::string quality_lines(const loci_profile& profile);

// The facts in a line for a screen: "dropped records 0, cut-off spans 0, ...".
std::string quality_sentence(const loci_profile& profile);

}  // namespace loci::report_text

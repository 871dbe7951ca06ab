// Peers measured in the same run: programs in other runtimes, which tools/setup --peers installs.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace loci::bench {

// The Python that has the peers, or the one that LOCI_PEERS_PYTHON names; empty if there is none.
std::filesystem::path peers_python();

// The path of peers/<name>; LOCI_PEERS_SCRIPTS names another folder of scripts.
std::string peer_script(const std::string& name);

// Runs a script of peers/ with the peers' Python and the arguments, and returns the figures that it
// prints as one JSON object. Nothing if the peer is not installed or fails; `why` then says so.
std::optional<std::map<std::string, double>> run_peer(const std::string& script,
                                                      const std::string& arguments,
                                                      std::string* why);

}  // namespace loci::bench

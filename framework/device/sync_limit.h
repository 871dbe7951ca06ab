// How long the host waits for a device: LOCI_SYNC_TIMEOUT.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

namespace loci::device {

// None: for ever, as a wait of the device's own does. Costs two loads, so that each wait may ask.
std::optional<std::chrono::seconds> sync_limit();

// Asks until `is_done` says so, more and more seldom; false if the limit is over before.
bool wait_until(const std::function<bool()>& is_done, std::chrono::nanoseconds limit);

}  // namespace loci::device

// The range that external profilers of vendors record.
#pragma once

#include <string_view>

namespace loci::reporting {

// Ranges may nest and overlap, on any threads; the first begins it on the backends of the devices
// that are open, the last ends it on the same. What a backend says against it is logged. Locked
// only while backends are told.
void begin_external_range(std::string_view name, std::string_view info);
void end_external_range() noexcept;

}  // namespace loci::reporting

// The names that the classic report gives copies.
#pragma once

#include <loci/abi/profile.h>

#include <string>
#include <string_view>

namespace loci::classic {

// Returns true if the place "sim:0" is of an accelerator: as the profile's devices say, and any but
// the host's where they do not name it. An empty place is the host's.
bool is_accelerator(const loci_profile& profile, std::string_view place);

// "GpuMemcpySync:CPU->GPU", "GpuMemcpyAsync(same_gpu):GPU->GPU", "GpuMemcpyPeerAsync:GPU->GPU" for
// a copy with at least one end on an accelerator, Sync if the thread waited for it. Empty for one
// within the host's memory: it has no scope, so its time is that of the scope around it.
std::string copy_name(const loci_profile& profile, const loci_profile_label& label, bool waited);

// "CPUPlace", "CUDAPlace(0)"; "GPUPlace(0)" for an accelerator that is not of type cuda.
std::string place_name(const loci_profile& profile, std::string_view place);

}  // namespace loci::classic

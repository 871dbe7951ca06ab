// Constants in the layouts that kernels like.
#pragma once

#include <cstdint>
#include <loci/tensor.hpp>
#include <memory>

#include "framework/device/backend.h"
#include "framework/device/device.h"
#include "framework/tensor/packed_form.h"

namespace loci::transfer {

// For whom a constant is packed.
struct Packing {
  const device::KernelLibrary* library = nullptr;  // whose layout it is, and whose relayout packs
  device::Device* device = nullptr;                // in whose memory the constant lies
  std::uint32_t layout = 0;                        // interned by the library's plugin
  const char* variable = "";                       // the constant's name; interned
  const char* consumer = "";                       // an operator; interned
};

// The constant's elements in that layout: packed when they are first asked for, and again only once
// they may have changed. The host waits, and the ledger has a row of reason kPack. No work may be
// writing the constant. Thread-safe. Throws Error(kOutOfMemory), and what the plugin failed with.
std::shared_ptr<const tensor::PackedForm> packed(const Tensor& constant, const Packing& packing);

}  // namespace loci::transfer

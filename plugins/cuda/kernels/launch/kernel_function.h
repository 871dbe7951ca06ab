// A function of an image, as a prepared kernel launches it.
#pragma once

#include <cstdint>
#include <limits>
#include <loci/plugin/kernel.hpp>
#include <string>
#include <string_view>

#include "kernels/launch/block_threads.h"
#include "module_cache.h"

namespace loci::cuda {

class Device;

// "exp_f32": how the images name what there is of each dtype.
std::string typed_name(std::string_view stem, loci_dtype dtype);

// The dtype as which the images have an integer whose sign, or any element whose meaning, makes no
// difference: unsigned, of as many bytes.
loci_dtype as_unsigned(loci_dtype dtype);
loci_dtype of_size(std::uint64_t bytes);

// The elements in 16 bytes.
std::int64_t lanes_of(loci_dtype dtype);
// The items of a kernel whose threads load and store 16 bytes at once: of so many elements, the
// last maybe fewer.
std::int64_t vectors_of(std::int64_t count, loci_dtype dtype);

// How much there is to do, and in how many blocks at most, each with so much shared memory of its
// own besides what the function declares. Blocks have fewer threads only of functions that take any
// number of them, and where one block is all.
struct LaunchSize {
  std::int64_t items;
  std::int64_t most_blocks = std::numeric_limits<std::int32_t>::max();
  std::uint32_t shared_bytes = 0;
  std::uint32_t threads = kBlockThreads;
};

inline constexpr std::uint32_t kMostSharedBytes = 99 * 1024;

// A function whose threads take turns at items, so that any grid does. Immutable.
class KernelFunction {
 public:
  // Loads the image if no function of it was asked for. Throws Error.
  KernelFunction(const sdk::Prepare& prepare, const KernelImage& image, const std::string& name);
  // Loads a function whose launches may have so many bytes of shared memory, more than there are
  // without asking: all devices have kMostSharedBytes.
  KernelFunction(const sdk::Prepare& prepare, const KernelImage& image, const std::string& name,
                 std::uint32_t shared_bytes);
  // Takes a function of another module of the device's.
  KernelFunction(Device& device, CUfunction function);

  // Enqueues it with these arguments, which have the types of its parameters, unless there is no
  // item. Addresses in them lie within arguments of the launch or its workspace, and are whole
  // words (see RecordedLaunches); what they are aligned to beyond 16 bytes makes no difference.
  // Throws Error.
  template <class... Args>
  void launch(const sdk::Launch& launch, const LaunchSize& size, Args... arguments) const {
    void* pointers[] = {&arguments...};
    enqueue(launch, size, pointers);
  }
  template <class... Args>
  void launch(const sdk::Launch& launch, std::int64_t items, Args... arguments) const {
    this->launch(launch, LaunchSize{items}, arguments...);
  }
  // With the addresses of the arguments, one for each parameter.
  void enqueue(const sdk::Launch& launch, const LaunchSize& size, void** arguments) const;

 private:
  Device& device_;
  CUfunction function_;
  std::int64_t most_blocks_;
};

}  // namespace loci::cuda

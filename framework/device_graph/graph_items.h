// The items that a device graph is recorded from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "framework/device/device.h"

namespace loci::device_graph {

// Where an argument of an item lies on the device.
struct Address {
  static constexpr std::uint32_t kWorkspace = ~std::uint32_t{0};

  std::size_t item = 0;
  std::uint32_t argument = 0;  // flat: inputs, then outputs; or kWorkspace
  void* data = nullptr;
};
using AddressVisitor = std::function<void(const Address&)>;

// Launches and copies within a device, numbered in the order in which they are issued.
class GraphItems {
 public:
  virtual ~GraphItems() = default;
  // A word for it: "relu", "copy".
  [[nodiscard]] virtual std::string type(std::size_t item) const = 0;
  // Into a stream that records. Throws Error with the item.
  virtual void issue_captured(std::size_t item, const device::Device& device,
                              loci_stream* stream) const = 0;
  // The items that it waits for, all before it; null: the one before it, and nothing else.
  [[nodiscard]] virtual const std::vector<std::uint32_t>* dependencies(
      [[maybe_unused]] std::size_t item) const {
    return nullptr;
  }
  // Visits the addresses of the launches in [first, last), always in the same order.
  virtual void visit_addresses(std::size_t first, std::size_t last,
                               const AddressVisitor& visit) const = 0;
};

}  // namespace loci::device_graph

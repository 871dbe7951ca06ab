// Asks a plugin's tables for the ops, kernels and devices that it brings. The manifest tells less:
// a backend may have kernels for another plugin's devices and no device of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "tools/conformance/verify/ops/own_op.h"
#include "tools/conformance/verify/subject.h"

namespace loci::verify {

struct Brought {
  bool asked = false;  // false: it could not be asked, and nothing is known
  bool has_device_table = false;
  std::uint32_t devices = 0;  // 0 without that table too
  std::vector<OwnOp> ops = {};
  std::set<std::string> kernel_ops = {};  // that it has kernels for
  std::set<std::string> alias_ops = {};   // of which one says that an output may lie in an input
  std::set<std::string> layout_ops = {};  // of which one is LOCI_KERNEL_OWN_LAYOUTS
};

// Asks it in a process of its own.
Brought ask_what_it_brings(const Target& target, std::chrono::milliseconds patience);

}  // namespace loci::verify

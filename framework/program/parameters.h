// Persistable variables together with what gives them their first value.
#pragma once

#include <loci/program.hpp>
#include <memory>
#include <optional>
#include <string>

#include "framework/program/program_impl.h"

namespace loci::program {

struct PersistableSpec {
  std::string name;
  Shape shape;
  DType dtype = kFloat32;
  Initializer init;
  bool trainable = false;
  std::optional<std::string> guard = {};  // its place; the current DeviceGuard's if not given
};

// Adds the variable to `main` and to `startup`, where an operator initialises it; both under the
// current DeviceGuard. Throws Error(kInvalidArgument); both programs are unchanged then.
Variable add_persistable(const std::shared_ptr<ProgramImpl>& main, ProgramImpl& startup,
                         const PersistableSpec& spec);

}  // namespace loci::program

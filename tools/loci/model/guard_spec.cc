#include "tools/loci/model/guard_spec.h"

#include <fmt/format.h>

#include "tools/loci/failure.h"
#include "tools/loci/shown.h"

namespace loci::runner {
namespace {

[[noreturn]] void refuse_guard(const std::string& argument, const std::string& reason) {
  throw Failure(ExitCode::kUsage, fmt::format("[--guard] {}: {}", shown(argument), reason));
}

}  // namespace

GuardSpec parse_guard(const std::string& argument) {
  const std::size_t equals = argument.rfind('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == argument.size()) {
    refuse_guard(argument, "write REGEX=PLACE, such as embedding.*=cpu");
  }
  try {
    return {argument.substr(0, equals), Place(argument.substr(equals + 1))};
  } catch (const Error& error) {
    refuse_guard(argument, error.what());
  }
}

void apply_guards(const std::vector<GuardSpec>& guards, const io::Model& model) {
  const Program startup = model.startup ? *model.startup : Program();
  for (const GuardSpec& guard : guards) {
    std::size_t count = 0;
    try {
      count = guard_operators(model.main, startup, guard.pattern, guard.place);
    } catch (const Error& error) {
      refuse_guard(guard.pattern, error.what());
    }
    if (count == 0) {
      refuse_guard(
          guard.pattern,
          "no operator has a name, a type or an output variable that it matches as a whole; "
          "`loci show` lists them");
    }
  }
}

}  // namespace loci::runner

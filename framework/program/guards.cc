#include <fmt/format.h>

#include <loci/program.hpp>
#include <utility>
#include <vector>

#include "framework/core/per_thread.h"
#include "framework/program/builder.h"
#include "framework/program/guard_text.h"

namespace loci {
namespace program {
namespace {

struct ProgramPair {
  Program main;
  Program startup;
};

struct Guards {
  std::vector<std::string> devices;
  std::vector<ProgramPair> programs{1};  // the first one is there without any guard
};

std::vector<std::string>& device_guards() { return core::PerThread<Guards>::get().devices; }
std::vector<ProgramPair>& program_guards() { return core::PerThread<Guards>::get().programs; }

}  // namespace

std::size_t program_guard_depth() { return program_guards().size(); }

std::string guard_text(const Place& place) {
  return place.has_index() ? place.to_string() : place.type();
}

const std::string& current_guard() {
  static const std::string& none = *new std::string();
  const std::vector<std::string>& stack = device_guards();
  return stack.empty() ? none : stack.back();
}

GuardTextScope::GuardTextScope(std::string guard) { device_guards().push_back(std::move(guard)); }
GuardTextScope::~GuardTextScope() { device_guards().pop_back(); }

}  // namespace program

inline namespace v0 {

Program default_main_program() { return program::program_guards().back().main; }
Program default_startup_program() { return program::program_guards().back().startup; }

ProgramGuard::ProgramGuard(Program main, Program startup) {
  program::program_guards().push_back({std::move(main), std::move(startup)});
}
ProgramGuard::~ProgramGuard() { program::program_guards().pop_back(); }

DeviceGuard::DeviceGuard(const Place& place) {
  program::device_guards().push_back(program::guard_text(place));
}
DeviceGuard::~DeviceGuard() { program::device_guards().pop_back(); }

}  // namespace v0
}  // namespace loci

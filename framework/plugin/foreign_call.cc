#include "framework/plugin/foreign_call.h"

namespace loci::plugin {
namespace {

thread_local const CallWatch::Function* current_watch = nullptr;

}  // namespace

CallWatch::CallWatch(const Function& told) { current_watch = &told; }

CallWatch::~CallWatch() { current_watch = nullptr; }

void announce_call(std::string_view function) {
  if (current_watch != nullptr) (*current_watch)(function);
}

}  // namespace loci::plugin

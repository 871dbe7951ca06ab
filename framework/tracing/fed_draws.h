// Programs that draw what the thread which runs them would draw.
#pragma once

#include <string_view>

#include "framework/program/program_impl.h"

namespace loci::tracing {

// The variable that such a program is fed with, uint64[3]: see eager::take_draws().
inline constexpr const char* kFedDraws = "@draws";

// Has the program take its random state from the feed instead of the scope. Whether it draws any.
bool feed_draws(program::ProgramImpl& program);

}  // namespace loci::tracing

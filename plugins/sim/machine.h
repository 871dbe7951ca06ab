// The machine that the devices of the plugin have in common.
#pragma once

#include <memory>

#include "plugins/sim/pinned_memory.h"
#include "plugins/sim/profile_source.h"
#include "plugins/sim/race_checker.h"
#include "plugins/sim/settings.h"
#include "plugins/sim/time_model.h"

namespace loci::sim {

struct Machine {
  explicit Machine(const Settings& given)
      : settings(given),
        time(given),
        races(given.race ? std::make_unique<RaceChecker>() : nullptr) {}

  const Settings settings;
  const TimeModel time;
  const std::unique_ptr<RaceChecker> races;  // none unless the setting race is on
  PinnedMemory pinned;
  ProfileSource profile;
};

}  // namespace loci::sim

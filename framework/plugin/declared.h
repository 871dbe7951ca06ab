// The declarations of a candidate's manifest, and why the candidate does not bring what these name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/plugin/loader.h"

namespace loci::plugin {

// False without a manifest.
bool is_of_kind(const Record& record, const InterfaceKind& kind);
// The names in the manifest's list of the kind; none for a kind without a list.
const std::vector<std::string>& declared_names(const Record& record, const InterfaceKind& kind);
// Tells if the plugin is of the kind and declares that name, or is of the kind if none is given.
bool declares(const Record& record, const InterfaceKind& kind,
              std::optional<std::string_view> name = {});

// Why a candidate does not bring what it declares; empty if it does.
std::string reason_against(const Record& record);

}  // namespace loci::plugin

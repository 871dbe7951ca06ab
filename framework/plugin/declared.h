// What a candidate's manifest says that it brings, and why it does not.
#pragma once

#include <string>
#include <string_view>

#include "framework/plugin/loader.h"

namespace loci::plugin {

// All false without a manifest.
bool is_backend_for(const Record& record, std::string_view device_type);
bool is_capturer_for(const Record& record, std::string_view device_type);
bool brings_ops(const Record& record);
bool brings_reporter(const Record& record, std::string_view name);

// Why a candidate does not bring what it declares; empty if it does.
std::string reason_against(const Record& record);

}  // namespace loci::plugin

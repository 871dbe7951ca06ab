// The numbers by which CUPTI knows the functions of the driver.
#pragma once

#include <cstdint>
#include <string_view>

namespace loci::cupti_double {

// Takes a call's name with its version; 0: the driver's double has no such function.
[[nodiscard]] std::uint32_t number_of_call(std::string_view name);
// NULL: there is no such number here.
[[nodiscard]] const char* name_of_call(std::uint32_t number);

}  // namespace loci::cupti_double

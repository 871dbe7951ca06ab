// Figures in the unit that suits their size.
#pragma once

#include <cstdint>
#include <string>

namespace loci::report_text {

// Prints a time as nvprof does: "302ns", "12.639us", "85.285ms" with five significant digits,
// "2.68361s" with six.
std::string scaled_time(std::uint64_t nanoseconds);

// "512 B", "1.5 KiB", "5.59 GiB": three significant digits.
std::string scaled_bytes(std::uint64_t bytes);

// Bytes over time in units of 10^9 bytes per second: 1 GB in 10 ms is "100 GB/s". Three significant
// digits, "-" where one of the two is not known.
std::string throughput(std::uint64_t bytes, std::uint64_t nanoseconds);
// Operations over time, with three significant digits: "1.23 GFLOP/s"; "-" if one is not known.
std::string speed(std::uint64_t flops, std::uint64_t nanoseconds);

// Part of the whole in percent with one decimal: "12.5 %"; "-" for a part of nothing.
std::string percent(std::uint64_t part, std::uint64_t whole);

}  // namespace loci::report_text

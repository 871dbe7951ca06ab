#include "tools/cuda_double/driver/visible_devices.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string_view>

namespace loci::cuda_double {
namespace {

// -1 for an entry that is no number.
int number_of(std::string_view entry) {
  while (!entry.empty() && entry.front() == ' ') entry.remove_prefix(1);
  while (!entry.empty() && entry.back() == ' ') entry.remove_suffix(1);
  int number = -1;
  const auto [end, error] = std::from_chars(entry.data(), entry.data() + entry.size(), number);
  return error == std::errc() && end == entry.data() + entry.size() ? number : -1;
}

}  // namespace

std::vector<int> visible_devices(int count, const char* text) {
  std::vector<int> numbers;
  if (text == nullptr) {
    numbers.resize(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
  }
  std::string_view left = text;
  while (true) {
    const auto comma = left.find(',');
    const int number = number_of(left.substr(0, comma));
    if (number < 0 || number >= count) return numbers;
    if (std::find(numbers.begin(), numbers.end(), number) != numbers.end()) return {};
    numbers.push_back(number);
    if (comma == std::string_view::npos) return numbers;
    left.remove_prefix(comma + 1);
  }
}

}  // namespace loci::cuda_double

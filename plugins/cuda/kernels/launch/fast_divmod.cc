#include "kernels/launch/fast_divmod.h"

#include <algorithm>

namespace loci::cuda {
namespace {

__extension__ using Wide = unsigned __int128;

}  // namespace

FastDivision fast_division_by(std::int64_t divisor) {
  std::uint32_t bits = 1;
  while (bits < 63 && (std::uint64_t{1} << bits) < static_cast<std::uint64_t>(divisor)) ++bits;
  const Wide power = Wide{1} << (63 + bits);
  return {static_cast<std::uint64_t>(power / static_cast<std::uint64_t>(divisor)) + 1, bits - 1};
}

FastDivmod fast_divmod_of(std::int64_t extent) {
  return {extent, fast_division_by(std::max<std::int64_t>(extent, 2))};
}

}  // namespace loci::cuda

// A rule says which elements a pad takes along one dimension. Schema and kernels share it, so
// that both agree on every element; pad_plan.hpp has rows of several dimensions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace loci::sdk {

enum class PadMode : std::uint8_t { kConstant, kReflect, kEdge, kWrap };

// The schema has checked the name.
constexpr PadMode pad_mode(std::string_view name) {
  if (name == "reflect") return PadMode::kReflect;
  if (name == "edge") return PadMode::kEdge;
  return name == "wrap" ? PadMode::kWrap : PadMode::kConstant;
}

// One dimension of x and of the result: negative pads crop x first, and the mode continues what is
// kept. The pads are those that the schema takes: they crop no more than there is, with kReflect
// they are smaller than what is kept, and with kEdge and kWrap something is kept.
struct PadAxis {
  std::int64_t extent = 1;  // of x
  std::int64_t padded = 1;  // of the result
  std::int64_t first = 0;   // of x, that is kept
  std::int64_t kept = 1;
  std::int64_t before = 0;  // of the result, in front of what is kept

  static constexpr PadAxis of(std::int64_t extent, std::int64_t before, std::int64_t after) {
    const std::int64_t first = before < 0 ? -before : 0;
    const std::int64_t cropped = first + (after < 0 ? -after : 0);
    // The pad that crops comes first, so that no sum on the way is too large.
    const std::int64_t padded = extent + std::min(before, after) + std::max(before, after);
    return {extent, padded, first, extent - cropped, before > 0 ? before : 0};
  }

  // True if the result is x.
  [[nodiscard]] constexpr bool is_whole() const { return kept == extent && padded == extent; }

  // The element of x that element i of the result is; -1 if it is the constant.
  [[nodiscard]] constexpr std::int64_t source(std::int64_t i, PadMode mode) const {
    const std::int64_t at = i - before;
    if (at >= 0 && at < kept) return first + at;
    if (mode == PadMode::kConstant) return -1;
    if (mode == PadMode::kReflect) return first + (at < 0 ? -at : 2 * (kept - 1) - at);
    if (mode == PadMode::kEdge) return first + (at < 0 ? 0 : kept - 1);
    const std::int64_t rest = at % kept;
    return first + (rest < 0 ? rest + kept : rest);
  }
};

// Where in the result an element of x is: at `first`, `step` later, and `next` after each other.
struct PadPlaces {
  std::int64_t count = 0;
  std::int64_t first = 0;
  std::int64_t step = 0;
  std::int64_t next = 0;

  // In ascending order, for i < count.
  [[nodiscard]] constexpr std::int64_t at(std::int64_t i) const {
    return i == 0 ? first : first + step + (i - 1) * next;
  }
};

constexpr PadPlaces pad_places(const PadAxis& axis, PadMode mode, std::int64_t element) {
  const std::int64_t at = element - axis.first;
  if (at < 0 || at >= axis.kept) return {};
  const std::int64_t self = axis.before + at;
  if (mode == PadMode::kConstant) return {1, self, 0, 0};
  if (mode == PadMode::kWrap) {
    const std::int64_t first = self % axis.kept;
    return {(axis.padded - first - 1) / axis.kept + 1, first, axis.kept, axis.kept};
  }
  if (mode == PadMode::kEdge) {
    const std::int64_t first = at == 0 ? 0 : self;
    const std::int64_t end = at == axis.kept - 1 ? axis.padded : self + 1;
    return {end - first, first, 1, 1};
  }
  const std::int64_t left = at;                   // from the mirror to the element
  const std::int64_t right = axis.kept - 1 - at;  // and to the other mirror
  const bool is_left = left > 0 && left <= axis.before;
  const bool is_right = right > 0 && self + 2 * right < axis.padded;
  if (!is_left) return {is_right ? 2 : 1, self, 2 * right, 0};
  return {is_right ? 3 : 2, self - 2 * left, 2 * left, 2 * right};
}

}  // namespace loci::sdk

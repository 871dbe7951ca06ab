// The argument of --feed.
#pragma once

#include <loci/shape.hpp>
#include <optional>
#include <string>
#include <variant>

namespace loci::runner {

struct FeedFile {
  std::string path;
};

// What is not given comes from the variable: its shape, and 0 and 1 (integers: 0 and 2) as bounds.
struct FeedRandom {
  std::optional<Shape> shape;
  std::optional<double> low;
  std::optional<double> high;
};

// The text of a number; only the variable's dtype says which are legal.
struct FeedValue {
  std::string text;
};

struct FeedSpec {
  std::string name;
  std::variant<FeedFile, FeedRandom, FeedValue> source;
  std::string text;  // the source as it was written, for reports
};

// Reads NAME=@F.npy, NAME=random[:SHAPE[:LOW:HIGH]] or NAME=VALUE. SHAPE has extents with x
// between them, 8x1x8x8; an empty one stands for the variable's. Throws Failure(kUsage).
FeedSpec parse_feed(const std::string& argument);

// "8x1x8x8". Throws Failure(kUsage); `argument` is for its message.
Shape parse_shape(const std::string& text, const std::string& argument);

}  // namespace loci::runner

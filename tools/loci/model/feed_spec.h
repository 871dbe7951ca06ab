// The argument of --feed.
#pragma once

#include <loci/shape.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tools/loci/model/array_file.h"

namespace loci::runner {

struct FeedFile {
  ArrayFile file;  // of an archive: its array is named
};

// The variable gives what is missing: its shape, and 0 and 1 (integers: 0 and 2) as bounds.
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

// Reads NAME=@F.npy, NAME=@F.npz[:ARRAY], NAME=@-[:ARRAY], NAME=random[:SHAPE[:LOW:HIGH]] or
// NAME=VALUE. Without ARRAY it is the one called NAME. SHAPE has extents with x between them,
// 8x1x8x8; an empty one stands for the variable's. Throws Failure(kUsage).
FeedSpec parse_feed(const std::string& argument);
// Reads what parse_feed() reads, and @F.npz or @-: each array of the archive feeds the variable of
// its name. Throws Failure(kUsage), or Failure(kBadInput) for a file that is no archive.
std::vector<FeedSpec> parse_feeds(const std::string& argument);

// "8x1x8x8". Throws Failure(kUsage); `argument` is for its message.
Shape parse_shape(const std::string& text, const std::string& argument);

}  // namespace loci::runner

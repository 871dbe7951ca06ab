#include "tools/loci/model/feed_spec.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <loci/io.hpp>
#include <vector>

#include "tools/loci/failure.h"
#include "tools/loci/model/piped_file.h"
#include "tools/loci/shown.h"

namespace loci::runner {
namespace {

constexpr const char* kForms =
    "write NAME=@FILE.npy, NAME=@FILE.npz[:ARRAY], @FILE.npz, NAME=@-, "
    "NAME=random[:SHAPE[:LOW:HIGH]] or "
    "NAME=VALUE, such as image=random:8x1x8x8";

[[noreturn]] void refuse_feed(const std::string& argument, const std::string& reason) {
  throw Failure(ExitCode::kUsage,
                fmt::format("[--feed] {}: {}; {}", shown(argument), reason, kForms));
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  for (;;) {
    const std::size_t end = text.find(separator, start);
    parts.push_back(text.substr(start, end - start));
    if (end == std::string::npos) return parts;
    start = end + 1;
  }
}

double parse_bound(const std::string& text, const std::string& argument) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) {
    refuse_feed(argument, fmt::format("the bound {} is not a finite number", shown(text)));
  }
  return value;
}

FeedRandom parse_random(const std::string& text, const std::string& argument) {
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() == 3 || parts.size() > 4) {
    refuse_feed(argument, "random takes a shape, or a shape and two bounds");
  }
  FeedRandom random;
  if (parts.size() >= 2 && !parts[1].empty()) random.shape = parse_shape(parts[1], argument);
  if (parts.size() == 4) {
    random.low = parse_bound(parts[2], argument);
    random.high = parse_bound(parts[3], argument);
    if (!(*random.low < *random.high)) {
      refuse_feed(argument, fmt::format("LOW {} is not below HIGH {}", *random.low, *random.high));
    }
  }
  return random;
}

ArrayFile parse_file(const std::string& name, const std::string& text,
                     const std::string& argument) {
  if (text.empty()) refuse_feed(argument, "the file is missing");
  ArrayFile file = parse_input_file(text);
  if (text.back() == ':' && file.is_archive) refuse_feed(argument, "the array is missing");
  if ((file.is_archive || file.is_piped) && file.array.empty()) file.array = name;
  return file;
}

std::vector<std::string> names_in(const ArrayFile& archive) {
  if (!archive.is_piped) return io::npz_names(archive.path);
  return with_piped(archive.path, [](const PipedFile& copy) { return io::npz_names(copy.path); });
}

}  // namespace

Shape parse_shape(const std::string& text, const std::string& argument) {
  std::vector<std::int64_t> dims;
  for (const std::string& part : split(text, 'x')) {
    std::int64_t extent = -1;
    const char* end = part.data() + part.size();
    const auto [stop, error] = std::from_chars(part.data(), end, extent);
    if (error != std::errc() || stop != end || extent < 0) {
      refuse_feed(argument,
                  fmt::format("{} is not an extent of the shape {}", shown(part), shown(text)));
    }
    dims.push_back(extent);
  }
  if (dims.size() > static_cast<std::size_t>(Shape::kMaxRank)) {
    refuse_feed(argument, fmt::format("the shape has {} extents, more than {}", dims.size(),
                                      static_cast<int>(Shape::kMaxRank)));
  }
  return Shape(dims);
}

FeedSpec parse_feed(const std::string& argument) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string::npos) refuse_feed(argument, "there is no '='");
  if (equals == 0) refuse_feed(argument, "the name is missing");
  FeedSpec spec;
  spec.name = argument.substr(0, equals);
  spec.text = argument.substr(equals + 1);
  if (spec.text.empty()) refuse_feed(argument, "the value is missing");
  if (spec.text[0] == '@') {
    spec.source = FeedFile{parse_file(spec.name, spec.text.substr(1), argument)};
  } else if (spec.text == "random" || spec.text.rfind("random:", 0) == 0) {
    spec.source = parse_random(spec.text, argument);
  } else {
    spec.source = FeedValue{spec.text};
  }
  return spec;
}

std::vector<FeedSpec> parse_feeds(const std::string& argument) {
  if (argument.empty() || argument[0] != '@') return {parse_feed(argument)};
  const std::string path = argument.substr(1);
  const ArrayFile file = parse_input_file(path);
  if (!(file.is_archive || file.is_piped) || file.path != path) return {parse_feed(argument)};
  std::vector<FeedSpec> specs;
  for (const std::string& name : in_phase(Phase::kModel, [&] { return names_in(file); })) {
    const FeedFile source{{path, name, true, file.is_piped}};
    specs.push_back({name, source, fmt::format("@{}", source.file.text())});
  }
  if (specs.empty()) refuse_feed(argument, "there is no array in the archive");
  return specs;
}

}  // namespace loci::runner

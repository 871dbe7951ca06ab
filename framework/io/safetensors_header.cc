#include "framework/io/safetensors_header.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_set>
#include <utility>

#include "framework/core/file_error.h"
#include "framework/core/quote.h"
#include "framework/io/elements.h"

namespace loci {
inline namespace v0 {
namespace io {
namespace {

using Json = nlohmann::json;
using core::quote;

// In the order in which the format's own writer sorts, the last first.
constexpr std::array<std::pair<DType, std::string_view>, 13> kSafetensorsTypes{{{kBool, "BOOL"},
                                                                                {kUInt8, "U8"},
                                                                                {kInt8, "I8"},
                                                                                {kInt16, "I16"},
                                                                                {kUInt16, "U16"},
                                                                                {kFloat16, "F16"},
                                                                                {kBFloat16, "BF16"},
                                                                                {kInt32, "I32"},
                                                                                {kUInt32, "U32"},
                                                                                {kFloat32, "F32"},
                                                                                {kFloat64, "F64"},
                                                                                {kInt64, "I64"},
                                                                                {kUInt64, "U64"}}};

std::size_t row_of(DType dtype) {
  const auto* row = std::find_if(kSafetensorsTypes.begin(), kSafetensorsTypes.end(),
                                 [dtype](const auto& type) { return type.first == dtype; });
  return static_cast<std::size_t>(row - kSafetensorsTypes.begin());
}

// Takes the header piece by piece, so that what does not belong there is refused before it takes
// memory, and no key is lost to another of the same name.
class HeaderHandler final : public nlohmann::json_sax<Json> {
 public:
  explicit HeaderHandler(const std::string& file) : file_(file) {}

  std::vector<SafetensorsEntry> take() { return std::move(entries_); }

  bool null() override { unexpected("null"); }
  bool boolean(bool) override { unexpected("a boolean"); }
  bool number_integer(number_integer_t) override { unexpected("a negative number"); }
  bool number_float(number_float_t, const string_t&) override {
    unexpected("a number that is no unsigned 64-bit integer");
  }
  bool binary(binary_t&) override { unexpected("binary data"); }

  bool number_unsigned(number_unsigned_t value) override {
    if (state_ == State::kShape) {
      add_extent(value);
    } else if (state_ == State::kOffsets && offsets_ < 2) {
      (offsets_ == 0 ? entry_.begin : entry_.end) = value;
      ++offsets_;
    } else {
      unexpected("a number");
    }
    return true;
  }

  bool string(string_t& value) override {
    if (state_ == State::kMetadata) return true;
    if (state_ != State::kEntry || field_ != Field::kDType) unexpected("a string");
    const auto* row = std::find_if(kSafetensorsTypes.begin(), kSafetensorsTypes.end(),
                                   [&](const auto& type) { return type.second == value; });
    if (row == kSafetensorsTypes.end()) {
      core::refuse(file_, where(), "{} is not a dtype that can be read; convert the file to F32",
                   quote(value));
    }
    entry_.dtype = row->first;
    return true;
  }

  bool start_object(std::size_t) override {
    if (state_ == State::kStart) {
      state_ = State::kTop;
    } else if (state_ == State::kTop) {
      const bool metadata = entry_.name == kMetadataKey;
      state_ = metadata ? State::kMetadata : State::kEntry;
    } else {
      unexpected("an object");
    }
    return true;
  }

  bool end_object() override {
    if (state_ == State::kEntry) finish_entry();
    state_ = state_ == State::kTop ? State::kEnd : State::kTop;
    return true;
  }

  bool start_array(std::size_t) override {
    if (state_ != State::kEntry || field_ == Field::kDType) unexpected("an array");
    state_ = field_ == Field::kShape ? State::kShape : State::kOffsets;
    return true;
  }

  bool end_array() override {
    if (state_ == State::kOffsets && offsets_ != 2) {
      core::refuse(file_, where(), "has {} numbers; it takes a begin and an end", offsets_);
    }
    state_ = State::kEntry;
    return true;
  }

  bool key(string_t& value) override {
    if (state_ == State::kTop) {
      start_entry(value);
    } else if (state_ == State::kMetadata) {
      if (!metadata_keys_.insert(value).second) {
        core::refuse(file_, kMetadataKey, "the key {} stands twice", quote(value));
      }
    } else {
      start_field(value);
    }
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    core::refuse(file_, "header", "byte {}: is not JSON", position);
  }

 private:
  enum class State { kStart, kTop, kEntry, kShape, kOffsets, kMetadata, kEnd };
  enum class Field : std::uint8_t { kDType, kShape, kOffsets };
  static constexpr std::array<std::string_view, 3> kFields{"dtype", "shape", "data_offsets"};

  void start_entry(const std::string& name) {
    if (!names_.insert(name).second)
      core::refuse(file_, "header", "the key {} stands twice", quote(name));
    entry_ = {};
    entry_.name = name;
    seen_ = {};
    offsets_ = 0;
  }

  void start_field(const std::string& name) {
    const auto* found = std::find(kFields.begin(), kFields.end(), name);
    if (found == kFields.end()) {
      core::refuse(file_, "tensor " + quote(entry_.name),
                   "unknown field {}; it has dtype, shape and data_offsets", quote(name));
    }
    const auto index = static_cast<std::size_t>(found - kFields.begin());
    field_ = static_cast<Field>(index);
    if (seen_[index]) core::refuse(file_, where(), "stands twice");
    seen_[index] = true;
  }

  void finish_entry() {
    for (std::size_t i = 0; i < kFields.size(); ++i) {
      if (!seen_[i]) core::refuse(file_, "tensor " + quote(entry_.name), "has no {}", kFields[i]);
    }
    entries_.push_back(std::move(entry_));
    entry_ = {};
  }

  void add_extent(std::uint64_t extent) {
    if (extent > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      core::refuse(file_, where(), "extent {} does not fit into 63 bits", extent);
    }
    if (entry_.shape.rank() == Shape::kMaxRank) {
      core::refuse(file_, where(), "has more than the {} dimensions of a tensor", Shape::kMaxRank);
    }
    entry_.shape.push_back(static_cast<std::int64_t>(extent));
  }

  [[nodiscard]] std::string where() const {
    switch (state_) {
      case State::kStart:
      case State::kEnd: return "header";
      case State::kMetadata: return std::string(kMetadataKey);
      case State::kTop: return "tensor " + quote(entry_.name);
      default: break;
    }
    return fmt::format("tensor {}: {}", quote(entry_.name),
                       kFields[static_cast<std::size_t>(field_)]);
  }

  [[noreturn]] void unexpected(std::string_view what) {
    static constexpr std::array<std::string_view, 3> kWanted{"a string", "an array of extents",
                                                             "an array of two offsets"};
    const bool in_entry = state_ == State::kEntry;
    const std::string_view wanted = in_entry ? kWanted[static_cast<std::size_t>(field_)]
                                    : state_ == State::kShape    ? "an extent"
                                    : state_ == State::kOffsets  ? "two offsets"
                                    : state_ == State::kMetadata ? "a string"
                                                                 : "an object";
    core::refuse(file_, where(), "is {} instead of {}", what, wanted);
  }

  const std::string& file_;
  std::vector<SafetensorsEntry> entries_;
  std::unordered_set<std::string> names_;
  std::unordered_set<std::string> metadata_keys_;
  State state_ = State::kStart;
  SafetensorsEntry entry_;
  Field field_ = Field::kDType;
  std::array<bool, 3> seen_{};
  int offsets_ = 0;
};

std::uint64_t size_of(const SafetensorsEntry& entry, const std::string& file) {
  const auto bytes = byte_size(entry.shape, entry.dtype);
  if (!bytes) {
    core::refuse(file, fmt::format("tensor {}: shape", quote(entry.name)),
                 "{} does not fit into memory", entry.shape.to_string());
  }
  return *bytes;
}

void check_entry(const SafetensorsEntry& entry, const std::string& file) {
  const std::uint64_t bytes = size_of(entry, file);
  const std::string field = fmt::format("tensor {}: data_offsets", quote(entry.name));
  if (entry.begin > entry.end) {
    core::refuse(file, field, "begin {} lies after end {}", entry.begin, entry.end);
  }
  if (entry.end - entry.begin != bytes) {
    core::refuse(file, field, "span {} bytes, but {} {} has {}", entry.end - entry.begin,
                 dtype_name(entry.dtype), entry.shape.to_string(), bytes);
  }
}

void check_coverage(const std::vector<SafetensorsEntry>& entries, std::uint64_t data_bytes,
                    const std::string& file) {
  std::uint64_t covered = 0;
  const SafetensorsEntry* before = nullptr;
  for (const SafetensorsEntry& entry : entries) {
    const std::string field = fmt::format("tensor {}: data_offsets", quote(entry.name));
    if (entry.begin < covered) {
      core::refuse(file, field, "[{}, {}) overlap tensor {}, which ends at {}", entry.begin,
                   entry.end, quote(before->name), covered);
    }
    if (entry.begin > covered) {
      core::refuse(file, field, "[{}, {}) leave a gap after byte {}", entry.begin, entry.end,
                   covered);
    }
    covered = entry.end;
    before = &entry;
  }
  if (covered == data_bytes) return;
  core::refuse(file, "data", "{} bytes, but the header describes {}; the file is {}", data_bytes,
               covered, data_bytes < covered ? "truncated" : "damaged");
}

// In the order of the format's own writer, which Json would sort. Besides, Json's documents end the
// process where memory runs out while one is made or ends.
std::string fields_text(const SafetensorsEntry& entry) {
  return fmt::format(R"({{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
                     kSafetensorsTypes[row_of(entry.dtype)].second,
                     fmt::join(entry.shape.dims(), ","), entry.begin, entry.end);
}

}  // namespace

std::vector<SafetensorsEntry> parse_safetensors_header(std::string_view json,
                                                       std::uint64_t data_bytes,
                                                       const std::string& file) {
  if (json.empty() || json.front() != '{') core::refuse(file, "header", "does not begin with '{{'");
  HeaderHandler handler(file);
  Json::sax_parse(json.begin(), json.end(), &handler);
  std::vector<SafetensorsEntry> entries = handler.take();
  for (const SafetensorsEntry& entry : entries) check_entry(entry, file);
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  check_coverage(entries, data_bytes, file);
  return entries;
}

void lay_out(std::vector<SafetensorsEntry>& entries, const std::string& file) {
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    const std::size_t left = row_of(a.dtype);
    const std::size_t right = row_of(b.dtype);
    return left == right ? a.name < b.name : left > right;
  });
  std::uint64_t position = 0;
  for (SafetensorsEntry& entry : entries) {
    entry.begin = position;
    position += size_of(entry, file);
    entry.end = position;
  }
}

std::string safetensors_preamble(const std::vector<SafetensorsEntry>& entries,
                                 const std::string& file) {
  constexpr std::size_t kAlignment = 8;
  std::string header = "{";
  for (const SafetensorsEntry& entry : entries) {
    const std::string field = "tensor " + quote(entry.name);
    if (entry.name == kMetadataKey) {
      core::raise_file_error(ErrorCode::kInvalidArgument, file, field,
                             "the format keeps this name");
    }
    if (header.size() > 1) header += ',';
    try {
      header += Json(entry.name).dump();
    } catch (const Json::type_error&) {
      core::raise_file_error(ErrorCode::kInvalidArgument, file, field, "the name is not UTF-8");
    }
    header += ':' + fields_text(entry);
  }
  header += '}';
  header.append((kAlignment - header.size() % kAlignment) % kAlignment, ' ');
  if (header.size() > kLongestSafetensorsHeader) {
    core::raise_file_error(ErrorCode::kInvalidArgument, file, "header",
                           "would have {} bytes, more than {}; save fewer tensors", header.size(),
                           kLongestSafetensorsHeader);
  }
  std::string preamble;
  for (int shift = 0; shift < 64; shift += 8) {
    preamble += static_cast<char>((std::uint64_t{header.size()} >> shift) & 0xFF);
  }
  return preamble + header;
}

}  // namespace io
}  // namespace v0
}  // namespace loci

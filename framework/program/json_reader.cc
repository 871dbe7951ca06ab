#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "framework/core/raise.h"
#include "framework/core/suggest.h"
#include "framework/ops/op_registry.h"
#include "framework/program/builder.h"
#include "framework/program/json_form.h"
#include "framework/program/verifier.h"

namespace loci::program {
namespace {

using Json = nlohmann::json;

constexpr int kFormatVersion = 1;
constexpr int kMostDepth = 16;
// Random operators count from here upwards: far from overflow.
constexpr std::int64_t kMostRandomOffset = std::int64_t{1} << 48;

// For messages: one line, not long, no control characters.
std::string printable(std::string_view text) {
  constexpr std::size_t kMostShown = 120;
  std::string result;
  for (const char c : text.substr(0, kMostShown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte > 0x7e) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  return text.size() > kMostShown ? result + "..." : result;
}

// As it is, but on one line. Unlike printable() it leaves UTF-8 alone.
std::string one_line(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    result += byte < 0x20 || byte == 0x7f ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return result;
}

// A value of the file and where it is. Refers to the parsed document and to the file's name.
class Field {
 public:
  Field(const Json& value, std::string path, const std::string& file)
      : value_(&value), path_(std::move(path)), file_(&file) {}

  [[nodiscard]] const std::string& path() const { return path_; }

  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    core::raise(ErrorCode::kDataLoss, "[program] {}: {}: {}", *file_,
                path_.empty() ? "top level" : path_,
                fmt::format(format, std::forward<Args>(args)...));
  }

  // Runs `step`, whose errors are those of this field.
  template <class Step>
  decltype(auto) guarded(const Step& step) const {
    try {
      return step();
    } catch (const Error& error) {
      if (error.code() == ErrorCode::kDataLoss) throw;
      fail("{}", printable(error.what()));
    }
  }

  void expect_members(const std::vector<std::string>& known) const {
    for (const auto& [key, value] : object().items()) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      fail("has an unknown member '{}'{}; remove it, or use the Loci that wrote the file",
           printable(key), core::suggest(printable(key), known));
    }
  }

  [[nodiscard]] bool has(const char* key) const { return object().contains(key); }
  [[nodiscard]] Field at(const char* key) const {
    const auto found = object().find(key);
    if (found == object().end()) fail("has no member '{}'; add it", key);
    return {*found, path_.empty() ? key : path_ + "." + key, *file_};
  }
  // Calls visit(key, field) for each member.
  template <class Visit>
  void each_member(const Visit& visit) const {
    for (const auto& [key, value] : object().items()) {
      visit(key, Field(value, path_ + "." + printable(key), *file_));
    }
  }
  // Calls visit(field) for each element.
  template <class Visit>
  void each_element(const Visit& visit) const {
    if (!value_->is_array()) refuse("an array");
    for (std::size_t i = 0; i < value_->size(); ++i) {
      visit(Field((*value_)[i], fmt::format("{}[{}]", path_, i), *file_));
    }
  }

  [[nodiscard]] const std::string& text() const {
    if (!value_->is_string()) refuse("a string");
    return value_->get_ref<const std::string&>();
  }
  [[nodiscard]] bool boolean() const {
    if (!value_->is_boolean()) refuse("true or false");
    return value_->get<bool>();
  }
  [[nodiscard]] std::int64_t integer(
      std::int64_t low = std::numeric_limits<std::int64_t>::min(),
      std::int64_t high = std::numeric_limits<std::int64_t>::max()) const {
    if (!value_->is_number_integer()) refuse("an integer");
    // Beyond 63 bits the parser keeps unsigned numbers.
    const bool too_large = value_->is_number_unsigned() &&
                           value_->get<std::uint64_t>() > static_cast<std::uint64_t>(high);
    if (too_large || value_->get<std::int64_t>() < low || value_->get<std::int64_t>() > high) {
      fail("{} is not in [{}, {}]", value_->dump(), low, high);
    }
    return value_->get<std::int64_t>();
  }
  [[nodiscard]] double number() const {
    if (value_->is_string()) {
      const double infinity = std::numeric_limits<double>::infinity();
      if (text() == "inf") return infinity;
      if (text() == "-inf") return -infinity;
      if (text() == "nan") return std::numeric_limits<double>::quiet_NaN();
    }
    if (!value_->is_number()) refuse("a number");
    return value_->get<double>();
  }
  template <class T, class Read>
  [[nodiscard]] std::vector<T> list(const Read& read) const {
    std::vector<T> result;
    each_element([&](const Field& element) { result.push_back(read(element)); });
    return result;
  }

 private:
  [[nodiscard]] const Json& object() const {
    if (!value_->is_object()) refuse("an object");
    return *value_;
  }
  [[noreturn]] void refuse(const char* wanted) const {
    fail("is {}; {} is needed", value_->type_name(), wanted);
  }

  const Json* value_;
  std::string path_;
  const std::string* file_;
};

Attribute read_attribute(const Field& field) {
  Attribute result;
  std::size_t members = 0;
  field.each_member([&](const std::string& kind, const Field& value) {
    ++members;
    if (kind == "bool") {
      result = value.boolean();
    } else if (kind == "int") {
      result = value.integer();
    } else if (kind == "float") {
      result = value.number();
    } else if (kind == "string") {
      result = value.text();
    } else if (kind == "dtype") {
      result = value.guarded([&] { return parse_dtype(value.text()); });
    } else if (kind == "ints") {
      result = value.list<std::int64_t>([](const Field& element) { return element.integer(); });
    } else if (kind == "floats") {
      result = value.list<double>([](const Field& element) { return element.number(); });
    } else if (kind == "strings") {
      result = value.list<std::string>([](const Field& element) { return element.text(); });
    } else {
      field.fail("'{}' is not a kind of attribute{}", printable(kind),
                 core::suggest(printable(kind), {"bool", "int", "float", "string", "dtype", "ints",
                                                 "floats", "strings"}));
    }
  });
  if (members != 1) field.fail("needs one member, its kind, such as {{\"int\": 1}}");
  return result;
}

bool flag(const Field& field, const char* key) { return field.has(key) && field.at(key).boolean(); }

std::string optional_text(const Field& field, const char* key) {
  return field.has(key) ? field.at(key).text() : std::string();
}

// Versions of the ops that the file uses, each one known or upgradable.
std::map<std::string, int> read_versions(const Field& ops) {
  std::map<std::string, int> versions;
  ops.each_member([&](const std::string& type, const Field& field) {
    const ops::OpSchema& schema = field.guarded(
        [&]() -> const ops::OpSchema& { return ops::op_registry().get(printable(type)); });
    const auto version =
        static_cast<int>(field.integer(1, std::numeric_limits<std::int32_t>::max()));
    if (version > schema.version()) {
      field.fail("the file uses version {} of the op {}, but this Loci has version {}; update Loci",
                 version, type, schema.version());
    }
    if (version < schema.version() && !schema.upgrade_fn()) {
      field.fail(
          "the file uses version {} of the op {}, which version {} cannot upgrade; build the "
          "program again and save it with this Loci",
          version, type, schema.version());
    }
    versions[type] = version;
  });
  return versions;
}

class ProgramReader {
 public:
  explicit ProgramReader(const std::map<std::string, int>& versions)
      : versions_(versions), program_(std::make_shared<ProgramImpl>()), block_(program_->main()) {}

  std::shared_ptr<ProgramImpl> read(const Field& field, const std::string& file) {
    field.expect_members({"variables", "operators", "arguments", "results", "next_random_offset"});
    field.at("variables").each_element([&](const Field& entry) { read_variable(entry); });
    field.at("operators").each_element([&](const Field& entry) { read_operator(entry); });
    if (field.has("arguments")) block_.arguments = references(field.at("arguments"));
    if (field.has("results")) block_.results = references(field.at("results"));
    if (field.has("next_random_offset")) {
      const std::int64_t next = field.at("next_random_offset").integer(0, kMostRandomOffset);
      program_->set_random_offset(std::max(next, program_->random_offset()));
    }
    try {
      verify(*program_, file + ": " + field.path());
    } catch (const Error& error) {
      core::raise(error.code(), "{}", one_line(error.what()));
    }
    return program_;
  }

 private:
  void read_variable(const Field& field) {
    field.expect_members(
        {"name", "dtype", "shape", "data", "persistable", "trainable", "stop_gradient", "guard"});
    VarDesc var;
    var.name = field.at("name").text();
    var.type.dtype =
        field.at("dtype").guarded([&] { return parse_dtype(field.at("dtype").text()); });
    const Field shape = field.at("shape");
    var.type.shape = shape.guarded([&] {
      return Shape(shape.list<std::int64_t>([](const Field& extent) { return extent.integer(); }));
    });
    var.is_data = flag(field, "data");
    var.persistable = flag(field, "persistable");
    var.trainable = flag(field, "trainable");
    var.stop_gradient = flag(field, "stop_gradient");
    var.guard = optional_text(field, "guard");
    program_->reserve_name(var.name);
    field.at("name").guarded([&] { return block_.add_var(std::move(var)); });
  }

  VarId reference(const Field& field) const {
    const VarId id = block_.find(field.text());
    if (id != kNoVar) return id;
    std::vector<std::string> names;
    constexpr std::size_t kMostCompared = 1000;
    for (const VarDesc& var : block_.vars) {
      if (names.size() == kMostCompared) break;
      names.push_back(printable(var.name));
    }
    field.fail("there is no variable '{}'{}", printable(field.text()),
               core::suggest(printable(field.text()), names));
  }

  std::vector<VarId> references(const Field& field) const {
    return field.list<VarId>([&](const Field& name) { return reference(name); });
  }

  template <class Slots>
  std::vector<Slot> read_slots(const Field& field, const Slots& declared) const {
    std::vector<std::string> names;
    for (const auto& slot : declared) names.push_back(slot.name);
    field.expect_members(names);
    std::vector<Slot> slots(declared.size());
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const char* name = declared[i].name.c_str();
      if (field.has(name)) slots[i] = references(field.at(name));
    }
    return slots;
  }

  [[nodiscard]] Attributes read_attributes(const Field& field, const ops::OpSchema& schema) const {
    Attributes given;
    field.each_member([&](const std::string& name, const Field& value) {
      given.emplace(name, read_attribute(value));
    });
    const int version = versions_.at(schema.name());
    return field.guarded([&] {
      if (version < schema.version()) schema.upgrade_fn()(version, given);
      return schema.complete(given);
    });
  }

  const ops::OpSchema& read_type(const Field& field) const {
    if (versions_.find(field.text()) == versions_.end()) {
      std::vector<std::string> listed;
      for (const auto& [name, version] : versions_) listed.push_back(name);
      field.fail("the op '{}' is not in the table \"ops\" of the file{}", printable(field.text()),
                 core::suggest(printable(field.text()), listed));
    }
    return ops::op_registry().get(field.text());
  }

  void read_operator(const Field& field) {
    field.expect_members(
        {"type", "name", "inputs", "outputs", "attributes", "guard", "role", "scope"});
    Operator op;
    op.schema = &read_type(field.at("type"));
    op.name = field.at("name").text();
    op.inputs = read_slots(field.at("inputs"), op.schema->inputs());
    op.outputs = read_slots(field.at("outputs"), op.schema->outputs());
    op.attributes = read_attributes(field.at("attributes"), *op.schema);
    op.guard = optional_text(field, "guard");
    op.scope = optional_text(field, "scope");
    if (field.has("role")) {
      const Field role = field.at("role");
      op.role = role.guarded([&] { return parse_role(printable(role.text())); });
    }
    if (op.schema->is_random()) note_offset(field, op);
    program_->reserve_name(op.name);
    block_.ops.push_back(std::move(op));
  }

  void note_offset(const Field& field, const Operator& op) {
    const auto offset = std::get<std::int64_t>(op.attributes.at("offset"));
    if (offset < 0 || offset >= kMostRandomOffset) {
      field.at("attributes").fail("offset {} is not in [0, {})", offset, kMostRandomOffset);
    }
    program_->set_random_offset(std::max(program_->random_offset(), offset + 1));
  }

  const std::map<std::string, int>& versions_;
  std::shared_ptr<ProgramImpl> program_;
  Block& block_;
};

[[noreturn]] void fail_file(const std::string& file, const std::string& reason) {
  core::raise(ErrorCode::kDataLoss, "[program] {}: {}", file, reason);
}

// Refuses what the parser would accept silently: deep nesting, and members that occur twice.
class Strictness {
 public:
  explicit Strictness(const std::string& file) : file_(file) {}

  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    if (depth > kMostDepth) fail_file(file_, fmt::format("is nested deeper than {}", kMostDepth));
    if (event == Json::parse_event_t::object_start) members_.emplace_back();
    if (event == Json::parse_event_t::object_end) members_.pop_back();
    if (event == Json::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!members_.back().insert(key).second) {
        fail_file(file_, fmt::format("an object has the member '{}' twice", printable(key)));
      }
    }
    return true;
  }

 private:
  const std::string& file_;
  std::vector<std::set<std::string>> members_;
};

Json parse(std::string_view text, const std::string& file) {
  if (text.size() > kMostJsonBytes) {
    fail_file(file,
              fmt::format("has {} bytes; a program has at most {}", text.size(), kMostJsonBytes));
  }
  try {
    return Json::parse(text, Strictness(file));
  } catch (const Json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, ..."
    const std::string_view what = error.what();
    const std::size_t end = what.find("] ");
    fail_file(file, "is not JSON: " + printable(what.substr(end == what.npos ? 0 : end + 2)));
  }
}

void check_format(const Field& root) {
  root.expect_members({"format", "format_version", "producer", "ops", "main", "startup"});
  const Field format = root.at("format");
  if (format.text() != "loci.program") {
    format.fail("is '{}', not 'loci.program'; this is another kind of file",
                printable(format.text()));
  }
  const Field version = root.at("format_version");
  if (version.integer(1) > kFormatVersion) {
    version.fail("is {}, but this Loci reads up to {}; update Loci", version.integer(),
                 kFormatVersion);
  }
  if (root.has("producer")) (void)root.at("producer").text();
}

}  // namespace

ParsedPrograms from_json(std::string_view text, const std::string& file) {
  const Json document = parse(text, file);
  const Field root(document, "", file);
  check_format(root);
  const std::map<std::string, int> versions = read_versions(root.at("ops"));
  ParsedPrograms programs;
  programs.main = ProgramReader(versions).read(root.at("main"), file);
  if (root.has("startup")) {
    programs.startup = ProgramReader(versions).read(root.at("startup"), file);
  }
  return programs;
}

}  // namespace loci::program

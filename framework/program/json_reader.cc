#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "framework/core/dismantle_json.h"
#include "framework/core/raise.h"
#include "framework/core/suggest.h"
#include "framework/ops/op_registry.h"
#include "framework/program/builder.h"
#include "framework/program/json_document.h"
#include "framework/program/json_field.h"
#include "framework/program/json_form.h"
#include "framework/program/verifier.h"

namespace loci::program {
namespace {

constexpr int kFormatVersion = 1;
// Random operators count from here upwards: far from overflow.
constexpr std::int64_t kMostRandomOffset = std::int64_t{1} << 48;

// Returns the text as it is, but on one line. Unlike printable() it leaves UTF-8 alone.
std::string one_line(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    result += byte < 0x20 || byte == 0x7f ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return result;
}

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

// The plugins that bring the ops, by op, as the file says.
using PluginIds = std::map<std::string, std::string>;

PluginIds read_plugins(const Field& root) {
  PluginIds plugins;
  if (!root.has("plugins")) return plugins;
  root.at("plugins").each_member([&](const std::string& type, const Field& field) {
    plugins[type] = printable(field.text());
  });
  return plugins;
}

const ops::OpSchema& read_schema(const Field& field, const std::string& type,
                                 const PluginIds& plugins) {
  try {
    return ops::op_registry().get(printable(type));
  } catch (const Error& error) {
    const auto plugin = plugins.find(type);
    if (plugin == plugins.end()) field.fail_with(printable(error.what()), error.details());
    field.fail_with(
        fmt::format("the op {} is of the plugin {}, and no plugin that is loaded brings "
                    "it; give the directory of that plugin with --plugin-path or "
                    "LOCI_PLUGIN_PATH",
                    printable(type), plugin->second),
        error.details());
  }
}

// Versions of the ops that the file uses, each one known or upgradable.
std::map<std::string, int> read_versions(const Field& ops, const PluginIds& plugins) {
  std::map<std::string, int> versions;
  ops.each_member([&](const std::string& type, const Field& field) {
    const ops::OpSchema& schema = read_schema(field, type, plugins);
    const auto version =
        static_cast<int>(field.integer(1, std::numeric_limits<std::int32_t>::max()));
    if (version > schema.version()) {
      const bool own = schema.plugin().empty();
      field.fail("the file uses version {} of the op {}, but {} has version {}; update {}", version,
                 type, own ? "this Loci" : fmt::format("the plugin {}", schema.plugin()),
                 schema.version(), own ? "Loci" : "it");
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
      : versions_(versions), program_(std::make_shared<ProgramImpl>()), block_(&program_->main()) {}

  std::shared_ptr<ProgramImpl> read(const Field& field, const std::string& file) {
    field.expect_members({"variables", "operators", "arguments", "results", "next_random_offset"});
    read_block(field);
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
  void read_block(const Field& field) {
    block_->index.reserve(field.at("variables").size());
    field.at("variables").each_element([&](const Field& entry) { read_variable(entry); });
    block_->ops.reserve(field.at("operators").size());
    field.at("operators").each_element([&](const Field& entry) { read_operator(entry); });
    if (field.has("arguments")) block_->arguments = references(field.at("arguments"));
    if (field.has("results")) block_->results = references(field.at("results"));
  }

  std::shared_ptr<const Block> read_inner_block(const Field& field) {
    field.expect_members({"variables", "operators", "arguments", "results"});
    const auto inner = std::make_shared<Block>();
    Block* const around = std::exchange(block_, inner.get());
    read_block(field);
    block_ = around;
    return inner;
  }

  void read_variable(const Field& field) {
    field.expect_members(
        {"name", "dtype", "shape", "data", "persistable", "trainable", "stop_gradient", "guard"});
    VarDesc var;
    var.name = field.at("name").text();
    const Field dtype = field.at("dtype");
    if (dtype.text() != dtype_name(DType::kNone)) {
      var.type.dtype = dtype.guarded([&] { return parse_dtype(dtype.text()); });
    }
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
    field.at("name").guarded([&] { return block_->add_var(std::move(var)); });
  }

  VarId reference(const Field& field) const {
    const VarId id = block_->find(field.text());
    if (id != kNoVar) return id;
    std::vector<std::string> names;
    constexpr std::size_t kMostCompared = 1000;
    for (const VarDesc& var : block_->vars) {
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
    field.expect_members(declared, [](const auto& slot) { return std::string_view(slot.name); });
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
    field.expect_members({"type", "name", "inputs", "outputs", "attributes", "guard", "role",
                          "scope", "origin", "blocks"});
    Operator op;
    op.schema = &read_type(field.at("type"));
    op.name = field.at("name").text();
    op.inputs = read_slots(field.at("inputs"), op.schema->inputs());
    op.outputs = read_slots(field.at("outputs"), op.schema->outputs());
    op.attributes = read_attributes(field.at("attributes"), *op.schema);
    op.guard = optional_text(field, "guard");
    op.scope = optional_text(field, "scope");
    op.origin = optional_text(field, "origin");
    if (field.has("role")) {
      const Field role = field.at("role");
      op.role = role.guarded([&] { return parse_role(printable(role.text())); });
    }
    if (op.schema->is_random()) note_offset(field, op);
    if (field.has("blocks")) {
      field.at("blocks").each_element(
          [&](const Field& inner) { op.blocks.push_back(read_inner_block(inner)); });
    }
    program_->reserve_name(op.name);
    program_->note_ops_of(op);
    block_->ops.push_back(std::move(op));
  }

  void note_offset(const Field& field, const Operator& op) {
    const auto offset = std::get<std::int64_t>(op.attributes.at("offset"));
    if (offset < 0 || offset >= kMostRandomOffset) {
      field.at("attributes").fail("offset {} is not in [0, {})", offset, kMostRandomOffset);
    }
    // In a block they count from 0, for a state of the block's own.
    const Slot& state = op.inputs[static_cast<std::size_t>(op.schema->input_index("state"))];
    const bool is_own = !state.empty() && !block_->var(state.front()).persistable;
    if (is_own) return;
    program_->set_random_offset(std::max(program_->random_offset(), offset + 1));
  }

  const std::map<std::string, int>& versions_;
  std::shared_ptr<ProgramImpl> program_;
  Block* block_;  // that is read
};

void check_format(const Field& root) {
  root.expect_members(
      {"format", "format_version", "producer", "ops", "plugins", "main", "startup", "weights"});
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
  const core::OwnedJson document(parse_document(text, file));
  const Field root(*document, file);
  check_format(root);
  const std::map<std::string, int> versions = read_versions(root.at("ops"), read_plugins(root));
  ParsedPrograms programs;
  programs.weights = read_weights_record(root);
  programs.main = ProgramReader(versions).read(root.at("main"), file);
  if (root.has("startup")) {
    programs.startup = ProgramReader(versions).read(root.at("startup"), file);
  }
  return programs;
}

}  // namespace loci::program

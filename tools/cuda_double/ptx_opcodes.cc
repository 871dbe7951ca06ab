// usage: ptx_opcodes FILE.ptx...
//
// Prints a table of the instructions that the files have, by opcode: in how many forms they come,
// how often they stand there, and how many of those the interpreter has not; below it, the forms
// that are not there. The exit code is 1 if there are any.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tools/cuda_double/ptx/code.h"

namespace loci::cuda_double {
namespace {

struct Opcode {
  std::set<std::string, std::less<>> forms;
  std::size_t instructions = 0;
  std::size_t absent = 0;
};

struct Table {
  std::map<std::string, Opcode, std::less<>> opcodes;
  std::map<std::string, std::string> absent;  // form -> where it stands first
};

// "ld.global.u32" of "@%p1 ld.global.u32 %r1, [%rd1];".
std::string_view form_of(std::string_view text) {
  if (text.starts_with('@')) {
    text.remove_prefix(std::min(text.size(), text.find_first_of(" \t")));
    text.remove_prefix(std::min(text.size(), text.find_first_not_of(" \t")));
  }
  return text.substr(0, text.find_first_of(" \t\r\n;"));
}

std::string_view opcode_of(std::string_view form) { return form.substr(0, form.find('.')); }

void add(Table& table, const FunctionCode& function, const std::string& file) {
  // The last place is the end of the body.
  for (std::size_t i = 0; i + 1 < function.places.size(); ++i) {
    const std::string_view form = form_of(function.places[i].text);
    Opcode& opcode = table.opcodes[std::string(opcode_of(form))];
    opcode.forms.emplace(form);
    ++opcode.instructions;
  }
  for (const UnsupportedForm& unsupported : function.unsupported) {
    const std::string_view form = form_of(unsupported.instruction);
    ++table.opcodes[std::string(opcode_of(form))].absent;
    table.absent.emplace(form, fmt::format("{} line {}", file, unsupported.ptx_line));
  }
}

void add_file(Table& table, const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(fmt::format("cannot read {}", path));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  DeviceMemory memory({.reserved_bytes = std::uint64_t{1} << 30});
  const auto module = Module::load(text, memory, {.name = path, .compute_capability = 999});
  if (module->functions().empty()) return;
  for (const FunctionCode& function : module->functions().front().module_code().functions) {
    add(table, function, path);
  }
}

void print(const Table& table) {
  std::size_t forms = 0;
  std::size_t instructions = 0;
  fmt::print("{:<16}{:>8}{:>14}{:>12}\n", "opcode", "forms", "instructions", "not there");
  for (const auto& [name, opcode] : table.opcodes) {
    fmt::print("{:<16}{:>8}{:>14}{:>12}\n", name, opcode.forms.size(), opcode.instructions,
               opcode.absent);
    forms += opcode.forms.size();
    instructions += opcode.instructions;
  }
  fmt::print("{} opcodes in {} forms, {} instructions; {} forms are not there\n",
             table.opcodes.size(), forms, instructions, table.absent.size());
  for (const auto& [form, place] : table.absent) fmt::print("  {} ({})\n", form, place);
}

int run(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: ptx_opcodes FILE.ptx...\n");
    return 2;
  }
  Table table;
  for (int i = 1; i < argc; ++i) add_file(table, argv[i]);
  print(table);
  return table.absent.empty() ? 0 : 1;
}

}  // namespace
}  // namespace loci::cuda_double

int main(int argc, char** argv) {
  try {
    return loci::cuda_double::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}

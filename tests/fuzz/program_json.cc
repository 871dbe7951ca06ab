// The file form of programs.
#include "framework/program/dot.h"
#include "framework/program/json_form.h"
#include "framework/program/printer.h"
#include "framework/program/verifier.h"
#include "tests/fuzz/fuzz_target.h"

namespace loci::fuzz {
namespace {

using program::ParsedPrograms;
using program::ProgramImpl;

constexpr const char* kFile = "hostile/program.json";

void check_program(const ProgramImpl& program) {
  program::verify(program, kFile);
  demand(!program::to_dot(program).empty(), "there is no graph of the program");
}

void check_same(const ProgramImpl* before, const ProgramImpl* after) {
  demand((before == nullptr) == (after == nullptr), "a program is lost when it is written");
  if (before == nullptr) return;
  demand(program::to_text(*before) == program::to_text(*after),
         "the program prints otherwise when it was written and read");
  demand(before->random_offset() == after->random_offset(), "the next random offset is lost");
}

// An accepted file is a program: it can be printed, and written without loss.
void check_accepted(const ParsedPrograms& programs) {
  check_program(*programs.main);
  if (programs.startup != nullptr) check_program(*programs.startup);
  const std::string written = program::to_json(*programs.main, programs.startup.get());
  const ParsedPrograms again = program::from_json(written, kFile);
  check_same(programs.main.get(), again.main.get());
  check_same(programs.startup.get(), again.startup.get());
  demand(program::to_json(*again.main, again.startup.get()) == written,
         "the program is written otherwise the second time");
}

void check(std::string_view text) {
  ParsedPrograms programs;
  const auto parse = [&] { programs = program::from_json(text, kFile); };
  if (accepts({text.size(), std::string(kFile) + ": "}, parse)) check_accepted(programs);
}

}  // namespace
}  // namespace loci::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  loci::fuzz::check(loci::fuzz::as_text(data, size));
  return 0;
}

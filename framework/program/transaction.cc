#include "framework/program/transaction.h"

namespace loci::program {

Transaction::Transaction(ProgramImpl& program)
    : program_(&program),
      vars_(program.main().vars.size()),
      ops_(program.main().ops.size()),
      random_offset_(program.random_offset()) {}

Transaction::~Transaction() {
  if (committed_) return;
  program_->set_random_offset(random_offset_);
  Block& block = program_->main();
  if (block.ops.size() == ops_ && block.vars.size() == vars_) return;
  while (block.ops.size() > ops_) block.ops.pop_back();
  while (block.vars.size() > vars_) {
    block.index.erase(block.vars.back().name);
    block.vars.pop_back();
  }
  // Whoever compiled the program in between saw what is gone now.
  program_->touch();
}

}  // namespace loci::program

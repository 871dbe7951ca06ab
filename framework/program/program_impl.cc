#include "framework/program/program_impl.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "framework/core/environment.h"
#include "framework/core/raise.h"
#include "framework/core/suggest.h"

namespace loci::program {
namespace {

constexpr std::array<std::string_view, 4> kRoleNames{"forward", "backward", "update", "initialize"};

std::uint64_t next_uid() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

void check_name(const Block& block, const std::string& name) {
  if (name.empty()) {
    core::raise(ErrorCode::kInvalidArgument, "[program] a variable needs a name that is not empty");
  }
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::any_of(name.begin(), name.end(), is_control)) {
    core::raise(ErrorCode::kInvalidArgument,
                "[program] a variable's name of {} bytes has a control character; leave it out",
                name.size());
  }
  if (block.index.find(name) != block.index.end()) {
    core::raise(ErrorCode::kInvalidArgument,
                "[program] there is a variable '{}' already; choose another name", name);
  }
}

}  // namespace

std::string_view role_name(Role role) { return kRoleNames[static_cast<std::size_t>(role)]; }

Role parse_role(std::string_view name) {
  for (std::size_t i = 0; i < kRoleNames.size(); ++i) {
    if (kRoleNames[i] == name) return static_cast<Role>(i);
  }
  core::raise(ErrorCode::kInvalidArgument, "[program] '{}' is not a role{}", name,
              core::suggest(name, {kRoleNames.begin(), kRoleNames.end()}));
}

VarId Block::find(std::string_view name) const {
  const auto found = index.find(name);
  return found == index.end() ? kNoVar : found->second;
}

VarId Block::add_var(VarDesc desc) {
  check_name(*this, desc.name);
  const auto id = static_cast<VarId>(vars.size());
  vars.push_back(std::move(desc));
  try {
    index.emplace(vars.back().name, id);
  } catch (...) {
    vars.pop_back();
    throw;
  }
  return id;
}

void Block::rename_var(VarId id, std::string name) {
  check_name(*this, name);
  index.emplace(name, id);
  index.erase(var(id).name);
  var(id).name = std::move(name);
}

// An application that begins with a program learns here what is wrong with its environment.
ProgramImpl::ProgramImpl() : uid_(next_uid()), blocks_(1) { core::check_environment(); }

ProgramImpl::ProgramImpl(const ProgramImpl& other)
    : uid_(next_uid()),
      blocks_(other.blocks_),
      name_counters_(other.name_counters_),
      random_offset_(other.random_offset_) {
  if (other.use_) use_.emplace(*other.use_);
}

ProgramImpl::ProgramImpl(const ProgramImpl& other, Block main)
    : uid_(next_uid()), name_counters_(other.name_counters_), random_offset_(other.random_offset_) {
  blocks_.push_back(std::move(main));
  if (other.use_) use_.emplace(*other.use_);
}

void ProgramImpl::note_ops_of(const Operator& op) {
  if (use_) return;
  if (!op.schema->plugin().empty()) {
    use_.emplace();
    return;
  }
  for (const auto& block : op.blocks) {
    for (const Operator& inner : block->ops) note_ops_of(inner);
  }
}

void ProgramImpl::continue_numbers(const ProgramImpl& other) {
  for (const auto& [prefix, next] : other.name_counters_) {
    std::int64_t& counter = name_counters_[prefix];
    counter = std::max(counter, next);
  }
  random_offset_ = std::max(random_offset_, other.random_offset_);
}

std::string ProgramImpl::unique_name(std::string_view prefix) {
  std::int64_t& counter = name_counters_[std::string(prefix)];
  std::string name;
  do {
    name = fmt::format("{}_{}", prefix, counter++);
  } while (main().find(name) != kNoVar);
  return name;
}

void ProgramImpl::reserve_name(std::string_view name) {
  constexpr std::size_t kMostDigits = 15;
  const std::string_view stem = name.substr(0, name.find('.'));
  const std::size_t underscore = stem.rfind('_');
  if (underscore == std::string_view::npos) return;
  const std::string_view digits = stem.substr(underscore + 1);
  std::int64_t number = 0;
  const char* last = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), last, number);
  if (error != std::errc() || end != last || number < 0 || digits.size() > kMostDigits) return;
  std::int64_t& counter = name_counters_[std::string(stem.substr(0, underscore))];
  counter = std::max(counter, number + 1);
}

}  // namespace loci::program

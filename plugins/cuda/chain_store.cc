#include "chain_store.h"

namespace loci::cuda {
namespace {

// A compiled chain has some tens of KiB.
constexpr std::uint64_t kMostFileBytes = std::uint64_t{8} << 20;

sdk::CacheRules rules(std::uint64_t most_bytes) {
  sdk::CacheRules rules;
  rules.form = "loci-ptx-2";
  rules.suffix = ".ptx";
  rules.file_bytes = kMostFileBytes;
  rules.folder_bytes = most_bytes;
  return rules;
}

}  // namespace

ChainStore::ChainStore(std::string directory, std::uint64_t most_bytes)
    : folder_(std::move(directory), rules(most_bytes)) {}

}  // namespace loci::cuda

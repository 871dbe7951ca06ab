// One step of decoding by a stack of blocks as in Radford et al., Language Models are Unsupervised
// Multitask Learners (2019): 12 layers of 768, 12 heads.
#pragma once

#include <loci/loci.hpp>
#include <memory>

namespace loci::bench {

// A token [1, 1, 768] to its successor's embedding. Keys and values of the 512 tokens before it are
// parameters.
std::shared_ptr<nn::Module> gpt_decode();

}  // namespace loci::bench

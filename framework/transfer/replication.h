// Constants at further places.
#pragma once

#include <functional>
#include <loci/place.hpp>
#include <loci/tensor.hpp>
#include <memory>

#include "framework/tensor/replica.h"
#include "framework/transfer/transfer.h"

namespace loci::transfer {

// The constant's elements at another place: copied when they are first asked for there, which is a
// row of reason kLoad, and again only once they may have changed, which is one of the labels'
// reason and subject to the policy. The host waits. No work may be writing the constant.
// Thread-safe. Throws Error(kOutOfMemory, kPolicy), and what the copy failed with.
std::shared_ptr<const tensor::Replica> replica(const Tensor& constant, const Place& place,
                                               const Labels& labels);

// After a change of the constant: `make` gives what it is now at each place where it has a replica,
// so that nothing has to be copied there. No run may be reading the constant.
void renew_replicas(const Tensor& constant,
                    const std::function<Tensor(const tensor::ReplicaKey&)>& make);

}  // namespace loci::transfer

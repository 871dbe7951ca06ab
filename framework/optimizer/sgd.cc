#include "framework/optimizer/update_rule.h"

namespace loci {
inline namespace v0 {
namespace optimizer {

SGD::SGD(double learning_rate) : Optimizer(learning_rate, UpdateRule{"sgd"}) {}

}  // namespace optimizer
}  // namespace v0
}  // namespace loci

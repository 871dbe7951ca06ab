// A table that fits into host memory only.
#pragma once

#include <cstdint>
#include <string>

namespace device_guard {

// embedding(rows x 150) -> l2_normalize -> square_error_cost -> mean -> SGD. Trains on `device`
// with the embedding on the CPU, and prints the losses; then without the guard, and prints the
// error. Throws std::runtime_error unless the loss falls with the guard and the memory of the
// device does not suffice without.
void train_large_table(const std::string& device, std::int64_t rows);

}  // namespace device_guard

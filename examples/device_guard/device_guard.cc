// Two reasons to run some operators elsewhere, from the tutorial on switching devices: copies that
// cost more than they bring, and a table that is larger than the device.
//
//   build/release/bin/device_guard [DEVICE [ROWS]]     # DEVICE: sim:0; ROWS: 10000000 of 150
//
// For sim:0 to be smaller than the table give it a limit: LOCI_SIM=memory=1G. The first program is
// saved as the directory crop, so that the runner tells the same story:
//
//   loci run crop --device sim:0 --optimize none --guard 'slice=cpu' --log
//   operator=debug,transfer=debug
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>

#include "crop.h"
#include "large_table.h"

int main(int argc, char** argv) {
  try {
    const std::string device = argc > 1 ? argv[1] : "sim:0";
    const std::int64_t rows = argc > 2 ? std::strtoll(argv[2], nullptr, 10) : 10'000'000;
    if (rows <= 128) throw std::invalid_argument("usage: device_guard [DEVICE [ROWS]]");
    device_guard::crop(device, "crop");
    device_guard::train_large_table(device, rows);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "device_guard: %s\n", error.what());
    return 1;
  }
}

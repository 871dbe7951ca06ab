// oneDNN's objects that it makes at the first run of a primitive, compiled kernels among them.
#pragma once

namespace loci::cpu::onednn {

// Has those that are made from now on never be destroyed. Where the process ends by exit() on a
// thread that has never used Loci, their destructors would come before everything that stops the
// other threads (see core/process_end.h), which may just be computing with them. Does nothing where
// oneDNN's library does not register destructors as it does on Linux.
void keep_statics();

}  // namespace loci::cpu::onednn

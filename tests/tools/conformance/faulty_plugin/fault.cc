#include "fault.h"

namespace loci::faulty {

const char* const kFault = LOCI_FAULT;

}  // namespace loci::faulty

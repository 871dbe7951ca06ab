// Shapes: ordinary ones, empty, huge and unknown ones, and others that nearly fit a given one.
#pragma once

#include <loci/shape.hpp>

#include "tests/fuzz/dice.h"

namespace loci::fuzz {

// Most are small and static.
Shape random_shape(Dice& dice);

// Most equal `shape` or differ in one extent or dimension.
Shape related_shape(Dice& dice, const Shape& shape);

// One extent is unknown, if there is any.
Shape with_unknown_extent(Dice& dice, const Shape& shape);

}  // namespace loci::fuzz

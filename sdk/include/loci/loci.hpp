// The whole application API.
#pragma once

#include <loci/attribute.hpp>
#include <loci/config.hpp>
#include <loci/control_flow.hpp>
#include <loci/devices.hpp>
#include <loci/dtype.hpp>
#include <loci/error.hpp>
#include <loci/executor.hpp>
#include <loci/inspect.hpp>
#include <loci/io.hpp>
#include <loci/layers.hpp>
#include <loci/ops.hpp>
#include <loci/optimizer.hpp>
#include <loci/place.hpp>
#include <loci/plugins.hpp>
#include <loci/profiler.hpp>
#include <loci/program.hpp>
#include <loci/scope.hpp>
#include <loci/settings.hpp>
#include <loci/shape.hpp>
#include <loci/tensor.hpp>
#include <loci/timer.hpp>
#include <loci/transfer_policy.hpp>
#include <loci/version.hpp>

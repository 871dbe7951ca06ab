// Modules: layers and models for imperative code, which keep their parameters.
#pragma once

#include <loci/nn/activation.hpp>
#include <loci/nn/attention.hpp>
#include <loci/nn/convolution.hpp>
#include <loci/nn/dropout.hpp>
#include <loci/nn/embedding.hpp>
#include <loci/nn/flatten.hpp>
#include <loci/nn/linear.hpp>
#include <loci/nn/module.hpp>
#include <loci/nn/normalization.hpp>
#include <loci/nn/parameter.hpp>
#include <loci/nn/pooling.hpp>
#include <loci/nn/sequential.hpp>
#include <loci/nn/state_file.hpp>

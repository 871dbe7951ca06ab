# The digits model as a program and trained step by step learns the same, and what is saved of both
# says the same of every test image.
#   PROGRAM IMPERATIVE   the examples digits and digits_imperative
#   LOCI                 the runner
#   DATA                 the examples' images
#   WORK                 a folder of its own
include("${CMAKE_CURRENT_LIST_DIR}/../sdk/run_or_fail.cmake")

# What it prints of each epoch.
function(train variable example folder)
  file(MAKE_DIRECTORY "${folder}")
  run_or_fail("${example}" --data "${DATA}" --output "${folder}" --epochs 3)
  string(REGEX MATCHALL "epoch [^\n]+" epochs "${run_output}")
  set(${variable} "${epochs}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${WORK}")
train(of_program "${PROGRAM}" "${WORK}/program")
train(of_tensors "${IMPERATIVE}" "${WORK}/tensors")
list(LENGTH of_program count)
if(NOT count EQUAL 3 OR NOT of_program STREQUAL of_tensors)
  message(FATAL_ERROR "the program: ${of_program}\nstep by step: ${of_tensors}")
endif()

foreach(kind IN ITEMS program tensors)
  run_or_fail("${LOCI}" run "${WORK}/${kind}/model"
    --feed "image=@${WORK}/tensors/test_images.npy" --fetch "digit=@${WORK}/${kind}.npy")
endforeach()
run_or_fail("${CMAKE_COMMAND}" -E compare_files "${WORK}/program.npy" "${WORK}/tensors.npy")

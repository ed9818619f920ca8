# attnscope_unity(target): compiles the sources of one target in a few batches instead of one by one, for
# the presets that build everything from nothing (ATTNSCOPE_UNITY). Batches are about equally large and keep the order of
# the names, so that one folder's pieces lie together. What a file keeps to itself (an anonymous namespace, static) has
# a name that no other file of its room has; tests/layering looks for names that meet. Sources with compile options of
# their own stay alone. Batches name their sources by their place in the project, so that the compiler cache serves
# every clone of it.

set(ATTNSCOPE_UNITY_LINES 3900 CACHE STRING "lines of code in one batch, about; scripts/run.sh and test.sh take more, from nothing")

# So many jobs at once as have memory: a large batch takes up to 2.5 GB.
if(ATTNSCOPE_UNITY)
  cmake_host_system_information(RESULT memory QUERY TOTAL_PHYSICAL_MEMORY)  # MiB
  math(EXPR jobs "${memory} / 2500 + 1")
  set_property(GLOBAL PROPERTY JOB_POOLS batches=${jobs})
  set(CMAKE_JOB_POOL_COMPILE batches)
endif()

function(attnscope_unity target)
  if(NOT ATTNSCOPE_UNITY)
    return()
  endif()
  set(alone "")
  set(together "")
  set(sizes "")
  set(total 0)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_source_file_property(skipped ${source} SKIP_UNITY_BUILD_INCLUSION)
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    if(skipped OR options)
      list(APPEND alone ${source})
      continue()
    endif()
    # What is made by this configuration (file(GENERATE) writes after this) counts as one line even where an earlier one
    # has left it: the same batches, and the same program, each time. As the last one it must not fall behind the last batch.
    set(size 1)
    cmake_path(IS_PREFIX CMAKE_BINARY_DIR ${source} made)
    if(NOT made AND EXISTS ${source})
      file(STRINGS ${source} lines REGEX "[^ ]")
      list(LENGTH lines size)
    endif()
    list(APPEND together ${source})
    list(APPEND sizes ${size})
    math(EXPR total "${total} + ${size}")
  endforeach()
  math(EXPR batches "(${total} + ${ATTNSCOPE_UNITY_LINES} - 1) / ${ATTNSCOPE_UNITY_LINES}")
  set(before 0)
  foreach(source size IN ZIP_LISTS together sizes)
    # The batch in which the middle of this file lies.
    math(EXPR batch "(${before} + ${size} / 2) * ${batches} / ${total}")
    math(EXPR before "${before} + ${size}")
    file(RELATIVE_PATH place ${CMAKE_SOURCE_DIR} ${source})
    string(APPEND text_${batch} "#include \"${place}\"\n")
  endforeach()
  set(batch 0)
  while(batch LESS batches)
    if(DEFINED text_${batch})
      set(file ${CMAKE_CURRENT_BINARY_DIR}/Unity/${target}_${batch}.cxx)
      file(GENERATE OUTPUT ${file} CONTENT "${text_${batch}}")
      list(APPEND alone ${file})
    endif()
    math(EXPR batch "${batch} + 1")
  endwhile()
  set_target_properties(${target} PROPERTIES SOURCES "${alone}")
endfunction()

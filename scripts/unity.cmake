# attnscope_unity(target): compiles the sources of one target in a few batches instead of one by one, for
# the presets that build everything from nothing (ATTNSCOPE_UNITY). Batches are about equally large and keep the order of
# the names, so that one folder's pieces lie together. What a file keeps to itself (an anonymous namespace, static) has
# a name that no other file of the core, or of the window, has; tests/layering looks for names that meet. Sources with
# compile options of their own stay alone; those with another ATTNSCOPE_BATCH (options of a room, where several are one
# library) have batches of their own. Batches name their sources by their place in the project, so that the compiler
# cache serves every clone of it.

set(ATTNSCOPE_UNITY_LINES "" CACHE STRING "lines of code in one batch, about; empty: as this machine likes them")

# The lines of a batch, and how many at once have memory (0.4 GB and 85 KB a line for each, and 1 GB for what else runs).
# Large batches take less time in all, small ones use more cores, and one changed file is compiled again with all of its
# batch.
set(batch_lines "${ATTNSCOPE_UNITY_LINES}")
cmake_host_system_information(RESULT memory QUERY TOTAL_PHYSICAL_MEMORY)  # MiB
if(NOT batch_lines)
  cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
  if(NOT ATTNSCOPE_FROM_NOTHING)
    set(batch_lines 3900)
  elseif(ATTNSCOPE_SANITIZE OR cores GREATER 4 OR memory LESS 12000)
    set(batch_lines 12000)
  else()
    set(batch_lines 30000)
  endif()
endif()
if(ATTNSCOPE_UNITY)
  math(EXPR jobs "${memory} / (1400 + ${batch_lines} * 85 / 1000) + 1")
  set_property(GLOBAL PROPERTY JOB_POOLS batches=${jobs})
  set(CMAKE_JOB_POOL_COMPILE batches)
endif()

function(attnscope_unity target)
  if(NOT ATTNSCOPE_UNITY)
    return()
  endif()
  set(alone "")
  set(kinds "")
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    get_source_file_property(skipped ${source} SKIP_UNITY_BUILD_INCLUSION)
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    get_source_file_property(room ${source} ATTNSCOPE_BATCH)
    if(room STREQUAL "NOTFOUND")  # also of what CMakeLists.txt has made
      set(room "")
      if(ATTNSCOPE_ONE_CORE AND target STREQUAL "core")
        set(room "${ATTNSCOPE_CALM}")
      endif()
    endif()
    if(skipped OR options)
      list(APPEND alone ${source})
      if(room)  # before its own, which have the last word
        string(REGEX REPLACE "^NOTFOUND$" "" own "${options}")
        set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${room};${own}")
      endif()
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
    string(MAKE_C_IDENTIFIER "of${room}" kind)
    if(NOT kind IN_LIST kinds)
      list(APPEND kinds ${kind})
      set(options_${kind} "${room}")
      set(total_${kind} 0)
    endif()
    list(APPEND together_${kind} ${source})
    list(APPEND sizes_${kind} ${size})
    math(EXPR total_${kind} "${total_${kind}} + ${size}")
  endforeach()
  set(number 0)
  foreach(kind IN LISTS kinds)
    set(total ${total_${kind}})
    math(EXPR batches "(${total} + ${batch_lines} - 1) / ${batch_lines}")
    set(before 0)
    foreach(source size IN ZIP_LISTS together_${kind} sizes_${kind})
      # The batch in which the middle of this file lies.
      math(EXPR batch "${number} + (${before} + ${size} / 2) * ${batches} / ${total}")
      math(EXPR before "${before} + ${size}")
      file(RELATIVE_PATH place ${CMAKE_SOURCE_DIR} ${source})
      string(APPEND text_${batch} "#include \"${place}\"\n")
    endforeach()
    math(EXPR end "${number} + ${batches}")
    while(number LESS end)
      if(DEFINED text_${number})
        set(file ${CMAKE_CURRENT_BINARY_DIR}/Unity/${target}_${number}.cxx)
        file(GENERATE OUTPUT ${file} CONTENT "${text_${number}}")
        set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "${options_${kind}}")
        list(APPEND alone ${file})
      endif()
      math(EXPR number "${number} + 1")
    endwhile()
  endforeach()
  set_target_properties(${target} PROPERTIES SOURCES "${alone}")
endfunction()

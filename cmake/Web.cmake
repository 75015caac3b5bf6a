# The style of pages, which is a file of ours, and the viewer, which npm's packages are bundled
# into: texts in the library.
#
# What npm installs is kept beside the builds of the source tree, so that presets share it.
set(web_work ${PROJECT_BINARY_DIR}/web-modules)
cmake_path(IS_PREFIX PROJECT_SOURCE_DIR ${PROJECT_BINARY_DIR} NORMALIZE within)
if(within AND NOT PROJECT_BINARY_DIR STREQUAL PROJECT_SOURCE_DIR)
    set(web_work ${PROJECT_SOURCE_DIR}/build/web-modules)
endif()
set(web_out ${PROJECT_BINARY_DIR}/web)
set(web_bundle ${web_out}/view.js ${web_out}/view.css ${web_out}/mesh.js ${web_out}/live.js ${web_out}/licences.txt)
# The library as a module, where `make wasm` left it: then pages can carry it.
cmake_path(GET web_work PARENT_PATH wasm_out)
set(wasm_out ${wasm_out}/wasm)
file(GLOB wasm_module CONFIGURE_DEPENDS ${wasm_out}/live.wasm ${wasm_out}/live.js)
file(GLOB_RECURSE web_sources CONFIGURE_DEPENDS web/src/* web/playground/* web/*.mjs web/*.json)
list(FILTER web_sources EXCLUDE REGEX "/node_modules/")

# A bundle that could not be made the last time is tried again.
if(EXISTS ${web_out}/view.js)
    file(SIZE ${web_out}/view.js size)
    if(size EQUAL 0)
        file(REMOVE ${web_bundle})
    endif()
endif()

add_custom_command(OUTPUT ${web_bundle}
    COMMAND ${PROJECT_SOURCE_DIR}/tools/build-web ${web_work} ${web_out} ${wasm_out}
    DEPENDS ${web_sources} ${wasm_module} ${PROJECT_SOURCE_DIR}/tools/build-web
    COMMENT "Bundling the viewer of pages" VERBATIM)

function(arne_embed target header out)
    set(names "")
    set(files "")
    foreach(pair IN LISTS ARGN)
        string(REPLACE "=" ";" pair "${pair}")
        list(GET pair 0 name)
        list(GET pair 1 file)
        list(APPEND names ${name})
        list(APPEND files ${file})
    endforeach()
    list(JOIN names "\;" name_list)
    list(JOIN files "\;" file_list)
    add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/${out}
        COMMAND ${CMAKE_COMMAND} -DHEADER=${header} -DOUT=${PROJECT_BINARY_DIR}/${out}
                "-DNAMES=${names}" "-DFILES=${files}" -P ${PROJECT_SOURCE_DIR}/cmake/Embed.cmake
        DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/Embed.cmake VERBATIM)
    target_sources(${target} PRIVATE ${PROJECT_BINARY_DIR}/${out})
endfunction()

arne_embed(arne_objects report/page.h report_texts.c
    report_page_css=${PROJECT_SOURCE_DIR}/src/report/page.css
    report_view_js=${web_out}/view.js report_view_css=${web_out}/view.css report_mesh_js=${web_out}/mesh.js
    report_live_js=${web_out}/live.js)

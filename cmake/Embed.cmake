# Makes C of texts: cmake -DHEADER=report/page.h -DOUT=x.c -DNAMES=report_view_js;...
# -DFILES=a.js;... -P Embed.cmake
set(code "#include \"${HEADER}\"\n")
foreach(name file IN ZIP_LISTS NAMES FILES)
    file(READ ${file} bytes HEX)
    string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(APPEND code "const char ${name}[] = {${bytes}0};\n")
endforeach()
file(WRITE ${OUT} "${code}")

# cmake -DOUTPUT=x.cc -DHEADER=x.h -DNAMESPACE=a::b -DFILES="kName=path;..." -P pack.cmake: files as constants of a
# C++ source.
set(text "// Packed by the build.\n#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n")
foreach(entry ${FILES})
  string(REGEX MATCH "^([A-Za-z]+)=(.*)$" _ "${entry}")
  set(name ${CMAKE_MATCH_1})
  file(READ "${CMAKE_MATCH_2}" bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND text "static const unsigned char ${name}Bytes[] = {${bytes}};\n"
    "const std::string_view ${name}(reinterpret_cast<const char*>(${name}Bytes), sizeof ${name}Bytes);\n")
endforeach()
string(APPEND text "}  // namespace ${NAMESPACE}\n")
file(WRITE "${OUTPUT}" "${text}")

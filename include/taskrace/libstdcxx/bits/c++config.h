// Stands before libstdc++'s header of this name, under `taskrace c++` only: every C++ header of the
// library begins with it.
//
// Up to C++17 the members of std::string are not instantiated where they are used: libstdc++.so
// has them. There they are not instrumented, and two tasks that append to one string race
// unseen. The library's own switch for this, -1, lifts that for strings alone; it cannot be
// given with -D, because the header defines it unconditionally. Streams stay in the library:
// their calls are modelled.
#pragma GCC system_header
#include_next <bits/c++config.h>
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE -1

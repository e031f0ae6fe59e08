// `taskrace doctor`: is everything there that taskrace needs, and does it work together?
#pragma once

namespace taskrace::driver {

// Prints a line a check; 0 if all is well, else 1.
int Doctor();

}  // namespace taskrace::driver

// `taskrace doctor`: is everything there that taskrace needs, and does it work together?
#pragma once

namespace taskrace::driver {

// Prints one line per check. Returns 0 if all pass, else 1.
int Doctor();

}  // namespace taskrace::driver

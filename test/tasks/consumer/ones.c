#ifndef __TASKRACE__
#error "this file must be compiled for detection"
#endif

const int ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};

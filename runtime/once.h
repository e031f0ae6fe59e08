/* What pthread_once (interpose_once.c) needs to know of other threads of the program.

   Thread rule: any thread. Cost: constant while no thread is inside. */
#ifndef TASKRACE_RUNTIME_ONCE_H_
#define TASKRACE_RUNTIME_ONCE_H_

#include <pthread.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns when no other thread is inside for this control; true: threads take turns, and `leave` follows. */
int __taskrace_once_enter(pthread_once_t* control);
void __taskrace_once_leave(pthread_once_t* control);

#ifdef __cplusplus
}
#endif

#endif /* TASKRACE_RUNTIME_ONCE_H_ */

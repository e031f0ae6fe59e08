/* In an ordinary build annotations do not even evaluate their arguments: exits 0 if so. Also shows
   that the header is C, and that a variable used by an annotation alone draws no warning. */
#include <taskrace/annotate.h>

static int evaluated = 0;
static char* Evaluate(char* pointer) {
  ++evaluated;
  return pointer;
}

TASKRACE_NO_INSTRUMENT int main(void) {
  char byte;
  int named_only_here;
  TASKRACE_IGNORE_BEGIN();
  TASKRACE_IGNORE_END();
  TASKRACE_IGNORE_RANGE(Evaluate(&byte), 1);
  TASKRACE_FREED_RANGE(Evaluate(&byte), 1);
  TASKRACE_FORGET_RANGE(Evaluate(&byte), 1);
  TASKRACE_LOCK_ACQUIRED(&named_only_here);
  TASKRACE_LOCK_ACQUIRED_SHARED(Evaluate(&byte));
  TASKRACE_LOCK_RELEASED(&named_only_here);
  TASKRACE_HAPPENS_BEFORE(Evaluate(&byte));
  TASKRACE_HAPPENS_AFTER(Evaluate(&byte));
  (void)Evaluate;
  return evaluated + TASKRACE_IS_ON();
}

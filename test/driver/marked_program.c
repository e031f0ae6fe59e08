/* A program that carries a marker as instrumented ones do. With "kill" it plays the runtime's part:
   it writes the start of a log and is killed. Else it exits with its argument. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <taskrace/hooks.h>
#include <unistd.h>

#ifndef MARKED_VERSION
#define MARKED_VERSION TASKRACE_ABI_VERSION
#endif

__attribute__((section("taskrace_objects"), used)) static const struct __taskrace_object marker = {
    MARKED_VERSION, 0, "folder/marked_program.c"};

static void WriteLog(void) {
  const char* directory = strstr(getenv("TASKRACE_OPTIONS"), "hidden_log_dir=");
  char path[4096];
  if (directory == NULL) exit(99);
  directory += strlen("hidden_log_dir=");
  snprintf(path, sizeof path, "%.*s/log", (int)strcspn(directory, ":"), directory);
  FILE* log = fopen(path, "w");
  if (log == NULL) exit(98);
  fprintf(log,
          "{\"t\":\"start\",\"version\":\"0.1\",\"pid\":%d,\"program\":\"marked\",\"engine\":"
          "\"spbags\","
          "\"history\":\"shadow\",\"options\":{\"hidden_summary\":1},\"forked\":false}\n"
          "{\"t\":\"module\",\"id\":0,\"path\":\"/nowhere/marked\",\"instrumented\":true}\n",
          (int)getpid());
  fclose(log);
}

int main(int argc, char** argv) {
  printf("options: %s\n", getenv("TASKRACE_OPTIONS"));
  fflush(stdout);
  if (argc > 1 && strcmp(argv[1], "kill") == 0) {
    WriteLog();
    raise(SIGKILL);
  }
  return argc > 1 ? atoi(argv[1]) : 0;
}

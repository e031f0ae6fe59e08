/* A program that carries a marker as instrumented ones do. With an argument that is no number it
   plays the runtime's part and writes a log: with "kill" its start only, and it is killed; with
   "deadlock" or "race-and-deadlock" what the word says. Else it exits with its argument. */
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

static const char kRace[] =
    "{\"t\":\"race\",\"id\":1,\"class\":\"race\",\"address\":4096,\"size\":4,\"accesses\":["
    "{\"op\":\"write\",\"size\":4,\"task\":1,\"strand\":2,\"stack\":[[-1,17]]},"
    "{\"op\":\"read\",\"size\":4,\"task\":0,\"strand\":3,\"stack\":[[-1,18]]}]}\n";
static const char kDeadlock[] =
    "{\"t\":\"deadlock\",\"waiting\":[{\"task\":1,\"for\":\"a promise\",\"stack\":[[-1,19]]}]}\n"
    "{\"t\":\"end\",\"how\":\"stop\",\"code\":67}\n";

static void WriteLog(const char* more, const char* still_more) {
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
          "{\"t\":\"module\",\"id\":0,\"path\":\"/nowhere/marked\",\"instrumented\":true}\n%s%s",
          (int)getpid(), more, still_more);
  fclose(log);
}

int main(int argc, char** argv) {
  printf("options: %s\n", getenv("TASKRACE_OPTIONS"));
  fflush(stdout);
  const char* word = argc > 1 ? argv[1] : "0";
  if (strcmp(word, "kill") == 0) {
    WriteLog("", "");
    raise(SIGKILL);
  }
  if (strcmp(word, "deadlock") == 0 || strcmp(word, "race-and-deadlock") == 0) {
    WriteLog(word[0] == 'r' ? kRace : "", kDeadlock);
    return 67;
  }
  return atoi(word);
}

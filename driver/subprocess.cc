#include "driver/subprocess.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace taskrace::driver {

Output RunForOutput(std::vector<std::string> command) {
  Output output;
  int out[2];
  if (command.empty() || pipe2(out, O_CLOEXEC) != 0) return output;
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  posix_spawn_file_actions_adddup2(&actions, out[1], 2);
  pid_t child = 0;
  const int problem = posix_spawn(&child, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(out[1]);
  if (problem == 0) {
    char buffer[4096];
    ssize_t n;
    while ((n = read(out[0], buffer, sizeof buffer)) > 0) output.text.append(buffer, n);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status)) output.exit_code = WEXITSTATUS(status);
  }
  close(out[0]);
  return output;
}

}  // namespace taskrace::driver

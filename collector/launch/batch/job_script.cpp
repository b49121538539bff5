#include "collector/launch/batch/job_script.h"

#include <algorithm>

#include "core/text/shell_words.h"

namespace scalediag::launch {
namespace {

JobSize largest_of(const std::vector<JobSize>& sizes) {
  JobSize largest;
  for (const JobSize& size : sizes) {
    largest.np = std::max(largest.np, size.np);
    largest.nodes = std::max(largest.nodes, size.nodes);
    largest.ranks_per_node = std::max(largest.ranks_per_node, size.ranks_per_node);
  }
  return largest;
}

std::string settings_of(const JobScript& script, size_t task) {
  return std::string("export ") + kJobProcesses + "=" + std::to_string(script.sizes[task].np) +
         "; DONE=" + core::quote_shell_word(script.done[task]);
}

}  // namespace

std::string text_of(const JobScript& script, const BatchSystem& system) {
  const bool is_array = script.sizes.size() > 1;
  std::string text = "#!/bin/bash\n";
  for (const std::string& option : system.options_of(largest_of(script.sizes), script.name, script.log,
                                                     is_array ? static_cast<int>(script.sizes.size()) : 0)) {
    text += std::string(system.directive) + " " + option + "\n";
  }
  text += "cd " + core::quote_shell_word(script.working_directory) + " || exit\n";
  if (is_array) {
    text += std::string("case $") + system.task_variable + " in\n";
    for (size_t task = 0; task < script.sizes.size(); ++task) {
      text += std::to_string(task) + ") " + settings_of(script, task) + "; exec >>" +
              core::quote_shell_word(script.logs[task]) + " 2>&1 ;;\n";
    }
    text += "esac\n";
  } else {
    text += settings_of(script, 0) + "\n";
  }
  text += "rm -f \"$DONE\"\n" + core::join_shell_words(script.command) + "\n";
  // Written beside the file and renamed, so that nobody reads a part of it.
  text += "status=$?\necho $status >\"$DONE.part\" && mv \"$DONE.part\" \"$DONE\"\nexit $status\n";
  return text;
}

std::vector<std::string> submit_command(const BatchSystem& system, const std::vector<std::string>& options,
                                        const std::string& script_file) {
  std::vector<std::string> words = system.submit;
  words.insert(words.end(), options.begin(), options.end());
  if (!system.script_on_stdin) {
    words.push_back(script_file);
    return words;
  }
  return {"sh", "-c", core::join_shell_words(words) + " <" + core::quote_shell_word(script_file)};
}

}  // namespace scalediag::launch

import { withStore } from "../../src/cli/with-duet.ts";
import { sanitizeLine } from "../../src/kit/text/sanitize.ts";
import { toFlags, type Values } from "../read-options.ts";
import type { Action, CommandRow } from "./command.ts";

/** `table` is called when the command runs, because the command is itself in it. */
export function createCompletionCommand(table: () => readonly CommandRow[]): CommandRow {
  return {
    name: "completion",
    help: {
      zh: "输出 shell 的补全脚本（命令、选项及其值、对话编号）：source <(duet completion bash)",
      en: "prints the completion for a shell (commands, flags, their values, conversation IDs): source <(duet completion bash)",
    },
    commands: [
      ...(["bash", "zsh", "fish"] as const).map(
        (shell): CommandRow => ({
          name: shell,
          help: { zh: `${shell} 的补全脚本`, en: `the script for ${shell}` },
          run: (values) => printCompletion(shell, table, values),
        }),
      ),
      {
        name: "conversations",
        help: {
          zh: "最近的对话编号和标题，每行一个，供脚本使用",
          en: "the latest conversation IDs with their titles, a line each, for the scripts",
        },
        run: listConversationIds,
      },
    ],
  };
}

function printCompletion(shell: "bash" | "zsh" | "fish", table: () => readonly CommandRow[], values: Values): Action {
  return async ({ console }) => {
    const [{ listCompletedCommands }, { renderBash }, { renderFish }, { renderZsh }, { getFallbackLocale }] =
      await Promise.all([
        import("../completion/completed-commands.ts"),
        import("../completion/bash.ts"),
        import("../completion/fish.ts"),
        import("../completion/zsh.ts"),
        import("../../src/config/load-config.ts"),
      ]);
    const render = { bash: renderBash, zsh: renderZsh, fish: renderFish }[shell];
    console.stdout.write(render(listCompletedCommands(table(), getFallbackLocale(toFlags(values)))));
    return 0;
  };
}

/** Limits how many conversations a shell offers. */
const mostOffered = 50;

/** An ID that a caller of the API has chosen may hold what a shell reads as its own. */
const plainId = /^[\w.:-]+$/;

function listConversationIds(values: Values): Action {
  return (context) =>
    withStore(toFlags(values), context, async ({ store, console }) => {
      for (const { id, title } of await store.list({ limit: mostOffered, offset: 0 }))
        if (plainId.test(id)) console.stdout.write(`${id}\t${sanitizeLine(title)}\n`);
      return 0;
    });
}

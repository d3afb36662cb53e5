import { chooseStartMode } from "../../src/app/models/start-mode.ts";
import { findChosenConversation, writeTitle } from "../../src/cli/conversations/chosen-conversation.ts";
import { followConfig } from "../../src/cli/follow-config.ts";
import { type DuetContext, withDuet } from "../../src/cli/with-duet.ts";
import type { Flags } from "../../src/config/settings/settings.ts";
import { readAgent, readConversationChoice, readMode, toFlags, type Values } from "../options.ts";
import type { Action } from "./command.ts";

/** Opens the terminal chat. A pipe on stdin is asked line by line in agent mode, as `ask` does. */
export function chat(values: Values): Action {
  const choice = readConversationChoice(values);
  const flags = toFlags(values);
  const runCommand: Action = async (context) => {
    const isTyped = context.console.stdin.isTTY === true;
    const firstLine = isTyped ? await writeFirstConfig(flags) : undefined;
    // People wait for the prompt: the servers start behind it.
    const startServers = isTyped ? "when-wanted" : "at-once";
    const chatWith = async (opened: DuetContext): Promise<number> => {
      const { duet, config, console, signal } = opened;
      const [{ runChat }, { openInterface }, { getProgramPaths }] = await Promise.all([
        import("../../src/cli/chat/run-chat.ts"),
        import("../../src/cli/chat/open-interface.ts"),
        import("../../src/config/load-config.ts"),
      ]);
      const agent = readAgent(values, duet);
      const start = agent?.mode ?? (isTyped ? await chooseStartMode(config, duet) : "agent");
      const mode = readMode(values) ?? start;
      const conversationId = await findChosenConversation(choice, { duet, config });
      if (choice === "latest" && !isTyped) await writeTitle(duet, console);
      const { enabled } = config.search;
      const { home, directory: cwd } = getProgramPaths();
      const typedHistory = duet.typedHistory();
      const place = { console, config, wantsColours: values["no-color"] !== true, typedHistory, signal };
      const options = {
        duet,
        config,
        conversationId,
        mode,
        agent: agent?.name,
        // A flag says more than the last run.
        keeps: {
          mode: readMode(values) !== undefined,
          models: flags.functionCallModel !== undefined || flags.answerModel !== undefined,
        },
        search: { on: enabled === true, isBarred: enabled === false },
        firstLine,
        folders: { cwd, home },
        openInterface: openInterface.bind(undefined, place),
        signal,
      };
      if (!isTyped) return runChat(options);
      return followConfig({ ...opened, flags }, (asides) => runChat({ ...options, asides }));
    };
    return withDuet(flags, context, chatWith, { startServers });
  };
  // A pipe has questions whose answers are wanted, as with `ask`.
  return Object.assign(runCommand, { endsBySignal: process.stdin.isTTY === true });
}

async function writeFirstConfig(flags: Flags): Promise<string | undefined> {
  const { writeFirstConfig: write } = await import("../../src/cli/first-config.ts");
  return write(flags);
}

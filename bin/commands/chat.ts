import { chooseStartMode } from "../../src/app/models/start-mode.ts";
import type { Context } from "../../src/cli/console.ts";
import { findChosenConversation, writeTitle } from "../../src/cli/conversations/chosen-conversation.ts";
import type { FirstStart } from "../../src/cli/first-start/first-start.ts";
import { followConfig } from "../../src/cli/follow-config.ts";
import { type DuetContext, withDuet } from "../../src/cli/with-duet.ts";
import type { Flags } from "../../src/config/settings/settings.ts";
import { DuetError } from "../../src/kit/errors.ts";
import {
  readAgent,
  readConversationChoice,
  readLimits,
  readMode,
  toFlags,
  toTexts,
  type Values,
} from "../read-options.ts";
import type { Action } from "./command.ts";

/** Opens the terminal chat with a list of conversations to continue. Throws a `config` error where nobody can choose. */
export function resume(values: Values): Action {
  const words = [...(values.all === true ? ["all"] : []), ...toTexts(values.words)].join(" ");
  if (process.stdin.isTTY !== true) throw noTerminalError();
  return openChat(values, words);
}

function noTerminalError(): DuetError {
  return new DuetError({
    code: "config",
    text: {
      zh: "duet resume 需要终端（允许：duet --conversation ID，或 duet -c）",
      en: "duet resume needs a terminal (allowed: duet --conversation ID, or duet -c)",
    },
  });
}

/** Opens the terminal chat. A pipe on stdin is asked line by line in agent mode, as `ask` does. */
export function chat(values: Values): Action {
  return openChat(values);
}

/** With `resumes`, the words of `duet resume`, a conversation is chosen first. */
function openChat(values: Values, resumes?: string): Action {
  const choice = resumes === undefined ? readConversationChoice(values) : undefined;
  const flags = toFlags(values);
  const runCommand: Action = async (context) => {
    const isTyped = context.console.stdin.isTTY === true;
    const begun = isTyped ? await beginFirst(flags, context) : {};
    if (begun === "left") return leftCode;
    const firstLine = begun.line;
    // People wait for the prompt: the servers start behind it.
    const startServers = isTyped ? "when-wanted" : "at-once";
    const chatWith = async (opened: DuetContext): Promise<number> => {
      const { duet, config, console, signal } = opened;
      const [{ runChat }, { openInterface }, { getProgramPaths }] = await Promise.all([
        import("../../src/cli/chat/run-chat.ts"),
        import("../../src/cli/chat/interface/open-interface.ts"),
        import("../../src/config/load-config.ts"),
      ]);
      const agent = readAgent(values, duet);
      const start = agent?.acp
        ? "agent"
        : (agent?.mode ?? (isTyped ? await chooseStartMode(config, duet.models) : "agent"));
      const mode = readMode(values) ?? start;
      const conversationId = await findChosenConversation(choice, { duet, config });
      if (choice && "folder" in choice && conversationId !== undefined && !isTyped)
        await writeTitle(duet, conversationId, console);
      const { enabled } = config.search;
      const { home, directory: cwd } = getProgramPaths();
      const typedHistory = duet.typedHistory();
      const place = { console, config, wantsColours: values["no-color"] !== true, typedHistory, signal };
      const options = {
        duet,
        config,
        conversationId,
        resumes,
        mode,
        agent: agent?.name,
        limits: readLimits(values),
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

/** Is the exit code where the person has left the questions of the first start, as after an interrupt. */
const leftCode = 130;

/** Asks a person who starts the program for the first time for what is missing, where the terminal shows the questions. */
async function beginFirst(flags: Flags, { console, signal }: Context): Promise<FirstStart> {
  if (console.stdout.isTTY === true) {
    const { findConfigFiles } = await import("../../src/config/load-config.ts");
    const { leftOut } = await findConfigFiles(flags);
    if (leftOut.length > 0) {
      const { offerTrust } = await import("../../src/cli/trust/offer-trust.ts");
      if ((await offerTrust({ flags, console, signal })) === "left") return "left";
    }
  } else {
    const { writeFirstConfig } = await import("../../src/cli/first-start/first-config.ts");
    const line = await writeFirstConfig(flags);
    return line === undefined ? {} : { line };
  }
  const { findFirstConfig } = await import("../../src/cli/first-start/first-config.ts");
  if ((await findFirstConfig(flags)) === undefined) return {};
  const { runFirstStart } = await import("../../src/cli/first-start/first-start.ts");
  return runFirstStart({ flags, console, signal });
}

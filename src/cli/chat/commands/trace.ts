import { say } from "../../../kit/locale.ts";
import { toShortLine } from "../../../kit/text/sanitize.ts";
import type { Chat } from "../chat-state.ts";
import type { ChatCommand } from "./chat-command.ts";
import { commandError } from "./command-error.ts";

export const trace: ChatCommand = {
  name: "/trace",
  argument: "[RUN]",
  help: { zh: "显示一次运行的轨迹，默认是最近一次", en: "shows the trace of a run; without an ID, of the last run" },
  async complete({ duet, conversationId }) {
    if (conversationId === undefined) return [];
    const runs = await (await duet.store()).runs({ conversationId });
    return runs.toReversed().map(({ id, question }) => ({ text: id, help: toShortLine(question, 60) }));
  },
  async run(chat, argument) {
    const [{ findTrace }, { renderTrace }] = await Promise.all([
      import("../../trace/trace-command.ts"),
      import("../../trace/trace-lines.ts"),
    ]);
    const { locale } = chat.settings;
    const wanted = argument === "" ? await findLastRun(chat) : argument;
    const found = wanted === undefined ? undefined : await findTrace(await chat.duet.store(), wanted);
    if (found) chat.write(...renderTrace(found, { locale, verbose: chat.config.agent.verbose }));
    else if (wanted === undefined)
      chat.write(say(locale, { zh: "这个对话还没有运行。", en: "This conversation has no run yet." }));
    else throw unknownRunError(wanted);
    return undefined;
  },
};

/** Returns the last run of this chat, or else the last of the current conversation. */
async function findLastRun({ duet, runId, conversationId }: Chat): Promise<string | undefined> {
  if (runId !== undefined || conversationId === undefined) return runId;
  return (await (await duet.store()).runs({ conversationId })).at(-1)?.id;
}

function unknownRunError(run: string): Error {
  const shown = toShortLine(run, 60);
  return commandError(
    { zh: `没有编号以 ${shown} 开头的运行`, en: `There is no run whose ID starts with ${shown}` },
    { zh: "不给编号时显示最近一次运行：/trace", en: "Omit the ID to show the last run: /trace" },
  );
}

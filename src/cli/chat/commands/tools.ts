import { say } from "../../../kit/locale.ts";
import { toShortLine } from "../../../kit/text/sanitize.ts";
import { createLine, type Line, type Style } from "../../terminal/text/line.ts";
import { type ChatCommand, commandError } from "./chat-command.ts";

/** Limits the wait for servers that are still starting, in milliseconds. */
const startWaitMs = 10_000;

export const tools: ChatCommand = {
  name: "/tools",
  runsAtOnce: true,
  argument: "[SERVER]",
  help: { zh: "列出工具，可只看一个服务器的", en: "lists the tools, or those of one server" },
  async complete({ duet }) {
    const [inventory, { listSources }] = await Promise.all([
      duet.inventory(undefined, 0),
      import("../../tools/tool-lines.ts"),
    ]);
    return listSources(inventory).map((text) => ({ text }));
  },
  async run(chat, argument, signal) {
    const { duet, settings } = chat;
    if (settings.mode === "chat")
      chat.write(
        say(settings.locale, {
          zh: "Chat 模式不使用工具（/mode agent 使用）。",
          en: "Chat mode uses no tools (/mode agent does).",
        }),
      );
    const [inventory, { renderSource, listSources, renderTools }, { weighTools }] = await Promise.all([
      duet.inventory(signal, startWaitMs),
      import("../../tools/tool-lines.ts"),
      import("../../tools/tool-lines.ts"),
    ]);
    const weights = await weighTools(duet, inventory.tools);
    const source = argument === "" ? undefined : findSource(argument, listSources(inventory));
    const lines =
      source === undefined
        ? renderTools(inventory, weights, settings.locale)
        : renderSource(source, inventory, weights, settings.locale);
    chat.write(...[...lines].map(highlightHeading));
    return undefined;
  },
};

function findSource(argument: string, sources: readonly string[]): string {
  const wanted = argument.toLowerCase();
  const found = sources.find((source) => source.toLowerCase() === wanted);
  if (found !== undefined) return found;
  const shown = toShortLine(argument, 40);
  throw commandError(
    { zh: `没有名为 "${shown}" 的服务器`, en: `Unknown server "${shown}"` },
    { zh: `可选：${sources.join("、")}。`, en: `Allowed: ${sources.join(", ")}.` },
  );
}

/** Emphasizes the heading of a source. Lines below it begin with a space. */
function highlightHeading(line: string): string | Line {
  return / · /.test(line) && !line.startsWith(" ") ? createLine(line, "strong") : line;
}

export const doctor: ChatCommand = {
  name: "/doctor",
  argument: "",
  help: { zh: "检查配置、密钥、模型与服务器", en: "checks configuration, keys, models and servers" },
  async run(chat, _argument, signal) {
    const { runChecks, renderFinding } = await import("../../doctor/doctor.ts");
    for await (const finding of runChecks(chat.duet, chat.config, signal, { changes: chat.settings.models }))
      chat.write(createLine(renderFinding(finding, chat.settings.locale), ...findingStyles[finding.state]));
    return undefined;
  },
};

const findingStyles: Record<"ok" | "failed" | "none", readonly Style[]> = { ok: [], failed: ["bad"], none: ["dim"] };

import { say } from "../../../kit/locale.ts";
import { toShortLine } from "../../../kit/text/sanitize.ts";
import { createLine, type Line, type Style } from "../../terminal/text/line.ts";
import { type ChatCommand, commandError } from "./chat-command.ts";

/** Limits the wait for servers that are still starting, in milliseconds. */
const startWaitMs = 10_000;

export const tools: ChatCommand = {
  name: "/tools",
  // Who is asked about tools would be asked over what the run shows.
  runsAtOnce: (argument) => readApproval(argument) === undefined,
  argument: "[SERVER|approve [NAME]]",
  help: {
    zh: "列出工具，可只看一个服务器的；approve 查看并批准新的或有变化的工具",
    en: "lists the tools, or those of one server; approve shows new and changed ones and asks about them",
  },
  async complete({ duet }) {
    const [inventory, { listSources }] = await Promise.all([
      duet.inventory(undefined, 0),
      import("../../tools/tool-lines.ts"),
    ]);
    return ["approve", ...listSources(inventory)].map((text) => ({ text }));
  },
  async run(chat, argument, signal) {
    const { duet, settings } = chat;
    const names = readApproval(argument);
    if (names !== undefined) {
      const { approveInChat } = await import("../../tools/approve-tools.ts");
      const { reader, write } = chat;
      await approveInChat(duet, { reader, locale: settings.locale, write }, names, signal);
      return undefined;
    }
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

/** Returns the names after `approve`, and undefined for another argument. */
function readApproval(argument: string): string[] | undefined {
  const [word = "", ...names] = argument.trim().split(/\s+/);
  return word.toLowerCase() === "approve" ? names : undefined;
}

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

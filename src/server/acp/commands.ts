import type { Duet } from "../../app/duet.ts";
import type { ModelChanges } from "../../app/models/change-models.ts";
import type { Mode } from "../../core/run/outcome.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";

/** Holds what a command is about. */
export interface CommandContext {
  duet: Duet;
  conversationId: string;
  mode: Mode;
  changes: ModelChanges | undefined;
  locale: Locale;
  signal: AbortSignal;
}

/** Represents something that an editor offers after a slash, beside questions. */
export interface SessionCommand {
  /** Is written without the slash. */
  name: string;
  description: Text;
  /** Returns what the person reads. Throws a `DuetError` where it cannot be done. */
  run(context: CommandContext): Promise<string>;
}

export const sessionCommands: readonly SessionCommand[] = [
  {
    name: "compact",
    description: { zh: "把较早的对话压缩为摘要，以节省 token", en: "Summarises the earlier turns to save tokens" },
    async run({ duet, conversationId, changes, locale, signal }) {
      const models = await duet.models.open(changes);
      const { turns, tokensBefore, tokensAfter } = await duet.compact({ conversationId, models, locale, signal });
      const saved = `${tokensBefore.toLocaleString("en")} → ${tokensAfter.toLocaleString("en")}`;
      return say(locale, {
        zh: `已压缩 ${turns} 轮，约 ${saved} 个 token。`,
        en: `Compacted ${turns} turns, about ${saved} tokens.`,
      });
    },
  },
  {
    name: "context",
    description: { zh: "显示各模型的上下文窗口里有什么", en: "Shows what fills each model's window" },
    async run({ duet, conversationId, mode, changes, locale, signal }) {
      const models = await duet.models.open(changes);
      const uses = await duet.measureContext({ conversationId, mode, models, locale, signal });
      return uses
        .map(({ model, parts, window }) => {
          const rows = Object.entries(parts).map(([part, tokens]) => `- ${part}: ${tokens.toLocaleString("en")}`);
          return [`**${model}** (${window.toLocaleString("en")})`, ...rows].join("\n");
        })
        .join("\n\n");
    },
  },
  {
    name: "tools",
    description: { zh: "列出可用的工具", en: "Lists the tools" },
    async run({ duet, locale, signal }) {
      const { tools } = await duet.inventory(signal);
      const lines = tools.map(({ name, description }) => `- \`${name}\`: ${description.split("\n")[0] ?? ""}`);
      return lines.length > 0 ? lines.join("\n") : say(locale, { zh: "没有工具。", en: "There are no tools." });
    },
  },
];

/** Returns the command that a prompt is. A text that begins with a path is a question. */
export function findCommand(text: string): SessionCommand | undefined {
  const [, name] = /^\/([a-z]+)\s*$/.exec(text) ?? [];
  return sessionCommands.find((command) => command.name === name);
}

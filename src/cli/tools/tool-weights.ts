import type { Duet } from "../../app/open-duet.ts";
import type { Tool } from "../../core/tools/tool.ts";
import { type Locale, say } from "../../kit/locale.ts";

/** Estimates the tokens that tools add to each request. */
export interface ToolWeights {
  of(tools: readonly Tool[]): number;
  /** Describes how tools are offered to the current model; null when it cannot be opened. */
  offer: { mode: "listed" | "searched"; tokens: number; limit: number | null } | null;
}

/** Counts by the current function-call model; when that cannot be opened, by a rule of thumb. */
export async function weighTools(duet: Duet, tools: readonly Tool[]): Promise<ToolWeights> {
  try {
    const { mode, tokens, limit, of } = await duet.weigh(tools);
    return { of, offer: { mode, tokens, limit: Number.isFinite(limit) ? limit : null } };
  } catch {
    return { of: estimateTokens, offer: null };
  }
}

/** Renders the weight in one line; returns undefined when it is unknown. */
export function renderWeight({ offer }: ToolWeights, locale: Locale): string | undefined {
  if (offer === null) return undefined;
  const { tokens, limit } = offer;
  const among = limit === null ? { zh: "", en: "" } : { zh: `，上限 ${limit}`, en: ` of at most ${limit}` };
  if (offer.mode === "listed")
    return say(locale, {
      zh: `全部列给模型：约 ${tokens} token${among.zh}`,
      en: `all are listed for the model: about ${tokens} tokens${among.en}`,
    });
  return say(locale, {
    zh: `约 ${tokens} token，超过上限 ${limit}：服务器的工具按需查找（find_tools），不全部列出`,
    en: `about ${tokens} tokens, above ${limit}: the servers' tools are searched as needed (find_tools), not listed`,
  });
}

/** Assumes four characters per token. */
function estimateTokens(tools: readonly Tool[]): number {
  const text = tools.map(({ name, description, inputSchema }) => JSON.stringify({ name, description, inputSchema }));
  return Math.ceil(text.join("").length / 4);
}

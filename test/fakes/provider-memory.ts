import type { FakeTurn, JournalEntry } from "./provider.ts";
import type { SentTurn } from "./provider-rules-reasoning.ts";

/** What a provider remembers of its own turns. */
export interface Memory {
  readonly sent: readonly SentTurn[];
  /** The turn with the ids and signatures that its vendor would give it; remembered as such. */
  sign(turn: FakeTurn, entry: Pick<JournalEntry, "wire" | "model">): FakeTurn;
}

export function createMemory(): Memory {
  const sent: SentTurn[] = [];
  let calls = 0;
  return {
    sent,
    sign(turn, { wire, model }) {
      const toolCalls = turn.toolCalls?.map((call) => ({ ...call, id: call.id ?? `call_fake_${++calls}` }));
      const thinks = wire === "anthropic-messages" && Boolean(turn.reasoning);
      const signs = wire === "openai-chat" && /(^|\/)gemini-[3-9]/i.test(model) && Boolean(toolCalls?.length);
      const made = thinks || signs ? Buffer.from(`${model}?>${sent.length}`).toString("base64") : undefined;
      const signature = turn.signature ?? made;
      const { reasoning, redacted } = turn;
      sent.push({ model, callIds: (toolCalls ?? []).map((call) => call.id), reasoning, redacted, signature });
      return { ...turn, toolCalls, signature };
    },
  };
}

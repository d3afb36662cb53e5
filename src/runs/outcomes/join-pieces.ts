import type { AgentEvent } from "../../core/run/events.ts";

/** Joins two pieces of one text. Returns undefined when they are not such pieces, or would be longer than `longest` together. */
export function joinPieces(a: AgentEvent, b: AgentEvent, longest: number): AgentEvent | undefined {
  if (!("text" in a && "text" in b) || a.text.length + b.text.length > longest) return undefined;
  const text = a.text + b.text;
  if (a.type === "thought-delta" && b.type === "thought-delta") return { ...a, text };
  if (a.type === "reasoning-delta" && b.type === "reasoning-delta")
    return a.phase === b.phase ? { ...a, text } : undefined;
  if (a.type === "draft-delta" && b.type === "draft-delta") return a.draft === b.draft ? { ...a, text } : undefined;
  if (a.type !== "answer-delta" || b.type !== "answer-delta") return undefined;
  const citations = [...(a.citations ?? []), ...(b.citations ?? [])];
  return { ...a, text, citations: citations.length > 0 ? citations : undefined };
}

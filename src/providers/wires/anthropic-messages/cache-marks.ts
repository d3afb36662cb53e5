/** A part of a request body, in which the marks go. */
interface Parts<Tool, Turn> {
  tools?: Tool[];
  system?: string;
  messages: Turn[];
}

/**
 * Marks where the next request of the conversation will start to differ: after the tools, after the system prompt and
 * after the last message. Anthropic takes at most four marks, and passes over one that stands before too little.
 */
export function addCacheMarks<Tool extends object, Block extends { type: string }, Turn extends { content: Block[] }>({
  tools,
  system,
  messages,
}: Parts<Tool, Turn>) {
  const last = messages.at(-1);
  return {
    tools: tools && markLast(tools),
    system: system === undefined ? undefined : markLast([{ type: "text", text: system }]),
    messages: last ? [...messages.slice(0, -1), { ...last, content: markLast(last.content) }] : messages,
  };
}

function markLast<Item extends object>(items: readonly Item[]): Item[] {
  return items.map((item, position) => (position === items.length - 1 ? { ...item, ...mark } : item));
}

const mark = { cache_control: { type: "ephemeral" } } as const;

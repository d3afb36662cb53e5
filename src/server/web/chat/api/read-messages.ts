/** A message of an event stream; fields that it does not have are empty. */
export interface StreamMessage {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** The messages of an event stream (HTML, 9.2.6), those that came together at once; none where only a comment came. */
export async function* readMessages(stream: ReadableStream<Uint8Array>): AsyncGenerator<readonly StreamMessage[]> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const parts = (rest + decoder.decode(value, { stream: true })).split(/\r?\n\r?\n/);
      rest = parts.pop() ?? "";
      yield parts.map(readMessage).filter(({ data }) => data !== "");
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function readMessage(text: string): StreamMessage {
  const data: string[] = [];
  const fields = { id: "", event: "" };
  for (const line of text.split(/\r?\n/)) {
    const [, name, value = ""] = /^([^:]+)(?:: ?([\s\S]*))?$/.exec(line) ?? [];
    if (name === "data") data.push(value);
    if (name === "id" || name === "event") fields[name] = value;
  }
  return { ...fields, data: data.join("\n") };
}

/**
 * Tells the thought of a single model from its answer. Text is held until it is too long for a thought beside tool
 * calls; from there on it is the answer and flows.
 */
export interface BufferedText {
  push(text: string): void;
  /** Whether the answer has begun to flow. */
  readonly flowing: boolean;
  /** The turn asked for tools: what is still held was a thought. */
  asThought(): string;
  /** The turn asked for none: what is still held belongs to the answer. */
  asAnswer(): void;
}

/** Columns, of which a Chinese character takes two and a half; decide prompts ask for one or two sentences. */
const longestThought = 200;

export function createBufferedText(answer: (text: string) => void): BufferedText {
  let held = "";
  let flowing = false;
  function release(): void {
    const text = held;
    held = "";
    if (text !== "") answer(text);
  }
  return {
    push(text) {
      held += text;
      flowing ||= columns(held) > longestThought;
      if (flowing) release();
    },
    get flowing() {
      return flowing;
    },
    asThought() {
      // A long thought that was already shown as answer stays there, set apart from what follows.
      if (flowing) answer("\n\n");
      const thought = held;
      held = "";
      return thought;
    },
    asAnswer: release,
  };
}

function columns(text: string): number {
  const wide = text.match(/[\u2e80-\uffdc]/g)?.length ?? 0;
  return text.length + 1.5 * wide;
}

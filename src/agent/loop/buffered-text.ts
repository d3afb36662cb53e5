/**
 * Tells the thought of a single model from its answer. Text is held until it is too long for a thought beside tool
 * calls; from there on it is the answer and flows.
 */
export interface BufferedText {
  push(text: string): void;
  /** Is true once the answer has begun to stream. */
  readonly flowing: boolean;
  /** Returns the held text as a thought, because the turn asked for tools. */
  asThought(): string;
  /** Returns the held text as part of the answer, because the turn asked for no tools. */
  asAnswer(): void;
}

/** Limits a thought, in columns; a Chinese character counts as two and a half. Decide prompts ask for one or two sentences. */
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
      flowing ||= countColumns(held) > longestThought;
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

function countColumns(text: string): number {
  const wide = text.match(/[\u2e80-\uffdc]/g)?.length ?? 0;
  return text.length + 1.5 * wide;
}

import type { TraceNote } from "../../core/trace.ts";
import { truncate } from "../../kit/text/truncate.ts";

const longestNote = 2000;
const mostNotes = 200;

/** What the reader of a run was told beside the answer, as far as a trace keeps it. */
export interface TraceNotes {
  /** What was just told in the same words is not told again: a limit comes as a verdict and as a notice. */
  add(note: Omit<TraceNote, "timestamp">): void;
  readonly list: TraceNote[];
}

export function createTraceNotes(): TraceNotes {
  const list: TraceNote[] = [];
  return {
    list,
    add({ level, code, phase, message: words }) {
      const message = truncate(words, longestNote);
      const last = list.at(-1);
      if (last?.code === code && last.message === message) last.level = level;
      else if (list.length < mostNotes) list.push({ timestamp: new Date().toISOString(), phase, level, code, message });
    },
  };
}

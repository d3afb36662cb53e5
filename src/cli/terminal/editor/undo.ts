import type { TextBuffer } from "./text/buffer.ts";

/** What stood there before each change, so that it can come back. */
export interface Undo {
  /** Keeps what stood there before a change; changes of one kind in a row come back together. */
  keep(buffer: TextBuffer, kind: string): void;
  /** What stood there before the last change; undefined when nothing is left. */
  back(): TextBuffer | undefined;
  /** The next change is one of its own. */
  rest(): void;
  clear(): void;
}

export function createUndo(): Undo {
  let kept: TextBuffer[] = [];
  let size = 0;
  let lastKind: string | undefined;

  return {
    keep(buffer, kind) {
      if (kind === lastKind) return;
      lastKind = kind;
      kept.push(buffer);
      size += buffer.text.length;
      while (kept.length > mostKept || size > mostUnits) size -= kept.shift()?.text.length ?? size;
    },
    back() {
      lastKind = undefined;
      const buffer = kept.pop();
      size -= buffer?.text.length ?? 0;
      return buffer;
    },
    rest() {
      lastKind = undefined;
    },
    clear() {
      kept = [];
      size = 0;
      lastKind = undefined;
    },
  };
}

const mostKept = 500;
/** UTF-16 units of all that is kept. */
const mostUnits = 8_000_000;

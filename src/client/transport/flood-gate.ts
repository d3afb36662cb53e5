/** Keeps messages that nobody waits for within bounds. */
export interface FloodGate {
  /** Returns true when the message is within the limit. */
  passes(line: string): boolean;
  readonly dropped: number;
  close(): void;
}

/**
 * The limit is a thousand messages a second, which may come at once: the progress of a call often does. More would carry no
 * information and cost time to parse.
 */
const windowMs = 1000;
const mostPerWindow = 1000;

/** Is after how long an announcement beyond the limit is delivered, in milliseconds. */
const announcementDelayMs = 100;

/** Drops messages beyond the limit. A list-changed notification is delivered a moment later instead, once for each list. */
export function createFloodGate(handOn: (line: string) => void): FloodGate {
  const held = new Map<string, string>();
  let windowEnds = 0;
  let count = 0;
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;

  function keepLine(line: string): void {
    const [, list] = announcement.exec(line.slice(0, longestAnnouncement)) ?? [];
    if (list === undefined) return;
    held.set(list, line);
    timer ??= setTimeout(release, announcementDelayMs);
  }

  function release(): void {
    timer = undefined;
    const lines = [...held.values()];
    held.clear();
    for (const line of lines) handOn(line);
  }

  return {
    passes(line) {
      const now = performance.now();
      if (now >= windowEnds) {
        windowEnds = now + windowMs;
        count = 0;
      }
      count += 1;
      if (count <= mostPerWindow) return true;
      dropped += 1;
      keepLine(line);
      return false;
    },
    get dropped() {
      return dropped;
    },
    close() {
      clearTimeout(timer);
      held.clear();
    },
  };
}

const longestAnnouncement = 300;
// Some languages write a slash as `\/`.
const announcement = /"notifications\\?\/(tools|prompts|resources)\\?\/list_changed"/;

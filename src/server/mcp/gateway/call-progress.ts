import { printableLine } from "../../../kit/text/sanitize.ts";
import { createPace, type Pace } from "../../../runs/input/progress-pace.ts";

/** The progress of one call for the host, over all the requests that carry it; only the newest line counts. */
export interface CallProgress extends Pick<Pace, "attach" | "settle"> {
  tell(line: string): void;
}

const longestLine = 500;

export function createCallProgress(): CallProgress {
  let line: string | undefined;
  const { due, attach, settle } = createPace({
    take() {
      const taken = line;
      line = undefined;
      return taken;
    },
  });
  return {
    tell(text) {
      line = printableLine(text).slice(0, longestLine);
      due();
    },
    attach,
    settle,
  };
}

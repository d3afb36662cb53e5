import { describe, expect, test } from "vitest";
import type { ModelEvent, Turn } from "../../src/core/model/model.ts";
import type { ServerEvent } from "../../src/providers/wires/turn-reader.ts";
import { textOf } from "./reading.ts";
import { allRecordings, eventsOf, isComplete, type Recording, readTurn, turnOf } from "./recordings.ts";

const streams = allRecordings().filter(({ kind }) => kind === "stream");
const named = streams.map((recording) => [recording.name, recording] as const);

/**
 * A stream below this length, in bytes, is cut at each of them; of a longer one the ends of events count, the bytes
 * around what says that the turn is over, and a sample of the others. With `DUET_EVERY_CUT=1` every byte of any counts.
 */
const short = process.env.DUET_EVERY_CUT === "1" ? Number.POSITIVE_INFINITY : 2_000;

describe("a stream that is cut at any byte is whole or no turn", () => {
  test.each(named)("%s", (_, recording) => {
    const { wire, bytes } = recording;
    const whole = completeTurn(wire, eventsOf([bytes]));
    const end = endOf(recording);
    let complete = 0;
    let events: readonly ServerEvent[] | undefined;
    let turn: Turn | undefined;
    for (const cut of cutsOf(bytes, end)) {
      const arrived = eventsOf([bytes.subarray(0, cut)]);
      // Most cuts fall within an event, which is then lost: the turn is read again where the events are others.
      if (events === undefined || !areSame(arrived, events)) turn = completeTurn(wire, arrived);
      events = arrived;
      if (!turn) continue;
      complete++;
      // What the end marker stands in must have come whole; only padding, usage or [DONE] may be lost.
      expect(cut).toBeGreaterThanOrEqual(end);
      expect({ ...turn, usage: 0 }).toEqual({ ...whole, usage: 0 });
    }
    if (whole) expect(complete).toBeGreaterThan(0);
  });
});

test("a whole answer that is cut at any byte is no turn", () => {
  for (const { wire, bytes } of allRecordings().filter(({ kind }) => kind === "json")) {
    for (let cut = 0; cut < bytes.length; cut++) {
      const text = bytes.subarray(0, cut).toString("utf8");
      expect(() => readTurn(wire, [Buffer.from(`data: ${text}\n\n`)])).toThrow(/ended before|not JSON/);
    }
  }
});

describe("a stream means the same, however it is framed", () => {
  const framings: [string, (text: string) => string][] = [
    ["carriage returns and line feeds", (text) => text.replaceAll("\n", "\r\n")],
    ["carriage returns", (text) => text.replaceAll("\n", "\r")],
    ["a byte order mark", (text) => `\uFEFF${text}`],
    ["no space after the colon", (text) => text.replace(/^(data|event): /gm, "$1:")],
    ["comments and empty lines between all events", (text) => text.replaceAll("\n\n", "\n\n: keep-alive\n\n\n")],
    ["data over several lines", (text) => text.replace(/^data: (\{[^\n]*)$/gm, overSeveralLines)],
  ];
  test.each(framings)("with %s", (_, reframe) => {
    for (const { name, wire, bytes } of streams) {
      const framed = Buffer.from(reframe(bytes.toString("utf8").replaceAll("\r\n", "\n")));
      const pieces = Array.from({ length: Math.ceil(framed.length / 7) }, (_, n) => framed.subarray(n * 7, n * 7 + 7));
      const expected = said(wire, [bytes]);
      expect({ name, ...said(wire, [framed]) }).toEqual({ name, ...expected });
      expect({ name, ...said(wire, pieces) }).toEqual({ name, ...expected });
    }
  });
});

function said(wire: Recording["wire"], pieces: Buffer[]) {
  const events: ModelEvent[] = [];
  const turn = attempt(() => readTurn(wire, pieces, events));
  return { turn, text: textOf(events, "text-delta"), reasoning: textOf(events, "reasoning-delta") };
}

function areSame(some: readonly ServerEvent[], others: readonly ServerEvent[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ event, data }, index) => data === others[index]?.data && event === others[index]?.event)
  );
}

function completeTurn(wire: Recording["wire"], events: readonly ServerEvent[]): Turn | undefined {
  const turn = attempt(() => turnOf(wire, events));
  return turn && isComplete(turn.finish) ? turn : undefined;
}

function attempt(read: () => Turn): Turn | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Where the JSON ends in which the provider says that the turn is over. */
function endOf({ wire, bytes }: Recording): number {
  const text = bytes.toString("latin1");
  const marker = markers[wire].exec(text) ?? /^data: ?\[DONE\]/m.exec(text);
  if (!marker) return Number.POSITIVE_INFINITY;
  const line = text.slice(marker.index).search(/[\r\n]|$/) + marker.index;
  return text.slice(0, line).trimEnd().length;
}

const markers: Record<Recording["wire"], RegExp> = {
  "openai-chat": /"finish_reason": ?"/,
  "openai-responses": /"type": ?"response\.(completed|incomplete|failed)"/,
  "anthropic-messages": /"type": ?"message_stop"/,
};

function cutsOf(bytes: Buffer, decided: number): number[] {
  if (bytes.length <= short) return Array.from(bytes, (_, cut) => cut);
  const cuts = new Set<number>();
  const add = (from: number, to: number, step = 1): void => {
    for (let cut = Math.max(0, from); cut < Math.min(to, bytes.length); cut += step) cuts.add(cut);
  };
  add(0, bytes.length, 211);
  // The last events decide, hence all of their bytes.
  add(Math.min(decided, bytes.length) - 200, decided + 100);
  add(bytes.length - 150, bytes.length);
  for (let end = bytes.indexOf("\n\n"); end >= 0; end = bytes.indexOf("\n\n", end + 2)) add(end - 1, end + 4);
  return [...cuts].sort((one, other) => one - other);
}

/** White space between the parts of JSON may hold line ends; what is cut off stays as it is. */
function overSeveralLines(line: string, json: string): string {
  try {
    const spread = JSON.stringify(JSON.parse(json), null, 1);
    return spread.replace(/^/gm, "data: ");
  } catch {
    return line;
  }
}

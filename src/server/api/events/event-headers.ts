import { showValue } from "../../../core/tools/argument-feedback.ts";
import { HttpRefusalError } from "../../http/response/refusal.ts";

/** Reads the number of the last event that a reader has. Throws `HttpRefusalError` for what is none. */
export function readLastId(headers: Headers): number {
  const text = headers.get("last-event-id")?.trim() ?? "";
  if (text === "") return 0;
  if (!/^\d{1,15}$/.test(text)) throw unknownEventError(text, undefined);
  return Number(text);
}

export function unknownEventError(text: string, most: number | undefined): HttpRefusalError {
  const shown = showValue(text);
  const last = most === undefined ? "" : `, 0-${most}`;
  return new HttpRefusalError({
    status: 400,
    text: {
      zh: `Last-Event-ID ${shown} 不是此运行的事件编号（允许：收到过的 id${last}）`,
      en: `Last-Event-ID ${shown} is not an event of this run (allowed: an id that was received${last})`,
    },
  });
}

const wanted = ["application/json", "text/event-stream"] as const;

/**
 * Returns true when the client prefers events to a single answer, by the weights of `Accept` and, for equal weights, by their
 * order.
 */
export function isEventStreamPreferred({ headers }: Request): boolean {
  const ranges = (headers.get("accept") ?? "").toLowerCase().split(",");
  const rated = ranges.flatMap((range) => {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim());
    const type = wanted.find((known) => known === name);
    const weight = parameters.find((part) => part.startsWith("q="))?.slice(2);
    return type === undefined ? [] : [{ type, weight: weight === undefined ? 1 : Number(weight) || 0 }];
  });
  const [best] = rated.toSorted((one, other) => other.weight - one.weight);
  return best?.type === "text/event-stream" && best.weight > 0;
}

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

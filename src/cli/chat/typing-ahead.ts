import type { Panel } from "./panel.ts";

/** How long a pause in typing is, in milliseconds. */
const pauseMs = 700;

/**
 * Whether keys belong to the half-typed text although a question has come: until there is a pause, so that what somebody was
 * typing can never answer what they have not read.
 */
export type TypesAhead = (panel: Panel | undefined, typed: string) => boolean;

export function createTypesAhead(now: () => number = () => performance.now()): TypesAhead {
  let known: Panel | undefined;
  let isAhead = false;
  let lastKeyAt = Number.NEGATIVE_INFINITY;
  return (panel, typed) => {
    const sinceKey = now() - lastKeyAt;
    lastKeyAt = now();
    if (panel !== known) isAhead = panel !== undefined && typed !== "";
    known = panel;
    isAhead &&= sinceKey < pauseMs;
    return isAhead;
  };
}

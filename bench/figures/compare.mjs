import { figures } from "./table.mjs";

/** Returns what is compared with the limits of a reported figure. */
export function readCompared({ key, duet, ratio }) {
  return figures[key].compare === "ratio" ? ratio : duet;
}

export function isMet(reported) {
  const value = readCompared(reported);
  return Number.isFinite(value) && value <= figures[reported.key].must;
}

/** Returns a line for each reported figure that is above its limit. */
export function listMissed(reported) {
  return reported
    .filter((one) => !isMet(one))
    .map(
      (one) => `missed: ${figures[one.key].name}: ${readCompared(one).toFixed(2)}, at most ${figures[one.key].must}`,
    );
}

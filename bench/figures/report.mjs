import { appendFileSync } from "node:fs";
import { isMet, listMissed } from "./compare.mjs";
import { renderTable } from "./render-table.mjs";
import { figures } from "./table.mjs";

/** Returns the keys of the figures that a script measures. */
export function listKeys(script) {
  return Object.keys(figures).filter((key) => figures[key].script === script);
}

/**
 * Returns the function with which a script reports its figures, a key each. A script that ends without one of `keys`, however that
 * comes, and one that reports a figure above its limit, end with 1. The table is printed at the end, unless `run.mjs` has started the
 * script, which prints one for all.
 */
export function openReport(keys) {
  const missing = new Set(keys);
  const reported = [];
  const file = process.env.DUET_BENCH_REPORT;
  process.once("exit", () => {
    if (file === undefined && reported.length > 0) console.log(`\n${renderTable(reported)}`);
    const unmeasured = missing.size > 0 ? [`not measured: ${[...missing].join(", ")}`] : [];
    for (const line of [...listMissed(reported), ...unmeasured]) console.error(line);
    if (missing.size > 0 || !reported.every(isMet)) process.exitCode ||= 1;
  });
  return function report(key, { duet, floor, ratio = duet / floor, dockerAgent, note }) {
    const one = { key, duet, floor, ratio, dockerAgent, note };
    missing.delete(key);
    reported.push(one);
    if (file !== undefined) appendFileSync(file, `${JSON.stringify(one)}\n`);
  };
}

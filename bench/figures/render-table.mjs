import { isMet, readCompared } from "./compare.mjs";
import { figures } from "./table.mjs";

const heads = ["figure", "Duet", "floor", "ratio", "must", "aim", "docker-agent", ""];

/** Renders the figures of these keys, in the order of the table. A key that was not reported is shown as not measured. */
export function renderTable(reported, keys = reported.map(({ key }) => key)) {
  const byKey = new Map(reported.map((one) => [one.key, one]));
  const rows = Object.keys(figures)
    .filter((key) => keys.includes(key))
    .map((key) => renderRow(key, byKey.get(key)));
  const lines = [heads, ...rows];
  const widths = heads.map((_, column) => Math.max(...lines.map((cells) => cells[column].length)));
  const table = lines.map((cells) =>
    cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join("  "),
  );
  return [...table, "* as it was on 2026-11-23; DUET_BENCH_DOCKER_AGENT names a binary that is measured beside"].join(
    "\n",
  );
}

function renderRow(key, one) {
  const { name, compare, unit, must, aim, dockerAgent } = figures[key];
  const limitUnit = compare === "ratio" ? "x" : unit;
  const limits = [`${must} ${limitUnit}`, `${aim} ${limitUnit}`];
  const known = dockerAgent === undefined ? "" : `${dockerAgent} ${limitUnit} *`;
  if (one === undefined) return [name, "", "", "", ...limits, known, "not measured"];
  const measured = one.dockerAgent === undefined ? known : show(one.dockerAgent, limitUnit);
  return [
    one.note === undefined ? name : `${name} (${one.note})`,
    show(one.duet, unit),
    one.floor === undefined ? "" : show(one.floor, unit),
    Number.isFinite(one.ratio) ? show(one.ratio, "x") : "",
    ...limits,
    measured,
    isMet(one) ? (readCompared(one) <= aim ? "met, and the aim" : "met") : "missed",
  ];
}

function show(value, unit) {
  return `${value.toFixed(Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0)} ${unit}`;
}

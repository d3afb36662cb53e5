import type { Evidence } from "./evidence.ts";
import { listGivenUp, listHandovers, listTakeovers, listUnknown, type Takeover, type Verdict } from "./judge.ts";
import { isUnsafe } from "./plan.ts";

/** Limits what is printed of the violations of one rule. */
const mostShown = 10;

/** Renders what one fault came to as Markdown tables. */
export function renderReport(title: string, evidence: Evidence, verdicts: readonly Verdict[]): string {
  const facts = listFacts(evidence).map(([what, value]) => `| ${what} | ${value} |`);
  const rules = verdicts.map(({ rule, looked, violations }) => `| ${rule} | ${looked} | ${violations.length} |`);
  return [
    `\n## ${title}\n`,
    "| what | |\n| --- | --- |",
    ...facts,
    "\n| rule | held to it | violated |\n| --- | --- | --- |",
    ...rules,
    ...verdicts.flatMap((verdict) => renderViolations(evidence, verdict)),
  ].join("\n");
}

function listFacts(evidence: Evidence): [string, string | number][] {
  const { clients, tools, lives, expected } = evidence;
  const begins = tools.filter(({ what }) => what === "begin");
  const calls = new Set(begins.map(({ call }) => call));
  const again = begins.length - calls.size;
  return [
    ["runs", clients.length],
    ["processes of replicas, killed", `${lives.length}, ${lives.filter(({ end }) => end === "killed").length}`],
    [
      "calls, unsafe ones",
      `${calls.size}, ${new Set(begins.filter(({ tool }) => isUnsafe(tool)).map(({ call }) => call)).size}`,
    ],
    ["safe calls made again", again],
    ["calls told as unknown", listUnknown(clients).length],
    ["events received", clients.reduce((sum, { events }) => sum + events.length, 0)],
    ["streams taken up again", clients.reduce((sum, { returns }) => sum + returns, 0)],
    ["clients that came after the end", clients.filter(({ events }) => events.length === 0).length],
    ["questions told that they could not begin", clients.reduce((sum, { unbegun }) => sum + unbegun, 0)],
    ["runs given up after three kills in a row", listGivenUp(evidence).length],
    ["answers begun anew", clients.filter(({ events }) => events.some(({ type }) => type === "answer-restart")).length],
    ["takeovers (median, p95, max)", renderTimes(listTakeovers(evidence))],
    ["handovers (median, p95, max)", renderTimes(listHandovers(evidence))],
    ...expected.map(({ what, is, wanted }): [string, string] => [
      what,
      `${is} (${"exactly" in wanted ? `exactly ${wanted.exactly}` : `at most ${wanted.most}`})`,
    ]),
  ];
}

function renderTimes(takeovers: readonly Takeover[]): string {
  const times = takeovers.flatMap(({ ms }) => ms ?? []).toSorted((one, other) => one - other);
  if (times.length === 0) return "0";
  const at = (share: number): string =>
    `${((times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0) / 1000).toFixed(2)} s`;
  return `${takeovers.length}: ${at(0.5)}, ${at(0.95)}, ${at(1)}`;
}

function renderViolations(evidence: Evidence, { rule, violations }: Verdict): string[] {
  if (violations.length === 0) return [];
  const shown = violations.slice(0, mostShown);
  const left = violations.length - shown.length;
  return [
    `\n### Violated: ${rule}\n`,
    ...shown.flatMap(({ says, runId }) => [`- ${says}`, ...(runId ? renderRun(evidence, runId) : [])]),
    ...(left > 0 ? [`- and ${left} more`] : []),
  ];
}

/** Renders all that is known of one run, in the order in which it happened. */
function renderRun({ clients, tools, holds, commits, callNames, lives }: Evidence, runId: string): string[] {
  const client = clients.find((each) => each.runId === runId);
  const own = new Set(client?.calls);
  const lines = [
    ...(client?.events ?? []).map(({ at, id, type, callId, call }): [number, string] => [
      at,
      `client: event ${id} ${type} ${callId ?? ""} ${call ?? ""}`,
    ]),
    ...tools
      .filter(({ call }) => own.has(call))
      .map(({ at, what, tool, call, pid, parent }): [number, string] => [
        at,
        `tool ${pid} of ${parent}: ${what} ${tool} ${call}`,
      ]),
    ...holds
      .filter((hold) => hold.runId === runId)
      .map(({ at, pid, epoch, state }): [number, string] => [
        at,
        `database: ${state}, held by ${pid ?? "nobody"}, epoch ${epoch}`,
      ]),
    ...commits
      .filter((commit) => commit.runId === runId)
      .map(({ at, callId }): [number, string] => [
        at,
        `database: outcome of ${callId} ${callNames.get(`${runId} ${callId}`) ?? ""}`,
      ]),
  ];
  const pids = new Set(holds.filter((hold) => hold.runId === runId).map(({ pid }) => pid));
  for (const { pid, name, startedAt, endedAt, end, away } of lives.filter((life) => pids.has(life.pid))) {
    lines.push([startedAt, `replica ${name}: ${pid} started`]);
    if (endedAt !== undefined) lines.push([endedAt, `replica ${name}: ${pid} ended (${end ?? "by itself"})`]);
    for (const { from, until } of away)
      lines.push([from, `replica ${name}: away`], [until ?? from, `replica ${name}: back`]);
  }
  return [
    `  run ${runId} (${client?.name ?? "no client"}):`,
    ...lines
      .toSorted(([one], [other]) => one - other)
      .map(([at, text]) => `    ${new Date(at).toISOString().slice(11)} ${text.trimEnd()}`),
  ];
}

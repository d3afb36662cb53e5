// A strict reader of Prometheus's text format (https://prometheus.io/docs/instrumenting/exposition_formats/, version 0.0.4).

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const namePattern = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const metaLine = new RegExp(`^# (HELP|TYPE) (${namePattern}) (.+)$`);
const sampleLine = new RegExp(`^(${namePattern})(?:\\{(.*)\\})? (\\S+)$`);
const labelPair = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;

/** All samples. Throws for an invalid line, a family without its type, an undeclared sample or a duplicate. */
export function readMetrics(text: string): Sample[] {
  if (!text.endsWith("\n")) throw new Error("the last line has no end");
  const types = new Map<string, string>();
  const helped = new Set<string>();
  const seen = new Set<string>();
  const samples: Sample[] = [];
  for (const line of text.split("\n").filter((each) => each !== "")) {
    const [, kind, family = "", rest = ""] = metaLine.exec(line) ?? [];
    if (kind === "HELP") helped.add(family);
    if (kind === "TYPE" && !/^(counter|gauge|histogram)$/.test(rest)) throw new Error(line);
    if (kind === "TYPE" && types.has(family)) throw new Error(`twice: ${line}`);
    if (kind === "TYPE") types.set(family, rest);
    if (kind !== undefined) continue;
    const [, name = "", labels = "", value = ""] = sampleLine.exec(line) ?? [];
    const sample = { name, labels: readLabels(labels), value: readValue(value) };
    const declared = familyOf(name, types);
    if (declared === undefined || !helped.has(declared)) throw new Error(`undeclared: ${line}`);
    const key = JSON.stringify([name, Object.entries(sample.labels).sort()]);
    if (seen.has(key)) throw new Error(`twice: ${line}`);
    seen.add(key);
    samples.push(sample);
  }
  checkHistograms(samples, types);
  return samples;
}

/** The sum of what fits. */
export function total(samples: readonly Sample[], name: string, labels: Record<string, string> = {}): number {
  const fitting = samples.filter(
    (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  );
  if (fitting.length === 0) throw new Error(`no sample of ${name} ${JSON.stringify(labels)}`);
  return fitting.reduce((sum, { value }) => sum + value, 0);
}

function familyOf(name: string, types: ReadonlyMap<string, string>): string | undefined {
  if (types.has(name)) return types.get(name) === "histogram" ? undefined : name;
  const family = name.replace(/_(bucket|sum|count)$/, "");
  return types.get(family) === "histogram" ? family : undefined;
}

function readLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  labelPair.lastIndex = 0;
  while (labelPair.lastIndex < text.length) {
    const [, name = "", value = ""] = labelPair.exec(text) ?? [];
    if (name === "" || name in labels) throw new Error(`labels: ${text}`);
    labels[name] = value.replace(/\\(.)/g, (_, escaped: string) => (escaped === "n" ? "\n" : escaped));
  }
  return labels;
}

function readValue(text: string): number {
  if (text === "+Inf") return Number.POSITIVE_INFINITY;
  if (!/^-?\d+(\.\d+)?(e[+-]?\d+)?$/.test(text)) throw new Error(`value: ${text}`);
  return Number(text);
}

/** Buckets never fall, and the last one holds all. */
function checkHistograms(samples: readonly Sample[], types: ReadonlyMap<string, string>): void {
  for (const [family, type] of types) {
    if (type !== "histogram") continue;
    for (const { labels, value } of samples.filter(({ name }) => name === `${family}_count`)) {
      const buckets = samples.filter(
        (sample) =>
          sample.name === `${family}_bucket` &&
          Object.keys(sample.labels).length === Object.keys(labels).length + 1 &&
          Object.entries(labels).every(([key, wanted]) => sample.labels[key] === wanted),
      );
      const counts = buckets.map((bucket) => bucket.value);
      const isSorted = counts.every((count, at) => at === 0 || count >= (counts[at - 1] ?? 0));
      if (!isSorted || counts.at(-1) !== value || buckets.at(-1)?.labels.le !== "+Inf") throw new Error(family);
    }
  }
}

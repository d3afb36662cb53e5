import type { Tool } from "../../../core/tools/tool.ts";
import { type Locale, say, type Text } from "../../../kit/locale.ts";
import { toShortLine } from "../../../kit/text/short-line.ts";

export interface DescribeToolsOptions {
  tools: readonly Tool[];
  /** Those whose calls may need consent. */
  asking: readonly Tool[];
  servers: readonly { readonly name: string }[];
  locale: Locale;
}

/** Tools of one origin, by their names there. */
interface Group {
  title: Text;
  names: readonly string[];
}

/** How many names of a group are given, tried until all fits. */
const nameCounts = [10, 6, 4, 2, 1, 0];

/** The tools by origin, a line each, in at most `room` UTF-16 units: fewer names where there are many tools, then fewer lines. */
export function describeTools({ tools, asking, servers, locale }: DescribeToolsOptions, room: number): string {
  if (tools.length === 0) return say(locale, noTools);
  const count = say(locale, { zh: `现有工具 ${tools.length} 个：`, en: `Tools now: ${tools.length}.` });
  const ofServers = new Set(servers.map(({ name }) => name));
  const consent = asking.length > 0 ? [{ title: needConsent, names: sorted(asking.map(({ name }) => name)) }] : [];
  const groups = [...consent, ...groupsOf(tools, ofServers)];
  for (const names of nameCounts) {
    const text = [count, ...groups.map((group) => lineOf(group, names, locale))].join("\n");
    if (text.length <= room) return text;
  }
  const lines = groups.map((group) => lineOf(group, 0, locale));
  for (let kept = lines.length - 1; kept > 0; kept--) {
    const text = [count, ...lines.slice(0, kept), say(locale, more(lines.length - kept))].join("\n");
    if (text.length <= room) return text;
  }
  return count;
}

/** The built-in ones, the user's own, then the servers by name. */
function groupsOf(tools: readonly Tool[], ofServers: ReadonlySet<string>): Group[] {
  const builtin: string[] = [];
  const own: string[] = [];
  const byServer = new Map<string, string[]>();
  for (const { name, source } of tools) {
    const isServers = ofServers.has(source);
    if (!isServers && source === "builtin") builtin.push(name);
    else if (!isServers && (source === "user" || source === "skills")) own.push(name);
    else byServer.set(source, [...(byServer.get(source) ?? []), withoutServer(name, source)]);
  }
  const remote = sorted([...byServer.keys()]).map((server) => ({
    title: both(toShortLine(server, 40)),
    names: sorted(byServer.get(server) ?? []),
  }));
  return [
    { title: { zh: "内置", en: "built in" }, names: sorted(builtin) },
    { title: { zh: "用户自己的", en: "the user's own" }, names: sorted(own) },
    ...remote,
  ].filter(({ names }) => names.length > 0);
}

function lineOf({ title, names }: Group, most: number, locale: Locale): string {
  const shown = names.slice(0, most);
  const rest = names.length > shown.length && most > 0 ? [...shown, "…"] : shown;
  const head = `- ${say(locale, title)} (${names.length})`;
  return rest.length === 0 ? head : `${head}: ${rest.join(", ")}`;
}

function withoutServer(name: string, server: string): string {
  return name.startsWith(`${server}__`) ? name.slice(server.length + 2) : name;
}

/** By code units: the same everywhere. */
function sorted(names: readonly string[]): string[] {
  return [...names].sort();
}

function both(text: string): Text {
  return { zh: text, en: text };
}

function more(count: number): Text {
  return { zh: `- 以及另外 ${count} 组`, en: `- and ${count} more` };
}

const needConsent: Text = { zh: "调用时可能需要用户同意", en: "calls that may need the user's consent" };

const noTools: Text = {
  zh: "现在没有工具：只凭模型所知回答。",
  en: "It has no tools now: it answers from what the models know.",
};

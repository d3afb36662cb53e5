import type { Duet } from "../../app/duet.ts";
import type { McpServers } from "../../app/tools/mcp-servers.ts";
import { type NamedChange, type ReadableChange, readChange } from "../../app/tools/tool-changes.ts";
import type { Inventory } from "../../app/tools/tool-inventory.ts";
import { DuetError, toErrorReport } from "../../kit/errors.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { toSafeJson, toShortLine } from "../../kit/text/sanitize.ts";
import { renderError } from "../../render/event-lines.ts";
import { type Console, writeSafely } from "../console.ts";
import { askYesNo } from "../questions/ask-yes-no.ts";
import { canBeAsked, openTerminalQuestions, type Reader } from "../questions/reader.ts";
import { toPlainText } from "../terminal/text/line.ts";

export interface ApproveOptions {
  duet: Pick<Duet, "locale" | "inventory" | "servers">;
  console: Console;
  signal: AbortSignal;
  output: "text" | "json";
  /** Approves without a question. */
  yes: boolean;
}

/**
 * Shows the tools that wait, and of the named ones those that were trusted at first use, and approves those that somebody agrees to: at a terminal each is asked about. `names` are
 * servers or tools (`server__tool`); without any it is all. 0 when nothing waits any more or each was decided, 1 when
 * nobody could be asked. Throws a `config` error for a name that nobody has.
 */
export async function approveTools(options: ApproveOptions, names: readonly string[]): Promise<number> {
  const { duet, signal } = options;
  const inventory = await duet.inventory(signal);
  const waiting = await duet.servers.listWaitingTools(signal);
  reportFailures(options, names, inventory);
  // Nobody is asked about those unless they are named: there may be many, and they may be used already.
  const trusted = names.length === 0 ? [] : await duet.servers.listTrustedTools(signal);
  const chosen = choose(names, [...waiting, ...trusted], inventory);
  if (options.output === "json") return approveAsJson(options, chosen);
  if (chosen.length === 0) {
    options.console.stdout.write(`${say(duet.locale, nothingWaits)}\n`);
    return 0;
  }
  if (!options.yes && canBeAsked(options.console)) return askAtTerminal(options, chosen);
  const write = (line: string): void => writeSafely(options.console.stdout, `${line}\n`);
  for (const change of chosen) show(readChange(change, duet.locale), { locale: duet.locale, write });
  if (!options.yes) return refuse(options, chosen.length);
  return (await approve(duet.servers, chosen, createTeller(options))).length === chosen.length ? 0 : 1;
}

function choose(names: readonly string[], waiting: readonly NamedChange[], inventory: Inventory): NamedChange[] {
  for (const name of names) {
    const isKnown =
      waiting.some((change) => change.name === name) ||
      inventory.servers.some((server) => server.name === name) ||
      inventory.tools.some((tool) => tool.name === name);
    if (!isKnown) throw unknownNameError(name, inventory);
  }
  if (names.length === 0) return [...waiting];
  return waiting.filter(({ server, name }) => names.includes(server) || names.includes(name));
}

/** Reports servers that failed to start, since their waiting tools are unknown. */
function reportFailures({ duet, console }: ApproveOptions, names: readonly string[], { servers }: Inventory): void {
  for (const { name, error } of servers) {
    const isMeant = names.length === 0 || names.some((each) => each === name || each.startsWith(`${name}__`));
    if (error === null || !isMeant) continue;
    writeSafely(console.stderr, `${name}: ${renderError(toErrorReport(error, duet.locale))}\n`);
  }
}

async function approveAsJson(options: ApproveOptions, chosen: readonly NamedChange[]): Promise<number> {
  const { duet, console, yes } = options;
  const approved = yes ? await approve(duet.servers, chosen, createTeller(options)) : [];
  const waiting = chosen.filter((change) => !approved.includes(change));
  const lists = {
    waiting: waiting.map((change) => readChange(change, duet.locale)),
    approved: approved.map((change) => readChange(change, duet.locale)),
  };
  console.stdout.write(`${toSafeJson(lists, 2)}\n`);
  if (waiting.length === 0) return 0;
  return yes ? 1 : refuse(options, waiting.length);
}

async function askAtTerminal(options: ApproveOptions, chosen: readonly NamedChange[]): Promise<number> {
  const { duet, console, signal } = options;
  const terminal = openTerminalQuestions(console);
  const reader: Reader = {
    locale: duet.locale,
    ask: terminal.ask,
    write: (line) => writeSafely(console.stderr, `${typeof line === "string" ? line : toPlainText(line)}\n`),
  };
  try {
    terminal.listen();
    return (await askAboutEach(duet.servers, reader, chosen, signal)) ? 0 : 1;
  } finally {
    terminal.close();
  }
}

/** Asks about each change and approves it after a yes. Returns false where one was not decided, or has changed meanwhile. */
async function askAboutEach(
  servers: Pick<McpServers, "approveTools">,
  reader: Reader,
  chosen: readonly NamedChange[],
  signal: AbortSignal,
): Promise<boolean> {
  let isWhole = true;
  for (const change of chosen) {
    show(readChange(change, reader.locale), reader);
    const answer = await askYesNo(reader, say(reader.locale, renderQuestion(change.name)), signal);
    // The input has ended: nobody is there for the others either.
    if (answer === undefined) return false;
    if (answer && (await approve(servers, [change], reader)).length === 0) isWhole = false;
  }
  return isWhole;
}

/**
 * Shows a person in a chat the tools that wait, or those of the named servers or tools that do, and approves the ones that they
 * agree to. Where nobody can be asked they are shown, with the command that approves them. Throws a `config` error for a name that
 * nobody has.
 */
export async function approveInChat(
  duet: ApproveOptions["duet"],
  { reader, locale, write }: { reader: Reader | undefined; locale: Locale; write(line: string): void },
  names: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const inventory = await duet.inventory(signal);
  const waiting = await duet.servers.listWaitingTools(signal);
  const trusted = names.length === 0 ? [] : await duet.servers.listTrustedTools(signal);
  const chosen = choose(names, [...waiting, ...trusted], inventory);
  if (chosen.length === 0) write(say(locale, nothingWaits));
  else if (reader) await askAboutEach(duet.servers, reader, chosen, signal);
  else {
    for (const change of chosen) show(readChange(change, locale), { locale, write });
    write("duet tools approve");
  }
}

/** Returns those that were approved: not one that has changed since it was shown. */
async function approve(
  servers: Pick<McpServers, "approveTools">,
  shown: readonly NamedChange[],
  { locale, write }: Teller,
): Promise<NamedChange[]> {
  const approved = await servers.approveTools(shown);
  for (const change of shown)
    write(say(locale, approved.includes(change) ? describeApproved(change.name) : describeMoved(change.name)));
  return approved;
}

/** Takes lines in a language. */
interface Teller {
  locale: Locale;
  write(line: string): void;
}

function createTeller({ duet, console }: Pick<ApproveOptions, "duet" | "console">): Teller {
  return { locale: duet.locale, write: (line) => writeSafely(console.stderr, `${line}\n`) };
}

function show(change: ReadableChange, { locale, write }: Teller): void {
  const { server, name, kind, list, lines } = change;
  const what = list === undefined ? kinds[kind] : describeTexts(list, kind);
  write(`🔐 ${toShortLine(name, 80)} · ${toShortLine(server, 80)} · ${say(locale, what)}`);
  for (const line of lines) write(line);
  write("");
}

const kinds: Record<ReadableChange["kind"], Text> = {
  new: { zh: "新工具", en: "a new tool" },
  changed: { zh: "已改变", en: "changed" },
  trusted: { zh: "首次使用时信任，还没有人批准", en: "trusted on first use, not approved yet" },
};

const entryNames: Record<NonNullable<ReadableChange["list"]>, Text> = {
  prompts: { zh: "提示词", en: "prompt" },
  resources: { zh: "资源", en: "resource" },
  templates: { zh: "资源模板", en: "resource template" },
};

/** Such an entry is offered already, but without these texts. */
function describeTexts(list: keyof typeof entryNames, kind: ReadableChange["kind"]): Text {
  const { zh, en } = entryNames[list];
  return kind === "changed"
    ? { zh: `${zh}的说明已改变`, en: `the texts of a ${en}, changed` }
    : { zh: `新${zh}的说明`, en: `the texts of a new ${en}` };
}

function refuse({ duet, console }: ApproveOptions, count: number): number {
  const zh = `有 ${count} 个工具等待批准，但这里无法询问；看过以上内容后，用 --yes 批准，或在终端中运行`;
  const en = `${count === 1 ? "1 tool waits" : `${count} tools wait`} for approval, and there is no terminal to ask in: approve them with --yes, or run this in a terminal`;
  console.stderr.write(`duet: ${say(duet.locale, { zh, en })}\n`);
  return 1;
}

function unknownNameError(name: string, { servers }: Inventory): DuetError {
  const shown = toShortLine(name, 80);
  const list = servers.map((server) => toShortLine(server.name, 40)).join(", ");
  return new DuetError({
    code: "config",
    text: {
      zh: `没有名为 ${shown} 的服务器或等待批准的工具；服务器有：${list || "无"}`,
      en: `there is no server or waiting tool named ${shown}; servers: ${list || "none"}`,
    },
  });
}

function renderQuestion(name: string): Text {
  const tool = toShortLine(name, 80);
  return { zh: `批准 ${tool}？[y/n] `, en: `Approve ${tool}? [y/n] ` };
}

function describeApproved(name: string): Text {
  return { zh: `已批准 ${name}`, en: `Approved ${name}` };
}

function describeMoved(name: string): Text {
  return {
    zh: `${name} 在显示之后又变了，没有批准；请再次运行`,
    en: `${name} has changed again since it was shown and was not approved: run this command again`,
  };
}

const nothingWaits: Text = { zh: "没有等待批准的工具。", en: "No tools are waiting for approval." };
